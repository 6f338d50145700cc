"""When the tagger was retrained last, and who does it now: of two processes only one.

Functions take the open `Database` and run on the store's thread, inside one transaction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from data.store.connection import to_moment, to_text
from data.store.meta import recall, remember
from data.store.sql import execute

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from sqlite_utils import Database

_DONE: Final = "learning.done_at"
_BEGUN: Final = "learning.begun_at"


def begin(db: Database, now: datetime, lease: timedelta) -> bool:
    """Claims the retraining; False where another began it less than `lease` ago."""
    begun = recall(db, _BEGUN)
    # A moment that lies ahead is left from a clock that was wrong.
    if begun is not None and now - lease < to_moment(begun) <= now:
        return False
    remember(db, _BEGUN, to_text(now))
    return True


def begin_when_due(db: Database, now: datetime, every: timedelta, lease: timedelta) -> bool:
    """Claims the retraining where `every` has passed since the last; the first call begins it."""
    done = recall(db, _DONE)
    if done is None or to_moment(done) > now:
        remember(db, _DONE, to_text(now))
        return False
    return now - to_moment(done) >= every and begin(db, now, lease)


def finish(db: Database, now: datetime) -> None:
    """Says that the retraining that began is over, whatever came of it."""
    remember(db, _DONE, to_text(now))
    execute(db, "DELETE FROM meta WHERE key = ?", [_BEGUN])
