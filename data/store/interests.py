"""What a server's interest is learnt from: the papers it acted on, and the library around them.

Functions take the open `Database` and run on the store's thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data.store.connection import to_text
from data.store.papers import load_papers
from data.store.servers import QueueState, queue_entries
from data.store.sql import execute, rows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlite_utils import Database

    from data.records import Paper


@dataclass(frozen=True, slots=True)
class Mark:
    """What a server did with one paper: how many members voted, and where it stands."""

    paper_id: int
    votes: int
    state: QueueState


@dataclass(frozen=True, slots=True)
class KnownText:
    """A paper's words, people and fields; `title` is empty where it came from the abstract."""

    paper_id: int
    title: str
    abstract: str
    authors: tuple[str, ...]
    fields: tuple[str, ...]


def marks_of(db: Database, guild_id: int) -> tuple[Mark, ...]:
    """The papers that a server's members voted for, read or dropped, by number.

    A vote always brings a paper into the queue, and what is taken back leaves no mark.
    """
    entries = queue_entries(db, guild_id, tuple(QueueState))
    found = (Mark(entry.paper_id, entry.votes, entry.state) for entry in entries)
    return tuple(sorted(found, key=lambda mark: mark.paper_id))


def marked_servers(db: Database) -> list[int]:
    """The servers that have a subscription and acted on some paper."""
    found = rows(
        db,
        "SELECT DISTINCT guild_id FROM subscriptions WHERE removed_at IS NULL"
        " AND guild_id IN (SELECT guild_id FROM queue) ORDER BY guild_id",
    )
    return [int(row["guild_id"]) for row in found]


def newest(db: Database, limit: int) -> list[int]:
    """The numbers of the papers that came last, oldest of them first."""
    found = rows(
        db, "SELECT id FROM papers WHERE merged_into IS NULL ORDER BY id DESC LIMIT ?", [limit]
    )
    return [int(row["id"]) for row in reversed(found)]


def known_texts(db: Database, ids: Sequence[int]) -> list[KnownText]:
    """The papers of these numbers; those that are unknown or merged away are left out."""
    return [known_text(paper) for paper in load_papers(db, ids).values()]


def known_text(paper: Paper) -> KnownText:
    """What is learnt from of a paper."""
    return KnownText(
        paper_id=paper.id,
        title="" if paper.title_derived else paper.title,
        abstract=paper.abstract,
        authors=paper.authors,
        fields=(*paper.categories, *paper.topics),
    )


def voted_since(db: Database, guild_id: int, since: datetime) -> list[int]:
    """The papers that members voted for since a moment and still want, by number."""
    found = rows(
        db,
        "SELECT DISTINCT p.root_id FROM votes v JOIN papers p ON p.id = v.paper_id"
        " WHERE v.guild_id = ? AND v.active AND v.changed_at >= ? ORDER BY p.root_id",
        [guild_id, to_text(since)],
    )
    return [int(row["root_id"]) for row in found]


def seen_since(db: Database, since: datetime) -> list[int]:
    """The papers that came since a moment, by number."""
    found = rows(
        db,
        "SELECT id FROM papers WHERE merged_into IS NULL AND first_seen >= ? ORDER BY id",
        [to_text(since)],
    )
    return [int(row["id"]) for row in found]


def claim_week(db: Database, guild_id: int, week: str, now: datetime) -> bool:
    """Whether the note of a week is the caller's to post; true once for a server and week."""
    cursor = execute(
        db,
        "INSERT OR IGNORE INTO hindsights (guild_id, week, claimed_at) VALUES (?, ?, ?)",
        [guild_id, week, to_text(now)],
    )
    return cursor.rowcount == 1
