"""What one Discord server keeps: members' names, votes, the reading queue, tag corrections.

Every function takes the server's `guild_id`, and none reads another server's rows. Functions
take the open `Database` and run on the store's thread.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from data.store.connection import to_moment, to_text
from data.store.sql import CHUNK, execute, marks, rows

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime, timedelta

    from sqlite_utils import Database


class QueueState(StrEnum):
    """Where a paper stands in a server's reading queue."""

    QUEUED = "queued"
    READING = "reading"
    DISCUSSED = "discussed"
    DROPPED = "dropped"


OPEN_STATES: Final = (QueueState.QUEUED, QueueState.READING)


@dataclass(frozen=True, slots=True)
class Member:
    """A person in a server, by the name they last acted under."""

    id: int
    name: str


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """One paper in a server's queue; `voters` in the order of their votes."""

    paper_id: int
    state: QueueState
    reader: Member | None
    queued_at: datetime
    changed_at: datetime
    voters: tuple[Member, ...]

    @property
    def votes(self) -> int:
        """How many members want to read it."""
        return len(self.voters)


@dataclass(frozen=True, slots=True)
class QueueEvent:
    """One thing that happened to a paper in a server's queue."""

    member: Member
    event: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Correction:
    """A member's word on a paper's tag; `was` is what the paper showed before."""

    member: Member
    tag: str
    was: str
    at: datetime


def remember_member(db: Database, guild_id: int, member: Member) -> None:
    """Keeps the name under which a member acts, for lists and exports."""
    execute(
        db,
        "INSERT INTO members (guild_id, user_id, name) VALUES (?, ?, ?)"
        " ON CONFLICT(guild_id, user_id) DO UPDATE SET name = excluded.name",
        [guild_id, member.id, member.name],
    )


def toggle_vote(
    db: Database,
    guild_id: int,
    paper_id: int,
    member: Member,
    *,
    now: datetime,
    double_click: timedelta,
) -> bool:
    """Turns a member's vote on or off; returns whether it now stands.

    A second press within `double_click` of the first changes nothing.
    """
    remember_member(db, guild_id, member)
    key = [guild_id, paper_id, member.id]
    known = rows(
        db,
        "SELECT active, changed_at FROM votes WHERE guild_id = ? AND paper_id = ? AND user_id = ?",
        key,
    )
    active = bool(known and known[0]["active"])
    if known and now - to_moment(known[0]["changed_at"]) < double_click:
        return active
    execute(
        db,
        "INSERT INTO votes (guild_id, paper_id, user_id, active, changed_at) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT(guild_id, paper_id, user_id) DO UPDATE SET active = excluded.active,"
        " changed_at = excluded.changed_at",
        [*key, not active, to_text(now)],
    )
    _note(db, guild_id, paper_id, member, "unvoted" if active else "voted", now)
    if active:
        _leave_when_unwanted(db, guild_id, paper_id)
    else:
        _enter(db, guild_id, paper_id, now)
    return not active


def _enter(db: Database, guild_id: int, paper_id: int, now: datetime) -> None:
    """A voted paper is queued; a dropped one comes back; one being read or discussed stays."""
    execute(
        db,
        "INSERT INTO queue (guild_id, paper_id, state, queued_at, changed_at)"
        " VALUES (?, ?, 'queued', ?, ?) ON CONFLICT(guild_id, paper_id) DO UPDATE SET"
        " state = 'queued', reader_id = NULL, queued_at = excluded.queued_at,"
        " changed_at = excluded.changed_at WHERE queue.state = 'dropped'",
        [guild_id, paper_id, to_text(now), to_text(now)],
    )


def _leave_when_unwanted(db: Database, guild_id: int, paper_id: int) -> None:
    execute(
        db,
        "DELETE FROM queue WHERE guild_id = ? AND paper_id = ? AND state = 'queued'"
        " AND reader_id IS NULL AND NOT EXISTS (SELECT 1 FROM votes v WHERE"
        " v.guild_id = queue.guild_id AND v.paper_id = queue.paper_id AND v.active)",
        [guild_id, paper_id],
    )


