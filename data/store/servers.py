"""What one Discord server keeps: members' names, votes, the reading queue.

Every function takes the server's `guild_id`, and none reads another server's rows. Functions
take the open `Database` and run on the store's thread.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from data.store.connection import to_moment, to_text
from data.store.sql import CHUNK, Row, execute, marks, rows

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
    known = rows(
        db,
        "SELECT max(v.active) AS active, max(v.changed_at) AS changed_at FROM votes v"
        " JOIN papers p ON p.id = v.paper_id"
        " WHERE v.guild_id = ? AND p.root_id = ? AND v.user_id = ?",
        [guild_id, paper_id, member.id],
    )[0]
    active = bool(known["active"])
    if known["changed_at"] and now - to_moment(known["changed_at"]) < double_click:
        return active
    execute(
        db,
        "INSERT INTO votes (guild_id, paper_id, user_id, active, changed_at) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT(guild_id, paper_id, user_id) DO UPDATE SET active = excluded.active,"
        " changed_at = excluded.changed_at",
        [guild_id, paper_id, member.id, not active, to_text(now)],
    )
    _note(db, guild_id, paper_id, member, "unvoted" if active else "voted", now)
    if active:
        _withdraw_from_members(db, guild_id, paper_id, member, now)
        _leave_when_unwanted(db, guild_id, paper_id)
    else:
        _enter(db, guild_id, paper_id, now)
    return not active


def _withdraw_from_members(
    db: Database, guild_id: int, root_id: int, member: Member, now: datetime
) -> None:
    """A vote that was given to any paper of the group is taken back from all of them."""
    execute(
        db,
        "UPDATE votes SET active = 0, changed_at = ? WHERE guild_id = ? AND user_id = ? AND active"
        " AND paper_id IN (SELECT id FROM papers WHERE root_id = ?)",
        [to_text(now), guild_id, member.id, root_id],
    )


def _enter(db: Database, guild_id: int, paper_id: int, now: datetime) -> None:
    """A voted paper is queued; a dropped one comes back; one being read or discussed stays."""
    entry = queue_entry(db, guild_id, paper_id)
    if entry is None or entry.state is QueueState.DROPPED:
        execute(
            db,
            "INSERT OR REPLACE INTO queue (guild_id, paper_id, state, queued_at, changed_at)"
            " VALUES (?, ?, 'queued', ?, ?)",
            [guild_id, paper_id, to_text(now), to_text(now)],
        )


def _leave_when_unwanted(db: Database, guild_id: int, paper_id: int) -> None:
    execute(
        db,
        "DELETE FROM queue WHERE guild_id = :guild AND state = 'queued' AND reader_id IS NULL"
        " AND paper_id IN (SELECT id FROM papers WHERE root_id = :root)"
        " AND NOT EXISTS (SELECT 1 FROM votes v JOIN papers p ON p.id = v.paper_id"
        " WHERE v.guild_id = :guild AND p.root_id = :root AND v.active)",
        {"guild": guild_id, "root": paper_id},
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
    wanted = set(states)
    entries = [entry for entry in _listed(db, guild_id) if entry.state in wanted]
    return sorted(entries, key=lambda entry: (-entry.votes, entry.queued_at, entry.paper_id))


def queue_entry(db: Database, guild_id: int, paper_id: int) -> QueueEntry | None:
    """Where one paper stands in the server's queue, or None where it is in no state."""
    found = _entries(db, guild_id, paper_id)
    return found[0] if found else None


def _entries(db: Database, guild_id: int, root_id: int | None) -> list[QueueEntry]:
    """One entry for each paper: of the rows of its group the last changed one speaks."""
    where, params = (
        ("", [guild_id]) if root_id is None else (" AND p.root_id = ?", [guild_id, root_id])
    )
    latest: dict[int, Row] = {}
    since: dict[int, str] = {}
    for row in rows(
        db,
        "SELECT q.*, p.root_id, m.name AS reader_name FROM queue q"
        " JOIN papers p ON p.id = q.paper_id LEFT JOIN members m"
        " ON m.guild_id = q.guild_id AND m.user_id = q.reader_id"
        f" WHERE q.guild_id = ?{where} ORDER BY q.changed_at",
        params,
    ):
        root = int(row["root_id"])
        latest[root] = row
        since[root] = min(since.get(root, row["queued_at"]), row["queued_at"])
    votes = voters(db, guild_id, latest)
    return [
        QueueEntry(
            paper_id=root,
            state=QueueState(row["state"]),
            reader=member_of(row["reader_id"], row["reader_name"]) if row["reader_id"] else None,
            queued_at=to_moment(since[root]),
            changed_at=to_moment(row["changed_at"]),
            voters=votes[root],
        )
        for root, row in latest.items()
    ]


