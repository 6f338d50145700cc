"""arXiv's metadata as JSON lines: the Kaggle snapshot and the dumps of the daily-arXiv tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from data.listings.dates import day, moment
from data.listings.fields import (
    arxiv_authors,
    arxiv_categories,
    authors_of,
    first_text,
    make_record,
    text_list,
)
from data.listings.json_reader import JsonReader

if TYPE_CHECKING:
    from data.listings.json_shapes import Entry
    from data.records import PaperRecord


def _is_kaggle(entry: Entry) -> bool:
    return (
        "id" in entry
        and "abstract" in entry
        and ("authors_parsed" in entry or "versions" in entry or "update_date" in entry)
    )


def _kaggle(entry: Entry, position: str) -> PaperRecord:
    parsed = entry.get("authors_parsed")
    authors = (
        [_parsed_name(p) for p in cast("list[object]", parsed)] if isinstance(parsed, list) else []
    )
    versions = entry.get("versions")
    history = (
        [cast("Entry", v) for v in cast("list[object]", versions or []) if isinstance(v, dict)]
        if isinstance(versions, list)
        else []
    )
    return make_record(
        position=position,
        title=first_text(entry, "title"),
        abstract=first_text(entry, "abstract"),
        authors=[a for a in authors if a] or arxiv_authors(first_text(entry, "authors") or ""),
        arxiv=first_text(entry, "id"),
        doi=first_text(entry, "doi"),
        categories=text_list(entry.get("categories"), separators=r"\s+"),
        venue=first_text(entry, "journal-ref"),
        comment=first_text(entry, "comments"),
        published=moment(history[0].get("created")) if history else None,
        updated=moment(history[-1].get("created")) if history else moment(entry.get("update_date")),
        version=len(history) or None,
    )


def _parsed_name(parts: object) -> str:
    """ "Family, Given, suffix" of the snapshot as a name that is read from left to right."""
    if not isinstance(parts, list):
        return ""
    words = [p.strip() for p in cast("list[object]", parts)[:3] if isinstance(p, str)]
    family, given, suffix = [*words, "", "", ""][:3]
    return " ".join(w for w in (given, family, suffix) if w)


def _is_daily(entry: Entry) -> bool:
    return (
        "title" in entry
        and "summary" in entry
        and ("abs" in entry or "pdf" in entry or "pdf_url" in entry or "entry_id" in entry)
    )


def _daily(entry: Entry, position: str) -> PaperRecord:
    categories = text_list(entry.get("categories"), separators=r"[\s,;]+")
    return make_record(
        position=position,
        title=first_text(entry, "title"),
        abstract=first_text(entry, "summary"),
        authors=authors_of(entry.get("authors")),
        arxiv=first_text(entry, "id", "entry_id", "abs", "pdf", "pdf_url"),
        doi=first_text(entry, "doi"),
        categories=arxiv_categories(categories),
        venue=first_text(entry, "journal_ref"),
        comment=first_text(entry, "comment"),
        published=moment(entry.get("published")),
        updated=moment(entry.get("updated")),
        announced=day(entry.get("announced")),
    )


KAGGLE: Final = JsonReader(
    name="arxiv-kaggle",
    title="the arXiv metadata snapshot",
    recognises=_is_kaggle,
    record_of=_kaggle,
    sure=0.95,
)
DAILY: Final = JsonReader(
    name="daily-arxiv",
    title="a daily-arXiv dump",
    recognises=_is_daily,
    record_of=_daily,
)
