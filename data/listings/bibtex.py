"""BibTeX and BibLaTeX, as DBLP, the ACL Anthology, OpenReview and reference managers write it."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from data.listings.base import ListingError
from data.listings.fields import UnusableRecordError, author_name, make_record, split_authors
from data.records import Refusal
from data.text import to_plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data.listings.base import Item
    from data.listings.source import Source
    from data.records import PaperRecord

# Brackets are as good as braces to BibTeX, but then a decorator of Python looks the same.
_ENTRY: Final = re.compile(
    r"^[ \t]*@[ \t]*(?:[A-Za-z]+\s*\{|(?:article|book|in\w+|misc|phdthesis|techreport|unpublished)"
    r"\s*\()\s*[^,{}=\n]{0,200},",
    re.MULTILINE | re.IGNORECASE,
)
_VOLUMES: Final = frozenset({"proceedings", "periodical", "collection", "mvcollection", "mvbook"})
_AND: Final = re.compile(r"\s+and\s+", re.IGNORECASE)

# bibtexparser warns on standard error of each broken block; a refusal says the same in its place.
logging.getLogger("bibtexparser").addHandler(logging.NullHandler())


@dataclass(frozen=True, slots=True)
class _Entry:
    kind: str
    key: str
    line: int
    fields: dict[str, str]


class BibtexReader:
    """Reads `.bib` files; a broken entry, or one whose key comes twice, costs nothing else."""

    name = "bibtex"
    title = "BibTeX"

    def sniff(self, head: str) -> float:
        """Sure where entries begin lines."""
        found = _ENTRY.search(head)
        if found is None:
            return 0.0
        return 0.9 if not head[: found.start()].strip().startswith(("{", "[", "<")) else 0.0

    def read(self, source: Source) -> Iterator[Item]:
        """One record or refusal an entry, in the order of the file."""
        entries, broken = _parsed(source.text())
        if not entries and not broken:
            raise ListingError(f"{source.name} holds no BibTeX entry; check the file.")
        by_key = {e.key.lower(): e for e in reversed(entries) if e.key}
        parents = {e.fields["crossref"].lower() for e in entries if e.fields.get("crossref")}
        items: list[tuple[int, Item]] = []
        for entry in entries:
            position = (
                f"entry {entry.key} (line {entry.line})" if entry.key else f"line {entry.line}"
            )
            if entry.kind in _VOLUMES and entry.key.lower() in parents:
                continue
            try:
                items.append((entry.line, _record(entry, by_key, position)))
            except UnusableRecordError as problem:
                refusal = Refusal(file=source.name, position=position, reason=str(problem))
                items.append((entry.line, refusal))
        for line, reason in broken:
            items.append((line, Refusal(file=source.name, position=f"line {line}", reason=reason)))
        items.sort(key=lambda pair: pair[0])
        for _, item in items:
            yield item


def _parsed(text: str) -> tuple[list[_Entry], list[tuple[int, str]]]:
    """The entries, repeated keys among them, and the lines and reasons of the broken blocks."""
    from bibtexparser.entrypoint import parse_string
    from bibtexparser.model import DuplicateBlockKeyBlock, Entry

    library = parse_string(text)
    found = list(library.entries)
    bare = len(found)
    broken: list[tuple[int, str]] = []
    for block in library.failed_blocks:
        inner = block.ignore_error_block
        if isinstance(block, DuplicateBlockKeyBlock) and isinstance(inner, Entry):
            found.append(inner)
            continue
        if isinstance(inner, Entry) and inner.fields:
            found.append(inner)  # a field that comes twice: the entry is still good
            continue
        raw = (block.raw or "").lstrip()
        if re.match(r"@\s*(?:comment|string|preamble)\b", raw, re.IGNORECASE):
            continue
        broken.append(
            ((block.start_line or 0) + 1, "its braces or quotes do not close, so it cannot be read")
        )
    entries = [
        _Entry(
            kind=e.entry_type.lower(),
            key=e.key,
            line=(e.start_line or 0) + 1,
            fields={
                f.key.lower(): str(f.value) if number < bare else _unwrapped(str(f.value))
                for f in e.fields
            },
        )
        for number, e in enumerate(found)
    ]
    strings = {s.key.lower(): _unwrapped(str(s.value)) for s in library.strings}
    return [_resolved(e, strings) for e in entries], broken


def _unwrapped(value: str) -> str:
    """A value without the quotes or braces around it.

    The library takes them away, but for entries that it calls broken, such as one whose key comes
    twice. Braces inside them stay: in `{{The Lab} and Moor, Ada}` they hold a name together.
    """
    value = value.strip()
    if len(value) < 2 or value[0] + value[-1] not in {'""', "{}"}:
        return value
    depth = 0
    for before, sign in pairwise(value[:-1]):
        if before != "\\":
            depth += (sign == "{") - (sign == "}")
        if depth < 0 or (value[0] == sign == '"' and depth == 0):
            return value  # two pieces, or a quotation
    return value[1:-1]


_CONCATENATED: Final = re.compile(
    r'^(?:\w+|"[^"]*"|\{[^{}]*\})(?:\s*#\s*(?:\w+|"[^"]*"|\{[^{}]*\}))+$'
)


def _resolved(entry: _Entry, strings: dict[str, str]) -> _Entry:
    """`@string` names replaced, also inside a `#` chain and in entries whose key comes twice."""
    fields: dict[str, str] = {}
    for key, value in entry.fields.items():
        if "#" in value and _CONCATENATED.match(value):
            parts = [p.strip() for p in value.split("#")]
            shown = [p[1:-1] if p[:1] in '"{' else strings.get(p.lower(), p) for p in parts]
            fields[key] = "".join(shown)
        else:
            fields[key] = strings.get(value.lower(), value)
    return _Entry(entry.kind, entry.key, entry.line, fields)


def _record(entry: _Entry, by_key: dict[str, _Entry], position: str) -> PaperRecord:
    if entry.kind in _VOLUMES:
        raise UnusableRecordError("it is a volume of proceedings, not a paper")
    fields = dict(entry.fields)
    parent = by_key.get(fields.get("crossref", "").lower())
    if parent is not None and parent is not entry:
        inherited = dict(parent.fields)
        inherited.setdefault("booktitle", inherited.get("title", ""))
        for key in ("title", "author", "doi", "url", "abstract", "crossref", "keywords", "note"):
            inherited.pop(key, None)
        fields = inherited | fields
    journal = fields.get("journal") or fields.get("journaltitle") or ""
    is_arxiv = "arxiv" in (fields.get("archiveprefix", "") + fields.get("eprinttype", "")).lower()
    eprint = fields.get("eprint", "")
    arxiv = eprint if is_arxiv or "arxiv" in eprint.lower() else None
    if arxiv is None:
        said = (fields.get(k, "") for k in ("journal", "note", "howpublished", "number", "volume"))
        arxiv = next((t for t in said if "arxiv" in t.lower()), None)
    volume = fields.get("volume", "")
    if arxiv is None and volume.startswith("abs/"):  # DBLP's way to cite arXiv
        arxiv = volume.removeprefix("abs/")
    title = _bare(fields.get("title"))
    subtitle = _bare(fields.get("subtitle"))
    keywords = re.split(r"[;,]", _bare(fields.get("keywords")) or "")
    return make_record(
        position=position,
        title=f"{title}: {subtitle}" if title and subtitle else title,
        abstract=_bare(fields.get("abstract")),
        authors=_names(fields.get("author", "")),
        arxiv=arxiv,
        doi=fields.get("doi"),
        url=_address(fields),
        topics=[k.strip() for k in keywords if k.strip()][:8],
        categories=[fields["primaryclass"]] if fields.get("primaryclass") else [],
        venue=_bare(fields.get("booktitle")) or _bare(journal) or _bare(fields.get("school")),
        comment=_bare(fields.get("note")) or _bare(fields.get("comment")),
        dated=_dates(fields),
    )


def _dates(fields: dict[str, str]) -> list[str]:
    """The date of BibLaTeX, the first of a range, else the year with its month, else the year."""
    date = (_bare(fields.get("date")) or "").split("/")[0].strip("~?% ")
    year, month = _bare(fields.get("year")) or "", _bare(fields.get("month")) or ""
    named = f"{year}-{month}" if month.isdecimal() else f"{month.replace('~', ' ')} {year}"
    return [date, named, year]


def _bare(value: str | None) -> str | None:
    """A field as text, without the braces that only hold capitals together."""
    if not value:
        return None
    return to_plain(value).replace("{", "").replace("}", "") or None


def _address(fields: dict[str, str]) -> str | None:
    for key in ("url", "howpublished", "ee", "link", "pdf"):
        found = re.search(
            r"https?://[^\s{}\\]+", fields.get(key, "").replace("\\_", "_").replace("\\%", "%")
        )
        if found:
            return found[0]
    return None


def _names(value: str) -> list[str]:
    """The authors of a field; a name in braces of its own is one body, whatever it holds."""
    names: list[str] = []
    for part in _split_outside_braces(value):
        name = part.strip()
        if not name or name.lower() in {"others", "et al", "et al."}:
            continue
        if name.startswith("{") and name.endswith("}") and name.count("{") == 1:
            names.append(_bare(name) or "")
            continue
        pieces = [p.strip() for p in name.split(",")]
        if len(pieces) == 3:  # "von Last, Jr, First"
            name = f"{pieces[2]} {pieces[0]} {pieces[1]}"
        plain_name = _bare(name) or ""
        several = ";" in plain_name or plain_name.count(",") > 2
        names += split_authors(plain_name) if several else [author_name(plain_name)]
    return [n for n in names if n]


def _split_outside_braces(value: str) -> list[str]:
    parts: list[str] = []
    start = 0
    for found in _AND.finditer(value):
        before = value[: found.start()]
        if before.count("{") - before.count("\\{") <= before.count("}") - before.count("\\}"):
            parts.append(value[start : found.start()])
            start = found.end()
    parts.append(value[start:])
    return parts
