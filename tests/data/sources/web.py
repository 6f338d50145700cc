"""A small web on this machine that answers as the sources do, from what a test wrote down."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, timezone
from typing import TYPE_CHECKING

from aiohttp import web
from aiohttp.test_utils import TestServer

from data.sources import Addresses

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

EASTERN = timezone(timedelta(hours=-4))
WEEKEND = "<skipDays><day>Saturday</day><day>Sunday</day></skipDays>"
_SUBJECTS = (
    "otters that crack shells with stones",
    "glaciers that slide on thawed beds",
    "looms that weave light into cloth",
    "bees that vote on a new hive",
    "bridges that hum in a side wind",
    "tea leaves that settle in a cup",
    "foxes that listen through the snow",
    "clocks that agree without a master",
    "corals that bleach in still water",
    "kites that draw power from gusts",
)


@dataclass
class Web:
    """Answers by path; each is bytes, a ready response, or a list of which each is given once."""

    pages: dict[str, object] = field(default_factory=dict)
    asked: list[web.Request] = field(default_factory=list)
    base: str = ""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request)
        page = self.pages.get(request.path)
        if isinstance(page, list):
            page = page.pop(0) if page else None
        if callable(page):
            page = page(request)
        if page is None:
            return web.Response(status=404, text="nothing here")
        if isinstance(page, bytes):
            return web.Response(body=page, content_type="application/xml")
        assert isinstance(page, web.Response)
        return page

    def times(self, path: str) -> int:
        """How often a path was asked for."""
        return sum(request.path == path for request in self.asked)

    @property
    def addresses(self) -> Addresses:
        """Where a test's sources find this web."""
        return Addresses(
            arxiv_feed=f"{self.base}/rss",
            arxiv_api=f"{self.base}/api/query",
            hf_daily=f"{self.base}/api/daily_papers",
            openreview=f"{self.base}/notes",
        )


@asynccontextmanager
async def served() -> AsyncIterator[Web]:
    """A web that answers while the block runs."""
    fake = Web()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", fake.handle)
    server = TestServer(app, host="127.0.0.1")
    await server.start_server()
    fake.base = f"http://127.0.0.1:{server.port}"
    try:
        yield fake
    finally:
        await server.close()


def abstract(number: int) -> str:
    """A made-up abstract of its own for each number."""
    subject = _SUBJECTS[number % len(_SUBJECTS)]
    words = " ".join(f"{subject.split()[0]}{number}x{word}" for word in range(30))
    return f"We study {subject}, in setting {number}. {words}."


def rss(
    day: date,
    numbers: Sequence[int],
    *,
    built: datetime | None = None,
    kind: str = "new",
    skip: str = WEEKEND,
) -> bytes:
    """A category's feed of arXiv as of a day, with a paper for each number."""
    stamp = datetime(day.year, day.month, day.day, tzinfo=EASTERN)
    made = built or stamp + timedelta(seconds=10)
    items = "".join(
        f"<item><title>A study numbered {n}</title><link>https://arxiv.org/abs/2606.{n:05}</link>"
        f"<description>arXiv:2606.{n:05}v1 Announce Type: {kind} \nAbstract: {abstract(n)}"
        f'</description><guid isPermaLink="false">oai:arXiv.org:2606.{n:05}v1</guid>'
        f"<category>cs.LG</category><pubDate>{_mail(stamp)}</pubDate>"
        f"<arxiv:announce_type>{kind}</arxiv:announce_type><dc:creator>Ada Moor</dc:creator></item>"
        for n in numbers
    )
    return (
        "<?xml version='1.0' encoding='UTF-8'?>\n"
        '<rss xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns:dc="http://purl.org/dc/elements/1.1/"'
        ' xmlns:atom="http://www.w3.org/2005/Atom" version="2.0"><channel>'
        "<title>cs.LG updates on arXiv.org</title><link>http://rss.arxiv.org/rss/cs.LG</link>"
        "<description>cs.LG updates on the arXiv.org e-print archive.</description>"
        f"<lastBuildDate>{_mail(made)}</lastBuildDate><pubDate>{_mail(stamp)}</pubDate>{skip}"
        f"{items}</channel></rss>"
    ).encode()


def _mail(moment: datetime) -> str:
    return moment.strftime("%a, %d %b %Y %H:%M:%S %z")


def api(numbers: Sequence[int], *, total: int | None = None) -> bytes:
    """A page of the arXiv API's answer."""
    entries = "".join(
        f"<entry><id>http://arxiv.org/abs/2606.{n:05}v1</id><title>A study numbered {n}</title>"
        f"<updated>2026-06-01T08:00:00Z</updated><published>2026-06-01T08:00:00Z</published>"
        f"<summary>{abstract(n)}</summary><author><name>Ada Moor</name></author>"
        f'<category term="cs.LG"/></entry>'
        for n in numbers
    )
    return (
        "<?xml version='1.0' encoding='UTF-8'?>\n"
        '<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"'
        ' xmlns="http://www.w3.org/2005/Atom"><id>https://arxiv.org/api/x</id>'
        "<title>arXiv Query: search_query=x</title><updated>2026-06-01T08:00:00Z</updated>"
        f"<opensearch:totalResults>{len(numbers) if total is None else total}"
        f"</opensearch:totalResults>{entries}</feed>"
    ).encode()


def daily(lists: dict[str, Sequence[int]]) -> Callable[[web.Request], web.Response]:
    """Hugging Face Daily Papers: a list for each day that is named, and none for the others."""

    def answer(request: web.Request) -> web.Response:
        day = request.query["date"]
        found = [
            {
                "paper": {
                    "id": f"2606.{n:05}",
                    "title": f"A study numbered {n}",
                    "summary": abstract(n),
                    "authors": [{"name": "Ada Moor"}],
                    "publishedAt": f"{day}T00:00:00.000Z",
                    "submittedOnDailyAt": f"{day}T00:00:00.000Z",
                },
                "publishedAt": f"{day}T00:00:00.000Z",
                "title": f"A study numbered {n}",
            }
            for n in lists.get(day, ())
        ]
        return web.json_response(found)

    return answer


def notes(numbers: Sequence[int], *, count: int | None = None) -> web.Response:
    """A page of OpenReview's notes, API version 2."""
    found = [
        {
            "id": f"note{n:06}",
            "forum": f"note{n:06}",
            "content": {
                "title": {"value": f"A study numbered {n}"},
                "abstract": {"value": abstract(n)},
                "authors": {"value": ["Ada Moor"]},
                "venueid": {"value": "Tea.cc/2026/Conference"},
            },
        }
        for n in numbers
    ]
    text = json.dumps({"notes": found, "count": len(found) if count is None else count})
    return web.Response(text=text, content_type="application/json")
