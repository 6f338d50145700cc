"""Exports: every file reads back, in the programs it is made for, as the papers that went in."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from datetime import UTC, date, datetime

import bibtexparser
import pytest
import rispy
from bibtexparser import middlewares
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from pylatexenc.latex2text import LatexNodes2Text

from data.exports import EXPORT_FORMATS, ExportItem, export
from data.exports.names import split_name
from data.records import Identifiers, Paper, TagJudgement

SEEN = datetime(2025, 3, 4, tzinfo=UTC)


def paper(**fields) -> Paper:
    known = {
        "id": 7,
        "title": "Collusion among language models",
        "title_derived": False,
        "abstract": "We study 50% of $n$ agents & their prices.",
        "authors": ("Matthew Riemer", "Mihaela van der Schaar"),
        "identifiers": Identifiers(arxiv="2501.00001"),
        "topics": ("Multi-agent",),
        "categories": ("cs.LG", "cs.MA"),
        "sources": ("arxiv",),
        "first_seen": SEEN,
        "published": datetime(2025, 1, 2, tzinfo=UTC),
    }
    return Paper(**(known | fields))


def bib(*items: ExportItem, decode: bool = True):
    """The entries as bibtexparser reads them; no block may fail."""
    text = export(items, "bibtex").content.decode()
    stack = [middlewares.LatexDecodingMiddleware()] if decode else []
    library = bibtexparser.parse_string(text, append_middleware=stack)
    assert library.failed_blocks == []
    assert len(library.blocks) == len(items)
    return library.entries


def bib_names(*authors: str):
    """The authors as BibTeX takes them apart, one (von last, jr, first) each."""
    text = export([ExportItem(paper(authors=authors))], "bibtex").content.decode()
    library = bibtexparser.parse_string(
        text,
        append_middleware=[
            middlewares.SeparateCoAuthors(),
            middlewares.SplitNameParts(),
        ],
    )
    read = LatexNodes2Text().latex_to_text
    return [
        tuple(read(" ".join(words)) for words in (name.von + name.last, name.jr, name.first))
        for name in library.entries[0]["author"]
    ]


def ris(*items: ExportItem):
    return rispy.loads(export(items, "ris").content.decode())


def csl(*items: ExportItem):
    return json.loads(export(items, "csljson").content)


def table(*items: ExportItem):
    text = export(items, "csv").content.decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_a_preprint_of_arxiv_reads_back_from_bibtex():
    (entry,) = bib(ExportItem(paper()))
    assert entry.entry_type == "misc"
    assert entry.key == "riemer2025collusion"
    fields = {field.key: field.value for field in entry.fields}
    assert fields["title"] == "Collusion among language models"
    assert fields["author"] == "Riemer, Matthew and van der Schaar, Mihaela"
    assert (fields["eprint"], fields["archivePrefix"], fields["primaryClass"]) == (
        "2501.00001",
        "arXiv",
        "cs.LG",
    )
    assert fields["year"] == "2025"
    assert fields["url"] == "https://arxiv.org/abs/2501.00001"
    assert fields["abstract"] == "We study 50% of $n$ agents & their prices."
    assert "note" not in fields


@pytest.mark.parametrize(
    ("venue", "ids", "bibtex", "ris_type", "csl_type"),
    [
        ("Journal of Machine Learning Research", {}, "article", "JOUR", "article-journal"),
        ("TMLR", {"arxiv": "2501.1"}, "article", "JOUR", "article-journal"),
        ("Transactions of the ACL", {}, "article", "JOUR", "article-journal"),
        ("ICML 2025 Position Papers", {}, "inproceedings", "CONF", "paper-conference"),
        ("Proceedings of the ACM on X", {}, "inproceedings", "CONF", "paper-conference"),
        ("Advances in Neural Information Processing Systems", {}, "inproceedings", "CONF", "paper-conference"),  # noqa: E501 - a row of the table
        ("Submitted to ICLR 2025", {"openreview": "aBc123"}, "misc", "UNPB", "article"),
        ("arXiv.org", {"arxiv": "2501.00001"}, "misc", "UNPB", "article"),
        (None, {"arxiv": "2501.00001"}, "misc", "UNPB", "article"),
        (None, {"doi": "10.1000/x"}, "misc", "GEN", "document"),
        ("Somebody's blog", {}, "misc", "GEN", "document"),
    ],
)  # fmt: skip
def test_the_kind_of_work_is_what_the_venue_tells(venue, ids, bibtex, ris_type, csl_type):
    item = ExportItem(paper(venue=venue, identifiers=Identifiers(**ids)))
    (entry,) = bib(item)
    assert entry.entry_type == bibtex
    assert ris(item)[0]["type_of_reference"] == ris_type
    assert csl(item)[0]["type"] == csl_type
    if bibtex == "article":
        assert entry["journal"] == venue
    if bibtex == "inproceedings":
        assert entry["booktitle"] == venue


def test_a_conference_paper_counts_for_the_year_of_the_conference_not_of_its_preprint():
    item = ExportItem(paper(venue="NeurIPS 2024", published=datetime(2023, 10, 1, tzinfo=UTC)))
    (entry,) = bib(item)
    assert (entry["year"], entry.key) == ("2024", "riemer2024collusion")
    assert "month" not in entry.fields_dict
    assert csl(item)[0]["issued"] == {"date-parts": [[2024]]}


def test_a_derived_title_is_marked_wherever_it_goes():
    item = ExportItem(paper(title_derived=True, comment="12 pages"))
    assert (
        bib(item)[0]["note"] == "Title derived from the abstract; the listing gave none. 12 pages"
    )
    assert "derived" in ris(item)[0]["notes"][0]
    assert "derived" in csl(item)[0]["note"]
    assert table(item)[0]["title_derived"] == "yes"
    assert "title derived" in export([item], "md").content.decode()


def test_keys_are_told_apart_by_letters_and_the_oldest_paper_keeps_its_own():
    items = [ExportItem(paper(id=number)) for number in (30, 10, 20)]
    assert [entry.key for entry in bib(*items)] == [
        "riemer2025collusionb",
        "riemer2025collusion",
        "riemer2025collusiona",
    ]


def test_thirty_equal_papers_have_thirty_keys():
    keys = [entry.key for entry in bib(*(ExportItem(paper(id=n)) for n in range(30)))]
    assert keys[1] == "riemer2025collusiona"
    assert keys[26:29] == [f"riemer2025collusion{tail}" for tail in ("z", "aa", "ab")]
    assert len(set(keys)) == 30


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ({"authors": ("Maxime Lévy",), "title": "On the $\\ell_1$ norm"}, "levy2025ell1"),
        ({"authors": ("Jan Ørsted Łukasz",)}, "lukasz2025collusion"),
        ({"authors": ("Mihaela van der Schaar",)}, "vanderschaar2025collusion"),
        ({"authors": ()}, "anon2025collusion"),
        ({"authors": ("王小明",)}, "anon2025collusion"),
        ({"authors": ("王小明",), "title": "大模型"}, "paper7"),
        ({"title": "The Self-Play of Everything"}, "riemer2025self"),
        ({"published": None}, "riemer2025collusion"),
        ({"published": None, "identifiers": Identifiers()}, "riemercollusion"),
        ({"published": None, "identifiers": Identifiers("hep-th/9901001")}, "riemer1999collusion"),
        ({"published": None, "announced": date(2024, 5, 1)}, "riemer2024collusion"),
    ],
)
def test_a_key_can_be_read_and_typed(fields, key):
    assert bib(ExportItem(paper(**fields)))[0].key == key


@pytest.mark.parametrize(
    ("name", "family", "given", "suffix"),
    [
        ("Matthew Riemer", "Riemer", "Matthew", ""),
        ("Mihaela van der Schaar", "van der Schaar", "Mihaela", ""),
        ("Ludwig von Beethoven", "von Beethoven", "Ludwig", ""),
        ("Guy Van den Broeck", "Van den Broeck", "Guy", ""),
        ("Luc De Raedt", "De Raedt", "Luc", ""),
        ("Nguyen Van Anh", "Anh", "Nguyen Van", ""),
        ("Santiago Ramón y Cajal", "Ramón y Cajal", "Santiago", ""),
        ("Qiang (Shaun) Cheng", "Cheng", "Qiang (Shaun)", ""),
        ("Wei Wang (王伟)", "Wang", "Wei (王伟)", ""),
        ("Simon S. Du", "Du", "Simon S.", ""),
        ("J. P. Morgan Jr.", "Morgan", "J. P.", "Jr."),
        ("Robert Downey, Jr.", "Downey", "Robert", "Jr."),
        ("Downey, Robert", "Downey", "Robert", ""),
        ("Downey, Jr., Robert", "Downey", "Robert", "Jr."),
        ("Jean-Luc  Picard-Smith", "Picard-Smith", "Jean-Luc", ""),
        ("Plato", "Plato", "", ""),
        ("王小明", "王小明", "", ""),
        ("山田 太郎", "山田", "太郎", ""),
        ("김 민수", "김", "민수", ""),
        ("The Anh Han", "Han", "The Anh", ""),
        ("Gemini Team", "Gemini Team", "", ""),
        ("The ATLAS Collaboration", "The ATLAS Collaboration", "", ""),
        ("Research and Development Unit", "Research and Development Unit", "", ""),
        ("van Gogh", "Gogh", "van", ""),
        ("", "", "", ""),
    ],
)
def test_names_are_split_where_a_bibliography_would(name, family, given, suffix):
    split = split_name(name)
    assert (split.family, split.given, split.suffix) == (family, given, suffix)


def test_names_read_back_from_every_bibliography():
    authors = (
        "Mihaela van der Schaar",
        "Qiang (Shaun) Cheng",
        "Santiago Ramón y Cajal",
        "Robert Downey, Jr.",
        "Plato",
        "王小明",
        "Research and Development Unit",
    )
    assert bib_names(*authors) == [
        ("van der Schaar", "", "Mihaela"),
        ("Cheng", "", "Qiang (Shaun)"),
        ("Ramón y Cajal", "", "Santiago"),
        ("Downey", "Jr.", "Robert"),
        ("Plato", "", ""),
        ("王小明", "", ""),
        ("Research and Development Unit", "", ""),
    ]
    item = ExportItem(paper(authors=authors))
    assert ris(item)[0]["authors"] == [
        "van der Schaar, Mihaela",
        "Cheng, Qiang (Shaun)",
        "Ramón y Cajal, Santiago",
        "Downey, Robert, Jr.",
        "Plato",
        "王小明",
        "Research and Development Unit",
    ]
    assert csl(item)[0]["author"][0] == {"family": "van der Schaar", "given": "Mihaela"}
    assert csl(item)[0]["author"][3] == {"family": "Downey", "given": "Robert", "suffix": "Jr."}
    assert csl(item)[0]["author"][5] == {"literal": "王小明"}


def test_a_small_word_inside_a_family_name_is_no_particle_to_bibtex():
    text = export([ExportItem(paper(authors=("Santiago Ramón y Cajal",)))], "bibtex").content
    assert rb"author = {{Ram{\'o}n y Cajal}, Santiago}," in text


def test_latex_has_its_signs_escaped_and_capitals_kept():
    title = r"GPT-4 & LoRA: 100% of x_1^2 ~ {a} \foo #1 $5 <b> Müller ℓ₁ ℝ xᵀ 模型"
    raw = bib(ExportItem(paper(title=title)), decode=False)[0]["title"]
    assert raw == (
        r"{GPT-4} \& {LoRA:} 100\% of x\_1{\textasciicircum}2 {\textasciitilde} "
        r"{\ensuremath{\lbrace}}a{\ensuremath{\rbrace}} {\textbackslash}foo \#1 \$5 "
        r"{\ensuremath{<}}b{\ensuremath{>}} M{\"u}ller {\ensuremath{\ell}}{\textsubscript{1}} "
        r"{\ensuremath{\mathbb{R}}} x{\textsuperscript{T}} 模型"
    )


def test_addresses_and_identifiers_stand_in_bibtex_as_they_are():
    ids = Identifiers(doi="10.1000/a_b%2{c}", url="https://x.example/a_b?c=%20&d=ü {e}")
    (entry,) = bib(ExportItem(paper(identifiers=ids)), decode=False)
    assert entry["doi"] == "10.1000/a_b%2%7Bc%7D"
    only_url = Identifiers(url="https://x.example/a_b?c=%20&d=ü {e}")
    (entry,) = bib(ExportItem(paper(identifiers=only_url)), decode=False)
    assert entry["url"] == "https://x.example/a_b?c=%20&d=%C3%BC%20%7Be%7D"


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "http://[bad"])
def test_a_link_that_leads_nowhere_on_the_web_is_left_out(url):
    item = ExportItem(paper(identifiers=Identifiers(url=url)))
    assert "url" not in bib(item)[0].fields_dict
    assert "URL" not in csl(item)[0]
    assert table(item)[0]["url"] == ""
    assert "](" not in export([item], "md").content.decode()


def test_ris_reads_back_with_all_that_is_known():
    item = ExportItem(
        paper(
            venue="TMLR",
            identifiers=Identifiers(arxiv="2501.00001", doi="10.1000/a;b"),
            withdrawn=True,
        ),
        tag="theory",
    )
    text = export([item, item], "ris").content.decode()
    assert text.startswith("TY  - JOUR\r\n")
    assert text.endswith("ER  - \r\n")
    first, second = ris(item, item)
    assert first["title"] == second["title"] == "Collusion among language models"
    assert first["year"] == "2025"
    assert first["date"] == "2025/01/02"
    assert first["secondary_title"] == "TMLR"
    assert first["doi"] == "10.1000/a;b"
    assert first["accession_number"] == "arXiv:2501.00001"
    assert first["urls"] == ["https://arxiv.org/abs/2501.00001"]
    assert first["keywords"] == ["Multi-agent", "theory"]
    assert first["notes"] == ["Withdrawn"]


def test_an_address_with_a_semicolon_stays_one_address_in_ris():
    item = ExportItem(paper(identifiers=Identifiers(url="https://x.example/a;b")))
    assert ris(item)[0]["urls"] == ["https://x.example/a%3Bb"]


def test_csl_json_has_types_and_dates_by_the_schema():
    (entry,) = csl(ExportItem(paper()))
    assert entry["id"] == "riemer2025collusion"
    assert entry["type"] == "article"
    assert entry["genre"] == "preprint"
    assert entry["issued"] == {"date-parts": [[2025, 1, 2]]}
    assert entry["number"] == "arXiv:2501.00001"
    assert entry["URL"] == "https://arxiv.org/abs/2501.00001"
    assert "DOI" not in entry


def test_the_table_shows_what_the_server_knows():
    item = ExportItem(
        paper(), tag="position", votes=2, voters=("Ada", "Bo"), state="reading", reader="Ada"
    )
    (row,) = table(item)
    assert (row["tag"], row["votes"], row["voters"]) == ("position", "2", "Ada; Bo")
    assert (row["state"], row["reader"]) == ("reading", "Ada")
    assert row["authors"] == "Matthew Riemer; Mihaela van der Schaar"
    assert (row["published"], row["announced"]) == ("2025-01-02", "")
    (row,) = table(ExportItem(paper()))
    assert (row["tag"], row["votes"], row["state"]) == ("", "", "")
    assert export([item], "csv").content.startswith(b"\xef\xbb\xbfid,title,")


def test_the_taggers_own_tag_is_shown_until_somebody_corrects_it():
    judged = paper(judgement=TagJudgement("theory", "methods", {"theory": 0.8}))
    assert table(ExportItem(judged))[0]["tag"] == "theory"
    assert table(ExportItem(judged))[0]["secondary_tag"] == "methods"
    assert table(ExportItem(judged, tag="position"))[0]["tag"] == "position"
    assert table(ExportItem(judged, tag="position"))[0]["secondary_tag"] == ""
    unsure = paper(judgement=TagJudgement("unsure", None, {"theory": 0.4}))
    assert table(ExportItem(unsure))[0]["tag"] == "unsure"
    assert bib(ExportItem(unsure))[0]["keywords"] == "Multi-agent"


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "＝", "\t=", " @"])
def test_a_cell_that_a_spreadsheet_would_run_is_made_text(sign):
    evil = f"{sign}HYPERLINK(1)"
    item = ExportItem(
        paper(title=evil, abstract=evil, authors=(evil,), comment=evil), voters=(evil,), reader=evil
    )
    (row,) = table(item)
    for column in ("title", "abstract", "authors", "comment", "voters", "reader"):
        assert row[column] == f"'{evil.strip()}"


def test_the_list_has_one_line_a_paper():
    item = ExportItem(paper(venue="TMLR"), tag="theory", votes=1, voters=("Ada",), state="queued")
    many = ExportItem(
        paper(authors=tuple(f"A{n} B" for n in range(11)), identifiers=Identifiers()),
        state="reading",
        reader="Bo",
    )
    assert export([item, many], "md").content.decode() == (
        "- **[Collusion among language models](<https://arxiv.org/abs/2501.00001>)** · "
        "Matthew Riemer, Mihaela van der Schaar · TMLR, 2025 · theory · 1 vote (Ada) · queued\n"
        "- **Collusion among language models** · "
        "A0 B, A1 B, A2 B, A3 B, A4 B, A5 B, A6 B, A7 B and 3 more · 2025 · reading by Bo\n"
    )


def test_an_unknown_format_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"'docx'.*bibtex, ris, csljson, csv, md"):
        export([], "docx")


def test_no_papers_make_a_file_that_reads_as_empty():
    assert bib() == []
    assert ris() == []
    assert csl() == []
    assert table() == []
    assert export([], "md").content == b""
    names = [export([], kind).filename for kind in EXPORT_FORMATS]
    assert names == ["papers.bib", "papers.ris", "papers.json", "papers.csv", "papers.md"]


# Any text at all, and texts with the signs that some format gives a meaning.
SIGNS = st.text(alphabet=" \n\r\t{}\\\"'@%&#$_^~<>=,;:-|*[]()`!aZé王²ER\u2028\x85\x0c\x00\ud800")
ANY = st.one_of(st.text(st.characters(), max_size=60), SIGNS)
ITEMS = st.lists(
    st.builds(
        ExportItem,
        st.builds(
            Paper,
            id=st.integers(1, 5),
            title=ANY,
            title_derived=st.booleans(),
            abstract=ANY,
            authors=st.lists(ANY, max_size=3).map(tuple),
            identifiers=st.builds(
                Identifiers, arxiv=ANY | st.none(), doi=ANY | st.none(), url=ANY | st.none()
            ),
            topics=st.lists(ANY, max_size=2).map(tuple),
            categories=st.lists(ANY, max_size=2).map(tuple),
            sources=st.just(("arxiv",)),
            first_seen=st.just(SEEN),
            venue=ANY | st.none(),
            comment=ANY | st.none(),
            published=st.just(SEEN) | st.none(),
        ),
        votes=st.integers(0, 9) | st.none(),
        voters=st.lists(ANY, max_size=2).map(tuple),
        state=ANY | st.none(),
        reader=ANY | st.none(),
    ),
    max_size=3,
)


def plain(text: str) -> str:
    """What a file keeps of a text: the same characters less blanks and what can't be seen."""
    import unicodedata

    kept = (c for c in text if not c.isspace() and unicodedata.category(c) not in {"Cc", "Cs"})
    return unicodedata.normalize("NFC", "".join(kept)).strip("\ufffe\uffff")


