"""Small facts that an installation keeps about itself, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data.store.sql import execute, rows

if TYPE_CHECKING:
    from sqlite_utils import Database


def recall(db: Database, key: str) -> str | None:
    """The fact kept under a name, or None."""
    found = rows(db, "SELECT value FROM meta WHERE key = ?", [key])
    return str(found[0]["value"]) if found else None


def remember(db: Database, key: str, value: str) -> None:
    """Keeps a fact under a name, in place of the one before."""
    execute(db, "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", [key, value])
