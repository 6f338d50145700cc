"""The year or month of publication, where a listing names no day."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data.store.migrations.chain import MIGRATIONS, run

if TYPE_CHECKING:
    from sqlite_utils import Database


@MIGRATIONS()
def m007_publication_periods(db: Database) -> None:
    """`papers.published_in` is "2026" or "2026-03"; NULL where no listing gave either."""
    run(db, "ALTER TABLE papers ADD COLUMN published_in TEXT")
