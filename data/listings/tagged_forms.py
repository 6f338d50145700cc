"""What the tags of RIS, Web of Science, EndNote and PubMed mean.

Reference managers and publishers put one thing under several tags, sometimes in one record, so
each field is taken from all the tags that may hold it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from data.identity import arxiv_id, author_key
from data.listings.fields import author_name, make_record, split_authors
from data.listings.tagged import TaggedReader
from data.records import AnnounceType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from data.listings.tagged import Tagged
    from data.records import PaperRecord

_MOST_TOPICS: Final = 8
_MOST_PARAGRAPHS: Final = 50
_DAY_WITHOUT_YEAR: Final = re.compile(r"[A-Za-z]{3,9}\.? \d{1,2}|\d{1,2} [A-Za-z]{3,9}\.?")


def _ris(tagged: Tagged) -> PaperRecord:
    links = tagged.all("UR", "L2", "LK", "L1")
    names = tagged.all("JF", "T2", "JO", "BT", "C3", "JA", "J2", "J1")
    title = tagged.first("TI", "T1", "CT")
    if title is None:  # a book is its own host
        title = tagged.first("BT", "ST")
    return make_record(
        position=tagged.position,
        title=title,
        abstract=_paragraphs(tagged.all("AB", "N2")),
        authors=_ris_authors(tagged),
        arxiv=_of_arxiv([*links, *tagged.all("M1", "AN"), *names]),
        doi=tagged.first("DO", "DI")
        or next((u for u in links if "doi.org" in u), None)
        or next((t for t in tagged.all("M3", "ID", "C7") if "10." in t), None),
        openreview=_forum(links),
        url=_address(links),
        topics=_split(tagged.all("KW"))[:_MOST_TOPICS],
        venue=next((name for name in names if name != title), None),
        comment=(tagged.first("N1") or "").removeprefix("Comment: "),  # Zotero's, of arXiv's
        dated=_ris_dates(tagged),
    )


def _ris_authors(tagged: Tagged) -> list[str]:
    """The people of AU and of A1, where some tools put the same ones in another spelling."""
    first = _people(tagged.all("AU"))
    known = {author_key(name) for name in first}
    return first + [name for name in _people(tagged.all("A1")) if author_key(name) not in known]


def _ris_dates(tagged: Tagged) -> list[str]:
    """The dates of a record: "2023/05//" and "May 12" beside a year, as EndNote writes it."""
    values = [value.strip("/ ") for value in tagged.all("DA", "PY", "Y1")]
    year = next((found[0] for v in values if (found := re.match(r"\d{4}", v))), None)
    return [f"{v} {year}" if year and _DAY_WITHOUT_YEAR.fullmatch(v) else v for v in values]


def _paragraphs(values: list[str]) -> str:
    """Paragraphs that stand under one tag each as one text; what another repeats is dropped."""
    kept: list[str] = []
    for value in values[:_MOST_PARAGRAPHS]:
        if not any(value in other for other in kept):
            kept = [*(other for other in kept if other not in value), value]
    return "\n".join(kept)


def _people(values: Iterable[str]) -> list[str]:
    """Names of one person a line, or several with semicolons."""
    return [
        name
        for value in values
        for name in (split_authors(value) if ";" in value else [author_name(value)])
    ]


def _split(values: Iterable[str]) -> list[str]:
    """Keywords that stand alone, or several with semicolons."""
    return [word.strip() for value in values for word in re.split(r"[;；]", value) if word.strip()]


def _of_arxiv(values: Iterable[str]) -> str | None:
    """The value that names arXiv: an address, "arXiv:2601.00001", or a journal of that name."""
    return next((v for v in values if "arxiv" in v.lower() and arxiv_id(v)), None)


def _forum(links: Iterable[str]) -> str | None:
    return next((u for u in links if "openreview.net" in u and "id=" in u), None)


def _address(links: Iterable[str]) -> str | None:
    """The first link that is one; Scopus gives addresses without their scheme."""
    addressed = (f"https://{u}" if u.lower().startswith("www.") else u for u in links)
    return next((u for u in addressed if u.lower().startswith(("http://", "https://"))), None)


def _wos(tagged: Tagged) -> PaperRecord:
    keywords = _split([" ".join(tagged.every("DE", "ID"))])
    year = tagged.first("PY")
    return make_record(
        position=tagged.position,
        title=tagged.first("TI"),
        abstract=tagged.first("AB"),
        authors=[author_name(a) for a in tagged.every("AF", "AU")],
        arxiv=_of_arxiv(tagged.all("AR", "SO")),
        doi=tagged.first("DI"),
        topics=[k.capitalize() if k.isupper() else k for k in keywords[:_MOST_TOPICS]],
        venue=tagged.first("SO"),
        dated=[f"{tagged.first('PD') or ''} {year or ''}", year],
    )


def _endnote(tagged: Tagged) -> PaperRecord:
    links = tagged.all("%U")
    return make_record(
        position=tagged.position,
        title=tagged.first("%T"),
        abstract=_paragraphs(tagged.all("%X")),
        authors=_people(tagged.all("%A")),
        arxiv=_of_arxiv([*links, *tagged.all("%M", "%J")]),
        doi=tagged.first("%R") or next((u for u in links if "doi.org" in u), None),
        openreview=_forum(links),
        url=_address(links),
        topics=_endnote_keywords(tagged)[:_MOST_TOPICS],
        venue=tagged.first("%J", "%B", "%S"),
        comment=tagged.first("%Z"),
        dated=[
            tagged.first("%8"),
            f"{tagged.first('%8') or ''} {tagged.first('%D') or ''}",
            tagged.first("%D"),
        ],
    )


def _endnote_keywords(tagged: Tagged) -> list[str]:
    """Keywords, which EndNote sets one a line and the ACM all on one."""
    words = _split(tagged.all("%K"))
    return [w.strip() for w in words[0].split(",") if w.strip()] if len(words) == 1 else words


def _pubmed(tagged: Tagged) -> PaperRecord:
    number = tagged.first("PMID")
    ids = tagged.all("LID", "AID", "SO")
    full, short = tagged.all("FAU"), tagged.all("AU")
    people = [author_name(a) for a in full] if full else [_initials_last(a) for a in short]
    headings = [h.split("/")[0].strip("* ") for h in tagged.all("MH") if "*" in h]
    retracted = any(kind.lower() == "retracted publication" for kind in tagged.all("PT"))
    return make_record(
        position=tagged.position,
        title=pubmed_title(tagged.first("TI", "BTI", "TT")),
        abstract=tagged.first("AB", "OAB"),
        authors=[*people, *tagged.all("CN")],
        arxiv=_of_arxiv(ids),
        doi=next((t for t in ids if "10." in t and not t.endswith("[pii]")), None),
        url=f"https://pubmed.ncbi.nlm.nih.gov/{number}" if number else None,
        topics=(_split(tagged.all("OT")) or headings)[:_MOST_TOPICS],
        venue=tagged.first("JT", "TA"),
        dated=tagged.all("DP", "DEP"),
        announce_type=AnnounceType.WITHDRAWN if retracted else AnnounceType.NEW,
    )


def pubmed_title(title: str | None) -> str | None:
    """A title without PubMed's full stop, and without the brackets of one that it translated."""
    if title is None:
        return None
    title = title.strip()
    bare = title[:-1] if title.endswith(".") and not title.endswith("..") else title
    return bare[1:-1] if bare.startswith("[") and bare.endswith("]") else bare


