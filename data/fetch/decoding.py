"""Unpacking what a server compressed, without trusting it on how much comes out."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

_PIECE: Final = 65_536
_MOST_MEMBERS: Final = 1_000


class _Unpacker(Protocol):
    """One compressed member on its way, as `zlib.decompressobj` makes it."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    @property
    def unconsumed_tail(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class Decoder:
    """Turns the chunks of one answer into pieces of at most 64 kB of what they unpack to.

    `encoding` is the Content-Encoding header. Raises ValueError, with words that complete
    "the answer …", for an encoding that was not asked for and for damaged data.
    """

    def __init__(self, encoding: str) -> None:
        self._kind = encoding.strip().lower().removeprefix("x-")
        if self._kind not in {"", "identity", "gzip", "deflate"}:
            raise ValueError(f"is packed as {self._kind[:40]!r}, which was not asked for")
        self._unpacker: _Unpacker | None = None
        self._members = 0

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """What the chunk unpacks to, piece by piece; the caller may stop between two pieces."""
        if self._kind in {"", "identity"}:
            yield chunk
            return
        rest = chunk
        while True:
            if self._unpacker is None:
                if self._members:
                    rest = rest.lstrip(b"\0")  # padding behind a member, as tape blocks have it
                if not rest:
                    return
                self._unpacker = self._start(rest)
            try:
                piece = self._unpacker.decompress(rest, _PIECE)
            except zlib.error:
                raise ValueError(f"is damaged ({self._kind} data that cannot be read)") from None
            if piece:
                yield piece
            if self._unpacker.eof:
                rest = self._unpacker.unused_data
                self._unpacker = None
                continue
            rest = self._unpacker.unconsumed_tail
            # A full piece may mean that zlib holds more than it was allowed to give.
            if not rest and len(piece) < _PIECE:
                return

    def finish(self) -> None:
        """Raises ValueError where the packed data stopped before its end."""
        if self._unpacker is not None:
            raise ValueError(f"stopped in the middle of its {self._kind} data")

    def _start(self, data: bytes) -> _Unpacker:
        self._members += 1
        if self._members > _MOST_MEMBERS:
            raise ValueError(f"is packed in more than {_MOST_MEMBERS} pieces")
        if self._kind == "gzip":
            return zlib.decompressobj(16 + zlib.MAX_WBITS)
        # "deflate" is zlib data by the standard and bare deflate data from some servers; the
        # zlib method is 8 in the low half of the first byte, which bare data hardly ever has.
        wrapped = data[0] & 0x0F == 8
        return zlib.decompressobj(zlib.MAX_WBITS if wrapped else -zlib.MAX_WBITS)
