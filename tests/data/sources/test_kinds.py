"""Telling the kinds of source apart, and checking what people give."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from data.fetch import Fetcher
from data.sources import (
    Addresses,
    Kind,
    SourceError,
    SpecError,
    Validators,
    default_name,
    guess_kind,
    make_source,
    normal_spec,
)
from data.sources.feeds import feed_head
from tests.data.sources.web import api, daily, notes, rss, served

NOW = datetime(2026, 6, 3, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "kind", "spec", "name"),
    [
        ("cs.LG, stat.ML", Kind.ARXIV, "cs.LG, stat.ML", "arXiv cs.LG, stat.ML"),
        ("CS.lg+Physics.SOC-PH cs.LG", Kind.ARXIV, "cs.LG, physics.soc-ph", None),
        ("hep-th", Kind.ARXIV, "hep-th", "arXiv hep-th"),
        ("https://rss.arxiv.org/rss/cs.AI+q-bio.NC", Kind.ARXIV, "cs.AI, q-bio.NC", None),
        ("https://rss.arxiv.org/atom/math", Kind.ARXIV, "math", None),
        ('cat:cs.CL AND  all:"tea"', Kind.ARXIV_QUERY, 'cat:cs.CL AND all:"tea"', None),
        (
            "http://export.arxiv.org/api/query?search_query=au:moor&start=0",
            Kind.ARXIV_QUERY,
            "au:moor",
            "arXiv query au:moor",
        ),
        (
            "https://www.lab.example.org/feed.xml#top",
            Kind.FEED,
            "https://www.lab.example.org/feed.xml",
            "lab.example.org/feed.xml",
        ),
        ("HF-Daily", Kind.HF_DAILY, "", "HF Daily Papers"),
        ("https://huggingface.co/papers", Kind.HF_DAILY, "", None),
        ("Tea.cc/2026/Conference", Kind.OPENREVIEW, "Tea.cc/2026/Conference", None),
        (
            "https://openreview.net/group?id=Tea.cc/2026/Conference#tab-accept",
            Kind.OPENREVIEW,
            "Tea.cc/2026/Conference",
            "OpenReview Tea.cc/2026/Conference",
        ),
    ],
)
def test_a_text_is_read_as_the_source_it_means(
    text: str, kind: Kind, spec: str, name: str | None
) -> None:
    assert guess_kind(text) is kind
    assert normal_spec(kind, text) == spec
    assert normal_spec(kind, spec) == spec, "the normal form is its own"
    assert name is None or default_name(kind, spec) == name


@pytest.mark.parametrize(
    ("kind", "text", "sentence"),
    [
        (Kind.ARXIV, " ", "at least one"),
        (Kind.ARXIV, "cs.LG, cookery", "“cookery” is no arXiv category"),
        (Kind.ARXIV, ", ".join(f"cs.A{c}" for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ") * 2, "no arXiv"),
        (Kind.ARXIV, " ".join(f"cs.{a}{b}" for a in "ABCDEF" for b in "ABCDEF"), "36 categories"),
        (Kind.ARXIV_QUERY, "", "Give a query"),
        (Kind.ARXIV_QUERY, 'all:"tea', "don't close"),
        (Kind.ARXIV_QUERY, "cat:cs.CL) OR (all:tea", "don't close"),
        (Kind.ARXIV_QUERY, "all:" + "x" * 1000, "longer than 1000"),
        (Kind.FEED, "ftp://lab.example.org/feed", "http and https"),
        (Kind.FEED, "https://ada:secret@lab.example.org/", "user name or password"),
        (Kind.HF_DAILY, "only robots", "come whole"),
        (Kind.OPENREVIEW, "the tea conference", "venue's id"),
    ],
)
def test_what_is_no_source_is_refused_in_a_sentence(kind: Kind, text: str, sentence: str) -> None:
    with pytest.raises(SpecError, match=sentence):
        normal_spec(kind, text)


def test_words_become_a_query_for_all_of_them() -> None:
    assert normal_spec(Kind.ARXIV_QUERY, "otter shells") == "all:otter AND all:shells"
    assert normal_spec(Kind.ARXIV_QUERY, '"otter shells"') == 'all:"otter shells"'


def test_a_feed_says_when_it_was_made_and_when_it_announces() -> None:
    head = feed_head(rss(date(2026, 6, 3), (1, 2)), "the feed")
    assert (head.count, head.whole) == (2, True)
    assert (head.day, head.built_day) == (date(2026, 6, 3), date(2026, 6, 3))
    assert (head.ahead, head.skipped) == (timedelta(hours=-4), frozenset({5, 6}))
    assert feed_head(rss(date(2026, 6, 6), ()), "the feed").count == 0
    assert not feed_head(rss(date(2026, 6, 3), (1, 2))[:-30], "the feed").whole


def test_dates_of_entries_are_not_taken_for_the_feeds_own() -> None:
    text = (
        b'<feed xmlns="http://www.w3.org/2005/Atom"><title>x</title><entry><title>a</title>'
        b"<updated>2020-01-01T00:00:00Z</updated></entry></feed>"
    )
    head = feed_head(text, "the feed")
    assert (head.count, head.built) == (1, None)


@pytest.mark.parametrize(
    "title",
    [
        "Feed error for query: cs.QQ",
        "<![CDATA[Feed error for query: cs.QQ]]>",
        "Error 500",
        "Internal Server Error",
        "404 Not Found",
        "HTTP/1.1 503 Service Unavailable",
        "Error - no such feed",
        "Invalid feed",
    ],
)
def test_a_feed_that_only_tells_of_an_error_is_none(title: str) -> None:
    text = (
        f"<rss><channel><title>{title}</title>"
        "<description>Bad archive</description></channel></rss>"
    )
    with pytest.raises(SourceError, match="Bad archive"):
        feed_head(text.encode(), "the feed")


@pytest.mark.parametrize(
    "title",
    [
        "Quantum error correction",
        "Error correction in storms",
        "arXiv Query: search_query=all:error&amp;id_list=",
        "Invalid tea",
        "500 kites",
    ],
)
def test_an_empty_feed_about_errors_is_a_feed(title: str) -> None:
    assert feed_head(f"<feed><title>{title}</title></feed>".encode(), "the feed").count == 0


def test_looking_back_begins_before_the_oldest_good_reading() -> None:
    source = make_source(Kind.ARXIV, "cs.LG, stat.ML", Addresses())
    first = source.parts(NOW, {})
    assert [part.key for part in first] == ["cs.LG", "stat.ML", "look-back"]
    assert first[-1].since == date(2026, 5, 29)
    read = {"cs.LG": NOW, "stat.ML": NOW - timedelta(days=10), "look-back": NOW}
    assert source.parts(NOW, read)[-1].since == date(2026, 5, 19)
    ancient = dict.fromkeys(read, NOW - timedelta(days=4000))
    assert source.parts(NOW, ancient)[-1].since == date(2026, 3, 30)


async def test_a_list_of_more_than_a_hundred_papers_comes_in_pages() -> None:
    async with served() as web, Fetcher(allow_private=True, spacing={}) as fetcher:
        everything = list(range(1, 131))

        def page(request):
            number = int(request.query.get("p", 0))
            lists = {"2026-06-02": everything[number * 100 : number * 100 + 100]}
            return daily(lists)(request)

        web.pages["/api/daily_papers"] = page
        source = make_source(Kind.HF_DAILY, "", web.addresses)
        part = next(p for p in source.parts(NOW, {}) if p.day == date(2026, 6, 2))
        answer = await source.fetch(fetcher, part, Validators(), NOW)
    assert (answer.count, len(answer.pages)) == (130, 2)


async def test_a_list_that_knows_no_pages_ends_all_the_same() -> None:
    async with served() as web, Fetcher(allow_private=True, spacing={}) as fetcher:
        web.pages["/api/daily_papers"] = daily({"2026-06-02": range(1, 101)})
        source = make_source(Kind.HF_DAILY, "", web.addresses)
        part = next(p for p in source.parts(NOW, {}) if p.day == date(2026, 6, 2))
        answer = await source.fetch(fetcher, part, Validators(), NOW)
    assert (answer.count, len(answer.pages), len(web.asked)) == (100, 1, 2)


async def test_a_venue_is_read_in_pages_by_offset() -> None:
    async with served() as web, Fetcher(allow_private=True, spacing={}) as fetcher:
        everything = range(1, 1201)
        web.pages["/notes"] = lambda request: notes(
            everything[int(request.query["offset"]) :][: int(request.query["limit"])], count=1200
        )
        source = make_source(Kind.OPENREVIEW, "Tea.cc/2026/Conference", web.addresses)
        (part,) = source.parts(NOW, {})
        answer = await source.fetch(fetcher, part, Validators(), NOW)
        asked = [request.query for request in web.asked]
    assert (answer.count, answer.total) == (1200, 1200)
    assert [(one["content.venueid"], one["offset"]) for one in asked] == [
        ("Tea.cc/2026/Conference", "0"),
        ("Tea.cc/2026/Conference", "1000"),
    ]


@pytest.mark.parametrize(
    ("kind", "spec", "path"),
    [
        (Kind.HF_DAILY, "", "/api/daily_papers"),
        (Kind.OPENREVIEW, "Tea.cc/2026/Conference", "/notes"),
        (Kind.ARXIV_QUERY, "all:tea", "/api/query"),
    ],
)
async def test_an_answer_of_another_shape_is_no_empty_one(kind: Kind, spec: str, path: str) -> None:
    async with served() as web, Fetcher(allow_private=True, spacing={}) as fetcher:
        web.pages[path] = b'{"error": "we moved"}'
        source = make_source(kind, spec, web.addresses)
        with pytest.raises(SourceError, match="asked again later"):
            await source.fetch(fetcher, source.parts(NOW, {})[0], Validators(), NOW)


async def test_a_whole_archive_is_looked_back_on_with_all_its_categories() -> None:
    async with served() as web, Fetcher(allow_private=True, spacing={}) as fetcher:
        web.pages["/api/query"] = api(())
        source = make_source(Kind.ARXIV, "math, gr-qc, cs.LG", web.addresses)
        await source.fetch(fetcher, source.parts(NOW, {})[-1], Validators(), NOW)
        query = web.asked[0].query["search_query"]
    assert query.startswith("(cat:math.* OR cat:gr-qc OR cat:cs.LG) AND submittedDate:[")
