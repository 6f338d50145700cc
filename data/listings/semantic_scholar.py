"""Semantic Scholar: search answers, batches, recommendations, citations, and its bulk files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, cast

from data.listings.fields import authors_of, first_text, make_record, text_list
from data.listings.json_reader import JsonReader

if TYPE_CHECKING:
    from data.listings.json_shapes import Entry
    from data.records import PaperRecord

_SHA: Final = re.compile(r"[0-9a-f]{40}")


def _paper(entry: Entry) -> Entry:
    """The paper itself, also where it stands in a citation."""
    for key in ("citingPaper", "citedPaper"):
        inner = entry.get(key)
        if isinstance(inner, dict):
            return cast("Entry", inner)
    return entry


def _recognises(entry: Entry) -> bool:
    entry = _paper(entry)
    return ("paperId" in entry or "corpusid" in entry or "corpusId" in entry) and (
        "title" in entry or "externalIds" in entry or "abstract" in entry
    )


def _object(entry: Entry, *keys: str) -> Entry:
    """The first of the keys that holds an object; else an empty one."""
    for key in keys:
        value = entry.get(key)
        if isinstance(value, dict):
            return cast("Entry", value)
    return {}


def _record(entry: Entry, position: str) -> PaperRecord:
    entry = _paper(entry)
    access = _object(entry, "openaccessinfo")
    ids = _object(entry, "externalIds", "externalids") or _object(access, "externalids")
    sha = first_text(entry, "paperId") or ""
    page = f"https://www.semanticscholar.org/paper/{sha}" if _SHA.fullmatch(sha) else None
    journal = first_text(_object(entry, "journal"), "name")
    named = first_text(_object(entry, "publicationVenue"), "name")
    return make_record(
        position=position,
        title=first_text(entry, "title"),
        abstract=first_text(entry, "abstract") or first_text(_object(entry, "tldr"), "text"),
        authors=authors_of(entry.get("authors")),
        arxiv=first_text(ids, "ArXiv"),
        doi=first_text(ids, "DOI"),
        url=first_text(entry, "url") or page,
        topics=text_list(entry.get("fieldsOfStudy")),
        venue=first_text(entry, "venue") or named or (None if journal == "ArXiv" else journal),
        dated=[entry.get(key) for key in ("publicationDate", "publicationdate", "year")],
    )


READER: Final = JsonReader(
    name="semantic-scholar",
    title="a Semantic Scholar answer",
    recognises=_recognises,
    record_of=_record,
)
