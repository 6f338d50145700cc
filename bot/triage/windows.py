"""What a slot covers: which papers and sightings, and which local dates it stands for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from data.store import digests as digest_rows
from data.store import ledger, news

if TYPE_CHECKING:
    from sqlite_utils import Database

    from data.store.digests import Slot, Subscription


@dataclass(frozen=True, slots=True)
class Window:
    """What a slot that is planned now covers: papers and sightings above and up to a number."""

    last: Slot | None
    after: int
    upto: int
    after_sighting: int
    upto_sighting: int


def window_now(db: Database, subscription: Subscription) -> Window:
    """The window of a slot that is planned now; runs on the store's thread."""
    last = digest_rows.last_sent_slot(db, subscription.id)
    return Window(
        last=last,
        after=last.upto if last else subscription.after,
        upto=ledger.last_paper(db),
        after_sighting=(
            last.upto_sighting if last else news.last_sighting(db, before=subscription.created_at)
        ),
        upto_sighting=news.last_sighting(db),
    )


def days_covered(subscription: Subscription, slot: Slot, last: Slot | None) -> tuple[date, ...]:
    """The local dates from the last sent slot to this one on which a digest was due."""
    if last is None:
        return (slot.local_date,)
    days: list[date] = []
    day = last.local_date + timedelta(days=1)
    while day < slot.local_date:
        if day.weekday() in subscription.order.days:
            days.append(day)
        day += timedelta(days=1)
    return (*days, slot.local_date)
