"""Time zones as people look for them: by city, by region, by offset."""

from __future__ import annotations

import re
import unicodedata
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo, available_timezones

from bot.triage.errors import Refused

if TYPE_CHECKING:
    from datetime import datetime

# Cities after which no zone is named, and where many papers are read.
CITIES: Final = {
    "Ann Arbor": "America/Detroit",
    "Atlanta": "America/New_York",
    "Austin": "America/Chicago",
    "Bangalore": "Asia/Kolkata",
    "Barcelona": "Europe/Madrid",
    "Beijing": "Asia/Shanghai",
    "Berkeley": "America/Los_Angeles",
    "Bonn": "Europe/Berlin",
    "Boston": "America/New_York",
    "Cambridge": "Europe/London",
    "Cape Town": "Africa/Johannesburg",
    "Delhi": "Asia/Kolkata",
    "Edinburgh": "Europe/London",
    "Geneva": "Europe/Zurich",
    "Grenoble": "Europe/Paris",
    "Haifa": "Asia/Jerusalem",
    "Hamburg": "Europe/Berlin",
    "Hangzhou": "Asia/Shanghai",
    "Hanoi": "Asia/Bangkok",
    "Heidelberg": "Europe/Berlin",
    "Kyoto": "Asia/Tokyo",
    "Lausanne": "Europe/Zurich",
    "Milan": "Europe/Rome",
    "Mumbai": "Asia/Kolkata",
    "Munich": "Europe/Berlin",
    "Nanjing": "Asia/Shanghai",
    "Osaka": "Asia/Tokyo",
    "Oxford": "Europe/London",
    "Philadelphia": "America/New_York",
    "Pittsburgh": "America/New_York",
    "Princeton": "America/New_York",
    "Rio de Janeiro": "America/Sao_Paulo",
    "San Diego": "America/Los_Angeles",
    "San Francisco": "America/Los_Angeles",
    "Seattle": "America/Los_Angeles",
    "Shenzhen": "Asia/Shanghai",
    "Stanford": "America/Los_Angeles",
    "Toulouse": "Europe/Paris",
    "Tübingen": "Europe/Berlin",
    "Washington": "America/New_York",
    "Waterloo": "America/Toronto",
}

_OFFSET: Final = re.compile(r"(?:utc|gmt)?\s*([+-])\s*(\d{1,2})(?::?([0-5]\d))?")


def parse_zone(text: str) -> str:
    """An IANA zone by its name in any case, or by the city that only one has.

    Raises Refused where there is none, or where several fit.
    """
    folded = _folded(text)
    for zone in _zones():
        if _folded(zone) == folded:
            return zone
    for zone in available_timezones():
        # Old names such as US/Pacific are no choices, but people know them.
        if _folded(zone) == folded:
            return zone
    cities = {zone for name, zone in _places() if name == folded}
    if len(cities) == 1:
        return cities.pop()
    raise Refused(
        f"I don't know the time zone “{text[:60]}”; choose one from the list, such as "
        "Europe/Berlin."
    )


def zone_choices(text: str, now: datetime, limit: int = 25) -> list[tuple[str, str]]:
    """Zones that an unfinished name may mean, as (what is shown, IANA name).

    By city, then by any part of the name; "+2" or "UTC-03:30" finds the zones that are that far
    from UTC now.
    """
    folded = _folded(text)
    offset = _OFFSET.fullmatch(text.strip().casefold().replace("−", "-"))
    if offset:
        wanted = timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0))
        wanted = -wanted if offset[1] == "-" else wanted
        found = [zone for zone in _zones() if _offset_of(zone, now) == wanted]
    else:
        begin = [zone for name, zone in _places() if name.startswith(folded)]
        inside = [zone for zone in _zones() if folded in _folded(zone)]
        found = list(dict.fromkeys([*begin, *inside]))
    return [(_described(zone, folded, now), zone) for zone in found[:limit]]


def offset_in_words(zone: str, now: datetime) -> str:
    """How far a zone is from UTC now: "UTC+02:00"."""
    offset = _offset_of(zone, now)
    minutes = int(abs(offset).total_seconds()) // 60
    return f"UTC{'-' if offset < timedelta(0) else '+'}{minutes // 60:02}:{minutes % 60:02}"


def _described(zone: str, folded: str, now: datetime) -> str:
    own = _folded(zone.rsplit("/", 1)[-1])
    city = next(
        (
            name
            for name, place in CITIES.items()
            if place == zone and folded and _folded(name).startswith(folded)
        ),
        "",
    )
    named = f"{city}: {zone}" if city and not own.startswith(folded) else zone
    return f"{named} ({offset_in_words(zone, now)}, now {now.astimezone(ZoneInfo(zone)):%H:%M})"


def _offset_of(zone: str, now: datetime) -> timedelta:
    return now.astimezone(ZoneInfo(zone)).utcoffset() or timedelta(0)


@cache
def _zones() -> tuple[str, ...]:
    """The zones that are named after a place, and UTC before them."""
    named = sorted(zone for zone in available_timezones() if _is_place(zone))
    return ("UTC", *named)


def _is_place(zone: str) -> bool:
    region = zone.split("/", 1)[0]
    regions = ("Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia",
               "Europe", "Indian", "Pacific")  # fmt: skip
    return "/" in zone and region in regions


@cache
def _places() -> tuple[tuple[str, str], ...]:
    """Folded city and zone: those after which zones are named, then the others."""
    own = [(_folded(zone.rsplit("/", 1)[-1]), zone) for zone in _zones()]
    return (*own, *((_folded(city), zone) for city, zone in CITIES.items()))


def _folded(text: str) -> str:
    """Lower case, without accents, with blanks as in zone names."""
    plain = unicodedata.normalize("NFKD", text.strip().casefold())
    return "".join(sign for sign in plain if not unicodedata.combining(sign)).replace(" ", "_")
