"""Which papers may have two common words next to one another.

The posting lists of its words narrow a phrase, unless they are in so many papers that looking
through those would take long: of two words of which one is in a third of the papers and the other
is a stop word, which has no list at all. Such pairs are kept in one of two ways:

- A pair in more than one of `LISTED_SHARE` papers has a list of its papers.
- All others share `SETS` sets of papers. A pair is in one to four of them, which its words' numbers
  choose; papers that have the pair are in all of those, and a few more papers are (Bloom,
  Communications of the ACM, 1970). The less its words narrow it, the more sets a pair is in.

A word's share is that of the papers with its term, 1 for a stop word. Which pairs are kept, and in
how many sets, depends on the product of both shares alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

import numpy as np

from data.index.codec import PackedPostings, narrow, pack_postings, unpack_docs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from data.index.arrays import AnyArray, Bytes, Doubles, Int64s, Mask

SETS: Final = 352
LISTED_SHARE: Final = 32
_FEWEST_LISTED: Final = 64
_STEPS: Final = (0.035, 0.1, 0.25, 0.6)
"""A pair whose product of shares is above the first is kept, above each in one set more."""
_BUCKETS: Final = 1 << 16
_AT_ONCE: Final = 4096
"""Papers whose pairs are put into the sets at a time; a multiple of eight."""
_LOW: Final = (1 << 32) - 1
_MIXERS: Final = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9)
_WORD: Final = (1 << 64) - 1


def pair_arrays(numbers: Int64s, counts: Int64s, shares: Doubles) -> dict[str, AnyArray]:
    """The pairs of some papers, packed.

    `numbers` are the words of all papers, one after the other, `counts` how many each paper has,
    and `shares` the share of each word; that of 0, which ends a field, has to be 0.
    """
    papers = len(counts)
    found = np.zeros(_BUCKETS, np.int64)
    for _, pairs in _pieces(numbers, counts, shares):
        found += np.bincount(_bucket(pairs.hashes), minlength=_BUCKETS)
    least = max(papers // LISTED_SHARE + 1, _FEWEST_LISTED)
    listed, kept, docs = _lists(numbers, counts, shares, found >= least, least)
    sets = np.zeros((SETS, (papers + 7) // 8), np.uint8)
    for begin, pairs in _pieces(numbers, counts, shares):
        size = min(_AT_ONCE, papers - begin)
        unlisted = ~_among(pairs.keys, listed)
        there = np.zeros((SETS, size), np.bool_)
        for which in range(len(_STEPS)):
            mine = unlisted & (pairs.products > _STEPS[which])
            there[_set(pairs.hashes[mine], which), pairs.owners[mine] - begin] = True
        sets[:, begin // 8 : (begin + size + 7) // 8] = np.packbits(
            there, axis=1, bitorder="little"
        )
    packed = pack_postings(kept, docs, np.zeros(len(docs), np.uint8), papers)
    return {
        "pairs.keys": listed,
        "pairs.kinds": packed.kinds,
        "pairs.ends": narrow(packed.ends),
        "pairs.gaps": packed.gaps,
        "pairs.sets": sets,
    }


class _Pairs:
    """The kept pairs of some papers, in the order of the texts."""

    def __init__(self, words: Int64s, owners: Int64s, shares: Doubles) -> None:
        products = shares[words[:-1]] * shares[words[1:]]
        places = (products > _STEPS[0]).nonzero()[0]
        self.products: Doubles = products[places]
        self.owners = owners[places]
        self.keys = (words[places].astype(np.uint64) << np.uint64(32)) | words[places + 1].astype(
            np.uint64
        )
        self.hashes = _mixed(self.keys)


def _pieces(numbers: Int64s, counts: Int64s, shares: Doubles) -> Iterator[tuple[int, _Pairs]]:
    """The pairs of ever more papers, with the first paper's number."""
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    for begin in range(0, len(counts), _AT_ONCE):
        until = min(begin + _AT_ONCE, len(counts))
        owners = np.repeat(np.arange(begin, until), counts[begin:until])
        yield begin, _Pairs(numbers[ends[begin] : ends[until]], owners, shares)


