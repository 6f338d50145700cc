"""The days of papers: a missing date stays missing, and new papers still come first."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from bot.triage.library import document
from data.index import SearchFilters, SearchIndex
from data.records import Identifiers, Paper, Period
from tests.data.index.helpers import found, index_of, paper

OLD = paper(1, "Otter dens", "Otters sleep.", day=date(2024, 12, 31))
NEW = paper(2, "Otter dams", "Otters build.", day=date(2025, 1, 1))
UNDATED = replace(paper(3, "Otter games", "Otters play.", day=date(2026, 5, 5)), dated=False)


@pytest.fixture
def index() -> SearchIndex:
    return index_of(OLD, NEW, UNDATED)


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("otters", {1, 2, 3}),
        ("otters year:2026", set()),
        ("otters -year:2024", {2, 3}),
        ("otters year:2024..2026", {1, 2}),
        ("otters since:2025-01-01", {2}),
        ("otters until:2024-12-31", {1}),
        ("otters since:2026-05-05 until:2026-05-05", set()),
    ],
)
def test_a_paper_without_a_date_is_of_no_day(index: SearchIndex, query: str, ids: set[int]):
    assert set(found(index, query)) == ids


def test_a_paper_without_a_date_counts_for_no_year(index: SearchIndex):
    result = index.search("otters", facets=True)
    assert result.facets is not None
    assert result.facets.years == ((2025, 1), (2024, 1))
    narrowed = index.search("otters", filters=SearchFilters(since=date(2000, 1, 1)))
    assert narrowed.total == 2


def test_a_paper_without_a_date_comes_where_it_was_first_seen(index: SearchIndex):
    assert found(index, "otters", sort="newest") == [3, 2, 1]


@pytest.mark.parametrize(
    ("told", "dated"),
    [
        ({}, False),
        ({"announced": date(2025, 1, 2)}, True),
        ({"published": datetime(2025, 1, 2, tzinfo=UTC)}, True),
        ({"published_in": Period(2025)}, True),
    ],
)
def test_a_paper_is_dated_where_any_source_gave_a_date(told: dict[str, object], dated: bool):
    seen = Paper(
        id=1,
        title="Otters",
        title_derived=False,
        abstract="Otters play.",
        authors=(),
        identifiers=Identifiers(),
        topics=(),
        categories=(),
        sources=("saved pages",),
        first_seen=datetime(2025, 6, 1, tzinfo=UTC),
        **told,  # type: ignore[arg-type]
    )
    assert document(seen).dated is dated
    assert document(seen).day.year == 2025
