"""Hugging Face Daily Papers: the answer of its API for a day."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from data.listings.dates import day, moment
from data.listings.fields import authors_of, first_text, make_record
from data.listings.json_reader import JsonReader

if TYPE_CHECKING:
    from data.listings.json_shapes import Entry
    from data.records import PaperRecord


def _recognises(entry: Entry) -> bool:
    paper = entry.get("paper")
    if isinstance(paper, dict):
        return "id" in paper and ("summary" in paper or "title" in paper)
    return "summary" in entry and "title" in entry and "upvotes" in entry


def _record(entry: Entry, position: str) -> PaperRecord:
    inner = entry.get("paper")
    paper = cast("Entry", inner) if isinstance(inner, dict) else entry
    return make_record(
        position=position,
        title=first_text(paper, "title") or first_text(entry, "title"),
        abstract=first_text(paper, "summary") or first_text(entry, "summary"),
        authors=authors_of(paper.get("authors")),
        arxiv=first_text(paper, "id"),
        published=moment(paper.get("publishedAt") or entry.get("publishedAt")),
        announced=day(paper.get("submittedOnDailyAt")),
    )


READER: Final = JsonReader(
    name="hf-daily",
    title="Hugging Face Daily Papers",
    recognises=_recognises,
    record_of=_record,
)
