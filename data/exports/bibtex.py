"""BibTeX, for LaTeX and for every reference manager."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from data.exports.latex import to_latex, to_latex_title

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from data.exports.names import PersonName
    from data.exports.works import Kind, Work

_ENTRY: Final[Mapping[Kind, str]] = {
    "article": "article",
    "inproceedings": "inproceedings",
    "preprint": "misc",
    "other": "misc",
}
_CONTAINER: Final[Mapping[Kind, str]] = {
    "article": "journal",
    "inproceedings": "booktitle",
    "preprint": "howpublished",
    "other": "howpublished",
}
_MONTHS: Final = [
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
]
_PRIMARY_CLASS: Final = re.compile(r"[a-z]+(?:-[a-z]+)*(?:\.[A-Za-z-]+)?")


def to_bibtex(works: Sequence[Work]) -> bytes:
    """One entry a paper; keys are unique and readable, text is LaTeX, addresses stand as they are.

    Papers of arXiv carry eprint, archivePrefix and primaryClass, whatever their entry type.
    """
    return "\n".join(_entry(work) for work in works).encode()


def _entry(work: Work) -> str:
    fields = {
        "title": to_latex_title(work.title),
        "author": " and ".join(_name(name) for name in work.names),
        _CONTAINER[work.kind]: to_latex(work.container),
        "year": str(work.year or ""),
        "eprint": _verbatim(work.arxiv),
        "archivePrefix": "arXiv" if work.arxiv else "",
        "primaryClass": _primary_class(work),
        "doi": _verbatim(work.doi),
        "url": work.url,
        "abstract": to_latex(work.abstract),
        "keywords": ", ".join(to_latex(word) for word in work.keywords),
        "note": to_latex(work.note),
    }
    lines = [f"  {name} = {{{value}}},\n" for name, value in fields.items() if value]
    if work.month:
        lines.append(f"  month = {_MONTHS[work.month - 1]},\n")
    return f"@{_ENTRY[work.kind]}{{{work.key},\n{''.join(lines)}}}\n"


def _name(name: PersonName) -> str:
    if not name.given:
        return f"{{{to_latex(name.family)}}}"
    rest = [_guarded(part) for part in (name.suffix, name.given) if part]
    return ", ".join([_guarded(name.family, wanderer=_has_wanderer(name.family)), *rest])


def _has_wanderer(family: str) -> bool:
    """Whether a small word behind a capital one ("Ramón y Cajal") would count as a particle."""
    words = family.split()
    return any(word[:1].islower() and before[:1].isupper() for before, word in pairwise(words))


def _guarded(part: str, *, wanderer: bool = False) -> str:
    """A part of a name, in braces where BibTeX would take a word in it for something else."""
    text = to_latex(part)
    return f"{{{text}}}" if wanderer or "," in part or "and" in part.lower().split() else text


def _verbatim(identifier: str) -> str:
    """An identifier, which readers take literally, without what would end the field."""
    return re.sub(r"[{}\\\s]", lambda match: f"%{ord(match[0]):02X}", identifier)


def _primary_class(work: Work) -> str:
    categories = work.item.paper.categories
    if work.arxiv and categories and _PRIMARY_CLASS.fullmatch(categories[0]):
        return categories[0]
    return ""
