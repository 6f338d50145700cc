"""JSON lines: one object a line with a title, an abstract, and whatever else is known.

The form of the sample listing, of `papertriage tag -`, and of most home-made dumps.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, cast

from data.identity import arxiv_id
from data.listings.base import ListingError
from data.listings.fields import (
    UnusableRecordError,
    announce_type_of,
    authors_of,
    day,
    first_text,
    make_record,
    moment,
    text_list,
)
from data.records import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from data.listings.base import Item
    from data.listings.source import Source
    from data.records import PaperRecord

TITLE_KEYS: Final = ("title", "Title", "name", "paper_title", "标题", "题目")
ABSTRACT_KEYS: Final = ("abstract", "Abstract", "summary", "description", "摘要")


class JsonLinesReader:
    """Reads JSON lines; a line that is damaged costs that line only."""

    name = "jsonl"
    title = "JSON lines with a title and an abstract"

    def sniff(self, head: str) -> float:
        """Sure where the first lines are objects, one each, with a title or an abstract."""
        lines = [line for line in head.split("\n")[:30] if line.strip()]
        objects = [line for line in lines if line.lstrip().startswith("{")]
        if not objects or len(objects) < len(lines) / 2:
            return 0.0
        for line in objects:
            entry = _object(line)
            if entry is not None and first_text(entry, *TITLE_KEYS, *ABSTRACT_KEYS):
                return 0.8
        # One line longer than the head, or every line of the head damaged.
        cut = any(f'"{key}"' in objects[0] for key in (*TITLE_KEYS, *ABSTRACT_KEYS))
        return 0.3 if cut and objects[0].lstrip().startswith('{"') else 0.0

    def read(self, source: Source) -> Iterator[Item]:
        """One record or refusal a line; blank lines count but say nothing."""
        used = 0
        first_problem = ""
        pending: list[Refusal] = []
        for number, line in source.lines():
            if not line.strip():
                continue
            position = f"line {number}"
            try:
                record = record_of(parse_object(line), position)
            except UnusableRecordError as problem:
                refusal = Refusal(file=source.name, position=position, reason=str(problem))
                first_problem = first_problem or f"line {number}: {problem}"
                if used:
                    yield refusal
                else:
                    pending.append(refusal)
                continue
            if not used:
                yield from pending
                pending.clear()
            used += 1
            yield record
        if not used:
            raise ListingError(
                f"{source.name} holds no usable JSON line ({first_problem or 'all are blank'}); "
                'each line must be an object with "title" or "abstract".'
            )


def parse_object(line: str) -> dict[str, object]:
    """The object that a line holds. Raises `UnusableRecordError` with what is wrong."""
    try:
        value = cast("object", json.loads(line))
    except ValueError as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        column = error.colno if isinstance(error, json.JSONDecodeError) else 1
        raise UnusableRecordError(f"it is no JSON: {reason} at character {column}") from None
    except RecursionError:
        raise UnusableRecordError("it is no JSON that can be read: it is nested too deep") from None
    if not isinstance(value, dict):
        raise UnusableRecordError("it is JSON but no object")
    return cast("dict[str, object]", value)


def _object(line: str) -> dict[str, object] | None:
    try:
        return parse_object(line)
    except UnusableRecordError:
        return None


def record_of(entry: Mapping[str, object], position: str) -> PaperRecord:
    """The record that an object with the usual keys describes."""
    arxiv = first_text(entry, "arxiv", "arxiv_id", "arxivId")
    own = first_text(entry, "id", "paper_id")
    if arxiv is None and own is not None and arxiv_id(own):
        arxiv = own
    url = first_text(entry, "url", "link", "abs", "abs_url", "pdf", "pdf_url")
    topics = text_list(entry.get("topics"), separators=r"\s*;\s*") or text_list(
        entry.get("topic"), separators=r"\s*;\s*"
    )
    return make_record(
        position=position,
        title=first_text(entry, *TITLE_KEYS),
        abstract=first_text(entry, *ABSTRACT_KEYS),
        authors=authors_of(entry.get("authors") or entry.get("author") or entry.get("作者")),
        arxiv=arxiv,
        doi=first_text(entry, "doi", "DOI"),
        openreview=first_text(entry, "openreview", "forum", "openreview_id"),
        url=url,
        topics=topics,
        categories=text_list(entry.get("categories"), separators=r"[\s,;]+"),
        venue=first_text(entry, "venue", "journal", "conference", "booktitle"),
        comment=first_text(entry, "comment", "comments"),
        published=moment(entry.get("published") or entry.get("date")),
        updated=moment(entry.get("updated")),
        announced=day(entry.get("announced")),
        version=_version(entry.get("version")),
        announce_type=announce_type_of(entry.get("announce_type")),
    )


def _version(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value if 0 < value < 1000 else None  # no paper has so many versions
    if isinstance(value, str) and value.lstrip("v").isdecimal():
        return _version(int(value.lstrip("v")[:6]))
    return None
