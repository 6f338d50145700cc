"""One address or DOI for several works: a list, a journal, a volume is no paper."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from data.identity import titles_alike
from data.records import Identifiers, PaperRecord
from data.store import papers, recording
from data.store.recording import Provenance

if TYPE_CHECKING:
    from data.store.connection import Store
    from data.store.recording import Stored

TABLE = Provenance("table", "table.csv", datetime(2026, 6, 1, tzinfo=UTC))
PAGE = Identifiers(url="https://harbour.example.org/papers")
VOLUME = Identifiers(doi="10.1000/volume-1")

OTTERS = PaperRecord(
    position="row 1",
    title="Otters in Rivers",
    abstract="We count the otters of nine rivers over ten years and find that they come back where "
    "the banks are wild, in numbers that a simple model of food explains.",
    authors=("Ada Moor",),
    identifiers=PAGE,
)
GULLS = PaperRecord(
    position="row 2",
    title="Gulls over Piers",
    abstract="A camera watches a pier for a summer; gulls learn its hours, and a network that we "
    "train on the pictures learns the gulls, with few mistakes at dusk.",
    authors=("Li Wei",),
    identifiers=PAGE,
)


async def put(store: Store, record: PaperRecord, provenance: Provenance = TABLE) -> Stored:
    return await store.write(recording.store_record, record, provenance)


async def test_papers_that_link_to_one_page_stay_apart(store: Store) -> None:
    bare = replace(GULLS, title=None, authors=(), abstract="Tides rise twice a day. " * 5)
    title = replace(GULLS, title="Ropes", abstract="", authors=())
    stored = [await put(store, record) for record in (OTTERS, GULLS, bare, title)]
    assert [one.outcome for one in stored] == ["new"] * 4
    for one in stored:
        loaded = await store.read(papers.load_papers, [one.paper_id])
        assert one.fresh is not None
        assert one.fresh.paper == loaded[one.paper_id], "the page belongs to the first"
    other = Provenance("feed", "feed.xml", TABLE.fetched)
    again = [await put(store, record, other) for record in (OTTERS, GULLS, title)]
    assert [one.paper_id for one in again[:2]] == [stored[0].paper_id, stored[1].paper_id]


@pytest.mark.parametrize(
    "edited",
    [
        replace(OTTERS, title="Otters in Nine Rivers", abstract=""),
        replace(OTTERS, title="Otters in Rivers: A Census", abstract=""),
        replace(OTTERS, title="The Return of the Wild"),
        replace(OTTERS, title=None, authors=()),
        replace(OTTERS, abstract="Another text, and so short that it says little."),
    ],
    ids=["a word more", "subtitle", "renamed", "no title", "another text"],
)
async def test_a_page_that_was_edited_is_still_its_paper(store: Store, edited: PaperRecord) -> None:
    first = await put(store, OTTERS)
    assert (await put(store, edited)).paper_id == first.paper_id


async def test_chapters_under_the_doi_of_their_volume_stay_apart(store: Store) -> None:
    chapters = [replace(one, identifiers=VOLUME, abstract="") for one in (OTTERS, GULLS)]
    stored = [await put(store, chapter) for chapter in chapters]
    assert stored[0].paper_id != stored[1].paper_id
    journal = replace(chapters[0], title="Lutrine Census of the North")
    assert (await put(store, journal)).paper_id == stored[0].paper_id, "a new title, one author"


async def test_two_parts_with_ids_of_their_own_stay_apart_under_one_doi(store: Store) -> None:
    parts = [
        replace(OTTERS, title=title, abstract="", identifiers=Identifiers(number, "10.1000/both"))
        for title, number in (("Otters, Part I", "2606.00001"), ("Otters, Part II", "2606.00002"))
    ]
    one, two = [await put(store, part) for part in parts]
    assert one.paper_id != two.paper_id


async def test_an_arxiv_id_or_a_forum_is_one_work_whatever_it_is_called(store: Store) -> None:
    for ids in (Identifiers(arxiv="2606.00001"), Identifiers(openreview="AbCdEf1234")):
        first = await put(store, replace(OTTERS, identifiers=ids))
        assert (await put(store, replace(GULLS, identifiers=ids))).paper_id == first.paper_id


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("Otters in Rivers", "OTTERS IN RIVERS.", True),
        ("Otters in Rivers", "Otters in Wild Rivers", True),
        ("BERT", "BERT: Pre-training of Deep Transformers", True),
        ("Otters, Part I", "Otters, Part II", False),
        ("Otters of 2025", "Otters of 2026", False),
        ("Notes on Otters", "Notes on Gulls", False),
        ("Otters", "Gulls", False),
        ("", "Gulls", False),
    ],
)
def test_titles_are_alike_where_one_may_be_the_other_edited(one: str, other: str, alike: bool):
    assert titles_alike(one, other) is alike
    assert titles_alike(other, one) is alike
