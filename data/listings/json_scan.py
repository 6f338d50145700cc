"""Objects out of JSON that does not decode as a whole: damage costs the objects that it hits."""

from __future__ import annotations

import json
import re
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Final, cast

from data.listings.json_shapes import (
    DECODER,
    ENVELOPES,
    Entry,
    Found,
    keys_alone,
    members_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_WINDOW: Final = 1 << 16
# How often each character is decoded at most, as part of one object after the other that does not
# end well: a whole listing has a few levels of objects.
_MOST_DECODED: Final = 40
_SURELY_NESTED: Final = 300
_OPENING: Final = re.compile(r"\{\s*[\"}]")


def scan(text: str, is_record: Callable[[Entry], bool]) -> Iterator[Found]:
    """The record-like objects of a text that is no JSON as a whole, and what is lost around them.

    An object that does not decode is left for its first inner one, so a broken place costs the
    object around it and nothing behind it.
    """
    at, number = 0, 0
    gap = _Gap(text)
    # An error counts the lines before it, so only the text near it is handed to the decoder.
    window, base = text, 0
    budget = _MOST_DECODED * len(text)
    while budget > 0 and (opening := _OPENING.search(text, at)):
        start = opening.start()
        if start - base > _WINDOW:
            window, base = text[start:], start
        try:
            value, end = cast("tuple[object, int]", DECODER.raw_decode(window, start - base))
            end += base
        except (ValueError, RecursionError) as error:
            at = start + 1
            if isinstance(error, json.JSONDecodeError):
                budget -= error.pos - (start - base)
            elif isinstance(error, RecursionError):
                at = _past_nesting(text, start)
            gap.broken.append(start)
            continue
        at = end
        entry = cast("Entry", value)
        if is_record(entry):
            found = [entry]
        else:
            found = [cast("Entry", m) for m in members_of(entry, is_record) if isinstance(m, dict)]
            if not found and not gap.is_among_entries(start):
                continue  # a part of an object that is lost, or of the envelope
            found = found or [entry]
        for problem in gap.losses(start):
            number += 1
            yield Found(f"entry {number}", None, problem)
        for each in found:
            number += 1
            yield Found(f"entry {number}", each)
        gap.begin_behind(end)
    *lost, last = gap.losses_at_end(at, number)
    for problem in lost:
        number += 1
        yield Found(f"entry {number}", None, problem)
    if last:
        yield Found(f"entry {number + 1}", None, last)


_KEYS: Final = re.compile(r"\"(?:[^\"\\\n]|\\.){0,200}\"\s*:")
# What scripts and servers put before JSON: "var papers =", "callback(", and the guard ")]}'".
_BEFORE: Final = re.compile(r"(?:[\w.$ \t]{1,80}[=(]|\)\]\}',?)?\s*")
_JOINTS: Final = frozenset({"", "[", "[[", ";", ");", ")"})
_ENVELOPE_END: Final = re.compile(r"\"(\w+)\"\s*:\s*\[\s*$")


class _Gap:
    """The text between two objects that were read, and what may be lost in it."""

    def __init__(self, text: str) -> None:
        self.broken: list[int] = []
        """Where objects begin that do not decode, in order."""
        self._text = text
        self._start = 0
        self._first = True
        self._line, self._counted = 1, 0

    def begin_behind(self, end: int) -> None:
        """Begins anew behind an object."""
        self.broken.clear()
        self._start, self._first = end, False

    def is_among_entries(self, start: int) -> bool:
        """Whether an object stands beside entries, and is no part of another or of the envelope."""
        before = self._text[max(self._start, start - 80) : start].rstrip()
        return not self._first and not self.broken and not before.endswith(":")

    def losses(self, end: int) -> list[str]:
        """Why there is no entry, for each that was lost before the object that begins at `end`."""
        lost = [place for place in self._objects(end) if self._is_entry(*place)]
        if not lost and self.broken and not self._first:
            lost = [(self.broken[0], end)]
        if not lost and not self.broken and (stray := self._stray(end)) is not None:
            return [f"it is no JSON object (line {self._line_at(stray)})"]
        return [f"it is no whole JSON object (line {self._line_at(at)})" for at, _ in lost]

    def losses_at_end(self, at: int, number: int) -> list[str]:
        """The same for the end of the text, behind entry `number`; "" at last where all is well."""
        end = len(self._text)
        rest = self._text[at:].strip(" \t\r\n]},")
        if not self.broken and (not rest or rest in _JOINTS):
            return [""]
        lost = [place for place in self._objects(end) if self._is_entry(*place)]
        where = self._text.count("\n") + 1
        damaged = (
            f"the file breaks off or is damaged between entry {number + max(0, len(lost) - 1)}"
        )
        before = [f"it is no whole JSON object (line {self._line_at(p)})" for p, _ in lost[:-1]]
        return [*before, f"{damaged} and line {where}"]

    def _objects(self, end: int) -> Iterator[tuple[int, int]]:
        """Each object that does not decode, up to where the next one begins."""
        return pairwise([*self.broken, end])

    def _is_entry(self, start: int, end: int) -> bool:
        """Whether what begins there was an entry, rather than the envelope of those that follow."""
        piece = self._text[start:end]
        if not keys_alone(piece):
            return False
        found = _ENVELOPE_END.search(piece[-80:]) if self._first else None
        return found is None or found[1] not in ENVELOPES

    def _stray(self, end: int) -> int | None:
        """Where text begins that belongs to no object and holds none together, or None."""
        piece = self._text[self._start : end]
        if self._first:
            piece = piece[_BEFORE.match(piece).end() :]  # pyright: ignore[reportOptionalMemberAccess] - it matches nothing as well
        rest = re.sub(r"[\s,\]}]+", "", _KEYS.sub("", piece))
        if rest in _JOINTS or rest.removeprefix("\ufeff") in _JOINTS:
            return None
        return self._start + len(piece) - len(piece.lstrip(" \t\r\n,]}"))

    def _line_at(self, place: int) -> int:
        if place >= self._counted:
            self._line += self._text.count("\n", self._counted, place)
            self._counted = place
        return self._line


def _past_nesting(text: str, start: int) -> int:
    """Behind some of the openings of an object that is nested deeper than can be decoded."""
    at = start
    for found in islice(_OPENING.finditer(text, start), _SURELY_NESTED):
        at = found.start() + 1
    return at
