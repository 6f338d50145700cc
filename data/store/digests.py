"""Subscriptions and their slots; which papers a slot holds is in `data.store.ledger`.

A slot goes planned → sending → sent. Functions take the open `Database` and run on the store's
thread.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date, datetime, time
from enum import StrEnum
from typing import TYPE_CHECKING, cast

from data.store.connection import to_moment, to_text
from data.store.sql import Row, execute, rows

if TYPE_CHECKING:
    from sqlite_utils import Database


class SlotState(StrEnum):
    """How far a slot's posting has come."""

    PLANNED = "planned"
    SENDING = "sending"
    SENT = "sent"


@dataclass(frozen=True, slots=True)
class DigestFilter:
    """What a subscription lets through; an empty part lets everything through.

    `tags` and `topics` each match when any of them does; `query` is in the language of search.
    """

    tags: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    query: str = ""


@dataclass(frozen=True, slots=True)
class SubscriptionOrder:
    """What a member asks for: a channel, when, and which papers.

    `days` are 0 (Monday) to 6; `at` is local to the IANA zone `zone`; `maximum` is the most
    papers that one digest shows. `quiet_line` asks for a line on days without papers; with
    `in_thread`, all but the first message go into a thread.
    """

    channel_id: int
    at: time
    zone: str
    days: frozenset[int]
    filter: DigestFilter
    maximum: int
    quiet_line: bool = True
    in_thread: bool = False


@dataclass(frozen=True, slots=True)
class Subscription:
    """A channel's standing order for a digest.

    Its first digest begins after the paper numbered `after`. No slot from before `timed_at` is
    posted; it is when the order was made, or its hours changed.
    """

    id: int
    guild_id: int
    order: SubscriptionOrder
    created_by: int
    created_at: datetime
    after: int
    paused: bool
    problem: str | None
    timed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Slot:
    """One due digest: the papers numbered above `after` and up to `upto` that match.

    Papers are numbered as they are committed, so no paper can slip in below `upto` once the slot
    is planned; a time would let through one whose listing was being read just then. `total` is
    how many matched; the ledger holds those that are shown. `parts` is the number of messages.
    The sightings numbered above `after_sighting` and up to `upto_sighting` are those since the
    slot before, and `since` is when that one was planned; None for a subscription's first.
    `number` counts the slots of a subscription in the order in which they were planned. `anchor`
    is a message of the channel that is older than all of the slot's own. `channel_id` is where
    they began to go, None until then, and `in_thread` whether into a thread of it as well.
    `learnt_from` is how many wanted papers its order was learnt from, 0 where it was not learnt,
    None where nobody wrote it down.
    """

    subscription_id: int
    local_date: date
    due_at: datetime
    planned_at: datetime
    state: SlotState
    after: int
    upto: int
    total: int
    parts: int
    after_sighting: int = 0
    upto_sighting: int = 0
    since: datetime | None = None
    number: int = 0
    anchor: int | None = None
    channel_id: int | None = None
    in_thread: bool = False
    learnt_from: int | None = None


@dataclass(frozen=True, slots=True)
class Posting:
    """Where a paper was posted, or will be: `posted_at` is None until it stands in the channel."""

    subscription_id: int
    channel_id: int
    local_date: date
    message_id: int | None
    posted_at: datetime | None


def add_subscription(
    db: Database,
    guild_id: int,
    order: SubscriptionOrder,
    *,
    created_by: int,
    now: datetime,
    after: int,
) -> int:
    """Stores a standing order and returns its number."""
    cursor = execute(
        db,
        "INSERT INTO subscriptions (guild_id, channel_id, created_by, created_at, after_paper,"
        " local_time, zone, days, tags, topics, query, maximum, quiet_line, in_thread)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            guild_id,
            order.channel_id,
            created_by,
            to_text(now),
            after,
            order.at.strftime("%H:%M"),
            order.zone,
            json.dumps(sorted(order.days)),
            json.dumps(order.filter.tags),
            json.dumps(order.filter.topics),
            order.filter.query,
            order.maximum,
            order.quiet_line,
            order.in_thread,
        ],
    )
    return cast("int", cursor.lastrowid)


def subscriptions(db: Database, guild_id: int | None = None) -> list[Subscription]:
    """The standing orders of one server, or of all; removed ones are left out."""
    where, params = ("", []) if guild_id is None else (" AND guild_id = ?", [guild_id])
    return [
        _subscription(row)
        for row in rows(
            db,
            f"SELECT * FROM subscriptions WHERE removed_at IS NULL{where} ORDER BY id",
            params,
        )
    ]


def standing_order(db: Database, subscription_id: int) -> SubscriptionOrder | None:
    """What a subscription orders now; None where it was removed or is paused."""
    found = rows(
        db,
        "SELECT * FROM subscriptions WHERE id = ? AND removed_at IS NULL AND NOT paused",
        [subscription_id],
    )
    return _subscription(found[0]).order if found else None


