"""Numbers about the library and about what one server did with it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from data.store.corrections import corrected_tags
from data.store.retagging import tags_of
from data.store.sql import rows

if TYPE_CHECKING:
    from sqlite_utils import Database


@dataclass(frozen=True, slots=True)
class LibraryNumbers:
    """Counts of the whole library, and of one server (zeros where none was asked for).

    `tags` counts papers by their tag, for a server with its own corrections.
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
        tags=_tags(db, guild_id),
        votes=count("votes WHERE guild_id = ? AND active", guild_id),
        voters=count(
            "(SELECT DISTINCT user_id FROM votes WHERE guild_id = ? AND active)", guild_id
        ),
        queued=count("queue WHERE guild_id = ? AND state IN ('queued', 'reading')", guild_id),
        discussed=count("queue WHERE guild_id = ? AND state = 'discussed'", guild_id),
        corrections=count("corrections WHERE guild_id = ? AND NOT withdrawn", guild_id),
        subscriptions=count("subscriptions WHERE guild_id = ? AND removed_at IS NULL", guild_id),
    )


def _tags(db: Database, guild_id: int | None) -> dict[str, int]:
    counted = Counter(
        {
            str(row["tag"]): int(row["n"])
            for row in rows(
                db,
                "SELECT t.tag, count(*) AS n FROM tags t JOIN papers p ON p.id = t.paper_id"
                " WHERE p.merged_into IS NULL GROUP BY t.tag",
            )
        }
    )
    if guild_id is not None:
        corrected = corrected_tags(db, guild_id)
        own = tags_of(db, corrected)
        counted.subtract(own.values())
        counted.update(corrected[paper_id] for paper_id in own)
    return {tag: number for tag, number in counted.most_common() if number > 0}


def servers(db: Database) -> list[int]:
    """The Discord servers that voted, subscribed or corrected something; a shell is none."""
    found = rows(
        db,
        "SELECT guild_id FROM members WHERE guild_id <> 0 UNION"
        " SELECT guild_id FROM subscriptions ORDER BY guild_id",
    )
    return [int(row["guild_id"]) for row in found]
