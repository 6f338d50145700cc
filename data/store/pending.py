"""New papers and sightings on their way into the library: their rows, written many at a time.

Every function takes the open `Database` and runs on the store's thread, inside one transaction.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from data.headings import derive_heading
from data.records import AnnounceType, Paper, PaperRecord
from data.store.connection import to_text
from data.store.papers import last_change
from data.store.sql import execute_many, marks, rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlite_utils import Database

    from data.store.matching import Signature
    from data.store.recording import Provenance


@dataclass(frozen=True, slots=True)
class Fresh:
    """A new paper as the store would load it, and its change number."""

    paper: Paper
    change: int


@dataclass(slots=True)
class Pending:
    """Rows of new papers and sightings on their way, written many at a time.

    Whoever asks the database about papers calls `flush` first.
    """

    db: Database
    provenance: Provenance
    papers: list[tuple[object, ...]] = field(default_factory=list[tuple[object, ...]])
    names: list[tuple[int, PaperRecord]] = field(default_factory=list[tuple[int, PaperRecord]])
    bands: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    sightings: list[tuple[object, ...]] = field(default_factory=list[tuple[object, ...]])
    fresh: dict[int, Fresh] = field(default_factory=dict[int, Fresh])
    number: int = 0
    change: int = 0
    fetched: str = field(init=False)

    def __post_init__(self) -> None:
        self.fetched = to_text(self.provenance.fetched)

    def paper(self, record: PaperRecord, signature: Signature) -> int:
        """Puts a new paper among the rows; returns its number."""
        if not self.papers:
            self.number = _last_number(self.db)
            self.change = last_change(self.db)
        self.number += 1
        self.change += 1
        title, derived = _heading(record)
        self.papers.append(
            (
                self.number,
                self.number,
                title,
                derived,
                signature.title_key,
                record.abstract,
                signature.fingerprint,
                json.dumps(record.categories),
                record.venue,
                record.comment,
                to_text(record.published) if record.published else None,
                str(record.published_in) if record.published_in else None,
                to_text(record.updated) if record.updated else None,
                record.announced.isoformat() if record.announced else None,
                self.fetched,
                record.announce_type is AnnounceType.WITHDRAWN,
                self.change,
            )
        )
        self.fresh[self.number] = Fresh(
            Paper(
                id=self.number,
                title=title,
                title_derived=derived,
                abstract=record.abstract,
                authors=record.authors,
                identifiers=record.identifiers,
                topics=tuple(sorted(set(record.topics))),
                categories=record.categories,
                sources=(self.provenance.source,),
                first_seen=self.provenance.fetched,
                venue=record.venue,
                comment=record.comment,
                published=record.published,
                published_in=record.published_in,
                updated=record.updated,
                announced=record.announced,
                withdrawn=record.announce_type is AnnounceType.WITHDRAWN,
            ),
            self.change,
        )
        self.names.append((self.number, record))
        self.bands += [(band, self.number) for band in signature.bands]
        return self.number

    def sighting(self, paper_id: int, record: PaperRecord, digest: str) -> None:
        """Puts one mention of a paper among the rows."""
        self.sightings.append(
            (
                paper_id,
                self.provenance.source,
                self.provenance.listing,
                record.position,
                self.fetched,
                record.announced.isoformat() if record.announced else None,
                record.version,
                record.announce_type.value,
                digest,
                record.title_source,
                record.abstract_source,
            )
        )

    def flush(self) -> None:
        """Writes the rows that are waiting."""
        if self.papers:
            execute_many(
                self.db,
                "INSERT INTO papers (id, root_id, title, title_derived, title_key, abstract,"
                " fingerprint, categories, venue, comment, published, published_in, updated,"
                " announced, first_seen, withdrawn, changed)"
                f" VALUES ({marks(17)})",
                self.papers,
            )
            add_names(self.db, self.names)
            add_authors(self.db, self.names)
            add_bands(self.db, self.bands)
            self.papers.clear()
            self.names.clear()
            self.bands.clear()
        if self.sightings:
            execute_many(
                self.db,
                "INSERT INTO sightings (paper_id, source, listing, position, fetched, announced,"
                " version, announce_type, digest, title_source, abstract_source)"
                f" VALUES ({marks(11)})",
                self.sightings,
            )
            self.sightings.clear()


def _last_number(db: Database) -> int:
    """The highest number that a paper ever had: numbers are never given twice."""
    found = rows(db, "SELECT seq FROM sqlite_sequence WHERE name = 'papers'")
    return int(found[0]["seq"]) if found else 0


def _heading(record: PaperRecord) -> tuple[str, bool]:
    if record.title:
        return record.title, False
    return derive_heading(record.abstract), True


def add_bands(db: Database, bands: Iterable[tuple[int, int]]) -> None:
    """The keys (band, paper) by which near copies of an abstract are found."""
    # In the order of the table's key, which spares SQLite half the work.
    execute_many(
        db, "INSERT OR IGNORE INTO abstract_bands (band, paper_id) VALUES (?, ?)", sorted(bands)
    )


def add_authors(db: Database, records: Iterable[tuple[int, PaperRecord]]) -> None:
    """The authors of papers that have none."""
    execute_many(
        db,
        "INSERT INTO authors (paper_id, place, name) VALUES (?, ?, ?)",
        [
            (paper_id, place, name)
            for paper_id, record in records
            for place, name in enumerate(record.authors)
        ],
    )


def add_names(db: Database, records: Iterable[tuple[int, PaperRecord]]) -> None:
    """Topics and identifiers; what is there already stays."""
    pairs = list(records)
    execute_many(
        db,
        "INSERT OR IGNORE INTO topics (paper_id, topic) VALUES (?, ?)",
        [(paper_id, topic) for paper_id, record in pairs for topic in record.topics],
    )
    execute_many(
        db,
        "INSERT OR IGNORE INTO identifiers (scheme, value, paper_id) VALUES (?, ?, ?)",
        [
            (scheme, value, paper_id)
            for paper_id, record in pairs
            for scheme, value in record.identifiers.pairs()
        ],
    )