def set_queue_state(
    db: Database,
    guild_id: int,
    paper_id: int,
    *,
    state: QueueState,
    reader: Member | None,
    by: Member,
    event: str,
    now: datetime,
) -> None:
    """Puts a paper into a state of the queue, in place of the one it had, and notes who did."""
    remember_member(db, guild_id, by)
    execute(
        db,
        "INSERT INTO queue (guild_id, paper_id, state, reader_id, queued_at, changed_at)"
        " VALUES (:guild, :paper, :state, :reader, :now, :now)"
        " ON CONFLICT(guild_id, paper_id) DO UPDATE SET state = excluded.state,"
        " reader_id = excluded.reader_id, changed_at = excluded.changed_at",
        {
            "guild": guild_id,
            "paper": paper_id,
            "state": state.value,
            "reader": reader.id if reader else None,
            "now": to_text(now),
        },
    )
    _note(db, guild_id, paper_id, by, event, now)


def _note(
    db: Database, guild_id: int, paper_id: int, member: Member, event: str, now: datetime
) -> None:
    execute(
        db,
        "INSERT INTO queue_history (guild_id, paper_id, user_id, event, at) VALUES (?, ?, ?, ?, ?)",
        [guild_id, paper_id, member.id, event, to_text(now)],
    )


def queue_entries(
    db: Database, guild_id: int, states: Iterable[QueueState] = OPEN_STATES
) -> list[QueueEntry]:
    """The server's queue in reading order: most votes first, then the longest waiting."""
    wanted = [state.value for state in states]
    found = rows(
        db,
        "SELECT q.*, m.name AS reader_name FROM queue q LEFT JOIN members m"
        " ON m.guild_id = q.guild_id AND m.user_id = q.reader_id"
        f" WHERE q.guild_id = ? AND q.state IN ({marks(len(wanted))})"
        " ORDER BY q.queued_at, q.paper_id",
        [guild_id, *wanted],
    )
    votes = voters(db, guild_id, [int(row["paper_id"]) for row in found])
    entries = [
        QueueEntry(
            paper_id=int(row["paper_id"]),
            state=QueueState(row["state"]),
            reader=_member(row["reader_id"], row["reader_name"]) if row["reader_id"] else None,
            queued_at=to_moment(row["queued_at"]),
            changed_at=to_moment(row["changed_at"]),
            voters=votes[int(row["paper_id"])],
        )
        for row in found
    ]
    return sorted(entries, key=lambda entry: -entry.votes)


def queue_entry(db: Database, guild_id: int, paper_id: int) -> QueueEntry | None:
    """Where one paper stands in the server's queue, or None where it is in no state."""
    every = tuple(QueueState)
    return next(
        (entry for entry in queue_entries(db, guild_id, every) if entry.paper_id == paper_id), None
    )


def queue_counts(db: Database, guild_id: int) -> dict[QueueState, int]:
    """How many papers stand in each state."""
    found = rows(
        db, "SELECT state, count(*) AS n FROM queue WHERE guild_id = ? GROUP BY state", [guild_id]
    )
    counted = {QueueState(row["state"]): int(row["n"]) for row in found}
    return {state: counted.get(state, 0) for state in QueueState}


def voters(db: Database, guild_id: int, paper_ids: Iterable[int]) -> dict[int, tuple[Member, ...]]:
    """Who voted for each paper, in the order of their votes; empty for papers without votes."""
    ids = list(dict.fromkeys(paper_ids))
    found: dict[int, list[Member]] = defaultdict(list)
    for start in range(0, len(ids), CHUNK):
        chunk = ids[start : start + CHUNK]
        for row in rows(
            db,
            "SELECT v.paper_id, v.user_id, m.name FROM votes v LEFT JOIN members m"
            " ON m.guild_id = v.guild_id AND m.user_id = v.user_id"
            f" WHERE v.guild_id = ? AND v.active AND v.paper_id IN ({marks(len(chunk))})"
            " ORDER BY v.changed_at, v.user_id",
            [guild_id, *chunk],
        ):
            found[int(row["paper_id"])].append(_member(row["user_id"], row["name"]))
    return {paper_id: tuple(found[paper_id]) for paper_id in ids}


