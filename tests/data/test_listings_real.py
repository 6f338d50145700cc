"""The real files beside the checkout, with counts taken by hand from the files."""

from __future__ import annotations

from collections import Counter
from datetime import date
from typing import TYPE_CHECKING

import pytest

from tests.data.listing_help import SHARED, needs_shared, read

if TYPE_CHECKING:
    from data.records import PaperRecord

# file, format, records, refused: <entry>, arXiv:, <record>, @, TY and card counts of the files.
COUNTS = [
    ("arxiv_api_atom/id_0000.0000_s0_m100_8b51d9633a68.xml", "arxiv-api", 0, 0),
    ("arxiv_api_atom/id_abc_s0_m100_b79c8dcf6bc3_status400.xml", "arxiv-api", 0, 1),
    ("arxiv_api_atom/id_astro-ph_0601001_s0_m100_3150dca9dc76.xml", "arxiv-api", 1, 0),
    ("arxiv_api_atom/q_testing_s0_m10_bc5a6c384fe9.xml", "arxiv-api", 10, 0),
    ("arxiv_email/cs_daily_4c1e2d3.eml", "arxiv-mail", 223, 0),
    ("arxiv_email/math_listings_new.AG.txt", "arxiv-mail", 2, 0),
    ("arxiv_email/q-fin_listings_new.txt", "arxiv-mail", 16, 0),
    ("arxiv_kaggle_snapshot/first_lines.jsonl", "arxiv-kaggle", 200, 0),
    ("arxiv_rss/arxiv_rss_example.xml", "arxiv-feed", 7, 0),
    ("bibtex/acl_anthology_acl2022_first60.bib", "bibtex", 60, 0),
    ("bibtex/openreview_alt2025.bib", "bibtex", 51, 0),
    ("bibtex/openreview_colm2025_first60.bib", "bibtex", 60, 0),
    ("daily_arxiv_jsonl/2025-03-28.jsonl", "daily-arxiv", 209, 0),
    ("hf_daily_papers/hf_daily_papers.json", "hf-daily", 30, 0),
    ("icml_virtual_site/icml2026_position_papers.html", "virtual-html", 213, 0),
    ("oai_pmh_arxiv/2014-01-16_ListRecords_full.xml", "oai-pmh", 300, 0),
    ("openreview_csv/iclr2026_primary_area_learning_theory.csv", "csv", 190, 0),
    ("paperlists_json/alt2025.json", "paperlists", 15, 0),
    ("ris/example_bom.ris", "ris", 0, 1),
    ("ris/example_multiline.ris", "ris", 3, 0),
    ("ris/example_wos.ris", "wos", 2, 0),
    ("semantic_scholar/search_transformer.json", "semantic-scholar", 5, 0),
]


def papers(path: str) -> list[PaperRecord]:
    return read(SHARED / "feeds" / path)[0]


@needs_shared
@pytest.mark.parametrize(("path", "style", "records", "refused"), COUNTS)
def test_every_real_feed_is_read_with_the_right_counts(path, style, records, refused):
    found, refusals, listing = read(SHARED / "feeds" / path, name=path)
    assert (listing.format, len(found), len(refusals)) == (style, records, refused)


@needs_shared
def test_every_real_feed_has_a_count():
    files = {str(p.relative_to(SHARED / "feeds")) for p in (SHARED / "feeds").glob("*/*")}
    assert files == {path for path, *_ in COUNTS}


@needs_shared
def test_the_sections_of_a_real_mailing_are_kept_apart():
    found = papers("arxiv_email/cs_daily_4c1e2d3.eml")
    assert Counter(r.announce_type.value for r in found) == {
        "new": 97,
        "cross": 42,
        "replace": 72,
        "replace-cross": 12,
    }
    assert sum(bool(r.abstract) for r in found) == 97 + 42
    assert {r.announced for r in found} == {None}
    assert {r.announced for r in papers("arxiv_email/q-fin_listings_new.txt")} == {
        date(2023, 3, 17)
    }


@needs_shared
def test_real_records_are_whole():
    for path, style, *_ in COUNTS:
        for record in papers(path):
            if style != "ris":
                assert record.title
            assert not {"\\", "\n"} & set((record.title or "") + "".join(record.authors))
            if style.startswith("arxiv") or style in {"oai-pmh", "daily-arxiv", "hf-daily"}:
                assert record.identifiers.arxiv
            if style not in {"csv", "ris"}:
                assert record.authors


@needs_shared
def test_names_that_were_misread_on_their_way_are_put_right():
    (paper,) = [
        r
        for r in papers("arxiv_api_atom/q_testing_s0_m10_bc5a6c384fe9.xml")
        if r.identifiers.arxiv == "2405.13786"
    ]
    assert paper.authors == ("Aurora Ramírez", "Mario Berrios", "José Raúl Romero", "Robert Feldt")