def _subscription(row: Row) -> Subscription:
    return Subscription(
        id=int(row["id"]),
        guild_id=int(row["guild_id"]),
        order=SubscriptionOrder(
            channel_id=int(row["channel_id"]),
            at=time.fromisoformat(row["local_time"]),
            zone=row["zone"],
            days=frozenset(json.loads(row["days"])),
            filter=DigestFilter(
                tags=tuple(json.loads(row["tags"])),
                topics=tuple(json.loads(row["topics"])),
                query=row["query"],
            ),
            maximum=int(row["maximum"]),
            quiet_line=bool(row["quiet_line"]),
            in_thread=bool(row["in_thread"]),
        ),
        created_by=int(row["created_by"]),
        created_at=to_moment(row["created_at"]),
        after=int(row["after_paper"]),
        paused=bool(row["paused"]),
        problem=row["problem"],
        timed_at=to_moment(row["timed_at"] or row["created_at"]),
    )


def set_paused(db: Database, guild_id: int, subscription_id: int, *, paused: bool) -> None:
    """Stops a standing order for a while, or lets it go on."""
    execute(
        db,
        "UPDATE subscriptions SET paused = ? WHERE id = ? AND guild_id = ?",
        [paused, subscription_id, guild_id],
    )


def remove_subscription(
    db: Database, guild_id: int, subscription_id: int, *, now: datetime
) -> None:
    """Ends a standing order; its ledger stays, for the papers' histories."""
    execute(
        db,
        "UPDATE subscriptions SET removed_at = ? WHERE id = ? AND guild_id = ?",
        [to_text(now), subscription_id, guild_id],
    )


def open_slot(db: Database, subscription_id: int) -> Slot | None:
    """The slot that was planned but is not yet sent, or None; there is at most one."""
    found = rows(
        db,
        "SELECT * FROM slots WHERE subscription_id = ? AND state != 'sent'"
        " ORDER BY local_date LIMIT 1",
        [subscription_id],
    )
    return _slot(found[0]) if found else None


def last_sent_slot(db: Database, subscription_id: int) -> Slot | None:
    """The slot that was planned last of those that were sent, or None."""
    found = rows(
        db,
        "SELECT * FROM slots WHERE subscription_id = ? AND state = 'sent'"
        " ORDER BY number DESC LIMIT 1",
        [subscription_id],
    )
    return _slot(found[0]) if found else None


def slot_due_between(
    db: Database, subscription_id: int, first: datetime, last: datetime
) -> Slot | None:
    """A slot whose moment lies in [first, last], whatever its state, or None."""
    found = rows(
        db,
        "SELECT * FROM slots WHERE subscription_id = ? AND due_at >= ? AND due_at <= ?"
        " ORDER BY due_at DESC LIMIT 1",
        [subscription_id, to_text(first), to_text(last)],
    )
    return _slot(found[0]) if found else None


def days_of_slots(db: Database, subscription_id: int, *, after: datetime) -> list[date]:
    """The local dates of the slots whose moment is after a given one, earliest first."""
    found = rows(
        db,
        "SELECT local_date FROM slots WHERE subscription_id = ? AND due_at > ? ORDER BY local_date",
        [subscription_id, to_text(after)],
    )
    return [date.fromisoformat(row["local_date"]) for row in found]


def begin_no_later(db: Database, subscription_id: int, moment: datetime) -> None:
    """Mends a subscription that was made while the clock was ahead."""
    execute(
        db,
        "UPDATE subscriptions SET created_at = ? WHERE id = ? AND created_at > ?",
        [to_text(moment), subscription_id, to_text(moment)],
    )


def slot_of(db: Database, subscription_id: int, local_date: date) -> Slot | None:
    """The slot of a subscription on a local date, or None."""
    found = rows(
        db,
        "SELECT * FROM slots WHERE subscription_id = ? AND local_date = ?",
        [subscription_id, local_date.isoformat()],
    )
    return _slot(found[0]) if found else None


def _slot(row: Row) -> Slot:
    return Slot(
        subscription_id=int(row["subscription_id"]),
        local_date=date.fromisoformat(row["local_date"]),
        due_at=to_moment(row["due_at"]),
        planned_at=to_moment(row["planned_at"]),
        state=SlotState(row["state"]),
        after=int(row["after_paper"]),
        upto=int(row["upto_paper"]),
        total=int(row["total"]),
        parts=int(row["parts"]),
        after_sighting=int(row["after_sighting"]),
        upto_sighting=int(row["upto_sighting"]),
        since=to_moment(row["since"]) if row["since"] else None,
        number=int(row["number"]),
        anchor=row["anchor"],
        channel_id=row["channel_id"],
        in_thread=bool(row["in_thread"]),
        learnt_from=row["learnt_from"],
    )


