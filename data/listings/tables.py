"""CSV and TSV with recognisable columns, and cells of several lines."""

from __future__ import annotations

import ast
import csv
import re
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, cast

from data.listings.base import ListingError
from data.listings.columns import field_of
from data.listings.dates import day, moment
from data.listings.fields import (
    UnusableRecordError,
    announce_type_of,
    author_name,
    cell_authors,
    forum_of,
    make_record,
    names_family_first,
    text_list,
)
from data.records import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data.listings.base import Item
    from data.listings.source import Source
    from data.records import PaperRecord

_LONGEST_ROW_LINES: Final = 2000
_LARGEST_CELL: Final = 1 << 22
_MOST_NAMED: Final = 8
_LONGEST_LIST: Final = 20_000
_LINES_LOOKED_AT: Final = 400
_LONGEST_PREAMBLE: Final = 3
_FEWEST_BELOW_WORDS: Final = 2


@dataclass(frozen=True, slots=True)
class _Shape:
    """How a table is written: its delimiter, and which column holds which field.

    `unknown` are the headings that name no field, `family_first` says how authors are written
    where that shows, `preamble` is how many lines stand over the headings.
    """

    delimiter: str
    columns: dict[str, int]
    width: int
    own_key: str = ""
    unknown: tuple[str, ...] = ()
    family_first: bool | None = None
    preamble: int = 0


class TableReader:
    """Reads delimited tables; a row with a broken quote costs that row."""

    name = "csv"
    title = "a CSV or TSV table with a heading row"

    def sniff(self, head: str) -> float:
        """Sure where the first row holds headings for a title or an abstract and one field more."""
        shape = _shape(head)
        if shape is None:
            return 0.0
        return 0.7 if len(shape.columns) > 1 else 0.4

    def read(self, source: Source) -> Iterator[Item]:
        """One record or refusal a row."""
        shape = _shape(source.head)
        if shape is None:
            raise ListingError(
                f"{source.name} has no heading row with a title or an abstract; name the columns "
                "in its first line, for example title,authors,abstract,url."
            )
        if shape.unknown:
            named = ", ".join(f'"{heading[:40]}"' for heading in shape.unknown[:_MOST_NAMED])
            more = len(shape.unknown) - _MOST_NAMED
            source.notes.append(
                f"{source.name}: nothing was taken from the columns {named}"
                f"{f' and {more} more' if more > 0 else ''}, whose headings name no field."
            )
        for number, (line, cells, problem) in enumerate(_rows(source, shape), start=1):
            position = f"row {number} (line {line})"
            reason = problem
            if not reason:
                try:
                    yield _record(shape, cells, position)
                    continue
                except UnusableRecordError as error:
                    reason = str(error)
            yield Refusal(file=source.name, position=position, reason=reason)


def _shape(head: str) -> _Shape | None:
    text = head.lstrip("\ufeff \t\r\n")
    declared = re.match(r"sep=(.)\r?\n", text)
    text = text[declared.end() :] if declared else text
    if text[:1] in "{[<@%\\":
        return None
    for preamble in range(_LONGEST_PREAMBLE + 1):
        shape = _shape_of(text, declared[1] if declared else None)
        # Words over the table may be like a heading, but not so many of them.
        if shape and (not preamble or len(shape.columns) > _FEWEST_BELOW_WORDS):
            return replace(shape, preamble=preamble)
        text = text.partition("\n")[2].lstrip(" \t\r\n")
    return None


def _shape_of(first: str, declared: str | None) -> _Shape | None:
    """The shape of a table whose heading is the first line."""
    line = first.split("\n", 1)[0].rstrip("\r")
    best: _Shape | None = None
    for delimiter in [declared] if declared else [",", "\t", ";", "|"]:
        headings = _cells(line, delimiter)
        columns: dict[str, int] = {}
        ranks: dict[str, int] = {}
        for index, heading in enumerate(headings):
            field, rank = field_of(heading)
            if field and rank < ranks.get(field, rank + 1):
                columns[field], ranks[field] = index, rank
        if not ({"title", "abstract"} & columns.keys()) or len(headings) < 2:
            continue
        if best is None or len(columns) > len(best.columns):
            unknown = tuple(h.strip() for h in headings if h.strip() and not field_of(h)[0])
            rows = _first_rows(first, delimiter, len(headings))
            authors = columns.get("authors")
            named = [row[authors] for row in rows] if authors is not None else []
            best = _Shape(
                delimiter,
                columns,
                len(headings),
                _own_key(rows),
                unknown,
                names_family_first(named),
            )
    return best


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return list(next(csv.reader([line], delimiter=delimiter), ()))
    except csv.Error:
        return []


def _first_rows(text: str, delimiter: str, width: int) -> list[list[str]]:
    """The first rows of one line, which can be trusted even when another row is broken."""
    rows = (
        _cells(line, delimiter)
        for line in text.splitlines()[1:_LINES_LOOKED_AT]
        if line.count('"') % 2 == 0
    )
    return [cells for cells in rows if len(cells) == width]


def _own_key(rows: list[list[str]]) -> str:
    """What the first cell of every row begins with ("https://…?id="), or empty.

    It tells a new row from the inside of a cell when a quote is missing.
    """
    firsts = [cells[0] for cells in rows]
    if len(firsts) < 2:
        return ""
    low, high = min(firsts), max(firsts)
    same = 0
    while same < min(len(low), len(high)) and low[same] == high[same]:
        same += 1
    enough = len(firsts) > 2 or "://" in low[:same]
    return low[:same] if enough and same > 5 else ""


