"""The weekly note: once a week, over days off, crashes, lost answers and refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.triage.errors import CannotPost
from bot.triage.hindsight import Hindsight, WeeklyNote, WeeklyNotes
from tests.bot.triage.channel import ProcessKilledError
from tests.bot.triage.conftest import ADA, BEN, SERVER
from tests.bot.triage.test_interest import CHANNEL, SHIPS, add, numbers, order, voted

if TYPE_CHECKING:
    from datetime import datetime

    from bot.triage.services import Services
    from tests.conftest import HandClock

__all__ = ["voted"]


class Notes:
    """A publisher that keeps what it is given; `fault` is what goes wrong at the next sending."""

    def __init__(self, fault: str = "") -> None:
        self.sent: list[tuple[int, WeeklyNote, str]] = []
        self.fault = fault
        self.looked = 0

    async def stands(self, channel_id: int, key: str, since: datetime) -> bool:
        self.looked += 1
        return (channel_id, key) in [(channel, name) for channel, _, name in self.sent]

    async def send(self, channel_id: int, note: WeeklyNote, key: str) -> None:
        fault, self.fault = self.fault, ""
        if fault == "refused":
            raise CannotPost("Grant me Send Messages.")
        if fault == "failed":
            raise ConnectionResetError
        if fault == "killed before":
            raise ProcessKilledError
        self.sent.append((channel_id, note, key))
        if fault == "lost":
            raise ConnectionResetError
        if fault == "killed after":
            raise ProcessKilledError


def weekly(services: Services, notes: Notes) -> WeeklyNotes:
    """As a new process makes it."""
    hindsight = Hindsight(services.library, services.digests)
    return WeeklyNotes(services.library, services.digests, hindsight, notes)


async def test_the_weekly_note_comes_once_on_monday_also_over_a_restart(
    voted: Services, clock: HandClock
) -> None:
    await voted.digests.subscribe(SERVER, ADA.id, order(tags=("position",)))
    notes = Notes()
    assert await weekly(voted, notes).run_due() == 0, "it is eight in the morning"
    clock.advance(hours=1)
    assert await weekly(voted, notes).run_due() == 1
    assert await weekly(voted, notes).run_due() == 0
    clock.advance(days=1)
    assert await weekly(voted, notes).run_due() == 0
    ((channel, note, key),) = notes.sent
    assert (channel, len(note.papers), key) == (CHANNEL, 6, "note-2026-W23")
    assert notes.looked == 0


@pytest.mark.parametrize("days", [0, 1, 3, 6])
async def test_a_bot_that_was_down_on_monday_posts_the_note_once_when_it_is_back(
    voted: Services, clock: HandClock, days: int
) -> None:
    await voted.digests.subscribe(SERVER, ADA.id, order(tags=("position",)))
    clock.advance(days=days, hours=15, minutes=59)
    notes = Notes()
    assert await weekly(voted, notes).run_due() == 1
    assert await weekly(voted, notes).run_due() == 0
    ((_, note, key),) = notes.sent
    assert (len(note.papers), key) == (6, "note-2026-W23")


async def test_a_note_that_comes_late_tells_of_the_days_before_its_monday_and_the_next_of_the_rest(
    voted: Services, clock: HandClock
) -> None:
    await voted.digests.subscribe(SERVER, ADA.id, order(tags=("position",)))
    clock.advance(days=2)
    await voted.voting.toggle(SERVER, BEN, (await numbers(voted, "Bees"))[0])
    notes = Notes()
    await weekly(voted, notes).run_due()
    clock.advance(days=5, hours=1)
    await weekly(voted, notes).run_due()
    told = [[one.view.paper.title.split()[0] for one in note.papers] for _, note, _ in notes.sent]
    assert told == [["Ships"] * 6, ["Bees"]]


async def test_a_week_that_was_missed_as_a_whole_gets_no_note(
    voted: Services, clock: HandClock
) -> None:
    await voted.digests.subscribe(SERVER, ADA.id, order(tags=("position",)))
    clock.advance(days=8)
    notes = Notes()
    assert await weekly(voted, notes).run_due() == 0
    assert notes.sent == []


async def test_a_digest_that_was_ordered_after_monday_at_nine_gets_its_first_note_a_week_later(
    voted: Services, clock: HandClock
) -> None:
    clock.advance(days=1)
    await voted.digests.subscribe(SERVER, ADA.id, order(tags=("position",)))
    notes = Notes()
    await add(voted, "Ships", SHIPS, 1, "2026-06-02")
    await voted.voting.toggle(SERVER, BEN, (await numbers(voted, "Ships"))[-1])
    for days, times in ((0, 0), (5, 0), (1, 1)):
        clock.advance(days=days, minutes=30)
        await weekly(voted, notes).run_due()
        assert len(notes.sent) == times


@pytest.mark.parametrize(
    ("fault", "times"),
    [("killed before", 1), ("killed after", 1), ("failed", 1), ("lost", 1), ("refused", 0)],
)
async def test_a_note_that_was_stopped_on_its_way_comes_once_and_a_refused_one_is_let_be(
    voted: Services, clock: HandClock, fault: str, times: int
) -> None:
    await voted.digests.subscribe(SERVER, ADA.id, order(tags=("position",)))
    clock.advance(hours=1)
    notes = Notes(fault)
    try:
        await weekly(voted, notes).run_due()
    except ProcessKilledError:
        assert fault.startswith("killed")
    for _ in range(3):
        clock.advance(minutes=1)
        await weekly(voted, notes).run_due()
    assert len(notes.sent) == times


async def test_a_note_whose_digest_moved_is_looked_for_where_it_was_sent(
    voted: Services, clock: HandClock
) -> None:
    made = await voted.digests.subscribe(SERVER, ADA.id, order(tags=("position",)))
    clock.advance(hours=1)
    notes = Notes("lost")
    await weekly(voted, notes).run_due()
    await voted.digests.remove(SERVER, made.id)
    await voted.digests.subscribe(SERVER, ADA.id, order(channel=7, tags=("position",)))
    assert await weekly(voted, notes).run_due() == 0
    assert [channel for channel, _, _ in notes.sent] == [CHANNEL]


async def test_a_tick_during_a_long_note_sends_nothing(voted: Services, clock: HandClock) -> None:
    await voted.digests.subscribe(SERVER, ADA.id, order(tags=("position",)))
    clock.advance(hours=1)
    notes = Notes()
    running = weekly(voted, notes)
    send = notes.send
    ticks: list[int] = []

    async def slowly(*words: object) -> None:
        ticks.append(await running.run_due())
        await send(*words)  # type: ignore[arg-type]

    notes.send = slowly  # type: ignore[method-assign]
    assert await running.run_due() == 1
    assert ticks == [0]
    assert len(notes.sent) == 1
