"""An arXiv made of real daily listings: its feeds, its API, and the ways in which they fail.

It answers in place of a `Fetcher`, by the clock. Each category's feed holds one announcement and
is dated in arXiv's own zone; on a skipped day it is valid and empty, unless something was
announced after all. What may go wrong is written down per day.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape
from zoneinfo import ZoneInfo

from data.fetch.errors import status_error
from data.fetch.fetcher import Fetched

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import HandClock

CATEGORIES = ("cs.CV", "cs.AI", "cs.CL", "cs.LG", "cs.GT", "stat.ML")
EASTERN = ZoneInfo("America/New_York")
SKIPPED = (5, 6)
SHARE_THAT_IS_EARLY = 0.6


@dataclass(frozen=True)
class Entry:
    """One paper of a listing."""

    day: date
    id: str
    title: str
    abstract: str
    authors: tuple[str, ...]
    categories: tuple[str, ...]

    @property
    def submitted(self) -> datetime:
        """When the API says that it was submitted: the afternoon before it was announced."""
        return datetime.combine(self.day - timedelta(days=1), time(17), tzinfo=UTC)


def read_listings(file: Path, most: int | None) -> dict[date, list[Entry]]:
    """The listings by day, of each the first `most` papers that are in one of the categories."""
    listings: dict[date, list[Entry]] = defaultdict(list)
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            entry = Entry(
                day=date.fromisoformat(row["announced"]),
                id=row["id"],
                title=row["title"],
                abstract=row["abstract"],
                authors=tuple(row["authors"]),
                categories=tuple(row["categories"]),
            )
            listing = listings[entry.day]
            if set(entry.categories) & set(CATEGORIES) and (most is None or len(listing) < most):
                listing.append(entry)
    return dict(sorted(listings.items()))


@dataclass
class FakeArxiv:
    """Answers feeds and the API as of the clock.

    `faults` names what goes wrong with the announcement of a day: "early" gives most of it hours
    before and the rest after noon; "stale" dates the batch before as today's until the afternoon;
    "redated" gives the new batch under the day before until noon; "late" gives one category in
    the evening; "broken" cuts the feed until noon; "outage" answers 503 for thirty hours.
    """

    listings: dict[date, list[Entry]]
    clock: HandClock
    faults: dict[date, str] = field(default_factory=dict)
    asked: int = 0

    def __post_init__(self) -> None:
        self._days = sorted(self.listings)

    async def close(self) -> None:
        """There is nothing to close."""

    async def fetch(
        self, url: str, *, etag: str | None = None, last_modified: str | None = None
    ) -> Fetched:
        """What arXiv answers at an address now."""
        self.asked += 1
        if self.in_outage():
            raise status_error(url, 503, b"", None)
        parts = urlsplit(url)
        if "/rss/" in parts.path:
            body = self._feed(parts.path.rsplit("/", 1)[1])
        else:
            body = self._api(parse_qs(parts.query))
        tag = f'"{hash(body)}"'
        same = etag == tag
        return Fetched(
            url=url,
            final_url=url,
            status=304 if same else 200,
            body=b"" if same else body,
            content_type="application/xml",
            etag=tag,
            last_modified=None,
            not_modified=same,
        )

    def in_outage(self) -> bool:
        """Whether arXiv can't be reached now."""
        now = self.clock.now()
        return any(
            _midnight(day) - timedelta(hours=2) <= now < _midnight(day) + timedelta(hours=28)
            for day, fault in self.faults.items()
            if fault == "outage"
        )

    def told_by(self, entry: Entry) -> datetime:
        """From when on the API knows a paper."""
        return _midnight(entry.day) + timedelta(minutes=30)

    def _feed(self, category: str) -> bytes:
        now, today = self.clock.now(), self.clock.now().astimezone(EASTERN).date()
        day = max((day for day in self._days if self._begins(day, category) <= now), default=None)
        if day is None:
            return _rss(category, today, [])
        fault, shown = self.faults.get(day, ""), day
        if today > day and today.weekday() in SKIPPED and today not in self.listings:
            return _rss(category, today, [])
        noon = _midnight(day) + timedelta(hours=8)
        batch = day
        if fault == "stale" and now < noon + timedelta(hours=4) and day != self._days[0]:
            batch = self._days[self._days.index(day) - 1]
        if fault == "redated" and now < noon:
            shown = day - timedelta(days=1)
        found = [e for e in self.listings[batch] if category in e.categories]
        if fault == "early" and now < noon + timedelta(hours=4):
            found = found[: max(1, int(len(found) * SHARE_THAT_IS_EARLY))]
        body = _rss(category, shown, found, revised=self._revised(batch, category))
        cut = fault == "broken" and now < noon
        return body[: len(body) * 2 // 3] if cut else body

    def _begins(self, day: date, category: str) -> datetime:
        fault = self.faults.get(day, "")
        if fault == "early":
            return _midnight(day) - timedelta(hours=3)
        if fault == "late" and category == "cs.CL":
            return _midnight(day) + timedelta(hours=17)
        return _midnight(day) + timedelta(minutes=5)

    def _revised(self, day: date, category: str) -> list[Entry]:
        """A few papers of a week before, which come again as replacements."""
        place = self._days.index(day)
        if place < 5:
            return []
        return [e for e in self.listings[self._days[place - 5]][:4] if category in e.categories]

    def _api(self, query: dict[str, list[str]]) -> bytes:
        asked = query["search_query"][0]
        window = re.search(r"submittedDate:\[(\d{8})\d{4} TO (\d{8})\d{4}\]", asked)
        assert window is not None, asked
        first, last = (datetime.strptime(text, "%Y%m%d").date() for text in window.groups())  # noqa: DTZ007 - a date
        wanted = set(re.findall(r"cat:([\w.-]+)", asked))
        found = [
            entry
            for day in reversed(self._days)
            if first <= day - timedelta(days=1) <= last
            for entry in self.listings[day]
            if wanted & set(entry.categories) and self.told_by(entry) <= self.clock.now()
        ]
        start, size = int(query["start"][0]), int(query["max_results"][0])
        return _atom(found[start : start + size], len(found))


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(0), tzinfo=EASTERN).astimezone(UTC)


