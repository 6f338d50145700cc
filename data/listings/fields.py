"""From a format's raw fields to a paper record: what all readers do alike."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, cast

from data.identity import arxiv_id, identifiers_from, openreview_id
from data.listings.dates import moment, period
from data.records import AnnounceType, PaperRecord
from data.text import to_plain
from data.withdrawals import says_withdrawn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date, datetime

    from data.records import Period

_LONGEST_TITLE: Final = 600
_LONGEST_ABSENCE: Final = 60
# What Scopus, IEEE and ACM write where there is none, and people in their tables.
_NO_ABSTRACT: Final = re.compile(
    r"\W*(?:(?:there is )?no abstract(?: is)?(?: available)?(?: for this (?:article|paper))?"
    r"|(?:the )?abstract(?: is)? (?:not available|unavailable)|not available|无摘要|暂无摘要)?\W*",
    re.IGNORECASE,
)

TYPE_WORDS: Final[Mapping[str, AnnounceType]] = {
    "new": AnnounceType.NEW,
    "cross": AnnounceType.CROSS_LIST,
    "cross-list": AnnounceType.CROSS_LIST,
    "crosslist": AnnounceType.CROSS_LIST,
    "replace": AnnounceType.REPLACEMENT,
    "replacement": AnnounceType.REPLACEMENT,
    "replaced": AnnounceType.REPLACEMENT,
    "replace-cross": AnnounceType.REPLACEMENT_CROSS_LIST,
    "withdrawn": AnnounceType.WITHDRAWN,
    "withdraw": AnnounceType.WITHDRAWN,
}


class UnusableRecordError(ValueError):
    """One record cannot be used; its text says why, for a refusal."""


def make_record(
    *,
    position: str,
    title: object = None,
    abstract: object = None,
    authors: Iterable[str] = (),
    arxiv: str | None = None,
    doi: str | None = None,
    openreview: str | None = None,
    url: str | None = None,
    topics: Iterable[str] = (),
    categories: Iterable[str] = (),
    venue: object = None,
    comment: object = None,
    published: datetime | None = None,
    dated: Iterable[object] = (),
    updated: datetime | None = None,
    announced: date | None = None,
    version: int | None = None,
    announce_type: AnnounceType = AnnounceType.NEW,
) -> PaperRecord:
    """A record in plain text with identifiers in normal form.

    `dated` are values that may name the day, month or year of publication, best first: the first
    day is `published` where that is not given, else the first month or year is `published_in`.
    It is withdrawn where its abstract, comment or venue says so, whatever `announce_type` says.
    Raises `UnusableRecordError` where neither a title nor an abstract is left.
    """
    plain_title = plain(title)
    plain_abstract = plain(abstract) or ""
    if len(plain_abstract) < _LONGEST_ABSENCE and _NO_ABSTRACT.fullmatch(plain_abstract):
        plain_abstract = ""
    if plain_title is not None and not any(map(str.isalnum, plain_title)):
        plain_title = None
    if plain_title is None and not plain_abstract:
        raise UnusableRecordError("it has neither a title nor an abstract")
    if plain_title is not None and len(plain_title) > _LONGEST_TITLE:
        if plain_abstract:
            plain_title = None
        else:
            raise UnusableRecordError(f"its title has more than {_LONGEST_TITLE} characters")
    plain_venue, plain_comment = plain(venue), plain(comment)
    if says_withdrawn(plain_abstract, plain_comment, plain_venue):
        announce_type = AnnounceType.WITHDRAWN
    values = tuple(dated)
    if published is None:
        published = next((when for when in map(moment, values) if when), None)
    found_version = version
    if found_version is None:
        for text in (arxiv, url):
            known = arxiv_id(text) if text else None
            if known and known[1]:
                found_version = known[1]
                break
    return PaperRecord(
        position=position,
        title=plain_title,
        abstract=plain_abstract,
        authors=tuple(unique(n for n in (author_name(a) for a in authors) if n)),
        identifiers=identifiers_from(
            arxiv=arxiv, doi_text=doi, openreview=openreview or None, url=url
        ),
        topics=tuple(unique(t for t in (plain(t) for t in topics) if t)),
        categories=tuple(unique(c.strip() for c in categories if c.strip())),
        venue=plain_venue,
        comment=plain_comment,
        published=published,
        published_in=_period_of(values) if published is None else None,
        updated=updated,
        announced=announced,
        version=found_version if found_version is None or found_version > 0 else None,
        announce_type=announce_type,
        title_source=_source_form(title, plain_title),
        abstract_source=_source_form(abstract, plain_abstract),
    )


_FORUM: Final = re.compile(r"(?=[\w-]*[A-Z0-9])(?=[\w-]*[a-z])[\w-]{8,14}")


def forum_of(value: str | None) -> str | None:
    """A forum's id, or an address with one; a word, a score or the page of a venue is neither."""
    if not value:
        return None
    value = value.strip()
    return openreview_id(value) or (value if _FORUM.fullmatch(value) else None)


