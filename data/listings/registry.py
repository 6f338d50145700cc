"""All the formats there are, in one place, and the choice among them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from data.listings.base import ListingError
from data.listings.jsonl import JsonLinesReader
from data.listings.pages import PagesReader

if TYPE_CHECKING:
    from data.listings.base import ListingReader
    from data.listings.source import Source

READERS: Final[tuple[ListingReader, ...]] = (
    JsonLinesReader(),
    PagesReader(),
)


def find_reader(source: Source, wanted: str | None) -> ListingReader:
    """The reader of that name, or the one that recognises the content most surely.

    Raises `ListingError` for an unknown name and for content that nobody recognises.
    """
    if wanted is not None:
        for reader in READERS:
            if reader.name == wanted.strip().lower():
                return reader
        known = ", ".join(sorted(reader.name for reader in READERS))
        raise ListingError(f'There is no format "{wanted}"; use one of {known}.')
    best: ListingReader | None = None
    surest = 0.0
    for reader in READERS:
        sure = reader.sniff(source.head)
        if sure > surest:
            best, surest = reader, sure
    if best is None:
        raise ListingError(
            f"{source.name} is no listing that can be recognised: no papers were found in its "
            "text; give a feed, an export or a saved page, or name its format."
        )
    return best
