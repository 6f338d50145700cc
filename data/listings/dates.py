"""Dates as listings write them: a day, a month or a year, in any usual form."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from data.records import Period

_EARLIEST_YEAR, _LATEST_YEAR = 1600, 2200

_NUMERIC_DATE: Final = re.compile(r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?")
_SLASH_DATE: Final = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")
_DOTTED_DATE: Final = re.compile(r"(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})")
_COMPACT: Final = re.compile(r"(\d{4})(\d{2})(\d{2})")
_MONTH_NAMES: Final = "jan feb mar apr may jun jul aug sep oct nov dec"
_MONTHS: Final = {name: n for n, name in enumerate(_MONTH_NAMES.split(), start=1)}
_WORDED: Final = re.compile(
    r"(?:(?<![\d–-])(?P<d1>\d{1,2})(?:st|nd|rd|th)?\s+)?(?P<m>[A-Za-z]{3,9})\.?\s+"
    r"(?:(?P<d2>\d{1,2})(?:st|nd|rd|th)?,?\s+)?(?P<y>\d{4})"
)
_YEAR_FIRST: Final = re.compile(r"(\d{4})[\s,/-]+([A-Za-z]{3,9})\.?[\s,/-]+(\d{1,2})(?![\d–-])")
_DASHED_DATE: Final = re.compile(r"(\d{1,2})-([A-Za-z]{3,9})-(\d{4})")
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
        # Where the month cannot be one, it is the day of those who write the day first.
        return _day(matched[3], matched[1], matched[2]) or _day(matched[3], matched[2], matched[1])
    if matched := _DOTTED_DATE.match(text):
        return _day(matched[3], matched[2], matched[1])
    if matched := _CHINESE.match(text):
        return _day(matched[1], matched[2], matched[3])
    if matched := _DASHED_DATE.match(text):
        return _day(matched[3], str(_MONTHS.get(matched[2][:3].lower(), 0)), matched[1])
    if matched := _YEAR_FIRST.match(text):
        return _day(matched[1], str(_MONTHS.get(matched[2][:3].lower(), 0)), matched[3])
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
