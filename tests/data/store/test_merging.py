"""Joining papers that are one work, and taking them apart again with nothing lost."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlite_utils import Database

from data.records import Identifiers, PaperRecord
from data.store import corrections, digests, ledger, merging, papers, recording, servers
from data.store.connection import Store
from data.store.digests import DigestFilter, Slot, SlotState, SubscriptionOrder
from data.store.migrations import MIGRATIONS
from data.store.recording import Provenance
from data.store.servers import Member, QueueState

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 6, 1, 8, tzinfo=UTC)
SERVER = 100
ADA, BEN = Member(1, "ada"), Member(2, "ben")
ONE = PaperRecord(
    position="1",
    title="On Otters",
    abstract="Otters are studied in nine rivers, and we show that they prefer the clear ones. " * 2,
    authors=("Ada Lutra",),
    identifiers=Identifiers(arxiv="2606.00001"),
)
TWO = replace(
    ONE,
    title="Otters, Revisited",
    abstract="Rivers are described by their clearness in a model of nine parameters. " * 3,
    identifiers=Identifiers(doi="10.1000/2"),
    venue="A Journal",
    topics=("Rivers",),
)


@pytest.fixture
async def two(store: Store) -> Store:
    """A library of two papers, #1 and #2, of which each has a vote."""
    for record in (ONE, TWO):
        provenance = Provenance("feed", "feed.xml", NOW)
        await store.write(recording.store_record, record, provenance)
    await vote(store, 1, ADA)
    await vote(store, 2, BEN)
    return store


async def vote(store: Store, paper: int, who: Member, after: int = 0) -> bool:
    return await store.write(
        servers.toggle_vote,
        SERVER,
        paper,
        who,
        now=NOW + timedelta(minutes=after),
        double_click=timedelta(seconds=1),
    )


async def join(store: Store, one: int, other: int) -> int:
    return await store.write(merging.merge, one, other, reason="by hand", by="ada", now=NOW)


async def part(store: Store, paper: int) -> int | None:
    return await store.write(merging.split, paper, by="ada", now=NOW)


async def beside(store: Store, paper: int) -> list[int]:
    return [link.paper_id for link in await store.read(merging.related, paper)]


async def voters(store: Store, paper: int) -> list[str]:
    found = await store.read(servers.voters, SERVER, [paper])
    return [member.name for member in found[paper]]


async def test_the_older_number_stands_for_both_with_all_they_know(two: Store) -> None:
    assert await join(two, 2, 1) == 1
    found = await two.read(papers.load_papers, [1, 2])
    assert list(found) == [1]
    assert found[1].title == "On Otters"
    assert found[1].venue == "A Journal"
    assert found[1].topics == ("Rivers",)
    assert found[1].identifiers == Identifiers(arxiv="2606.00001", doi="10.1000/2")
    assert await two.read(papers.resolve, 2) == 1
    assert len(await two.read(papers.sightings_of, 1)) == 2


async def test_votes_of_both_count_once_a_member(two: Store) -> None:
    await vote(two, 2, ADA, after=1)
    await join(two, 1, 2)
    assert await voters(two, 1) == ["ada", "ben"]
    entries = await two.read(servers.queue_entries, SERVER)
    assert [(entry.paper_id, entry.votes) for entry in entries] == [(1, 2)]


async def test_taking_a_vote_back_takes_it_from_both(two: Store) -> None:
    await vote(two, 2, ADA, after=1)
    await join(two, 1, 2)
    assert await vote(two, 1, ADA, after=2) is False
    assert await voters(two, 1) == ["ben"]


async def test_a_split_gives_each_its_own_back(two: Store) -> None:
    await join(two, 1, 2)
    await vote(two, 1, Member(3, "cy"), after=5)
    assert await part(two, 1) == 2
    assert await voters(two, 1) == ["ada", "cy"]
    assert await voters(two, 2) == ["ben"]
    found = await two.read(papers.load_papers, [1, 2])
    assert [paper.title for paper in found.values()] == ["On Otters", "Otters, Revisited"]
    assert found[1].identifiers == Identifiers(arxiv="2606.00001")
    assert found[1].venue is None


async def test_a_split_leaves_nothing_in_the_queue_that_nobody_wants(two: Store) -> None:
    await join(two, 1, 2)
    assert await vote(two, 1, BEN, after=5) is False
    await part(two, 1)
    entries = await two.read(servers.queue_entries, SERVER)
    assert [entry.paper_id for entry in entries] == [1]


async def test_a_split_of_a_chain_keeps_what_hung_below(two: Store) -> None:
    third = replace(ONE, title="Third", abstract="", identifiers=Identifiers(doi="10.1000/3"))
    await two.write(recording.store_record, third, Provenance("feed", "f", NOW))
    await join(two, 2, 3)
    await join(two, 1, 2)
    assert await two.read(merging.group_of, 1) == [1, 2, 3]
    assert await part(two, 2) == 2
    assert await two.read(merging.group_of, 1) == [1]
    assert await two.read(merging.group_of, 2) == [2, 3]


async def test_what_people_split_is_not_joined_again_by_itself(two: Store) -> None:
    await join(two, 1, 2)
    await part(two, 2)
    both = replace(ONE, identifiers=Identifiers(arxiv="2606.00001", doi="10.1000/2"), version=2)
    await two.write(recording.store_record, both, Provenance("other", "o.xml", NOW))
    assert await two.read(merging.group_of, 1) == [1]
    assert await join(two, 1, 2) == 1, "but by hand it can be"


