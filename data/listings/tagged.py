"""Bibliographies of one tag a line: how a record begins, goes on and ends.

Read by our own few lines rather than a library's: in a library a damaged record costs the file.
What the tags of each form mean stands in `data.listings.tagged_forms`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from data.listings.base import ListingError
from data.listings.fields import UnusableRecordError
from data.records import Refusal

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator

    from data.listings.base import Item
    from data.listings.source import Source
    from data.records import PaperRecord


@dataclass(slots=True)
class Tagged:
    """One record: every tag with its values in order."""

    number: int
    line: int
    values: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    @property
    def position(self) -> str:
        """Where the record stands, for people."""
        return f"entry {self.number} (line {self.line})"

    def first(self, *tags: str) -> str | None:
        """The first value among the tags that says something."""
        for tag in tags:
            for value in self.values.get(tag, ()):
                if value.strip():
                    return value
        return None

    def every(self, *tags: str) -> list[str]:
        """All values of the first of the tags that has any."""
        for tag in tags:
            if found := self.all(tag):
                return found
        return []

    def all(self, *tags: str) -> list[str]:
        """All values of all the tags, tag by tag, each once."""
        found = (value for tag in tags for value in self.values.get(tag, ()) if value.strip())
        return list(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class TaggedReader:
    """Reads one of the tagged forms; `start` begins a record, `end` closes it.

    A line without a tag goes on with the value before; with a tag of `joined_by_line` it is one
    more value.
    """

    name: str
    title: str
    sign: re.Pattern[str]
    line: re.Pattern[str]
    start: frozenset[str]
    end: frozenset[str]
    joined_by_line: frozenset[str]
    record_of: Callable[[Tagged], PaperRecord]

    def sniff(self, head: str) -> float:
        """Sure where the lines that begin a record stand at the start of the file."""
        return 0.9 if self.sign.search(head[:4000]) else 0.0

    def read(self, source: Source) -> Iterator[Item]:
        """One record or refusal a record."""
        used = 0
        problems = 0
        for tagged in self._records(source):
            try:
                yield self.record_of(tagged)
                used += 1
            except UnusableRecordError as problem:
                problems += 1
                yield Refusal(file=source.name, position=tagged.position, reason=str(problem))
        if not used and not problems:
            raise ListingError(f"{source.name} holds no record as {self.title}; check the file.")

    def _records(self, source: Source) -> Iterator[Tagged]:
        current: Tagged | None = None
        number = 0
        last = ""
        for line_number, raw in source.lines():
            text = raw.lstrip("\ufeff").rstrip()
            found = self.line.match(text)
            if not found:
                if not text.strip() and self.name == "endnote":
                    last = ""
                if current is not None and last and text.strip():
                    _continue(current, last, text.strip(), separate=last in self.joined_by_line)
                continue
            tag, value = found[1], (found[2] or "").strip()
            if tag in self.end:
                if current is not None:
                    yield current
                current, last = None, ""
                continue
            if tag in self.start and (current is None or current.values):
                if current is not None:
                    yield current
                current = None
            if current is None:
                if tag not in self.start and self.start and tag in _FRAME:
                    continue
                number += 1
                current = Tagged(number, line_number)
            current.values.setdefault(tag, []).append(value)
            last = tag
        if current is not None and current.values:
            yield current


_FRAME: Final = frozenset({"FN", "VR", "EF"})


def _continue(record: Tagged, tag: str, text: str, *, separate: bool) -> None:
    """A line without a tag goes on with the one before; in lists it is the next member."""
    if separate:
        record.values[tag].append(text)
    elif record.values[tag]:
        record.values[tag][-1] = f"{record.values[tag][-1]} {text}".strip()
