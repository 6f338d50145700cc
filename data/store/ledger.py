"""The ledger of digests: planning a slot, taking it back, and what is due or was left out.

The papers of a slot enter the ledger when it is planned, so nothing that is on its way can be
planned a second time. Functions take the open `Database` and run on the store's thread.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from data.store import digests as digest_rows
from data.store.connection import to_text
from data.store.sql import execute, execute_many, rows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlite_utils import Database

    from data.store.digests import Slot, SubscriptionOrder


def plan_slot(
    db: Database,
    slot: Slot,
    parts: Sequence[Sequence[int]],
    left_out: Sequence[int] = (),
    *,
    order: SubscriptionOrder | None = None,
) -> bool:
    """Writes a slot and its papers into the ledger; False where the slot was there already.

    `left_out` are the papers that matched but for which there was no room, best first. With the
    `order` by which it was put together, False also where that is not what stands by now.
    """
    if order is not None and digest_rows.standing_order(db, slot.subscription_id) != order:
        return False
    day = slot.local_date.isoformat()
    cursor = execute(
        db,
        "INSERT OR IGNORE INTO slots (subscription_id, local_date, due_at, planned_at, state,"
        " after_paper, upto_paper, total, parts, after_sighting, upto_sighting, since,"
        " learnt_from, number)"
        " VALUES (?, ?, ?, ?, 'planned', ?, ?, ?, ?, ?, ?, ?, ?,"
        " (SELECT coalesce(max(number), 0) + 1 FROM slots WHERE subscription_id = ?))",
        [
            slot.subscription_id,
            day,
            to_text(slot.due_at),
            to_text(slot.planned_at),
            slot.after,
            slot.upto,
            slot.total,
            slot.parts,
            slot.after_sighting,
            slot.upto_sighting,
            to_text(slot.since) if slot.since else None,
            slot.learnt_from,
            slot.subscription_id,
        ],
    )
    if cursor.rowcount != 1:
        return False
    execute_many(
        db,
        "INSERT INTO posted (subscription_id, paper_id, local_date, part, place)"
        " VALUES (?, ?, ?, ?, ?)",
        [
            (slot.subscription_id, paper_id, day, part, place)
            for part, papers in enumerate(parts)
            for place, paper_id in enumerate(papers)
        ],
    )
    execute_many(
        db,
        "INSERT INTO slot_parts (subscription_id, local_date, part) VALUES (?, ?, ?)",
        [(slot.subscription_id, day, part) for part in range(slot.parts)],
    )
    execute_many(
        db,
        "INSERT OR REPLACE INTO left_out (subscription_id, paper_id, local_date, place)"
        " VALUES (?, ?, ?, ?)",
        [(slot.subscription_id, paper, day, place) for place, paper in enumerate(left_out)],
    )
    return True


def unplan_slot(db: Database, slot: Slot) -> bool:
    """Takes back a slot of which no message was ever sent; its papers are due again.

    False where a message of it stands in the channel. Whoever calls knows that none does that
    the ledger doesn't know of.
    """
    key = [slot.subscription_id, slot.local_date.isoformat()]
    standing = rows(
        db,
        "SELECT 1 FROM slot_parts WHERE subscription_id = ? AND local_date = ?"
        " AND message_id IS NOT NULL LIMIT 1",
        key,
    )
    if standing:
        return False
    for table in ("posted", "left_out", "slot_parts", "slots"):
        execute(db, f"DELETE FROM {table} WHERE subscription_id = ? AND local_date = ?", key)
    return True


def follow_merges(db: Database, slot: Slot) -> None:
    """Brings what a slot has yet to post level with the merges since it was planned.

    What was merged into a paper that it, or another slot, shows already is taken out; the rest goes
    by the number that stands for it, under which it is shown. What stands in the channel stays. A
    split makes what no slot showed news again, and then it is due.
    """
    unsent = (
        " o.subscription_id = :number AND o.local_date = :day"
        " AND NOT EXISTS (SELECT 1 FROM slot_parts s WHERE s.subscription_id = :number"
        " AND s.local_date = :day AND s.part = o.part AND s.message_id IS NOT NULL)"
    )
    values = {"number": slot.subscription_id, "day": slot.local_date.isoformat()}
    execute(
        db,
        f"DELETE FROM posted AS o WHERE {unsent}"
        " AND EXISTS (SELECT 1 FROM papers p JOIN papers q ON q.root_id = p.root_id"
        " JOIN posted x ON x.paper_id = q.id AND x.subscription_id = :number"
        " WHERE p.id = o.paper_id AND (x.local_date != :day"
        " OR (x.part, x.place) < (o.part, o.place)))",
        values,
    )
    execute(
        db,
        "UPDATE OR IGNORE posted AS o"
        " SET paper_id = (SELECT p.root_id FROM papers p WHERE p.id = o.paper_id)"
        f" WHERE {unsent}",
        values,
    )


def note_anchor(db: Database, slot: Slot, anchor: int | None) -> None:
    """Remembers a message that the channel held before any of the slot's was sent."""
    execute(
        db,
        "UPDATE slots SET anchor = ? WHERE subscription_id = ? AND local_date = ?"
        " AND state = 'planned'",
        [anchor, slot.subscription_id, slot.local_date.isoformat()],
    )


