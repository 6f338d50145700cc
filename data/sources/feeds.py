"""Feeds as sources: what a feed says of itself, and any feed that a person names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final

from data.fetch import AddressRefusedError
from data.fetch.addresses import checked_url
from data.listings.feeds import server_error
from data.sources.base import Answer, Page, Part, SourceError, SpecError, Validators

if TYPE_CHECKING:
    from collections.abc import Mapping

    from data.fetch import Fetched, Fetcher

_ROOT: Final = re.compile(r"<(?:[\w.-]+:)?(feed|rss|RDF)[\s>]")
_ENTRY: Final = re.compile(r"<(?:[\w.-]+:)?(?:item|entry)[\s>]")
_ENTRY_END: Final = re.compile(r"</(?:[\w.-]+:)?(?:item|entry)\s*>")
_SKIPPED: Final = re.compile(r"<skipDays>(.*?)</skipDays>", re.DOTALL)
_DAY: Final = re.compile(r"<day>\s*(\w{3})\w*\s*</day>", re.IGNORECASE)
_WEEKDAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@dataclass(frozen=True, slots=True)
class FeedHead:
    """What a feed says of itself, apart from its entries."""

    count: int
    whole: bool
    announced: datetime | None
    built: datetime | None
    skipped: frozenset[int]

    @property
    def ahead(self) -> timedelta:
        """How far the calendar in which the feed counts its days is ahead of UTC."""
        zone = self.announced.utcoffset() if self.announced else None
        return zone or timedelta(0)

    @property
    def day(self) -> date | None:
        """The day of the announcement, in the feed's own calendar."""
        return self.announced.date() if self.announced else None

    @property
    def built_day(self) -> date | None:
        """The day on which the feed was made, in the same calendar."""
        return (self.built.astimezone(UTC) + self.ahead).date() if self.built else None


def feed_head(body: bytes, where: str) -> FeedHead:
    """Reads a feed's own dates and counts its entries.

    Raises SourceError where the text is no feed, or one that only tells of an error.
    """
    text = body.decode("utf-8", "replace")
    root = _ROOT.search(text[:4000])
    if root is None:
        raise SourceError(
            f"{where} gave a page that is no feed: open the address in a browser to see what it is."
        )
    starts = [found.start() for found in _ENTRY.finditer(text)]
    last_end = max((found.end() for found in _ENTRY_END.finditer(text)), default=len(text))
    own = text[: starts[0]] + text[last_end:] if starts else text
    error = None if starts else server_error(own[:4000])
    if error:
        raise SourceError(f"{where} answered with an error of its server: {error}")
    skipped = _SKIPPED.search(own)
    return FeedHead(
        count=len(starts),
        whole=re.search(rf"</(?:[\w.-]+:)?{root[1]}\s*>", text[-2000:]) is not None,
        announced=_moment(own, "pubDate", "dc:date"),
        built=_moment(own, "lastBuildDate", "updated"),
        skipped=_weekdays(skipped[1]) if skipped else frozenset(),
    )


def _weekdays(text: str) -> frozenset[int]:
    names = (name.lower() for name in _DAY.findall(text))
    return frozenset(_WEEKDAYS.index(name) for name in names if name in _WEEKDAYS)


def _moment(text: str, *names: str) -> datetime | None:
    for name in names:
        found = re.search(rf"<{name}\b[^>]*>\s*([^<]+?)\s*</{name}>", text)
        if not found:
            continue
        for parse in (datetime.fromisoformat, parsedate_to_datetime):
            try:
                moment = parse(found[1])
            except ValueError:
                continue
            return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return None


def feed_answer(fetched: Fetched) -> Answer:
    """A fetched feed as an answer. Raises SourceError where it is no feed."""
    validators = Validators(fetched.etag, fetched.last_modified)
    if fetched.not_modified:
        return Answer(validators=validators, not_modified=True)
    head = feed_head(fetched.body, fetched.url)
    return Answer(
        pages=(Page(fetched.url, fetched.body),),
        count=head.count,
        whole=head.whole,
        day=head.day,
        built=head.built_day,
        ahead=head.ahead,
        skipped=head.skipped,
        validators=validators,
    )


@dataclass(frozen=True, slots=True)
class AnyFeed:
    """Any RSS or Atom feed, by its address."""

    url: str
    format: str | None = None
    interval: timedelta = timedelta(hours=1)

    def parts(self, now: datetime, read: Mapping[str, datetime]) -> tuple[Part, ...]:
        """The feed is one part."""
        return (Part("feed", "feed"),)

    async def fetch(
        self,
        fetcher: Fetcher,
        part: Part,
        known: Validators,
        now: datetime,
    ) -> Answer:
        """The feed as it is now."""
        answer = feed_answer(
            await fetcher.fetch(self.url, etag=known.etag, last_modified=known.last_modified)
        )
        if answer.skipped or answer.not_modified:
            return answer
        # Without a rhythm of its own, a feed's date is that of its last entry or of the request.
        return Answer(
            pages=answer.pages,
            count=answer.count,
            whole=answer.whole,
            validators=answer.validators,
        )


def normal_feed(text: str) -> str:
    """The address of a feed in its normal form. Raises SpecError for what may not be fetched."""
    try:
        return str(checked_url(text.strip()))
    except AddressRefusedError as error:
        raise SpecError(str(error)) from None
