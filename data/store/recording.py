"""Putting records into the library: finding the paper a record speaks of, and writing it.

Every function takes the open `Database` and runs on the store's thread, inside one transaction.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, cast

from data.headings import derive_heading
from data.identity import (
    abstract_fingerprint,
    author_key,
    near_duplicate_bands,
    similarity,
    title_key,
)
from data.records import AnnounceType, Identifiers, PaperRecord
from data.store.connection import to_text
from data.store.merging import AUTOMATIC, kept_apart, merge
from data.store.papers import last_change, load_alone, resolve
from data.store.sql import execute, execute_many, marks, rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from sqlite_utils import Database

Outcome = Literal["new", "updated", "merged", "unchanged"]

# Shared runs of three words, out of all. Copies of an abstract with edits, other TeX or a tenth
# cut off stay above it in 999 of 1,000 cases; two papers on one subject stay far below.
SAME_ABSTRACT: Final = 0.65
# Fewer words than this ("Withdrawn.", "See the full paper.") are shared by papers that differ.
FEWEST_WORDS: Final = 12
# Below this, two abstracts under one title by one first author tell of two versions of the work.
OTHER_ABSTRACT: Final = 0.2


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a record comes from: the source's name, the listing (file, address), and when."""

    source: str
    listing: str
    fetched: datetime


@dataclass(frozen=True, slots=True)
class Stored:
    """What became of one record: the paper it belongs to, and what it changed."""

    paper_id: int
    outcome: Outcome


def store_record(db: Database, record: PaperRecord, provenance: Provenance) -> Stored:
    """Puts one record into the library: a new paper, or one more sighting of a known one."""
    digest = record_digest(record)
    seen = rows(
        db,
        "SELECT paper_id FROM sightings WHERE source = ? AND digest = ?",
        [provenance.source, digest],
    )
    if seen:
        return Stored(resolve(db, int(seen[0]["paper_id"])), "unchanged")
    owners = _owners(db, record.identifiers)
    known = owners[0] if owners else None
    if known is not None:
        elsewhere = not rows(
            db,
            "SELECT 1 FROM sightings s JOIN papers p ON p.id = s.paper_id"
            " WHERE p.root_id = ? AND s.source = ? LIMIT 1",
            [resolve(db, known), provenance.source],
        )
        changed = _complete(db, known, record)
        paper_id = known
        outcome: Outcome = "merged" if elsewhere else ("updated" if changed else "unchanged")
        _join_owners(db, owners, provenance)
    else:
        mark = Signature.of(record.abstract)
        likeness = match(db, record, mark)
        paper_id = _insert(db, record, mark, provenance)
        outcome = "new"
        if likeness is not None:
            # A paper of its own under the other's roof, so that a split can undo the likeness.
            merge(
                db,
                likeness.paper_id,
                paper_id,
                reason=likeness.reason,
                by=AUTOMATIC,
                now=provenance.fetched,
            )
            outcome = "merged"
    execute(
        db,
        "INSERT INTO sightings (paper_id, source, listing, position, fetched, announced, version,"
        " announce_type, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            paper_id,
            provenance.source,
            provenance.listing,
            record.position,
            to_text(provenance.fetched),
            record.announced.isoformat() if record.announced else None,
            record.version,
            record.announce_type.value,
            digest,
        ],
    )
    return Stored(resolve(db, paper_id), outcome)


def record_digest(record: PaperRecord) -> str:
    """A key of everything a record says, apart from its place in the file."""
    parts = [
        record.title or "",
        record.abstract,
        *record.authors,
        *(f"{scheme}:{value}" for scheme, value in record.identifiers.pairs()),
        *record.topics,
        *record.categories,
        str(record.venue),
        str(record.comment),
        str(record.version),
        str(record.announced),
        record.announce_type.value,
    ]
    return hashlib.blake2b("\x1f".join(parts).encode(), digest_size=16).hexdigest()


def _owners(db: Database, identifiers: Identifiers) -> list[int]:
    """The numbers that have one of these identifiers, that of the strongest first."""
    found = [
        int(row["paper_id"])
        for scheme, value in identifiers.pairs()
        for row in rows(
            db, "SELECT paper_id FROM identifiers WHERE scheme = ? AND value = ?", [scheme, value]
        )
    ]
    return list(dict.fromkeys(found))


def _join_owners(db: Database, owners: list[int], provenance: Provenance) -> None:
    """One record that names the identifiers of several papers says that they are one."""
    for other in owners[1:]:
        ids = load_alone(db, other).identifiers
        if not _ids_disagree(db, owners[0], ids) and not kept_apart(db, owners[0], other):
            merge(
                db,
                owners[0],
                other,
                reason=f"{provenance.listing} names both",
                by=AUTOMATIC,
                now=provenance.fetched,
            )


@dataclass(frozen=True, slots=True)
class Likeness:
    """A paper that a record without its identifiers speaks of, and by what it was told."""

    paper_id: int
    reason: str