def unposted(
    db: Database,
    subscription_id: int,
    *,
    after: int,
    upto: int,
    first: int = 0,
    day: date | None = None,
) -> list[int]:
    """Papers that became news in (after, upto] and that no other slot of a subscription held.

    A paper is news under its own number, or under the one at which it became news again: when it
    got an announcement that told of a new category, or stood alone again after a split. A copy
    that was merged into a paper makes it news again, so that a filter can see what the copy said,
    but not where the paper is older than `first`, where the subscription began. `news` is 0 for
    papers that a source's first reading only learnt. A slot held a paper when it posted it, or
    any paper of its group, or left it out for its length; the slot of `day` does not count.
    """
    return [
        int(row["root_id"])
        for row in rows(
            db,
            "SELECT DISTINCT p.root_id FROM papers p JOIN papers r ON r.id = p.root_id"
            " WHERE coalesce(p.news, p.id) > :after AND coalesce(p.news, p.id) <= :upto"
            " AND coalesce(r.news, r.id) != 0 AND (p.id = r.id OR r.id > :first)"
            " AND NOT EXISTS (SELECT 1 FROM papers q JOIN posted o ON o.paper_id = q.id"
            " WHERE q.root_id = r.id AND o.subscription_id = :number"
            " AND o.local_date != :day)"
            " AND NOT EXISTS (SELECT 1 FROM papers q JOIN left_out o ON o.paper_id = q.id"
            " WHERE q.root_id = r.id AND o.subscription_id = :number"
            " AND o.local_date != :day) ORDER BY p.root_id",
            {
                "after": after,
                "upto": upto,
                "first": first,
                "number": subscription_id,
                "day": day.isoformat() if day else "",
            },
        )
    ]


def left_out_of(db: Database, slot: Slot) -> list[int]:
    """The papers that matched a slot but were left out for its length, best first."""
    found = rows(
        db,
        "SELECT p.root_id FROM left_out o JOIN papers p ON p.id = o.paper_id"
        " WHERE o.subscription_id = ? AND o.local_date = ? ORDER BY o.place",
        [slot.subscription_id, slot.local_date.isoformat()],
    )
    return [int(row["root_id"]) for row in found]


def left_out_on(db: Database, subscription_id: int, paper_id: int) -> date | None:
    """The day of the slot that left a paper out for its length, or None."""
    found = rows(
        db,
        "SELECT o.local_date FROM left_out o JOIN papers p ON p.id = o.paper_id"
        " WHERE o.subscription_id = ? AND p.root_id = ? ORDER BY o.local_date DESC LIMIT 1",
        [subscription_id, paper_id],
    )
    return date.fromisoformat(found[0]["local_date"]) if found else None


def last_paper(db: Database, *, seen_before: datetime | None = None) -> int:
    """The highest number that any paper had or became news at; 0 in an empty library.

    With `seen_before`, the highest of the papers first seen before that moment.
    """
    if seen_before is None:
        found = rows(db, "SELECT seq AS n FROM sqlite_sequence WHERE name = 'papers'")
    else:
        found = rows(
            db,
            "SELECT coalesce(max(id), 0) AS n FROM papers WHERE first_seen < ?",
            [to_text(seen_before)],
        )
    return int(found[0]["n"]) if found else 0
