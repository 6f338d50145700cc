"""The same search asked again is answered from memory, and never with an old answer."""

from __future__ import annotations

from datetime import date

import pytest

from data.index import SearchFilters, SearchIndex
from data.index import search as searching
from tests.data.index.helpers import QUERIES, index_of, invented, paper


@pytest.fixture
def searches(monkeypatch) -> list[str]:
    """The queries that were really looked for."""
    seen: list[str] = []
    real = searching._searched

    def counted(snapshot, text, *rest, **more):
        seen.append(text)
        return real(snapshot, text, *rest, **more)

    monkeypatch.setattr(searching, "_searched", counted)
    return seen


def test_the_same_search_is_looked_for_once(searches):
    index = index_of(*invented(60))

    for query in QUERIES:
        first = index.search(query, SearchFilters(tag="theory"), limit=3)
        assert index.search(query, SearchFilters(tag="theory"), limit=3) == first

    assert searches == list(QUERIES)


@pytest.mark.parametrize(
    "other",
    [
        {"filters": SearchFilters(tag="theory")},
        {"filters": SearchFilters(tag="methods", tags={1: "theory"})},
        {"filters": SearchFilters(since=date(2026, 1, 1))},
        {"filters": SearchFilters(votes={3: 2}), "sort": "votes"},
        {"limit": 2},
        {"offset": 2},
        {"sort": "newest"},
        {"facets": True},
    ],
)
def test_whatever_is_asked_otherwise_is_another_search(other, searches):
    asked = {"filters": SearchFilters(tag="methods"), "limit": 4, **other}
    fresh = index_of(*invented(60)).search("learning", **asked)
    index = index_of(*invented(60))
    index.search("learning", SearchFilters(tag="methods"), limit=4)

    assert index.search("learning", **asked) == fresh
    assert len(searches) == 3


def test_corrections_that_change_in_place_are_seen():
    index = index_of(paper(1, "kernels", tag="theory"), paper(2, "kernels", tag="methods"))
    tags = {2: "theory"}
    assert index.search("kernels", SearchFilters(tag="theory", tags=tags)).total == 2

    tags[2] = "methods"
    assert index.search("kernels", SearchFilters(tag="theory", tags=tags)).total == 1

    tags[1] = "methods"
    assert index.search("kernels", SearchFilters(tag="theory", tags=tags)).total == 0


def test_a_paper_added_or_removed_changes_the_answer_at_once():
    index = SearchIndex(background=False)
    totals: list[int] = []
    for number in range(1, 4):
        index.add([paper(number, "kernels")])
        totals += [index.search("kernels").total, index.search("kernels").total]
    index.remove([2])

    assert totals == [1, 1, 2, 2, 3, 3]
    assert [hit.id for hit in index.search("kernels").hits] == [1, 3]


def test_answers_kept_are_bounded_and_those_asked_for_lately_stay(monkeypatch, searches):
    monkeypatch.setattr("data.index.answers._MOST", 3)
    monkeypatch.setattr("data.index.answers._MOST_HITS", 10)
    monkeypatch.setattr("data.index.answers._MOST_PAPERS", 5)
    index = index_of(*invented(60))

    for query in ("kernels", "bandits", "graphs", "kernels", "auctions", "kernels", "bandits"):
        index.search(query)
    assert searches == ["kernels", "bandits", "graphs", "auctions", "bandits"]

    searches.clear()
    many = SearchFilters(votes=dict.fromkeys(range(6), 1))
    for _ in range(2):
        index.search("kernels", limit=50)
        index.search("kernels", many)
    assert len(searches) == 4
    assert len(index._snapshot.answers._kept) == 3
