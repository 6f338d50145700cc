"""A draft knows what thirty days would have brought, and becomes one order, however often saved."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import date, time, timedelta
from typing import TYPE_CHECKING

import pytest

from bot.triage.errors import Refused
from bot.triage.ingest import ListingInput
from bot.triage.posting import Posting
from bot.triage.schedule import EVERY_DAY, WEEKDAYS
from bot.triage.subscribing import MOST_IN_CHANNEL, MOST_IN_SERVER, History, HistoryDay
from data.store.digests import DigestFilter, SubscriptionOrder
from data.store.sql import execute
from tests.bot.triage.channel import FakeChannel
from tests.bot.triage.conftest import ADA, BEN, OTHER_SERVER, SERVER

if TYPE_CHECKING:
    from bot.triage.services import Services
    from tests.conftest import HandClock

MONDAY = date(2026, 6, 1)
TWO = (ADA, BEN)


def order(**changes: object) -> SubscriptionOrder:
    made = SubscriptionOrder(500, time(7), "UTC", EVERY_DAY, DigestFilter(), maximum=18)
    return replace(made, **changes)  # type: ignore[arg-type]


async def announce(services: Services, day: date | None, *titles: str) -> None:
    records = [
        {
            "title": title,
            "abstract": f"We propose a method on {title}, and study how it works out in the field.",
            "authors": ["Ada Lind"],
            "topics": ["Birds" if "heron" in title else "Beasts"],
            **({"announced": day.isoformat()} if day else {}),
        }
        for title in titles
    ]
    listing = "\n".join(json.dumps(record) for record in records).encode()
    report = await services.ingest.run([ListingInput(f"{titles[0]}.jsonl", listing)])
    assert report.total("new") == len(titles)


def matched(history: History) -> dict[date, int]:
    return {day.day: day.matched for day in history.days if day.matched}


async def test_papers_count_on_the_day_they_were_announced(services: Services) -> None:
    await announce(services, MONDAY - timedelta(days=3), "otters at dawn", "herons at noon")
    await announce(services, MONDAY - timedelta(days=29), "otters in May")
    await announce(services, MONDAY - timedelta(days=40), "otters of long ago")
    history = await services.subscribing.history(SERVER, order())
    assert [day.day for day in history.days] == [
        MONDAY - timedelta(days=back) for back in range(29, -1, -1)
    ]
    assert matched(history) == {
        MONDAY - timedelta(days=3): 2,
        MONDAY - timedelta(days=29): 1,
    }
    assert history.candidates == 3


async def test_a_paper_of_a_day_off_comes_on_the_next_day_that_is_due(services: Services) -> None:
    saturday = MONDAY - timedelta(days=2)
    await announce(services, saturday, "otters on a Saturday")
    history = await services.subscribing.history(SERVER, order(days=WEEKDAYS))
    assert matched(history) == {MONDAY: 1}
    assert not next(day for day in history.days if day.day == saturday).due


async def test_a_paper_that_nobody_announced_counts_when_it_was_seen(
    services: Services, clock: HandClock
) -> None:
    await announce(services, None, "otters")
    assert matched(await services.subscribing.history(SERVER, order())) == {}
    clock.advance(days=1)
    assert matched(await services.subscribing.history(SERVER, order())) == {
        MONDAY + timedelta(days=1): 1
    }


async def test_what_came_after_the_last_slot_would_be_in_the_next_digest_and_is(
    services: Services, clock: HandClock
) -> None:
    wanted = order(filter=DigestFilter(topics=("birds",)))
    await announce(services, None, "otters", "herons", "white herons")
    history = await services.subscribing.history(SERVER, wanted)
    assert (history.candidates, history.since, history.coming, history.learnt) == (0, 3, 2, 0)
    made = await services.digests.subscribe(SERVER, ADA.id, wanted)
    again = await services.subscribing.history(SERVER, wanted, made.id)
    assert replace(again, days=()) == replace(history, days=())
    (digest,) = await services.digests.preview(SERVER, wanted.channel_id)
    assert digest.slot.total == history.coming
    clock.advance(days=1)
    await Posting(services.library.store, services.digests, FakeChannel(), clock).run_due()
    await announce(services, None, "storks", "grey herons")
    later = await services.subscribing.history(SERVER, wanted, made.id)
    assert (later.candidates, later.since, later.coming, later.learnt) == (3, 2, 1, 0)


async def test_what_a_first_reading_learnt_since_the_last_slot_is_in_no_next_digest(
    services: Services,
) -> None:
    await announce(services, None, "otters", "herons")
    await services.library.store.write(execute, "UPDATE papers SET news = 0")
    history = await services.subscribing.history(SERVER, order())
    assert (history.candidates, history.since, history.coming, history.learnt) == (0, 0, 0, 2)


async def test_a_filter_lets_through_as_many_as_it_would_have(services: Services) -> None:
    await announce(services, MONDAY, "otters", "herons", "white herons", "storks")
    history = services.subscribing.history
    for wanted, number in (
        (DigestFilter(query="herons"), 2),
        (DigestFilter(query="herons -white"), 1),
        (DigestFilter(query="otters OR storks"), 2),
        (DigestFilter(topics=("birds",)), 2),
        (DigestFilter(tags=("position",)), 0),
        (DigestFilter(topics=("birds",), query="otters"), 0),
    ):
        assert sum(matched(await history(SERVER, order(filter=wanted))).values()) == number
    await services.tagging.correct(SERVER, ADA, 1, "position")
    corrected = order(filter=DigestFilter(tags=("position",)))
    assert matched(await history(SERVER, corrected)) == {MONDAY: 1}
    assert matched(await history(OTHER_SERVER, corrected)) == {}


def test_the_numbers_of_a_history() -> None:
    counts = [None, 0, 3, 20, 5]
    days = tuple(
        HistoryDay(MONDAY + timedelta(days=n), due=count is not None, matched=count or 0)
        for n, count in enumerate(counts)
    )
    history = History(days, maximum=10, candidates=40)
    assert history.posted == (0, 3, 10, 5)
    assert (history.least, history.median, history.most) == (0, 4.0, 10)
    assert (history.cut, history.days_cut, history.quiet) == (10, 1, 1)
    nothing = History((), maximum=10, candidates=0)
    assert (nothing.least, nothing.median, nothing.most) == (0, 0.0, 0)


async def test_the_history_is_what_is_posted_when_the_days_come(
    services: Services, clock: HandClock
) -> None:
    wanted = order(at=time(9), maximum=3, filter=DigestFilter(query="otters"))
    made = await services.digests.subscribe(SERVER, ADA.id, wanted)
    channel = FakeChannel()
    posting = Posting(services.library.store, services.digests, channel, clock)
    for day, number in enumerate((2, 0, 5, 1)):
        names = [f"otters {day} {n}" for n in range(number)] + [f"herons {day}"]
        await announce(services, MONDAY + timedelta(days=day), *names)
        clock.advance(hours=2)
        await posting.run_due()
        clock.advance(hours=22)
    history = await services.subscribing.history(SERVER, made.order)
    posted = [len(part.items) for part in channel.messages]
    assert posted == [2, 0, 3, 1]
    assert list(history.posted[-4:]) == posted


async def test_a_draft_is_saved_once_however_often(services: Services) -> None:
    draft = (await services.subscribing.draft(SERVER, ADA.id, order())).draft
    saved = {(await services.subscribing.save(SERVER, ADA.id, draft.key)).id for _ in range(3)}
    assert len(saved) == 1
    assert len(await services.digests.subscriptions(SERVER)) == 1
    with pytest.raises(Refused, match="is saved"):
        await services.subscribing.change(SERVER, ADA.id, draft.key, order(maximum=3))


async def test_of_two_members_who_order_the_same_at_once_one_is_told_that_it_stands(
    services: Services,
) -> None:
    drafts = [(await services.subscribing.draft(SERVER, who.id, order())).draft for who in TWO]
    saved = await asyncio.gather(
        *(services.subscribing.save(SERVER, one.user_id, one.key) for one in drafts),
        return_exceptions=True,
    )
    assert sorted(type(one).__name__ for one in saved) == ["Refused", "Subscription"]
    assert len(await services.digests.subscriptions(SERVER)) == 1


async def test_of_two_members_who_order_the_last_digest_of_a_channel_at_once_one_is_refused(
    services: Services,
) -> None:
    for number in range(MOST_IN_CHANNEL - 1):
        await services.digests.subscribe(SERVER, ADA.id, order(maximum=1 + number))
    drafts = [
        (await services.subscribing.draft(SERVER, who.id, order(maximum=50 + who.id))).draft
        for who in TWO
    ]
    await asyncio.gather(
        *(services.subscribing.save(SERVER, one.user_id, one.key) for one in drafts),
        return_exceptions=True,
    )
    assert len(await services.digests.subscriptions(SERVER)) == MOST_IN_CHANNEL


async def test_an_edit_that_was_begun_before_another_was_saved_does_not_undo_that(
    services: Services,
) -> None:
    made = await services.digests.subscribe(SERVER, ADA.id, order())
    subscribing = services.subscribing
    later, fewer = order(at=time(17)), order(maximum=3)
    first = (await subscribing.draft(SERVER, ADA.id, later, edits=made.id)).draft
    second = (await subscribing.draft(SERVER, BEN.id, fewer, edits=made.id)).draft
    third = (await subscribing.draft(SERVER, BEN.id, later, edits=made.id)).draft
    await subscribing.save(SERVER, ADA.id, first.key)
    with pytest.raises(Refused, match="Digest 1 was changed while this draft was open"):
        await subscribing.save(SERVER, BEN.id, second.key)
    assert (await services.digests.subscription(SERVER, made.id)).order == later
    # Who wants the same has it; who looks at the draft again sees both, and may save.
    await subscribing.save(SERVER, BEN.id, third.key)
    seen = await subscribing.change(SERVER, BEN.id, second.key, fewer)
    assert seen.was == later
    await subscribing.save(SERVER, BEN.id, second.key)
    assert (await services.digests.subscription(SERVER, made.id)).order == fewer


async def test_an_edit_of_a_digest_that_was_removed_meanwhile_is_refused(
    services: Services,
) -> None:
    made = await services.digests.subscribe(SERVER, ADA.id, order())
    draft = (
        await services.subscribing.draft(SERVER, BEN.id, order(maximum=3), edits=made.id)
    ).draft
    await services.digests.remove(SERVER, made.id)
    with pytest.raises(Refused, match="no digest number 1"):
        await services.subscribing.save(SERVER, BEN.id, draft.key)


async def test_a_draft_belongs_to_its_member_and_server(services: Services) -> None:
    draft = (await services.subscribing.draft(SERVER, ADA.id, order())).draft
    for server, member in ((SERVER, BEN.id), (OTHER_SERVER, ADA.id)):
        with pytest.raises(Refused, match="don't remember"):
            await services.subscribing.save(server, member, draft.key)
    await services.subscribing.cancel(SERVER, ADA.id, draft.key)
    with pytest.raises(Refused, match="don't remember"):
        await services.subscribing.save(SERVER, ADA.id, draft.key)


async def test_drafts_of_long_ago_are_forgotten(services: Services, clock: HandClock) -> None:
    draft = (await services.subscribing.draft(SERVER, ADA.id, order())).draft
    clock.advance(days=8)
    await services.subscribing.draft(SERVER, ADA.id, order(maximum=3))
    with pytest.raises(Refused, match="don't remember"):
        await services.subscribing.save(SERVER, ADA.id, draft.key)


async def test_a_saved_order_begins_as_one_made_the_day_before(
    services: Services, clock: HandClock
) -> None:
    await announce(services, MONDAY, "otters")
    draft = (await services.subscribing.draft(SERVER, ADA.id, order(at=time(9)))).draft
    await services.subscribing.save(SERVER, ADA.id, draft.key)
    channel = FakeChannel()
    clock.advance(hours=1)
    await Posting(services.library.store, services.digests, channel, clock).run_due()
    assert channel.papers == [1]


async def test_a_new_hour_posts_nothing_for_the_hour_that_is_over(
    services: Services, clock: HandClock
) -> None:
    made = await services.digests.subscribe(SERVER, ADA.id, order(at=time(17)))
    await announce(services, MONDAY, "otters")
    clock.advance(hours=2)
    draft = await services.subscribing.draft(
        SERVER, ADA.id, replace(made.order, at=time(9)), edits=made.id
    )
    await services.subscribing.save(SERVER, ADA.id, draft.draft.key)
    channel = FakeChannel()
    posting = Posting(services.library.store, services.digests, channel, clock)
    await posting.run_due()
    assert channel.messages == []
    clock.advance(hours=23)
    await posting.run_due()
    assert channel.papers == [1]


async def test_a_new_filter_leaves_the_hour_and_what_was_posted_as_they_are(
    services: Services, clock: HandClock
) -> None:
    made = await services.digests.subscribe(SERVER, ADA.id, order(at=time(9), maximum=1))
    await announce(services, MONDAY, "otters", "herons")
    clock.advance(hours=1)
    channel = FakeChannel()
    posting = Posting(services.library.store, services.digests, channel, clock)
    await posting.run_due()
    changed = replace(made.order, maximum=5)
    draft = await services.subscribing.draft(SERVER, ADA.id, changed, edits=made.id)
    assert draft.before is not None
    await services.subscribing.save(SERVER, ADA.id, draft.draft.key)
    await posting.run_due()
    assert len(channel.messages) == 1
    [saved] = await services.digests.subscriptions(SERVER)
    assert (saved.id, saved.order, saved.timed_at) == (made.id, changed, made.timed_at)


async def test_a_channel_and_a_server_bear_so_many_digests(services: Services) -> None:
    for number in range(MOST_IN_SERVER):
        channel = 500 + number // MOST_IN_CHANNEL
        await services.digests.subscribe(
            SERVER, ADA.id, order(channel_id=channel, maximum=1 + number % MOST_IN_CHANNEL)
        )
        if number == MOST_IN_CHANNEL - 1:
            with pytest.raises(Refused, match="That channel has 10 digests"):
                await services.subscribing.draft(SERVER, ADA.id, order())
    with pytest.raises(Refused, match="This server has 50 digests"):
        await services.subscribing.draft(SERVER, ADA.id, order(channel_id=900))
    await services.subscribing.draft(OTHER_SERVER, ADA.id, order())
    changed = order(channel_id=504, maximum=30)
    await services.subscribing.draft(SERVER, ADA.id, changed, edits=MOST_IN_SERVER)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"days": frozenset()}, "at least one day"),
        ({"maximum": 0}, "between 1 and 60"),
        ({"filter": DigestFilter(query="x" * 301)}, "at most 300 characters"),
    ],
)
async def test_an_order_that_could_never_stand_is_refused(
    services: Services, changes: dict[str, object], sentence: str
) -> None:
    with pytest.raises(Refused, match=sentence):
        await services.subscribing.draft(SERVER, ADA.id, order(**changes))


async def test_a_query_is_read_back_with_what_is_not_understood(services: Services) -> None:
    await announce(services, MONDAY, "otters")
    wanted = DigestFilter(query='title:otters (herons "')
    drafted = await services.subscribing.draft(SERVER, ADA.id, order(filter=wanted))
    assert "otters" in drafted.read_as
    assert drafted.notes
