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

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data.index.arrays import Floats, Int64s
    from data.index.snapshot import Snapshot

COMMON_SHARE: Final = 24
"""A word is common from one in so many papers on."""
MARGIN: Final = 1e-3
"""What rounding may add to a score or take from it."""


def least_score(found: Floats, depth: int) -> float:
    """The score that exactly `depth` of the scores reach; -inf if there are fewer."""
    if len(found) < depth:
        return -np.inf
    return float(np.partition(found, len(found) - depth)[len(found) - depth])


class Word(NamedTuple):
    """A word of a query: how many papers have it, its term, what it counts, and the most that it
    can add to a paper's score."""

    papers: int
    term: str
    weight: float
    most: float


def add_to_best(
    snapshot: Snapshot, scores: Floats, docs: Int64s, words: Sequence[Word], depth: int
) -> Int64s:
    """Adds words to the scores of `docs` (ascending) alone, and of ever fewer of them.

    Returns those that are left, among which the best `depth` are with their whole scores.
    """
    rest = sum(word.most for word in words)
    for word in words:
        found = snapshot.weigh(snapshot.among(word.term, docs), idf=snapshot.idf(word.papers))
        scores[found.docs] += np.float32(word.weight) * found.weights
        rest -= word.most
        if len(docs) > 2 * depth:
            own = scores[docs]
            docs = docs[own >= least_score(own, depth) - rest - MARGIN]
    return docs


def union_size(snapshot: Snapshot, lists: Sequence[Int64s], terms: Sequence[str]) -> int:
    """How many papers are in `lists` or have one of `terms`."""
    met = np.zeros(snapshot.size, np.bool_)
    for docs in lists:
        met[docs] = True
    total = 0
    for (segment, alive), base in zip(snapshot.parts, snapshot.bases, strict=False):
        here = met[base : base + len(segment)]
        places = [place for term in terms if (place := segment.place_of(term)) >= 0]
        bitmaps = [bits for place in places if (bits := segment.bitmap(place)) is not None]
        for place in places:
            if segment.bitmap(place) is None:
                here[segment.postings_at(place).docs] = True
        bits = np.packbits(here, bitorder="little")
        for each in bitmaps:
            bits |= each
        if alive is not None:
            bits &= np.packbits(alive, bitorder="little")
        total += int(np.bitwise_count(bits).sum())
    return total
