"""Clocks that jump, zones that change, odd nights, and days off: once, and nothing missing."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING

import pytest

from bot.triage.ingest import ListingInput
from bot.triage.posting import Posting
from bot.triage.schedule import EVERY_DAY, WEEKDAYS
from data.sources import Memory
from data.store import digests as digest_rows
from data.store import sources as source_rows
from data.store.digests import DigestFilter, SubscriptionOrder
from data.store.sql import execute
from tests.bot.triage.channel import FakeChannel
from tests.bot.triage.conftest import ADA, SERVER
from tests.simulation.world import WordTagger

if TYPE_CHECKING:
    from sqlite_utils import Database

    from bot.triage.services import Services
    from tests.conftest import HandClock


class Channel(FakeChannel):
    """A channel with a digest at nine, that is looked at every so often."""

    def __init__(self, services: Services, clock: HandClock) -> None:
        super().__init__()
        self.services, self.clock, self.papers_told = services, clock, 0

    async def order(
        self, at: time = time(9), zone: str = "UTC", days: frozenset[int] = EVERY_DAY
    ) -> int:
        made = SubscriptionOrder(500, at, zone, days, DigestFilter(), 60)
        return (await self.services.digests.subscribe(SERVER, ADA.id, made)).id

    async def paper(self) -> None:
        """One more paper comes in."""
        self.papers_told += 1
        number = self.papers_told
        line = {
            "title": f"Paper {number}",
            "abstract": f"We propose a way to weave number {number}. "
            + " ".join(f"word{number}x{place}" for place in range(20)),
        }
        await self.services.ingest.run([ListingInput("one.jsonl", json.dumps(line).encode())])

    async def look(self) -> int:
        """A minute's tick; how many digests were completed."""
        services = self.services
        return await Posting(
            services.library.store, services.digests, self, services.clock
        ).run_due()

    async def live(self, **duration: float) -> None:
        """Lets time pass by hours, with a paper every six of them, looking each hour."""
        until = self.clock.now() + timedelta(**duration)
        while self.clock.now() < until:
            self.clock.advance(hours=1)
            if self.clock.now().hour % 6 == 0:
                await self.paper()
            await self.look()

    async def zone(self, zone: str, at: time) -> None:
        """Somebody edits the digest."""

        def change(db: Database) -> None:
            text = at.strftime("%H:%M")
            execute(db, "UPDATE subscriptions SET zone = ?, local_time = ?", [zone, text])

        await self.services.library.store.write(change)

    @property
    def dates(self) -> list[date]:
        return [part.digest.slot.local_date for part in self.messages if not part.part]

    async def settle(self) -> None:
        """Lives on for two days, and holds what was posted against what came."""
        last = self.papers_told
        await self.live(days=2)
        assert len(self.papers) == len(set(self.papers)), "twice"
        assert set(range(1, last + 1)) <= set(self.papers), "missing"
        assert len(self.dates) == len(set(self.dates))


@pytest.fixture
def channel(services: Services, clock: HandClock, monkeypatch: pytest.MonkeyPatch) -> Channel:
    monkeypatch.setattr("bot.bootstrap.load_tagger", WordTagger)
    return Channel(services, clock)


async def test_a_clock_that_was_a_year_ahead_silences_no_digest(channel: Channel) -> None:
    await channel.order()
    await channel.live(days=2)
    real = channel.clock.now()
    channel.clock.advance(days=365)
    await channel.live(hours=30)
    assert channel.dates[-1].year == 2027
    [listed] = await channel.services.digests.subscriptions(SERVER)
    assert listed.problem is None
    channel.clock.moment = real + timedelta(hours=30)
    [listed] = await channel.services.digests.subscriptions(SERVER)
    assert "The clock was ahead when the digest of 4 June 2027 was posted" in str(listed.problem)
    await channel.live(days=1)
    assert channel.dates[-1] == date(2026, 6, 5)
    await channel.settle()


async def test_a_digest_that_was_ordered_while_the_clock_was_ahead_comes_at_once(
    channel: Channel,
) -> None:
    channel.clock.advance(days=365)
    await channel.order()
    channel.clock.advance(days=-365)
    await channel.paper()
    await channel.live(days=2)
    assert date(2026, 6, 2) in channel.dates
    await channel.settle()


@pytest.mark.parametrize("back", [{"seconds": 1}, {"hours": 3}, {"days": 2}, {"days": 400}])
async def test_a_clock_that_is_set_back_posts_nothing_twice_and_goes_on(
    channel: Channel, back: dict[str, float]
) -> None:
    await channel.order()
    await channel.live(days=3, hours=1)
    posted = len(channel.messages)
    channel.clock.moment -= timedelta(**back)
    await channel.look()
    assert len(channel.messages) == posted, "an older slot comes up again"
    await channel.live(hours=12)
    channel.clock.advance(**back)
    await channel.settle()


async def test_a_clock_that_steps_back_after_a_catch_up_brings_up_no_older_slot(
    channel: Channel,
) -> None:
    await channel.order()
    await channel.live(hours=1)
    channel.clock.advance(days=3)
    await channel.look()
    assert channel.dates == [date(2026, 6, 1), date(2026, 6, 4)]
    channel.clock.moment -= timedelta(seconds=1)
    await channel.look()
    assert len(channel.dates) == 2
    await channel.settle()