@dataclass(frozen=True, slots=True)
class Signature:
    """What an abstract is recognised by; empty where it is too short to tell a paper."""

    fingerprint: str | None
    bands: tuple[int, ...]

    @classmethod
    def of(cls, abstract: str) -> Signature:
        """The signature of an abstract."""
        if len(abstract.split()) < FEWEST_WORDS:
            return cls(None, ())
        return cls(abstract_fingerprint(abstract) or None, near_duplicate_bands(abstract))


def match(db: Database, record: PaperRecord, mark: Signature) -> Likeness | None:
    """The paper that a record speaks of by its words, or None for a new one.

    The abstract decides where the titles agree or one is missing; an abstract that is word for
    word the same also outlives a new title by the same first author. Else title and first author
    together do, unless both abstracts are there and differ. Two ids of one scheme that differ
    always keep two papers apart.
    """
    for paper_id, same_text in _alike(db, record.abstract, mark):
        if not _ids_disagree(db, paper_id, record.identifiers) and (
            _titles_agree(db, paper_id, record)
            or (same_text and _authors_agree(db, paper_id, record))
        ):
            return Likeness(paper_id, "the same abstract")
    if record.title and record.authors:
        for found in rows(
            db,
            "SELECT id, abstract FROM papers WHERE title_key = ? AND title_derived = 0 ORDER BY id",
            [title_key(record.title)],
        ):
            paper_id = int(found["id"])
            if (
                _authors_agree(db, paper_id, record)
                and not _abstracts_differ(record.abstract, str(found["abstract"]))
                and not _ids_disagree(db, paper_id, record.identifiers)
            ):
                return Likeness(paper_id, "the same title and first author")
    return None


def _abstracts_differ(one: str, other: str) -> bool:
    """Whether both are whole abstracts with little in common: a workshop and a journal version."""
    if min(len(one.split()), len(other.split())) < FEWEST_WORDS:
        return False
    return similarity(one, other) < OTHER_ABSTRACT


def _titles_agree(db: Database, paper_id: int, record: PaperRecord) -> bool:
    """Whether nothing in the titles tells the two apart: one has none, or they are the same."""
    if not record.title:
        return True
    known = rows(db, "SELECT title_key, title_derived FROM papers WHERE id = ?", [paper_id])[0]
    return bool(known["title_derived"]) or known["title_key"] == title_key(record.title)


def _authors_agree(db: Database, paper_id: int, record: PaperRecord) -> bool:
    """Whether both name the same first author."""
    known = rows(db, "SELECT name FROM authors WHERE paper_id = ? AND place = 0", [paper_id])
    if not known or not record.authors:
        return False
    return author_key(str(known[0]["name"])) == author_key(record.authors[0])


def _alike(db: Database, abstract: str, mark: Signature) -> Iterator[tuple[int, bool]]:
    """Papers whose abstract is the same text (True), then those where it is nearly so (False)."""
    if mark.fingerprint is None:
        return
    same = rows(db, "SELECT id FROM papers WHERE fingerprint = ? ORDER BY id", [mark.fingerprint])
    yield from ((int(found["id"]), True) for found in same)
    near = rows(
        db,
        "SELECT DISTINCT p.id, p.abstract FROM abstract_bands b JOIN papers p ON p.id = b.paper_id"
        f" WHERE b.band IN ({marks(len(mark.bands))}) ORDER BY p.id",
        mark.bands,
    )
    for found in near:
        if similarity(abstract, str(found["abstract"])) >= SAME_ABSTRACT:
            yield int(found["id"]), False


def _ids_disagree(db: Database, paper_id: int, identifiers: Identifiers) -> bool:
    """Whether both have an id of one scheme and the ids differ: two works, however alike."""
    known = {
        str(row["scheme"]): str(row["value"])
        for row in rows(
            db,
            "SELECT i.scheme, i.value FROM identifiers i JOIN papers p ON p.id = i.paper_id"
            " WHERE p.root_id = ?",
            [resolve(db, paper_id)],
        )
    }
    return any(
        scheme != "url" and known.get(scheme, value) != value
        for scheme, value in identifiers.pairs()
    )


def _insert(db: Database, record: PaperRecord, mark: Signature, provenance: Provenance) -> int:
    title, derived = _heading(record)
    cursor = execute(
        db,
        "INSERT INTO papers (title, title_derived, title_key, abstract, fingerprint, categories,"
        " venue, comment, published, updated, announced, first_seen, withdrawn, changed)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            title,
            derived,
            "" if derived else title_key(title),
            record.abstract,
            mark.fingerprint,
            json.dumps(record.categories),
            record.venue,
            record.comment,
            to_text(record.published) if record.published else None,
            to_text(record.updated) if record.updated else None,
            record.announced.isoformat() if record.announced else None,
            to_text(provenance.fetched),
            record.announce_type is AnnounceType.WITHDRAWN,
            last_change(db) + 1,
        ],
    )
    paper_id = cast("int", cursor.lastrowid)
    execute(db, "UPDATE papers SET root_id = id WHERE id = ?", [paper_id])
    _add_names(db, paper_id, record, with_authors=True)
    _index_abstract(db, paper_id, mark)
    return paper_id


