"""arXiv's list pages: new, recent, past week, a month, and the answers of its search.

As a browser saves them, or as text that was copied out of one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from data.listings.base import ListingError
from data.listings.dates import day, with_century
from data.listings.fields import UnusableRecordError, arxiv_authors, make_record
from data.records import AnnounceType, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from data.listings.base import Item
    from data.listings.source import Source
    from data.records import PaperRecord

_ID: Final = r"arXiv:\s?(?P<id>(?:[a-z-]+(?:\.[A-Z]{2})?/)?\d[\d.]{4,10}\d(?:v\d{1,3})?)"
# An entry begins with its number, its id, how it came here, and the forms that can be had.
_ENTRY_LINE: Final = re.compile(
    rf"^[ \t]{{0,20}}(?:\[\d{{1,6}}\]\s{{1,4}})?{_ID}"
    r"(?P<how>(?:\s{1,4}\([^()\n]{1,80}\)){0,3})"
    r"\s{0,4}\[[^\]\n]{0,80}\b(?:pdf|ps|html|other|abs|tex|src|view email)\b",
    re.MULTILINE,
)
_HTML_SIGN: Final = re.compile(
    r"<dl[^>]{0,40}\bid=[\"']articles|class=[\"']list-title\b|class=[\"']arxiv-result\b|"
    r"arxiv\.org/(?:list|archive)/[\w.-]+/(?:new|recent|pastweek|current|\d{4})"
)
_LABEL: Final = re.compile(
    r"^\s*(Title|Authors?|Comments|Subjects|Journal-ref|DOI|Related DOI|Report-no|MSC-class|"
    r"ACM-class|Journal reference|Abstract)\s*:\s*",
    re.IGNORECASE,
)
_SECTIONS: Final = (
    (re.compile(r"^\s*cross(?:[- ]lists?|[- ]submissions| submissions)\b", re.IGNORECASE), "cross"),
    (re.compile(r"^\s*replacements?\b", re.IGNORECASE), "replace"),
    (re.compile(r"^\s*new submissions\b", re.IGNORECASE), "new"),
)
_HEADING_DAY: Final = re.compile(
    r"(?:listings|submissions|lists|replacements) for (?P<a>\w{3,9}, +\d{1,2} \w{3,9} \d{2,4})"
    r"|^\s*(?P<b>\w{3}, +\d{1,2} \w{3} \d{2,4})(?= *(?:\(|$))",
    re.IGNORECASE,
)
_CATEGORY: Final = re.compile(r"\(([a-z-]+(?:\.[A-Za-z-]+)?)\)")
_FIRST_SUBMITTED: Final = re.compile(r"v1\s+submitted\s+(\d{1,2} \w+, \d{4})")
_SUBMITTED: Final = re.compile(r"Submitted\s+(\d{1,2} \w+, \d{4})")
_TYPES: Final = {
    (False, False): AnnounceType.NEW,
    (True, False): AnnounceType.CROSS_LIST,
    (False, True): AnnounceType.REPLACEMENT,
    (True, True): AnnounceType.REPLACEMENT_CROSS_LIST,
}


@dataclass(slots=True)
class _Heading:
    """What the headings above an entry say: its section, and the day of the announcement."""

    section: str = ""
    announced: date | None = None

    def read(self, text: str) -> bool:
        """Takes what a line says if it is a heading; says whether it was."""
        found = _HEADING_DAY.search(text)
        if found:
            self.announced = day(with_century(found["a"] or found["b"]))
        for pattern, section in _SECTIONS:
            if pattern.match(text):
                self.section = section
                return True
        return bool(found)

    def type_of(self, how: str) -> AnnounceType:
        """The announce type of an entry with these words in brackets behind its id."""
        crossed = "cross-list" in how or self.section == "cross"
        return _TYPES[crossed, "replaced" in how or self.section == "replace"]


class ArxivListReader:
    """Reads arXiv's list pages, as HTML or as text."""

    name = "arxiv-list"
    title = "a list page of arXiv"

    def sniff(self, head: str) -> float:
        """Sure where the entries of such a page stand, or its frame in HTML."""
        if (
            head.lstrip("\ufeff \t\r\n")[:200]
            .lower()
            .startswith(("<!doctype html", "<html", "<!--"))
        ):
            return 0.95 if _HTML_SIGN.search(head) else 0.0
        return 0.96 if _ENTRY_LINE.search(head) else 0.0

    def read(self, source: Source) -> Iterator[Item]:
        """One record or refusal an entry."""
        if source.head.lstrip("\ufeff \t\r\n").startswith("<"):
            from selectolax.lexbor import LexborHTMLParser

            drafts = _of_html(LexborHTMLParser(source.text()))
        else:
            drafts = _of_text(source)
        count = 0
        for draft in drafts:
            count += 1
            position = draft.position or f"entry {count}"
            try:
                yield _record(draft, position)
            except UnusableRecordError as problem:
                yield Refusal(file=source.name, position=position, reason=str(problem))
        if not count:
            raise ListingError(
                f"{source.name} is a page of arXiv without papers in it; save the page after its "
                "list has loaded, or give the archive's feed."
            )


@dataclass(slots=True)
class _Draft:
    """What an entry says, as text; `said` maps its labels in lower case to what follows them."""

    arxiv: str
    kind: AnnounceType = AnnounceType.NEW
    announced: date | None = None
    position: str = ""
    authors: str = ""
    abstract: list[str] = field(default_factory=list[str])
    said: dict[str, str] = field(default_factory=dict[str, str])
    categories: list[str] = field(default_factory=list[str])
    submitted: str | None = None


