"""Sorted tables of strings, stored as one block of bytes and looked up by bisection.

Neighbours in such a table begin alike, so each string is stored as the number of bytes that it
shares with the one before it, and the bytes after those (front coding). Every `_STEP`-th string is
stored whole: a look-up bisects those, and then reads on.
"""

from __future__ import annotations

import bisect
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from data.index.arrays import runs

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from data.index.arrays import AnyArray, Bytes, Int64s

_STEP: Final = 16
_MOST_SHARED: Final = 15
_SHORT: Final = 2
_MOST_KNOWN: Final = 2_000
_LONG: Final = 15
"""From here on a rest's size does not fit beside the number of shared bytes."""


def pack_strings(strings: Sequence[str]) -> tuple[Bytes, Bytes, Int64s]:
    """Sorted, distinct strings as a block of bytes; for each string 16 * shared + size of its rest,
    where that is below 15, else 15; and the sizes of the longer rests in turn."""
    raws = [string.encode("utf-8", "surrogatepass") for string in strings]
    lengths = np.fromiter(map(len, raws), np.int64, len(raws))
    letters = np.frombuffer(b"".join(raws), np.uint8)
    starts = np.cumsum(lengths) - lengths
    shared = np.zeros(len(raws), np.int64)
    alike = np.ones(max(len(raws) - 1, 0), np.bool_)
    for at in range(_MOST_SHARED):
        there = lengths > at
        here = letters.take(starts + at, mode="clip") if there.any() else letters
        alike = alike & there[1:] & there[:-1] & (here[1:] == here[:-1])
        if not alike.any():
            break
        shared[1:] += alike
    shared[::_STEP] = 0
    rests = lengths - shared
    sizes = (shared << 4 | np.minimum(rests, _LONG)).astype(np.uint8)
    return letters[runs(starts + shared, rests)], sizes, rests[rests >= _LONG]


def _shared(one: bytes, other: bytes, already: int) -> int:
    """How many bytes two strings begin with alike, together with those `already` known to be."""
    for left, right in zip(one, other, strict=False):
        if left != right or already == _MOST_SHARED:
            break
        already += 1
    return already


class StringTable:
    """Distinct strings in UTF-8 order, as `pack_strings` packed them.

    The strings that are stored whole are kept as objects from the first look-up on.
    """

    def __init__(self, block: Bytes, sizes: Bytes, longer: AnyArray) -> None:
        self._block = block.data
        self._sizes = sizes.data
        rests = sizes & 15
        if len(longer):
            rests = rests.astype(longer.dtype)
            rests[rests == _LONG] = longer
        # Views, as reading a few numbers from them is quicker than from arrays.
        self._rests = np.ascontiguousarray(rests).data
        # Where every _STEP-th string begins, and where the last one ends.
        sums = np.add.reduceat(rests, np.arange(0, len(rests), _STEP), dtype=np.int64)
        self._starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sums)]).data
        self._known_following: dict[str, bytes] = {}

    @cached_property
    def _signposts(self) -> list[bytes]:
        block = self._block
        return [
            bytes(block[low : low + size])
            for low, size in zip(self._starts[:-1], self._rests[::_STEP], strict=True)
        ]

    def _search(self, wanted: bytes) -> tuple[int, bool]:
        """The place of the first string that is not before `wanted`, and whether it is that."""
        signposts = self._signposts
        group = bisect.bisect_left(signposts, wanted)
        if group < len(signposts) and signposts[group] == wanted:
            return group * _STEP, True
        if not group:
            return 0, False
        at = (group - 1) * _STEP
        begin, end = self._starts[group - 1 : group + 1]
        near = bytes(self._block[begin:end])
        begin, end = 0, at + _STEP
        # How many bytes the string before, which is before `wanted`, shares with it.
        matched = 0
        target = wanted
        for size, rest in zip(self._sizes[at:end], self._rests[at:end], strict=True):
            shared = size >> 4
            if shared < matched:
                return at, False
            if shared == matched:
                piece = near[begin : begin + rest]
                if piece >= target:
                    return at, piece == target
                if piece[:1] == target[:1]:
                    matched = _shared(piece, target, matched)
                    target = wanted[matched:]
            begin += rest
            at += 1
        return at, False

    def __len__(self) -> int:
        return len(self._sizes)

    def __iter__(self) -> Iterator[str]:
        block = bytes(self._block)
        at = 0
        raw = b""
        for size, rest in zip(self._sizes, self._rests, strict=True):
            raw = raw[: size >> 4] + block[at : at + rest]
            at += rest
            yield raw.decode("utf-8", "surrogatepass")

    def _raw(self, at: int) -> bytes:
        group = at // _STEP
        low = group * _STEP
        near = bytes(self._block[self._starts[group] : self._starts[group + 1]])
        string = b""
        begin = 0
        for size, rest in zip(self._sizes[low : at + 1], self._rests[low : at + 1], strict=True):
            string = string[: size >> 4] + near[begin : begin + rest]
            begin += rest
        return string

    def get(self, at: int) -> str:
        """The string at `at`."""
        return self._raw(at).decode("utf-8", "surrogatepass")

    def find(self, string: str) -> int:
        """The place of `string`, or -1."""
        at, found = self._search(string.encode("utf-8", "surrogatepass"))
        return at if found else -1

    def following(self, prefix: str) -> bytes:
        """The bytes below 128 that come after `prefix` in any string, ascending; remembered for
        the shortest, after which most can come."""
        known = self._known_following.get(prefix)
        if known is None:
            known = self._following(prefix)
            if len(prefix) <= _SHORT and len(self._known_following) < _MOST_KNOWN:
                self._known_following[prefix] = known
        return known

    def _following(self, prefix: str) -> bytes:
        beginning = prefix.encode("utf-8", "surrogatepass")
        size = len(beginning)
        found = bytearray()
        beyond = beginning + b"\0"
        while True:
            at, _ = self._search(beyond)
            string = self._raw(at) if at < len(self) else b""
            if not string.startswith(beginning) or len(string) == size or string[size] > 127:
                return bytes(found)
            found.append(string[size])
            beyond = beginning + bytes((string[size] + 1,))

    def prefixed(self, prefix: str) -> range:
        """The places of all strings that begin with `prefix`."""
        wanted = prefix.encode("utf-8", "surrogatepass")
        if not wanted:
            return range(len(self))
        # No byte of UTF-8 is 255, so the next prefix of this size has a last byte one higher.
        beyond = wanted[:-1] + bytes((wanted[-1] + 1,))
        return range(self._search(wanted)[0], self._search(beyond)[0])
