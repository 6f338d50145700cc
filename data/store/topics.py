"""The topics of the library's papers, as their sources gave them.

Functions take the open `Database` and run on the store's thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data.store.sql import rows

if TYPE_CHECKING:
    from sqlite_utils import Database


def count_with_topics(db: Database) -> int:
    """How many papers have a topic; a merged group counts once."""
    (row,) = rows(
        db,
        "SELECT count(DISTINCT p.root_id) AS papers FROM topics t JOIN papers p"
        " ON p.id = t.paper_id",
    )
    return int(row["papers"])


def topics_of_newest(db: Database, limit: int) -> dict[int, tuple[str, ...]]:
    """The topics of the newest papers that have any, at most so many papers, newest first."""
    found: dict[int, list[str]] = {}
    for row in rows(
        db,
        "WITH newest AS (SELECT DISTINCT p.root_id AS root FROM topics t JOIN papers p"
        " ON p.id = t.paper_id ORDER BY root DESC LIMIT ?)"
        " SELECT DISTINCT n.root, t.topic FROM newest n JOIN papers p ON p.root_id = n.root"
        " JOIN topics t ON t.paper_id = p.id ORDER BY n.root DESC, t.topic",
        (limit,),
    ):
        found.setdefault(int(row["root"]), []).append(row["topic"])
    return {number: tuple(topics) for number, topics in found.items()}