def _lists(
    numbers: Int64s, counts: Int64s, shares: Doubles, full: Mask, least: int
) -> tuple[AnyArray, Int64s, Int64s]:
    """The pairs that `least` papers have, ascending, how many have each, and which those are.

    Pairs outside the `full` buckets are in fewer papers.
    """
    keys: list[AnyArray] = [np.zeros(0, np.uint64)]
    docs: list[Int64s] = [np.zeros(0, np.int64)]
    for _, pairs in _pieces(numbers, counts, shares):
        mine = full[_bucket(pairs.hashes)]
        keys.append(pairs.keys[mine])
        docs.append(pairs.owners[mine])
    names, which = np.unique(np.concatenate(keys), return_inverse=True)
    cells = np.unique(which * max(len(counts), 1) + np.concatenate(docs))
    which, owners = np.divmod(cells, max(len(counts), 1))
    papers = np.bincount(which, minlength=len(names))
    enough = papers >= least
    return names[enough], papers[enough], owners[enough[which]]


def _mixed(keys: AnyArray) -> AnyArray:
    hashes = keys * np.uint64(_MIXERS[0])
    hashes ^= hashes >> np.uint64(29)
    hashes *= np.uint64(_MIXERS[1])
    hashes ^= hashes >> np.uint64(32)
    return hashes


def _mixed_one(key: int) -> int:
    mixed = key * _MIXERS[0] & _WORD
    mixed ^= mixed >> 29
    mixed = mixed * _MIXERS[1] & _WORD
    return mixed ^ mixed >> 32


def _bucket(hashes: AnyArray) -> Int64s:
    return (hashes >> np.uint64(48)).astype(np.int64)


def _set(hashes: AnyArray, which: int) -> Int64s:
    quarters = hashes >> np.uint64(16 * which) & np.uint64(0xFFFF)
    return (quarters * np.uint64(SETS) >> np.uint64(16)).astype(np.int64)


def _among(keys: AnyArray, listed: AnyArray) -> Mask:
    if not len(listed):
        return np.zeros(len(keys), np.bool_)
    return listed[np.minimum(listed.searchsorted(keys), len(listed) - 1)] == keys


class Pairs:
    """The pairs of a segment of `papers` papers, as `pair_arrays` packed them."""

    def __init__(self, arrays: Mapping[str, AnyArray], papers: int) -> None:
        keys = arrays["pairs.keys"].tolist()
        self._lists = PackedPostings(
            arrays["pairs.kinds"],
            arrays["pairs.ends"].astype(np.int64),
            arrays["pairs.gaps"],
            np.zeros(0, np.int64),
            np.zeros(0, np.uint8),
            np.zeros(0, np.uint8),
            np.zeros(0, np.int64),
        )
        self._places = {key: at for at, key in enumerate(keys)}
        self._sets = cast("Bytes", arrays["pairs.sets"])
        self._papers = papers

    def with_all(self, words: Sequence[int], shares: Sequence[float]) -> tuple[Mask | None, bool]:
        """The papers that may have `words`, numbers with their shares, one after the other.

        None stands for all papers. The second says that no more than those have them.
        """
        bits: Bytes | None = None
        sure = len(words) == 2
        for at in range(len(words) - 1):
            product = shares[at] * shares[at + 1]
            if product <= _STEPS[0]:
                sure = False
                continue
            key = words[at] << 32 | words[at + 1]
            place = self._places.get(key)
            if place is not None:
                docs = unpack_docs(self._lists, place, self._papers)
                there = np.zeros(self._papers, np.bool_)
                there[docs] = True
                rows = [np.packbits(there, bitorder="little")]
            else:
                sure = False
                mixed = _mixed_one(key)
                rows = [
                    self._sets[(mixed >> 16 * which & 0xFFFF) * SETS >> 16]
                    for which, step in enumerate(_STEPS)
                    if product > step
                ]
            for row in rows:
                bits = row if bits is None else bits & row
        if bits is None:
            return None, False
        return np.unpackbits(bits, count=self._papers, bitorder="little").view(np.bool_), sure