def _initials_last(name: str) -> str:
    """PubMed's short form of a name, "Holmqvist AB", in the order in which it is read."""
    family, blank, initials = name.rpartition(" ")
    return f"{initials} {family}" if blank and initials.isupper() else name


READERS: Final = (
    TaggedReader(
        name="ris",
        title="RIS",
        sign=re.compile(r"^\ufeff?TY  ?- ?\S*", re.MULTILINE),
        line=re.compile(r"^([A-Z][A-Z0-9])  ?-(?:\s(.*))?$"),
        start=frozenset({"TY"}),
        end=frozenset({"ER"}),
        joined_by_line=frozenset({"KW", "UR", "L1", "L2"}),
        record_of=_ris,
    ),
    TaggedReader(
        name="wos",
        title="Web of Science text",
        sign=re.compile(r"^\ufeff?(?:FN .*\n)?(?:VR .*\n)?PT [A-Z]\r?$", re.MULTILINE),
        line=re.compile(r"^([A-Z][A-Z0-9])(?: (.*))?$"),
        start=frozenset({"PT"}),
        end=frozenset({"ER"}),
        joined_by_line=frozenset({"AU", "AF", "CR", "EM", "BE", "CA"}),
        record_of=_wos,
    ),
    TaggedReader(
        name="endnote",
        title="EndNote's tagged form",
        sign=re.compile(r"^\ufeff?%0 \w", re.MULTILINE),
        line=re.compile(r"^(%[0-9A-Z@!#$&()*+>?\[\]^~])(?:\s(.*))?$"),
        start=frozenset({"%0"}),
        end=frozenset(),
        joined_by_line=frozenset({"%K", "%U"}),
        record_of=_endnote,
    ),
    TaggedReader(
        name="pubmed",
        title="PubMed's text form (.nbib)",
        sign=re.compile(r"^\ufeff?PMID- ?\d", re.MULTILINE),
        line=re.compile(r"^([A-Z][A-Z0-9]{1,3}) {0,2}-(?: (.*))?$"),
        start=frozenset({"PMID"}),
        end=frozenset(),
        joined_by_line=frozenset(),
        record_of=_pubmed,
    ),
)
