"""The chain that every migration joins, and what they share."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final

from sqlite_utils.migrations import Migrations

from data.store.sql import execute

if TYPE_CHECKING:
    from sqlite_utils import Database

MIGRATIONS: Final = Migrations("papertriage")


def run(db: Database, script: str) -> None:
    """Runs statements that are separated by semicolons, inside the migration's transaction."""
    # executescript would commit that transaction, so statements go one by one.
    for statement in script.split(";"):
        if statement.strip():
            execute(db, statement)


def new_library_id(db: Database) -> None:
    """Gives the library a new name, so that an index made from another one is known as such."""
    execute(
        db,
        "INSERT OR REPLACE INTO meta (key, value) VALUES ('library_id', ?)",
        [secrets.token_hex(8)],
    )
