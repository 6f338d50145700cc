"""From what a slot's order was learnt, for libraries that made the step before without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data.store.migrations.chain import MIGRATIONS, run
from data.store.sql import rows

if TYPE_CHECKING:
    from sqlite_utils import Database


@MIGRATIONS()
def m013_learnt_orders(db: Database) -> None:
    """m011 gave `slots` its `learnt_from` only after it had run in some libraries; here all get it.

    It is NULL for slots that were planned before.
    """
    if not any(row["name"] == "learnt_from" for row in rows(db, "PRAGMA table_info(slots)")):
        run(db, "ALTER TABLE slots ADD COLUMN learnt_from INTEGER")
