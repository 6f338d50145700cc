"""XML records cut out of a stream one by one, so that damage in one costs that one only.

A record is parsed alone, inside the root element it came from. No document type definition is
ever read, so entities that expand without end cannot be declared.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from data.listings.fields import UnusableRecordError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data.listings.source import Source

_CHUNK: Final = 1 << 18
_LARGEST_RECORD: Final = 4 << 20
_NAMESPACE: Final = re.compile(r"\sxmlns(?::[\w.-]+)?\s*=\s*(?:\"[^\"]*\"|'[^']*')")
_PREFIX: Final = re.compile(r"(?<=[<\s/])([A-Za-z_][\w.-]*):(?=[\w.-]+[\s=/>])")
_NAMED: Final = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-fA-F]+);)(\w{1,31};)?")
_NOT_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class RawRecord:
    """One record's own markup; `whole` is False where its end is missing."""

    number: int
    line: int
    text: str
    whole: bool

    @property
    def position(self) -> str:
        """Where the record stands, for people."""
        return f"entry {self.number} (line {self.line})"


def records_in(source: Source, *names: str) -> Iterator[RawRecord]:
    """The elements with these local names, in order, also where the markup around is broken.

    An element that a second one of its name interrupts has lost its end.
    """
    alternatives = "|".join(re.escape(n) for n in names)
    opening = re.compile(rf"<((?:[\w.-]+:)?(?:{alternatives}))(?=[\s>/])[^<>]*>")
    number, line = 0, 1
    with source.stream() as stream:
        held, at, ended = "", 0, False
        while not ended:
            piece = stream.read(_CHUNK)
            ended = not piece
            held, at = held[at:] + piece, 0
            # Where each closing tag stands next, so that no stretch is searched twice for it.
            closings: dict[str, int] = {}
            while found := opening.search(held, at):
                start = found.start()
                if found[0].endswith("/>"):
                    line += held.count("\n", at, found.end())
                    at = found.end()
                    continue
                closing = f"</{found[1]}>"
                end = closings.get(closing, 0)
                if 0 <= end < found.end():
                    end = closings[closing] = held.find(closing, found.end())
                again = opening.search(held, found.end(), end if end >= 0 else len(held))
                line += held.count("\n", at, start)
                at = start
                if end < 0 and not again and not ended and len(held) - start < _LARGEST_RECORD:
                    break
                whole = end >= 0 and again is None
                stop = end + len(closing) if whole else again.start() if again else len(held)
                number += 1
                yield RawRecord(number, line, held[start:stop], whole)
                line += held.count("\n", start, stop)
                at = stop
            else:
                # Keep what may be the start of an opening tag.
                kept = held.rfind("<", at)
                keep_from = kept if kept >= 0 and len(held) - kept < 4096 else len(held)
                line += held.count("\n", at, keep_from)
                at = keep_from


def parse_record(raw: RawRecord, head: str) -> ET.Element:
    """The element of a record.

    `head` is the start of the file, whose namespace declarations hold for the record too. Raises
    `UnusableRecordError` where the markup is cut or cannot be read even after repair.
    """
    if not raw.whole:
        raise UnusableRecordError("its end is missing; the file was cut")
    spaces = _root_namespaces(head)
    cleaned = _NOT_XML.sub(" ", raw.text)
    for attempt in (cleaned, _repaired(cleaned)):
        declared = spaces + _missing_namespaces(attempt, spaces)
        try:
            # No DTD can stand inside an element, so no entity beyond the five is ever expanded.
            root = ET.fromstring(f"<root{declared}>{attempt}</root>")  # noqa: S314 - see above
        except ET.ParseError:
            continue
        if len(root):
            return root[0]
    raise UnusableRecordError("its markup is damaged")


def _root_namespaces(head: str) -> str:
    found = re.search(r"<(?![?!])[^<>]*>", head)
    return "".join(dict.fromkeys(_NAMESPACE.findall(found[0]))) if found else ""


def _missing_namespaces(text: str, spaces: str) -> str:
    used = set(_PREFIX.findall(text)) - {"xml", "xmlns"}
    return "".join(
        f' xmlns:{prefix}="urn:undeclared:{prefix}"'
        for prefix in sorted(used)
        if f"xmlns:{prefix}=" not in spaces and f"xmlns:{prefix} =" not in spaces
    )


def _repaired(text: str) -> str:
    """The markup with HTML's named entities as characters and lone ampersands escaped."""

    def entity(match: re.Match[str]) -> str:
        name = match[1]
        shown = html.unescape(f"&{name}") if name else "&"
        return html.escape(shown) if shown != f"&{name}" else f"&amp;{name}"

    text = _NAMED.sub(entity, text)
    return re.sub(r"<(?![A-Za-z_/!?])", "&lt;", text)


def local(element: ET.Element) -> str:
    """An element's name without its namespace; comments were dropped by the parser."""
    return element.tag.rpartition("}")[2]


def children(element: ET.Element, *names: str) -> Iterator[ET.Element]:
    """The direct children with these local names, in order."""
    for child in element:
        if local(child) in names:
            yield child


def descend(element: ET.Element, *names: str) -> Iterator[ET.Element]:
    """All elements below with these local names, in document order."""
    for child in element.iter():
        if local(child) in names and child is not element:
            yield child


def text_of(element: ET.Element | None) -> str:
    """All text inside an element, markup dropped."""
    return "".join(element.itertext()).strip() if element is not None else ""


def child_text(element: ET.Element, *names: str) -> str | None:
    """The text of the first direct child with one of these names that says something."""
    for name in names:
        for child in children(element, name):
            text = text_of(child)
            if text:
                return text
    return None
