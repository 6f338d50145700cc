"""Saved text pages of paper-search sites."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.listings import ListingError
from data.records import PaperRecord, Refusal
from tests.data.listing_help import SHARED, fixture, needs_shared, read

PLAIN = fixture("page_plain.txt").decode()
TITLED = fixture("page_titled.txt").decode()


def test_topics_authors_and_abstracts_go_where_they_belong():
    records, refusals, listing = read(PLAIN)
    assert listing.format == "pages"
    assert not refusals
    assert [r.topics for r in records] == [
        ("Position · Evaluation",),
        ("General Machine Learning",),
        ("Theory · Online Learning and Bandits",),
    ]
    assert records[0].authors == (
        "Ada Holmqvist",
        "Jürgen (Jay) Brandt",
        "Paul MERCIER",
        "Xing fan",
    )
    assert records[1].authors == ("Uygar Sümer",)
    assert records[2].authors == ("Long T. Le", "Maria van der Berg")
    assert all(r.title is None for r in records)
    assert records[0].position == "line 3"


def test_the_site_name_is_no_paper_and_no_topic():
    records, _, _ = read(PLAIN)
    assert len(records) == 3
    assert all("论文检索" not in (*r.topics, *r.authors, r.abstract) for r in records)


def test_hyphens_of_line_ends_and_tex_are_repaired_in_abstracts():
    records, _, _ = read(PLAIN)
    assert "survey time" in records[1].abstract
    assert "order √T" in records[2].abstract
    assert "Ω(√T)" in records[2].abstract


def test_a_page_with_titles_gives_titles():
    records, refusals, _ = read(TITLED)
    assert not refusals
    assert [r.title for r in records] == [
        "Gulls as a Service: Distributed Representations of Seabirds",
        "How Deep Is a Rock Pool? An Empirical Study",
        "Crabs Walk Sideways for a Reason",
    ]
    assert [r.authors for r in records] == [
        ("Ada Holmqvist", "Paul Mercier"),
        ("Noor Aziz",),
        ("Li Wei", "Anna Berg", "Tomás Ruiz"),
    ]
    assert records[0].topics == ("Deep Learning · Representation",)
    assert records[1].topics == ()


@pytest.mark.parametrize(
    ("separator"),
    [" ⋅ ", "; ", " · ", ", ", " and "],
    ids=["dot", "semicolon", "middot", "comma", "and"],
)
def test_authors_may_be_parted_by_any_usual_sign(separator: str):
    line = separator.join(["Ada Holmqvist", "Paul Mercier", "Noor Aziz"])
    records, _, _ = read(PLAIN.replace("Long T. Le, Maria van der Berg", line))
    assert records[2].authors == ("Ada Holmqvist", "Paul Mercier", "Noor Aziz")


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.replace("\n", "\r\n"),
        lambda t: t.replace(" ", "\u00a0"),
        lambda t: t.replace("\n\n", "\n \t\n\n"),
        lambda t: "\ufeff" + t,
        lambda t: t.replace("\n\n", "\n"),
        lambda t: t + "\n\n\n",
        lambda t: "Papers\n\n1,204 results\n\n" + t + "\n\nNext page\n\n© 2031 Somebody",
    ],
    ids=["windows", "non-breaking", "ragged", "bom", "no blank lines", "tail", "frame"],
)
def test_line_ends_blanks_and_frames_change_nothing(change):
    plain, _, _ = read(PLAIN)
    changed, refusals, _ = read(change(PLAIN))
    assert not refusals
    assert [(r.topics, r.authors, r.abstract) for r in changed] == [
        (r.topics, r.authors, r.abstract) for r in plain
    ]


def test_hard_wrapped_lines_are_one_paragraph():
    import textwrap

    wrapped = "\n\n".join(textwrap.fill(b, 72) for b in TITLED.split("\n\n"))
    assert [(r.title, r.authors, r.abstract) for r in read(wrapped)[0]] == [
        (r.title, r.authors, r.abstract) for r in read(TITLED)[0]
    ]


def test_a_new_paper_adds_one_record():
    new = (
        "\n\nTheory · Optimization\n\nInga Strand\n\nLighthouses flash in patterns that nobody has "
        "classified. We prove that every pattern of at most nine flashes is one of four kinds, and "
        "give an algorithm that names the kind in linear time.\n"
    )
    before, _, _ = read(PLAIN)
    after, _, _ = read(PLAIN.rstrip() + new)
    assert [r.abstract for r in after[:3]] == [r.abstract for r in before]
    assert after[3].authors == ("Inga Strand",)


def test_abstracts_alone_are_papers_too():
    alone = "\n\n".join(["Daily Papers", *(r.abstract for r in read(PLAIN)[0])])
    records, refusals, _ = read(alone)
    assert len(records) == 3
    assert not refusals
    assert all(not r.authors and not r.topics for r in records)


def test_a_page_cut_inside_an_abstract_keeps_it_and_says_so():
    cut = PLAIN[: PLAIN.index("which settles")]
    records, refusals, listing = read(cut)
    assert len(records) == 3
    assert not refusals
    assert "line 19" in listing.notes[0]
    assert "may have been cut" in listing.notes[0]


def test_a_whole_page_has_no_notes():
    assert read(PLAIN)[2].notes == []


def test_authors_without_an_abstract_are_refused_alone():
    cut = PLAIN[: PLAIN.index("We study a bandit")]
    records, refusals, _ = read(cut)
    assert len(records) == 2
    assert [(r.position, r.reason) for r in refusals] == [
        (
            "line 15",
            '"Theory · Online Learning and Bandits / Long T. Le, Maria van der Berg" is followed '
            "by no abstract",
        )
    ]


def test_one_pasted_abstract_is_a_listing_of_one():
    records, _, _ = read(read(PLAIN)[0][1].abstract)
    assert len(records) == 1


GULLS = (
    "We argue that gulls have been counted twice in most surveys of the shore, and that the method "
    "should be replaced. We review forty studies and find that fewer than a fifth report a control."
)
TIDES = (
    "We prove that a lazy tide which turns at most nine times attains a bound that matches the "
    "best known result up to a factor of two. The proof uses a new potential argument."
)
ADDRESS = "https://arxiv.org/abs/3101.0000"


def _page(*blocks: str, between: str = "\n\n") -> str:
    return between.join(blocks)


FIRST = ("A Bound for the Lazy Tides of Spring", "Inga Strand", TIDES)
SECOND = ("Faster Counts for the Gulls of a Coast", "Noor Aziz, Tomás Ruiz", GULLS)


@pytest.mark.parametrize(
    "blocks",
    [
        (*FIRST, f"{ADDRESS}1", *SECOND, f"{ADDRESS}2"),
        (f"{ADDRESS}1", *FIRST, f"{ADDRESS}2", *SECOND),
        ("https://shore.example/list", *FIRST, f"{ADDRESS}1", *SECOND, f"{ADDRESS}2"),
        (f"{ADDRESS}1", *FIRST, f"{ADDRESS}2", *SECOND, "https://shore.example/list"),
        (*FIRST, f"{ADDRESS}1", *SECOND, f"{ADDRESS}2", "Next page"),
    ],
    ids=["after", "before", "after, with its own above", "before, with its own below", "frame"],
)
def test_each_paper_gets_its_own_address_on_whichever_side_of_the_abstract(blocks):
    records, refusals, _ = read(_page(*blocks))
    assert not refusals
    assert [(r.title, r.authors, r.identifiers.arxiv) for r in records] == [
        (FIRST[0], ("Inga Strand",), "3101.00001"),
        (SECOND[0], ("Noor Aziz", "Tomás Ruiz"), "3101.00002"),
    ]


def test_an_address_after_a_lone_abstract_does_not_move_its_position():
    records, _, _ = read(_page(TIDES, f"{ADDRESS}1", GULLS, f"{ADDRESS}2"))
    assert [(r.position, r.identifiers.arxiv) for r in records] == [
        ("line 1", "3101.00001"),
        ("line 5", "3101.00002"),
    ]


@pytest.mark.parametrize("title", ["Gull Counts Considered Harmful", "Gull Counts Today"])
@pytest.mark.parametrize("head", [(), ("My shore",), ("Shore Papers",)], ids=["", "site", "Site"])
def test_a_short_title_above_authors_is_a_title(title: str, head: tuple[str, ...]):
    records, refusals, _ = read(_page(*head, title, "Noor Aziz, Tomás Ruiz", GULLS, *FIRST))
    assert not refusals
    assert [(r.title, r.authors) for r in records] == [
        (title, ("Noor Aziz", "Tomás Ruiz")),
        (FIRST[0], ("Inga Strand",)),
    ]


@pytest.mark.parametrize("title", ["Gull Counts Considered Harmful", "Gull Counts Today"])
def test_a_short_title_alone_above_its_abstract_is_no_author(title: str):
    records, _, _ = read(_page(title, GULLS, FIRST[0], TIDES))
    assert [(r.title, r.authors) for r in records] == [(title, ()), (FIRST[0], ())]


def test_lone_names_stay_authors_where_others_are_named():
    records, _, _ = read(_page("Inga Strand", TIDES, "Noor Aziz, Tomás Ruiz", GULLS))
    assert [(r.title, r.authors) for r in records] == [
        (None, ("Inga Strand",)),
        (None, ("Noor Aziz", "Tomás Ruiz")),
    ]


def test_the_name_of_a_site_in_capitals_is_no_title_on_a_page_without_titles():
    records, refusals, _ = read(_page("Shore Papers", "Inga Strand", TIDES, *SECOND[1:]))
    assert not refusals
    assert [(r.title, r.authors) for r in records] == [
        (None, ("Inga Strand",)),
        (None, ("Noor Aziz", "Tomás Ruiz")),
    ]


@pytest.mark.parametrize("wrapped", [False, True], ids=["one line", "wrapped"])
@pytest.mark.parametrize("label", ["", "Abstract: ", "Abstract\n"])
def test_a_paper_may_stand_on_lines_without_blanks_between(label: str, wrapped: bool):
    import textwrap

    def paper(title: str, authors: str, abstract: str, address: str) -> str:
        text = textwrap.fill(abstract, 72) if wrapped else abstract
        return _page(title, authors, label + text, address, between="\n")

    records, refusals, _ = read(
        _page(
            "My reading list, spring", paper(*FIRST, f"{ADDRESS}1"), paper(*SECOND, f"{ADDRESS}2")
        )
    )
    assert not refusals
    assert [(r.title, r.authors, r.abstract, r.identifiers.arxiv) for r in records] == [
        (FIRST[0], ("Inga Strand",), TIDES, "3101.00001"),
        (SECOND[0], ("Noor Aziz", "Tomás Ruiz"), GULLS, "3101.00002"),
    ]


def test_a_title_right_above_an_abstract_is_read_without_authors():
    records, _, _ = read(_page(f"{FIRST[0]}\n{TIDES}", f"{SECOND[0]}\n{GULLS}"))
    assert [(r.title, r.abstract) for r in records] == [(FIRST[0], TIDES), (SECOND[0], GULLS)]


def test_names_inside_a_wrapped_abstract_are_neither_title_nor_authors():
    text = (
        "We study the four accounts of tides that can be found in the literature of the\n"
        "last hundred years and show which of them survive the test of the data of the\n"
        "Deductive Nomological, Inductive Statistical, Causal Mechanical\n"
        "Accounts. We argue that the first of these results is an error of the method."
    )
    records, _, _ = read(text)
    assert [(r.title, r.authors) for r in records] == [(None, ())]
    assert records[0].abstract == text.replace("\n", " ")


@pytest.mark.parametrize("between", ["\n\n", "\n"], ids=["blank lines", "no blank lines"])
def test_labelled_titles_authors_and_abstracts_are_read(between: str):
    page = _page(
        "Title: Lazy Tides\nAuthors: Inga Strand\nAbstract: " + TIDES,
        "Title: Fast Gulls\nAuthors: Noor Aziz, Tomás Ruiz\nAbstract: " + GULLS,
        between=between,
    )
    records, refusals, _ = read(page)
    assert not refusals
    assert [(r.title, r.authors, r.abstract) for r in records] == [
        ("Lazy Tides", ("Inga Strand",), TIDES),
        ("Fast Gulls", ("Noor Aziz", "Tomás Ruiz"), GULLS),
    ]


README = """# harbour-tools

