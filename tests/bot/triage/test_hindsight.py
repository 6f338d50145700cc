"""What filters hid: only papers that were news to a digest, and that no digest showed."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.triage.ingest import ListingInput
from data.store.sql import execute
from tests.bot.triage.channel import FakeChannel
from tests.bot.triage.conftest import ADA, SERVER
from tests.bot.triage.test_interest import order
from tests.bot.triage.test_posting import posting

if TYPE_CHECKING:
    from bot.triage.services import Services
    from tests.conftest import HandClock

POSITION = "This position paper argues that every reviewer should be named. We call for a change."


async def paper(services: Services, name: str, abstract: str = POSITION) -> int:
    """One more paper comes in, and ada votes for it; its number."""
    record = {"title": f"On {name}", "abstract": f"{abstract} It is about {name}."}
    await services.ingest.run([ListingInput("one.jsonl", json.dumps(record).encode())])
    number = (await services.library.find(f"On {name}")).id
    await services.voting.toggle(SERVER, ADA, number)
    return number


async def hidden(services: Services) -> list[tuple[int, int]]:
    """Each hidden paper with the digest that could have had it."""
    note = await services.hindsight.week(SERVER)
    return sorted((one.view.paper.id, one.change.subscription.id) for one in note.papers)


async def test_a_paper_that_is_older_than_every_digest_was_hidden_by_none(
    services: Services, clock: HandClock
) -> None:
    await paper(services, "old otters")
    clock.advance(days=2)
    await services.digests.subscribe(SERVER, ADA.id, order(tags=("theory",)))
    assert await hidden(services) == []
    new = await paper(services, "new otters")
    assert await hidden(services) == [(new, 1)]


async def test_the_change_is_of_a_digest_to_which_the_paper_was_news(
    services: Services, clock: HandClock
) -> None:
    """The later digest would need the smaller change, but began when the paper was old."""
    await services.digests.subscribe(SERVER, ADA.id, order(tags=("theory",)))
    old = await paper(services, "old otters")
    clock.advance(days=2)
    await services.digests.subscribe(SERVER, ADA.id, order(query="old otters unheard"))
    new = await paper(services, "new otters")
    assert await hidden(services) == [(old, 1), (new, 1)]


async def test_what_a_first_reading_learnt_is_hidden_by_no_filter(services: Services) -> None:
    await services.digests.subscribe(SERVER, ADA.id, order(tags=("theory",)))
    learnt = await paper(services, "otters")
    await services.library.store.write(execute, "UPDATE papers SET news = 0 WHERE id = ?", [learnt])
    assert await hidden(services) == []


async def test_a_paper_that_a_digest_showed_or_left_out_was_not_hidden_whatever_its_tag_became(
    services: Services, clock: HandClock
) -> None:
    made = order(tags=("position",))
    await services.digests.subscribe(SERVER, ADA.id, made)
    shown, left_out = await paper(services, "otters"), await paper(services, "herons")
    await services.library.store.write(execute, "UPDATE subscriptions SET maximum = 1")
    clock.advance(hours=1)
    await posting(services, FakeChannel()).run_due()
    digest = await services.digests.hidden(SERVER, 1, clock.now().date())
    assert len(digest) == 1
    for number in (shown, left_out):
        await services.tagging.correct(SERVER, ADA, number, "theory")
    assert await hidden(services) == []


async def test_a_paper_that_a_removed_digest_showed_was_not_hidden(
    services: Services, clock: HandClock
) -> None:
    first = await services.digests.subscribe(SERVER, ADA.id, order())
    await services.digests.subscribe(SERVER, ADA.id, order(channel=7, tags=("theory",)))
    await paper(services, "otters")
    clock.advance(hours=1)
    await posting(services, FakeChannel()).run_due()
    await services.digests.remove(SERVER, first.id)
    assert await hidden(services) == []


async def test_votes_of_the_seven_days_up_to_a_moment_count(
    services: Services, clock: HandClock
) -> None:
    await services.digests.subscribe(SERVER, ADA.id, order(tags=("theory",)))
    begin = clock.now()
    numbers: list[int] = []
    for name in ("otters", "herons", "storks"):
        numbers.append(await paper(services, name))
        clock.advance(days=4)
    for day, voted in ((0, numbers[:1]), (4, numbers[:2]), (7, numbers[:2]), (8, numbers[1:])):
        note = await services.hindsight.week(SERVER, begin + timedelta(days=day))
        assert sorted(one.view.paper.id for one in note.papers) == voted
