"""arXiv's mailings, its "new" listing files, and its .abs files: fields between \\\\ lines."""

from __future__ import annotations

import email
import email.policy
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from data.listings.base import ListingError
from data.listings.dates import day, moment, with_century
from data.listings.fields import UnusableRecordError, arxiv_authors, make_record
from data.records import AnnounceType, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date, datetime
    from email.message import EmailMessage

    from data.listings.base import Item
    from data.listings.source import Source
    from data.records import PaperRecord

_RULE: Final = re.compile(r"^-{20,}\s*$")
# Sections end with %-%-, %%--%%-- and %%%---%%%---: new, cross-lists, replacements.
_SECTION_END: Final = re.compile(r"^%[%-]{20,}\s*$")
_PAPER: Final = re.compile(
    r"^(?:arXiv:|Paper: )\s*(?P<id>[a-zA-Z.-]*/?\d[\w./]*)\s*(?P<cross>\(\*?cross-list\w*\*?\))?",
    re.IGNORECASE | re.MULTILINE,
)
_FIELD: Final = re.compile(
    r"^(Title|Authors?|Categories|Comments|Journal-ref|DOI|Report-no|MSC-class|ACM-class|License|"
    r"Proxy|From|Notes|Subj-class):\s?(.*)$",
    re.IGNORECASE,
)
_DATE: Final = re.compile(
    r"^Date\s*(?:\(\s*(?:revised\s+)?v?(?P<revised>\d+)?[^)]*\))?\s*:\s*(?P<date>.*?)"
    r"(?:\s+\(\s*\d+kb.*\))?\s*$",
    re.IGNORECASE,
)
_REPLACED: Final = re.compile(
    r"^replaced with revised version\s*(?:v?(?P<version>\d+)\s+)?(?P<date>.*?)(?:\s+\(.*\))?\s*$",
    re.IGNORECASE,
)
_WITHDRAWN: Final = re.compile(r"^(?:\*?withdrawn\b.*|paper has been withdrawn.*)$", re.IGNORECASE)
_END: Final = re.compile(r"^\\\\(?:\s*\(\s*https?://\S+.*\))?\s*$")
_MAIL_DAY: Final = re.compile(r"^Date:\s*(\w{3},\s+\d{1,2} \w{3} \d{2,4})\b", re.MULTILINE)


@dataclass(slots=True)
class _Draft:
    """A paper of the mailing while its lines come in."""

    number: int
    line: int
    arxiv: str
    cross: bool
    fields: dict[str, str]
    abstract: list[str]
    dates: list[datetime]
    replaced: bool = False
    updated: datetime | None = None
    version: int | None = None
    withdrawn: bool = False
    bars: int = 0
    finished: bool = False
    last_field: str = ""

    @property
    def position(self) -> str:
        return f"entry {self.number} (line {self.line})"


class ArxivTextReader:
    """Reads mailings (as text or as saved e-mail), listing files and .abs files."""

    name = "arxiv-mail"
    title = "an arXiv mailing, listing or .abs file"

    def sniff(self, head: str) -> float:
        """Sure where a \\\\ line stands before an arXiv id and a title line behind it."""
        if re.search(r"^\\\\\r?\n(?:arXiv:|Paper: )", head, re.MULTILINE):
            return 0.95
        if re.search(r"^(?:Content-Transfer-Encoding|MIME-Version):", head, re.MULTILINE):
            return 0.7 if re.search(r"arxiv", head, re.IGNORECASE) else 0.0
        return 0.0

    def read(self, source: Source) -> Iterator[Item]:
        """One record or refusal a paper. Replacements carry no abstract."""
        text, announced = _body(source.text())
        found = 0
        for draft in _drafts(text):
            found += 1
            try:
                yield _record(draft, announced)
            except UnusableRecordError as problem:
                yield Refusal(file=source.name, position=draft.position, reason=str(problem))
        if not found and not re.search(r"received from|Submissions to", text):
            raise ListingError(
                f"{source.name} holds no paper of an arXiv mailing; save the whole message as text."
            )
        if announced is None and found and re.search(r"^\s*received from ", text, re.MULTILINE):
            source.notes.append(
                f"{source.name} does not say on which day it was announced; its papers have no "
                "announcement date unless you give one."
            )


