"""When a digest is due, on ordinary days and on the two odd nights of the year."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

import pytest

from bot.triage.errors import Refused
from bot.triage.schedule import (
    EVERY_DAY,
    WEEKDAYS,
    days_in_words,
    due_at,
    last_due,
    next_due,
    parse_days,
    parse_time,
)
from data.store.digests import DigestFilter, SubscriptionOrder


def order(
    at: str, zone: str = "Europe/Berlin", days: frozenset[int] = EVERY_DAY
) -> SubscriptionOrder:
    return SubscriptionOrder(1, time.fromisoformat(at), zone, days, DigestFilter(), 10)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_a_time_is_due_at_its_moment_and_not_before() -> None:
    berlin = order("09:00")
    assert last_due(berlin, utc("2026-06-01T06:59")) == (
        date(2026, 5, 31),
        utc("2026-05-31T07:00"),
    )
    assert last_due(berlin, utc("2026-06-01T07:00")) == (date(2026, 6, 1), utc("2026-06-01T07:00"))
    assert next_due(berlin, utc("2026-06-01T07:00")) == (date(2026, 6, 2), utc("2026-06-02T07:00"))


def test_a_time_that_a_spring_night_skips_comes_an_hour_later_once() -> None:
    skipped = order("02:30")
    assert due_at(date(2026, 3, 29), time(2, 30), "Europe/Berlin") == utc("2026-03-29T01:30")
    assert last_due(skipped, utc("2026-03-29T01:30")) == (
        date(2026, 3, 29),
        utc("2026-03-29T01:30"),
    )


def test_a_time_that_a_night_skips_over_midnight_is_named_as_next_until_it_comes() -> None:
    """In Nuuk 23:00 is followed by midnight on one night of the year."""
    skipped = order("23:30", "America/Nuuk")
    slot = date(2026, 3, 28), utc("2026-03-29T01:30")
    for now in ("2026-03-28T12:00", "2026-03-29T00:59", "2026-03-29T01:00", "2026-03-29T01:29"):
        assert next_due(skipped, utc(now)) == slot
    assert last_due(skipped, slot[1]) == slot
    assert next_due(skipped, slot[1]) == (date(2026, 3, 29), utc("2026-03-30T00:30"))


def test_a_time_that_an_autumn_night_repeats_is_one_slot() -> None:
    repeated = order("02:30")
    first, second = utc("2026-10-25T00:30"), utc("2026-10-25T01:30")
    assert last_due(repeated, first) == (date(2026, 10, 25), first)
    assert last_due(repeated, second) == (date(2026, 10, 25), first)


def test_zones_with_half_hours_and_days_that_begin_elsewhere() -> None:
    kolkata = order("00:00", "Asia/Kolkata")
    assert last_due(kolkata, utc("2026-06-01T18:30")) == (
        date(2026, 6, 2),
        utc("2026-06-01T18:30"),
    )
    chatham = order("09:00", "Pacific/Chatham")
    assert next_due(chatham, utc("2026-06-01T00:00")) == (
        date(2026, 6, 2),
        utc("2026-06-01T20:15"),
    )


def test_only_the_days_that_were_asked_for() -> None:
    weekdays = order("09:00", "UTC", WEEKDAYS)
    sunday = utc("2026-06-07T12:00")
    assert last_due(weekdays, sunday) == (date(2026, 6, 5), utc("2026-06-05T09:00"))
    assert next_due(weekdays, sunday) == (date(2026, 6, 8), utc("2026-06-08T09:00"))


@pytest.mark.parametrize(
    ("text", "meant"),
    [("9", "09:00"), ("09:30", "09:30"), ("9.05", "09:05"), ("5pm", "17:00"), ("12am", "00:00"),
     ("12 pm", "12:00"), ("7h30", "07:30"), (" 23:59 ", "23:59")],
)  # fmt: skip
def test_a_time_of_day_as_people_write_it(text: str, meant: str) -> None:
    assert parse_time(text) == time.fromisoformat(meant)


@pytest.mark.parametrize("text", ["", "noon", "24:00", "9:60", "13pm", "-1", "1:2:3", "９９", "²"])
def test_a_time_that_is_none_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(Refused, match="09:00"):
        parse_time(text)


@pytest.mark.parametrize(
    ("text", "meant"),
    [("weekdays", WEEKDAYS), ("Daily", EVERY_DAY), ("mon, Wednesday fri", {0, 2, 4}),
     ("fri-mon", {4, 5, 6, 0}), ("weekend", {5, 6}), ("Mon – Wed", {0, 1, 2})],
)  # fmt: skip
def test_days_as_people_write_them(text: str, meant: set[int]) -> None:
    assert parse_days(text) == frozenset(meant)


@pytest.mark.parametrize("text", ["someday", "m", "mon-", "lundi", "1-5"])
def test_days_that_are_none_are_refused(text: str) -> None:
    if text == "mon-":
        assert parse_days(text) == {0}
        return
    with pytest.raises(Refused, match="weekdays"):
        parse_days(text)


def test_days_are_said_in_words() -> None:
    assert days_in_words(EVERY_DAY) == "every day"
    assert days_in_words(frozenset({0, 2})) == "Mon, Wed"
