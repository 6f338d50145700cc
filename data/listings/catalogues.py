"""Catalogues as XML: DBLP, the ACL Anthology, MODS, PubMed, EndNote; and DBLP's search answers."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, cast

from data.listings.base import ListingError
from data.listings.fields import UnusableRecordError, authors_of, first_text, make_record, text_list
from data.listings.json_reader import JsonReader
from data.listings.markup import (
    child_text,
    children,
    descend,
    local,
    parse_record,
    records_in,
    text_of,
)
from data.listings.reference_xml import endnote_record, pubmed_article
from data.records import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element

    from data.listings.base import Item
    from data.listings.json_shapes import Entry
    from data.listings.source import Source
    from data.records import PaperRecord

_DBLP: Final = re.compile(r"<(?:dblp|dblpperson|bht)\b")
_ANTHOLOGY: Final = re.compile(r"<collection\s+id=|<volume\s+id=")
_MODS: Final = re.compile(r"<(?:[\w.-]+:)?mods(?:Collection)?\b")
_PUBMED: Final = re.compile(r"<Pubmed(?:Book)?Article(?:Set)?\b")
_DBLP_ANSWER: Final = re.compile(r"<result>\s*<query\b")
_ENDNOTE: Final = re.compile(r"<xml>\s*<records>\s*<record>|<records>\s*<record>\s*<database\b")
_DBLP_KINDS: Final = ("article", "inproceedings", "incollection", "phdthesis", "mastersthesis")


_NAMES: Final = (
    (_ANTHOLOGY, ("meta", "paper")),
    (_PUBMED, ("PubmedArticle", "PubmedBookArticle")),
    (_ENDNOTE, ("record",)),
    (_DBLP, _DBLP_KINDS),
    (_DBLP_ANSWER, ("hit",)),
)
"""The elements that are papers, or tell of those behind them, by the sign of a format."""


class CatalogueReader:
    """Reads the XML of DBLP, the ACL Anthology, MODS, PubMed and EndNote, record by record."""

    name = "catalogue"
    title = "DBLP, ACL Anthology, MODS, PubMed or EndNote XML"

    def sniff(self, head: str) -> float:
        """Sure where the root element is one of theirs."""
        start = head[:4000]
        if not start.lstrip("\ufeff \t\r\n").startswith("<"):
            return 0.0
        known = (_DBLP, _DBLP_ANSWER, _ANTHOLOGY, _MODS, _PUBMED, _ENDNOTE)
        return 0.9 if any(p.search(start) for p in known) else 0.0

    def read(self, source: Source) -> Iterator[Item]:
        """One record or refusal a paper."""
        start = source.head[:4000]
        names = next((names for sign, names in _NAMES if sign.search(start)), ("mods",))
        count = 0
        volume = _Volume()
        for raw in records_in(source, *names):
            try:
                element = parse_record(raw, source.head)
            except UnusableRecordError as problem:
                element, reason = None, str(problem)
            else:
                reason = ""
                if local(element) == "meta":
                    volume = _Volume.of(element)
                    continue
            count += 1
            place = replace(raw, number=count).position
            if element is not None:
                try:
                    yield _record(element, volume, place)
                    continue
                except UnusableRecordError as problem:
                    reason = str(problem)
            yield Refusal(file=source.name, position=place, reason=reason)
        if not count:
            raise ListingError(f"{source.name} holds no paper; check the export.")


@dataclass(frozen=True, slots=True)
class _Volume:
    """What the Anthology says of a volume before its papers."""

    title: str | None = None
    date: str | None = None

    @classmethod
    def of(cls, meta: Element) -> _Volume:
        """The volume of its `meta` element."""
        month, year = child_text(meta, "month") or "", child_text(meta, "year") or ""
        return cls(child_text(meta, "booktitle"), f"{month} {year}")


def _record(element: Element, volume: _Volume, position: str) -> PaperRecord:
    if local(element) == "mods":
        return _mods(element, position)
    if local(element) == "paper":
        return _anthology(element, volume, position)
    if local(element) == "record":
        return endnote_record(element, position)
    if local(element).startswith("Pubmed"):
        return pubmed_article(element, position)
    if local(element) == "hit":
        element = next(children(element, "info"), element)
    return _dblp(element, position)


def _dblp(element: Element, position: str) -> PaperRecord:
    links = [text_of(e) for e in children(element, "ee")]
    return make_record(
        position=position,
        title=(child_text(element, "title") or "").removesuffix("."),
        authors=[_without_number(text_of(a)) for a in descend(element, "author")],
        arxiv=next((u for u in links if "arxiv" in u.lower()), None) or _corr(element),
        doi=child_text(element, "doi") or next((u for u in links if "doi.org" in u), None),
        openreview=next((u for u in links if "openreview.net" in u), None),
        url=links[0] if links else None,
        venue=child_text(element, "booktitle", "journal", "school", "venue"),
        comment=child_text(element, "note"),
        dated=[child_text(element, "year")],
    )


def _corr(element: Element) -> str | None:
    volume = child_text(element, "volume") or ""
    return volume.removeprefix("abs/") if volume.startswith("abs/") else None


def _without_number(name: str) -> str:
    """DBLP numbers people of one name: "Wei Li 0001"."""
    return re.sub(r"\s+\d{4}$", "", name)


def _anthology(element: Element, volume: _Volume, position: str) -> PaperRecord:
    for formula in descend(element, "tex-math"):
        formula.text = f"${formula.text or ''}$"
    authors: list[str] = []
    for author in children(element, "author"):
        parts = (child_text(author, "first"), child_text(author, "last"))
        authors.append(" ".join(p for p in parts if p) or text_of(author))
    url = child_text(element, "url")
    if url and not url.startswith("http"):
        url = f"https://aclanthology.org/{url}"
    return make_record(
        position=position,
        title=child_text(element, "title"),
        abstract=child_text(element, "abstract"),
        authors=authors,
        doi=child_text(element, "doi"),
        url=url,
        venue=volume.title,
        comment=child_text(element, "award"),
        dated=[volume.date],
    )


def _mods(element: Element, position: str) -> PaperRecord:
    title = next(children(element, "titleInfo"), None)
    names: list[str] = []
    for name in children(element, "name"):
        role = next((text_of(r) for r in descend(name, "roleTerm")), "author")
        if role.lower() not in {"author", "aut", "creator"}:
            continue
        given = [text_of(p) for p in children(name, "namePart") if p.get("type") == "given"]
        family = [text_of(p) for p in children(name, "namePart") if p.get("type") == "family"]
        whole = [text_of(p) for p in children(name, "namePart") if p.get("type") is None]
        names.append(" ".join([*given, *family, *whole]))
    host = next((r for r in children(element, "relatedItem") if r.get("type") == "host"), None)
    ids = [(i.get("type") or "", text_of(i)) for i in children(element, "identifier")]
    place = next(descend(element, "url"), None)
    titles = (
        (child_text(title, "title"), child_text(title, "subTitle")) if title is not None else ()
    )
    return make_record(
        position=position,
        title=": ".join(t for t in titles if t) or None,
        abstract=child_text(element, "abstract"),
        authors=names,
        doi=next((t for kind, t in ids if kind.lower() == "doi"), None),
        url=text_of(place) or None,
        topics=[text_of(t) for t in descend(element, "topic")][:8],
        venue=next((text_of(t) for t in descend(host, "title")), None)
        if host is not None
        else None,
        comment=child_text(element, "note"),
        dated=[text_of(d) for d in descend(element, "dateIssued")],
    )


def _is_hit(entry: Entry) -> bool:
    info = entry.get("info")
    return isinstance(info, dict) and "title" in info


def _hit(entry: Entry, position: str) -> PaperRecord:
    outer = entry.get("info")
    info = cast("Entry", outer) if isinstance(outer, dict) else entry
    inner = info.get("authors")
    people = cast("Entry", inner).get("author") if isinstance(inner, dict) else None
    listed = cast("list[object]", people) if isinstance(people, list) else [people]
    names = [
        first_text(cast("Entry", p), "text") or "" if isinstance(p, dict) else p
        for p in listed
        if isinstance(p, (dict, str))
    ]
    volume = first_text(info, "volume") or ""
    return make_record(
        position=position,
        title=(first_text(info, "title") or "").removesuffix("."),
        authors=[_without_number(n) for n in authors_of(names)],
        arxiv=volume.removeprefix("abs/") if volume.startswith("abs/") else None,
        doi=first_text(info, "doi"),
        url=_first(info, "ee") or first_text(info, "url"),
        venue=_first(info, "venue"),
        dated=[info.get("year")],
    )


def _first(info: Entry, key: str) -> str | None:
    """A value, or the first of several: DBLP makes a list only where there are two."""
    return next(iter(text_list(info.get(key), separators=r"\n")), None)


DBLP_JSON: Final = JsonReader(
    name="dblp-json",
    title="a DBLP search answer",
    recognises=_is_hit,
    record_of=_hit,
)
