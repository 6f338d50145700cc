"""JSON as sites and tools really give it: other envelopes, nulls, replies, lists in cells."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from data.listings import ListingError
from data.records import AnnounceType, Identifiers, Period
from tests.data.listing_help import fixture, read

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


def test_openalex_gives_the_text_of_its_index_of_words():
    (otters, taken), (refusal,), listing = read(fixture("openalex.json"))
    assert listing.format == "openalex"
    assert (otters.title, otters.abstract) == (
        "Otters of the Harbour",
        "Otters swim; and Otters sleep.",
    )
    assert otters.authors == ("Ada Holmqvist", "Li Wei")
    assert otters.identifiers == Identifiers(
        arxiv="3102.00150", doi="10.1234/oa.1", url="https://openalex.org/W4000000001"
    )
    assert (otters.venue, otters.topics) == ("Harbour Letters", ("Otters",))
    assert otters.published == datetime(2031, 2, 3, tzinfo=UTC)
    assert (taken.abstract, taken.published_in, taken.topics) == ("", Period(2031), ("Piers",))
    assert taken.announce_type is AnnounceType.WITHDRAWN
    assert refusal.position == "entry 3"


@pytest.mark.parametrize(
    ("kind", "paper"),
    [
        ("Poster", True),
        ("Spotlight Poster", True),
        ("Position Paper Oral", True),
        ("Poster Session", False),
        ("Oral Session", False),
        ("Affinity Workshop", False),
        ("Expo Talk Panel", False),
        ("Invited Talk", False),
        ("Tutorials", False),
        ("", True),
    ],
)
def test_an_event_of_a_virtual_site_is_a_paper_or_is_refused_by_its_kind(kind: str, paper: bool):
    event = {
        "name": "Otters",
        "authors": [{"fullname": "Ada Lutra"}],
        "abstract": "They swim.",
        "eventtype": kind,
        "virtualsite_url": "/virtual/2031/poster/1",
        "sourceurl": "https://openreview.net/group?id=ICML.cc/2031/Conference",
    }
    good = {**event, "eventtype": "Poster", "name": "Gulls"}
    records, refusals, _ = read(json.dumps({"results": [event, good]}))
    assert [r.title for r in records] == (["Otters", "Gulls"] if paper else ["Gulls"])
    assert [kind in r.reason for r in refusals] == ([] if paper else [True])
    assert {(r.venue, r.published_in) for r in records} == {("ICML 2031", Period(2031))}


def test_the_citation_of_a_dump_tells_venue_and_year_however_it_is_set():
    entry = {"title": "Otters", "author": "Ada Lutra", "track": "main", "status": "Poster"} | {
        "site": "https://harbour.example.org/1",
        "bibtex": "@InProceedings{x,\n  booktitle = {Harbour},\n  year   = {2031}\n}",
    }
    (record,), _, listing = read(json.dumps([entry]))
    assert listing.format == "paperlists"
    assert (record.venue, record.published_in) == ("Harbour", Period(2031))


def test_the_heading_over_an_abstract_of_crossref_is_no_part_of_it():
    entry = {"type": "journal-article", "title": ["Otters"], "DOI": "10.1000/182"} | {
        "abstract": "<jats:title>Abstract</jats:title><jats:p>Otters swim.</jats:p>"
    }
    (record,), _, _ = read(json.dumps({"message": {"items": [entry]}}))
    assert record.abstract == "Otters swim."
