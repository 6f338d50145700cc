"""Papers that are one work: joining them, and taking them apart again.

A merge moves nothing. The papers of a group keep their rows, their votes and their identifiers;
`papers.root_id` names the one that stands for all, and readings go by it. A split resets it, so
nothing that happened before or since is lost or lands on the wrong paper. Functions take the open
`Database` and run on the store's thread, inside one transaction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data.store.connection import to_moment, to_text
from data.store.news import renew, was_passed_over
from data.store.papers import last_change, resolve
from data.store.sql import execute, rows

if TYPE_CHECKING:
    from datetime import datetime

    from sqlite_utils import Database

AUTOMATIC = "papertriage"


@dataclass(frozen=True, slots=True)
class Merge:
    """One joining of two papers: who or what did it, why, and whether it was taken back."""

    kept_id: int
    gone_id: int
    reason: str
    by: str
    at: datetime
    split_by: str | None
    split_at: datetime | None


@dataclass(frozen=True, slots=True)
class Link:
    """Another paper that belongs with one without being the same, why, and since when."""

    paper_id: int
    reason: str
    at: datetime


def group_of(db: Database, root_id: int) -> list[int]:
    """All numbers for which a paper stands, its own first."""
    found = rows(db, "SELECT id FROM papers WHERE root_id = ? ORDER BY id", [root_id])
    others = [int(row["id"]) for row in found if int(row["id"]) != root_id]
    return [root_id, *others]


def merge(db: Database, one: int, other: int, *, reason: str, by: str, now: datetime) -> int:
    """Joins the groups of two papers; the older number stands for them. Returns it.

    Does nothing where they are joined already.
    """
    roots = sorted({resolve(db, one), resolve(db, other)})
    if len(roots) == 1:
        return roots[0]
    kept, gone = roots
    execute(
        db,
        "INSERT INTO merges (kept_id, gone_id, reason, by, at) VALUES (?, ?, ?, ?, ?)",
        [kept, gone, reason, by, to_text(now)],
    )
    execute(
        db,
        "DELETE FROM kept_apart WHERE (paper_id = ? AND other_id = ?)"
        " OR (paper_id = ? AND other_id = ?)",
        [kept, gone, gone, kept],
    )
    execute(db, "UPDATE papers SET merged_into = ? WHERE id = ?", [kept, gone])
    _regroup(db, gone, kept)
    return kept


def split(db: Database, paper_id: int, *, by: str, now: datetime) -> int | None:
    """Takes a merged paper out of its group, with whatever had been merged into it before.

    `paper_id` is a number that was merged away, or one that stands for a group: then the latest
    merge is taken back. Returns the number that stands on its own again, or None where nothing
    was merged. The two are remembered as kept apart, and no reading joins them again by itself.
    """
    gone = paper_id
    if resolve(db, paper_id) == paper_id:
        latest = rows(
            db,
            "SELECT gone_id FROM merges WHERE kept_id = ? AND split_at IS NULL"
            " ORDER BY id DESC LIMIT 1",
            [paper_id],
        )
        if not latest:
            return None
        gone = int(latest[0]["gone_id"])
    parent = rows(db, "SELECT merged_into, root_id FROM papers WHERE id = ?", [gone])
    if not parent or parent[0]["merged_into"] is None:
        return None
    kept = int(parent[0]["merged_into"])
    execute(db, "UPDATE papers SET merged_into = NULL WHERE id = ?", [gone])
    execute(
        db,
        "UPDATE merges SET split_by = ?, split_at = ?"
        " WHERE kept_id = ? AND gone_id = ? AND split_at IS NULL",
        [by, to_text(now), kept, gone],
    )
    old_root = int(parent[0]["root_id"])
    _regroup(db, gone, gone)
    for one, two in ((old_root, gone), (gone, old_root)):
        execute(db, "INSERT OR IGNORE INTO kept_apart VALUES (?, ?)", [one, two])
    # A digest may have passed either over as a copy of the other.
    if rows(db, "SELECT 1 FROM papers WHERE id = ? AND coalesce(news, id) != 0", [gone]):
        renew(db, gone)
    if was_passed_over(db, old_root):
        renew(db, old_root)
    _touch(db, old_root)
    return gone


def kept_apart(db: Database, one: int, other: int) -> bool:
    """Whether somebody split these two papers, or the groups they belong to."""
    found = rows(
        db,
        "SELECT 1 FROM kept_apart k JOIN papers a ON a.id = k.paper_id"
        " JOIN papers b ON b.id = k.other_id WHERE a.root_id = ? AND b.root_id = ? LIMIT 1",
        [resolve(db, one), resolve(db, other)],
    )
    return bool(found)


def relate(db: Database, one: int, other: int, *, reason: str, now: datetime) -> None:
    """Notes that two papers belong together without being one; once is enough."""
    if one == other:
        return
    execute(
        db,
        "INSERT OR IGNORE INTO relations (paper_id, other_id, reason, at) VALUES (?, ?, ?, ?)",
        [min(one, other), max(one, other), reason, to_text(now)],
    )


def related(db: Database, paper_id: int) -> list[Link]:
    """Papers that belong with this one, such as its workshop version; oldest number first.

    A relation follows its papers into their groups. Between papers of one group there is none,
    until a split takes them apart again.
    """
    root = resolve(db, paper_id)
    found = rows(
        db,
        "SELECT b.root_id AS other, r.reason, r.at FROM relations r"
        " JOIN papers a ON a.id = r.paper_id JOIN papers b ON b.id = r.other_id"
        " WHERE a.root_id = :root AND b.root_id != :root"
        " UNION ALL SELECT a.root_id, r.reason, r.at FROM relations r"
        " JOIN papers a ON a.id = r.paper_id JOIN papers b ON b.id = r.other_id"
        " WHERE b.root_id = :root AND a.root_id != :root ORDER BY 1, 3",
        {"root": root},
    )
    links: dict[int, Link] = {}
    for row in found:
        link = Link(int(row["other"]), row["reason"], to_moment(row["at"]))
        links.setdefault(link.paper_id, link)
    return list(links.values())


def merges_of(db: Database, root_id: int) -> list[Merge]:
    """Every merge of a paper's group, also those taken back, oldest first."""
    return [
        Merge(
            kept_id=int(row["kept_id"]),
            gone_id=int(row["gone_id"]),
            reason=row["reason"],
            by=row["by"],
            at=to_moment(row["at"]),
            split_by=row["split_by"],
            split_at=to_moment(row["split_at"]) if row["split_at"] else None,
        )
        for row in rows(
            db,
            "SELECT DISTINCT m.* FROM merges m JOIN papers p ON p.id IN (m.kept_id, m.gone_id)"
            " WHERE p.root_id = ? ORDER BY m.id",
            [root_id],
        )
    ]


def _regroup(db: Database, top: int, root_id: int) -> None:
    """Gives a paper and all that was ever merged into it a new root."""
    subtree = rows(
        db,
        "WITH RECURSIVE below(id) AS (SELECT ? UNION SELECT p.id FROM papers p"
        " JOIN below b ON p.merged_into = b.id) SELECT id FROM below",
        [top],
    )
    for row in subtree:
        execute(db, "UPDATE papers SET root_id = ? WHERE id = ?", [root_id, row["id"]])
        _touch(db, int(row["id"]))
    _touch(db, root_id)


def _touch(db: Database, paper_id: int) -> None:
    execute(db, "UPDATE papers SET changed = ? WHERE id = ?", [last_change(db) + 1, paper_id])
