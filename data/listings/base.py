"""What every listing reader is, and what it reads from: the seam between formats and the rest."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data.listings.source import Source
    from data.records import PaperRecord, Refusal

    Item = PaperRecord | Refusal


class ListingError(Exception):
    """Nothing of a listing can be used. Its text is one sentence: what, where, what to do."""


class ListingReader(Protocol):
    """One format: how it is recognised and how it is read."""

    @property
    def name(self) -> str:
        """The word by which `--format` names it."""
        ...

    @property
    def title(self) -> str:
        """What the format is, for people."""
        ...

    def sniff(self, head: str) -> float:
        """How surely the start of a file is this format, 0 (not at all) to 1 (certainly)."""
        ...

    def read(self, source: Source) -> Iterator[Item]:
        """The records and refusals of the file, in its order, one at a time.

        Raises `ListingError` where nothing at all can be used.
        """
        ...


@dataclass(slots=True)
class Listing:
    """An opened listing: its format and its records, which are read as they are asked for.

    `source` is what such listings are called where nobody named where they come from.
    `notes` are sentences on what was done to read it (an encoding that had to be guessed); they
    are complete when `items` has ended.
    """

    file: str
    format: str
    source: str
    items: Iterator[Item]
    notes: list[str] = field(default_factory=list[str])
