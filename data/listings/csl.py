"""CSL JSON, the exchange form of Zotero, Mendeley, pandoc and Crossref."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING, Final, cast

from data.listings.dates import moment
from data.listings.fields import authors_of, first_text, make_record, text_list
from data.listings.json_reader import JsonReader

if TYPE_CHECKING:
    from data.listings.json_shapes import Entry
    from data.records import PaperRecord
# Crossref keeps the heading that publishers put over an abstract.
_ABSTRACT_HEAD: Final = re.compile(
    r"^\s*<(?:jats:)?(title|p|b|bold)>\s*(?:abstract|summary)[.:]?\s*</(?:jats:)?\1>", re.IGNORECASE
)


def _recognises(entry: Entry) -> bool:
    return (
        "title" in entry
        and "type" in entry
        and (
            "issued" in entry
            or "container-title" in entry
            or _has_family(entry.get("author"))
            or "DOI" in entry
        )
    )


def _has_family(value: object) -> bool:
    if not isinstance(value, list):
        return False
    return any(
        isinstance(a, dict) and ("family" in a or "literal" in a)
        for a in cast("list[object]", value)
    )


def _one(value: object) -> str | None:
    """Crossref puts titles into lists of one."""
    if isinstance(value, list):
        value = next((v for v in cast("list[object]", value) if isinstance(v, str)), None)
    return value if isinstance(value, str) else None


def _record(entry: Entry, position: str) -> PaperRecord:
    return make_record(
        position=position,
        title=_one(entry.get("title")),
        abstract=_ABSTRACT_HEAD.sub("", first_text(entry, "abstract") or ""),
        authors=authors_of(entry.get("author")),
        arxiv=first_text(entry, "arxiv") or _arxiv_number(entry),
        doi=first_text(entry, "DOI", "doi"),
        url=first_text(entry, "URL", "url"),
        topics=text_list(entry.get("categories")) or text_list(entry.get("keyword"))[:8],
        venue=_one(entry.get("container-title")) or first_text(entry, "event-title", "event"),
        comment=first_text(entry, "note"),
        dated=[_date(entry.get(name)) for name in ("issued", "published", "published-print")],
        updated=moment(_date(entry.get("updated"))),
    )


def _arxiv_number(entry: Entry) -> str | None:
    number = first_text(entry, "number")
    return number if number and "arxiv" in number.lower() else None


def _date(value: object) -> str | None:
    """CSL's date parts as "2026-03-05", as far as they go, or its raw text."""
    if isinstance(value, str):
        return value
    if not isinstance(value, dict):
        return None
    entry = cast("Entry", value)
    parts = entry.get("date-parts")
    if isinstance(parts, list) and parts and isinstance(parts[0], list):
        numbers = [_number(p) for p in cast("list[object]", parts[0])]
        known = list(takewhile(bool, numbers[:3]))
        if known:
            return "-".join(f"{number:02}" for number in known)
    return first_text(entry, "raw", "literal", "date-time")


def _number(value: object) -> int:
    if isinstance(value, bool):
        return 0
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, str) and value.isdecimal() and len(value) < 5 else 0


READER: Final = JsonReader(
    name="csl-json",
    title="CSL JSON",
    recognises=_recognises,
    record_of=_record,
    sure=0.8,
)
