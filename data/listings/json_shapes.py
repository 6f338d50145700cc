"""What JSON listings are made of: objects that can be papers, and the envelopes around them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from data.listings.columns import field_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

Entry = dict[str, object]
DECODER: Final = json.JSONDecoder(strict=False)
ENVELOPES: Final = (
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
_MOST_LOOKED_AT: Final = 40


@dataclass(frozen=True, slots=True)
class Found:
    """One object of a listing, or, with `entry` None, why there is none at this place."""

    position: str
    entry: Entry | None
    problem: str = ""


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


def members_of(document: object, is_record: Callable[[Entry], bool]) -> Iterator[object]:
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
        inner = next((entry[k] for k in ENVELOPES if isinstance(entry.get(k), (list, dict))), None)
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
            some = cast("list[object]", value)[:_MOST_LOOKED_AT]
            if any(isinstance(m, dict) and is_record(cast("Entry", m)) for m in some):
                return cast("object", value)
    return None


_KEY: Final = re.compile(r"\"([\w-]{1,40})\"\s*:\s*([\"\[{\dtfn])")


def keys_alone(head: str) -> tuple[Entry, ...]:
    """The keys of a first object that is longer than the head, with empty values of their kind."""
    kinds: dict[str, object] = {'"': "…", "[": [], "{": {"title": "…", "summary": "…", "id": "…"}}
    entry: Entry = {key: kinds.get(kind) for key, kind in _KEY.findall(head)}
    return (entry,) if looks_like_record(entry) else ()


def decoded(text: str) -> object:
    """The value of a JSON text, or None where it is none."""
    try:
        return cast("object", DECODER.decode(text))
    except (ValueError, RecursionError):
        return None