_RULE: Final = re.compile(r"[\s|:-]+")  # what parts the heading of a Markdown table from its rows


def _rows(source: Source, shape: _Shape) -> Iterator[tuple[int, list[str], str]]:
    """The rows below the heading: line, cells, and what is wrong with them.

    A row is tried with one line, then two, and so on until its quotes close. Where they never do,
    or a new row begins inside, the row alone is given up and reading goes on with the next line.
    """
    waiting: deque[tuple[int, str]] = deque()
    lines = _physical(source)
    above = shape.preamble + 1
    junk = False

    def next_line() -> tuple[int, str] | None:
        return waiting.popleft() if waiting else next(lines, None)

    while (current := next_line()) is not None:
        start, text = current
        if not text.strip():
            continue
        if shape.delimiter == "|" and _RULE.fullmatch(text):
            continue
        if above:
            above -= not text.lower().startswith("sep=")
            continue
        held = [current]
        cells, closed, broken = _parsed(text, shape)
        quotes = text.count('"')
        while not closed:
            if len(held) > _LONGEST_ROW_LINES or (following := next_line()) is None:
                broken = "a quotation mark opens a cell that never closes"
                break
            if shape.own_key and following[1].lstrip('"').startswith(shape.own_key):
                waiting.appendleft(following)
                broken = "a quotation mark opens a cell that does not close before the next row"
                break
            held.append(following)
            quotes += following[1].count('"')
            # Inside a quoted cell a quotation mark is doubled, so an odd number is an open cell.
            if '"' in following[1] and quotes % 2 == 0:
                text = "\n".join(line for _, line in held)
                cells, closed, broken = _parsed(text, shape)
        if broken:
            # The next rows may be whole: read them again, from the line behind the broken one.
            if not (shape.own_key and "next row" in broken):
                waiting.extendleft(reversed(held[1:]))
            if not junk:
                yield start, [], broken
            junk = True
            continue
        if len(cells) < max(shape.columns.values()) + 1 and len(cells) != shape.width:
            if junk or not any(cells):
                continue  # the rest of a row that was already refused
            junk = True
            yield start, cells, _too_few_or_many(cells, shape)
            continue
        if len(cells) > shape.width and any(cells[shape.width :]):
            junk = False
            yield start, cells, _too_few_or_many(cells, shape)
            continue
        junk = False
        yield start, cells, ""


def _too_few_or_many(cells: list[str], shape: _Shape) -> str:
    many = f"{len(cells)} cell{'' if len(cells) == 1 else 's'}"
    return f"it has {many} where the heading has {shape.width}"


def _physical(source: Source) -> Iterator[tuple[int, str]]:
    for number, line in source.lines():
        yield number, line.lstrip("\ufeff") if number == 1 else line


def _parsed(text: str, shape: _Shape) -> tuple[list[str], bool, str]:
    """The cells of a row, whether its quotes close, and what is wrong where they close badly."""
    csv.field_size_limit(_LARGEST_CELL)
    lines = text.splitlines(keepends=True)
    try:
        # strict: an open quote at the end is an error rather than a cell.
        rows = list(csv.reader(lines, delimiter=shape.delimiter, strict=True))
    except csv.Error as error:
        if "unexpected end of data" in str(error):
            return [], False, ""
        if len(lines) > 1:
            return [], True, "a quotation mark opens a cell that closes in another row"
        try:
            rows = list(csv.reader(lines, delimiter=shape.delimiter))
        except csv.Error:
            return [], True, ""
    return (rows[0] if len(rows) == 1 else []), True, ""


def _record(shape: _Shape, cells: list[str], position: str) -> PaperRecord:
    def cell(field: str) -> str | None:
        index = shape.columns.get(field)
        value = cells[index].strip() if index is not None and index < len(cells) else ""
        return value or None

    own = cell("id")
    url = cell("url")
    version = cell("version")
    keywords = _parts(cell("keywords"), r"[;,；、]")
    topics = _parts(cell("topics"), r"\s*[;；|]\s*")
    return make_record(
        position=position,
        title=cell("title"),
        abstract=cell("abstract"),
        authors=_names(cell("authors") or "", family_first=shape.family_first),
        arxiv=cell("arxiv") or own,
        doi=cell("doi"),
        openreview=forum_of(cell("openreview")),
        url=url or (own if own and own.startswith("http") else None),
        topics=topics or keywords[:8],
        categories=_parts(cell("categories"), r"[\s,;]+"),
        venue=cell("venue"),
        comment=cell("comment"),
        dated=_dates(cell("published"), cell("month"), cell("year")),
        updated=moment(cell("updated")),
        announced=day(cell("announced")),
        version=int(version.lstrip("v"))
        if version and re.fullmatch(r"v?\d{1,3}", version)
        else None,
        announce_type=announce_type_of(cell("announce_type")),
    )


def _members(cell: str) -> list[str]:
    """The members of a list that a script wrote into a cell as Python or JSON has it."""
    if not (cell.startswith("[") and cell.endswith("]")):
        return []
    try:
        value = cast("object", ast.literal_eval(cell[:_LONGEST_LIST]))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return []
    return text_list(value)


def _parts(cell: str | None, separators: str) -> list[str]:
    return _members(cell or "") or text_list(cell or "", separators=separators)


def _names(cell: str, *, family_first: bool | None) -> list[str]:
    if members := _members(cell):
        return [author_name(member) for member in members]
    return cell_authors(cell, family_first=family_first)


def _dates(date: str | None, month: str | None, year: str | None) -> list[str | None]:
    named = f"{year}-{month}" if (month or "").isdecimal() else f"{month} {year}"
    return [date, named if month and year else None, year]
