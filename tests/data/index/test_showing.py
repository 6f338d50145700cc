"""What is shown beside the hits: snippets, completions, suggestions, facets."""

from __future__ import annotations

from datetime import date

import pytest

from data.index import Facets, SearchFilters
from tests.data.index.helpers import index_of, paper

ABSTRACT = (
    "Large models answer many questions. This sentence is only here to take up some room, and so "
    "is the one that follows it without saying anything new. Tacit collusion of pricing agents is "
    "what we measure, in Bertrand markets with two firms. Nothing more is to be said after this."
)


@pytest.fixture(scope="module")
def library():
    return index_of(
        paper(
            1,
            "Collusion among pricing agents",
            ABSTRACT,
            authors=["Ada Byron", "Jürgen Müller"],
            topics=["Social Aspects · Law"],
            categories=["cs.GT"],
            tag="theory",
            day=date(2025, 4, 4),
            sources=["arxiv", "page"],
        ),
        paper(
            2,
            "Pruning transformers",
            "Quantized transformers, pruned.",
            authors=["Ada Byron", "Bo Adams"],
            categories=["cs.LG", "cs.GT"],
            tag="methods",
            day=date(2026, 4, 4),
        ),
        paper(
            3,
            "Agents should be licensed before they trade",
            "Agents should be licensed before they trade on markets.",
            derived=True,
            tag="position",
            day=date(2026, 5, 5),
        ),
    )


def shown(text, spans):
    return [text[start:end] for start, end in spans]


def test_a_snippet_is_the_passage_with_the_most_matched_words(library):
    result = library.search("tacit collusion of agents")
    snippet = library.snippet(ABSTRACT, result.terms, 100)

    assert len(snippet.text) <= 100
    assert shown(snippet.text, snippet.spans) == ["Tacit", "collusion", "agents"]
    assert snippet.text.startswith("…")
    assert snippet.text.endswith("…")
    assert all(word in ABSTRACT.split() for word in snippet.text.strip("…").split())


def test_a_short_text_is_shown_whole(library):
    snippet = library.snippet("Pruned nets.", {"prune"}, 100)

    assert snippet.text == "Pruned nets."
    assert shown(snippet.text, snippet.spans) == ["Pruned"]


def test_a_snippet_shows_tex_as_text(library):
    text = (
        r"We bound the $\ell_2$ norm of \textbf{na\"ive} estimators by $O(n^{2})$, \emph{always}."
    )
    terms = library.search("naive L2").terms | {"naiv", "l2"}

    snippet = library.snippet(text, terms, 200)

    assert snippet.text == "We bound the ℓ₂ norm of naïve estimators by O(n²), always."
    assert shown(snippet.text, snippet.spans) == ["ℓ₂", "naïve"]


def test_a_snippet_without_matches_is_the_beginning(library):
    snippet = library.snippet(ABSTRACT, frozenset(), 60)

    assert snippet.text == "Large models answer many questions. This sentence is only…"
    assert snippet.spans == ()


@pytest.mark.parametrize("most", [1, 2, 5, 20, 80, 400])
@pytest.mark.parametrize("text", ["", "word", ABSTRACT, "x" * 500, "论文检索" * 100, "a b " * 200])
def test_a_snippet_never_grows_over_its_length(library, text, most):
    snippet = library.snippet(text, {"word", "agent", "论文", "b"}, most)

    assert len(snippet.text) <= most
    assert all(0 <= start < end <= len(snippet.text) for start, end in snippet.spans)


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("ada", ["Ada Byron", "Bo Adams"]),
        ("byron a", ["Ada Byron"]),
        ("muel", ["Jürgen Müller"]),
        ("mull", ["Jürgen Müller"]),
        ("zz", []),
        ("", []),
    ],
)
def test_authors_are_completed_those_with_most_papers_first(library, typed, names):
    assert library.complete_authors(typed) == names


def test_topics_are_completed_by_any_of_their_words(library):
    assert library.complete_topics("cs.") == ["cs.GT", "cs.LG"]
    assert library.complete_topics("law") == ["Social Aspects · Law"]
    assert library.complete_topics("") == ["cs.GT", "Social Aspects · Law", "cs.LG"]


@pytest.mark.parametrize(
    ("typed", "numbers"),
    [
        ("prun", [2]),
        ("pricing coll", [1]),
        ("agents", [3, 1]),
        ("agents should be lic", [3]),
        ("collusion zz", []),
        ("markets", []),
        ("", [3, 2, 1]),
    ],
)
def test_titles_are_completed_newest_first(library, typed, numbers):
    assert [number for number, _ in library.complete_titles(typed)] == numbers


def test_a_completed_title_is_the_title_as_it_was_given(library):
    assert library.complete_titles("pruned") == [(2, "Pruning transformers")]


@pytest.mark.parametrize(
    ("query", "meant", "total"),
    [
        ("colusion", "collusion", 1),
        ("transfomrers", "transformers", 1),
        ("pruming agents", "pruning agents", 3),
        ("agnets", "agents", 2),
    ],
)
def test_one_typo_is_offered_as_did_you_mean_and_never_swapped(library, query, meant, total):
    result = library.search(query)

    (suggestion,) = [each for each in result.suggestions if each.kind == "spelling"]
    assert (suggestion.query, suggestion.total) == (meant, total)
    assert result.total in (0, 2)


def test_a_typo_may_be_meant_as_a_stop_word(library):
    (suggestion,) = library.search("agents wiht").suggestions

    assert suggestion.query == "agents with"


def test_a_word_that_papers_have_is_no_typo(library):
    assert library.search("agents collusion").suggestions == ()


def test_when_nothing_is_found_the_nearest_relaxations_come_with_their_counts(library):
    filters = SearchFilters(tag="theory", author="Adams")
    result = library.search("transformers", filters)
    offered = {(each.drop_filter, each.query): each.total for each in result.suggestions}

    assert result.total == 0
    assert offered == {("tag", "transformers"): 1}
    phrase = library.search('"agents pricing" year:2025')
    assert [(each.query, each.total) for each in phrase.suggestions] == [("agents pricing", 2)]
    condition = library.search("collusion tag:methods")
    assert ("collusion", 1) in [(each.query, each.total) for each in condition.suggestions]


def test_facets_count_the_whole_result(library):
    result = library.search("agents OR transformers", limit=1, facets=True)

    assert result.facets == Facets(
        tags=(("methods", 1), ("position", 1), ("theory", 1)),
        topics=(("cs.GT", 2), ("Social Aspects · Law", 1), ("cs.LG", 1)),
        years=((2026, 2), (2025, 1)),
        sources=(("arxiv", 3), ("page", 1)),
    )
    narrowed = library.search(
        "agents", SearchFilters(tags={3: "theory"}, tag="theory"), facets=True
    )
    assert narrowed.facets is not None
    assert narrowed.facets.tags == (("theory", 2),)
