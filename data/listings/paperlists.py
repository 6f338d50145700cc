"""The paperlists dumps: one JSON file a conference, with everything OpenReview and the site say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from data.listings.fields import first_text, forum_of, make_record, split_authors
from data.listings.json_reader import JsonReader
from data.records import AnnounceType

if TYPE_CHECKING:
    from data.listings.json_shapes import Entry
    from data.records import PaperRecord

_OWN_KEYS: Final = frozenset(
    {"track", "status", "site", "author_site", "authorids", "aff", "github", "project"}
)
_LONGEST_CITATION: Final = 5_000


def _recognises(entry: Entry) -> bool:
    return (
        "title" in entry
        and ("author" in entry or "abstract" in entry)
        and (len(_OWN_KEYS & entry.keys()) > 2)
    )


def _record(entry: Entry, position: str) -> PaperRecord:
    # "author" is OpenReview's list with semicolons, "author_site" the conference's with commas.
    names = first_text(entry, "author") or first_text(entry, "author_site") or ""
    site = first_text(entry, "site", "openreview", "oa", "url", "proceeding")
    forum = forum_of(first_text(entry, "id")) if "openreview.net" in (site or "") else None
    status = first_text(entry, "status")
    area = first_text(entry, "primary_area", "topic")
    return make_record(
        position=position,
        title=first_text(entry, "title"),
        abstract=first_text(entry, "abstract") or first_text(entry, "tldr"),
        authors=split_authors(names),
        arxiv=first_text(entry, "arxiv"),
        doi=first_text(entry, "doi"),
        openreview=forum_of(first_text(entry, "openreview")) or forum_of(site) or forum,
        url=site,
        topics=[area] if area else _parts(first_text(entry, "keywords"))[:8],
        venue=_venue(entry),
        comment=status,
        dated=[first_text(entry, "year") or _cited(entry, "year")],
        announce_type=AnnounceType.WITHDRAWN
        if status and status.lower().startswith("withdraw")
        else AnnounceType.NEW,
    )


def _parts(text: str | None) -> list[str]:
    return [p for p in (text or "").split(";") if p.strip()]


def _venue(entry: Entry) -> str | None:
    """The venue from the conference's own fields, or from the citation of the dump."""
    return first_text(entry, "venue", "conf", "conference") or _cited(entry, "booktitle|journal")


def _cited(entry: Entry, field: str) -> str | None:
    """What the citation of the dump says in one of these fields."""
    cited = (first_text(entry, "bibtex") or "")[:_LONGEST_CITATION]
    found = re.search(rf"\b(?:{field})\s*=\s*[{{\"]([^{{}}\"]+)", cited)
    return found[1].strip() or None if found else None


READER: Final = JsonReader(
    name="paperlists",
    title="a paperlists dump",
    recognises=_recognises,
    record_of=_record,
    sure=0.85,
)
