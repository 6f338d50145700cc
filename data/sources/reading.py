"""From raw pages to records: what is read at a poll, and again after a format changed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from data.listings import ListingError, open_listing
from data.records import PaperRecord, Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from data.sources.base import Page

BATCH: Final = 500


@dataclass(frozen=True, slots=True)
class Reading:
    """The records of an answer, page by page, and what of it could not be read."""

    pages: tuple[tuple[Page, tuple[PaperRecord, ...]], ...] = ()
    refused: tuple[Refusal, ...] = ()

    @property
    def records(self) -> list[PaperRecord]:
        """All records, in the order of the pages."""
        return [record for _, records in self.pages for record in records]

    def batches(self) -> list[tuple[Page, tuple[PaperRecord, ...]]]:
        """Pieces of at most 500 records, to be written in one transaction each."""
        return [
            (page, records[start : start + BATCH])
            for page, records in self.pages
            for start in range(0, len(records), BATCH)
        ]

    def only(self, wanted: Sequence[PaperRecord]) -> Reading:
        """The same without all records but these."""
        kept = set(map(id, wanted))
        pages = tuple(
            (page, tuple(record for record in records if id(record) in kept))
            for page, records in self.pages
        )
        return Reading(pages, self.refused)

    def complaint(self, count: int) -> str:
        """What to say where an answer gave no record but should have, or is none at all."""
        reason = self.refused[0].reason if self.refused else "the format is not the usual one"
        said = f"None of the {count} entries could be" if count else "The answer could not be"
        return (
            f"{said} read ({reason}); the answer is kept for some days and can be read again after "
            "an update."
        )


def read_pages(pages: Sequence[Page], listing_format: str | None, day: date | None) -> Reading:
    """The records of raw pages; those without a date of announcement get the answer's."""
    read: list[tuple[Page, tuple[PaperRecord, ...]]] = []
    refused: list[Refusal] = []
    for page in pages:
        records: list[PaperRecord] = []
        try:
            for item in open_listing(page.body, name=page.url, format=listing_format).items:
                if isinstance(item, Refusal):
                    refused.append(item)
                else:
                    records.append(item if item.announced else replace(item, announced=day))
        except ListingError as error:
            refused.append(Refusal(page.url, "file", str(error)))
        read.append((page, tuple(records)))
    return Reading(tuple(read), tuple(refused))