async def test_a_source_that_was_polled_while_the_clock_was_ahead_is_asked_again(
    channel: Channel,
) -> None:
    sources, store = channel.services.sources, channel.services.library.store
    source = await sources.add("https://example.org/feed", by="ada")
    year = channel.clock.now() + timedelta(days=365)
    await store.write(source_rows.set_next_poll, source.id, at=year, failures=0)
    await store.write(source_rows.remember, source.id, "feed", Memory(read=year))
    [known] = await store.read(source_rows.standing_sources)
    assert sources._is_due(known)
    soon = channel.clock.now() + timedelta(hours=6)
    await store.write(source_rows.set_next_poll, source.id, at=soon, failures=0)
    [known] = await store.read(source_rows.standing_sources)
    assert not sources._is_due(known)


@pytest.mark.parametrize(
    ("zone", "at"),
    [
        ("America/Los_Angeles", time(9)),
        ("Asia/Kolkata", time(23, 45)),
        ("Pacific/Kiritimati", time(0)),
        ("UTC", time(23, 59)),
        ("UTC", time(0, 1)),
    ],
)
async def test_a_zone_or_time_that_is_edited_doubles_and_loses_nothing(
    channel: Channel, zone: str, at: time
) -> None:
    await channel.order(zone="Asia/Tokyo")
    await channel.live(days=2, hours=5)
    await channel.zone(zone, at)
    await channel.live(days=2)
    await channel.zone("Asia/Tokyo", time(9))
    await channel.settle()


@pytest.mark.parametrize(
    ("zone", "at", "begin"),
    [
        ("Europe/Berlin", time(2, 30), datetime(2026, 3, 27, 12, tzinfo=UTC)),
        ("Europe/Berlin", time(2, 30), datetime(2026, 10, 23, 12, tzinfo=UTC)),
        ("America/New_York", time(2, 0), datetime(2026, 3, 6, 12, tzinfo=UTC)),
        ("America/New_York", time(1, 30), datetime(2026, 10, 30, 12, tzinfo=UTC)),
        ("Australia/Lord_Howe", time(2, 15), datetime(2026, 10, 2, 12, tzinfo=UTC)),
        ("Australia/Lord_Howe", time(1, 45), datetime(2026, 4, 3, 12, tzinfo=UTC)),
        ("Asia/Kolkata", time(0, 0), datetime(2026, 6, 1, 12, tzinfo=UTC)),
        ("Pacific/Chatham", time(2, 45), datetime(2026, 9, 25, 12, tzinfo=UTC)),
        ("Africa/Cairo", time(0, 0), datetime(2026, 4, 22, 12, tzinfo=UTC)),
        ("America/Nuuk", time(23, 30), datetime(2026, 3, 27, 12, tzinfo=UTC)),
        ("Asia/Kathmandu", time(0, 15), datetime(2026, 6, 1, 12, tzinfo=UTC)),
        ("Pacific/Apia", time(0, 0), datetime(2026, 6, 1, 12, tzinfo=UTC)),
    ],
)
async def test_every_local_date_has_one_digest_over_odd_nights_and_half_hours(
    channel: Channel, zone: str, at: time, begin: datetime
) -> None:
    channel.clock.moment = begin
    await channel.order(at=at, zone=zone)
    await channel.live(days=5)
    first = channel.dates[0]
    assert channel.dates == [first + timedelta(days=n) for n in range(5)]
    assert all(part.digest.days == (part.digest.slot.local_date,) for part in channel.messages)
    await channel.settle()


async def test_ten_days_off_become_one_post_that_names_its_days(channel: Channel) -> None:
    await channel.order(days=WEEKDAYS)
    await channel.live(days=1)
    before = len(channel.dates)
    for _ in range(3):
        channel.clock.advance(days=3, hours=8)
        await channel.paper()
    for _ in range(3):
        await channel.look()
    assert len(channel.dates) == before + 1
    days = channel.messages[-1].digest.days
    assert [day.day for day in days] == [2, 3, 4, 5, 8, 9, 10, 11]
    await channel.settle()


@pytest.mark.parametrize("sending", [False, True])
async def test_a_slot_that_was_planned_before_the_days_off_folds_into_the_one_post(
    channel: Channel, sending: bool
) -> None:
    await channel.order()
    await channel.paper()
    channel.clock.advance(hours=1)
    # Refused when it is looked at, or when it is sent.
    channel.failing = {3: 403} if sending else {1: 403}
    await channel.look()
    slot = await channel.services.library.store.read(digest_rows.open_slot, 1)
    assert slot is not None
    assert (slot.state.value == "sending") is sending
    assert channel.messages == []
    channel.clock.advance(days=10)
    await channel.paper()
    for _ in range(3):
        await channel.look()
    assert channel.dates == [date(2026, 6, 11)]
    assert sorted(channel.papers) == [1, 2]
    await channel.settle()


async def test_a_digest_that_is_paused_before_it_was_sent_waits(channel: Channel) -> None:
    number = await channel.order()
    await channel.paper()
    channel.clock.advance(hours=1)
    channel.failing = {1: 403}
    await channel.look()
    await channel.services.digests.pause(SERVER, number, paused=True)
    await channel.live(days=2)
    assert channel.messages == []
    await channel.services.digests.pause(SERVER, number, paused=False)
    await channel.look()
    assert channel.dates == [date(2026, 6, 3)]
    await channel.settle()


async def test_a_message_is_found_again_among_thousands_whatever_the_clock_says(
    channel: Channel,
) -> None:
    await channel.order()
    await channel.paper()
    channel.chatter = 5_000
    channel.clock.advance(hours=1, days=365)
    channel.faults = {1: "lost"}
    await channel.look()
    slot = await channel.services.library.store.read(digest_rows.open_slot, 1)
    assert slot is not None
    assert slot.anchor == 5_000
    channel.chatter = 9_000
    channel.clock.advance(days=-365)
    await channel.look()
    assert len(channel.messages) == 1
    await channel.settle()
