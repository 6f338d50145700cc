"""OAI-PMH answers: arXiv, arXivRaw and Dublin Core, with deleted records and resumption tokens."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from data.identity import arxiv_id, identifiers_from
from data.listings.base import ListingError
from data.listings.dates import moment
from data.listings.fields import UnusableRecordError, arxiv_authors, make_record
from data.listings.markup import (
    child_text,
    children,
    descend,
    local,
    parse_record,
    records_in,
    text_of,
)
from data.records import AnnounceType, PaperRecord, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element

    from data.listings.base import Item
    from data.listings.source import Source

_ROOT: Final = re.compile(r"<(?:[\w.-]+:)?(?:OAI-PMH|ListRecords|GetRecord)\b")
_ERROR: Final = re.compile(r"<error code=[\"'](?P<code>\w+)[\"'][^>]*>(?P<text>[^<]*)")
_TOKEN: Final = re.compile(r"<resumptionToken\b[^>]*>([^<]+)<")
_SUBJECT_CLASS: Final = re.compile(r"[a-z-]+(?:\.[A-Za-z-]{2,12})?|\d\d[A-Z-]\w\w")
# arXiv puts the journal among the identifiers of Dublin Core.
_CITATION: Final = re.compile(r"(?!https?:|doi:|oai:|urn:)[^\d\W][^\n]*\s[^\n]*\d", re.IGNORECASE)


class OaiReader:
    """Reads ListRecords and GetRecord answers, record by record."""

    name = "oai-pmh"
    title = "an OAI-PMH answer"

    def sniff(self, head: str) -> float:
        """Sure where the root element is OAI-PMH's."""
        return 0.95 if _ROOT.search(head[:4000]) else 0.0

    def read(self, source: Source) -> Iterator[Item]:
        """One record or refusal a record; a deleted one is a notice that it was withdrawn."""
        error = _ERROR.search(source.head)
        if error and error["code"] != "noRecordsMatch":
            raise ListingError(
                f"{source.name} is an OAI-PMH error, {error['code']}: {error['text'].strip()}; ask "
                "the source again."
            )
        for raw in records_in(source, "record"):
            try:
                yield _record(parse_record(raw, source.head), raw.position)
            except UnusableRecordError as problem:
                yield Refusal(file=source.name, position=raw.position, reason=str(problem))
        token = _token(source)
        if token:
            source.notes.append(
                f"{source.name} is one part of a longer answer; the next has the resumption token "
                f"{token}."
            )


def _token(source: Source) -> str | None:
    with source.stream() as stream:
        tail = ""
        while piece := stream.read(1 << 20):
            tail = (tail + piece)[-4000:]
    found = _TOKEN.search(tail)
    return found[1].strip() if found else None


def _record(element: Element, position: str) -> PaperRecord:
    header = next(children(element, "header"), None)
    if header is not None and header.get("status") == "deleted":
        return _deleted(child_text(header, "identifier") or "", position)
    metadata = next(children(element, "metadata"), None)
    form = next(iter(metadata), None) if metadata is not None else None
    if form is None:
        raise UnusableRecordError("it holds no metadata")
    identifier = child_text(header, "identifier") if header is not None else None
    if local(form) == "arXivRaw":
        return _raw(form, position)
    if local(form) == "arXiv":
        return _arxiv(form, position)
    return _dublin_core(form, identifier, position)


def _deleted(identifier: str, position: str) -> PaperRecord:
    ids = identifiers_from(identifier, arxiv=identifier)
    if not ids.pairs():
        raise UnusableRecordError(
            f"{identifier or 'it'} was deleted by its source, and that is no id by which papers "
            "are known elsewhere"
        )
    return PaperRecord(position, identifiers=ids, announce_type=AnnounceType.WITHDRAWN)


def _raw(form: Element, position: str) -> PaperRecord:
    versions = list(children(form, "version"))
    dates = [moment(child_text(v, "date")) for v in versions]
    return make_record(
        position=position,
        title=child_text(form, "title"),
        abstract=child_text(form, "abstract"),
        authors=arxiv_authors(child_text(form, "authors") or ""),
        arxiv=child_text(form, "id"),
        doi=child_text(form, "doi"),
        categories=(child_text(form, "categories") or "").split(),
        venue=child_text(form, "journal-ref"),
        comment=child_text(form, "comments"),
        published=dates[0] if dates else None,
        updated=dates[-1] if dates else None,
        version=len(versions) or None,
    )


def _arxiv(form: Element, position: str) -> PaperRecord:
    authors: list[str] = []
    for author in descend(form, "author"):
        parts = (
            child_text(author, "forenames"),
            child_text(author, "keyname"),
            child_text(author, "suffix"),
        )
        authors.append(" ".join(p for p in parts if p))
    return make_record(
        position=position,
        title=child_text(form, "title"),
        abstract=child_text(form, "abstract"),
        authors=authors,
        arxiv=child_text(form, "id"),
        doi=child_text(form, "doi"),
        categories=(child_text(form, "categories") or "").split(),
        venue=child_text(form, "journal-ref"),
        comment=child_text(form, "comments"),
        published=moment(child_text(form, "created")),
        updated=moment(child_text(form, "updated")),
    )


def _dublin_core(form: Element, identifier: str | None, position: str) -> PaperRecord:
    said = [text_of(d) for d in children(form, "description")]
    # arXiv puts the comment into a second description.
    comments = [d for d in said if re.match(r"comments?:", d, re.IGNORECASE)]
    abstracts = [d for d in said if d not in comments]
    abstract = max(abstracts, key=len, default=None)
    names = [text_of(i) for i in children(form, "identifier")]
    ids = [n for n in [*names, identifier or ""] if n]
    subjects = [text_of(s) for s in children(form, "subject")]
    dates = [d for d in (moment(text_of(d)) for d in children(form, "date")) if d]
    comment = comments[0].partition(":")[2].strip() if comments else None
    return make_record(
        position=position,
        title=child_text(form, "title"),
        abstract=abstract,
        authors=[text_of(c) for c in children(form, "creator")],
        arxiv=next((n for n in ids if arxiv_id(n)), None),
        doi=next((n for n in ids if "10." in n and not arxiv_id(n)), None),
        url=next((n for n in ids if n.startswith("http")), None),
        topics=[s for s in subjects if not _SUBJECT_CLASS.fullmatch(s)][:8],
        venue=child_text(form, "source") or next((n for n in names if _CITATION.match(n)), None),
        comment=comment,
        published=min(dates, default=None),
        updated=max(dates) if len(dates) > 1 else None,
    )
