"""A server's digest is in the order that its own votes taught, and says so; or newest first."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import time, timedelta
from typing import TYPE_CHECKING

import pytest

from bot.triage.digests import Digests
from bot.triage.filtering import query_scores
from bot.triage.hindsight import Hindsight, WeeklyNote
from bot.triage.ingest import ListingInput
from bot.triage.interest import Interests
from bot.triage.ranking import ROOM, VOTED_PAPERS_NEEDED, best_first, newest_first
from bot.triage.schedule import EVERY_DAY
from data.store import digests as digest_rows
from data.store import ledger
from data.store.digests import DigestFilter, SubscriptionOrder
from tests.bot.triage.conftest import ADA, BEN, OTHER_SERVER, SERVER

if TYPE_CHECKING:
    from bot.triage.library import Library
    from bot.triage.services import Services
    from data.store.connection import Store
    from tests.conftest import HandClock

CHANNEL = 500
BEES = "We propose a counter of bees at hives, which films the nectar flights of every bee colony."
SHIPS = "We propose a planner of ships in harbours, which gives each cargo crane its containers."


async def add(services: Services, kind: str, abstract: str, count: int, day: str) -> None:
    records = [
        {
            "title": f"{kind} number {number} of {day}",
            "abstract": f"{abstract} Variant {number} {day} runs at site {kind}{number}.",
            "announced": day,
        }
        for number in range(count)
    ]
    text = "\n".join(map(json.dumps, records))
    await services.ingest.run([ListingInput(f"{kind}{day}.jsonl", text.encode())])


async def numbers(services: Services, word: str) -> list[int]:
    found = await services.library.views(None, range(1, 200))
    return [view.paper.id for view in found if word in view.paper.title]


@pytest.fixture
async def voted(services: Services, clock: HandClock) -> Services:
    """Ten papers on bees and ten on ships; ada voted for six on ships, ben for one of them."""
    await add(services, "Bees", BEES, 10, "2026-05-28")
    await add(services, "Ships", SHIPS, 10, "2026-05-28")
    for number in (await numbers(services, "Ships"))[:6]:
        await services.voting.toggle(SERVER, ADA, number)
        clock.advance(seconds=5)
    await services.voting.toggle(SERVER, BEN, (await numbers(services, "Ships"))[0])
    await add(services, "Bees", BEES, 4, "2026-06-01")
    await add(services, "Ships", SHIPS, 4, "2026-06-01")
    return services


async def test_papers_like_those_voted_for_come_first_and_say_which(voted: Services) -> None:
    fresh = await voted.library.views(SERVER, range(21, 29))
    ordering = await voted.interests.order(SERVER, fresh)
    assert ordering.learnt_from == 6
    assert {view.paper.id for view in ordering.views} == set(range(21, 29))
    first = [view.paper.title.split()[0] for view in ordering.views[:4]]
    assert first == ["Ships"] * 4
    reason = ordering.reasons[ordering.views[0].paper.id]
    assert reason.title.startswith("Ships number")
    assert reason.votes in (1, 2)
    bees = set(await numbers(voted, "Bees"))
    assert not bees & ordering.reasons.keys()


async def test_another_server_sees_nothing_of_it(voted: Services) -> None:
    fresh = await voted.library.views(OTHER_SERVER, range(21, 29))
    await voted.interests.order(SERVER, fresh)
    ordering = await voted.interests.order(OTHER_SERVER, fresh)
    assert (ordering.learnt_from, ordering.voted, dict(ordering.reasons)) == (0, 0, {})
    assert list(ordering.views) == newest_first(fresh)


async def test_below_five_voted_papers_the_order_is_newest_first(services: Services) -> None:
    await add(services, "Ships", SHIPS, 6, "2026-05-28")
    await add(services, "Bees", BEES, 3, "2026-06-01")
    for number in range(1, VOTED_PAPERS_NEEDED):
        await services.voting.toggle(SERVER, ADA, number)
    ordering = await services.interests.order(
        SERVER, await services.library.views(SERVER, range(1, 10))
    )
    assert [view.paper.id for view in ordering.views] == [7, 8, 9, 1, 2, 3, 4, 5, 6]
    assert (ordering.learnt_from, ordering.voted) == (0, VOTED_PAPERS_NEEDED - 1)


async def test_a_digest_does_not_wait_for_a_model_that_takes_long(voted: Services) -> None:
    impatient = Interests(voted.library, patience=0)
    fresh = await voted.library.views(SERVER, range(21, 29))
    ordering = await impatient.order(SERVER, fresh)
    assert (ordering.learnt_from, ordering.voted) == (0, 6)
    assert list(ordering.views) == newest_first(fresh)
    await asyncio.gather(*impatient._learning.values())
    assert (await impatient.order(SERVER, fresh)).learnt_from == 6
    await impatient.close()


async def test_a_vote_that_is_taken_back_and_a_paper_that_is_dropped_teach_no_more(
    voted: Services, clock: HandClock
) -> None:
    fresh = await voted.library.views(SERVER, range(21, 29))
    ships = await numbers(voted, "Ships")
    clock.advance(minutes=1)
    await voted.voting.drop(SERVER, ADA, ships[1])
    assert (await voted.interests.order(SERVER, fresh)).learnt_from == 5
    await voted.voting.toggle(SERVER, ADA, ships[2])
    ordering = await voted.interests.order(SERVER, fresh)
    assert (ordering.learnt_from, ordering.voted) == (0, 4)


async def test_each_fifth_place_is_for_a_paper_of_the_lower_half(voted: Services) -> None:
    views = await voted.library.views(SERVER, range(1, 21))
    interest = {view.paper.id: float(20 - view.paper.id) for view in views}
    ordered = [view.paper.id for view in best_first(views, interest)]
    assert sorted(ordered) == list(range(1, 21))
    assert ordered[: ROOM - 1] == [1, 2, 3, 4]
    assert ordered[ROOM - 1] > 10
    assert ordered[ROOM : 2 * ROOM - 1] == [5, 6, 7, 8]


async def test_the_preview_gives_the_order_and_its_reasons(voted: Services) -> None:
    await voted.digests.subscribe(SERVER, ADA.id, order())
    await add(voted, "Bees", BEES, 2, "2026-06-02")
    await add(voted, "Ships", SHIPS, 2, "2026-06-02")
    (digest,) = await voted.digests.preview(SERVER, CHANNEL)
    titles = [item.view.paper.title.split()[0] for item in digest.items]
    assert titles[:2] == ["Ships", "Ships"]
    unvoted = next(item for item in digest.items if not item.view.voters)
    assert unvoted.reason is not None
    assert unvoted.reason.title.startswith("Ships")
    assert digest.ordering is not None
    assert digest.ordering.learnt_from == 6


def order(channel: int = CHANNEL, **parts: object) -> SubscriptionOrder:
    return SubscriptionOrder(
        channel_id=channel,
        at=time(9),
        zone="UTC",
        days=EVERY_DAY,
        filter=DigestFilter(**parts),  # type: ignore[arg-type]
        maximum=18,
    )


async def test_a_voted_paper_that_a_query_hid_comes_with_the_smallest_change(
    voted: Services,
) -> None:
    await voted.digests.subscribe(SERVER, ADA.id, order(query="ships unheard"))
    note = await voted.hindsight.week(SERVER)
    assert len(note.papers) == 6
    change = note.papers[0].change
    assert change.filter.query == "ships"
    assert change.words == "the query without “unheard”"
    assert change.others == 13


async def test_a_hidden_tag_is_named_and_what_a_digest_showed_is_not_hidden(
    voted: Services,
) -> None:
    await voted.digests.subscribe(SERVER, ADA.id, order(tags=("position",)))
    note = await voted.hindsight.week(SERVER)
    tag = note.papers[0].view.tag
    assert note.papers[0].change.words == f"also the tag {tag}"
    await voted.digests.subscribe(SERVER, ADA.id, order())
    assert await voted.hindsight.week(SERVER) == WeeklyNote((), 6)
    assert (await voted.hindsight.week(OTHER_SERVER)).papers == ()


async def test_a_digest_that_cannot_be_judged_is_newest_first(
    voted: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ValueError

    monkeypatch.setattr("bot.triage.interest._judge", broken)
    fresh = await voted.library.views(SERVER, range(21, 29))
    ordering = await voted.interests.order(SERVER, fresh)
    assert ordering.learnt_from == 0
    assert list(ordering.views) == newest_first(fresh)


async def test_the_note_searches_each_query_once(
    voted: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    await voted.digests.subscribe(SERVER, ADA.id, order(query="bees hives"))
    asked: list[str] = []

    async def counting(
        library: Library, guild_id: int, wanted: DigestFilter
    ) -> dict[int, float] | None:
        asked.append(wanted.query)
        return await query_scores(library, guild_id, wanted)

    monkeypatch.setattr("bot.triage.hindsight.query_scores", counting)
    note = await Hindsight(voted.library, voted.digests).week(SERVER)
    assert len(note.papers) == 6
    assert sorted(asked) == sorted({"bees hives", "bees", "hives", ""})


async def test_a_planned_digest_says_how_it_was_ordered_whatever_is_learnt_since(
    voted: Services, store: Store, clock: HandClock
) -> None:
    subscription = await voted.digests.subscribe(SERVER, ADA.id, order())
    await add(voted, "Bees", BEES, 2, "2026-06-02")
    await add(voted, "Ships", SHIPS, 2, "2026-06-02")
    day = clock.now().date() + timedelta(days=1)
    impatient = Digests(voted.library, voted.tagging, Interests(voted.library, patience=0))
    digest = await impatient.compose(subscription, day, clock.now())
    parts = [[item.view.paper.id for item in part.items] for part in digest.parts()]
    await store.write(ledger.plan_slot, digest.slot, parts, digest.left_out)
    slot = await store.read(digest_rows.slot_of, subscription.id, day)
    assert slot is not None
    again = await voted.digests.planned(subscription, slot)
    assert again.ordering is not None
    assert again.ordering.learnt_from == 0
    assert not any(item.reason for item in again.items)
    # A slot of before this was written down.
    again = await voted.digests.planned(subscription, replace(slot, learnt_from=None))
    assert again.ordering is not None
    assert again.ordering.learnt_from is None


async def test_no_reason_names_a_paper_that_was_dropped_since_it_was_learnt_from(
    voted: Services, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model is the one from before while the new one is not ready."""
    fresh = await voted.library.views(SERVER, range(21, 29))
    known = await voted.interests.order(SERVER, fresh)
    like = {reason.paper_id for reason in known.reasons.values()}
    for number in like:
        await voted.voting.drop(SERVER, ADA, number)
    for number in range(1, 6):
        await voted.voting.toggle(SERVER, ADA, number)
        clock.advance(seconds=5)

    async def never_ready(*_: object) -> None:
        await asyncio.sleep(0)

    monkeypatch.setattr(voted.interests, "_learn", never_ready)
    ordering = await voted.interests.order(SERVER, fresh)
    assert ordering.learnt_from == 6
    assert not like & {reason.paper_id for reason in ordering.reasons.values()}
