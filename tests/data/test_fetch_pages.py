"""Fetching: the page of a paper is taken for the paper."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.fetch import (
    listing_url,
)


@pytest.mark.parametrize(
    ("page", "listing"),
    [
        ("https://arxiv.org/abs/2501.00001", "2501.00001"),
        ("http://www.arxiv.org/abs/2501.00001v3/", "2501.00001"),
        ("https://arxiv.org/pdf/2501.00001v2.pdf", "2501.00001"),
        ("https://export.arxiv.org/html/0704.0001", "0704.0001"),
        ("https://arxiv.org/abs/hep-th/9901001v2", "hep-th/9901001"),
        ("https://arxiv.org/abs/math.GT/0309136", "math.GT/0309136"),
        ("https://doi.org/10.48550/arXiv.2501.00001", "2501.00001"),
    ],
)
def test_an_arxiv_page_becomes_a_question_to_the_api(page, listing):
    assert listing_url(page) == f"https://export.arxiv.org/api/query?id_list={listing}"


@pytest.mark.parametrize(
    "page",
    [
        "https://openreview.net/forum?id=aBc-_12xyZ",
        "https://openreview.net/forum?noteId=zzz&id=aBc-_12xyZ#discussion",
        "https://openreview.net/pdf?id=aBc-_12xyZ",
    ],
)
def test_an_openreview_forum_becomes_a_question_for_its_note(page):
    assert listing_url(page) == "https://api2.openreview.net/notes?id=aBc-_12xyZ"


@pytest.mark.parametrize(
    "url",
    [
        "https://rss.arxiv.org/rss/cs.LG",
        "https://arxiv.org/list/cs.LG/new",
        "https://arxiv.org.evil.example/abs/2501.00001",
        "https://evil.example/arxiv.org/abs/2501.00001",
        "https://openreview.net/group?id=ICLR.cc/2025/Conference",
        "https://openreview.net/forum?id=a%26b%3Dc",
        "https://doi.org/10.1000/xyz",
        "ftp://arxiv.org/abs/2501.00001",
        "http://[::1",
        "hello",
    ],
)
def test_every_other_address_stays_as_it_was(url):
    assert listing_url(url) == url


@settings(deadline=None)
@given(st.text())
def test_no_text_upsets_the_listing_address(text):
    assert listing_url(text) == text
