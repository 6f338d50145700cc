"""Reading listings: files, feeds and answers of other tools become paper records.

`open_listing` is the door. The format is found by looking at the content; each format is one
reader, and `READERS` names them all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

import structlog

from data.listings.base import Listing, ListingError, ListingReader
from data.listings.registry import READERS, SOURCE_NAMES, find_reader
from data.listings.source import Source
from data.records import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from data.listings.base import Item

LOG = structlog.get_logger()

__all__ = ["READERS", "Listing", "ListingError", "ListingReader", "format_names", "open_listing"]


def format_names() -> tuple[str, ...]:
    """The names that `format` accepts, in alphabetical order."""
    return tuple(sorted(reader.name for reader in READERS))


def open_listing(
    content: Path | bytes | BinaryIO,
    *,
    name: str,
    format: str | None = None,  # noqa: A002 - the word that people use on the command line
    max_bytes: int | None = None,
) -> Listing:
    """Opens a listing; its records come one at a time from `items`.

    `name` is what messages and refusals call the file. `format` overrides what the content looks
    like. `max_bytes` bounds the unpacked size. Raises `ListingError`, whose text is one sentence
    for the reader, when nothing at all can be used; a damaged part is a `Refusal` among the
    items instead. The content may be packed with gzip.
    """
    source = Source(content, name, max_bytes=max_bytes)
    reader = find_reader(source, format)
    listing = Listing(
        file=name,
        format=reader.name,
        source=SOURCE_NAMES[reader.name],
        items=iter(()),
        notes=source.notes,
    )
    listing.items = _items(reader, source)
    return listing


def _items(reader: ListingReader, source: Source) -> Iterator[Item]:
    position = "the beginning"
    try:
        for item in reader.read(source):
            position = f"after {item.position}"
            yield item
    except ListingError:
        raise
    except Exception as error:
        LOG.exception("listing.reader_failed", file=source.name, format=reader.name)
        reason = (
            f"the {reader.name} reader failed here ({type(error).__name__}); the papers before "
            "it are kept. Please report this file."
        )
        yield Refusal(file=source.name, position=position, reason=reason)
    if source.damage:
        yield Refusal(file=source.name, position="end of file", reason=source.damage)
