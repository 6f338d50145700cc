"""JSON lines: one object a line with a title, an abstract, and whatever else is known.

The form of the sample listing, of `papertriage tag -`, and of most home-made dumps. The keys may
be anything that a table's columns may be called.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Final, cast

from data.identity import arxiv_id
from data.listings.columns import field_of
from data.listings.dates import day, moment
from data.listings.fields import (
    announce_type_of,
    authors_of,
    cell_authors,
    first_text,
    forum_of,
    make_record,
    text_list,
)
from data.listings.json_reader import JsonReader
from data.listings.json_shapes import looks_like_record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from data.listings.json_shapes import Entry
    from data.records import PaperRecord


def _recognises(entry: Entry) -> bool:
    return looks_like_record(entry) or any(
        isinstance(value, str) and field_of(key)[0] in {"title", "abstract"}
        for key, value in entry.items()
        if key != "name"
    )


_rank = itemgetter(0)


class _Fields:
    """The values of an object by the field that their keys name, the best key first."""

    def __init__(self, entry: Mapping[str, object]) -> None:
        ranked: dict[str, list[tuple[int, object]]] = {}
        for key, value in entry.items():
            field, rank = field_of(key)
            if field and value not in (None, "", [], {}):
                ranked.setdefault(field, []).append((rank, value))
        self._values = {
            field: [value for _, value in sorted(pairs, key=_rank)]
            if len(pairs) > 1
            else [pairs[0][1]]
            for field, pairs in ranked.items()
        }

    def every(self, field: str) -> list[object]:
        """All values of a field."""
        return self._values.get(field, [])

    def first(self, field: str) -> object:
        """The best value of a field, or None."""
        values = self._values.get(field)
        return values[0] if values else None

    def text(self, field: str) -> str | None:
        """The best value of a field that is a text or a whole number."""
        for value in self._values.get(field, ()):
            if text := first_text({"": value}, ""):
                return text
        return None

    def list(self, field: str, separators: str) -> list[str]:
        """The members of the best value of a field: texts, or the names of objects."""
        value = self.first(field)
        if isinstance(value, list):
            members = cast("list[object]", value)
            named = [first_text(cast("Entry", m), "name", "display_name", "category", "term")
                     if isinstance(m, dict) else m for m in members]  # fmt: skip
            return text_list(named)
        return text_list(value, separators=separators)


def record_of(entry: Mapping[str, object], position: str) -> PaperRecord:
    """The record that an object with the usual keys describes."""
    fields = _Fields(entry)
    own = fields.text("id")
    arxiv = fields.text("arxiv") or (own if own and arxiv_id(own) else None)
    people = fields.first("authors")
    year, month = fields.text("year"), fields.text("month")
    named = f"{year}-{month}" if (month or "").isdecimal() else f"{month} {year}"
    return make_record(
        position=position,
        title=fields.text("title"),
        abstract=fields.text("abstract"),
        authors=cell_authors(people) if isinstance(people, str) else authors_of(people),
        arxiv=arxiv,
        doi=fields.text("doi"),
        openreview=forum_of(fields.text("openreview")),
        url=fields.text("url") or (own if own and own.startswith("http") else None),
        topics=fields.list("topics", r"\s*;\s*") or fields.list("keywords", "[;,]")[:8],
        categories=fields.list("categories", r"[\s,;]+"),
        venue=fields.text("venue"),
        comment=fields.text("comment"),
        dated=[*fields.every("published"), named if month and year else None, year],
        updated=moment(fields.first("updated")),
        announced=day(fields.first("announced")),
        version=_version(fields.first("version")),
        announce_type=announce_type_of(fields.first("announce_type")),
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