def _mail(moment: datetime) -> str:
    return moment.strftime("%a, %d %b %Y %H:%M:%S %z")


def _rss(
    category: str, day: date, entries: list[Entry], *, revised: list[Entry] | None = None
) -> bytes:
    stamp = _mail(datetime.combine(day, time(0), tzinfo=EASTERN))
    items = "".join(_item(e, category, stamp, 1) for e in entries)
    items += "".join(_item(e, category, stamp, 2) for e in revised or ())
    return (
        "<?xml version='1.0' encoding='UTF-8'?>\n"
        '<rss xmlns:arxiv="http://arxiv.org/schemas/atom" version="2.0"'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>'
        f"<title>{category} updates on arXiv.org</title>"
        f"<link>http://rss.arxiv.org/rss/{category}</link>"
        f"<description>{category} updates on the arXiv.org e-print archive.</description>"
        f"<lastBuildDate>{stamp}</lastBuildDate><pubDate>{stamp}</pubDate>"
        "<skipDays><day>Saturday</day><day>Sunday</day></skipDays>"
        f"{items}</channel></rss>"
    ).encode()


def _item(entry: Entry, category: str, stamp: str, version: int) -> str:
    kind = "new" if category == entry.categories[0] else "cross"
    if version > 1:
        kind = "replace" if kind == "new" else "replace-cross"
    named = "".join(f"<category>{name}</category>" for name in entry.categories)
    return (
        f"<item><title>{escape(entry.title)}</title>"
        f"<link>https://arxiv.org/abs/{entry.id}</link>"
        f"<description>arXiv:{entry.id}v{version} Announce Type: {kind} \n"
        f"Abstract: {escape(entry.abstract)}</description>"
        f'<guid isPermaLink="false">oai:arXiv.org:{entry.id}v{version}</guid>{named}'
        f"<pubDate>{stamp}</pubDate><arxiv:announce_type>{kind}</arxiv:announce_type>"
        f"<dc:creator>{escape(', '.join(entry.authors))}</dc:creator></item>"
    )


def _atom(entries: list[Entry], total: int) -> bytes:
    found = "".join(
        f"<entry><id>http://arxiv.org/abs/{e.id}v1</id><title>{escape(e.title)}</title>"
        f"<updated>{e.submitted:%Y-%m-%dT%H:%M:%SZ}</updated>"
        f"<published>{e.submitted:%Y-%m-%dT%H:%M:%SZ}</published>"
        f"<summary>{escape(e.abstract)}</summary>"
        + "".join(f"<author><name>{escape(name)}</name></author>" for name in e.authors)
        + "".join(f'<category term="{name}"/>' for name in e.categories)
        + "</entry>"
        for e in entries
    )
    return (
        "<?xml version='1.0' encoding='UTF-8'?>\n"
        '<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"'
        ' xmlns="http://www.w3.org/2005/Atom"><id>https://arxiv.org/api/x</id>'
        "<title>arXiv Query: search_query=x</title><updated>2026-06-01T08:00:00Z</updated>"
        f"<opensearch:totalResults>{total}</opensearch:totalResults>{found}</feed>"
    ).encode()
