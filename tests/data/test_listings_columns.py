"""Tables and JSON objects whose columns and keys are headed in any usual way."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime

import pytest

from data.listings import ListingError
from data.listings.columns import field_of
from data.records import Identifiers, Period
from tests.data.listing_help import read


def test_columns_that_are_not_taken_are_named_in_a_note():
    text = "Title,Authors,Colour,Abstract,h5-index\nOtters,Ada Lutra,red,Otters swim.,9\n"
    (record,), refusals, listing = read(text, name="t.csv")
    assert (record.title, record.abstract) == ("Otters", "Otters swim.")
    assert not refusals
    (note,) = listing.notes
    assert note == (
        't.csv: nothing was taken from the columns "Colour", "h5-index", whose headings name no '
        "field."
    )


def test_a_table_of_known_columns_has_no_note_and_many_unknown_are_counted():
    assert not read("title,abstract\nOtters,Otters swim.\n")[2].notes
    many = ",".join(f"x{n}" for n in range(20))
    _, _, listing = read(f"title,abstract,{many}\nOtters,Otters swim.{',' * 20}\n")
    assert '"x7" and 12 more' in listing.notes[0]


@pytest.mark.parametrize(
    ("heading", "row"),
    [
        ("Titel;Autoren;Zusammenfassung;Jahr", "Otter;Ada Lutra, Li Wei;Otter schwimmen.;2026"),
        ("\ufefftitre\tauteurs\trésumé\tannée", "Otter\tAda Lutra; Li Wei\tOtter schwimmen.\t2026"),
        ("标题,作者,摘要,年份", "Otter,Ada Lutra；Li Wei,Otter schwimmen.,2026"),
        (
            "Paper Title,Author Names,Abstract,Publication Year",
            'Otter,"Lutra, Ada (Harbour)*; Wei, Li (Coast)",Otter schwimmen.,2026.0',
        ),
        ("標題,作者,摘要,發表年份", "Otter,Ada Lutra、Li Wei,Otter schwimmen.,2026"),
        ("论文名称,作者姓名,文章摘要,年份", "Otter,Ada Lutra；Li Wei,Otter schwimmen.,2026"),
        ("TI\tAU\tAB\tPY", "Otter\tLutra, Ada; Wei, Li\tOtter schwimmen.\t2026"),
    ],
)
@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16"])
def test_headings_of_many_tongues_delimiters_and_encodings(heading: str, row: str, codec: str):
    text = f"{heading}\r\n{row}\r\n".encode(codec)
    (record,), refusals, listing = read(text)
    assert listing.format == "csv"
    assert not refusals
    assert (record.title, record.abstract) == ("Otter", "Otter schwimmen.")
    assert record.authors == ("Ada Lutra", "Li Wei")
    assert record.published_in == Period(2026)


def test_month_and_year_columns_make_one_date():
    (named, numbered, whole), _, _ = read(
        "title,year,month,date\nA one,2026,Mar,\nB two,2026,3,\nC three,2026,3,2026-03-05\n"
    )
    assert named.published_in == numbered.published_in == Period(2026, 3)
    assert whole.published == datetime(2026, 3, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    "entry",
    [
        {"title": "Otters", "abstract": "Swim.", "authors": "Ada Lutra and Li Wei"},
        {"Title": "Otters", "Abstract": "Swim.", "Authors": ["Ada Lutra", "Li Wei"]},
        {"name": "Otters", "summary": "Swim.", "author": "Ada Lutra, Li Wei"},
        {"paper_title": "Otters", "tldr": "Swim.", "author_names": "Ada Lutra; Li Wei"},
        {"标题": "Otters", "摘要": "Swim.", "作者": ["Ada Lutra", "Li Wei"]},
        {"TITLE": "Otters", "description": "Swim.",
         "authors": [{"firstName": "Ada", "lastName": "Lutra"}, {"display_name": "Li Wei"}]},
    ],
)  # fmt: skip
def test_json_keys_may_be_spelt_as_columns_are(entry: dict[str, object]):
    entry |= {"DOI": "10.1000/X", "pdf_url": "https://otters.org/1.pdf", "Year": 2026}
    for text in (
        json.dumps([entry]),
        json.dumps(entry),
        json.dumps(entry) + "\n" + json.dumps(entry),
    ):
        records, refusals, _ = read(text)
        assert not refusals
        assert (records[0].title, records[0].abstract) == ("Otters", "Swim.")
        assert records[0].authors == ("Ada Lutra", "Li Wei")
        assert records[0].published_in == Period(2026)
        assert records[0].identifiers == Identifiers(
            doi="10.1000/x", url="https://otters.org/1.pdf"
        )


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "otter-cli", "version": "1.0.0", "description": "A tool.", "author": "Ada"}',
        "from dataclasses import dataclass\n\n\n@dataclass(frozen=True, slots=True)\nclass A:\n"
        "    x: int\n\n\n@lru_cache(maxsize, typed)\ndef f(x):\n    return x\n",
        "@media (max-width: 600px) {\n  a { color: red; }\n}\n",
    ],
)
def test_programs_and_their_descriptions_are_no_listings(text: str):
    with pytest.raises(ListingError):
        read(text)


def test_entries_of_bibtex_in_brackets_or_with_blanks_in_their_keys_are_known():
    assert read("@article(key1, title={Otters}, author={A B})")[2].format == "bibtex"
    assert read("@InProceedings {Lutra 2026,\n title={Otters}}")[2].format == "bibtex"


def test_the_better_heading_wins_and_a_long_one_names_nothing():
    assert field_of("Author Full Names")[1] < field_of("Authors")[1]
    assert field_of("Title-题名") == ("title", 0)
    assert field_of("title" * 100) == ("", 0)


@pytest.mark.parametrize(
    ("cell", "names"),
    [
        ("Müller, Anna", ("Anna Müller",)),
        ("Müller, Anna Maria", ("Anna Maria Müller",)),
        ("van der Berg, Anna", ("Anna van der Berg",)),
        ("Müller, A.", ("A. Müller",)),
        ("Müller, Anna (57190000000)", ("Anna Müller",)),
        ("Müller, A., Wei, L.", ("A. Müller", "L. Wei")),
        ("García Márquez, Gabriel; ", ("Gabriel García Márquez",)),
        ("Müller, Anna; Wei, Li; ", ("Anna Müller", "Li Wei")),
        ("Müller A.; Wei L.-F.", ("A. Müller", "L.-F. Wei")),
        ("Müller A, Wei LF", ("A Müller", "LF Wei")),
        ("Anna Müller, Li Wei", ("Anna Müller", "Li Wei")),
        ("Anna Müller, Jr.", ("Anna Müller Jr.",)),
        ("张伟, 李娜", ("张伟", "李娜")),
        ("Anna Müller*, Li Wei (1)", ("Anna Müller", "Li Wei")),
        ("Plato", ("Plato",)),
    ],
)
def test_a_cell_of_authors_is_read_in_any_order_of_names(cell: str, names: tuple[str, ...]):
    (record,), _, _ = read(f'title,authors,abstract\nOne,"{cell}",Text.\n')
    assert record.authors == names
    (record,), _, _ = read(json.dumps({"title": "One", "abstract": "Text.", "authors": cell}))
    assert record.authors == names


@pytest.mark.parametrize(
    ("other", "names"),
    [
        ("García Márquez, Gabriel; Moor, Ada", ("Ada Lovelace Moor",)),
        ("Ada Moor, Li Wei", ("Lovelace Moor", "Ada")),
        ("Plato", ("Lovelace Moor", "Ada")),
    ],
)
def test_the_other_cells_of_a_column_tell_how_a_name_is_written(other: str, names: tuple[str, ...]):
    text = f'title,authors\nOne,"{other}"\nTwo,"Lovelace Moor, Ada"\n'
    assert read(text)[0][1].authors == names


@pytest.mark.parametrize(
    "cell", ["[No abstract available]", "No abstract available.", "Abstract not available", "N/A"]
)
def test_a_word_for_no_abstract_is_none(cell: str):
    assert read(f"title,abstract\nOne,{cell}\n")[0][0].abstract == ""


def test_days_written_the_european_way_are_read_where_they_can_be_nothing_else():
    rows = ["15.03.2031", "15/03/2031", "03/15/2031", "15-Mar-2031", "2031 Mar 15"]
    text = "Titel;Datum\n" + "".join(f"Nr. {row};{row}\n" for row in rows)
    days = [r.published.date() for r in read(text)[0] if r.published]
    assert days == [date(2031, 3, 15)] * len(rows)


def test_a_table_of_markdown_has_no_paper_of_dashes():
    text = "| Title | Authors | Abstract |\n|---|:-:|---|\n| One | A B | Text |\n| — | C D | |\n"
    (record,), (refusal,), _ = read(text)
    assert (record.title, record.abstract) == ("One", "Text")
    assert refusal.position == "row 2 (line 4)"


@pytest.mark.parametrize(
    ("said", "forum"),
    [
        ("AbCdEf1234", "AbCdEf1234"),
        ("https://openreview.net/forum?id=AbCdEf1234&noteId=zz", "AbCdEf1234"),
        ("yes", None),
        ("accepted", None),
        ("7.5", None),
        ("https://openreview.net/group?id=ICLR.cc/2031/Conference", None),
    ],
)
def test_what_is_no_forum_joins_no_papers(said: str, forum: str | None):
    table = f"title,abstract,openreview\nOne,Text.,{said}\n"
    line = json.dumps({"title": "One", "abstract": "Text.", "openreview": said})
    dump = json.dumps(
        [{"title": "One", "author": "A B", "track": "x", "status": "Poster", "aff": ""}
         | {"openreview": said, "site": "https://harbour.example.org"}]
    )  # fmt: skip
    for text in (table, line, dump):
        assert read(text)[0][0].identifiers.openreview == forum


@pytest.mark.parametrize(
    "over", ['"About the data: Exported on 7 Feb, 2031."\n', "Our list\n\n\nof 2031\n"]
)
def test_lines_over_the_headings_of_a_table_are_passed_over(over: str):
    text = f'{over}"Title";"Authors";"Abstract"\n"One";"Moor, Ada";"Text."\n"";"";""\n'
    (record,), (refusal,), listing = read(text)
    assert listing.format == "csv"
    assert (record.title, record.authors, record.abstract) == ("One", ("Ada Moor",), "Text.")
    line = over.count("\n") + 2
    assert record.position == f"row 1 (line {line})"
    assert refusal.position == f"row 2 (line {line + 1})"
