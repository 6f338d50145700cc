"""Numbers about the library and about what one server did with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data.store.sql import rows

if TYPE_CHECKING:
    from sqlite_utils import Database


@dataclass(frozen=True, slots=True)
class LibraryNumbers:
    """Counts of the whole library, and of one server (zeros where none was asked for).

    `tags` counts papers by the tagger's tag.
    """

    papers: int
    sightings: int
    tags: dict[str, int]
    votes: int
    voters: int
    queued: int
    discussed: int
    corrections: int
    subscriptions: int


def library_numbers(db: Database, guild_id: int | None) -> LibraryNumbers:
    """Counts everything anew."""

    def count(sql: str, *params: object) -> int:
        return int(rows(db, f"SELECT count(*) AS n FROM {sql}", params)[0]["n"])

    return LibraryNumbers(
        papers=count("papers WHERE merged_into IS NULL"),
        sightings=count("sightings"),
        tags={
            str(row["tag"]): int(row["n"])
            for row in rows(
                db,
                "SELECT t.tag, count(*) AS n FROM tags t JOIN papers p ON p.id = t.paper_id"
                " WHERE p.merged_into IS NULL GROUP BY t.tag ORDER BY n DESC",
            )
        },
        votes=count("votes WHERE guild_id = ? AND active", guild_id),
        voters=count(
            "(SELECT DISTINCT user_id FROM votes WHERE guild_id = ? AND active)", guild_id
        ),
        queued=count("queue WHERE guild_id = ? AND state IN ('queued', 'reading')", guild_id),
        discussed=count("queue WHERE guild_id = ? AND state = 'discussed'", guild_id),
        corrections=count("corrections WHERE guild_id = ?", guild_id),
        subscriptions=count("subscriptions WHERE guild_id = ? AND removed_at IS NULL", guild_id),
    )


def servers(db: Database) -> list[int]:
    """The Discord servers that voted, subscribed or corrected something."""
    found = rows(
        db,
        "SELECT guild_id FROM members UNION SELECT guild_id FROM subscriptions ORDER BY guild_id",
    )
    return [int(row["guild_id"]) for row in found]
