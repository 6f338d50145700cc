"""The virtual sites of ICML, NeurIPS and ICLR: their JSON, and their pages as a browser saves "
"them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, cast

from data.listings.base import ListingError
from data.listings.fields import (
    UnusableRecordError,
    authors_of,
    first_text,
    make_record,
    split_authors,
)
from data.listings.json_reader import JsonReader
from data.records import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from data.listings.base import Item
    from data.listings.json_shapes import Entry
    from data.listings.source import Source
    from data.records import PaperRecord

_CARD: Final = "div.event-card, div.displaycards, div.maincard, div.pp-card"
_CARD_CLASSES: Final = frozenset({"event-card", "displaycards", "maincard", "pp-card"})
_WRAPPERS: Final = 4
_CARD_HEAD: Final = re.compile(r"class=\"[^\"]*\b(?:event-card|displaycards|maincard|pp-card)\b")
_SITE: Final = re.compile(
    r"https?://(?:www\.)?((?:icml|neurips|nips|iclr|cvpr|mlsys|aistats)\.c[co]m?)\b"
)
_YEAR: Final = re.compile(
    r"\b(ICML|NeurIPS|NIPS|ICLR|CVPR|MLSys|AISTATS|COLM)\s+(20\d\d)\b", re.IGNORECASE
)
_PAPER_LINK: Final = re.compile(r"/virtual/20\d\d/(?:poster|oral|spotlight|loc/[\w-]+/poster)/\d+")
# A session is none either: what it holds has entries of its own.
_PAPERS: Final = re.compile(r"\b(?:poster|oral|spotlight|paper)s?\b(?! session)", re.IGNORECASE)
_NOT_PAPERS: Final = re.compile(
    r"\b(?:workshop|tutorial|talk|social|town hall|break|expo|reception|session|remarks|panel|"
    r"registration|mentorship|affinity|competition|demonstration|lunch|dinner|ceremony|meeting)s?\b",
    re.IGNORECASE,
)
_HOSTS: Final = {
    "ICML": "icml.cc",
    "NEURIPS": "neurips.cc",
    "NIPS": "neurips.cc",
    "ICLR": "iclr.cc",
}


class VirtualPageReader:
    """Reads a saved HTML page of a virtual site; each card is a paper."""

    name = "virtual-html"
    title = "a saved page of a virtual conference site"

    def sniff(self, head: str) -> float:
        """Sure where an HTML page speaks of one of these sites.

        The cards themselves stand far below the head of the file, behind the menus.
        """
        start = head.lstrip("\ufeff \t\r\n")[:200].lower()
        if not start.startswith(("<!doctype html", "<html", "<!--")):
            return 0.0
        if _CARD_HEAD.search(head):
            return 0.9
        return 0.6 if _YEAR.search(head) or "/virtual/" in head else 0.1

    def read(self, source: Source) -> Iterator[Item]:
        """One record or refusal a card."""
        from selectolax.lexbor import LexborHTMLParser

        tree = LexborHTMLParser(source.text())
        venue, host = _venue(source.head)
        count = 0
        for card in tree.css(_CARD):
            if _inside_card(card):
                continue
            count += 1
            try:
                yield _card(card, venue, host, f"entry {count}")
            except UnusableRecordError as problem:
                yield Refusal(file=source.name, position=f"entry {count}", reason=str(problem))
        if not count:
            for record in _links(tree, venue, host):
                count += 1
                yield record
        if not count:
            raise ListingError(
                f"{source.name} is a web page without paper cards; save the page after its list "
                f"has "
                "loaded, or give the site's feed or export."
            )
        if "</html>" not in source.text()[-2000:].lower():
            source.notes.append(
                f"{source.name} does not end as a web page does; it may have been cut when it was "
                "saved."
            )


def _inside_card(card: LexborNode) -> bool:
    """Whether a card stands inside another, as a wrapper and its content do."""
    node = card.parent
    for _ in range(_WRAPPERS):
        if node is None:
            return False
        if _CARD_CLASSES & set((node.attributes.get("class") or "").split()):
            return True
        node = node.parent
    return False


def _links(tree: LexborHTMLParser, venue: str | None, host: str | None) -> Iterator[PaperRecord]:
    """The papers of a page that only lists titles, each once."""
    seen: set[str] = set()
    for link in tree.css("a[href*='/virtual/']"):
        href = link.attributes.get("href") or ""
        title = link.text().strip()
        if not _PAPER_LINK.search(href) or href in seen or len(title.split()) < 2:
            continue
        seen.add(href)
        yield make_record(
            position=f"entry {len(seen)}",
            title=title,
            url=_absolute(href, host),
            venue=venue,
            dated=[venue],
        )


def _absolute(href: str, host: str | None) -> str | None:
    if href.startswith("/"):
        return f"https://{host}{href}" if host else None
    return href


def _venue(head: str) -> tuple[str | None, str | None]:
    found = _YEAR.search(head)
    site = _SITE.search(head)
    name = f"{found[1]} {found[2]}" if found else None
    host = site[1] if site else _HOSTS.get(found[1].upper()) if found else None
    return name, host


def _inner(card: LexborNode, *selectors: str) -> str | None:
    for selector in selectors:
        node = card.css_first(selector)
        if node is not None:
            text = node.text(separator="", strip=False).strip()
            if text:
                return text
    return None


def _card(card: LexborNode, venue: str | None, host: str | None, position: str) -> PaperRecord:
    title = _inner(
        card, ".event-title", ".small-title", ".card-title", ".maincardBody", "h3", "h4", "h5"
    )
    if title is None:
        raise UnusableRecordError("its card has no title")
    speakers = _inner(
        card, ".event-speakers", ".card-subtitle", ".maincardFooter", ".author-str", ".text-muted"
    )
    links = [href for a in card.css("a") if (href := a.attributes.get("href"))]
    page = next((h for h in links if "/virtual/" in h or "/poster/" in h), None)
    page = _absolute(page, host) if page else None
    outside = [h for h in links if "openreview.net" in h or "arxiv.org" in h or "doi.org" in h]
    kind = _inner(card, ".event-type-badge") or card.attributes.get("data-event-type")
    return make_record(
        position=position,
        title=title,
        abstract=_inner(card, ".abstract-text", ".abstract-display", ".abstract", "p"),
        authors=split_authors(speakers or ""),
        arxiv=next((h for h in outside if "arxiv.org" in h), None),
        doi=next((h for h in outside if "doi.org" in h), None),
        openreview=next((h for h in outside if "openreview.net" in h), None),
        url=page,
        topics=[t] if (t := _inner(card, ".event-topic", ".topic")) else [],
        venue=venue,
        dated=[venue],
        comment=kind,
    )


def _recognises(entry: Entry) -> bool:
    return isinstance(entry.get("name"), str) and (
        "virtualsite_url" in entry or "eventtype" in entry or "event_type" in entry
    )


def _record(entry: Entry, position: str) -> PaperRecord:
    kind = first_text(entry, "eventtype", "event_type") or ""
    abstract = first_text(entry, "abstract")
    if _NOT_PAPERS.search(kind) and not _PAPERS.search(kind):
        raise UnusableRecordError(f'it is an event of the kind "{kind}", not a paper')
    media = entry.get("eventmedia")
    links = [first_text(entry, k) or "" for k in ("paper_url", "paper_pdf_url", "url", "sourceurl")]
    if isinstance(media, list):
        links += [
            first_text(cast("Entry", m), "uri") or ""
            for m in cast("list[object]", media)
            if isinstance(m, dict)
        ]
    site = first_text(entry, "virtualsite_url")
    source_url = first_text(entry, "sourceurl") or ""
    forum = next(
        (u for u in links if "openreview.net/" in u and "id=" in u and "group" not in u), None
    )
    topic = first_text(entry, "topic")
    venue = _site_venue(source_url)
    return make_record(
        position=position,
        title=first_text(entry, "name"),
        abstract=abstract,
        authors=authors_of(entry.get("authors")),
        arxiv=next((u for u in links if "arxiv.org" in u), None),
        openreview=forum,
        url=_site_address(site, source_url),
        topics=[re.sub(r"\s*->\s*", " · ", topic)] if topic and topic.lower() != "none" else [],
        venue=venue,
        dated=[venue],
        comment=first_text(entry, "decision") or kind or None,
    )


def _site_address(path: str | None, source_url: str) -> str | None:
    if not path:
        return None
    if path.startswith("http"):
        return path
    found = re.search(r"(ICML|NeurIPS|ICLR)\.cc", source_url, re.IGNORECASE)
    return f"https://{found[0].lower()}{path}" if found and path.startswith("/") else None


def _site_venue(source_url: str) -> str | None:
    found = re.search(r"(ICML|NeurIPS|ICLR)\.cc/(20\d\d)", source_url, re.IGNORECASE)
    return f"{found[1]} {found[2]}" if found else None


JSON_READER: Final = JsonReader(
    name="virtual-json",
    title="the JSON of a virtual conference site",
    recognises=_recognises,
    record_of=_record,
)
