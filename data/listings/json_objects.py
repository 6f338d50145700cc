"""Objects out of JSON that may be a document, one object a line, or damaged in places."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final, cast

from data.listings.json_scan import scan
from data.listings.json_shapes import (
    DECODER,
    Entry,
    Found,
    decoded,
    keys_alone,
    looks_like_record,
    members_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from data.listings.source import Source

_MOST_LINES_LOOKED_AT: Final = 40


def is_json_lines(head: str) -> bool:
    """Whether a text is one object a line rather than one document.

    A document may have an object on each of its lines too, but with commas between them.
    """
    lines = [line.strip() for line in head.split("\n")[:_MOST_LINES_LOOKED_AT]]
    lines = [line for line in lines if line]
    starts = [line for line in lines if line.startswith("{")]
    if not starts or _OPENS_DOCUMENT.match(lines[0]):
        return False
    if len(starts) == 1:
        only = decoded(starts[0])
        return isinstance(only, dict) and looks_like_record(cast("Entry", only))
    return sum(line.endswith(",") for line in starts) < len(starts) / 2


# Brackets deeper than any listing has are a damaged line.
_OPENS_DOCUMENT: Final = re.compile(r"\[(?!\[\[\[)|.*[\[{]$(?<!\[\[\[\[)")


@lru_cache(maxsize=8)
def first_objects(head: str) -> tuple[Entry, ...]:
    """Up to a few record-like objects of the start of a file, which may be cut anywhere."""
    start = _without_stray_line(head.lstrip("\ufeff \t\r\n"))
    if not start.startswith(("{", "[")):
        return ()
    if is_json_lines(start):
        found: list[Entry] = []
        for line in start.split("\n")[:_MOST_LINES_LOOKED_AT]:
            entry = decoded(line.strip())
            if isinstance(entry, dict):
                found.extend(_unwrapped(cast("Entry", entry), looks_like_record))
        return tuple(found) or keys_alone(start)
    some = islice(scan(start, looks_like_record), 6)
    return tuple(f.entry for f in some if f.entry) or keys_alone(start)


def _without_stray_line(head: str) -> str:
    """The text behind a first line that is no JSON, where the next one is."""
    if head.startswith(("{", "[")):
        return head
    rest = head.partition("\n")[2].lstrip()
    return rest if rest.startswith(('{"', '[{"')) else head


def read_objects(source: Source, is_record: Callable[[Entry], bool]) -> Iterator[Found]:
    """The objects of a listing, each with its place; damage costs the object that it hits.

    JSON lines are read in pieces, a document whole.
    """
    if is_json_lines(source.head.lstrip("\ufeff")):
        yield from _lines(source, is_record)
        return
    text = _encodable(source.text())
    document = decoded(text.strip("\ufeff \t\r\n"))
    if document is not None:
        for number, value in enumerate(members_of(document, is_record), start=1):
            if isinstance(value, dict):
                yield Found(f"entry {number}", cast("Entry", value))
            else:
                nothing = "it is null: the source had no paper to put here"
                problem = nothing if value is None else "it is JSON but no object"
                yield Found(f"entry {number}", None, problem)
        return
    yield from scan(text, is_record)


def _unwrapped(entry: Entry, is_record: Callable[[Entry], bool]) -> list[Entry]:
    """The object itself, or the records of the answer that it is the envelope of."""
    if is_record(entry):
        return [entry]
    inner = [cast("Entry", m) for m in members_of(entry, is_record) if isinstance(m, dict)]
    return inner or [entry]


def _lines(source: Source, is_record: Callable[[Entry], bool]) -> Iterator[Found]:
    for number, line in source.lines():
        text = _encodable(line.strip("\ufeff \t\r"))
        if not text:
            continue
        values, problem = _values(text)
        entries: list[Entry] = []
        for value in values:
            if isinstance(value, dict):
                entries += _unwrapped(cast("Entry", value), is_record)
            elif isinstance(value, list):
                members = cast("list[object]", value)
                entries += [cast("Entry", m) for m in members if isinstance(m, dict)]
                if entries and not all(isinstance(m, dict) for m in members):
                    problem = problem or "it is a list, and not only of objects"
        if not entries and not problem:
            problem = "it is JSON but no object"
        whole = len(entries) == 1 and not problem
        for count, entry in enumerate(entries, start=1):
            yield Found(f"line {number}" if whole else f"line {number}, entry {count}", entry)
        if problem:
            yield Found(f"line {number}", None, problem)


_BETWEEN: Final = re.compile(r"[ \t,]*")


def _values(text: str) -> tuple[list[object], str]:
    """The values of one line, and what is wrong with it, or "".

    Where the end of a line was lost, two objects stand on it.
    """
    try:
        return [cast("object", json.loads(text))], ""
    except RecursionError:
        return [], "it is nested too deep to be read"
    except ValueError as error:
        values: list[object] = []
        problem, at = f"it is no JSON: {_reason(error)}", 0
    try:
        while at < len(text):
            value, at = cast("tuple[object, int]", DECODER.raw_decode(text, at))
            values.append(value)
            at = behind.end() if (behind := _BETWEEN.match(text, at)) else at
    except (ValueError, RecursionError):
        return values, problem
    return values, ""


_HALF: Final = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    r"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)


def _encodable(text: str) -> str:
    """JSON without halves of a character, which some tools cut and no database takes."""
    return _HALF.sub(r"\\ufffd", text) if "\\ud" in text or "\\uD" in text else text


def _reason(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at character {error.colno}"
    return str(error)