@settings(deadline=None, max_examples=60)
@given(ITEMS)
def test_any_text_reads_back_from_bibtex_as_one_entry_a_paper(items):
    entries = bib(*items, decode=False)
    assert len({entry.key for entry in entries}) == len(items)
    for entry in entries:
        for field in entry.fields:
            assert field.value.count("{") == field.value.count("}")


LATIN = st.text(
    alphabet=st.sampled_from("abzABZ éüñçøłßÅ.,:;!?'`()+=/-&%#$_{}\\~^<>|"), max_size=40
)


@settings(deadline=None, max_examples=60)
@given(LATIN)
def test_text_in_latin_letters_comes_back_from_latex_unchanged(text):
    (entry,) = bib(ExportItem(paper(abstract=text, title="x")))
    read = entry.fields_dict["abstract"].value if "abstract" in entry.fields_dict else ""
    # bibtexparser reads \textasciicircum as the modifier letter that looks like it.
    assert read.replace("ˆ", "^") == " ".join(text.split())


@settings(deadline=None, max_examples=60)
@given(ITEMS)
def test_any_text_reads_back_from_ris(items):
    records = ris(*items)
    assert len(records) == len(items)
    for item, record in zip(items, records, strict=True):
        assert plain(record.get("title", "")) == plain(item.paper.title)
        assert plain(record.get("abstract", "")) == plain(item.paper.abstract)
        assert "unknown_tag" not in record