def _index_abstract(db: Database, paper_id: int, mark: Signature) -> None:
    execute(db, "DELETE FROM abstract_bands WHERE paper_id = ?", [paper_id])
    execute_many(
        db,
        "INSERT OR IGNORE INTO abstract_bands (band, paper_id) VALUES (?, ?)",
        [(band, paper_id) for band in mark.bands],
    )


def _heading(record: PaperRecord) -> tuple[str, bool]:
    if record.title:
        return record.title, False
    return derive_heading(record.abstract), True


def _add_names(db: Database, paper_id: int, record: PaperRecord, *, with_authors: bool) -> None:
    if with_authors:
        execute_many(
            db,
            "INSERT INTO authors (paper_id, place, name) VALUES (?, ?, ?)",
            [(paper_id, place, name) for place, name in enumerate(record.authors)],
        )
    execute_many(
        db,
        "INSERT OR IGNORE INTO topics (paper_id, topic) VALUES (?, ?)",
        [(paper_id, topic) for topic in record.topics],
    )
    execute_many(
        db,
        "INSERT OR IGNORE INTO identifiers (scheme, value, paper_id) VALUES (?, ?, ?)",
        [(scheme, value, paper_id) for scheme, value in record.identifiers.pairs()],
    )


def _complete(db: Database, paper_id: int, record: PaperRecord) -> bool:
    """Fills what the paper lacks from a record; says whether anything changed.

    A real title takes the place of a derived one, a longer abstract that of a shorter, a newer
    version's text that of an older; everything else only fills gaps.
    """
    before = load_alone(db, paper_id)
    newer = _is_newer(db, paper_id, record)
    change: dict[str, object] = {}
    if record.title and (before.title_derived or (newer and record.title != before.title)):
        change |= {"title": record.title, "title_derived": 0, "title_key": title_key(record.title)}
    better = newer or len(record.abstract) > len(before.abstract)
    if record.abstract and better and record.abstract != before.abstract:
        mark = Signature.of(record.abstract)
        change |= {"abstract": record.abstract, "fingerprint": mark.fingerprint}
        if before.title_derived and not record.title:
            change["title"] = derive_heading(record.abstract)
        _index_abstract(db, paper_id, mark)
    categories = tuple(dict.fromkeys((*before.categories, *record.categories)))
    if categories != before.categories:
        change["categories"] = json.dumps(categories)
    for name in ("venue", "comment"):
        if getattr(before, name) is None and getattr(record, name) is not None:
            change[name] = getattr(record, name)
    if before.published is None and record.published is not None:
        change["published"] = to_text(record.published)
    if record.updated and (before.updated is None or record.updated > before.updated):
        change["updated"] = to_text(record.updated)
    if before.announced is None and record.announced is not None:
        change["announced"] = record.announced.isoformat()
    if record.announce_type is AnnounceType.WITHDRAWN and not before.withdrawn:
        change["withdrawn"] = 1
    total = db.conn.total_changes
    _add_names(db, paper_id, record, with_authors=not before.authors)
    if not change and db.conn.total_changes == total:
        return False
    number = last_change(db)
    change["changed"] = number + 1
    # The names are the literals above, never input.
    assignments = ", ".join(f"{name} = ?" for name in change)
    execute(
        db,
        f"UPDATE papers SET {assignments} WHERE id = ?",
        [*change.values(), paper_id],
    )
    # Whoever follows the sequence reads the paper that stands for the group.
    execute(
        db,
        "UPDATE papers SET changed = ? WHERE id = ?",
        [number + 2, resolve(db, paper_id)],
    )
    return True


def _is_newer(db: Database, paper_id: int, record: PaperRecord) -> bool:
    if record.version is None:
        return False
    known = rows(db, "SELECT max(version) AS v FROM sightings WHERE paper_id = ?", [paper_id])
    return known[0]["v"] is not None and record.version > int(known[0]["v"])


def note_source(db: Database, provenance: Provenance, *, read: int, new: int) -> None:
    """Remembers that a source was read: when, and how much it held."""
    at = to_text(provenance.fetched)
    execute(
        db,
        "INSERT INTO sources (name, first_read, last_read, last_announced, last_read_count,"
        " last_new_count) VALUES (:name, :at, :at, (SELECT max(announced) FROM sightings"
        " WHERE source = :name), :read, :new) ON CONFLICT(name) DO UPDATE SET"
        " last_read = excluded.last_read, last_announced = excluded.last_announced,"
        " last_read_count = excluded.last_read_count, last_new_count = excluded.last_new_count",
        {"name": provenance.source, "at": at, "read": read, "new": new},
    )
