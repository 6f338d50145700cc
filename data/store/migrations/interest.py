"""The weekly notes that were posted, once for each server and week."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data.store.migrations.chain import MIGRATIONS, run

if TYPE_CHECKING:
    from sqlite_utils import Database


@MIGRATIONS()
def m011_hindsights(db: Database) -> None:
    """A row is a claim: who wrote it posts the note of that week, and nobody else does."""
    run(
        db,
        """
        CREATE TABLE hindsights (
            guild_id INTEGER NOT NULL,
            week TEXT NOT NULL,
            claimed_at TEXT NOT NULL,
            PRIMARY KEY (guild_id, week)
        ) WITHOUT ROWID
        """,
    )
