"""From a format's raw fields to a paper record: what all readers do alike."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final, cast

from data.identity import arxiv_id, identifiers_from
from data.records import AnnounceType, PaperRecord, Period
from data.text import to_plain
from data.withdrawals import says_withdrawn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LONGEST_TITLE: Final = 600
_EARLIEST_YEAR, _LATEST_YEAR = 1600, 2200

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
    periods = (found for found in map(period, values) if found)
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
        published_in=next(periods, None) if published is None else None,
        updated=updated,
        announced=announced,
        version=found_version if found_version is None or found_version > 0 else None,
        announce_type=announce_type,
        title_source=_source_form(title, plain_title),
        abstract_source=_source_form(abstract, plain_abstract),
    )


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
        if given.rstrip(".").lower() in {"jr", "sr", "ii", "iii", "iv"}:
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
    kept = _NICKNAME.sub("\x01", text)
    for _ in range(4):
        shorter = _BRACKETS.sub("", kept)
        if shorter == kept:
            break
        kept = shorter
    kept = re.sub(r"\s*\([^\x01]*$", "", kept)  # a bracket that never closes
    return split_authors(re.sub(r"\x01(\w+)(?=\))", r"(\1", kept))


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
            if name.rstrip(".").lower() in {"jr", "sr", "ii", "iii", "iv"} and names:
                names[-1] += f", {name}"
            elif name.strip():
                names.append(name.strip())
    return names


def _reversed(pieces: list[str]) -> bool:
    """Whether most pieces are "Family, Given"."""
    return sum("," in p for p in pieces) > len(pieces) // 2


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


_NUMERIC_DATE: Final = re.compile(r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?")
_SLASH_DATE: Final = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")
_COMPACT: Final = re.compile(r"(\d{4})(\d{2})(\d{2})")
_MONTH_NAMES: Final = "jan feb mar apr may jun jul aug sep oct nov dec"
_MONTHS: Final = {name: n for n, name in enumerate(_MONTH_NAMES.split(), start=1)}
_WORDED: Final = re.compile(
    r"(?:(?<![\d–-])(?P<d1>\d{1,2})(?:st|nd|rd|th)?\s+)?(?P<m>[A-Za-z]{3,9})\.?\s+"
    r"(?:(?P<d2>\d{1,2})(?:st|nd|rd|th)?,?\s+)?(?P<y>\d{4})"
)
_CHINESE: Final = re.compile(r"(\d{4})\s*年\s*(?:(\d{1,2})\s*月\s*(?:(\d{1,2})\s*日)?)?")


def moment(value: object) -> datetime | None:
    """A date or time in any usual form as an aware UTC datetime, or None.

    A time without a zone is taken as UTC, a day as its first moment. Numbers are Unix seconds or
    milliseconds. A year alone, or a day outside 1600–2200, is None: a missing date stays missing.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        try:
            return _from_number(float(value))
        except OverflowError:  # JSON knows whole numbers of any length
            return None
    if not isinstance(value, str):
        return None
    text = value.strip()
    if not text:
        return None
    if text.isdecimal() and len(text) in {10, 13}:
        return _from_number(float(text))
    for parse in (_iso, _mail_date):
        found = parse(text)
        if found is not None:
            return found
    found_day = day(text)
    return (
        datetime(found_day.year, found_day.month, found_day.day, tzinfo=UTC) if found_day else None
    )


def _from_number(value: float) -> datetime | None:
    seconds = value / 1000 if abs(value) > 1e11 else value  # beyond the year 5000
    if seconds < 1e8:  # a year or a number of papers, no time
        return None
    try:
        return _sane(datetime.fromtimestamp(seconds, UTC))
    except (ValueError, OverflowError, OSError):
        return None


def _iso(text: str) -> datetime | None:
    if len(text) < 10 or not text[:4].isdecimal():
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return _sane(found if found.tzinfo else found.replace(tzinfo=UTC))


