"""Reading listings into the library: read, recognise, tag, store, index.

A batch is one transaction, so a process that dies in the middle leaves whole batches; reading the
same listing again adds only what is missing.
"""

from __future__ import annotations

import asyncio
import gc
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bot.triage.following import Follower
from data.listings import ListingError, open_listing
from data.records import PaperRecord, Refusal
from data.store import recording
from data.store import sources as source_rows
from data.store.recording import Provenance

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import date

    from bot.triage.following import Progress
    from bot.triage.library import Library
    from bot.triage.tagging import Tagging
    from data.listings import Listing

MOST_UNPACKED: Final = 100_000_000
MOST_ABSTRACT: Final = 30_000

BATCH: Final = 1_000


@dataclass(frozen=True, slots=True)
class ListingInput:
    """One listing to read: its name for messages, and its content or the file that holds it."""

    name: str
    content: Path | bytes

    @property
    def shown(self) -> str:
        """The name that members see: a file's own, never the folders of this machine."""
        return _storable(self.content.name if isinstance(self.content, Path) else self.name)


def _storable(name: str) -> str:
    """A name whose bytes are no UTF-8, as old archives make them, with "?" in their place."""
    return name.encode("utf-8", "replace").decode()


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of one listing's records. `format` is "" where none was recognised."""

    file: str
    format: str = ""
    read: int = 0
    new: int = 0
    updated: int = 0
    merged: int = 0
    unchanged: int = 0
    refused: tuple[Refusal, ...] = ()
    notes: tuple[str, ...] = ()
    unreadable: bool = False


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What became of all listings of one call, in their order."""

    files: tuple[FileReport, ...] = field(default_factory=tuple)

    def total(self, name: str) -> int:
        """The sum of one count ("read", "new", "updated", "merged", "unchanged")."""
        return sum(int(getattr(file, name)) for file in self.files)

    @property
    def refused(self) -> tuple[Refusal, ...]:
        """Every refusal, in the order of the files."""
        return tuple(refusal for file in self.files for refusal in file.refused)

    @property
    def unreadable(self) -> bool:
        """Whether no listing could be read at all."""
        return bool(self.files) and all(file.unreadable for file in self.files)


class _RareCollection:
    """Lets Python look for cycles a hundred times less often while somebody reads listings.

    Records make no cycles, and to look through so many of them takes an eighth of all the time.
    """

    def __init__(self) -> None:
        self._inside = 0
        self._before = gc.get_threshold()

    def __enter__(self) -> None:
        if not self._inside:
            self._before = gc.get_threshold()
            gc.set_threshold(100 * self._before[0], *self._before[1:])
        self._inside += 1

    def __exit__(self, *_: object) -> None:
        self._inside -= 1
        if not self._inside:
            gc.set_threshold(*self._before)


_RARE_COLLECTION: Final = _RareCollection()


class Ingest:
    """Brings listings into the library; papers can be found and are tagged on return."""

    def __init__(self, library: Library, tagging: Tagging) -> None:
        self._library = library
        self._tagging = tagging

    async def run(
        self,
        listings: Iterable[ListingInput],
        *,
        format: str | None = None,  # noqa: A002 - the option's name
        source: str | None = None,
        announced: date | None = None,
        progress: Progress = lambda step, count: None,
    ) -> IngestReport:
        """Reads the listings one after the other.

        `format` skips the recognition of the format, `source` names where the listings come from
        (default: the format's own name), `announced` dates records that carry no date of
        announcement, and `progress` is called with a step ("read", "tagged" or "indexed") and the
        number of papers that took it since its last call. A listing that cannot be read is
        refused in the report; it never stops the next. Much work is shared with a second process.
        """
        follower = Follower(self._library, self._tagging, progress)
        with _RARE_COLLECTION:
            try:
                reports = [
                    await self._one(listing, format, source, announced, progress, follower)
                    for listing in listings
                ]
                await follower.finish()
            finally:
                await follower.close()
        return IngestReport(tuple(reports))

    async def _one(
        self,
        item: ListingInput,
        format: str | None,  # noqa: A002 - as above
        source: str | None,
        announced: date | None,
        progress: Progress,
        follower: Follower,
    ) -> FileReport:
        counts: Counter[str] = Counter()
        refused: list[Refusal] = []
        try:
            listing = await asyncio.to_thread(
                open_listing,
                item.content,
                name=item.name,
                format=format,
                # What is handed in may be packed a thousandfold; a file of one's own may be huge.
                max_bytes=MOST_UNPACKED if isinstance(item.content, bytes) else None,
            )
            await self._store(listing, item, source, announced, progress, follower, counts, refused)
        except ListingError as error:
            refused.append(Refusal(item.name, "file", str(error)))
            return _report(item.name, "", counts, refused, ())
        return _report(item.name, listing.format, counts, refused, listing.notes)

    async def _store(
        self,
        listing: Listing,
        item: ListingInput,
        source: str | None,
        announced: date | None,
        progress: Progress,
        follower: Follower,
        counts: Counter[str],
        refused: list[Refusal],
    ) -> None:
        provenance = Provenance(
            source=_storable(source or listing.source),
            listing=item.shown,
            fetched=self._library.clock.now(),
        )
        batches = _batches(listing.items, BATCH)
        while batch := await asyncio.to_thread(next, batches, ()):
            records: list[PaperRecord] = []
            for entry in batch:
                if isinstance(entry, Refusal):
                    refused.append(entry)
                elif len(entry.abstract) > MOST_ABSTRACT:
                    reason = f"its abstract has {len(entry.abstract):,} characters; no paper's has"
                    refused.append(Refusal(item.name, entry.position, reason))
                else:
                    records.append(_dated(entry, announced))
            stored = await self._library.store.write(source_rows.store_handed, records, provenance)
            for record, found in zip(records, stored, strict=True):
                if found.outcome == "unknown":
                    refused.append(Refusal(item.name, record.position, _unknown(record)))
                    continue
                counts[found.outcome] += 1
                counts["read"] += 1
            progress("read", len(records))
            await follower.stored([found.fresh for found in stored if found.fresh])
        await self._library.store.write(
            recording.note_source, provenance, read=counts["read"], new=counts["new"]
        )


def _report(
    name: str,
    format: str,  # noqa: A002 - as above
    counts: Counter[str],
    refused: Sequence[Refusal],
    notes: Sequence[str],
) -> FileReport:
    return FileReport(
        file=name,
        format=format,
        read=counts["read"],
        new=counts["new"],
        updated=counts["updated"],
        merged=counts["merged"],
        unchanged=counts["unchanged"],
        refused=tuple(refused),
        notes=tuple(notes),
        unreadable=not format,
    )


def read_records(item: ListingInput) -> tuple[list[PaperRecord], list[Refusal]]:
    """A listing's records and refusals, without storing anything."""
    records: list[PaperRecord] = []
    refused: list[Refusal] = []
    try:
        for entry in open_listing(item.content, name=item.name).items:
            if isinstance(entry, Refusal):
                refused.append(entry)
            elif entry.is_notice:
                refused.append(Refusal(item.name, entry.position, "it has no title and no text"))
            else:
                records.append(entry)
    except ListingError as error:
        refused.append(Refusal(item.name, "file", str(error)))
    return records, refused


def _unknown(record: PaperRecord) -> str:
    names = ", ".join(value for _, value in record.identifiers.pairs())
    return f"its source withdrew {names}, and the library has no such paper"


def _dated(record: PaperRecord, announced: date | None) -> PaperRecord:
    if announced is None or record.announced is not None:
        return record
    return replace(record, announced=announced)


def _batches(
    items: Iterator[PaperRecord | Refusal], size: int
) -> Iterator[tuple[PaperRecord | Refusal, ...]]:
    while batch := tuple(islice(items, size)):
        yield batch
