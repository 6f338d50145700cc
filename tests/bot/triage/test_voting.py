"""Votes and the queue, as several people use them at once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from bot.triage.errors import Refused
from data.store.servers import Member, QueueState
from tests.bot.triage.conftest import ADA, BEN, OTHER_SERVER, SERVER

if TYPE_CHECKING:
    from bot.triage.services import Services
    from tests.conftest import HandClock


async def test_a_vote_queues_the_paper_and_a_second_press_takes_it_back(
    three_papers: Services, clock: HandClock
) -> None:
    voting = three_papers.voting
    voted = await voting.toggle(SERVER, ADA, 1)
    assert (voted.voted, voted.place, voted.view.voters) == (True, 1, (ADA,))
    clock.advance(seconds=5)
    unvoted = await voting.toggle(SERVER, ADA, 1)
    assert (unvoted.voted, unvoted.place, unvoted.view.voters) == (False, None, ())
    assert (await voting.queue(SERVER)).items == ()


async def test_a_double_click_is_one_vote(three_papers: Services, clock: HandClock) -> None:
    await three_papers.voting.toggle(SERVER, ADA, 1)
    clock.advance(seconds=0.4)
    again = await three_papers.voting.toggle(SERVER, ADA, 1)
    assert (again.voted, again.view.voters) == (True, (ADA,))


async def test_people_who_vote_at_once_lose_nothing(three_papers: Services) -> None:
    people = [Member(number, f"member {number}") for number in range(1, 21)]
    await asyncio.gather(*(three_papers.voting.toggle(SERVER, who, 2) for who in people))
    view = await three_papers.library.view(SERVER, 2)
    assert {member.id for member in view.voters} == set(range(1, 21))


async def test_the_queue_is_by_votes_and_then_by_age(
    three_papers: Services, clock: HandClock
) -> None:
    for paper, member in ((1, ADA), (2, ADA), (3, ADA), (3, BEN)):
        await three_papers.voting.toggle(SERVER, member, paper)
        clock.advance(minutes=1)
    queue = await three_papers.voting.queue(SERVER)
    assert [item.entry.paper_id for item in queue.items] == [3, 1, 2]


async def test_servers_never_see_each_other(three_papers: Services) -> None:
    await three_papers.voting.toggle(SERVER, ADA, 1)
    await three_papers.tagging.correct(SERVER, ADA, 1, "theory")
    view = await three_papers.library.view(OTHER_SERVER, 1)
    assert view.voters == ()
    assert not view.corrected
    assert (await three_papers.voting.queue(OTHER_SERVER)).items == ()


async def test_of_two_who_claim_one_gets_it_and_one_is_told_who(three_papers: Services) -> None:
    await three_papers.voting.toggle(SERVER, ADA, 1)
    results = await asyncio.gather(
        three_papers.voting.claim(SERVER, ADA, 1),
        three_papers.voting.claim(SERVER, BEN, 1),
        return_exceptions=True,
    )
    refused = [result for result in results if isinstance(result, Refused)]
    assert len(refused) == 1
    assert "ada has claimed" in str(refused[0])


async def test_a_paper_goes_from_claim_to_discussed(three_papers: Services) -> None:
    voting = three_papers.voting
    await voting.toggle(SERVER, ADA, 1)
    assert (await voting.claim(SERVER, BEN, 1)).entry.reader == BEN
    assert (await voting.start(SERVER, BEN, 1)).entry.state is QueueState.READING
    done = await voting.done(SERVER, ADA, 1)
    assert (done.entry.state, done.entry.reader) == (QueueState.DISCUSSED, BEN)
    page = await voting.queue(SERVER)
    assert page.items == ()
    assert page.counts[QueueState.DISCUSSED] == 1


async def test_a_claimed_paper_stays_when_its_last_vote_goes(
    three_papers: Services, clock: HandClock
) -> None:
    await three_papers.voting.toggle(SERVER, ADA, 1)
    await three_papers.voting.claim(SERVER, BEN, 1)
    clock.advance(minutes=1)
    await three_papers.voting.toggle(SERVER, ADA, 1)
    assert [item.entry.reader for item in (await three_papers.voting.queue(SERVER)).items] == [BEN]


async def test_a_dropped_paper_comes_back_with_a_new_vote(
    three_papers: Services, clock: HandClock
) -> None:
    voting = three_papers.voting
    await voting.toggle(SERVER, ADA, 1)
    await voting.drop(SERVER, ADA, 1)
    assert (await voting.queue(SERVER)).items == ()
    clock.advance(days=1)
    await voting.toggle(SERVER, BEN, 1)
    assert [item.entry.paper_id for item in (await voting.queue(SERVER)).items] == [1]


async def test_what_cannot_be_done_is_said_with_what_to_do(three_papers: Services) -> None:
    voting = three_papers.voting
    with pytest.raises(Refused, match="not in the queue"):
        await voting.done(SERVER, ADA, 1)
    with pytest.raises(Refused, match="nothing to give back"):
        await voting.release(SERVER, ADA, 1)
    with pytest.raises(Refused, match="no paper #99"):
        await voting.claim(SERVER, ADA, 99)
    with pytest.raises(Refused, match="#99"):
        await voting.toggle(SERVER, ADA, 99)


async def test_a_reader_gives_a_paper_back_and_another_takes_it(three_papers: Services) -> None:
    voting = three_papers.voting
    await voting.claim(SERVER, ADA, 1)
    with pytest.raises(Refused, match="only they"):
        await voting.release(SERVER, BEN, 1)
    await voting.release(SERVER, ADA, 1)
    assert (await voting.claim(SERVER, BEN, 1)).entry.reader == BEN


async def test_votes_and_places_are_there_after_a_restart(
    three_papers: Services, clock: HandClock
) -> None:
    from data.store.connection import Store
    from data.store.servers import queue_entries

    await three_papers.voting.toggle(SERVER, ADA, 2)
    again = Store(three_papers.library.store.path)
    await again.open()
    entries = await again.read(queue_entries, SERVER)
    await again.close()
    assert [(entry.paper_id, entry.voters) for entry in entries] == [(2, (ADA,))]


async def test_the_story_tells_who_did_what(three_papers: Services, clock: HandClock) -> None:
    await three_papers.voting.toggle(SERVER, ADA, 1)
    await three_papers.voting.claim(SERVER, BEN, 1)
    await three_papers.tagging.correct(SERVER, BEN, 1, "theory")
    story = await three_papers.cards.story(SERVER, 1)
    assert [(event.member.name, event.event) for event in story.events] == [
        ("ada", "voted"),
        ("ben", "claimed"),
    ]
    assert [correction.tag for correction in story.card.corrections] == ["theory"]
    assert story.card.sightings[0].listing == "three.txt"
    assert story.card.view.paper.judgement is not None
    assert story.card.view.paper.judgement.reasons