def _mail_date(text: str) -> datetime | None:
    if ":" not in text:
        return None
    try:
        found = parsedate_to_datetime(text)
        return _sane(found if found.tzinfo else found.replace(tzinfo=UTC))
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _sane(found: datetime) -> datetime | None:
    if not _EARLIEST_YEAR < found.year < _LATEST_YEAR:
        return None
    try:
        return found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def day(value: object) -> date | None:
    """A day in any usual form, or None where the value names no whole day."""
    if not isinstance(value, str):
        found = moment(value) if isinstance(value, (int, float)) else None
        return found.date() if found else None
    text = value.strip()
    if matched := _NUMERIC_DATE.match(text):
        return _day(matched[1], matched[2], matched[3])
    if matched := _COMPACT.fullmatch(text):
        return _day(matched[1], matched[2], matched[3])
    if matched := _SLASH_DATE.match(text):
        return _day(matched[3], matched[1], matched[2])
    if matched := _CHINESE.match(text):
        return _day(matched[1], matched[2], matched[3])
    if matched := _WORDED.search(text):
        month = _MONTHS.get(matched["m"][:3].lower())
        return _day(matched["y"], str(month or 0), matched["d1"] or matched["d2"])
    return None


def with_century(text: str) -> str:
    """Two-digit years of old mail headers and pages with their century: "3 Feb 23"."""
    return re.sub(
        r"(\d{1,2} \w{3,9} )(\d\d)(?!\d)",
        lambda m: f"{m[1]}{'19' if int(m[2]) > 90 else '20'}{m[2]}",
        text,
        count=1,
    )


def _day(year: str, month: str | None, number: str | None) -> date | None:
    if not month or not number:
        return None
    try:
        found = date(int(year), int(month), int(number))
    except ValueError:
        return None
    return found if _EARLIEST_YEAR < found.year < _LATEST_YEAR else None


_YEAR_MONTH: Final = re.compile(r"(\d{4})(?:[-/.](\d{1,2}))?(?:[-/.]0{1,2})?[-/.]*")
_MONTH_YEAR: Final = re.compile(r"(\d{1,2})[-/.](\d{4})")
_YEAR_ALONE: Final = re.compile(r"(?<!\d)\d{4}(?!\d)")
_LETTERS: Final = re.compile(r"[^\W\d_]{3,9}")
_MONTHS_IN_FULL: Final = (
    ("january", "januar", "jänner"),
    ("february", "februar"),
    ("march", "märz", "maerz"),
    ("april",),
    ("may", "mai"),
    ("june", "juni"),
    ("july", "juli"),
    ("august",),
    ("september",),
    ("october", "oktober"),
    ("november",),
    ("december", "dezember"),
)
_LONGEST_PERIOD: Final = 40


def period(value: object) -> Period | None:
    """The year, or month of a year, that a value names; None where it names neither, or several.

    What names a whole day names its month as well. A range of months has its year alone.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return _period(int(value), None) if 0 < value < _LATEST_YEAR else None
    if not isinstance(value, str) or len(value) > _LONGEST_PERIOD:
        return None
    text = value.strip()
    if found := _YEAR_MONTH.fullmatch(text):
        return _period(int(found[1]), int(found[2] or 0))
    if found := _MONTH_YEAR.fullmatch(text):
        return _period(int(found[2]), int(found[1]))
    if found := _CHINESE.search(text):
        return _period(int(found[1]), int(found[2] or 0))
    if whole := day(text):
        return Period(whole.year, whole.month)
    years = set(_YEAR_ALONE.findall(text))
    if len(years) != 1:
        return None
    months = {m for word in _LETTERS.findall(text.lower()) if (m := _month_of(word))}
    return _period(int(years.pop()), months.pop() if len(months) == 1 else None)


def _period(year: int, month: int | None) -> Period | None:
    if not _EARLIEST_YEAR < year < _LATEST_YEAR or (month or 0) > 12:
        return None
    return Period(year, month or None)


def _month_of(word: str) -> int | None:
    for number, names in enumerate(_MONTHS_IN_FULL, start=1):
        if any(name.startswith(word) for name in names):
            return number
    return None


def announce_type_of(value: object) -> AnnounceType:
    """The announce type that a listing's word names; new where it says nothing known."""
    if isinstance(value, str):
        return TYPE_WORDS.get(value.strip().lower(), AnnounceType.NEW)
    return AnnounceType.NEW
