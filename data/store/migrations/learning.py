"""Learning from corrections: taking one's word back, and a server's consent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data.store.migrations.chain import MIGRATIONS, run

if TYPE_CHECKING:
    from sqlite_utils import Database


@MIGRATIONS()
def m008_learning(db: Database) -> None:
    """A correction can be taken back, and a server says whether its corrections may teach.

    A row with `withdrawn` takes back what the member said before; its tag is the one taken back.
    A server without a row in `consents` has not consented.
    """
    run(
        db,
        """
        ALTER TABLE corrections ADD COLUMN withdrawn INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE consents (
            guild_id INTEGER PRIMARY KEY,
            training INTEGER NOT NULL,
            user_id INTEGER NOT NULL,
            at TEXT NOT NULL
        );
        CREATE INDEX tags_model ON tags(model)
        """,
    )
