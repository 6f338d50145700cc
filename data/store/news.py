"""What became news since a slot, and how: announcements, late arrivals, revisions, withdrawals.

Papers and what happens to them are numbered in the order in which they are committed; a slot
covers a window of these numbers. Functions take the open `Database` and run on the store's thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Final

from data.records import AnnounceType
from data.store.connection import to_moment, to_text
from data.store.papers import resolve
from data.store.sql import CHUNK, execute, marks, rows

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlite_utils import Database

    from data.records import Paper, PaperRecord

_ANNOUNCING: Final = (AnnounceType.NEW, AnnounceType.CROSS_LIST)


def renew(db: Database, paper_id: int) -> int:
    """Makes a paper news from now on, under the next number of the papers' sequence.

    A slot that is planned already ends below that number. Returns it.
    """
    execute(db, "UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'papers'")
    number = int(rows(db, "SELECT seq FROM sqlite_sequence WHERE name = 'papers'")[0]["seq"])
    execute(db, "UPDATE papers SET news = ? WHERE id = ?", [number, paper_id])
    return number


def was_passed_over(db: Database, root: int) -> bool:
    """Whether a slot covered the number at which a paper was news, and its digest never held it."""
    return bool(
        rows(
            db,
            "SELECT 1 FROM papers r JOIN slots w ON w.after_paper < coalesce(r.news, r.id)"
            " AND w.upto_paper >= coalesce(r.news, r.id)"
            " JOIN subscriptions s ON s.id = w.subscription_id AND s.removed_at IS NULL"
            " AND s.after_paper < coalesce(r.news, r.id)"
            " WHERE r.id = ?"
            " AND NOT EXISTS (SELECT 1 FROM papers q JOIN posted o ON o.paper_id = q.id"
            " WHERE q.root_id = r.id AND o.subscription_id = s.id)"
            " AND NOT EXISTS (SELECT 1 FROM papers q JOIN left_out o ON o.paper_id = q.id"
            " WHERE q.root_id = r.id AND o.subscription_id = s.id) LIMIT 1",
            [root],
        )
    )


def renew_if_told_more(db: Database, before: Paper, record: PaperRecord) -> None:
    """Makes a known paper news again where an announcement tells what a filter may have missed.

    That is a category or topic that the paper had not, or its first abstract. Papers that were
    only learnt stay so. A subscription that posted the paper does not post it again.
    """
    if record.announce_type not in _ANNOUNCING:
        return
    named = {*before.categories, *before.topics}
    told = any(name not in named for name in (*record.categories, *record.topics))
    if not told and (before.abstract or not record.abstract):
        return
    root = resolve(db, before.id)
    learnt = rows(db, "SELECT news FROM papers WHERE id = ?", [root])
    if learnt and learnt[0]["news"] != 0:
        renew(db, root)


def mark_late(db: Database, *, after_sighting: int) -> None:
    """Notes that the sightings above a number came after their announcement had been read."""
    execute(db, "UPDATE sightings SET late = 1 WHERE id > ?", [after_sighting])


def last_sighting(db: Database, *, before: datetime | None = None) -> int:
    """The highest number of a sighting, or of those fetched before a moment; else 0."""
    where, params = ("", []) if before is None else (" WHERE fetched < ?", [to_text(before)])
    return int(rows(db, f"SELECT coalesce(max(id), 0) AS n FROM sightings{where}", params)[0]["n"])


def seen_by_source(db: Database, *, after: int, upto: int) -> dict[str, int]:
    """How many entries of each source said something new in a window of sightings."""
    found = rows(
        db,
        "SELECT source, count(*) AS n FROM sightings WHERE id > ? AND id <= ? GROUP BY source",
        [after, upto],
    )
    return {row["source"]: int(row["n"]) for row in found}


@dataclass(frozen=True, slots=True)
class Announcement:
    """How a paper was first told of within a window: by which source, and of which day.

    `late` where the source says so: it was found by looking back.
    """

    source: str
    announced: date | None
    fetched: datetime
    late: bool


def announcements(
    db: Database, papers: Sequence[int], *, after: int, upto: int
) -> dict[int, Announcement]:
    """The first announcement of each paper among the sightings numbered in (after, upto]."""
    found: dict[int, Announcement] = {}
    for start in range(0, len(papers), CHUNK):
        chunk = papers[start : start + CHUNK]
        for row in rows(
            db,
            "SELECT p.root_id, s.source, s.announced, s.fetched, s.late FROM papers p"
            " JOIN sightings s ON s.paper_id = p.id"
            f" WHERE p.root_id IN ({marks(len(chunk))}) AND s.id > ? AND s.id <= ?"
            f" AND s.announce_type IN ({marks(len(_ANNOUNCING))}) ORDER BY s.id",
            [*chunk, after, upto, *_ANNOUNCING],
        ):
            found.setdefault(
                int(row["root_id"]),
                Announcement(
                    source=row["source"],
                    announced=date.fromisoformat(row["announced"]) if row["announced"] else None,
                    fetched=to_moment(row["fetched"]),
                    late=bool(row["late"]),
                ),
            )
    return found


def days_read(db: Database, *, before: datetime) -> dict[str, date]:
    """The latest day of which each standing source's announcement had been read at a moment."""
    return {
        row["name"]: date.fromisoformat(row["day"])
        for row in rows(
            db,
            "SELECT s.name, max(o.day) AS day FROM source_outcomes o"
            " JOIN standing_sources s ON s.id = o.source_id"
            " WHERE o.outcome = 'announced' AND o.day IS NOT NULL AND o.first_at <= ?"
            " GROUP BY s.name",
            [to_text(before)],
        )
    }


