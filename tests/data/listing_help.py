"""What the listing tests share: where fixtures and shared files stand, and how to read them."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.listings import Listing, open_listing
from data.records import PaperRecord, Refusal

FIXTURES = Path(__file__).parent.parent / "fixtures" / "listings"
SHARED = Path(__file__).parents[3] / "shared" / "listings"

needs_shared = pytest.mark.skipif(
    not SHARED.is_dir(), reason="the shared listing files do not stand beside this checkout"
)


def read(
    content: Path | bytes | str,
    *,
    name: str = "listing",
    format: str | None = None,  # noqa: A002 - as open_listing has it
) -> tuple[list[PaperRecord], list[Refusal], Listing]:
    """The records, the refusals, and the listing itself, read to its end."""
    if isinstance(content, str):
        content = content.encode()
    listing = open_listing(content, name=name, format=format)
    items = list(listing.items)
    records = [i for i in items if isinstance(i, PaperRecord)]
    refusals = [i for i in items if isinstance(i, Refusal)]
    assert len(records) + len(refusals) == len(items)
    return records, refusals, listing


def fixture(name: str) -> bytes:
    """The bytes of a fixture file."""
    return (FIXTURES / name).read_bytes()
