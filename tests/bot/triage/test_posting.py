"""A digest is posted once: over crashes, lost answers, refusals, and days off."""

from __future__ import annotations

import asyncio
import json
from datetime import date, time, timedelta
from typing import TYPE_CHECKING

import pytest

from bot.triage.digest import PAPERS_PER_MESSAGE
from bot.triage.errors import Refused
from bot.triage.ingest import ListingInput
from bot.triage.posting import Posting
from bot.triage.schedule import EVERY_DAY, WEEKDAYS
from data.records import PaperRecord
from data.store import recording
from data.store.digests import DigestFilter, SubscriptionOrder
from data.store.recording import Provenance
from tests.bot.triage.channel import FakeChannel, ProcessKilledError
from tests.bot.triage.conftest import ADA, OTHER_SERVER, PAPERS, SERVER

if TYPE_CHECKING:
    from collections.abc import Collection

    from bot.triage.services import Services
    from tests.conftest import HandClock

CHANNEL = 500


def order(**parts: object) -> SubscriptionOrder:
    fields: dict[str, object] = {
        "channel_id": CHANNEL,
        "at": time(9),
        "zone": "UTC",
        "days": EVERY_DAY,
        "filter": DigestFilter(),
        "maximum": 60,
    }
    return SubscriptionOrder(**(fields | parts))  # type: ignore[arg-type]


def posting(services: Services, channel: FakeChannel) -> Posting:
    return Posting(services.library.store, services.digests, channel, services.clock)


async def add_papers(services: Services, names: Collection[str]) -> None:
    records = [
        {"title": f"On {name}", "abstract": f"{PAPERS[0]} This one is about {name}."}
        for name in names
    ]
    text = "\n".join(map(json.dumps, records))
    await services.ingest.run([ListingInput("papers.jsonl", text.encode())])


async def subscribed(services: Services, clock: HandClock, papers: int, **parts: object) -> int:
    """A subscription of this morning, and papers that came since; the slot at 9 is due."""
    made = await services.digests.subscribe(SERVER, ADA.id, order(**parts))
    await add_papers(services, [f"animal {number}" for number in range(papers)])
    clock.advance(hours=1)
    return made.id


async def test_what_is_new_is_posted_when_it_is_due_and_not_again(
    services: Services, clock: HandClock
) -> None:
    channel = FakeChannel()
    await services.digests.subscribe(SERVER, ADA.id, order())
    await add_papers(services, ["otters"])
    clock.advance(minutes=59)
    await posting(services, channel).run_due()
    assert channel.messages == []
    clock.advance(minutes=1)
    await posting(services, channel).run_due()
    assert channel.papers == [1]
    for _ in range(3):
        clock.advance(minutes=1)
        await posting(services, channel).run_due()
    assert channel.papers == [1]


async def test_the_next_day_holds_only_what_came_since(
    services: Services, clock: HandClock
) -> None:
    channel = FakeChannel()
    await subscribed(services, clock, 2)
    await posting(services, channel).run_due()
    await add_papers(services, ["herons"])
    clock.advance(days=1)
    await posting(services, channel).run_due()
    assert channel.papers == [1, 2, 3]
    assert channel.messages[-1].digest.days == (date(2026, 6, 2),)


async def test_a_day_with_nothing_new_says_so(services: Services, clock: HandClock) -> None:
    channel = FakeChannel()
    await subscribed(services, clock, 0)
    await posting(services, channel).run_due()
    assert [(part.items, part.digest.slot.total) for part in channel.messages] == [((), 0)]


async def test_days_off_become_one_post_that_names_them(
    services: Services, clock: HandClock
) -> None:
    channel = FakeChannel()
    await subscribed(services, clock, 1, days=WEEKDAYS)
    await posting(services, channel).run_due()
    await add_papers(services, ["herons", "storks"])
    clock.advance(days=9)
    await posting(services, channel).run_due()
    last = channel.messages[-1].digest
    assert len(channel.messages) == 2
    assert channel.papers == [1, 2, 3]
    assert [day.day for day in last.days] == [2, 3, 4, 5, 8, 9, 10]


@pytest.mark.parametrize("fault", ["before", "after", "lost"])
@pytest.mark.parametrize("at", [1, 2, 3])
async def test_a_failure_at_any_message_loses_and_doubles_nothing(
    services: Services, clock: HandClock, fault: str, at: int
) -> None:
    channel = FakeChannel(faults={at: fault})
    await subscribed(services, clock, 3 * PAPERS_PER_MESSAGE)
    try:
        await posting(services, channel).run_due()
    except ProcessKilledError:
        await add_papers(services, ["a latecomer"])
    clock.advance(minutes=1)
    await posting(services, channel).run_due()
    assert sorted(channel.papers) == list(range(1, 3 * PAPERS_PER_MESSAGE + 1))
    assert [part.key for part in channel.messages] == [f"1-20260601-{n}" for n in range(3)]


async def test_a_channel_that_refuses_keeps_its_papers_and_the_admins_hear_once(
    services: Services, clock: HandClock
) -> None:
    channel = FakeChannel(closed="Grant me Send Messages in #papers.")
    number = await subscribed(services, clock, 2)
    for _ in range(3):
        await posting(services, channel).run_due()
        clock.advance(minutes=1)
    assert channel.told == ["Grant me Send Messages in #papers."]
    assert (await services.digests.subscription(SERVER, number)).problem == channel.told[0]
    channel.closed = ""
    await posting(services, channel).run_due()
    assert channel.papers == [1, 2]
    assert (await services.digests.subscription(SERVER, number)).problem is None


