"""Weekly notes, once for each server and week, and from what a slot's order was learnt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data.store.migrations.chain import MIGRATIONS, run

if TYPE_CHECKING:
    from sqlite_utils import Database


@MIGRATIONS()
def m011_hindsights(db: Database) -> None:
    """A row of `hindsights` is a claim: who wrote it posts the note of that week, nobody else.

    `slots.learnt_from` is NULL for slots that were planned before.
    """
    run(
        db,
        """
        CREATE TABLE hindsights (
            guild_id INTEGER NOT NULL,
            week TEXT NOT NULL,
            claimed_at TEXT NOT NULL,
            PRIMARY KEY (guild_id, week)
        ) WITHOUT ROWID;
        ALTER TABLE slots ADD COLUMN learnt_from INTEGER
        """,
    )
