"""JSON lines with a title and an abstract."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.listings import ListingError, open_listing
from data.records import AnnounceType, Identifiers, PaperRecord
from tests.data.listing_help import read


def line(**fields: object) -> str:
    return json.dumps(fields, ensure_ascii=False)


def test_every_known_key_goes_into_its_field():
    text = line(
        title="Tides of $\\ell_1$",
        abstract="On <em>tides</em>.",
        authors=["L\\'evy, Paul", "Noor Aziz"],
        id="2601.00017v3",
        doi="https://doi.org/10.1234/ABC.",
        openreview="https://openreview.net/forum?id=aBcD12345x",
        url="https://www.example.org/tides/",
        topics=["Seas · Tides"],
        categories="cs.LG stat.ML",
        venue="Harbour 2031",
        comment="9 pages",
        published="2031-02-03T04:05:06+02:00",
        updated="2031-02-04",
        announced="2031-02-05",
        announce_type="replace-cross",
    )
    (record,), refusals, listing = read(text)
    assert listing.format == "jsonl"
    assert not refusals
    assert record == PaperRecord(
        position="line 1",
        title="Tides of ℓ₁",
        abstract="On tides.",
        authors=("Paul Lévy", "Noor Aziz"),
        identifiers=Identifiers(
            arxiv="2601.00017",
            doi="10.1234/abc",
            openreview="aBcD12345x",
            url="https://example.org/tides",
        ),
        topics=("Seas · Tides",),
        categories=("cs.LG", "stat.ML"),
        venue="Harbour 2031",
        comment="9 pages",
        published=datetime(2031, 2, 3, 2, 5, 6, tzinfo=UTC),
        updated=datetime(2031, 2, 4, tzinfo=UTC),
        announced=date(2031, 2, 5),
        version=3,
        announce_type=AnnounceType.REPLACEMENT_CROSS_LIST,
        title_source="Tides of $\\ell_1$",
        abstract_source="On <em>tides</em>.",
    )


def test_authors_may_be_one_string_or_objects():
    text = "\n".join(
        [
            line(title="A first title", authors="Ada Holmqvist, Noor Aziz and Li Wei"),
            line(
                title="A second title",
                authors=[{"name": "Ada Holmqvist"}, {"given": "Li", "family": "Wei"}],
            ),
            line(title="A third title", authors=None),
        ]
    )
    assert [r.authors for r in read(text)[0]] == [
        ("Ada Holmqvist", "Noor Aziz", "Li Wei"),
        ("Ada Holmqvist", "Li Wei"),
        (),
    ]


def test_a_bad_line_is_refused_with_its_number_and_the_others_go_in():
    text = "\n".join(
        [
            line(title="One"),
            "",
            '{"title": "Two"',
            "[1, 2]",
            line(comment="nothing else"),
            line(title="Six"),
        ]
    )
    records, refusals, _ = read(text, name="p.jsonl")
    assert [(r.title, r.position) for r in records] == [("One", "line 1"), ("Six", "line 6")]
    assert [(r.file, r.position) for r in refusals] == [
        ("p.jsonl", "line 3"),
        ("p.jsonl", "line 4"),
        ("p.jsonl", "line 5"),
    ]
    assert "no JSON" in refusals[0].reason
    assert "no object" in refusals[1].reason
    assert "neither a title nor an abstract" in refusals[2].reason


def test_bad_lines_before_the_first_good_one_are_refused_in_their_order():
    records, refusals, _ = read("\n".join(["{bad", "{worse", line(title="Good")]), format="jsonl")
    assert [r.position for r in refusals] == ["line 1", "line 2"]
    assert len(records) == 1


def test_a_file_without_one_usable_line_is_refused_whole():
    with pytest.raises(ListingError, match=r"holds no usable record .* \(line 1: it is no JSON"):
        read("{oops\n{again", format="jsonl")


def test_records_come_before_the_file_has_been_read_to_its_end():
    text = line(title="First") + "\n" + "\n".join("{bad" for _ in range(1000))
    from data.listings import open_listing

    items = open_listing(text.encode(), name="x").items
    first = next(items)
    assert isinstance(first, PaperRecord)
    assert first.title == "First"


def test_a_first_record_longer_than_the_part_that_is_looked_at_is_recognised():
    long = line(title="Long", abstract="fog " * 40_000)
    assert [r.title for r in read(f"{long}\n{line(title='Short')}")[0]] == ["Long", "Short"]
    assert [r.title for r in read(f"[{long}]")[0]] == ["Long"]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(
                [
                    "title",
                    "abstract",
                    "authors",
                    "id",
                    "doi",
                    "url",
                    "topics",
                    "published",
                    "version",
                ]
            ),
            st.one_of(
                st.none(),
                st.booleans(),
                st.integers(),
                st.floats(),
                st.text(max_size=40),
                st.lists(st.text(max_size=9), max_size=3),
            ),
            max_size=6,
        ),
        max_size=5,
    ),
    st.randoms(use_true_random=False),
)
def test_any_values_and_any_damage_cost_one_line_each(entries, random):
    lines = [json.dumps(e) for e in entries]
    damaged = [
        text[: random.randrange(len(text))] if random.random() < 0.3 else text for text in lines
    ]
    good = line(title="The good one stays")
    records, refusals, _ = read("\n".join([good, *damaged, good]), format="jsonl")
    assert [r.title for r in records].count("The good one stays") == 2
    assert len(records) + len(refusals) == 2 + sum(bool(d.strip()) for d in damaged)


@pytest.mark.parametrize("document", ["%s\n", "[%s]"])
def test_half_a_character_costs_itself_alone(document: str) -> None:
    entry = (
        r'{"title": "Cut \ud83d here \ud83d\ude00", "abstract": "\uDFFFWe prove a bound.",'
        r' "doi": "10.1234/a\ud800b"}'
    )
    [record] = open_listing((document % entry).encode(), name="x.json").items
    assert isinstance(record, PaperRecord)
    for text in (record.title, record.title_source, record.abstract, record.identifiers.doi):
        (text or "").encode()
    assert "😀" in (record.title or "")
    assert "We prove a bound." in (record.abstract or "")


@pytest.mark.parametrize(("before", "after"), [(1, 1), (0, 3), (3, 0), (0, 1), (1, 0)], ids=str)
@pytest.mark.parametrize("bad", ["[" * 4000, "[[[[", "hello"], ids=["deep", "brackets", "word"])
def test_a_line_that_is_no_object_is_refused_wherever_it_stands(before: int, after: int, bad: str):
    lines = [line(title=f"Paper {n}") for n in range(before + after)]
    text = "\n".join([*lines[:before], bad, *lines[before:]])
    records, (refusal,), _ = read(text, name="p.jsonl")
    assert len(records) == before + after
    assert refusal.position == f"line {before + 1}"


def test_two_objects_on_a_line_that_lost_its_end_are_both_read():
    one, two, three = (line(title=t) for t in ("One", "Two", "Three"))
    records, refusals, _ = read(f'{one}{two}\n[{three}, {one}]\n{two}{{"title')
    assert [r.title for r in records] == ["One", "Two", "Three", "One", "Two"]
    assert [r.position for r in records][:2] == ["line 1, entry 1", "line 1, entry 2"]
    assert [r.position for r in refusals] == ["line 3"]


@pytest.mark.parametrize("frame", ["[%s]", '{"total": 3, "data": [%s]}'])
def test_every_object_of_a_document_that_is_damaged_is_refused_alone(frame: str):
    bad = '{"title": "Bad" "abstract": "No comma."}'
    good = [line(title=t) for t in ("One", "Two")]
    text = frame % ",\n".join([bad, good[0], bad, bad, "hello", good[1]])
    records, refusals, _ = read(text, name="p.json")
    assert [(r.title, r.position) for r in records] == [("One", "entry 2"), ("Two", "entry 5")]
    assert [r.position for r in refusals] == ["entry 1", "entry 3", "entry 4"]
    assert [r.reason[-8:] for r in refusals] == ["(line 1)", "(line 3)", "(line 4)"]


def test_a_script_that_sets_a_list_of_papers_is_read_as_the_list():
    text = f"var papers = [\n{line(title='One')},\n{line(title='Two')}\n];\n"
    records, refusals, _ = read(text)
    assert ([r.title for r in records], refusals) == (["One", "Two"], [])
