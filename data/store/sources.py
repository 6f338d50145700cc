"""Standing sources in the store: what they are, what they answered, and what is remembered.

Functions take the open `Database` and run on the store's thread, inside one transaction.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Final, cast

from data.records import AnnounceType
from data.sources import Kind, Memory, Outcome, Page, Validators
from data.store import news, recording
from data.store.connection import to_moment, to_text
from data.store.papers import resolve
from data.store.sql import Row, execute, marks, rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlite_utils import Database

    from data.records import PaperRecord
    from data.store.recording import Provenance

ANSWERS_KEPT: Final = timedelta(days=5)
OUTCOMES_KEPT: Final = timedelta(days=90)


@dataclass(frozen=True, slots=True)
class StandingSource:
    """A source of this installation; `spec` is in its normal form. Polled from `next_poll` on."""

    id: int
    name: str
    kind: Kind
    spec: str
    added_by: str
    added_at: datetime
    next_poll: datetime
    failures: int
    paused: bool


@dataclass(frozen=True, slots=True)
class PartOutcome:
    """How asking for one part of a source went, and how long it has gone so.

    `day` is the source's own date of the announcement; `read` its entries, `new` the papers that
    the library did not have, `late` those of them that came after the day was first read.
    """

    source: str
    part: str
    channel: str
    outcome: Outcome
    sentence: str
    first_at: datetime
    last_at: datetime
    day: date | None = None
    read: int = 0
    new: int = 0
    late: int = 0
    refused: int = 0
    times: int = 1


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """One raw answer of a part, as it was fetched."""

    part: str
    day: date | None
    fetched: datetime
    pages: tuple[Page, ...]


def add_source(
    db: Database, *, name: str, kind: Kind, spec: str, by: str, now: datetime
) -> StandingSource:
    """Stores a source, due at once, and returns it."""
    cursor = execute(
        db,
        "INSERT INTO standing_sources (name, kind, spec, added_by, added_at, next_poll)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        [name, kind.value, spec, by, to_text(now), to_text(now)],
    )
    return _source(
        rows(db, "SELECT * FROM standing_sources WHERE id = ?", [cast("int", cursor.lastrowid)])[0]
    )


def standing_sources(db: Database) -> list[StandingSource]:
    """All sources in the order in which they were added; removed ones are left out."""
    found = rows(db, "SELECT * FROM standing_sources WHERE removed_at IS NULL ORDER BY id")
    return [_source(row) for row in found]


def _source(row: Row) -> StandingSource:
    return StandingSource(
        id=int(row["id"]),
        name=row["name"],
        kind=Kind(row["kind"]),
        spec=row["spec"],
        added_by=row["added_by"],
        added_at=to_moment(row["added_at"]),
        next_poll=to_moment(row["next_poll"]),
        failures=int(row["failures"]),
        paused=bool(row["paused"]),
    )


def set_paused(db: Database, source_id: int, *, paused: bool, now: datetime) -> None:
    """Stops a source for a while, or lets it go on at once."""
    execute(
        db,
        "UPDATE standing_sources SET paused = ?, next_poll = ?, failures = 0 WHERE id = ?",
        [paused, to_text(now), source_id],
    )


def remove_source(db: Database, source_id: int, *, now: datetime) -> None:
    """Ends a source. Its papers and outcomes stay; its raw answers go."""
    execute(
        db, "UPDATE standing_sources SET removed_at = ? WHERE id = ?", [to_text(now), source_id]
    )
    execute(db, "DELETE FROM source_answers WHERE source_id = ?", [source_id])
    execute(db, "DELETE FROM source_parts WHERE source_id = ?", [source_id])


def set_next_poll(db: Database, source_id: int, *, at: datetime, failures: int) -> None:
    """Notes when a source is due again, and how often in a row it has failed."""
    execute(
        db,
        "UPDATE standing_sources SET next_poll = ?, failures = ? WHERE id = ?",
        [to_text(at), failures, source_id],
    )


def memories(db: Database, source_id: int) -> dict[str, Memory]:
    """What is remembered of each part of a source, by its key."""
    return {
        row["part"]: Memory(
            day=_day(row["day"]),
            count=int(row["count"]),
            batch=row["batch"],
            built=_day(row["built"]),
            ahead=timedelta(seconds=int(row["ahead_seconds"])),
            skipped=frozenset(json.loads(row["skipped"])),
            validators=Validators(row["etag"], row["last_modified"]),
            shrunk=int(row["shrunk"]),
            read=to_moment(row["read_at"]) if row["read_at"] else None,
        )
        for row in rows(db, "SELECT * FROM source_parts WHERE source_id = ?", [source_id])
    }


def remember(db: Database, source_id: int, part: str, memory: Memory) -> None:
    """Keeps what is to be remembered of a part, in place of what was."""
    execute(
        db,
        "INSERT OR REPLACE INTO source_parts (source_id, part, day, count, batch, built,"
        " ahead_seconds, skipped, etag, last_modified, shrunk, read_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            source_id,
            part,
            memory.day.isoformat() if memory.day else None,
            memory.count,
            memory.batch,
            memory.built.isoformat() if memory.built else None,
            int(memory.ahead.total_seconds()),
            json.dumps(sorted(memory.skipped)),
            memory.validators.etag,
            memory.validators.last_modified,
            memory.shrunk,
            to_text(memory.read) if memory.read else None,
        ],
    )


def note_outcome(db: Database, source_id: int, found: PartOutcome) -> None:
    """Records how a part went; the same again only moves the end of the record before it."""
    last = rows(
        db,
        "SELECT * FROM source_outcomes WHERE source_id = ? AND part = ? ORDER BY id DESC LIMIT 1",
        [source_id, found.part],
    )
    if last and not found.new and _same(last[0], found):
        execute(
            db,
            "UPDATE source_outcomes SET last_at = ?, times = times + 1 WHERE id = ?",
            [to_text(found.last_at), int(last[0]["id"])],
        )
        return
    execute(
        db,
        "INSERT INTO source_outcomes (source_id, part, channel, outcome, day, read, new, late,"
        " refused, sentence, first_at, last_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            source_id,
            found.part,
            found.channel,
            found.outcome.value,
            found.day.isoformat() if found.day else None,
            found.read,
            found.new,
            found.late,
            found.refused,
            found.sentence,
            to_text(found.first_at),
            to_text(found.last_at),
        ],
    )


def _same(row: Row, found: PartOutcome) -> bool:
    return (row["outcome"], _day(row["day"]), row["sentence"], row["refused"]) == (
        found.outcome.value,
        found.day,
        found.sentence,
        found.refused,
    )


def outcomes(db: Database, *, since: datetime, source_id: int | None = None) -> list[PartOutcome]:
    """How all parts went that were asked for since a moment, oldest first."""
    where, params = ("", []) if source_id is None else (" AND o.source_id = ?", [source_id])
    return [
        _outcome(row)
        for row in rows(
            db,
            "SELECT o.*, s.name FROM source_outcomes o JOIN standing_sources s"
            f" ON s.id = o.source_id WHERE o.last_at >= ?{where} ORDER BY o.id",
            [to_text(since), *params],
        )
    ]


def latest_outcomes(db: Database, source_id: int) -> list[PartOutcome]:
    """The last outcome of each channel of a source, in the order of the channels' first."""
    latest: dict[str, PartOutcome] = {}
    for row in rows(
        db,
        "SELECT o.*, s.name FROM source_outcomes o JOIN standing_sources s ON s.id = o.source_id"
        " WHERE o.source_id = ? ORDER BY o.id",
        [source_id],
    ):
        found = _outcome(row)
        before = latest.get(found.channel)
        if before is None or (found.last_at, found.part) >= (before.last_at, before.part):
            latest[found.channel] = found
    return list(latest.values())