@settings(deadline=None, max_examples=60)
@given(ITEMS)
def test_any_text_reads_back_from_csl_json(items):
    entries = csl(*items)
    assert [plain(entry.get("title", "")) for entry in entries] == [
        plain(item.paper.title) for item in items
    ]
    assert max(Counter(entry["id"] for entry in entries).values(), default=1) == 1


@settings(deadline=None, max_examples=60)
@given(ITEMS)
def test_any_text_reads_back_from_the_table_and_no_cell_is_a_formula(items):
    rows = table(*items)
    assert len(rows) == len(items)
    for item, row in zip(items, rows, strict=True):
        assert plain(row["title"].removeprefix("'")) == plain(item.paper.title).removeprefix("'")
        assert not any(cell.startswith(tuple("=+-@\t\r")) for cell in row.values())
        assert all(cell == cell.strip() for cell in row.values())


@settings(deadline=None, max_examples=60)
@given(ANY)
def test_any_title_shows_in_markdown_as_itself_with_no_link_but_ours(title):
    text = export([ExportItem(paper(title=title, authors=()))], "md").content.decode()
    tokens = MarkdownIt("gfm-like").parse(text)
    (inline,) = [token for token in tokens if token.type == "inline"]
    children = inline.children or []
    links = [token.attrs["href"] for token in children if token.type == "link_open"]
    assert links in ([], ["https://arxiv.org/abs/2501.00001"])
    assert not [token for token in children if token.type in {"html_inline", "image"}]
    shown = "".join(token.content for token in children if token.type == "text")
    assert plain(title) in plain(shown)