def mark_sending(db: Database, slot: Slot, channel_id: int, *, in_thread: bool = False) -> bool:
    """From here on the channel, or a thread of it, may hold some of the slot's messages.

    False where the slot was taken back meanwhile, or its order paused or removed before anything
    was sent: then nothing may go out.
    """
    cursor = execute(
        db,
        "UPDATE slots SET state = 'sending', channel_id = ?, in_thread = max(in_thread, ?)"
        " WHERE subscription_id = ? AND local_date = ? AND number = ? AND state = ?"
        " AND (state = 'sending' OR EXISTS (SELECT 1 FROM subscriptions s"
        " WHERE s.id = subscription_id AND s.removed_at IS NULL AND NOT s.paused))",
        [
            channel_id,
            in_thread,
            slot.subscription_id,
            slot.local_date.isoformat(),
            slot.number,
            slot.state.value,
        ],
    )
    return cursor.rowcount == 1


def mark_part(db: Database, slot: Slot, part: int, place: tuple[int, int], now: datetime) -> None:
    """Notes that one message of a slot stands in its place: a channel or thread, and its id."""
    key = [slot.subscription_id, slot.local_date.isoformat(), part]
    execute(
        db,
        "UPDATE slot_parts SET channel_id = ?, message_id = ? WHERE subscription_id = ?"
        " AND local_date = ? AND part = ?",
        [*place, *key],
    )
    execute(
        db,
        "UPDATE posted SET posted_at = ? WHERE subscription_id = ? AND local_date = ? AND part = ?",
        [to_text(now), *key],
    )


def mark_sent(db: Database, slot: Slot, now: datetime) -> None:
    """Closes a slot: all of its messages stand in the channel."""
    execute(
        db,
        "UPDATE slots SET state = 'sent', sent_at = ? WHERE subscription_id = ? AND local_date = ?",
        [to_text(now), slot.subscription_id, slot.local_date.isoformat()],
    )


def slot_parts(db: Database, slot: Slot) -> list[tuple[int | None, tuple[int, ...]]]:
    """For each message of a slot: its id where it stands in the channel, and its papers.

    A paper that was merged away meanwhile goes by the number that stands for it.
    """
    key = [slot.subscription_id, slot.local_date.isoformat()]
    papers: dict[int, list[int]] = {}
    for row in rows(
        db,
        "SELECT o.part, p.root_id FROM posted o JOIN papers p ON p.id = o.paper_id"
        " WHERE o.subscription_id = ? AND o.local_date = ? ORDER BY o.part, o.place",
        key,
    ):
        papers.setdefault(int(row["part"]), []).append(int(row["root_id"]))
    return [
        (row["message_id"], tuple(papers.get(int(row["part"]), ())))
        for row in rows(
            db,
            "SELECT part, message_id FROM slot_parts WHERE subscription_id = ? AND local_date = ?"
            " ORDER BY part",
            key,
        )
    ]


def postings_of(db: Database, guild_id: int, paper_id: int) -> list[Posting]:
    """Where this server's digests posted a paper, oldest first."""
    return [
        Posting(
            subscription_id=int(row["subscription_id"]),
            channel_id=int(row["channel_id"]),
            local_date=date.fromisoformat(row["local_date"]),
            message_id=row["message_id"],
            posted_at=to_moment(row["posted_at"]) if row["posted_at"] else None,
        )
        for row in rows(
            db,
            "SELECT p.*, coalesce(sp.channel_id, s.channel_id) AS channel_id, sp.message_id"
            " FROM posted p"
            " JOIN subscriptions s ON s.id = p.subscription_id"
            " LEFT JOIN slot_parts sp ON sp.subscription_id = p.subscription_id"
            " AND sp.local_date = p.local_date AND sp.part = p.part"
            " JOIN papers o ON o.id = p.paper_id"
            " WHERE s.guild_id = ? AND o.root_id = ? ORDER BY p.local_date, p.subscription_id",
            [guild_id, paper_id],
        )
    ]


@dataclass(frozen=True, slots=True)
class SourceReading:
    """How a source's last reading went."""

    name: str
    read_at: datetime
    announced: date | None
    read: int
    new: int


def sources_read(db: Database) -> list[SourceReading]:
    """Every source that was ever read, latest reading first."""
    return [
        SourceReading(
            name=row["name"],
            read_at=to_moment(row["last_read"]),
            announced=date.fromisoformat(row["last_announced"]) if row["last_announced"] else None,
            read=int(row["last_read_count"]),
            new=int(row["last_new_count"]),
        )
        for row in rows(db, "SELECT * FROM sources ORDER BY last_read DESC, name")
    ]
