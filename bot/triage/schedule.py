"""When a subscription's digest is due: local wall-clock times turned into moments.

A slot is keyed by its local date, so a time that comes twice on an autumn night is one slot, and
a time that a spring night skips falls as much later as the clock jumped.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from bot.triage.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from data.store.digests import SubscriptionOrder

DAY_NAMES: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
WEEKDAYS: Final = frozenset(range(5))
EVERY_DAY: Final = frozenset(range(7))


def due_at(day: date, at: time, zone: str) -> datetime:
    """The UTC moment of a local date and time; the first of two, the later side of a gap."""
    return datetime.combine(day, at, tzinfo=ZoneInfo(zone)).astimezone(UTC)


def last_due(order: SubscriptionOrder, now: datetime) -> tuple[date, datetime] | None:
    """The latest slot at or before `now`, as (local date, UTC moment)."""
    today = now.astimezone(ZoneInfo(order.zone)).date()
    return _first_day(order, [today - timedelta(days=n) for n in range(8)], lambda at: at <= now)


def next_due(
    order: SubscriptionOrder, now: datetime, taken: Collection[date] = ()
) -> tuple[date, datetime] | None:
    """The first slot after `now` on a local date that is not taken, as (local date, UTC moment)."""
    today = now.astimezone(ZoneInfo(order.zone)).date()
    # Yesterday's time may be yet to come, where the clock jumps over midnight.
    days = (today + timedelta(days=n) for n in range(-1, 9 + 7 * len(taken)))
    return _first_day(order, (day for day in days if day not in taken), lambda at: at > now)


def clock_note(ahead: Sequence[date]) -> str | None:
    """What to say of slots that are dated in the future; None where there are none."""
    if not ahead:
        return None
    last = ahead[-1]
    return (
        f"The clock was ahead when the digest of {last.day} {last:%B %Y} was posted. Digests go on "
        "at their usual time; only dates that were posted already are left out."
    )


def _first_day(
    order: SubscriptionOrder, days: Iterable[date], wanted: Callable[[datetime], bool]
) -> tuple[date, datetime] | None:
    for day in days:
        if day.weekday() in order.days:
            moment = due_at(day, order.at, order.zone)
            if wanted(moment):
                return day, moment
    return None


def parse_time(text: str) -> time:
    """A local time such as "9:00", "09.30", "7" or "5pm". Raises Refused on anything else."""
    cleaned = text.strip().casefold().replace(".", ":").replace("h", ":").rstrip(":")
    half = cleaned[-2:] if cleaned[-2:] in ("am", "pm") else ""
    hour, _, minute = cleaned.removesuffix(half).strip().partition(":")
    # isascii: "²" and "９" are digits to Python as well.
    if (hour + minute).isascii() and hour.isdigit() and (minute or "0").isdigit():
        hours, minutes = int(hour), int(minute or 0)
        if half:
            hours = hours % 12 + (12 if half == "pm" else 0) if 1 <= hours <= 12 else 24
        if hours < 24 and minutes < 60:
            return time(hours, minutes)
    raise Refused(f"I can't read “{text}” as a time of day; write it like 09:00.")


def parse_days(text: str) -> frozenset[int]:
    """Days of the week from "weekdays", "every day", "mon, wed" or "mon-fri".

    Raises Refused on anything else.
    """
    cleaned = text.strip().casefold().replace("–", "-")
    if cleaned in ("", "weekdays", "workdays"):
        return WEEKDAYS
    if cleaned in ("daily", "every day", "everyday", "all", "all days"):
        return EVERY_DAY
    if cleaned in ("weekend", "weekends"):
        return frozenset((5, 6))
    days: set[int] = set()
    for piece in cleaned.replace(",", " ").replace(" - ", "-").split():
        first, _, last = piece.partition("-")
        begin, end = _day(first), _day(last or first)
        if begin is None or end is None:
            raise Refused(
                f"I can't read “{text}” as days; write “weekdays”, “daily” or “mon, wed, fri”."
            )
        days.update((begin + step) % 7 for step in range((end - begin) % 7 + 1))
    return frozenset(days)


def _day(text: str) -> int | None:
    if len(text) < 2:
        return None
    matching = (day for day, name in enumerate(DAY_NAMES) if name.startswith(text[:3]))
    return next(matching, None)


def days_in_words(days: frozenset[int]) -> str:
    """Days of the week as people say them: "weekdays", "every day", "Mon, Wed"."""
    if days == EVERY_DAY:
        return "every day"
    if days == WEEKDAYS:
        return "weekdays"
    return ", ".join(DAY_NAMES[day].capitalize() for day in sorted(days))
