"""One entry of a feed as feedparser understands it, in types; the only importer of feedparser."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

_ROOT: Final = re.compile(r"<((?:[\w.-]+:)?(?:feed|rss|RDF))\b[^<>]*>")


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """What an entry says, as text that may still hold HTML and TeX."""

    id: str | None
    title: str | None
    link: str | None
    summary: str | None
    authors: list[str]
    categories: list[str]
    published: str | None
    updated: str | None
    arxiv: str | None
    doi: str | None
    journal: str | None
    comment: str | None
    announce_type: str | None


def parse(markup: str, head: str) -> FeedEntry | None:
    """The entry of one `<entry>` or `<item>` element, or None where it cannot be read.

    `head` is the start of the feed: its root says which dialect the entry is in.
    """
    import feedparser

    found = _ROOT.search(head)
    root, opening = (found[1], found[0]) if found else ("feed", "<feed>")
    inside = f"<channel>{markup}</channel>" if root == "rss" else markup
    document = f"{opening}{inside}</{root}>"
    parsed = cast(
        "Mapping[str, object]",
        feedparser.parse(  # pyright: ignore[reportUnknownMemberType] - feedparser ships no types
            document.encode("utf-8", "replace"), sanitize_html=False, resolve_relative_uris=False
        ),
    )
    found_entries = cast("list[Mapping[str, object]]", parsed.get("entries") or [])
    # A plain dict, as feedparser's own answers a missing "updated" with the date of publication.
    return _entry(dict(found_entries[0])) if found_entries else None


def _entry(raw: Mapping[str, object]) -> FeedEntry:
    contents = _dicts(raw.get("content"))
    content = next((c["value"] for c in contents if isinstance(c.get("value"), str)), None)
    summary = _text(raw, "summary")
    if isinstance(content, str) and len(content) > len(summary or ""):
        summary = content
    # feedparser makes one `author` of the last and `authors` of all; dc:creator comes as one line.
    names = [n for d in _dicts(raw.get("authors")) if (n := _name(d.get("name")))]
    if not names and (single := _text(raw, "author")):
        names = [single]
    terms = [t for d in _dicts(raw.get("tags")) if isinstance(t := d.get("term"), str)]
    return FeedEntry(
        id=_text(raw, "id"),
        title=_text(raw, "title"),
        link=_text(raw, "link"),
        summary=summary,
        authors=names,
        categories=[t for t in terms if t.strip()],
        published=_text(raw, "published"),
        updated=_text(raw, "updated"),
        arxiv=_text(raw, "arxiv_id"),
        doi=_text(raw, "arxiv_doi", "prism_doi", "dc_identifier"),
        journal=_text(raw, "arxiv_journal_ref", "arxiv_journal_reference", "prism_publicationname"),
        comment=_text(raw, "arxiv_comment"),
        announce_type=_text(raw, "arxiv_announce_type"),
    )


def _name(value: object) -> str | None:
    """A name without the address that RSS puts before it: "a@b.org (Ada Holmqvist)"."""
    if not isinstance(value, str) or not value.strip():
        return None
    found = re.fullmatch(r"\S+@\S+\s+\((.+)\)", value.strip())
    return found[1] if found else value


def _dicts(value: object) -> list[Mapping[str, object]]:
    if not isinstance(value, list):
        return []
    members = cast("list[object]", value)
    return [cast("Mapping[str, object]", m) for m in members if isinstance(m, dict)]


def _text(raw: Mapping[str, object], *keys: str) -> str | None:
    for key in keys:
        value = raw.get(key)
        if isinstance(value, str) and value.strip():
            return value
    return None
