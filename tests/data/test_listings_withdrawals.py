"""Papers that their source took back, in the words of every listing."""

from __future__ import annotations

import json

import pytest

from data.listings.fields import make_record
from data.records import AnnounceType
from tests.data.listing_help import fixture, read


@pytest.mark.parametrize(
    "said",
    [
        {"abstract": "This paper has been withdrawn by the authors due to an error in Lemma 3."},
        {"abstract": "Withdrawn."},
        {"abstract": "Paper withdrawn because of a gap."},
        {"abstract": "The authors have withdrawn this paper."},
        {"comment": "This submission has been withdrawn by arXiv administrators"},
        {"comment": "12 pages. This paper has been temporarily withdrawn by the author"},
        {"comment": "withdrawn due to an error"},
        {"venue": "ICLR 2031 Conference Withdrawn Submission"},
    ],
)
def test_a_notice_of_withdrawal_is_understood_in_abstract_comment_and_venue(said):
    record = make_record(position="1", title="On Otters", **said)
    assert record.announce_type is AnnounceType.WITHDRAWN


@pytest.mark.parametrize(
    "said",
    [
        {"abstract": "Withdrawn drugs are studied with a model of risk."},
        {"abstract": "We study why a paper was withdrawn. We find that errors matter."},
        {"comment": "This paper was withdrawn from Harbour 2030 and is now in Coast 2031"},
        {"comment": "12 pages, accepted at Harbour 2031"},
        {"venue": "ICLR 2031 Poster"},
    ],
)
def test_a_paper_that_only_speaks_of_withdrawing_stands(said):
    record = make_record(position="1", title="On Otters", **said)
    assert record.announce_type is AnnounceType.NEW


def test_openreview_and_paperlists_say_it_in_their_own_fields():
    note = {
        "forum": "aNoTe12345",
        "invitations": ["Harbour.cc/2031/-/Submission"],
        "content": {
            "title": {"value": "On Otters"},
            "venueid": {"value": "H/Withdrawn_Submission"},
        },
    }
    (record,), _, _ = read(json.dumps({"notes": [note]}))
    assert record.announce_type is AnnounceType.WITHDRAWN
    listed = {
        "title": "On Otters",
        "author": "Ada Lutra",
        "status": "Withdraw",
        "site": "",
        "aff": "",
    }
    (record,), _, listing = read(json.dumps([listed]))
    assert (listing.format, record.announce_type) == ("paperlists", AnnounceType.WITHDRAWN)


def test_a_deleted_record_without_a_known_id_is_refused_with_the_reason():
    strange = fixture("oai_raw.xml").replace(b"oai:arXiv.org:3102.00032", b"oai:harbour.org:42")
    _, (refusal,), _ = read(strange)
    assert "oai:harbour.org:42 was deleted by its source" in refusal.reason