@dataclass(frozen=True, slots=True)
class Revision:
    """A new version of a paper that was known, or its withdrawal."""

    paper_id: int
    version: int | None
    announced: date | None
    withdrawn: bool


def revisions(db: Database, papers: Collection[int], *, after: int, upto: int) -> list[Revision]:
    """What the sightings in (after, upto] revise of these papers, in the order of the papers.

    A version that an earlier sighting told of is no revision, nor is a second withdrawal.
    """
    told: dict[int, Revision] = {}
    wanted = sorted(papers)
    for start in range(0, len(wanted), CHUNK):
        chunk = wanted[start : start + CHUNK]
        known: dict[int, int] = {}
        gone: set[int] = set()
        for row in rows(
            db,
            "SELECT p.root_id, s.id, s.version, s.announced, s.announce_type FROM papers p"
            f" JOIN sightings s ON s.paper_id = p.id WHERE p.root_id IN ({marks(len(chunk))})"
            " AND s.id <= ? ORDER BY s.id",
            [*chunk, upto],
        ):
            paper, version = int(row["root_id"]), row["version"]
            kind = AnnounceType(row["announce_type"])
            newer = version is None or int(version) > known.get(paper, 0)
            replaced = kind not in {*_ANNOUNCING, AnnounceType.WITHDRAWN} and newer
            grown = version is not None and 0 < known.get(paper, 0) < int(version)
            withdrawn = kind is AnnounceType.WITHDRAWN and paper not in gone
            if int(row["id"]) > after and (replaced or grown or withdrawn):
                before = told.get(paper)
                told[paper] = Revision(
                    paper_id=paper,
                    version=int(version) if version else (before.version if before else None),
                    announced=date.fromisoformat(row["announced"]) if row["announced"] else None,
                    withdrawn=withdrawn or (before is not None and before.withdrawn),
                )
            if version is not None:
                known[paper] = max(known.get(paper, 0), int(version))
            if kind is AnnounceType.WITHDRAWN:
                gone.add(paper)
    return [told[paper] for paper in sorted(told)]


def concerned(db: Database, guild_id: int, subscription_id: int, *, after: int) -> list[int]:
    """Papers that a server voted for and that were sighted after a number.

    Those that other digests of the server posted, and this subscription did not, are theirs.
    """
    found = rows(
        db,
        "SELECT DISTINCT p.root_id FROM votes v JOIN papers p ON p.id = v.paper_id"
        " WHERE v.guild_id = :guild AND v.active"
        " AND EXISTS (SELECT 1 FROM papers q JOIN sightings s ON s.paper_id = q.id"
        " WHERE q.root_id = p.root_id AND s.id > :after)"
        " AND (EXISTS (SELECT 1 FROM papers q JOIN posted o ON o.paper_id = q.id"
        " WHERE q.root_id = p.root_id AND o.subscription_id = :number)"
        " OR NOT EXISTS (SELECT 1 FROM papers q JOIN posted o ON o.paper_id = q.id"
        " JOIN subscriptions s ON s.id = o.subscription_id WHERE q.root_id = p.root_id"
        " AND s.guild_id = :guild AND s.removed_at IS NULL)) ORDER BY p.root_id",
        {"guild": guild_id, "number": subscription_id, "after": after},
    )
    return [int(row["root_id"]) for row in found]


def news_number(db: Database, paper_id: int, *, first: int) -> int:
    """The number under which a paper is news for a subscription that began at `first`.

    0 for one that was only learnt. What was merged into it counts as `ledger.unposted` says.
    """
    found = rows(
        db,
        "SELECT max(coalesce(p.news, p.id)) AS n, min(coalesce(r.news, r.id)) AS own FROM papers p"
        " JOIN papers r ON r.id = p.root_id WHERE r.id = :paper AND (p.id = r.id OR r.id > :first)",
        {"paper": paper_id, "first": first},
    )
    own = int(found[0]["own"] or 0)
    return int(found[0]["n"]) if own else 0
