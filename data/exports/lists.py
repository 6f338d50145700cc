"""Papers for people: a table for a spreadsheet, and a list in Markdown."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Final

from data.exports.works import clean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data.exports.works import Work

_FORMULA_SIGNS: Final = tuple("=+-@＝＋－＠")
_COLUMNS: Final = [
    "id",
    "title",
    "title_derived",
    "authors",
    "year",
    "tag",
    "secondary_tag",
    "state",
    "votes",
    "voters",
    "reader",
    "venue",
    "published",
    "announced",
    "arxiv",
    "doi",
    "openreview",
    "url",
    "topics",
    "categories",
    "sources",
    "comment",
    "withdrawn",
    "abstract",
]
_MARKS: Final = re.compile(r"[\\`*_\[\]<>~|$&@^#]|:(?=//)|(?<=www)\.", re.IGNORECASE)
_MOST_AUTHORS: Final = 8


def to_csv(works: Sequence[Work]) -> bytes:
    """A table with a header, in UTF-8 with the mark by which Excel knows it.

    Cells that a spreadsheet would take for a formula begin with an apostrophe. Several values
    in one cell are separated by "; ".
    """
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(_COLUMNS)
    writer.writerows([_guarded(cell) for cell in _row(work)] for work in works)
    return table.getvalue().encode("utf-8-sig")


def _row(work: Work) -> list[str]:
    item, paper = work.item, work.item.paper
    secondary = paper.judgement.secondary if paper.judgement and not item.tag else None
    return [
        str(paper.id),
        work.title,
        _yes(paper.title_derived),
        _joined(paper.authors),
        str(work.year or ""),
        work.tag,
        secondary or "",
        clean(item.state or ""),
        "" if item.votes is None else str(item.votes),
        _joined(item.voters),
        clean(item.reader or ""),
        clean(paper.venue or ""),
        paper.published.date().isoformat() if paper.published else str(paper.published_in or ""),
        paper.announced.isoformat() if paper.announced else "",
        work.arxiv,
        work.doi,
        clean(paper.identifiers.openreview or ""),
        work.url,
        _joined(paper.topics),
        _joined(paper.categories),
        _joined(paper.sources),
        clean(paper.comment or ""),
        _yes(paper.withdrawn),
        work.abstract,
    ]


def _joined(values: Sequence[str]) -> str:
    return "; ".join(filter(None, map(clean, values)))


def _yes(value: bool) -> str:  # noqa: FBT001 - it shows the value itself
    return "yes" if value else "no"


def _guarded(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA_SIGNS) else cell


def to_markdown(works: Sequence[Work]) -> bytes:
    """A list with one line a paper: linked title, authors, venue and year, tag, and the queue."""
    return "".join(f"- {_line(work)}\n" for work in works).encode()


def _line(work: Work) -> str:
    item, paper = work.item, work.item.paper
    title = f"[{_escaped(work.title)}](<{work.url}>)" if work.url else _escaped(work.title)
    authors = [_escaped(name) for name in map(clean, paper.authors) if name]
    shown = ", ".join(authors[:_MOST_AUTHORS])
    if len(authors) > _MOST_AUTHORS:
        shown += f" and {len(authors) - _MOST_AUTHORS} more"
    where = ", ".join(filter(None, [_escaped(work.container), str(work.year or "")]))
    votes = "" if item.votes is None else f"{item.votes} vote{'' if item.votes == 1 else 's'}"
    if votes and item.voters:
        votes += f" ({_escaped(_joined(item.voters).replace('; ', ', '))})"
    state = _escaped(clean(item.state or ""))
    if item.reader:
        state = f"{state} by {_escaped(clean(item.reader))}".strip()
    facts = [
        "title derived from the abstract" if paper.title_derived else "",
        "withdrawn" if paper.withdrawn else "",
        _escaped(work.tag),
        votes,
        state,
    ]
    return " · ".join(filter(None, [f"**{title}**", shown, where, *facts]))


def _escaped(text: str) -> str:
    r"""The text as Markdown that shows just this text: no emphasis, links, HTML or entities."""
    return _MARKS.sub(lambda match: "\\" + match[0], text)