def _period_of(values: Iterable[object]) -> Period | None:
    """The first year or month, or the month that a later value names in that year."""
    found = [p for p in map(period, values) if p]
    months = (p for p in found if p.year == found[0].year and p.month)
    return next(months, found[0]) if found else None


def _source_form(value: object, shown: str | None) -> str | None:
    """The text as the listing has it, on one line; None where the plain text says the same."""
    if not shown or not isinstance(value, str) or value == shown:
        return None
    form = " ".join(value.split())
    return None if form == shown else form


def plain(value: object) -> str | None:
    """The value as plain text, or None where it says nothing."""
    if not isinstance(value, str):
        return None
    text = to_plain(value)
    return text if text and text.lower() not in {"none", "null", "nan", "n/a"} else None


_CATEGORY: Final = re.compile(r"[a-z-]+(?:\.[A-Za-z-]{2,12})?")


def arxiv_categories(values: Iterable[str]) -> list[str]:
    """arXiv's categories, without the MSC and ACM classes that its API and tools mix in."""
    return [value for value in values if _CATEGORY.fullmatch(value)]


def unique(values: Iterable[str]) -> list[str]:
    """The values in order, each once."""
    return list(dict.fromkeys(values))


_PLAIN_NAME: Final = re.compile(r"[A-Za-z]+(?:(?:\. ?|[ -])[A-Za-z]+)*\.?")
# Scopus and affiliations number people: "Holmqvist, Ada (57190000000)", "Li Wei (1,2)".
_ORDINAL: Final = re.compile(r"\s*\(\d[\d,\s]*\)$")


def author_name(raw: str) -> str:
    """One author's name as it is read: "Müller, Jan" becomes "Jan Müller"."""
    if _PLAIN_NAME.fullmatch(raw):  # most are, and need no other look
        return raw
    name = to_plain(raw)
    if "(" in name:
        name = _ORDINAL.sub("", name)
    name = name.strip(" ,;")
    family, comma, given = name.partition(",")
    if comma and given.strip() and "," not in given:
        given = given.strip()
        if given.rstrip(".").lower() in _SUFFIX:
            return f"{family} {given}"
        name = f"{given} {family}"
    return name if any(c.isalpha() for c in name) else ""


_BRACKETS: Final = re.compile(r"\s*\([^()]*\)")
_NICKNAME: Final = re.compile(r"\((?=[^\W\d_]+\) ?[^\W\d_])")


def arxiv_authors(text: str) -> list[str]:
    """The names of arXiv's author line, without the affiliations that stand in brackets.

    "Ada Holmqvist (1), Li Wei (2) ((1) Harbour, (2) Coast)" has two names; a nickname between
    given and family name stays.
    """
    return split_authors(_without_brackets(text))


def _without_brackets(text: str) -> str:
    kept = _NICKNAME.sub("\x01", text)
    for _ in range(4):
        shorter = _BRACKETS.sub("", kept)
        if shorter == kept:
            break
        kept = shorter
    kept = re.sub(r"\s*\([^\x01]*$", "", kept)  # a bracket that never closes
    return re.sub(r"\x01(\w+)(?=\))", r"(\1", kept)


_SEPARATOR: Final = re.compile(r"\s*(?:;|⋅|·|•|\|)\s*|\s+and\s+|\s*&\s*|、|；")
_COMMA: Final = re.compile(r"\s*[,，]\s*(?:and\s+|&\s*)?")


def split_authors(text: str) -> list[str]:
    """The names of one line of authors, whichever sign separates them, in order.

    "Family, Given; Family, Given" and "Given Family, Given Family and Given Family" are told
    apart by the other separators in the line.
    """
    text = to_plain(text)
    pieces = [p for p in _SEPARATOR.split(text) if p and p.strip()]
    if len(pieces) > 1 and all(p.count(",") <= 1 for p in pieces) and _reversed(pieces):
        return [author_name(p) for p in pieces]
    names: list[str] = []
    for piece in pieces:
        for name in _COMMA.split(piece):
            if name.rstrip(".").lower() in _SUFFIX and names:
                names[-1] += f", {name}"
            elif name.strip():
                names.append(name.strip())
    return names


def _reversed(pieces: list[str]) -> bool:
    """Whether most pieces are "Family, Given"."""
    return sum("," in p for p in pieces) > len(pieces) // 2