def _outcome(row: Row) -> PartOutcome:
    return PartOutcome(
        source=row["name"],
        part=row["part"],
        channel=row["channel"],
        outcome=Outcome(row["outcome"]),
        sentence=row["sentence"],
        first_at=to_moment(row["first_at"]),
        last_at=to_moment(row["last_at"]),
        day=_day(row["day"]),
        read=int(row["read"]),
        new=int(row["new"]),
        late=int(row["late"]),
        refused=int(row["refused"]),
        times=int(row["times"]),
    )


def keep_answer(
    db: Database,
    source_id: int,
    part: str,
    pages: Sequence[Page],
    *,
    day: date | None,
    now: datetime,
) -> None:
    """Keeps a raw answer, packed; the same one again only becomes younger."""
    for number, page in enumerate(pages):
        execute(
            db,
            "INSERT INTO source_answers (source_id, part, page, url, day, fetched_at, digest, body)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (source_id, part, page, digest)"
            " DO UPDATE SET fetched_at = excluded.fetched_at, url = excluded.url,"
            " day = excluded.day",
            [
                source_id,
                part,
                number,
                page.url,
                day.isoformat() if day else None,
                to_text(now),
                hashlib.blake2b(page.body, digest_size=16).hexdigest(),
                gzip.compress(page.body, 6, mtime=0),
            ],
        )