def _body(text: str) -> tuple[str, date | None]:
    """The mailing's own text, and the day in its Date header where it has one."""
    head = text[:4000]
    first = _PAPER.search(text)
    top = text[: first.start()] if first else head
    if re.search(
        r"^(?:MIME-Version|Content-Type|Content-Transfer-Encoding|Received):", head, re.MULTILINE
    ):
        message = email.message_from_string(text, policy=email.policy.default)
        return _payload(message), day(with_century(str(message.get("Date") or "")))
    found = _MAIL_DAY.search(top[:4000])
    return text, day(with_century(found[1])) if found else None


def _payload(message: EmailMessage) -> str:
    try:
        part = message.get_body(preferencelist=("plain",))
        content = part.get_content() if part is not None else message.get_payload()
    except (LookupError, ValueError, AttributeError):
        content = message.get_payload()
    return content if isinstance(content, str) else ""


def _drafts(text: str) -> Iterator[_Draft]:
    draft: _Draft | None = None
    number = 0
    for line_number, raw in enumerate(text.splitlines(), start=1):
        line = raw.rstrip()
        paper = _PAPER.match(line)
        if paper and (draft is None or draft.finished or draft.bars == 0 or not draft.abstract):
            if draft is not None:
                yield draft
            number += 1
            draft = _Draft(number, line_number, paper["id"], bool(paper["cross"]), {}, [], [])
            continue
        if draft is None:
            continue
        if _RULE.match(line) or _SECTION_END.match(line):
            if draft.fields:
                yield draft
                draft = None
            continue
        _take(draft, line)
    if draft is not None:
        yield draft


def _take(draft: _Draft, line: str) -> None:
    """Puts one line of a paper where it belongs."""
    if _END.match(line):
        draft.bars += 1
        draft.finished = draft.bars > 1 or "http" in line
        return
    if draft.finished:
        return
    if draft.bars:
        draft.abstract.append(line)
        return
    if matched := _REPLACED.match(line):
        draft.replaced = True
        draft.updated = moment(matched["date"])
        draft.version = int(matched["version"]) if matched["version"] else None
    elif matched := _DATE.match(line):
        when = moment(matched["date"])
        if when:
            draft.dates.append(when)
        if matched["revised"]:
            draft.version = int(matched["revised"])
    elif matched := _FIELD.match(line):
        draft.last_field = matched[1].lower().rstrip("s")
        draft.fields[draft.last_field] = matched[2].strip()
    elif _WITHDRAWN.match(line):
        draft.withdrawn = True
    elif (line.startswith(" ") and draft.last_field) or (
        line.strip() and draft.last_field in {"title", "comment", "author"}
    ):
        draft.fields[draft.last_field] += " " + line.strip()


def _record(draft: _Draft, announced: date | None) -> PaperRecord:
    fields = draft.fields
    if not fields.get("title"):
        raise UnusableRecordError(f"arXiv:{draft.arxiv} has no title; the mailing may be cut here")
    abstract = " ".join(line.strip() for line in draft.abstract).strip()
    if draft.withdrawn:
        kind = AnnounceType.WITHDRAWN
    elif draft.replaced:
        kind = AnnounceType.REPLACEMENT_CROSS_LIST if draft.cross else AnnounceType.REPLACEMENT
    else:
        kind = AnnounceType.CROSS_LIST if draft.cross else AnnounceType.NEW
    dates = draft.dates
    return make_record(
        position=draft.position,
        title=fields.get("title"),
        abstract=abstract,
        authors=arxiv_authors(fields.get("author", "")),
        arxiv=draft.arxiv,
        doi=fields.get("doi"),
        categories=_categories(fields),
        venue=fields.get("journal-ref"),
        comment=fields.get("comment"),
        published=dates[0] if dates else None,
        updated=draft.updated or (dates[-1] if len(dates) > 1 else None),
        announced=announced,
        version=draft.version or (len(dates) if len(dates) > 1 else None),
        announce_type=kind,
    )


def _categories(fields: dict[str, str]) -> list[str]:
    # The key lost its "s" when the field was stored.
    return (fields.get("categorie") or "").split()