def _record(draft: _Draft, position: str) -> PaperRecord:
    said = draft.said
    if not said.get("title"):
        raise UnusableRecordError(f"arXiv:{draft.arxiv} has no title; the page may be cut here")
    return make_record(
        position=position,
        title=said["title"],
        abstract=" ".join(draft.abstract),
        authors=arxiv_authors(said.get("authors") or said.get("author") or draft.authors),
        arxiv=draft.arxiv,
        doi=said.get("doi") or said.get("related doi"),
        categories=draft.categories or _CATEGORY.findall(said.get("subjects", "")),
        venue=said.get("journal-ref") or said.get("journal reference"),
        comment=said.get("comments"),
        dated=[(draft.submitted or "").replace(",", "")],
        announced=draft.announced,
        announce_type=draft.kind,
    )


def _of_html(tree: LexborHTMLParser) -> Iterator[_Draft]:
    _restore_tex(tree)
    heading = _Heading()
    draft: _Draft | None = None
    for node in tree.css("h1, h2, h3, dt, dd, li.arxiv-result"):
        if node.tag == "li":
            yield _search_result(node)
        elif node.tag == "dt":
            if draft is not None:
                yield draft
            draft = _of_term(node, heading)
        elif node.tag == "dd":
            if draft is not None:
                _take_details(draft, node)
                yield draft
            draft = None
        else:
            heading.read(" ".join(node.text().split()))
    if draft is not None:
        yield draft


def _restore_tex(tree: LexborHTMLParser) -> None:
    """Puts the TeX back in the places where the browser had drawn it before the page was saved."""
    for drawn in tree.css("span.MathJax_Preview, span.MathJax, div.MathJax_Display"):
        drawn.decompose()
    for script in tree.css("script[type^='math/tex']"):
        script.replace_with(f"${script.text()}$")


def _of_term(node: LexborNode, heading: _Heading) -> _Draft | None:
    text = " ".join(node.text().split())
    found = re.search(_ID, text)
    if found is None:
        return None
    how = text[found.end() :].split("[")[0]
    return _Draft(found["id"], heading.type_of(how), heading.announced)


def _take_details(draft: _Draft, node: LexborNode) -> None:
    for part in node.css("div[class*='list-']"):
        _take_labelled(draft, " ".join(part.text().split()), part.attributes.get("class") or "")
    for paragraph in node.css("p"):
        draft.abstract.append(" ".join(paragraph.text().split()))


def _take_labelled(draft: _Draft, text: str, css: str = "") -> None:
    label = _LABEL.match(text)
    name = label[1].lower() if label else ""
    rest = text[label.end() :] if label else text
    if not name and "list-authors" in css:
        name = "authors"
    if name:
        draft.said.setdefault(name, rest)


def _search_result(node: LexborNode) -> _Draft:
    link = node.css_first("p.list-title a")
    found = re.search(_ID, link.text() if link is not None else "")
    draft = _Draft(found["id"] if found else "")
    for name, selector in (("title", "p.title"), ("authors", "p.authors")):
        part = node.css_first(selector)
        text = " ".join(part.text().split()) if part is not None else ""
        draft.said[name] = _LABEL.sub("", text)
    whole = node.css_first("span.abstract-full") or node.css_first("span.abstract-short")
    if whole is not None:
        for button in whole.css("a.is-size-7"):
            button.decompose()
        draft.abstract.append(" ".join(whole.text().split()))
    draft.categories = [tag.text().strip() for tag in node.css("div.tags span.tag")]
    draft.categories = [c for c in draft.categories if _CATEGORY.fullmatch(f"({c})")]
    for line in node.css("p.is-size-7"):
        text = " ".join(line.text().split())
        submitted = _FIRST_SUBMITTED.search(text) or _SUBMITTED.search(text)
        draft.submitted = draft.submitted or (submitted[1] if submitted else None)
        _take_labelled(draft, text)
    return draft


def _of_text(source: Source) -> Iterator[_Draft]:
    heading = _Heading()
    draft: _Draft | None = None
    last = ""
    for number, line in source.lines():
        text = " ".join(line.replace("\ufeff", "").split())
        found = _ENTRY_LINE.match(line.replace("\xa0", " "))
        if found:
            if draft is not None:
                yield draft
            kind = heading.type_of(found["how"])
            draft = _Draft(found["id"], kind, heading.announced, f"line {number}")
            last = ""
        elif not text:
            last = "" if last != "abstract" else last
        elif draft is None or (len(text) < 90 and not _LABEL.match(text) and _Heading().read(text)):
            heading.read(text)
            last = "heading" if draft is not None else ""
        elif last != "heading":
            last = _take_line(draft, text, last)
    if draft is not None:
        yield draft


def _take_line(draft: _Draft, text: str, last: str) -> str:
    """Puts one line of an entry where it belongs; returns the part that may go on."""
    label = _LABEL.match(text)
    if label and not draft.abstract:
        name = label[1].lower()
        draft.said[name] = text[label.end() :]
        return name
    if (
        last
        and last != "abstract"
        and last in draft.said
        and (not draft.said[last] or (last != "subjects" and _goes_on(draft, last)))
    ):
        draft.said[last] = f"{draft.said[last]} {text}".strip()
        return last
    if not (draft.authors or draft.said.get("authors") or draft.said.get("subjects")):
        draft.authors = text
        return ""
    draft.abstract.append(text)
    return "abstract"


def _goes_on(draft: _Draft, last: str) -> bool:
    """Whether a part that was begun cannot be whole: a title that ends in a colon, a list."""
    return draft.said[last].endswith((",", ":", ";", "-", " and")) and last != "title"
