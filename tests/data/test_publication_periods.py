"""A year or a month of publication: read as what it is, kept, shown, found and exported."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import pytest
from sqlite_utils import Database

from bot.chat.layouts.entries import when
from bot.triage.library import document
from data.exports import ExportItem, export
from data.index import SearchIndex
from data.listings.dates import period
from data.listings.fields import make_record
from data.records import Identifiers, PaperRecord, Period
from data.store import papers, recording
from data.store.connection import Store
from data.store.migrations import MIGRATIONS
from data.store.recording import Provenance
from tests.data.listing_help import read

if TYPE_CHECKING:
    from pathlib import Path

    from data.records import Paper

NOW = datetime(2031, 6, 1, tzinfo=UTC)
FILE = Provenance("BibTeX", "library.bib", NOW)
RECORD = PaperRecord(
    position="entry 1",
    title="On Otters",
    authors=("Ada Lutra",),
    identifiers=Identifiers(doi="10.1000/1"),
    venue="Journal of Otters",
)


def csl(issued: dict[str, object]) -> str:
    return json.dumps([{"type": "book", "title": "On Otters", "issued": issued}])


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (2026, Period(2026)),
        (2026.0, Period(2026)),
        ("2026", Period(2026)),
        ("2026-03", Period(2026, 3)),
        ("2026/03//", Period(2026, 3)),
        ("2026-00-00", Period(2026)),
        ("03/2026", Period(2026, 3)),
        ("mar 2026", Period(2026, 3)),
        ("März 2026", Period(2026, 3)),
        ("Sept. 2026", Period(2026, 9)),
        ("MAY 3--7 2026", Period(2026, 5)),
        ("JAN-FEB 2026", Period(2026)),
        ("Spring 2026", Period(2026)),
        ("2026年3月", Period(2026, 3)),
        ("2026年", Period(2026)),
        ("5 March 2026", Period(2026, 3)),
        ("2025-26", None),
        ("2024–2026", None),
        ("to appear", None),
        ("17", None),
        (True, None),
        (None, None),
        (12, None),
        ("9999", None),
    ],
)
def test_a_year_or_a_month_is_read_as_that_and_nothing_is_made_of_others(value, found):
    assert period(value) == found


def test_a_whole_day_wins_and_leaves_no_period_beside_it():
    record = make_record(position="1", title="On Otters", dated=["2026", "2026-03-05"])
    assert (record.published, record.published_in) == (datetime(2026, 3, 5, tzinfo=UTC), None)


@pytest.mark.parametrize(
    "text",
    [
        "@article{a, title={On Otters}, year = 2026, month = mar}",
        '@article{a, title={On Otters}, year = "2026", month = {3}}',
        "@article{a, title={On Otters}, date = {2026-03}}",
        "@article{a, title={On Otters}, date = {2026-03/2026-05}}",
        "TY  - JOUR\nTI  - On Otters\nPY  - 2026/03//\nER  -\n",
        "FN x\nVR 1.0\nPT J\nTI On Otters\nPD MAR\nPY 2026\nER\n\nEF\n",
        "%0 Journal Article\n%T On Otters\n%D 2026\n%8 March\n",
        json.dumps([{"type": "book", "title": "On Otters", "issued": {"date-parts": [[2026, 3]]}}]),
        json.dumps(
            [{"type": "book", "title": "On Otters", "issued": {"date-parts": [["2026", 3]]}}]
        ),
        "<mods><titleInfo><title>On Otters</title></titleInfo><originInfo>"
        "<dateIssued>2026-03</dateIssued></originInfo></mods>",
        json.dumps([{"title": "On Otters", "abstract": "Wet.", "date": "2026-03"}]),
    ],
)
def test_every_bibliography_keeps_the_month_and_invents_no_day(text):
    (record,), refusals, _ = read(text)
    assert not refusals
    assert (record.published, record.published_in) == (None, Period(2026, 3))


@pytest.mark.parametrize(
    "text",
    [
        "@article{a, title={On Otters}, year = 2026}",
        "TY  - JOUR\nTI  - On Otters\nPY  - 2026///\nER  -\n",
        "<dblp><article key='a'><title>On Otters.</title><year>2026</year></article></dblp>",
        json.dumps(
            {"result": {"hits": {"hit": [{"info": {"title": "On Otters", "year": "2026"}}]}}}
        ),
        json.dumps({"data": [{"paperId": "a", "title": "On Otters", "year": 2026}]}),
        csl({"date-parts": [[2026]]}),
        json.dumps([{"title": "On Otters", "abstract": "Wet.", "year": 2026}]),
    ],
)
def test_a_year_alone_stays_a_year(text):
    (record,), _, _ = read(text)
    assert (record.published, record.published_in) == (None, Period(2026))


def test_a_day_beside_the_month_makes_a_whole_date():
    (record,), _, _ = read('@article{a, title={On Otters}, year=2026, month = "5~" # mar}')
    assert (record.published, record.published_in) == (datetime(2026, 3, 5, tzinfo=UTC), None)


async def kept(store: Store, *records: PaperRecord) -> Paper:
    for record in records:
        await store.write(recording.store_record, record, FILE)
    return (await store.read(papers.load_papers, [1]))[1]


async def test_the_library_keeps_the_first_year_and_takes_the_month_of_it(store: Store) -> None:
    year, month = (
        replace(RECORD, published_in=Period(2026)),
        replace(RECORD, published_in=Period(2026, 3)),
    )
    assert (await kept(store, RECORD, year)).published_in == Period(2026)
    assert (await kept(store, month, year)).published_in == Period(2026, 3)
    other = replace(RECORD, published_in=Period(2025, 9))
    assert (await kept(store, other)).published_in == Period(2026, 3)


async def test_a_library_from_before_years_keeps_its_papers_and_learns_theirs(
    tmp_path: Path,
) -> None:
    path = tmp_path / "library.db"
    old = Database(path)
    MIGRATIONS.apply(old, stop_before="m007_publication_periods")
    old.execute(
        "INSERT INTO papers (id, root_id, title, title_derived, title_key, abstract, first_seen,"
        " changed, published) VALUES (1, 1, 'On Otters', 0, 'onotters', '',"
        " '2026-01-01T00:00:00+00:00', 1, '2025-12-01T00:00:00+00:00')"
    )
    old.execute("INSERT INTO identifiers VALUES ('doi', '10.1000/1', 1)")
    old.conn.commit()
    old.close()
    store = Store(path)
    await store.open()
    before = (await store.read(papers.load_papers, [1]))[1]
    assert (before.published_in, before.published) == (None, datetime(2025, 12, 1, tzinfo=UTC))
    found = await kept(store, replace(RECORD, published_in=Period(2026)))
    await store.close()
    assert (found.title, found.published_in) == ("On Otters", Period(2026))


async def test_cards_show_the_year_or_month_and_never_a_day(store: Store) -> None:
    paper = await kept(store, replace(RECORD, published_in=Period(2026, 3)))
    assert when(paper) == "Mar 2026"
    assert when(replace(paper, published_in=Period(2026))) == "2026"
    assert when(replace(paper, published=NOW)) == "1 Jun 2031"


async def test_a_paper_is_found_under_its_year(store: Store) -> None:
    paper = await kept(store, replace(RECORD, published_in=Period(2026)))
    index = SearchIndex(None)
    index.add([document(paper), document(replace(paper, id=2, published_in=None))])
    assert [hit.id for hit in index.search("otters year:2026").hits] == [1]
    assert not index.search("otters year:2031").hits, "the year of its first sight is no date"
    assert paper.day == date(2026, 12, 31)
    assert replace(paper, published_in=Period(2031)).day == NOW.date()
    assert replace(paper, published_in=Period(2032, 2)).day == date(2032, 2, 1)


async def test_exports_write_the_year_and_month_that_are_known_and_no_more(store: Store) -> None:
    paper = await kept(store, replace(RECORD, published_in=Period(2026, 3)))
    item = [ExportItem(paper)]
    bibtex = export(item, "bibtex").content.decode()
    assert "year = {2026},\n" in bibtex
    assert "month = mar,\n" in bibtex
    ris = export(item, "ris").content.decode()
    assert "PY  - 2026\r\n" in ris
    assert "DA  - 2026/03//\r\n" in ris
    assert json.loads(export(item, "csljson").content)[0]["issued"] == {"date-parts": [[2026, 3]]}
    table = export(item, "csv").content.decode("utf-8-sig").splitlines()
    assert ",2026-03," in table[1]
    for form in ("bibtex", "ris", "csljson"):
        (record,), _, _ = read(export(item, form).content)
        assert record.published_in == Period(2026, 3), form


async def test_an_article_counts_for_the_year_of_its_volume_not_of_its_preprint(
    store: Store,
) -> None:
    record = replace(RECORD, published=datetime(2025, 12, 3, tzinfo=UTC), published_in=Period(2026))
    paper = await kept(store, record)
    said = export([ExportItem(paper)], "ris").content.decode()
    assert "PY  - 2026\r\n" in said
    assert "DA  -" not in said
