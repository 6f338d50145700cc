"""What changes between the planning of a digest and its sending: papers, votes, and the order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.chat.layouts.digest import digest_message
from data.store.digests import DigestFilter
from tests.bot.chat.looks import texts_of
from tests.bot.triage.channel import FakeChannel
from tests.bot.triage.conftest import ADA, SERVER
from tests.bot.triage.test_posting import CHANNEL, add_papers, order, posting, subscribed

if TYPE_CHECKING:
    from bot.triage.services import Services
    from tests.conftest import HandClock


async def planned(services: Services, clock: HandClock, papers: int, **parts: object) -> int:
    """A digest that is planned, and refused by its channel."""
    number = await subscribed(services, clock, papers, **parts)
    await posting(services, FakeChannel(closed="Grant me Send Messages.")).run_due()
    return number


async def test_a_paper_merged_into_an_older_one_after_the_planning_is_posted_once(
    services: Services, clock: HandClock
) -> None:
    await add_papers(services, ["an old friend"])
    clock.advance(days=2)
    await planned(services, clock, 3)
    await services.merging.merge("1", "2", by="ada")
    channel = FakeChannel()
    assert await posting(services, channel).run_due() == 1
    assert sorted(channel.papers) == [1, 3, 4]
    clock.advance(days=1)
    await posting(services, channel).run_due()
    assert sorted(channel.papers) == [1, 3, 4]


async def test_two_planned_papers_that_are_merged_are_one_and_nothing_is_left_out(
    services: Services, clock: HandClock
) -> None:
    await planned(services, clock, 3)
    await services.merging.merge("2", "3", by="ada")
    channel = FakeChannel()
    await posting(services, channel).run_due()
    assert sorted(channel.papers) == [1, 2]
    (part,) = channel.messages
    assert part.digest.hidden == 0
    assert "2 new" in texts_of(digest_message(part))


async def test_a_planned_paper_that_turns_out_to_be_one_posted_before_does_not_come_again(
    services: Services, clock: HandClock
) -> None:
    channel = FakeChannel()
    await subscribed(services, clock, 2)
    await posting(services, channel).run_due()
    await add_papers(services, ["a copy", "a new one"])
    clock.advance(days=1)
    await posting(services, FakeChannel(closed="Grant me Send Messages.")).run_due()
    await services.merging.merge("1", "3", by="ada")
    await posting(services, channel).run_due()
    assert sorted(channel.papers) == [1, 2, 4]


async def test_a_merge_that_is_split_after_the_planning_posts_both(
    services: Services, clock: HandClock
) -> None:
    made = await services.digests.subscribe(SERVER, ADA.id, order())
    await add_papers(services, ["one", "two"])
    await services.merging.merge("1", "2", by="ada")
    clock.advance(hours=1)
    await posting(services, FakeChannel(closed="Grant me Send Messages.")).run_due()
    await services.merging.split("1", by="ada")
    channel = FakeChannel()
    await posting(services, channel).run_due()
    clock.advance(days=1)
    await posting(services, channel).run_due()
    assert sorted(channel.papers) == [1, 2]
    assert made.id == 1


async def test_a_paper_that_is_shown_under_another_number_is_due_for_itself_after_the_split(
    services: Services, clock: HandClock
) -> None:
    """The digest held the copy alone when the older paper, known before, came to stand for it."""
    await add_papers(services, ["an old friend"])
    clock.advance(days=2)
    await planned(services, clock, 1)
    await services.merging.merge("1", "2", by="ada")
    channel = FakeChannel()
    await posting(services, channel).run_due()
    assert channel.papers == [1]
    await services.merging.split("1", by="ada")
    for _ in range(2):
        clock.advance(days=1)
        await posting(services, channel).run_due()
    assert channel.papers == [1, 2]


@pytest.mark.parametrize("what", ["removed", "paused", "moved"])
async def test_an_order_that_changes_while_its_digest_is_put_together_is_obeyed(
    services: Services, clock: HandClock, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    number = await subscribed(services, clock, 2)
    compose = services.digests.compose

    async def slowly(*words: object) -> object:
        digest = await compose(*words)  # type: ignore[arg-type]
        if what == "removed":
            await services.digests.remove(SERVER, number)
        elif what == "paused":
            await services.digests.pause(SERVER, number, paused=True)
        else:
            draft = await services.subscribing.draft(
                SERVER, ADA.id, order(channel_id=CHANNEL + 1), edits=number
            )
            await services.subscribing.save(SERVER, ADA.id, draft.draft.key)
        return digest

    monkeypatch.setattr(services.digests, "compose", slowly)
    channel = FakeChannel()
    await posting(services, channel).run_due()
    assert [place for place, _ in channel.placed] == ([CHANNEL + 1] if what == "moved" else [])
    monkeypatch.undo()
    if what == "paused":
        await services.digests.pause(SERVER, number, paused=False)
        clock.advance(days=1)
        await posting(services, channel).run_due()
    assert sorted(channel.papers) == ([] if what == "removed" else [1, 2])


async def test_an_order_that_is_removed_while_another_is_posted_posts_nothing(
    services: Services, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await subscribed(services, clock, 2)
    channel = FakeChannel()
    other = await services.digests.subscribe(SERVER, ADA.id, order(channel_id=CHANNEL + 1))
    await add_papers(services, ["more"])
    clock.advance(days=1)
    send = channel.send

    async def slowly(channel_id: int, part: object) -> int:
        if not channel.placed:
            await services.digests.remove(SERVER, other.id)
        return await send(channel_id, part)  # type: ignore[arg-type]

    monkeypatch.setattr(channel, "send", slowly)
    await posting(services, channel).run_due()
    assert {place for place, _ in channel.placed} == {CHANNEL}


async def test_a_maximum_that_is_lowered_after_the_planning_is_obeyed_and_loses_nothing(
    services: Services, clock: HandClock
) -> None:
    number = await planned(services, clock, 5, maximum=4)
    draft = await services.subscribing.draft(SERVER, ADA.id, order(maximum=2), edits=number)
    await services.subscribing.save(SERVER, ADA.id, draft.draft.key)
    channel = FakeChannel()
    await posting(services, channel).run_due()
    assert channel.papers == [1, 2]
    assert channel.messages[-1].digest.hidden == 3
    left_out = await services.digests.hidden(SERVER, number, clock.now().date())
    assert [view.paper.id for view in left_out] == [3, 4, 5]


async def test_the_foot_comes_once_although_the_place_changed_half_way(
    services: Services, clock: HandClock
) -> None:
    number = await subscribed(services, clock, 8)
    channel = FakeChannel(faults={2: "forbidden"})
    await posting(services, channel).run_due()
    draft = await services.subscribing.draft(SERVER, ADA.id, order(in_thread=True), edits=number)
    await services.subscribing.save(SERVER, ADA.id, draft.draft.key)
    await posting(services, channel).run_due()
    assert sorted(channel.papers) == list(range(1, 9))
    feet = [texts_of(digest_message(part)).count("8 posted") for part in channel.messages]
    assert sum(feet) == 1, feet


async def edited(services: Services, number: int, **parts: object) -> None:
    """The order of a digest is changed, as in the chat."""
    draft = await services.subscribing.draft(SERVER, ADA.id, order(**parts), edits=number)
    await services.subscribing.save(SERVER, ADA.id, draft.draft.key)


async def test_a_filter_that_is_edited_before_the_digest_is_sent_is_obeyed_and_loses_nothing(
    services: Services, clock: HandClock
) -> None:
    number = await planned(services, clock, 3, filter=DigestFilter(query="animal"))
    await add_papers(services, ["a mineral"])
    await edited(services, number, filter=DigestFilter(query="1 OR mineral"))
    channel = FakeChannel()
    await posting(services, channel).run_due()
    assert sorted(channel.papers) == [2, 4]
    assert "only about “1 OR mineral”" in texts_of(digest_message(channel.messages[0]))
    await edited(services, number)
    clock.advance(days=1)
    await posting(services, channel).run_due()
    assert sorted(channel.papers) == [2, 4], "what the filter stopped was stopped"


async def test_a_filter_that_is_edited_while_the_digest_is_put_together_is_obeyed(
    services: Services, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = await subscribed(services, clock, 3)
    compose = services.digests.compose
    composed: list[int] = []

    async def slowly(*words: object) -> object:
        digest = await compose(*words)  # type: ignore[arg-type]
        composed.append(len(digest.items))
        if len(composed) == 1:
            await edited(services, number, filter=DigestFilter(query="1"))
        return digest

    monkeypatch.setattr(services.digests, "compose", slowly)
    channel = FakeChannel()
    assert await posting(services, channel).run_due() == 1
    assert (composed, channel.papers) == ([3, 1], [2])


@pytest.mark.parametrize("what", ["edited", "paused", "removed"])
@pytest.mark.parametrize("moment", ["check", "newest"])
async def test_an_order_that_changes_in_the_last_moment_sends_nothing_of_before(
    services: Services, clock: HandClock, monkeypatch: pytest.MonkeyPatch, what: str, moment: str
) -> None:
    number = await subscribed(services, clock, 3)
    channel = FakeChannel()
    asked = getattr(channel, moment)

    async def slowly(*words: object, **more: object) -> object:
        monkeypatch.undo()
        if what == "edited":
            await edited(services, number, filter=DigestFilter(query="1"))
        elif what == "paused":
            await services.digests.pause(SERVER, number, paused=True)
        else:
            await services.digests.remove(SERVER, number)
        return await asked(*words, **more)

    monkeypatch.setattr(channel, moment, slowly)
    assert await posting(services, channel).run_due() == 0
    assert channel.messages == []
    await posting(services, channel).run_due()
    assert channel.papers == ([2] if what == "edited" else [])
    if what == "paused":
        await services.digests.pause(SERVER, number, paused=False)
        await posting(services, channel).run_due()
        assert sorted(channel.papers) == [1, 2, 3]


async def test_a_filter_that_is_edited_once_a_message_may_stand_leaves_the_digest_as_it_is(
    services: Services, clock: HandClock
) -> None:
    number = await subscribed(services, clock, 8)
    channel = FakeChannel(faults={1: "lost"})
    await posting(services, channel).run_due()
    await edited(services, number, filter=DigestFilter(query="1"))
    await posting(services, channel).run_due()
    assert sorted(channel.papers) == list(range(1, 9))


async def test_a_digest_that_was_begun_and_stands_nowhere_claims_no_filter_of_later(
    services: Services, clock: HandClock
) -> None:
    number = await subscribed(services, clock, 2)
    channel = FakeChannel(faults={1: "forbidden"})
    await posting(services, channel).run_due()
    await edited(services, number, filter=DigestFilter(query="1"))
    await posting(services, channel).run_due()
    assert sorted(channel.papers) == [1, 2]
    assert "only" not in texts_of(digest_message(channel.messages[0]))