def queue_events(db: Database, guild_id: int, paper_id: int) -> list[QueueEvent]:
    """What happened to a paper in the server's queue, oldest first."""
    return [
        QueueEvent(_member(row["user_id"], row["name"]), row["event"], to_moment(row["at"]))
        for row in rows(
            db,
            "SELECT h.*, m.name FROM queue_history h LEFT JOIN members m"
            " ON m.guild_id = h.guild_id AND m.user_id = h.user_id"
            " WHERE h.guild_id = ? AND h.paper_id = ? ORDER BY h.id",
            [guild_id, paper_id],
        )
    ]


def add_correction(
    db: Database, guild_id: int, paper_id: int, member: Member, *, tag: str, was: str, now: datetime
) -> None:
    """Stores a member's word on a paper's tag; their latest word counts."""
    remember_member(db, guild_id, member)
    execute(
        db,
        "INSERT INTO corrections (guild_id, paper_id, user_id, tag, was, at)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        [guild_id, paper_id, member.id, tag, was, to_text(now)],
    )


def corrections_of(db: Database, guild_id: int, paper_id: int) -> list[Correction]:
    """Each member's latest word on a paper's tag, oldest first."""
    return [
        Correction(
            _member(row["user_id"], row["name"]), row["tag"], row["was"], to_moment(row["at"])
        )
        for row in rows(
            db,
            "SELECT c.*, m.name FROM corrections c LEFT JOIN members m"
            " ON m.guild_id = c.guild_id AND m.user_id = c.user_id"
            " WHERE c.guild_id = ? AND c.paper_id = ? AND c.id IN (SELECT max(id) FROM corrections"
            " WHERE guild_id = c.guild_id AND paper_id = c.paper_id GROUP BY user_id)"
            " ORDER BY c.id",
            [guild_id, paper_id],
        )
    ]


def corrected_tags(db: Database, guild_id: int) -> dict[int, str]:
    """The tag that the server's members settled on, for each corrected paper.

    Each member's latest word is one voice; the majority shows, and of equals the latest.
    """
    voices: dict[int, list[str]] = defaultdict(list)
    for row in rows(
        db,
        "SELECT paper_id, tag FROM corrections WHERE guild_id = ? AND id IN"
        " (SELECT max(id) FROM corrections WHERE guild_id = ? GROUP BY paper_id, user_id)"
        " ORDER BY id DESC",
        [guild_id, guild_id],
    ):
        voices[int(row["paper_id"])].append(str(row["tag"]))
    # Counter keeps first-met order among equals, and the latest was met first.
    return {paper_id: Counter(tags).most_common(1)[0][0] for paper_id, tags in voices.items()}


def save_search(db: Database, key: str, guild_id: int, payload: str, now: datetime) -> None:
    """Keeps a search under a short key, so that its buttons work after a restart."""
    execute(
        db,
        "INSERT INTO searches (key, guild_id, payload, at) VALUES (?, ?, ?, ?)"
        " ON CONFLICT(key) DO UPDATE SET at = excluded.at",
        [key, guild_id, payload, to_text(now)],
    )


def load_search(db: Database, key: str, guild_id: int) -> str | None:
    """The search kept under a key by this server, or None."""
    found = rows(db, "SELECT payload FROM searches WHERE key = ? AND guild_id = ?", [key, guild_id])
    return str(found[0]["payload"]) if found else None


def _member(user_id: int, name: str | None) -> Member:
    return Member(int(user_id), name or f"member {user_id}")
