"""Leaves out work that cannot change the first results: the idea of MaxScore.

Turtle & Flood (Information Processing & Management, 1995): words are added from the rarest to the
most common. Once all words still to come together cannot lift a new paper among the best `depth`,
they are looked up for the papers that can still be among those, instead of being added up over
half the library. The best papers and their scores are the same to the last bit; how many papers
match is counted from bitmaps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from data.index.segment import AUTHOR
from data.index.snapshot import ABSENT, COUNTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data.index.arrays import AnyArray, Floats, Int64s
    from data.index.snapshot import Snapshot

COMMON_SHARE: Final = 24
"""A word is common from one in so many papers on."""
MARGIN: Final = 1e-3
"""What rounding may add to a score or take from it."""
_MANY: Final = 200
"""From so many papers for each one that is wanted on, a closer bound pays."""


def least_score(found: Floats, depth: int) -> float:
    """The score that exactly `depth` of the scores reach; -inf if there are fewer."""
    if len(found) < depth:
        return -np.inf
    columns = 8 * depth
    rows = len(found) // columns
    if rows > 2:
        # The highest of each column are scores too, so that the one sought is not below theirs.
        highest = found[: rows * columns].reshape(rows, columns).max(axis=0)
        highest.partition(columns - depth)
        found = found[found >= highest[columns - depth]]
    return float(np.partition(found, len(found) - depth)[len(found) - depth])


class Word(NamedTuple):
    """A word of a query: how many papers have it, its term, what it counts, and the most that it
    can add to a paper's score."""

    papers: int
    term: str
    weight: float
    most: float


def add_to_best(
    snapshot: Snapshot, docs: Int64s, own: Floats, words: Sequence[Word], depth: int
) -> tuple[Int64s, Floats]:
    """Adds common words to `own`, the scores of `docs`, in place, and of ever fewer of them.

    Returns those that are left with their scores; the best `depth` papers are among them.
    """
    rest = sum(word.most for word in words)
    least = -np.inf
    if len(docs) > _MANY * depth:
        # The best papers so far are added up at once: no paper is wanted that stays below them.
        ahead = (own >= least_score(own, 2 * depth)).nonzero()[0]
        sums = own.take(ahead)
        some = docs.take(ahead)
        pivots = snapshot.pivots.take(some, mode="wrap")
        for word in words:
            sums += _added(snapshot, word, some, pivots)
        least = least_score(sums, depth)
        docs, own = _at_least(least - rest, own, docs, own)
    pivots = snapshot.pivots.take(docs, mode="wrap")
    for word in words:
        own += _added(snapshot, word, docs, pivots)
        rest -= word.most
        if len(docs) > 2 * depth:
            least = max(least, least_score(own, depth))
            docs, own, pivots = _at_least(least - rest, own, docs, own, pivots)
    return docs, own


def _added(snapshot: Snapshot, word: Word, docs: Int64s, pivots: Floats) -> Floats:
    """What a common word adds to the scores of some papers."""
    codes = snapshot.common(word.term).codes.take(docs, mode="wrap")
    if word.term[0] == AUTHOR:
        found = np.float32(snapshot.idf(word.papers)) * (codes != ABSENT)
    else:
        found = COUNTS.take(codes, mode="wrap")
        found /= found + pivots
        found *= np.float32(snapshot.idf(word.papers))
    return found if word.weight == 1.0 else np.float32(word.weight) * found


def _at_least(least: float, own: Floats, *arrays: AnyArray) -> list[AnyArray]:
    """Of each of the arrays what stands where a score can still reach `least`."""
    keep = (own >= least - MARGIN).nonzero()[0]
    return [each.take(keep) for each in arrays] if len(keep) < len(own) else list(arrays)


def union_size(snapshot: Snapshot, lists: Sequence[Int64s], terms: Sequence[str]) -> int:
    """How many papers are in `lists`, which are disjoint, or have one of the common `terms`."""
    words = [snapshot.common(term) for term in terms]
    bits = words[0].bits
    for word in words[1:]:
        bits = bits | word.bits
    listed = sum(map(len, lists))
    if listed * len(words) > snapshot.size // 8:
        met = np.unpackbits(bits.view(np.uint8))
        for docs in lists:
            met[docs] = 1
        return int(np.count_nonzero(met.view(np.bool_)))
    total = int(np.bitwise_count(bits).sum())
    for docs in lists:
        rest = docs
        for word in words:
            rest = rest[word.codes[rest] == ABSENT]
        total += len(rest)
    return total
