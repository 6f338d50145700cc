"""What a server's interest is learnt from: the papers it acted on, and the library around them.

Functions take the open `Database` and run on the store's thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data.store.connection import to_moment, to_text
from data.store.papers import load_papers
from data.store.servers import QueueState, queue_entries
from data.store.sql import CHUNK, execute, marks, rows

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


def voted_between(db: Database, guild_id: int, since: datetime, until: datetime) -> list[int]:
    """The papers that members voted for in [since, until] and still want, by number."""
    found = rows(
        db,
        "SELECT DISTINCT p.root_id FROM votes v JOIN papers p ON p.id = v.paper_id"
        " WHERE v.guild_id = ? AND v.active AND v.changed_at >= ? AND v.changed_at <= ?"
        " ORDER BY p.root_id",
        [guild_id, to_text(since), to_text(until)],
    )
    return [int(row["root_id"]) for row in found]


def news_to(db: Database, guild_id: int, papers: Sequence[int]) -> dict[int, frozenset[int]]:
    """For each of these papers, the server's subscriptions to which it was news, by number.

    Papers that a digest of the server posted, planned, or left out for its length are not in it.
    """
    orders = [
        (int(row["id"]), int(row["after_paper"]))
        for row in rows(
            db,
            "SELECT id, after_paper FROM subscriptions WHERE guild_id = ? AND removed_at IS NULL",
            [guild_id],
        )
    ]
    wanted = sorted(set(papers) - _held(db, guild_id, papers))
    found: dict[int, frozenset[int]] = {}
    for start in range(0, len(wanted), CHUNK):
        chunk = wanted[start : start + CHUNK]
        for row in rows(
            db,
            "SELECT r.id, coalesce(r.news, r.id) AS own, max(coalesce(p.news, p.id)) AS best"
            f" FROM papers r JOIN papers p ON p.root_id = r.id WHERE r.id IN ({marks(len(chunk))})"
            " AND coalesce(r.news, r.id) != 0 GROUP BY r.id",
            chunk,
        ):
            paper, own, best = int(row["id"]), int(row["own"]), int(row["best"])
            # As `news.news_number`: a copy makes no paper news that is older than the digest.
            found[paper] = frozenset(
                number for number, first in orders if (best if paper > first else own) > first
            )
    return found


def _held(db: Database, guild_id: int, papers: Sequence[int]) -> set[int]:
    """Those of the papers that some slot of a server holds, removed digests included."""
    held: set[int] = set()
    for start in range(0, len(papers), CHUNK):
        chunk = papers[start : start + CHUNK]
        for table in ("posted", "left_out"):
            found = rows(
                db,
                f"SELECT DISTINCT p.root_id FROM papers p JOIN {table} o ON o.paper_id = p.id"
                " JOIN subscriptions s ON s.id = o.subscription_id"
                f" WHERE p.root_id IN ({marks(len(chunk))}) AND s.guild_id = ?",
                [*chunk, guild_id],
            )
            held |= {int(row["root_id"]) for row in found}
    return held


def seen_since(db: Database, since: datetime) -> list[int]:
    """The papers that came since a moment, by number."""
    found = rows(
        db,
        "SELECT id FROM papers WHERE merged_into IS NULL AND first_seen >= ? ORDER BY id",
        [to_text(since)],
    )
    return [int(row["id"]) for row in found]


@dataclass(frozen=True, slots=True)
class PlannedNote:
    """A weekly note that is to be posted; `begun` where a run before may have posted it."""

    channel_id: int
    planned_at: datetime
    begun: bool


def plan_note(
    db: Database, guild_id: int, week: str, channel_id: int, now: datetime
) -> PlannedNote | None:
    """Writes down that a week's note goes to a channel; None where it is settled already.

    A note that was planned before stays planned for its own channel.
    """
    cursor = execute(
        db,
        "INSERT OR IGNORE INTO hindsights (guild_id, week, channel_id, planned_at)"
        " VALUES (?, ?, ?, ?)",
        [guild_id, week, channel_id, to_text(now)],
    )
    if cursor.rowcount == 1:
        return PlannedNote(channel_id, now, begun=False)
    found = rows(
        db,
        "SELECT channel_id, planned_at FROM hindsights WHERE guild_id = ? AND week = ?"
        " AND settled_at IS NULL",
        [guild_id, week],
    )
    if not found:
        return None
    row = found[0]
    return PlannedNote(int(row["channel_id"]), to_moment(row["planned_at"]), begun=True)


def settle_note(db: Database, guild_id: int, week: str, now: datetime) -> None:
    """Notes that a week's note stands in its channel, or that there is nothing to post."""
    execute(
        db,
        "UPDATE hindsights SET settled_at = ? WHERE guild_id = ? AND week = ?",
        [to_text(now), guild_id, week],
    )
