"""The words of papers, read back from a segment's word stream and kept for the next query.

The best papers of queries repeat, and the closer look at them (`data.index.ranking`) is most of
what a short query costs. What is kept is bounded by its number of words; a full store is emptied.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from data.index.codec import NO_TERM, TITLE_WEIGHT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data.index.arrays import AnyArray, Doubles, Int32s, Int64s
    from data.index.segment import Segment

END: Final = -2
"""Stands at the end of a title and of an abstract."""
OTHER: Final = -1
"""Stands for a word that is no term."""
_MOST_KEPT: Final = 12_000_000


class Uses(NamedTuple):
    """The terms of some papers, each once for each paper: which paper has it, its place in
    `Segment.terms`, and how often it is there, title words weighted."""

    owners: Int64s
    places: Int64s
    counts: Doubles


class Readback:
    """Reads papers of one segment by their document numbers."""

    def __init__(self, segment: Segment) -> None:
        self._segment = segment
        self._texts: dict[int, Int32s] = {}
        self._kept = 0

    @cached_property
    def _place_of_code(self) -> Int32s:
        terms = self._segment.code_terms
        places: Int32s = np.where(terms == NO_TERM, OTHER, terms.astype(np.int64)).astype(np.int32)
        places[0] = END
        return places

    def texts(self, docs: Sequence[int]) -> list[Int32s]:
        """The words of each paper in order, as places of terms, `OTHER` or `END`."""
        kept = self._texts
        found = [kept.get(doc) for doc in docs]
        missing = [doc for doc, text in zip(docs, found, strict=True) if text is None]
        if missing:
            words, ends = self._read(missing)
            fresh = dict(zip(missing, _cut(words, ends), strict=True))
            self._kept += len(words)
            if self._kept > _MOST_KEPT:
                kept.clear()
                self._kept = len(words)
            kept.update(fresh)
            return [
                fresh[doc] if text is None else text for doc, text in zip(docs, found, strict=True)
            ]
        return found  # pyright: ignore[reportReturnType] - none is missing

    def uses(self, docs: Sequence[int]) -> Uses:
        """The terms of some papers, ordered by term, then paper."""
        words = np.concatenate(self.texts(docs))
        # Every paper has two fields, and each of them ends with `END`.
        lengths = np.diff((words == END).nonzero()[0], prepend=-1)
        fields = np.repeat(np.arange(2 * len(docs)), lengths)
        terms = (words >= 0).nonzero()[0]
        cells = words.take(terms).astype(np.int64) * (2 * len(docs)) + fields.take(terms)
        cells.sort()
        worth = np.array([TITLE_WEIGHT, 1.0]).take(cells & 1)
        cells >>= 1
        starts = changes(cells)
        places, owners = np.divmod(cells.take(starts), len(docs))
        return Uses(owners, places, np.add.reduceat(worth, starts) if len(starts) else worth)

    def counts(self, docs: Sequence[int], wanted: Sequence[int]) -> Doubles:
        """How often each paper (a row) has each of the `wanted` places of terms (a column), title
        words weighted."""
        texts = self.texts(docs)
        words = np.concatenate(texts)
        slots = self._segment.slots(words, wanted)
        hits = slots.nonzero()[0]
        fields = (words == END).nonzero()[0].searchsorted(hits)
        worth = np.array([TITLE_WEIGHT, 1.0]).take(fields & 1)
        size = len(docs) * len(wanted)
        cells = (fields >> 1) * len(wanted) + slots.take(hits) - 1
        counts: Doubles = np.bincount(cells, worth, size).astype(np.float64, copy=False)
        return counts.reshape(len(docs), len(wanted))

    def _read(self, docs: Sequence[int]) -> tuple[Int32s, Int64s]:
        codes, ends = self._segment.stream(np.array(docs, np.int64))
        return self._place_of_code.take(codes), ends


def changes(ordered: AnyArray) -> Int64s:
    """Where another number begins."""
    fresh = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=fresh[1:])
    return fresh.nonzero()[0]


def _cut(words: Int32s, ends: Int64s) -> list[Int32s]:
    until = ends.tolist()
    return [words[low:high] for low, high in zip([0, *until], until, strict=False)]
