"""Objects out of JSON that may be a document, one object a line, or damaged in places."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Final, cast

from data.listings.columns import field_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from data.listings.source import Source

Entry = dict[str, object]
_DECODER: Final = json.JSONDecoder(strict=False)
_ENVELOPES: Final = (
    "data",
    "notes",
    "results",
    "papers",
    "items",
    "entries",
    "records",
    "hits",
    "hit",
    "result",
    "articles",
    "documents",
    "message",
)
_MOST_LINES_LOOKED_AT: Final = 40


@dataclass(frozen=True, slots=True)
class Found:
    """One object of a listing, or, with `entry` None, why there is none at this place."""

    position: str
    entry: Entry | None
    problem: str = ""


def is_json_lines(head: str) -> bool:
    """Whether a text is one object a line rather than one document.

    A document may have an object on each of its lines too, but with commas between them.
    """
    lines = [line.strip() for line in head.split("\n")[:_MOST_LINES_LOOKED_AT]]
    lines = [line for line in lines if line]
    if len(lines) == 1:
        only = decoded(lines[0])
        return isinstance(only, dict) and looks_like_record(cast("Entry", only))
    starts = [line for line in lines if line.startswith("{")]
    if len(starts) < 2 or lines[0].startswith("[") or lines[0].endswith(("[", "{")):
        return False
    return sum(line.endswith(",") for line in starts) < len(starts) / 2


@lru_cache(maxsize=8)
def first_objects(head: str) -> tuple[Entry, ...]:
    """Up to a few record-like objects of the start of a file, which may be cut anywhere."""
    start = head.lstrip("\ufeff \t\r\n")
    if not start.startswith(("{", "[")):
        return ()
    if is_json_lines(start):
        found: list[Entry] = []
        for line in start.split("\n")[:_MOST_LINES_LOOKED_AT]:
            entry = decoded(line.strip())
            if isinstance(entry, dict):
                found.extend(_unwrapped(cast("Entry", entry), looks_like_record))
        return tuple(found) or _keys_alone(start)
    some = islice(_scan(start, looks_like_record), 6)
    return tuple(f.entry for f in some if f.entry) or _keys_alone(start)


_KEY: Final = re.compile(r"\"([\w-]{1,40})\"\s*:\s*([\"\[{\dtfn])")


def _keys_alone(head: str) -> tuple[Entry, ...]:
    """The keys of a first object that is longer than the head, with empty values of their kind."""
    kinds: dict[str, object] = {'"': "…", "[": [], "{": {"title": "…", "summary": "…", "id": "…"}}
    entry: Entry = {key: kinds.get(kind) for key, kind in _KEY.findall(head)}
    return (entry,) if looks_like_record(entry) else ()


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
        for number, value in enumerate(_members(document, is_record), start=1):
            if isinstance(value, dict):
                yield Found(f"entry {number}", cast("Entry", value))
            else:
                nothing = "it is null: the source had no paper to put here"
                problem = nothing if value is None else "it is JSON but no object"
                yield Found(f"entry {number}", None, problem)
        return
    yield from _scan(text, is_record)


def _unwrapped(entry: Entry, is_record: Callable[[Entry], bool]) -> list[Entry]:
    """The object itself, or the records of the answer that it is the envelope of."""
    if is_record(entry):
        return [entry]
    inner = [cast("Entry", m) for m in _members(entry, is_record) if isinstance(m, dict)]
    return inner or [entry]


def _lines(source: Source, is_record: Callable[[Entry], bool]) -> Iterator[Found]:
    for number, line in source.lines():
        text = _encodable(line.strip("\ufeff \t\r"))
        if not text:
            continue
        try:
            value = cast("object", json.loads(text))
        except RecursionError:
            yield Found(f"line {number}", None, "it is nested too deep to be read")
            continue
        except ValueError as error:
            yield Found(f"line {number}", None, f"it is no JSON: {_reason(error)}")
            continue
        if not isinstance(value, dict):
            yield Found(f"line {number}", None, "it is JSON but no object")
            continue
        entries = _unwrapped(cast("Entry", value), is_record)
        for count, entry in enumerate(entries, start=1):
            place = f"line {number}" if len(entries) == 1 else f"line {number}, entry {count}"
            yield Found(place, entry)


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


def decoded(text: str) -> object:
    """The value of a JSON text, or None where it is none."""
    try:
        return cast("object", _DECODER.decode(text))
    except (ValueError, RecursionError):
        return None


def _members(document: object, is_record: Callable[[Entry], bool]) -> Iterator[object]:
    """The records inside the envelopes that APIs put around them."""
    for _ in range(5):
        if isinstance(document, list):
            yield from cast("list[object]", document)
            return
        if not isinstance(document, dict):
            return
        entry = cast("Entry", document)
        if is_record(entry):
            yield entry
            return
        inner = next((entry[k] for k in _ENVELOPES if isinstance(entry.get(k), (list, dict))), None)
        if inner is None or not inner:
            inner = _list_of_records(entry, is_record) or inner
        if inner is None:
            values = list(entry.values())
            # A mapping of keys to records, as some dumps have it.
            if values and all(isinstance(v, dict) for v in values):
                yield from values
            return
        document = inner


def _list_of_records(entry: Entry, is_record: Callable[[Entry], bool]) -> object:
    """The first list of records in an envelope of an unknown name, or None."""
    for value in entry.values():
        if isinstance(value, list):
            some = cast("list[object]", value)[:_MOST_LINES_LOOKED_AT]
            if any(isinstance(m, dict) and is_record(cast("Entry", m)) for m in some):
                return cast("object", value)
    return None


_WINDOW: Final = 1 << 16
# How often each character is decoded at most, as part of one object after the other that does not
# end well: a whole listing has a few levels of objects.
_MOST_DECODED: Final = 40
_SURELY_NESTED: Final = 300


def _past_nesting(text: str, start: int) -> int:
    """Behind some of the openings of an object that is nested deeper than can be decoded."""
    at = start
    for found in islice(_OPENING.finditer(text, start), _SURELY_NESTED):
        at = found.start() + 1
    return at


_OPENING: Final = re.compile(r"\{\s*[\"}]")


def _scan(text: str, is_record: Callable[[Entry], bool]) -> Iterator[Found]:
    """The record-like objects of a text that is no JSON as a whole.

    An object that does not decode is left for its first inner one, so a broken place costs the
    object around it and nothing behind it.
    """
    at, number, broken_at = 0, 0, -1
    line, counted = 1, 0
    # An error counts the lines before it, so only the text near it is handed to the decoder.
    window, base = text, 0
    budget = _MOST_DECODED * len(text)
    while budget > 0 and (found := _OPENING.search(text, at)):
        start = found.start()
        if start - base > _WINDOW:
            window, base = text[start:], start
        try:
            value, end = cast("tuple[object, int]", _DECODER.raw_decode(window, start - base))
            end += base
        except (ValueError, RecursionError) as error:
            at = start + 1
            if isinstance(error, json.JSONDecodeError):
                budget -= error.pos - (start - base)
            elif isinstance(error, RecursionError):
                at = _past_nesting(text, start)
            if broken_at < 0 and number:
                broken_at = start
            continue
        entry = cast("Entry", value)
        if not is_record(entry):
            for member in _members(entry, is_record):
                if isinstance(member, dict):
                    number += 1
                    yield Found(f"entry {number}", cast("Entry", member))
            at = end
            continue
        line += text.count("\n", counted, start)
        counted = start
        if broken_at >= 0:
            number += 1
            yield Found(f"entry {number}", None, f"it is no whole JSON object, before line {line}")
            broken_at = -1
        number += 1
        yield Found(f"entry {number}", entry)
        at = end
    rest = text[at:].strip(" \t\r\n]},")
    if rest or broken_at >= 0:
        last = text.count("\n") + 1
        yield Found(
            f"entry {number + 1}",
            None,
            f"the file breaks off or is damaged between entry {number} and line {last}",
        )


def looks_like_record(entry: Mapping[str, object]) -> bool:
    """Whether an object can be a paper in any dialect."""
    if isinstance(entry.get("title"), (str, dict, list)) or isinstance(entry.get("abstract"), str):
        return True
    for key in ("paper", "content", "info", "citingPaper", "citedPaper"):
        inner = entry.get(key)
        if isinstance(inner, dict) and ("title" in inner):
            return True
    if isinstance(entry.get("name"), str) and ("virtualsite_url" in entry or "eventtype" in entry):
        return True
    texts = [(field_of(key)[0], key.lower()) for key, v in entry.items() if isinstance(v, str)]
    titles = {key for field, key in texts if field == "title"}
    said = {field for field, key in texts if key != "description"}
    has_authors = any(field_of(key)[0] == "authors" for key in entry)
    # A program has a name and a description as well, and so have many other things.
    if not titles or titles <= {"name", "paper"}:
        return "abstract" in said and (bool(titles) or has_authors)
    return bool(said & {"abstract", "doi", "arxiv"}) or has_authors
