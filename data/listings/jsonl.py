"""JSON lines: one object a line with a title, an abstract, and whatever else is known.

The form of the sample listing, of `papertriage tag -`, and of most home-made dumps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from data.identity import arxiv_id
from data.listings.fields import (
    announce_type_of,
    authors_of,
    day,
    first_text,
    make_record,
    moment,
    text_list,
)
from data.listings.json_reader import JsonReader

if TYPE_CHECKING:
    from collections.abc import Mapping

    from data.listings.json_objects import Entry
    from data.records import PaperRecord

TITLE_KEYS: Final = ("title", "Title", "name", "paper_title", "标题", "题目")
ABSTRACT_KEYS: Final = ("abstract", "Abstract", "summary", "description", "摘要")

DATE_KEYS: Final = (
    "published", "date", "publication_date", "published_date", "published_at", "publishedAt",
    "submitted", "year", "publication_year", "日期", "年份",
)  # fmt: skip


def _recognises(entry: Entry) -> bool:
    return any(isinstance(entry.get(key), str) for key in (*TITLE_KEYS, *ABSTRACT_KEYS))


def record_of(entry: Mapping[str, object], position: str) -> PaperRecord:
    """The record that an object with the usual keys describes."""
    arxiv = first_text(entry, "arxiv", "arxiv_id", "arxivId")
    own = first_text(entry, "id", "paper_id")
    if arxiv is None and own is not None and arxiv_id(own):
        arxiv = own
    url = first_text(entry, "url", "link", "abs", "abs_url", "pdf", "pdf_url")
    topics = text_list(entry.get("topics"), separators=r"\s*;\s*") or text_list(
        entry.get("topic"), separators=r"\s*;\s*"
    )
    return make_record(
        position=position,
        title=first_text(entry, *TITLE_KEYS),
        abstract=first_text(entry, *ABSTRACT_KEYS),
        authors=authors_of(entry.get("authors") or entry.get("author") or entry.get("作者")),
        arxiv=arxiv,
        doi=first_text(entry, "doi", "DOI"),
        openreview=first_text(entry, "openreview", "forum", "openreview_id"),
        url=url,
        topics=topics,
        categories=text_list(entry.get("categories"), separators=r"[\s,;]+"),
        venue=first_text(entry, "venue", "journal", "conference", "booktitle"),
        comment=first_text(entry, "comment", "comments"),
        dated=[entry.get(key) for key in DATE_KEYS],
        updated=moment(entry.get("updated")),
        announced=day(entry.get("announced")),
        version=_version(entry.get("version")),
        announce_type=announce_type_of(entry.get("announce_type")),
    )


def _version(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value if 0 < value < 1000 else None  # no paper has so many versions
    if isinstance(value, str) and value.lstrip("v").isdecimal():
        return _version(int(value.lstrip("v")[:6]))
    return None


READER: Final = JsonReader(
    name="jsonl",
    title='JSON with "title" and "abstract"',
    recognises=_recognises,
    record_of=record_of,
    sure=0.5,
)
