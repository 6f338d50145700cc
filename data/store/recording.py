"""Putting records into the library: one more sighting of a known paper, or a new one.

Every function takes the open `Database` and runs on the store's thread, inside one transaction.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal

from data.headings import derive_heading
from data.identity import bands_of
from data.records import AnnounceType, Identifiers, PaperRecord
from data.store.connection import to_text
from data.store.matching import Known, Signature, confirmed_owners, ids_disagree, match
from data.store.merging import AUTOMATIC, kept_apart, merge, relate
from data.store.news import renew, renew_if_told_more, was_passed_over
from data.store.papers import last_change, load_alone, resolve
from data.store.pending import Pending, add_authors, add_bands, add_names
from data.store.sql import execute, execute_many, marks, rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from sqlite_utils import Database

    from data.records import Period
    from data.store.matching import Likeness
    from data.store.pending import Fresh

Outcome = Literal["new", "updated", "merged", "unchanged", "unknown"]
_BATCH: Final = 1_000


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a record comes from: the source's name, the listing (file, address), and when."""

    source: str
    listing: str
    fetched: datetime


@dataclass(frozen=True, slots=True)
class Stored:
    """What became of one record: the paper it belongs to, and what it changed.

    A notice of a paper that the library lacks is "unknown"; it has no paper and leaves no trace.
    `fresh` is there for a new paper that no other record of the batch speaks of.
    """

    paper_id: int
    outcome: Outcome
    fresh: Fresh | None = field(default=None, compare=False, repr=False)


def store_record(db: Database, record: PaperRecord, provenance: Provenance) -> Stored:
    """Puts one record into the library: a new paper, or one more sighting of a known one."""
    return store_records(db, [record], provenance)[0]


def store_records(
    db: Database, records: Sequence[PaperRecord], provenance: Provenance
) -> list[Stored]:
    """Puts records into the library one after the other; what became of each, in order.

    The same as `store_record` for each, and many times as fast.
    """
    stored: list[Stored] = []
    for start in range(0, len(records), _BATCH):
        stored += _store_batch(db, records[start : start + _BATCH], provenance)
    return stored


def _store_batch(
    db: Database, records: Sequence[PaperRecord], provenance: Provenance
) -> list[Stored]:
    digests = [record_digest(record) for record in records]
    seen = _seen(db, provenance.source, digests)
    fresh = {digest: r for digest, r in zip(digests, records, strict=True) if digest not in seen}
    signatures = dict(zip(fresh, Signature.of_all(list(fresh.values())), strict=True))
    known = Known.of(db, list(fresh.values()), list(signatures.values()))
    pending = Pending(db, provenance)
    found: list[tuple[int, Outcome]] = []
    for digest, record in zip(digests, records, strict=True):
        if digest in seen:
            found.append((seen[digest], "unchanged"))
            continue
        if record.is_notice and not known.owners_of(record.identifiers):
            found.append((0, "unknown"))
            continue
        paper_id, outcome = _store(db, record, signatures[digest], known, pending)
        pending.sighting(paper_id, record, digest)
        seen[digest] = paper_id
        found.append((paper_id, outcome))
    pending.flush()
    roots = _roots(db, {paper_id for paper_id, _ in found})
    times = Counter(roots.get(paper_id, 0) for paper_id, _ in found)
    return [
        Stored(
            root := roots.get(paper_id, 0),
            outcome,
            pending.fresh[paper_id] if outcome == "new" and times[root] == 1 else None,
        )
        for paper_id, outcome in found
    ]


def _seen(db: Database, source: str, digests: Sequence[str]) -> dict[str, int]:
    """The papers that this source has said exactly these things of, by the digest of each."""
    found = rows(
        db,
        "SELECT digest, paper_id FROM sightings WHERE source = ?"
        f" AND digest IN ({marks(len(digests))})",
        [source, *sorted(digests)],
    )
    return {str(row["digest"]): int(row["paper_id"]) for row in found}


def _roots(db: Database, paper_ids: Iterable[int]) -> dict[int, int]:
    wanted = list(paper_ids)
    found = rows(db, f"SELECT id, root_id FROM papers WHERE id IN ({marks(len(wanted))})", wanted)
    return {int(row["id"]): int(row["root_id"]) for row in found}


