"""The query language, and what happens to queries that break it."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.index import SearchFilters
from data.index.query import parse
from tests.data.index.helpers import QUERIES, found, index_of, invented, paper, titled

PAPERS = index_of(
    paper(1, "Graph kernels", "Deep learning on graphs.", tag="theory", day=date(2024, 5, 1)),
    paper(
        2,
        "Diffusion models",
        "Sampling and quantization of images.",
        tag="methods",
        day=date(2025, 3, 9),
        topics=["Vision"],
        sources=["page"],
        venue="ICML 2025",
    ),
    paper(
        3,
        "Flow matching",
        "Quantized flows, a survey.",
        tag="position",
        day=date(2026, 1, 1),
        categories=["cs.LG"],
        authors=["Ada Byron"],
    ),
    paper(4, "Quantity theory", "Graph prices in a survey.", day=date(2026, 1, 2)),
)


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ("graphs flows", {1, 3, 4}),
        ("graph -survey", {1}),
        ("graph NOT survey", {1}),
        ("-survey", {1, 2}),
        ("diffusion OR flow", {2, 3}),
        ("survey (diffusion OR flow)", {2, 3}),
        ("graph AND survey", {4}),
        ("+graph +survey", {4}),
        ("(graph AND survey) OR diffusion", {2, 4}),
        ("title:graph", {1}),
        ("abstract:graph", {1, 4}),
        ("-title:graph survey", {3, 4}),
        ("title:(flow OR diffusion)", {2, 3}),
        ("quantiz*", {2, 3}),
        ("topic:vision", {2}),
        ("topic:cs.LG", {3}),
        ("cat:cs.lg", {3}),
        ("venue:icml", {2}),
        ("tag:theory", {1}),
        ("-tag:theory graph", {4}),
        ("source:page", {2}),
        ("year:2025", {2}),
        ("year:2024..2025", {1, 2}),
        ("year:2025..", {2, 3, 4}),
        ("since:2026-01-02", {4}),
        ("until:2024-05", {1}),
        ("survey year:2026 -title:flow", {4}),
        ("by:byron", {3}),
        ("graph: a survey", {1, 3, 4}),
    ],
)
def test_a_query_means_what_a_researcher_expects(query, numbers):
    assert set(found(PAPERS, query)) == numbers
    assert PAPERS.search(query).total == len(numbers)
    assert PAPERS.search(query).notes == () or "survey" in query


@pytest.mark.parametrize(
    "query",
    ['graph "survey', "(graph OR survey", "graph OR", "OR graph", "graph)", "year:soon graph",
     "since:2026-13 graph", "graph AND", "NOT", "tag: (", "sort:magic graph", "((((" * 400,
     "graph tag:banana", "graph year:2026..2024"],
)  # fmt: skip
def test_a_malformed_query_is_read_as_plain_words_and_says_so(query):
    result = PAPERS.search(query)

    assert any("read as plain words" in note for note in result.notes)
    assert ("graph" in query) == (1 in {hit.id for hit in result.hits})


@pytest.mark.parametrize(
    "query",
    ["(" * 10_000 + "graph" + ")" * 10_000, '"graph of" ' * 1_500, "gr* OR " * 2_500 + "graph"],
)
def test_a_query_of_very_many_signs_is_read_as_plain_words_and_says_so(query):
    result = PAPERS.search(query)

    assert any("read as plain words" in note for note in result.notes)
    assert all(clause.occur == "should" for clause in parse(query).clauses)


@pytest.mark.parametrize("query", ["#2", " #2 "])
def test_a_number_with_its_sign_finds_that_paper(query):
    assert found(PAPERS, query) == [2]
    assert found(PAPERS, "#999999") == []


def test_the_answer_says_how_the_query_was_read():
    result = PAPERS.search(
        'graph "deep learning" -survey tag:theory', SearchFilters(source="arxiv")
    )

    assert result.read_as == (
        "the word graph; exactly “deep learning”; without survey; tagged theory; from arxiv"
    )


def test_words_that_say_nothing_are_named():
    result = PAPERS.search("the graph of zebras")

    assert result.notes == (
        "Not searched for, too common or no word: the, of.",
        "In no paper: zebras.",
    )
    assert result.read_as == "any of the words graph, zebras"


@pytest.mark.parametrize(
    "query", ["", "   ", "the of and", "😀", "\x00\x07", "-", "...", "***", '""']
)
def test_a_query_of_no_words_finds_nothing_and_says_so(query):
    result = PAPERS.search(query)

    assert result.total == 0
    assert result.hits == ()
    assert result.read_as == "nothing to search for"


def test_filters_alone_list_what_passes_them_newest_first():
    result = PAPERS.search("", SearchFilters(since=date(2025, 1, 1)))

    assert [hit.id for hit in result.hits] == [4, 3, 2]


@pytest.mark.parametrize(
    "query",
    ["x" * 10_000, "graph " * 2_500, "(" * 3_000, "graph\ud800 kernel", "a:b:c:d", "-" * 500,
     "“”„«»", "title:", "author:()", "*", "a*b*c*"],
)  # fmt: skip
def test_odd_queries_get_an_answer(query):
    result = PAPERS.search(query)

    assert result.read_as
    assert len(result.read_as) < 2_000


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.sampled_from(['"', "(", ")", "-", "OR", "AND", "NOT", "title:", "year:", "graph",
                             "survey", "*", "tag:theory", "author:", "论文", "+", "$", "\\"]),
            st.text(max_size=6),
        ),
        max_size=12,
    )
)  # fmt: skip
def test_no_query_breaks_the_search(pieces):
    for glue in (" ", ""):
        result = PAPERS.search(glue.join(pieces), facets=True)

        assert result.total >= len(result.hits)
        assert result.read_as


@pytest.mark.parametrize(
    "query",
    [
        "2401.01234",
        "2401.01234v3",
        "arXiv:2401.01234",
        "arxiv 2401.01234",
        "https://arxiv.org/abs/2401.01234v2",
        "https://arxiv.org/pdf/2401.01234.pdf",
        "https://huggingface.co/papers/2401.01234",
        "10.48550/arXiv.2401.01234",
        "10.1145/Abc.123",
        "https://doi.org/10.1145/abc.123",
        "doi:10.1145/abc.123",
        "aBcD_12-xY",
        "https://openreview.net/forum?id=aBcD_12-xY",
        "https://openreview.net/pdf?id=aBcD_12-xY&noteId=z",
        "https://example.org/paper/7",
        "http://www.example.org/paper/7/",
    ],
)
def test_an_identifier_or_its_address_finds_that_paper(query):
    index = index_of(
        paper(1, "A decoy of 2401.01234 and 10.1145/abc.123"),
        paper(
            2,
            "The one",
            identifiers=[
                ("arxiv", "2401.01234"),
                ("doi", "10.1145/abc.123"),
                ("openreview", "aBcD_12-xY"),
                ("url", "https://example.org/paper/7"),
            ],
        ),
    )

    result = index.search(query)

    assert [hit.id for hit in result.hits] == [2]
    assert query in result.read_as


def test_an_old_arxiv_identifier_finds_its_paper():
    index = index_of(paper(1, "Old", identifiers=[("arxiv", "hep-th/9901001")]), paper(2, "New"))

    assert found(index, "hep-th/9901001v2") == [1]


def test_an_exact_title_comes_first_however_common_its_words():
    index = titled(
        "To be or not to be", "Not to be read", "On learning", "Learning on learning, on"
    )

    assert found(index, "To be or not to be")[0] == 1
    assert found(index, "on learning")[0] == 3


def test_a_title_of_common_words_alone_is_one_paper_found():
    index = index_of(paper(1, "To be or not to be", tag="theory"), paper(2, "On the of it"))

    result = index.search("To be or not to be", facets=True)

    assert [hit.id for hit in result.hits] == [1]
    assert (result.total, result.read_as) == (1, "the whole title")
    assert dict(result.facets.tags) == {"theory": 1}
    nothing = index.search("to be of it")
    assert (nothing.total, nothing.hits, nothing.read_as) == (0, (), "nothing to search for")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("year:2025", "of 2025"),
        ("year:2024..2026", "of 2024 to 2026"),
        ("year:2024…2026", "of 2024 to 2026"),
        ("year:..2025", "until 2025"),
        ("-year:2025..", "not since 2025"),
    ],
)
def test_how_a_range_of_years_was_read_is_said_in_words(query, said):
    assert PAPERS.search(query).read_as == said


def test_a_page_of_results_is_a_part_of_the_whole():
    index = index_of(*invented(300))
    for query in QUERIES:
        whole = [hit.id for hit in index.search(query, limit=300).hits]
        pages = [
            hit.id
            for offset in range(0, len(whole), 7)
            for hit in index.search(query, limit=7, offset=offset).hits
        ]

        assert pages == whole
        assert len(set(whole)) == len(whole) == index.search(query).total


def test_an_unknown_field_is_read_as_a_word_and_the_answer_says_so():
    index = titled("Foo and bar", "Bar", "AIDS in bars")

    result = index.search("foo:bar foo:bars")
    capitals = index.search("AIDS:trial")

    assert {hit.id for hit in result.hits} == {1, 2, 3}
    assert result.notes == ("There is no field “foo:”, so it was read as a word.",)
    assert [hit.id for hit in capitals.hits] == [3]
    assert any("“AIDS:”" in note for note in capitals.notes)


@pytest.mark.parametrize(
    "query", ["title:bar", "by:Foo bar", "arXiv:2602.05324", "a: bar", "12:30"]
)
def test_fields_that_there_are_and_signs_that_are_none_are_not_noted(query):
    assert not any("field" in note for note in titled("Foo bar").search(query).notes)
