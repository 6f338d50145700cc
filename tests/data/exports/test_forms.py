"""Exports: every file reads back, in the programs it is made for, as the papers that went in."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from data.exports import EXPORT_FORMATS, ExportItem, export
from data.records import Identifiers, TagJudgement
from tests.data.exports.files import bib, csl, paper, ris, table


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