def cell_authors(text: str, *, family_first: bool | None = None) -> list[str]:
    """The names of a value in which "Müller, Anna" may be one person, as tables have it.

    Affiliations in brackets and the star of a contact are left out, and initials that stand
    behind every family name ("Wei L.; Moor A.") go before it. `family_first` is what other values
    of the column say (`names_family_first`); where they say nothing, one word before the only
    comma is a family name.
    """
    text = (_without_brackets(text) if "(" in text else text).replace("*", "")
    if text.rstrip().endswith(";"):  # every name is closed so, and the comma is none between names
        text, family_first = text.rstrip(" ;"), True
    parts = [part.strip() for part in _COMMA.split(to_plain(text))]
    if not _SEPARATOR.search(text):
        if len(parts) > 1 and len(parts) % 2 == 0 and all(map(_are_initials, parts[1::2])):
            pairs = zip(parts[::2], parts[1::2], strict=True)
            return [f"{given} {family}" for family, given in pairs]
        if len(parts) == 2 and _is_one_person(*parts, family_first=family_first):
            return [author_name(", ".join(parts))]
    names = split_authors(text)
    split = [name.rpartition(" ") for name in names]
    if len(names) > 1 and all(family and _are_initials(last) for family, _, last in split):
        return [f"{initials} {family}" for family, _, initials in split]
    return names


_INITIALS: Final = re.compile(r"(?:[^\W\d_]\.?-?){1,4}")


def _are_initials(text: str) -> bool:
    text = text.replace(" ", "")
    return text.isupper() and _INITIALS.fullmatch(text) is not None


_PARTICLE: Final = re.compile(
    r"(?:von|van|vom|zu|zur|ten|ter|de|del|della|di|da|dos|du|den|der|la|le|el|al|bin|ibn)\b",
    re.IGNORECASE,
)
_EAST_ASIAN: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_SUFFIX: Final = frozenset({"jr", "sr", "ii", "iii", "iv"})


def _is_one_person(family: str, given: str, *, family_first: bool | None) -> bool:
    """Whether two pieces around a comma are one person's family name and given names."""
    if _EAST_ASIAN.search(family + given) or given.rstrip(".").lower() in _SUFFIX:
        return False
    if family_first is not None:
        return family_first
    return " " not in family or _PARTICLE.match(family) is not None


def names_family_first(values: Iterable[str]) -> bool | None:
    """Whether a column of authors has "Family, Given"; None where its values do not show it."""
    turned = listed = 0
    for value in values:
        pieces = [p for p in _SEPARATOR.split(value) if p and p.strip()]
        if len(pieces) > 1:
            turned += _reversed(pieces)
        elif all(" " in name.strip() for name in _COMMA.split(value)):
            listed += "," in value
    return None if turned == listed else turned > listed


def text_list(value: object, *, separators: str = r"[;,]") -> list[str]:
    """A list of strings from a list, or from one string with separators."""
    if isinstance(value, str):
        return [p.strip() for p in re.split(separators, value) if p.strip()]
    if isinstance(value, list):
        return [v for v in cast("list[object]", value) if isinstance(v, str) and v.strip()]
    return []


_NAME_KEYS: Final = (
    "name", "fullname", "full_name", "fullName", "literal", "author_name", "display_name", "author",
)  # fmt: skip
_GIVEN_KEYS: Final = ("given", "first_name", "firstName", "first", "forename", "given_name")
_PARTICLES: Final = ("non-dropping-particle", "dropping-particle")
_FAMILY_KEYS: Final = ("family", "last_name", "lastName", "last", "surname", "family_name")


def authors_of(value: object) -> list[str]:
    """Author names from a string, a list of strings, or a list of objects with a name."""
    if isinstance(value, str):
        return split_authors(value)
    if not isinstance(value, list):
        return []
    names: list[str] = []
    for item in cast("list[object]", value):
        if isinstance(item, str):
            names.append(item)
        elif isinstance(item, dict):
            entry = cast("dict[str, object]", item)
            inner = entry.get("author")
            if isinstance(inner, dict):
                entry = cast("dict[str, object]", inner)
            name = first_text(entry, *_NAME_KEYS)
            if name is None:
                keys = (_GIVEN_KEYS, _PARTICLES, _FAMILY_KEYS, ("suffix",))
                name = " ".join(p for p in (first_text(entry, *names) for names in keys) if p)
            names.append(name)
    return names


def first_text(entry: Mapping[str, object], *keys: str) -> str | None:
    """The first of the keys that holds a string that says something."""
    for key in keys:
        value = entry.get(key)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return None


def announce_type_of(value: object) -> AnnounceType:
    """The announce type that a listing's word names; new where it says nothing known."""
    if isinstance(value, str):
        return TYPE_WORDS.get(value.strip().lower(), AnnounceType.NEW)
    return AnnounceType.NEW