async def test_a_channel_that_fails_never_stops_the_others(
    services: Services, clock: HandClock
) -> None:
    channel = FakeChannel(faults={1: "forbidden"})
    await subscribed(services, clock, 1)
    clock.advance(hours=-1)
    await services.digests.subscribe(OTHER_SERVER, ADA.id, order())
    clock.advance(hours=1)
    assert await posting(services, channel).run_due() == 1
    assert [part.digest.subscription.guild_id for part in channel.messages] == [OTHER_SERVER]


async def test_a_paper_posted_for_one_subscription_is_still_new_to_another(
    services: Services, clock: HandClock
) -> None:
    channel = FakeChannel()
    await services.digests.subscribe(SERVER, ADA.id, order())
    await services.digests.subscribe(SERVER, ADA.id, order(filter=DigestFilter(query="otters")))
    await add_papers(services, ["otters"])
    clock.advance(hours=1)
    await posting(services, channel).run_due()
    assert channel.papers == [1, 1]


async def test_filters_let_through_what_they_name(services: Services, clock: HandClock) -> None:
    channel = FakeChannel()
    theory = order(filter=DigestFilter(tags=("theory",)))
    await services.digests.subscribe(SERVER, ADA.id, theory)
    text = "Saved page\n\n" + "\n\n".join(PAPERS)
    await services.ingest.run([ListingInput("three.txt", text.encode())])
    await services.tagging.correct(SERVER, ADA, 1, "methods")
    await services.tagging.correct(SERVER, ADA, 2, "theory")
    clock.advance(hours=1)
    await posting(services, channel).run_due()
    assert channel.papers == [2]


async def test_a_paper_that_is_not_tagged_yet_is_tagged_before_a_filter_asks(
    services: Services, clock: HandClock
) -> None:
    channel = FakeChannel()
    wanted = DigestFilter(tags=("position", "theory", "methods"))
    await services.digests.subscribe(SERVER, ADA.id, order(filter=wanted))
    record = PaperRecord(position="1", title="On Bandits", abstract=PAPERS[1])
    provenance = Provenance("feed", "feed.xml", clock.now())
    await services.library.store.write(recording.store_record, record, provenance)
    clock.advance(hours=1)
    await posting(services, channel).run_due()
    assert channel.papers == [1]


async def test_a_query_lets_through_papers_that_have_all_of_its_words(
    services: Services, clock: HandClock
) -> None:
    channel = FakeChannel()
    wanted = DigestFilter(query="the pruning of otters")
    await services.digests.subscribe(SERVER, ADA.id, order(filter=wanted))
    await add_papers(services, ["otters", "herons"])
    clock.advance(hours=1)
    await posting(services, channel).run_due()
    assert channel.papers == [1]


async def test_a_long_day_is_cut_and_the_rest_can_be_listed(
    services: Services, clock: HandClock
) -> None:
    channel = FakeChannel()
    number = await subscribed(services, clock, 10, maximum=4)
    await posting(services, channel).run_due()
    digest = channel.messages[0].digest
    assert (len(channel.papers), digest.slot.total, digest.hidden) == (4, 10, 6)
    rest = await services.digests.hidden(SERVER, number, date(2026, 6, 1))
    assert {view.paper.id for view in rest}.isdisjoint(channel.papers)
    assert len(rest) == 6
    clock.advance(days=1)
    await posting(services, channel).run_due()
    assert len(channel.papers) == 4


async def test_a_paused_digest_waits_and_a_removed_one_ends(
    services: Services, clock: HandClock
) -> None:
    channel = FakeChannel()
    number = await subscribed(services, clock, 1)
    await services.digests.pause(SERVER, number, paused=True)
    await posting(services, channel).run_due()
    assert channel.messages == []
    await services.digests.pause(SERVER, number, paused=False)
    await posting(services, channel).run_due()
    assert channel.papers == [1]
    await services.digests.remove(SERVER, number)
    clock.advance(days=1)
    await posting(services, channel).run_due()
    assert channel.papers == [1]
    with pytest.raises(Refused, match="no digest number"):
        await services.digests.subscription(SERVER, number)


async def test_the_preview_is_what_will_be_posted(services: Services, clock: HandClock) -> None:
    channel = FakeChannel()
    await subscribed(services, clock, 8)
    preview = (await services.digests.preview(SERVER, CHANNEL))[0]
    await posting(services, channel).run_due()
    expected = [item.view.paper.id for part in preview.parts() for item in part.items]
    assert channel.papers == expected
    with pytest.raises(Refused, match="no digest yet"):
        await services.digests.preview(SERVER, CHANNEL + 1)


async def test_two_ticks_at_once_post_once(services: Services, clock: HandClock) -> None:
    channel = FakeChannel()
    await subscribed(services, clock, 3)
    same = posting(services, channel)
    await asyncio.gather(*(same.run_due() for _ in range(5)))
    assert channel.papers == [1, 2, 3]


async def test_a_listing_that_is_being_read_at_the_slot_comes_the_next_day(
    services: Services, clock: HandClock
) -> None:
    """Its papers carry a time before the slot but were not there when the slot was planned."""
    channel = FakeChannel()
    await subscribed(services, clock, 1)
    await posting(services, channel).run_due()
    clock.moment -= timedelta(minutes=30)
    await add_papers(services, ["an early bird"])
    clock.advance(days=1, minutes=30)
    await posting(services, channel).run_due()
    assert channel.papers == [1, 2]


async def test_the_receipt_counts_what_each_source_brought(
    services: Services, clock: HandClock
) -> None:
    channel = FakeChannel()
    await subscribed(services, clock, 3, filter=DigestFilter(query='"animal 1"'))
    await posting(services, channel).run_due()
    coverage = channel.messages[-1].digest.coverage
    assert [(cover.new, cover.matched) for cover in coverage] == [(3, 1)]
