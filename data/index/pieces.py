"""Cuts many texts at their blanks and gives each different piece a number, without a string each.

A piece is known by a polynomial hash of its UTF-8 bytes in 64 bits, as whole batches of bytes are
hashed by NumPy in a quarter of the time that Python takes to make and look up their strings. Two
of a million pieces are confused once in 10^7 processes, and nobody can make such two, since each
process draws its own base.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final, cast

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from data.index.arrays import Int32s, Int64s, UInt64s

_BASE: Final = secrets.randbits(61) << 3 | 5  # 5 modulo 8 has the longest period
_MODULUS: Final = 1 << 64
_AT_ONCE: Final = 1 << 19
"""Characters that are hashed at a time; each takes some forty bytes meanwhile."""
_SLOT_BITS: Final = 20
_SCATTER: Final = np.uint64(0xD6E8FEB86659FD93)
_BLANK, _LINE_END = 32, 10


class PieceTable:
    """Numbers of pieces of texts; `number` says that of a piece when it is first met.

    0 is the number of no piece but stands for the end of a text.
    """

    def __init__(self, number: Callable[[str], int]) -> None:
        self._number = number
        self._known: dict[int, int] = {}
        # Most pieces are found here, each at the slot of its hash; the dictionary has them all.
        self._slot_hashes = np.zeros(1 << _SLOT_BITS, np.uint64)
        self._slot_numbers = np.zeros(1 << _SLOT_BITS, np.int32)
        self._powers = _powers(_BASE, 1)
        self._inverses = self._powers

    def __len__(self) -> int:
        return len(self._known)

    def numbers(self, texts: Iterable[str]) -> Int32s:
        """The numbers of the pieces of each text in order, and a 0 after each text.

        The texts are on one line, with no other blank than " ".
        """
        found = [self._cut(text) for text in _joined(texts)]
        return np.concatenate(found) if found else np.zeros(0, np.int32)

    def _cut(self, text: str) -> Int32s:
        data = text.encode("utf-8", "surrogatepass")
        codes = np.frombuffer(data, np.uint8)
        line_ends = codes == _LINE_END
        outside = line_ends | (codes == _BLANK)
        begins = ~outside
        begins[1:] &= outside[:-1]
        stops = outside.copy()
        stops[0] = False
        stops[1:] &= ~outside[:-1]
        first, last = np.flatnonzero(begins), np.flatnonzero(stops) - 1
        powers, inverses = self._powers_for(len(codes))
        sums = np.cumsum(codes * powers)
        hashes = (sums[last] - sums[first] + codes[first] * powers[first]) * inverses[first]
        places = np.flatnonzero(begins | line_ends)
        numbers = np.zeros(len(places), np.int32)
        numbers[begins[places]] = self._look_up(hashes, data, first, last + 1)
        return numbers

    def _look_up(self, hashes: UInt64s, data: bytes, first: Int64s, end: Int64s) -> Int32s:
        slots = (hashes * _SCATTER) >> np.uint64(64 - _SLOT_BITS)
        numbers = self._slot_numbers[slots]
        missed = np.flatnonzero(self._slot_hashes[slots] != hashes)
        wanted, at, which = np.unique(hashes[missed], return_index=True, return_inverse=True)
        at = missed[at]
        order = np.argsort(at)  # pieces are numbered in the order in which they are met
        own = np.zeros(len(wanted), np.int32)
        for place, key, start, stop in zip(
            cast("list[int]", order.tolist()),
            cast("list[int]", wanted[order].tolist()),
            cast("list[int]", first[at[order]].tolist()),
            cast("list[int]", end[at[order]].tolist()),
            strict=True,
        ):
            number = self._known.get(key)
            if number is None:
                number = self._number(data[start:stop].decode("utf-8", "surrogatepass"))
                self._known[key] = number
            own[place] = number
        numbers[missed] = own[which]
        free = self._slot_hashes[slots[at]] == 0
        self._slot_hashes[slots[at[free]]] = wanted[free]
        self._slot_numbers[slots[at[free]]] = own[free]
        return numbers

    def _powers_for(self, count: int) -> tuple[UInt64s, UInt64s]:
        if len(self._powers) >= count:
            return self._powers[:count], self._inverses[:count]
        powers, inverses = _powers(_BASE, count), _powers(pow(_BASE, -1, _MODULUS), count)
        if count <= 4 * _AT_ONCE:
            self._powers, self._inverses = powers, inverses
        return powers, inverses


def _powers(base: int, count: int) -> UInt64s:
    steps = np.full(count, base, np.uint64)
    steps[0] = 1
    return np.cumprod(steps)


def _joined(texts: Iterable[str]) -> Iterator[str]:
    """The texts, each with a line end, in strings that are hashed at once."""
    waiting: list[str] = []
    size = 0
    for text in texts:
        waiting.append(text)
        size += len(text)
        if size >= _AT_ONCE:
            yield "\n".join([*waiting, ""])
            waiting, size = [], 0
    if waiting:
        yield "\n".join([*waiting, ""])