async def test_a_paper_told_by_its_abstract_can_be_split_off(store: Store) -> None:
    await store.write(recording.store_record, ONE, Provenance("feed", "feed.xml", NOW))
    bare = PaperRecord(position="line 3", abstract=ONE.abstract)
    again = replace(bare, position="line 9", topics=("Otters",))
    page = Provenance("page", "page.txt", NOW)
    stored = await store.write(recording.store_record, bare, page)
    assert (stored.paper_id, stored.outcome) == (1, "merged")
    merges = await store.read(merging.merges_of, 1)
    assert [(found.reason, found.by) for found in merges] == [("the same abstract", "papertriage")]
    assert await part(store, 1) == 2
    other = replace(page, source="another page")
    stored = await store.write(recording.store_record, again, other)
    assert stored.outcome in ("merged", "new")


async def test_every_merge_and_split_is_on_record_and_in_the_sequence(two: Store) -> None:
    before = await two.read(papers.last_change)
    await join(two, 1, 2)
    assert await two.read(papers.changed_since, before) == ([1], [2])
    before = await two.read(papers.last_change)
    await part(two, 1)
    assert await two.read(papers.changed_since, before) == ([1, 2], [])
    log = await two.read(merging.merges_of, 1)
    assert [(found.kept_id, found.gone_id, found.split_by) for found in log] == [(1, 2, "ada")]
    assert await part(two, 1) is None


async def test_the_queue_follows_the_last_word_on_either(two: Store) -> None:
    await two.write(
        servers.set_queue_state,
        SERVER,
        2,
        state=QueueState.READING,
        reader=BEN,
        by=BEN,
        event="started",
        now=NOW + timedelta(hours=1),
    )
    await join(two, 1, 2)
    entry = await two.read(servers.queue_entry, SERVER, 1)
    assert entry is not None
    assert (entry.state, entry.reader, entry.votes) == (QueueState.READING, BEN, 2)


async def test_corrections_of_both_are_heard(two: Store) -> None:
    for paper, who, tag in ((1, ADA, "theory"), (2, BEN, "position")):
        await two.write(
            corrections.add_correction, SERVER, paper, who, tag=tag, was="methods", now=NOW
        )
    await join(two, 1, 2)
    assert await two.read(corrections.corrected_tags, SERVER) == {1: "theory"}
    assert len(await two.read(corrections.corrections_of, SERVER, 1)) == 2


async def test_a_paper_posted_under_either_number_is_not_posted_again(two: Store) -> None:
    order = SubscriptionOrder(5, NOW.time(), "UTC", frozenset(range(7)), DigestFilter(), 10)
    number = await two.write(
        digests.add_subscription, SERVER, order, created_by=1, now=NOW, after=0
    )
    slot = Slot(number, NOW.date(), NOW, NOW, SlotState.PLANNED, 0, 2, 1, 1)
    await two.write(ledger.plan_slot, slot, [[2]])
    await join(two, 1, 2)
    assert await two.read(ledger.unposted, number, after=0, upto=9) == []
    assert [found.local_date for found in await two.read(digests.postings_of, SERVER, 1)] == [
        NOW.date()
    ]


async def test_a_library_from_before_merging_stands_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    old = Database(path)
    MIGRATIONS.apply(old, stop_before="m004_merging")
    for number, gone in ((1, None), (2, 1)):
        old.execute(
            "INSERT INTO papers (id, title, title_derived, title_key, abstract, first_seen,"
            " changed, merged_into) VALUES (?, 'Old', 0, 'old', 'Text.',"
            " '2026-01-01T00:00:00+00:00', ?, ?)",
            [number, number, gone],
        )
    old.conn.commit()
    old.close()
    store = Store(path)
    await store.open()
    assert await store.read(merging.group_of, 1) == [1, 2]
    assert list(await store.read(papers.load_papers, [1, 2])) == [1]
    await store.close()


async def test_related_papers_follow_their_groups_and_are_none_within_one(two: Store) -> None:
    third = replace(ONE, title="Third", abstract="", identifiers=Identifiers(doi="10.1000/3"))
    await two.write(recording.store_record, third, Provenance("feed", "f", NOW))
    await two.write(merging.relate, 3, 2, reason="the journal version", now=NOW)
    await two.write(merging.relate, 2, 3, reason="said again", now=NOW)
    assert await beside(two, 2) == [3]
    assert await beside(two, 1) == []
    await join(two, 1, 2)
    assert await beside(two, 1) == [3]
    assert await beside(two, 3) == [1]
    await join(two, 1, 3)
    assert await beside(two, 1) == []
    await part(two, 3)
    assert await beside(two, 3) == [1]


async def test_a_library_from_before_relations_reads_and_grows(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    old = Database(path)
    MIGRATIONS.apply(old, stop_before="m006_forms_and_relations")
    old.execute(
        "INSERT INTO papers (id, root_id, title, title_derived, title_key, abstract, first_seen,"
        " changed) VALUES (1, 1, 'On Otters', 0, 'onotters', 'Short.',"
        " '2026-01-01T00:00:00+00:00', 1)"
    )
    old.execute("INSERT INTO authors VALUES (1, 0, 'Ada Lutra')")
    old.execute(
        "INSERT INTO sightings (paper_id, source, listing, position, fetched, announce_type,"
        " digest) VALUES (1, 'feed', 'f', '1', '2026-01-01T00:00:00+00:00', 'new', 'd')"
    )
    old.conn.commit()
    old.close()
    store = Store(path)
    await store.open()
    stored = await store.write(recording.store_record, ONE, Provenance("feed", "feed.xml", NOW))
    assert (stored.paper_id, stored.outcome) == (1, "merged")
    assert await beside(store, 1) == []
    assert (await store.read(papers.source_forms, 1)).title is None
    await store.close()
