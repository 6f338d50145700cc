"""Time zones are found as people look for them, and said with how far they are."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.triage.errors import Refused
from bot.triage.zones import CITIES, offset_in_words, parse_zone, zone_choices

JUNE = datetime(2026, 6, 1, 8, tzinfo=UTC)
JANUARY = datetime(2026, 1, 1, 8, tzinfo=UTC)


def first(text: str, now: datetime = JUNE) -> str:
    return zone_choices(text, now)[0][1]


def test_zones_are_read_by_name_in_any_case_and_by_their_city() -> None:
    assert parse_zone("europe/berlin") == "Europe/Berlin"
    assert parse_zone("America/New York") == "America/New_York"
    assert parse_zone("são paulo") == "America/Sao_Paulo"
    assert parse_zone("Munich") == "Europe/Berlin"
    assert parse_zone("us/pacific") == "US/Pacific"
    assert parse_zone("utc") == "UTC"


@pytest.mark.parametrize("wrong", ["Atlantis", "", "../../etc/passwd", "Europe/Ber\0lin", "+2"])
def test_what_is_no_zone_is_refused_with_what_to_do(wrong: str) -> None:
    with pytest.raises(Refused, match="time zone"):
        parse_zone(wrong)


def test_zones_are_completed_by_city_before_any_other_part() -> None:
    assert first("berl") == "Europe/Berlin"
    assert first("new y") == "America/New_York"
    assert first("beij") == "Asia/Shanghai"
    assert zone_choices("beij", JUNE)[0][0] == "Beijing: Asia/Shanghai (UTC+08:00, now 16:00)"
    assert {zone.split("/")[0] for _, zone in zone_choices("antarctica", JUNE)} == {"Antarctica"}
    assert len(zone_choices("", JUNE)) == 25
    assert zone_choices("no such place", JUNE) == []


def test_zones_are_completed_by_how_far_they_are_from_utc_today() -> None:
    everywhere = {zone for _, zone in zone_choices("+2", JUNE, limit=100)}
    assert "Europe/Berlin" in everywhere
    assert "Europe/Helsinki" not in everywhere
    assert "Europe/Helsinki" in {zone for _, zone in zone_choices("utc+2", JANUARY, limit=100)}
    assert [zone for _, zone in zone_choices("UTC+05:45", JUNE)] == [
        "Asia/Kathmandu",
        "Asia/Katmandu",
    ]
    assert "America/St_Johns" in {zone for _, zone in zone_choices("-03:30", JANUARY)}


def test_a_zone_is_shown_with_its_offset_in_summer_and_winter() -> None:
    assert offset_in_words("Europe/Berlin", JUNE) == "UTC+02:00"
    assert offset_in_words("America/St_Johns", JANUARY) == "UTC-03:30"
    assert zone_choices("berl", JUNE)[0][0] == "Europe/Berlin (UTC+02:00, now 10:00)"


@pytest.mark.parametrize("city", sorted(CITIES))
def test_the_zone_of_every_city_is_there(city: str) -> None:
    assert parse_zone(city) == CITIES[city]
