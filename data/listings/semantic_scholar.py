"""Semantic Scholar: search answers, batches, recommendations, and its bulk files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from data.listings.fields import authors_of, first_text, make_record, text_list
from data.listings.json_reader import JsonReader

if TYPE_CHECKING:
    from data.listings.json_objects import Entry
    from data.records import PaperRecord


def _recognises(entry: Entry) -> bool:
    return ("paperId" in entry or "corpusid" in entry or "corpusId" in entry) and (
        "title" in entry or "externalIds" in entry
    )


def _record(entry: Entry, position: str) -> PaperRecord:
    outer = entry.get("externalIds") or entry.get("externalids")
    ids = cast("Entry", outer) if isinstance(outer, dict) else {}
    tldr = entry.get("tldr")
    summary = first_text(cast("Entry", tldr), "text") if isinstance(tldr, dict) else None
    return make_record(
        position=position,
        title=first_text(entry, "title"),
        abstract=first_text(entry, "abstract") or summary,
        authors=authors_of(entry.get("authors")),
        arxiv=first_text(ids, "ArXiv"),
        doi=first_text(ids, "DOI"),
        url=first_text(entry, "url"),
        topics=text_list(entry.get("fieldsOfStudy")),
        venue=first_text(entry, "venue"),
        dated=[entry.get(key) for key in ("publicationDate", "publicationdate", "year")],
    )


READER: Final = JsonReader(
    name="semantic-scholar",
    title="a Semantic Scholar answer",
    recognises=_recognises,
    record_of=_record,
)