def _listed(db: Database, guild_id: int) -> list[QueueEntry]:
    """The entries that somebody wants: a split can leave one behind that nobody voted for."""
    return [
        entry
        for entry in _entries(db, guild_id, None)
        if entry.state is not QueueState.QUEUED or entry.reader or entry.votes
    ]


def queue_counts(db: Database, guild_id: int) -> dict[QueueState, int]:
    """How many papers stand in each state."""
    counted = Counter(entry.state for entry in _listed(db, guild_id))
    return {state: counted[state] for state in QueueState}


def voters(db: Database, guild_id: int, paper_ids: Iterable[int]) -> dict[int, tuple[Member, ...]]:
    """Who voted for each paper, in the order of their votes; empty for papers without votes."""
    ids = list(dict.fromkeys(paper_ids))
    found: dict[int, dict[int, Member]] = defaultdict(dict)
    for start in range(0, len(ids), CHUNK):
        chunk = ids[start : start + CHUNK]
        for row in rows(
            db,
            "SELECT p.root_id, v.user_id, m.name FROM votes v JOIN papers p ON p.id = v.paper_id"
            " LEFT JOIN members m ON m.guild_id = v.guild_id AND m.user_id = v.user_id"
            f" WHERE v.guild_id = ? AND v.active AND p.root_id IN ({marks(len(chunk))})"
            " ORDER BY v.changed_at, v.user_id",
            [guild_id, *chunk],
        ):
            member = member_of(row["user_id"], row["name"])
            found[int(row["root_id"])].setdefault(member.id, member)
    return {paper_id: tuple(found[paper_id].values()) for paper_id in ids}


def vote_counts(db: Database, guild_id: int) -> dict[int, int]:
    """How many members of a server voted for each paper that anybody voted for."""
    found = rows(
        db,
        "SELECT p.root_id AS paper, COUNT(DISTINCT v.user_id) AS votes FROM votes v"
        " JOIN papers p ON p.id = v.paper_id WHERE v.guild_id = ? AND v.active GROUP BY p.root_id",
        [guild_id],
    )
    return {int(row["paper"]): int(row["votes"]) for row in found}


def queue_events(db: Database, guild_id: int, paper_id: int) -> list[QueueEvent]:
    """What happened to a paper in the server's queue, oldest first."""
    return [
        QueueEvent(member_of(row["user_id"], row["name"]), row["event"], to_moment(row["at"]))
        for row in rows(
            db,
            "SELECT h.*, m.name FROM queue_history h LEFT JOIN members m"
            " ON m.guild_id = h.guild_id AND m.user_id = h.user_id"
            " JOIN papers p ON p.id = h.paper_id"
            " WHERE h.guild_id = ? AND p.root_id = ? ORDER BY h.id",
            [guild_id, paper_id],
        )
    ]


@dataclass(frozen=True, slots=True)
class KeptSearch:
    """A search that was made, and when it was last noted down."""

    payload: str
    at: datetime


def save_search(
    db: Database, key: str, guild_id: int, payload: str, now: datetime, keep: timedelta
) -> None:
    """Keeps a search under a short key, so that its buttons work after a restart.

    Searches that nobody made for as long as `keep` are forgotten.
    """
    execute(db, "DELETE FROM searches WHERE at < ?", [to_text(now - keep)])
    execute(
        db,
        "INSERT INTO searches (key, guild_id, payload, at) VALUES (?, ?, ?, ?)"
        " ON CONFLICT(key) DO UPDATE SET at = excluded.at",
        [key, guild_id, payload, to_text(now)],
    )


def load_search(db: Database, key: str, guild_id: int) -> KeptSearch | None:
    """The search kept under a key by this server, or None."""
    found = rows(
        db, "SELECT payload, at FROM searches WHERE key = ? AND guild_id = ?", [key, guild_id]
    )
    return KeptSearch(str(found[0]["payload"]), to_moment(str(found[0]["at"]))) if found else None


def member_of(user_id: int, name: str | None) -> Member:
    """A member by id, with the name they last acted under where one is known."""
    return Member(int(user_id), name or f"member {user_id}")