def _store(
    db: Database, record: PaperRecord, signature: Signature, known: Known, pending: Pending
) -> tuple[int, Outcome]:
    provenance = pending.provenance
    owners = known.owners_of(record.identifiers)
    if owners:
        pending.flush()
        found = confirmed_owners(db, record, known, owners)
        if not found:
            record = _without_names_of(record, owners, known)
        owners = found
    if owners:
        paper_id = owners[0]
        elsewhere = not rows(
            db,
            "SELECT 1 FROM sightings s JOIN papers p ON p.id = s.paper_id"
            " WHERE p.root_id = ? AND s.source = ? LIMIT 1",
            [resolve(db, paper_id), provenance.source],
        )
        changed = _complete(db, paper_id, record, signature)
        _join_owners(db, owners, provenance)
        if changed:
            known.note(paper_id, record.identifiers, signature)
        return paper_id, "merged" if elsewhere else ("updated" if changed else "unchanged")
    likenesses: tuple[Likeness, ...] = ()
    if not known.is_alone(signature):
        pending.flush()
        likenesses = match(db, record, signature, known)
    paper_id = pending.paper(record, signature)
    known.note(paper_id, record.identifiers, signature)
    if likenesses:
        pending.flush()
    outcome: Outcome = "new"
    for likeness in likenesses:
        one, reason, now = likeness.paper_id, likeness.reason, provenance.fetched
        if likeness.same:
            # A paper of its own under the other's roof, so that a split can undo the likeness.
            merge(db, one, paper_id, reason=reason, by=AUTOMATIC, now=now)
            outcome = "merged"
        else:
            relate(db, one, paper_id, reason=reason, now=now)
    return paper_id, outcome


def _without_names_of(record: PaperRecord, others: list[int], known: Known) -> PaperRecord:
    """The record without the identifiers that stay with these papers: each belongs to one."""
    kept = {
        scheme: value
        for scheme, value in record.identifiers.pairs()
        if known.owners.get((scheme, value)) not in others
    }
    return replace(record, identifiers=Identifiers(**kept))


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
    if record.published_in:
        parts.append(str(record.published_in))
    return hashlib.blake2b("\x1f".join(parts).encode(), digest_size=16).hexdigest()


def _join_owners(db: Database, owners: list[int], provenance: Provenance) -> None:
    """One record that names the identifiers of several papers says that they are one."""
    for other in owners[1:]:
        ids = load_alone(db, other).identifiers
        if not ids_disagree(db, owners[0], ids) and not kept_apart(db, owners[0], other):
            merge(
                db,
                owners[0],
                other,
                reason=f"{provenance.listing} names both",
                by=AUTOMATIC,
                now=provenance.fetched,
            )


def _complete(db: Database, paper_id: int, record: PaperRecord, signature: Signature) -> bool:
    """Fills what the paper lacks from a record; says whether anything changed.

    A real title takes the place of a derived one, a longer abstract that of a shorter, a newer
    version's text that of an older; a version after a withdrawal ends it; everything else only
    fills gaps.
    """
    before = load_alone(db, paper_id)
    newer = _is_newer(db, paper_id, record)
    change: dict[str, object] = {}
    # The words of a withdrawal take the place of no text that the paper had.
    newer_text = newer and record.announce_type is not AnnounceType.WITHDRAWN
    if record.title and (before.title_derived or (newer_text and record.title != before.title)):
        change |= {"title": record.title, "title_derived": 0, "title_key": signature.title_key}
    better = newer_text or len(record.abstract) > len(before.abstract)
    if record.abstract and better and record.abstract != before.abstract:
        change |= {"abstract": record.abstract, "fingerprint": signature.fingerprint}
        if before.title_derived and not record.title:
            change["title"] = derive_heading(record.abstract)
        execute_many(
            db,
            "DELETE FROM abstract_bands WHERE band = ? AND paper_id = ?",
            [(band, paper_id) for band in bands_of([before.abstract])[0]],
        )
        add_bands(db, [(band, paper_id) for band in signature.bands])
    categories = tuple(dict.fromkeys((*before.categories, *record.categories)))
    if categories != before.categories:
        change["categories"] = json.dumps(categories)
    for name in ("venue", "comment"):
        if getattr(before, name) is None and getattr(record, name) is not None:
            change[name] = getattr(record, name)
    if before.published is None and record.published is not None:
        change["published"] = to_text(record.published)
    if record.published_in and _says_more(record.published_in, before.published_in):
        change["published_in"] = str(record.published_in)
    if record.updated and (before.updated is None or record.updated > before.updated):
        change["updated"] = to_text(record.updated)
    if before.announced is None and record.announced is not None:
        change["announced"] = record.announced.isoformat()
    if record.announce_type is AnnounceType.WITHDRAWN and not before.withdrawn:
        change["withdrawn"] = 1
    elif newer_text and before.withdrawn:
        change["withdrawn"] = 0
        if was_passed_over(db, resolve(db, paper_id)):
            renew(db, resolve(db, paper_id))
    renew_if_told_more(db, before, record)
    total = db.conn.total_changes
    add_names(db, [(paper_id, record)])
    if not before.authors:
        add_authors(db, [(paper_id, record)])
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


def _says_more(period: Period, before: Period | None) -> bool:
    """Whether nothing was known before, or only the year of a month."""
    return before is None or (
        before.month is None and period.month is not None and period.year == before.year
    )


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
