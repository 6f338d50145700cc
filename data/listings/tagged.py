"""Bibliographies of one tag a line: RIS, Web of Science text, EndNote (ACL Anthology, DBLP).

Read by our own few lines rather than a library's: in a library a damaged record costs the file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from data.listings.base import ListingError
from data.listings.fields import (
    UnusableRecordError,
    author_name,
    make_record,
)
from data.records import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data.listings.base import Item
    from data.listings.source import Source
    from data.records import PaperRecord


@dataclass(slots=True)
class _Tagged:
    """One record: every tag with its values in order."""

    number: int
    line: int
    values: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    ended: bool = False

    @property
    def position(self) -> str:
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
            if self.values.get(tag):
                return self.values[tag]
        return []


@dataclass(frozen=True, slots=True)
class TaggedReader:
    """Reads one of the tagged forms; `start` begins a record, `end` closes it."""

    name: str
    title: str
    sign: re.Pattern[str]
    line: re.Pattern[str]
    start: frozenset[str]
    end: frozenset[str]
    joined_by_line: frozenset[str]

    def sniff(self, head: str) -> float:
        """Sure where the lines that begin a record stand at the start of the file."""
        return 0.9 if self.sign.search(head[:4000]) else 0.0

    def read(self, source: Source) -> Iterator[Item]:
        """One record or refusal a record."""
        used = 0
        problems = 0
        for tagged in self._records(source):
            try:
                yield self._record(tagged)
                used += 1
            except UnusableRecordError as problem:
                problems += 1
                yield Refusal(file=source.name, position=tagged.position, reason=str(problem))
        if not used and not problems:
            raise ListingError(f"{source.name} holds no record as {self.title}; check the file.")

    def _record(self, tagged: _Tagged) -> PaperRecord:
        if self.name == "wos":
            return _wos(tagged)
        return _endnote(tagged) if self.name == "endnote" else _ris(tagged)

    def _records(self, source: Source) -> Iterator[_Tagged]:
        current: _Tagged | None = None
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
                    current.ended = True
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
                current = _Tagged(number, line_number)
            current.values.setdefault(tag, []).append(value)
            last = tag
        if current is not None and current.values:
            yield current


_FRAME: Final = frozenset({"FN", "VR", "EF"})


def _continue(record: _Tagged, tag: str, text: str, *, separate: bool) -> None:
    """A line without a tag goes on with the one before; in lists it is the next member."""
    if separate:
        record.values[tag].append(text)
    elif record.values[tag]:
        record.values[tag][-1] = f"{record.values[tag][-1]} {text}".strip()


def _ris(tagged: _Tagged) -> PaperRecord:
    links = tagged.every("UR") + tagged.every("L1") + tagged.every("L2")
    return make_record(
        position=tagged.position,
        title=tagged.first("TI", "T1", "CT"),
        abstract=tagged.first("AB", "N2"),
        authors=[author_name(a) for a in tagged.every("AU", "A1")],
        arxiv=next(
            (u for u in [*links, *tagged.every("M1"), *tagged.every("AN")] if "arxiv" in u.lower()),
            None,
        ),
        doi=tagged.first("DO", "DI") or next((u for u in links if "doi.org" in u), None),
        url=tagged.first("UR", "L2", "L1"),
        topics=tagged.every("KW")[:8],
        venue=tagged.first("JO", "T2", "JF", "BT", "JA", "J2", "C3"),
        comment=tagged.first("N1"),
        dated=[(tagged.first(tag) or "").strip("/ ") for tag in ("DA", "PY", "Y1")],
    )


def _wos(tagged: _Tagged) -> PaperRecord:
    keywords = [k.strip() for k in " ".join(tagged.every("DE", "ID")).split(";") if k.strip()]
    return make_record(
        position=tagged.position,
        title=tagged.first("TI"),
        abstract=tagged.first("AB"),
        authors=[author_name(a) for a in tagged.every("AF", "AU")],
        arxiv=tagged.first("AR") if "arxiv" in (tagged.first("AR") or "").lower() else None,
        doi=tagged.first("DI"),
        topics=[k.capitalize() if k.isupper() else k for k in keywords[:8]],
        venue=tagged.first("SO"),
        dated=[f"{tagged.first('PD') or ''} {tagged.first('PY') or ''}", tagged.first("PY")],
    )


def _endnote(tagged: _Tagged) -> PaperRecord:
    return make_record(
        position=tagged.position,
        title=tagged.first("%T"),
        abstract=tagged.first("%X"),
        authors=[author_name(a) for a in tagged.every("%A")],
        doi=tagged.first("%R"),
        url=tagged.first("%U"),
        topics=tagged.every("%K")[:8],
        venue=tagged.first("%J", "%B"),
        comment=tagged.first("%Z"),
        dated=[
            tagged.first("%8"),
            f"{tagged.first('%8') or ''} {tagged.first('%D') or ''}",
            tagged.first("%D"),
        ],
    )


READERS: Final = (
    TaggedReader(
        name="ris",
        title="RIS",
        sign=re.compile(r"^\ufeff?TY  ?- ?\S*", re.MULTILINE),
        line=re.compile(r"^([A-Z][A-Z0-9])  ?-(?:\s(.*))?$"),
        start=frozenset({"TY"}),
        end=frozenset({"ER"}),
        joined_by_line=frozenset(),
    ),
    TaggedReader(
        name="wos",
        title="Web of Science text",
        sign=re.compile(r"^\ufeff?(?:FN .*\n)?(?:VR .*\n)?PT [A-Z]\r?$", re.MULTILINE),
        line=re.compile(r"^([A-Z][A-Z0-9])(?: (.*))?$"),
        start=frozenset({"PT"}),
        end=frozenset({"ER"}),
        joined_by_line=frozenset({"AU", "AF", "CR", "EM", "BE", "CA"}),
    ),
    TaggedReader(
        name="endnote",
        title="EndNote's tagged form",
        sign=re.compile(r"^\ufeff?%0 \w", re.MULTILINE),
        line=re.compile(r"^(%[0-9A-Z@!#$&()*+>?\[\]^~])(?:\s(.*))?$"),
        start=frozenset({"%0"}),
        end=frozenset(),
        joined_by_line=frozenset(),
    ),
)
