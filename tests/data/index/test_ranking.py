"""Which papers come first."""

from __future__ import annotations

import math
import random
from datetime import date

import pytest

from data.index import SearchFilters, SearchIndex
from data.index.ranking import query_weight
from data.index.snapshot import inverse_document_frequency
from tests.data.index.helpers import QUERIES, found, index_of, invented, paper


def test_a_word_of_the_title_weighs_more_than_one_of_the_abstract():
    index = index_of(
        paper(1, "Graph methods", "We study bandits here."),
        paper(2, "Bandit methods", "We study graphs here."),
    )

    assert found(index, "bandit") == [2, 1]


def test_a_derived_title_does_not_count_its_words_twice():
    abstract = "Bandits with feedback are studied."
    index = index_of(
        paper(1, "Bandits with feedback are studied", abstract, derived=True, day=date(2026, 2, 1)),
        paper(2, "", abstract, day=date(2026, 2, 2)),
    )

    first, second = index.search("bandits").hits

    assert first.score == second.score


def test_papers_with_more_of_the_words_come_first():
    index = index_of(
        paper(1, "", "Agents agents agents act and agents plan for agents."),
        paper(2, "", "Tacit collusion emerges when language agents set prices."),
        paper(3, "", "Collusion law."),
    )

    assert found(index, "tacit collusion of agents")[0] == 2


def test_a_rare_word_tells_more_than_a_common_one():
    papers = [paper(n, "", "learning of models") for n in range(1, 9)]
    index = index_of(*papers, paper(9, "", "collusion in markets"))

    assert found(index, "learning collusion")[0] == 9


def test_neighbours_in_the_query_are_better_found_together():
    index = index_of(
        paper(1, "", "A gradient is here and a policy is there.", day=date(2026, 5, 5)),
        paper(2, "", "A policy gradient is here and it is there."),
        paper(3, "", "Some other words."),
    )

    assert found(index, "policy gradient") == [2, 1]


def test_among_equals_the_newer_paper_comes_first():
    index = index_of(
        paper(1, "Bandits", day=date(2025, 1, 1)),
        paper(2, "Bandits", day=date(2026, 1, 1)),
        paper(3, "Bandits", day=date(2025, 1, 1)),
    )

    assert found(index, "bandit") == [2, 1, 3]


def test_results_can_be_sorted_by_day_and_by_votes():
    index = index_of(
        paper(1, "Bandits", day=date(2025, 1, 1)),
        paper(2, "On bandits and kernels", day=date(2026, 1, 1)),
        paper(3, "Bandit bandits", day=date(2024, 1, 1)),
    )
    votes = SearchFilters(votes={1: 2, 3: 5, 99: 7})

    assert found(index, "bandit", sort="newest") == [2, 1, 3]
    assert found(index, "sort:newest bandit") == [2, 1, 3]
    assert found(index, "bandit", filters=votes, sort="votes") == [3, 1, 2]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize(
    "filters",
    [
        SearchFilters(tag="theory"),
        SearchFilters(author="Ada Cer"),
        SearchFilters(topic="Vision", source="page"),
        SearchFilters(since=date(2025, 6, 1), until=date(2025, 6, 30)),
        SearchFilters(tag="position", tags=dict.fromkeys(range(1, 40, 3), "position")),
    ],
    ids=["tag", "author", "topic-and-source", "days", "corrected-tags"],
)
def test_results_under_a_filter_are_all_results_less_what_the_filter_stops(query, filters):
    papers = {each.id: each for each in invented(400)}
    index = index_of(*papers.values())

    def passes(number: int) -> bool:
        each = papers[number]
        tag = filters.tags.get(number, each.tag)
        return (
            (not filters.tag or tag == filters.tag)
            and (not filters.author or filters.author in each.authors)
            and (not filters.topic or filters.topic in each.topics)
            and (not filters.source or filters.source in each.sources)
            and (not filters.since or each.day >= filters.since)
            and (not filters.until or each.day <= filters.until)
        )

    everything = [hit.id for hit in index.search(query, limit=400).hits]
    narrowed = index.search(query, filters, limit=400)

    assert [hit.id for hit in narrowed.hits] == [number for number in everything if passes(number)]
    assert narrowed.total == len(narrowed.hits)


def test_the_first_results_are_the_same_whether_or_not_the_rest_is_wanted():
    index = index_of(*invented(400))
    chance = random.Random(4)  # noqa: S311 - test data, no secret
    vocabulary = sorted({word for each in invented(60) for word in each.abstract.split()})
    for size in (1, 2, 3, 5, 8):
        for _ in range(25):
            query = " ".join(chance.sample(vocabulary, size))
            first = index.search(query, limit=5)
            whole = index.search(query, limit=400)

            assert first.hits == whole.hits[:5]
            assert first.total == whole.total == len(whole.hits)


def test_scores_are_those_of_the_formula():
    index = index_of(
        paper(1, "", "bandit bandit learning"),
        paper(2, "", "graph learning theory of everything large"),
        paper(3, "", "graph"),
    )
    average = (3 + 5 + 1) / 3
    pivot = 1.8 * (0.4 + 0.6 * 3 / average)

    (hit,) = index.search("bandit").hits

    assert hit.score == pytest.approx(math.log(1 + 2.5 / 1.5) * 2 / (2 + pivot), rel=1e-5)


def test_an_inverse_document_frequency_is_never_negative():
    assert inverse_document_frequency(10, 10) > 0
    assert inverse_document_frequency(1, 10) > inverse_document_frequency(2, 10)


def test_a_repeated_word_of_the_query_counts_more_but_not_without_end():
    assert query_weight(1) == 1
    assert 1 < query_weight(2) < 2


def test_similar_papers_share_telling_words_and_leave_the_paper_out():
    index = index_of(
        paper(1, "Tacit collusion of pricing agents", "Bertrand markets and cartels."),
        paper(2, "Cartels in Bertrand markets", "Collusion among pricing algorithms."),
        paper(3, "Protein folding", "Markets of proteins."),
    )

    assert [hit.id for hit in index.similar(1)] == [2, 3]
    assert index.similar(99) == ()
    assert index.similar_to_text("Do pricing algorithms form cartels?")[0].id == 2
    assert index.similar_to_text("") == ()
    assert SearchIndex().similar_to_text("anything") == ()


def test_a_long_query_is_widened_with_words_of_its_best_papers():
    near = [
        paper(n, "", f"Ranking of documents for search queries by term weights, stemming {n}.")
        for n in range(1, 7)
    ]
    related = paper(50, "", "Stemming of documents.")
    unrelated = paper(51, "", "Painting of documents.", day=date(2027, 1, 1))
    index = index_of(*near, related, unrelated)

    order = found(index, "ranking documents for search queries by term weights")

    assert order.index(50) < order.index(51)
