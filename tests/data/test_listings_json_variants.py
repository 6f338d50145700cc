"""JSON as sites and tools really give it: other envelopes, nulls, replies, lists in cells."""

from __future__ import annotations

import json

import pytest

from data.listings import ListingError
from data.records import Identifiers, Period
from tests.data.listing_help import read

SHA = "a1" * 20
HF = {
    "id": "3102.00001",
    "title": "Otters",
    "summary": "Swim.",
    "authors": [{"name": "Ada Lutra"}],
    "upvotes": 3,
}
S2 = {"paperId": SHA, "title": "Otters", "abstract": "Swim.", "authors": [{"name": "Ada Lutra"}]}


@pytest.mark.parametrize(
    ("document", "reader"),
    [
        ([{"paper": HF, "title": "Otters"}], "hf-daily"),
        ({"paper": HF, "comments": []}, "hf-daily"),
        (HF, "hf-daily"),
        ({"dailyPapers": [{"paper": HF}], "date": "2031-02-06"}, "hf-daily"),
        ({"recommendedPapers": [S2]}, "semantic-scholar"),
        ({"total": 1, "token": None, "data": [S2]}, "semantic-scholar"),
        ({"authorId": "1", "name": "Ada Lutra", "papers": [S2]}, "semantic-scholar"),
        ({"offset": 0, "data": [{"citingPaper": S2}]}, "semantic-scholar"),
        ({"anything": {"else": 1}, "matches": [S2]}, "semantic-scholar"),
    ],
)
def test_papers_are_found_in_every_envelope(document, reader):
    (record,), refusals, listing = read(json.dumps(document))
    assert listing.format == reader
    assert not refusals
    assert (record.title, record.abstract, record.authors) == ("Otters", "Swim.", ("Ada Lutra",))


def test_an_answer_of_nothing_is_empty_and_one_of_something_else_is_refused():
    for empty in ("[]", '{"total": 0, "data": []}', '{"recommendedPapers": []}'):
        assert read(empty, format="semantic-scholar")[:2] == ([], [])
    for strange in ('{"people": [{"name": "Ada"}]}', '{"message": "not found"}', '{"data": [1]}'):
        with pytest.raises(ListingError):
            read(strange, format="semantic-scholar")


def test_a_null_in_a_batch_is_refused_as_what_it_is():
    (record,), (refusal,), _ = read(json.dumps([None, S2]))
    assert record.identifiers == Identifiers(url=f"https://semanticscholar.org/paper/{SHA}")
    assert (refusal.position, refusal.reason) == (
        "entry 1",
        "it is null: the source had no paper to put here",
    )


def test_bulk_files_give_their_ids_journal_and_year():
    lines = [
        {"corpusid": 1, "title": "Otters", "externalids": {"ArXiv": "3102.00001", "DOI": None},
         "venue": "", "journal": {"name": "J. Otters"}, "year": 2031, "publicationdate": None},
        {"corpusid": 2, "abstract": "Otters swim.",
         "openaccessinfo": {"externalids": {"DOI": "10.1000/X"}}},
    ]  # fmt: skip
    (paper, abstract), refusals, _ = read("\n".join(json.dumps(line) for line in lines))
    assert not refusals
    assert paper.identifiers == Identifiers(arxiv="3102.00001")
    assert (paper.venue, paper.published_in) == ("J. Otters", Period(2031))
    assert (abstract.abstract, abstract.identifiers) == (
        "Otters swim.",
        Identifiers(doi="10.1000/x"),
    )


@pytest.mark.parametrize(
    "reply",
    [
        {"replyto": "aNoTe12345", "invitations": ["H/-/Official_Review"]},
        {"invitation": "H/Paper5/-/Decision"},
        {"invitations": ["H/Submission5/-/Meta_Review", "H/-/Edit"], "replyto": "aNoTe12345"},
    ],
)
def test_reviews_and_decisions_beside_a_paper_are_no_papers(reply):
    paper = {
        "id": "aNoTe12345",
        "forum": "aNoTe12345",
        "invitations": ["H/-/Submission"],
        "content": {
            "title": {"value": "Otters"},
            "primary_area": {"value": "theory->proofs"},
        },
    }
    note = {"id": "rEvIeW12345", "forum": "aNoTe12345", "content": {"title": "Good"}} | reply
    (record,), (refusal,), listing = read(json.dumps({"notes": [paper, note]}))
    assert listing.format == "openreview"
    assert (record.title, record.topics) == ("Otters", ("theory · proofs",))
    assert "a note about a paper" in refusal.reason


def test_lists_that_a_script_wrote_into_cells_are_taken_apart():
    row = "\"['Ada Lutra', 'Li Wei']\",\"['otters', 'rivers']\""
    (record,), _, _ = read(f"title,abstract,authors,keywords\nOtters,Swim.,{row}\n")
    assert record.authors == ("Ada Lutra", "Li Wei")
    assert record.topics == ("otters", "rivers")
    (record,), _, _ = read('title,abstract,authors\nOtters,Swim.,"[""Ada Lutra"",""Li Wei""]"\n')
    assert record.authors == ("Ada Lutra", "Li Wei")
