"""Drafts of standing orders, changes of those that stand, and what keeps them from posting.

Functions take the open `Database` and run on the store's thread.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING, Any, Final

from data.store import digests as digest_rows
from data.store import ledger
from data.store.connection import to_moment, to_text
from data.store.digests import DigestFilter, SlotState, SubscriptionOrder
from data.store.sql import Row, execute, rows

if TYPE_CHECKING:
    from datetime import date

    from sqlite_utils import Database

    from data.store.digests import Slot

# Discord lets a private message be changed for a quarter of an hour after each press.
DRAFTS_KEPT: Final = timedelta(days=7)
# Who began to tell of a problem and said nothing for so long has died over it.
TELLING: Final = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Draft:
    """An order that a member looks at before saving it.

    `edits` is the subscription that it changes, None for a new one; `as_manager` tells that the
    member had Manage Server when they began. `saved_as` is what it became, and `was` the order that
    it would change, as the member saw it.
    """

    key: str
    guild_id: int
    user_id: int
    edits: int | None
    order: SubscriptionOrder
    as_manager: bool
    saved_as: int | None = None
    was: SubscriptionOrder | None = None


@dataclass(frozen=True, slots=True)
class Trouble:
    """A subscription that cannot be posted, or not as it was ordered, and why."""

    subscription_id: int
    guild_id: int
    channel_id: int
    problem: str


@dataclass(frozen=True, slots=True)
class Arrival:
    """When a paper came: the day that a source announced it, if one did, and when it was seen.

    `learnt` where a source's first reading brought it, which is no news.
    """

    paper_id: int
    announced: date | None
    seen: datetime
    learnt: bool


def keep_draft(db: Database, draft: Draft, now: datetime) -> None:
    """Keeps a draft in place of what stood under its key; drafts of long ago go."""
    execute(db, "DELETE FROM drafts WHERE made_at < ?", [to_text(now - DRAFTS_KEPT)])
    execute(
        db,
        "INSERT INTO drafts (key, guild_id, user_id, edits, payload, as_manager, made_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT(key) DO UPDATE SET payload = excluded.payload WHERE saved_as IS NULL",
        [
            draft.key,
            draft.guild_id,
            draft.user_id,
            draft.edits,
            json.dumps(_written(draft.order) | ({"was": _written(draft.was)} if draft.was else {})),
            draft.as_manager,
            to_text(now),
        ],
    )


def draft_of(db: Database, guild_id: int, user_id: int, key: str) -> Draft | None:
    """The draft that a member of a server keeps under a key, or None."""
    found = rows(
        db,
        "SELECT * FROM drafts WHERE key = ? AND guild_id = ? AND user_id = ?",
        [key, guild_id, user_id],
    )
    return _draft(found[0]) if found else None


def drop_draft(db: Database, guild_id: int, user_id: int, key: str) -> None:
    """Forgets a draft that was not saved."""
    execute(
        db,
        "DELETE FROM drafts WHERE key = ? AND guild_id = ? AND user_id = ? AND saved_as IS NULL",
        [key, guild_id, user_id],
    )


def save_draft(db: Database, draft: Draft, *, now: datetime, after: int) -> int:
    """Makes the order of a draft stand, once, and returns the subscription's number.

    `after` is the paper after which the first digest of a new one begins.
    """
    known = draft_of(db, draft.guild_id, draft.user_id, draft.key)
    if known is not None and known.saved_as is not None:
        return known.saved_as
    if draft.edits is None:
        number = digest_rows.add_subscription(
            db, draft.guild_id, draft.order, created_by=draft.user_id, now=now, after=after
        )
    else:
        number = draft.edits
        change_order(db, draft.guild_id, number, draft.order, now=now)
    execute(db, "UPDATE drafts SET saved_as = ? WHERE key = ?", [number, draft.key])
    return number


def change_order(
    db: Database, guild_id: int, subscription_id: int, order: SubscriptionOrder, *, now: datetime
) -> None:
    """Puts another order in the place of a subscription's; what was posted stays posted.

    What was planned by the order before, and not yet begun to be sent, is due again.
    """
    slot = digest_rows.open_slot(db, subscription_id)
    if slot is not None and slot.state is SlotState.PLANNED:
        ledger.unplan_slot(db, slot)
    execute(
        db,
        "UPDATE subscriptions SET timed_at = CASE WHEN local_time = :at AND zone = :zone"
        " AND days = :days THEN timed_at ELSE :now END, channel_id = :channel, local_time = :at,"
        " zone = :zone, days = :days, tags = :tags, topics = :topics, query = :query,"
        " maximum = :maximum, quiet_line = :quiet_line, in_thread = :in_thread, problem = NULL,"
        " problem_telling_at = NULL, problem_told_at = NULL"
        " WHERE id = :id AND guild_id = :guild AND removed_at IS NULL",
        {
            "id": subscription_id,
            "guild": guild_id,
            "now": to_text(now),
            "channel": order.channel_id,
            "at": order.at.strftime("%H:%M"),
            "zone": order.zone,
            "days": json.dumps(sorted(order.days)),
            "tags": json.dumps(order.filter.tags),
            "topics": json.dumps(order.filter.topics),
            "query": order.filter.query,
            "maximum": order.maximum,
            "quiet_line": order.quiet_line,
            "in_thread": order.in_thread,
        },
    )


def set_problem(db: Database, subscription_id: int, problem: str | None) -> bool:
    """Notes why a digest cannot be posted, or that it can; True where that is news."""
    before = rows(db, "SELECT problem FROM subscriptions WHERE id = ?", [subscription_id])
    if not before or before[0]["problem"] == problem:
        return False
    execute(
        db,
        "UPDATE subscriptions SET problem = ?, problem_telling_at = NULL, problem_told_at = NULL"
        " WHERE id = ?",
        [problem, subscription_id],
    )
    return True


def claim_untold(db: Database, guild_id: int, now: datetime) -> list[Trouble]:
    """The problems of a server of which nobody was told yet, for the caller to tell.

    Nobody else gets them until `told` or `not_told` is called, or the caller is taken for dead.
    """
    found = [
        Trouble(int(row["id"]), guild_id, int(row["channel_id"]), str(row["problem"]))
        for row in rows(
            db,
            "SELECT id, channel_id, problem FROM subscriptions WHERE guild_id = ?"
            " AND removed_at IS NULL AND problem IS NOT NULL AND problem_told_at IS NULL"
            " AND coalesce(problem_telling_at, '') < ? ORDER BY id",
            [guild_id, to_text(now - TELLING)],
        )
    ]
    for trouble in found:
        execute(
            db,
            "UPDATE subscriptions SET problem_telling_at = ? WHERE id = ?",
            [to_text(now), trouble.subscription_id],
        )
    return found


def has_untold(db: Database, guild_id: int) -> bool:
    """Whether a server has problems of which nobody was told yet."""
    return bool(
        rows(
            db,
            "SELECT 1 FROM subscriptions WHERE guild_id = ? AND removed_at IS NULL"
            " AND problem IS NOT NULL AND problem_told_at IS NULL LIMIT 1",
            [guild_id],
        )
    )


def told(db: Database, trouble: Trouble, now: datetime) -> None:
    """Notes that somebody who can mend it heard of a problem, unless it is another by now."""
    execute(
        db,
        "UPDATE subscriptions SET problem_told_at = ? WHERE id = ? AND problem = ?",
        [to_text(now), trouble.subscription_id, trouble.problem],
    )


def not_told(db: Database, trouble: Trouble) -> None:
    """Notes that a problem could not be told, so that it is tried again."""
    execute(
        db,
        "UPDATE subscriptions SET problem_telling_at = NULL WHERE id = ?",
        [trouble.subscription_id],
    )


def places(db: Database, slot: Slot) -> dict[int, tuple[int, int]]:
    """Where the messages of a slot stand, by part: the channel or thread, and the message."""
    return {
        int(row["part"]): (int(row["channel_id"]), int(row["message_id"]))
        for row in rows(
            db,
            "SELECT part, channel_id, message_id FROM slot_parts WHERE subscription_id = ?"
            " AND local_date = ? AND message_id IS NOT NULL AND channel_id IS NOT NULL",
            [slot.subscription_id, slot.local_date.isoformat()],
        )
    }


def arrivals(db: Database, since: datetime) -> list[Arrival]:
    """The papers announced on or after a moment's day, and those seen since that nobody announced.

    What a source held when it was read for the first time counts as well.
    """
    day = since.date().isoformat()
    return [
        Arrival(
            int(row["id"]),
            datetime.fromisoformat(row["announced"]).date() if row["announced"] else None,
            to_moment(row["first_seen"]),
            row["news"] == 0,
        )
        for row in rows(
            db,
            "SELECT id, announced, first_seen, news FROM papers WHERE merged_into IS NULL"
            " AND first_seen >= ? AND (announced IS NULL OR announced >= ?) ORDER BY id",
            [to_text(since), day],
        )
    ]


def _written(order: SubscriptionOrder) -> dict[str, object]:
    return {
        "channel": order.channel_id,
        "at": order.at.strftime("%H:%M"),
        "zone": order.zone,
        "days": sorted(order.days),
        "tags": order.filter.tags,
        "topics": order.filter.topics,
        "query": order.filter.query,
        "maximum": order.maximum,
        "quiet_line": order.quiet_line,
        "in_thread": order.in_thread,
    }


def _read(written: dict[str, Any]) -> SubscriptionOrder:
    return SubscriptionOrder(
        channel_id=written["channel"],
        at=time.fromisoformat(written["at"]),
        zone=written["zone"],
        days=frozenset(written["days"]),
        filter=DigestFilter(
            tags=tuple(written["tags"]),
            topics=tuple(written["topics"]),
            query=written["query"],
        ),
        maximum=written["maximum"],
        quiet_line=written["quiet_line"],
        in_thread=written["in_thread"],
    )


def _draft(row: Row) -> Draft:
    written = json.loads(row["payload"])
    return Draft(
        key=row["key"],
        guild_id=int(row["guild_id"]),
        user_id=int(row["user_id"]),
        edits=row["edits"],
        order=_read(written),
        as_manager=bool(row["as_manager"]),
        saved_as=row["saved_as"],
        # Drafts of before this was written down have none.
        was=_read(written["was"]) if "was" in written else None,
    )