def kept_answers(db: Database, source_id: int) -> list[KeptAnswer]:
    """The raw answers of a source that are still kept, oldest first."""
    answers: dict[tuple[str, str], KeptAnswer] = {}
    for row in rows(
        db,
        "SELECT * FROM source_answers WHERE source_id = ? ORDER BY fetched_at, part, page",
        [source_id],
    ):
        key = (row["fetched_at"], row["part"])
        page = Page(row["url"], gzip.decompress(row["body"]))
        before = answers.get(key)
        answers[key] = KeptAnswer(
            part=row["part"],
            day=_day(row["day"]),
            fetched=to_moment(row["fetched_at"]),
            pages=(*before.pages, page) if before else (page,),
        )
    return list(answers.values())


def drop_answer(db: Database, source_id: int, part: str, *, fetched: datetime) -> None:
    """Lets go of one raw answer that says nothing new."""
    execute(
        db,
        "DELETE FROM source_answers WHERE source_id = ? AND part = ? AND fetched_at = ?",
        [source_id, part, to_text(fetched)],
    )


def prune(db: Database, *, now: datetime) -> None:
    """Lets go of raw answers and outcomes that are older than they are kept."""
    execute(db, "DELETE FROM source_answers WHERE fetched_at < ?", [to_text(now - ANSWERS_KEPT)])
    execute(db, "DELETE FROM source_outcomes WHERE last_at < ?", [to_text(now - OUTCOMES_KEPT)])


def unknown_records(db: Database, records: Sequence[PaperRecord], source: str) -> list[PaperRecord]:
    """Those records that this source never gave and whose identifiers no paper has."""
    return [
        record
        for record in records
        if not record.is_notice
        and not rows(
            db,
            "SELECT 1 FROM sightings WHERE source = ? AND digest = ?",
            [source, recording.record_digest(record)],
        )
        and not any(
            rows(db, "SELECT 1 FROM identifiers WHERE scheme = ? AND value = ?", [scheme, value])
            for scheme, value in record.identifiers.pairs()
        )
    ]


def store_batch(
    db: Database,
    records: Sequence[PaperRecord],
    provenance: Provenance,
    *,
    quiet: bool,
    late: bool = False,
) -> Counter[str]:
    """Puts records into the library; returns how many had each outcome.

    `quiet` is for what a source held when it was read for the first time: papers that only this
    brings are in the library, but no digest takes them as news. Such a paper becomes news when
    another source brings it as new, or the same one first gives the day on which it announced it.
    `late` is for what came after the source's announcement of it had been read.
    """
    papers_before = _highest(db, "papers")
    sightings_before = _highest(db, "sightings")
    counts: Counter[str] = Counter()
    outcomes = recording.store_records(db, records, provenance)
    for record, stored in zip(records, outcomes, strict=True):
        counts[stored.outcome] += 1
        if (
            not quiet
            and record.announce_type is AnnounceType.NEW
            and _is_quiet(db, stored.paper_id)
            and not _was_given(db, stored.paper_id, record, provenance, sightings_before)
        ):
            news.renew(db, resolve(db, stored.paper_id))
    if quiet:
        execute(db, "UPDATE papers SET news = 0 WHERE id > ?", [papers_before])
    if late:
        news.mark_late(db, after_sighting=sightings_before)
    return counts


def store_handed(
    db: Database, records: Sequence[PaperRecord], provenance: Provenance
) -> list[recording.Stored]:
    """Puts records into the library that a person handed in; what became of each, in order.

    A paper that a source had only learnt becomes news by this, since somebody wants it seen.
    Replacements, cross-lists and withdrawals do not make an old paper news.
    """
    stored = recording.store_records(db, records, provenance)
    brought = {
        one.paper_id
        for one, record in zip(stored, records, strict=True)
        if record.announce_type is AnnounceType.NEW
    }
    quiet = rows(
        db,
        f"SELECT id FROM papers WHERE id IN ({marks(len(brought))}) AND news = 0",
        list(brought),
    )
    for row in quiet:
        news.renew(db, int(row["id"]))
    return stored


def _highest(db: Database, table: str) -> int:
    return int(rows(db, f"SELECT coalesce(max(id), 0) AS n FROM {table}")[0]["n"])


def _is_quiet(db: Database, paper_id: int) -> bool:
    found = rows(db, "SELECT news FROM papers WHERE id = ?", [resolve(db, paper_id)])
    return bool(found) and found[0]["news"] == 0


def _was_given(
    db: Database, paper_id: int, record: PaperRecord, provenance: Provenance, upto: int
) -> bool:
    """Whether the source gave the paper before; with a date, if the record has one."""
    dated = " AND s.announced IS NOT NULL" if record.announced else ""
    found = rows(
        db,
        "SELECT 1 FROM sightings s JOIN papers p ON p.id = s.paper_id WHERE p.root_id = ?"
        f" AND s.source = ? AND s.id <= ?{dated} LIMIT 1",
        [resolve(db, paper_id), provenance.source, upto],
    )
    return bool(found)


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
