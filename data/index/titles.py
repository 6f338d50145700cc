"""Titles in compressed blocks.

Titles are short and alike, so a sample of them, from all over, is what each block may refer back
to (the preset dictionary of RFC 1950): a third of the size is saved, and a block stays small.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

TITLES_A_BLOCK: Final = 32
_SAMPLE: Final = 1 << 15
"""Bytes: as far back as the method reaches."""
_SAMPLED_SHARE: Final = 64
"""No more than one in so many titles, so that the sample costs little where there are few."""


def pack_titles(titles: Sequence[str]) -> tuple[bytes, list[bytes]]:
    """The sample, and the titles in blocks of `TITLES_A_BLOCK`; no title has a line break."""
    raw = [title.encode("utf-8", "surrogatepass") for title in titles]
    sampled = raw[:: max(_SAMPLED_SHARE, sum(map(len, raw)) // _SAMPLE)]
    sample = b"\n".join(sampled)[:_SAMPLE]
    blocks: list[bytes] = []
    for at in range(0, len(raw), TITLES_A_BLOCK):
        packer = zlib.compressobj(9, wbits=-15, memLevel=9, zdict=sample)
        blocks.append(packer.compress(b"\n".join(raw[at : at + TITLES_A_BLOCK])) + packer.flush())
    return sample, blocks


def unpack_titles(block: bytes, sample: bytes) -> list[str]:
    """The titles of one block."""
    raw = zlib.decompressobj(-15, sample).decompress(block)
    return raw.decode("utf-8", "surrogatepass").split("\n")
