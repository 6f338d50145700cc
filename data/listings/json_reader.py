"""One reader for all JSON listings; a dialect says what an object's keys mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from data.listings.base import ListingError
from data.listings.fields import UnusableRecordError
from data.listings.json_objects import first_objects, read_objects
from data.listings.json_shapes import Entry, decoded, looks_like_record
from data.records import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from data.listings.base import Item
    from data.listings.source import Source
    from data.records import PaperRecord


@dataclass(frozen=True, slots=True)
class JsonReader:
    """Reads one dialect, whether it comes as a document or as one object a line."""

    name: str
    title: str
    recognises: Callable[[Entry], bool]
    record_of: Callable[[Entry, str], PaperRecord]
    sure: float = 0.9

    def sniff(self, head: str) -> float:
        """Sure where most of the first objects have the dialect's keys."""
        entries = first_objects(head)
        known = sum(self.recognises(e) for e in entries)
        return self.sure if known and known >= len(entries) / 2 else 0.0

    def read(self, source: Source) -> Iterator[Item]:
        """One record or refusal an object."""
        pending: list[Refusal] = []
        used = 0
        for found in read_objects(source, lambda e: self.recognises(e) or looks_like_record(e)):
            problem = found.problem
            if found.entry is not None:
                try:
                    record = self.record_of(found.entry, found.position)
                except UnusableRecordError as error:
                    problem = str(error)
                else:
                    yield from pending
                    pending.clear()
                    used += 1
                    yield record
                    continue
            refusal = Refusal(file=source.name, position=found.position, reason=problem)
            if used:
                yield refusal
            else:
                pending.append(refusal)
        if not used and pending:
            first = pending[0]
            raise ListingError(
                f"{source.name} holds no usable record as {self.title} ({first.position}: "
                f"{first.reason}); check the file, or name its format."
            )
        if not used and not _is_empty_answer(source.head):
            raise ListingError(
                f"{source.name} holds no record as {self.title}; check the file, or name its "
                f"format."
            )


def _is_empty_answer(head: str) -> bool:
    """Whether a JSON document is whole and says that there is nothing: [] or {"data": []}."""
    document = decoded(head.strip("\ufeff \t\r\n"))
    if isinstance(document, dict):
        lists = [
            cast("list[object]", value)
            for value in cast("Entry", document).values()
            if isinstance(value, list)
        ]
        return bool(lists) and not any(lists)
    return document == []
