"""CSL JSON, for pandoc, Zotero and every processor of citation styles.

Types and names are those of the CSL 1.0.2 schema.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from data.exports.names import PersonName
    from data.exports.works import Kind, Work

_TYPE: Final[Mapping[Kind, str]] = {
    "article": "article-journal",
    "inproceedings": "paper-conference",
    "preprint": "article",
    "other": "document",
}


def to_csljson(works: Sequence[Work]) -> bytes:
    """A JSON list with one object a paper."""
    entries = [_entry(work) for work in works]
    return (json.dumps(entries, ensure_ascii=False, indent=2) + "\n").encode()


def _entry(work: Work) -> dict[str, object]:
    entry: dict[str, object] = {
        "id": work.key,
        "type": _TYPE[work.kind],
        "genre": "preprint" if work.kind == "preprint" else "",
        "title": work.title,
        "author": [_name(name) for name in work.names],
        "container-title": work.container,
        "issued": _issued(work),
        "publisher": "arXiv" if work.kind == "preprint" and work.arxiv else "",
        "number": f"arXiv:{work.arxiv}" if work.arxiv else "",
        "DOI": work.doi,
        "URL": work.url,
        "abstract": work.abstract,
        "keyword": ", ".join(work.keywords),
        "note": work.note,
    }
    return {name: value for name, value in entry.items() if value}


def _name(name: PersonName) -> dict[str, str]:
    if not name.given:
        return {"literal": name.family}
    parts = {"family": name.family, "given": name.given, "suffix": name.suffix}
    return {part: value for part, value in parts.items() if value}


def _issued(work: Work) -> dict[str, list[list[int]]] | None:
    if work.day:
        return {"date-parts": [[work.day.year, work.day.month, work.day.day]]}
    if work.year and work.month:
        return {"date-parts": [[work.year, work.month]]}
    return {"date-parts": [[work.year]]} if work.year else None
