"""The XML of PubMed and of EndNote: what an element says of a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from data.identity import arxiv_id
from data.listings.fields import author_name, make_record
from data.listings.markup import child_text, children, descend, text_of
from data.listings.tagged_forms import pubmed_title
from data.records import AnnounceType

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element

    from data.records import PaperRecord

_MOST_TOPICS: Final = 8


def pubmed_article(element: Element, position: str) -> PaperRecord:
    """The record of a `PubmedArticle` or `PubmedBookArticle` element.

    Raises UnusableRecordError where it has neither a title nor an abstract.
    """
    number = next((text_of(e) for e in descend(element, "PMID")), "")
    article = next(descend(element, "Article", "BookDocument"), element)
    abstract = next(children(article, "Abstract"), None)
    journal = next(children(article, "Journal"), None)
    ids = [
        (e.get("EIdType") or "", text_of(e)) for e in children(article, "ELocationID")
    ] + _own_ids(element)
    headings = [text_of(e) for e in descend(element, "DescriptorName") if _is_major(e)]
    kinds = {text_of(e).lower() for e in descend(article, "PublicationType")}
    days = [*children(article, "ArticleDate"), *descend(article, "PubDate")]
    return make_record(
        position=position,
        title=pubmed_title(child_text(article, "ArticleTitle", "BookTitle", "VernacularTitle")),
        abstract="\n".join(_sections(abstract)) if abstract is not None else None,
        authors=_people(next(children(article, "AuthorList"), None)),
        arxiv=next((t for _, t in ids if "arxiv" in t.lower() and arxiv_id(t)), None),
        doi=next((t for kind, t in ids if kind == "doi"), None),
        url=f"https://pubmed.ncbi.nlm.nih.gov/{number}" if number else None,
        topics=([text_of(e) for e in descend(element, "Keyword")] or headings)[:_MOST_TOPICS],
        venue=child_text(journal, "Title", "ISOAbbreviation") if journal is not None else None,
        dated=[_date(e) for e in days],
        announce_type=AnnounceType.WITHDRAWN
        if "retracted publication" in kinds
        else AnnounceType.NEW,
    )


def _own_ids(element: Element) -> list[tuple[str, str]]:
    """The ids of the article itself; those of what it cites stand in lists of their own."""
    data = next(children(element, "PubmedData", "PubmedBookData"), None)
    listed = next(children(data, "ArticleIdList"), None) if data is not None else None
    if listed is None:
        return []
    return [(e.get("IdType") or "", text_of(e)) for e in children(listed, "ArticleId")]


def _is_major(heading: Element) -> bool:
    return heading.get("MajorTopicYN") == "Y"


def _sections(abstract: Element) -> Iterator[str]:
    """The sections of an abstract, each with its label, as PubMed shows them."""
    for section in children(abstract, "AbstractText"):
        label, text = section.get("Label"), text_of(section)
        if text:
            yield f"{label}: {text}" if label and label != "UNLABELLED" else text


def _people(listed: Element | None) -> list[str]:
    if listed is None:
        return []
    names: list[str] = []
    for person in children(listed, "Author"):
        given = child_text(person, "ForeName", "Initials")
        parts = (given, child_text(person, "LastName"), child_text(person, "Suffix"))
        names.append(" ".join(p for p in parts if p) or child_text(person, "CollectiveName") or "")
    return names


def _date(element: Element) -> str | None:
    """A date of PubMed's parts, month as a name or a number, or its free text."""
    year, month, day = (child_text(element, name) for name in ("Year", "Month", "Day"))
    if not year:
        return child_text(element, "MedlineDate")
    if month and month.isdecimal():
        return "-".join(part for part in (year, month, day) if part)
    return " ".join(part for part in (year, month, day) if part)


def endnote_record(element: Element, position: str) -> PaperRecord:
    """The record of a `record` element of EndNote's XML.

    Raises UnusableRecordError where it has neither a title nor an abstract.
    """

    def said(*path: str) -> list[str]:
        found = [element]
        for name in path:
            found = [child for parent in found for child in children(parent, name)]
        return [text for e in found if (text := text_of(e))]

    links = said("urls", "related-urls", "url") + said("urls", "web-urls", "url")
    venues = said("periodical", "full-title") + said("titles", "secondary-title")
    years, days = said("dates", "year"), said("dates", "pub-dates", "date")
    named = [*links, *said("accession-num"), *venues]
    return make_record(
        position=position,
        title=next(iter(said("titles", "title")), None),
        abstract="\n".join(said("abstract")),
        authors=[author_name(name) for name in said("contributors", "authors", "author")],
        arxiv=next((t for t in named if "arxiv" in t.lower() and arxiv_id(t)), None),
        doi=next(iter(said("electronic-resource-num")), None)
        or next((u for u in links if "doi.org" in u), None),
        openreview=next((u for u in links if "openreview.net" in u and "id=" in u), None),
        url=next((u for u in links if u.lower().startswith("http")), None),
        topics=said("keywords", "keyword")[:_MOST_TOPICS],
        venue=next(iter(venues), None),
        comment=next(iter(said("notes")), None),
        dated=[*days, *(f"{d} {y}" for d in days for y in years[:1]), *years],
    )
