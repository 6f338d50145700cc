"""A weekly note that can be stopped on its way: planned for a channel, then settled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data.store.migrations.chain import MIGRATIONS, run

if TYPE_CHECKING:
    from sqlite_utils import Database


@MIGRATIONS()
def m012_weekly_notes(db: Database) -> None:
    """A row of `hindsights` is settled once its note stands in the channel, or none is to come.

    A week that was claimed before is settled, and its `channel_id` stays NULL: a claim said
    neither where the note went nor whether it arrived, and a note too few beats one twice.
    """
    run(
        db,
        """
        ALTER TABLE hindsights RENAME COLUMN claimed_at TO planned_at;
        ALTER TABLE hindsights ADD COLUMN channel_id INTEGER;
        ALTER TABLE hindsights ADD COLUMN settled_at TEXT;
        UPDATE hindsights SET settled_at = planned_at
        """,
    )
