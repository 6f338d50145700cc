"""A digest with a thread is posted once, whatever ends the process and at whatever step."""

from __future__ import annotations

from datetime import time
from typing import TYPE_CHECKING

import pytest
import structlog

from bot.triage.errors import ChannelGone
from bot.triage.posting import Posting
from bot.triage.schedule import EVERY_DAY
from data.store.digests import DigestFilter, SubscriptionOrder
from tests.bot.triage.channel import FakeChannel, ProcessKilledError
from tests.bot.triage.conftest import ADA, SERVER
from tests.bot.triage.test_subscribing import MONDAY, announce

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from bot.triage.digest import DigestPart
    from bot.triage.services import Services
    from tests.conftest import HandClock

CHANNEL = 500
PAPERS = 11
# Three in the channel, then six and two in the thread.


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Tracebacks of faults that are meant to happen take longer to draw than the tests to run."""
    with structlog.testing.capture_logs():
        yield


@pytest.fixture
async def due(services: Services, clock: HandClock) -> Services:
    """A digest of eleven papers, with a thread, is due."""
    order = SubscriptionOrder(
        CHANNEL, time(9), "UTC", EVERY_DAY, DigestFilter(), maximum=18, in_thread=True
    )
    await services.digests.subscribe(SERVER, ADA.id, order)
    await announce(services, MONDAY, *(f"otters {number}" for number in range(PAPERS)))
    clock.advance(hours=1)
    return services


def posting(services: Services, channel: FakeChannel) -> Posting:
    return Posting(services.library.store, services.digests, channel, services.clock)


def assert_posted_once(channel: FakeChannel) -> None:
    assert sorted(channel.papers) == list(range(1, PAPERS + 1))
    [head, *rest] = channel.placed
    assert head[0] == CHANNEL
    assert {place for place, _ in rest} == {head[1]}
    assert channel.threads == {head[1]}


class Dying:
    """Ends the process at one await of another object's methods, before or after it is done."""

    def __init__(self, inner: object, left: list[int], *, after: bool) -> None:
        self._inner, self._left, self._after = inner, left, after

    def __getattr__(self, name: str) -> object:
        method: Callable[..., Awaitable[object]] = getattr(self._inner, name)

        async def call(*args: object, **kwargs: object) -> object:
            self._left[0] -= 1
            if self._left[0] == 0 and not self._after:
                raise ProcessKilledError
            result = await method(*args, **kwargs)
            if self._left[0] == 0:
                raise ProcessKilledError
            return result

        return call


@pytest.mark.parametrize("after", [False, True])
async def test_a_kill_at_any_step_of_the_store_or_the_channel_loses_and_doubles_nothing(
    due: Services, clock: HandClock, after: bool
) -> None:
    step = 0
    while True:
        step += 1
        left, channel = [step], FakeChannel()
        store = Dying(due.library.store, left, after=after)
        killed = Posting(
            store,  # type: ignore[arg-type]
            due.digests,
            Dying(channel, left, after=after),  # type: ignore[arg-type]
            clock,
        )
        try:
            await killed.run_due()
        except ProcessKilledError:
            await posting(due, channel).run_due()
        assert_posted_once(channel)
        if left[0] > 0:
            break
        await anew(due)
    assert step > 12


async def anew(services: Services) -> None:
    """Forgets what was posted, so that the same digest is due again."""

    def forget(db: object) -> None:
        for row in ("posted", "left_out", "slot_parts", "slots"):
            db[row].delete_where()  # type: ignore[index]

    await services.library.store.write(forget)


@pytest.mark.parametrize("fault", [403, 404, 429, 500, "lost"])
async def test_a_request_that_fails_at_any_place_loses_and_doubles_nothing(
    due: Services, fault: int | str
) -> None:
    for request in range(1, 9):
        channel = FakeChannel(failing={request: fault})
        for _ in range(3):
            await posting(due, channel).run_due()
        assert sorted(channel.papers) == list(range(1, PAPERS + 1)), request
        if fault not in {403, 404}:
            assert_posted_once(channel)
        await anew(due)


async def test_a_thread_that_is_refused_sends_all_into_the_channel_and_is_noted(
    due: Services,
) -> None:
    channel = FakeChannel(no_threads="Grant me Create Public Threads.")
    await posting(due, channel).run_due()
    assert [place for place, _ in channel.placed] == [CHANNEL] * 3
    assert channel.told == ["Grant me Create Public Threads."]
    [order] = await due.digests.subscriptions(SERVER)
    assert order.problem == channel.told[0]


async def test_a_thread_that_is_deleted_while_it_is_filled_sends_the_rest_into_the_channel(
    due: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    channel = FakeChannel()
    send = channel.send

    async def gone(place: int, part: DigestPart) -> int:
        if place != CHANNEL:
            raise ChannelGone("The channel of this digest is gone.")
        return await send(place, part)

    monkeypatch.setattr(channel, "send", gone)
    assert await posting(due, channel).run_due() == 1
    assert [place for place, _ in channel.placed] == [CHANNEL] * 3
    assert channel.told == []
    assert (await due.digests.subscription(SERVER, 1)).problem is None


async def test_what_admins_could_not_be_told_is_told_when_they_can_be(
    due: Services, clock: HandClock
) -> None:
    channel = FakeChannel(closed="Grant me Send Messages.", deaf=True)
    await posting(due, channel).run_due()
    channel.deaf = False
    clock.advance(minutes=1)
    for _ in range(2):
        await posting(due, channel).run_due()
    assert channel.told == ["Grant me Send Messages."] * 2


async def test_the_channels_of_a_server_are_looked_at_without_waiting_for_a_slot(
    due: Services,
) -> None:
    channel = FakeChannel(closed="The channel is gone.")
    await due.troubles.look(SERVER, channel)
    await due.troubles.look(SERVER, channel)
    assert channel.told == ["The channel is gone."]
    await due.digests.pause(SERVER, 1, paused=True)
    channel.closed = "Shut."
    await due.troubles.look(SERVER, channel)
    assert channel.told == ["The channel is gone."]
    await due.digests.pause(SERVER, 1, paused=False)
    channel.closed = ""
    await due.troubles.look(SERVER, channel)
    assert (await due.digests.subscription(SERVER, 1)).problem is None
