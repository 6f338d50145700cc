"""RSS and Atom: arXiv's daily feeds, the answers of its API, and any other feed of papers."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Final

import data.listings.feed_entry as entries
from data.identity import arxiv_id
from data.listings.base import ListingError
from data.listings.dates import moment
from data.listings.fields import (
    UnusableRecordError,
    announce_type_of,
    arxiv_authors,
    arxiv_categories,
    make_record,
    split_authors,
)
from data.listings.markup import records_in
from data.records import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from data.listings.base import Item
    from data.listings.feed_entry import FeedEntry
    from data.listings.source import Source
    from data.records import PaperRecord

_FEED: Final = re.compile(r"<(?:[\w.-]+:)?(?:feed|rss|RDF)[\s>]")
_ARXIV_FEED: Final = re.compile(
    r"updates on (?:the )?arXiv\.org|rss\.arxiv\.org|export\.arxiv\.org/rss|Announce Type:|"
    r"<arxiv:announce_type|arXiv\.org e-print archive"
)
_ARXIV_API: Final = re.compile(
    r"arxiv\.org/api/|<title[^>]*>\s*(?:ArXiv|arXiv) (?:Query|Search)|"
    r"opensearch[^>]*>.*arxiv\.org/api",
    re.DOTALL,
)
_OWN_TEXT: Final = re.compile(
    r"<(?:title|description|subtitle)\b[^>]{0,80}>\s*(?:<!\[CDATA\[)?([^<]{1,300}?)(?:\]\]>)?\s*</"
)
# What servers write where a feed should be; a feed about "Quantum error correction" is none.
_SAYS_ERROR: Final = re.compile(
    r"\W*(?:HTTP(?:/[\d.]+)?\s+)?(?:[45]\d\d\b\W*)?(?:"
    r"(?:(?:an?|api|application|database|feed|fatal|http|internal|parse|query|request|rss|"
    r"server|service|unexpected)\s+)*error(?:\s*$|\s*[-:.(!\d]|"
    r"\s+(?:code|for query|has|in query|occurred|while)\b)"
    r"|invalid (?:feed|query|request|archive|category|id)\b"
    r"|(?:feed |page )?not found\b|bad (?:request|gateway)\b|forbidden\s*$|too many requests\b"
    r"|service (?:temporarily )?unavailable\b|gateway time-?out\b)",
    re.IGNORECASE,
)
_OWN_DAY: Final = re.compile(r"<(pubDate|dc:date)\b[^>]*>\s*([^<]+?)\s*</\1>")
_ENTRY: Final = re.compile(r"<(?:[\w.-]+:)?(?:item|entry)[\s>]")
_HEADLINE: Final = re.compile(
    r"^\s*(?:arXiv:(?P<id>\S+)\s+)?(?:Announce Type:\s*(?P<type>[\w-]+)\s*)?(?:Abstract:\s*)?",
    re.DOTALL,
)
# Older feeds put the id behind the title: "A title. (arXiv:2401.00001v1 [cs.LG] UPDATED)".
_OLD_TITLE: Final = re.compile(
    r"\s*\(arXiv:(?P<id>[^\s)]+)(?:\s+\[(?P<class>[^\]]+)\])?(?:\s+(?P<word>[A-Z -]+))?\)\s*$"
)
_OLD_WORDS: Final = {"UPDATED": "replace", "CROSS LISTED": "cross"}


@dataclass(frozen=True, slots=True)
class FeedReader:
    """Reads one kind of feed; a damaged entry costs that entry."""

    name: str
    title: str
    recognises: Callable[[str], float]
    record_of: Callable[[FeedEntry, str], PaperRecord]
    announces: bool = False

    def sniff(self, head: str) -> float:
        """How surely a feed is of this kind; 0 for what is no feed."""
        return self.recognises(head) if _FEED.search(head[:4000]) else 0.0

    def read(self, source: Source) -> Iterator[Item]:
        """One record or refusal an entry. A valid feed without entries gives nothing.

        Raises `ListingError` where the feed holds an error of its server instead of entries.
        """
        empty = True
        day = _own_day(source.head) if self.announces else None
        for raw in records_in(source, "entry", "item"):
            empty = False
            entry = entries.parse(raw.text, source.head) if raw.whole else None
            if entry is None:
                reason = (
                    "its markup is damaged" if raw.whole else "its end is missing; the feed was cut"
                )
                yield Refusal(file=source.name, position=raw.position, reason=reason)
                continue
            try:
                record = self.record_of(entry, raw.position)
                yield record if record.announced else replace(record, announced=day)
            except UnusableRecordError as problem:
                yield Refusal(file=source.name, position=raw.position, reason=str(problem))
        error = server_error(source.head[:4000]) if empty else None
        if error:
            raise ListingError(
                f"{source.name} holds no papers but an error of its server, “{error}”; check the "
                "address of the feed."
            )


def server_error(own: str) -> str | None:
    """What a feed says of an error of its server, in its own words; None where it is a feed.

    `own` is what the feed says of itself: all that is outside its entries.
    """
    said = [" ".join(html.unescape(text).split()) for text in _OWN_TEXT.findall(own)]
    if not any(_SAYS_ERROR.match(text) for text in said):
        return None
    return ": ".join(dict.fromkeys(said))[:300]


def _own_day(head: str) -> date | None:
    """The day of which a feed says that it is its own, before its first entry."""
    first = _ENTRY.search(head)
    found = _OWN_DAY.search(head, 0, first.start() if first else len(head))
    return _calendar_day(found[2]) if found else None


def _arxiv_feed(entry: FeedEntry, position: str) -> PaperRecord:
    title = entry.title or ""
    old = _OLD_TITLE.search(title)
    headline = _HEADLINE.match(entry.summary or "")
    abstract = (entry.summary or "")[headline.end() if headline else 0 :]
    said = (headline and headline["type"]) or entry.announce_type
    if old:
        title = title[: old.start()].rstrip(". ")
        said = said or _OLD_WORDS.get((old["word"] or "").strip())
    arxiv = (
        (headline and headline["id"])
        or (old and old["id"])
        or entry.arxiv
        or entry.link
        or entry.id
    )
    return make_record(
        position=position,
        title=title,
        abstract=abstract,
        authors=arxiv_authors(", ".join(entry.authors)),
        arxiv=arxiv,
        doi=entry.doi,
        url=entry.link,
        categories=entry.categories or ([old["class"]] if old and old["class"] else []),
        venue=entry.journal,
        comment=entry.comment,
        # The feed's own dates are the day of the announcement, not of the submission.
        announced=_calendar_day(entry.published or entry.updated),
        announce_type=announce_type_of(said),
    )


def _arxiv_api(entry: FeedEntry, position: str) -> PaperRecord:
    if "api/errors" in (entry.id or "") or (
        entry.title == "Error" and not arxiv_id(entry.id or "")
    ):
        raise UnusableRecordError(f"arXiv answered with an error: {entry.summary or 'no reason'}")
    return make_record(
        position=position,
        title=entry.title,
        abstract=entry.summary,
        authors=_names(entry),
        arxiv=entry.id,
        doi=entry.doi,
        url=entry.link,
        categories=arxiv_categories(entry.categories),
        venue=entry.journal,
        comment=entry.comment,
        published=moment(entry.published),
        updated=moment(entry.updated),
    )


# What journals put before or in place of an abstract: Nature's first line, ScienceDirect's all.
_ONLINE: Final = re.compile(
    r"^\s*<p>[^<>]{1,150},\s+Published\s+online:\s+[^<>]{1,40}(?:<a\s[^<>]*>)?doi:[^<>]*(?:</a>)?\s*</p>"
)
_ISSUE: Final = re.compile(
    r"\s*<p>Publication\s+date:(?P<date>[^<>]{1,80})</p>\s*<p>(?:<b>)?Source:(?:</b>)?"
    r"(?P<venue>[^<>]{1,200})</p>\s*(?:<p>Author\(s\):(?P<authors>[^<>]{1,20000})</p>\s*)?"
)


def _any_feed(entry: FeedEntry, position: str) -> PaperRecord:
    if not entry.title:
        raise UnusableRecordError("it has no title")
    online = _ONLINE.match(entry.summary or "")
    abstract = (entry.summary or "")[online.end() if online else 0 :]
    names, venue, issue = _names(entry), entry.journal, None
    if told := _ISSUE.match(abstract):
        abstract, issue = abstract[told.end() :], told["date"]
        names = names or split_authors(told["authors"] or "")
        venue = venue or told["venue"].split(", Volume")[0]
    return make_record(
        position=position,
        title=entry.title,
        abstract=abstract,
        authors=names,
        arxiv=next((t for t in (entry.link, entry.id) if t and arxiv_id(t)), None),
        doi=entry.doi or (online[0] if online else entry.id),
        openreview=None,
        url=entry.link or entry.id,
        topics=entry.categories[:8],
        venue=venue,
        comment=entry.comment,
        dated=[entry.published, entry.updated, issue],
        updated=moment(entry.updated),
        announce_type=announce_type_of(entry.announce_type),
    )


def _names(entry: FeedEntry) -> list[str]:
    if len(entry.authors) == 1:
        return split_authors(entry.authors[0])
    return entry.authors


def _calendar_day(text: str | None) -> date | None:
    """The day as the feed writes it, in its own time zone, not moved to UTC."""
    found = re.search(r"(\d{4})-(\d\d)-(\d\d)", text or "")
    if found:
        try:
            return date(int(found[1]), int(found[2]), int(found[3]))
        except ValueError:
            return None
    from data.listings.dates import day

    return day(text)


READERS: Final = (
    FeedReader(
        "arxiv-feed",
        "arXiv's RSS or Atom feed",
        lambda head: (
            0.9 if _ARXIV_FEED.search(head) and not _ARXIV_API.search(head[:4000]) else 0.0
        ),
        _arxiv_feed,
        announces=True,
    ),
    FeedReader(
        "arxiv-api",
        "an answer of the arXiv API",
        lambda head: 0.95 if _ARXIV_API.search(head[:4000]) else 0.0,
        _arxiv_api,
    ),
    FeedReader("feed", "an RSS or Atom feed", lambda _: 0.5, _any_feed),
)