A library for harbours. We use it to model data and show results.

## Installation

```
pip install harbour-tools
```

## Usage

- import it
- call `harbour.open()`

This framework provides methods to train models on data, and we propose that you read the manual
before you evaluate the results of your experiments with the system on your own benchmark tasks.
"""
CODE = "\n\n".join(
    f'def method_{n}(data, model):\n    """Show the results of the model."""\n'
    f"    result = model.train(data)\n    return result[{n}]"
    for n in range(20)
)
LOG = "\n".join(
    f"2031-05-0{n} 10:00:0{n} INFO training model on data set {n}" for n in range(1, 10)
)
LETTER = (
    "Dear Anna,\n\nthank you for your letter, which came on Tuesday. The garden is in full bloom "
    "and the children are on the beach all day long. I hope you will come to see us in August, "
    "when the apples are ripe and the evenings are still warm enough to sit outside.\n\nYours, Tom"
)


@pytest.mark.parametrize(
    "text", [README, CODE, LOG, LETTER], ids=["readme", "code", "log", "letter"]
)
def test_prose_that_is_no_listing_is_refused_with_a_sentence(text: str):
    with pytest.raises(ListingError, match="something is no listing that can be recognised"):
        read(text, name="something")


def test_a_page_without_any_abstract_says_so_when_its_format_is_given():
    with pytest.raises(ListingError, match="no abstract stands in its 3 lines"):
        read("Deep Learning · Vision\n\nAda Holmqvist, Paul Mercier", format="pages")


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=2000))
def test_any_text_gives_valid_records_or_one_sentence(text: str):
    _check_any(text)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [*PLAIN.split("\n\n"), *TITLED.split("\n\n"), "\x00", "{}", "· · ·", "$$$"]
        ),
        max_size=14,
    ),
    st.sampled_from(["\n\n", "\n", "\r\n\r\n", "\u2028", " "]),
)
def test_shuffled_and_doubled_blocks_give_valid_records(blocks: list[str], between: str):
    _check_any(between.join(blocks))


def _check_any(text: str) -> None:
    records: list[PaperRecord] = []
    refusals: list[Refusal] = []
    sentence = ""
    try:
        records, refusals, _ = read(text.encode("utf-8", "surrogatepass"), format="pages")
    except ListingError as error:
        sentence = str(error)
    assert bool(records or refusals) != sentence.endswith(".")
    for record in records:
        assert isinstance(record, PaperRecord)
        assert record.title or record.abstract
        assert record.position.startswith("line ")
        assert "\n" not in record.abstract
    for refusal in refusals:
        assert refusal.reason


@needs_shared
def test_the_three_real_pages_hold_160_different_papers():
    counts = {}
    abstracts = set()
    for path in sorted((SHARED / "pages").glob("*.txt")):
        records, refusals, listing = read(path)
        assert listing.format == "pages"
        assert not refusals
        assert not listing.notes
        counts[path.name[:3]] = (
            len(records),
            sum(not r.topics for r in records),
            sum(not r.authors for r in records),
        )
        abstracts |= {r.abstract for r in records}
    assert counts == {"000": (20, 3, 0), "001": (120, 120, 120), "003": (20, 0, 0)}
    assert len(abstracts) == 160


@needs_shared
def test_real_names_and_topics_are_kept_as_they_stand():
    records = [r for path in sorted((SHARED / "pages").glob("*.txt")) for r in read(path)[0]]
    authors = {a for r in records for a in r.authors}
    topics = {t for r in records for t in r.topics}
    assert {"Qiang (Shaun) Cheng", "Paul MONTAGUE", "Uygar Sümbül", "Xing fan"} <= authors
    assert "Social Aspects · Accountability, Transparency, and Interpretability" in topics
    assert "General Machine Learning" in topics
    assert all(r.title is None for r in records)
