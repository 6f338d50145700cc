"""Sets of papers as ascending arrays of document numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data.index.arrays import Int64s, Mask

_MANY: Final = 1_000
_MASKED: Final = 50
"""One look-up by bisection takes as long as so many bytes of a mask."""


def in_all(lists: Sequence[Int64s]) -> Int64s:
    """What is in every list, the shortest looked up in the others."""
    if not lists:
        return np.zeros(0, np.int64)
    by_size = sorted(lists, key=len)
    docs = by_size[0]
    for other in by_size[1:]:
        if not len(docs):
            return docs
        docs = docs[contained(docs, other)]
    return docs


def in_any(lists: Sequence[Int64s]) -> Int64s:
    """What is in at least one list."""
    if not lists:
        return np.zeros(0, np.int64)
    if len(lists) == 1:
        return lists[0]
    return distinct(np.concatenate(lists))


def distinct(docs: Int64s) -> Int64s:
    """The different numbers of `docs`, ascending; quick where `docs` are ascending runs."""
    ordered = np.sort(docs, kind="stable")
    first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def without(docs: Int64s, excluded: Sequence[Int64s]) -> Int64s:
    """`docs` less everything excluded."""
    for unwanted in excluded:
        docs = docs[~contained(docs, unwanted)]
    return docs


def contained(docs: Int64s, others: Int64s) -> Mask:
    """Whether each of `docs` is in `others`, which are ascending."""
    if not len(others):
        return np.zeros(len(docs), np.bool_)
    if len(docs) > _MANY:
        size = max(int(others[-1]), int(docs.max())) + 1
        if size < _MASKED * len(docs):
            return mask_of(others, size)[docs]
    places = np.minimum(np.searchsorted(others, docs), len(others) - 1)
    return others[places] == docs


def rows_of(docs: Int64s, others: Int64s) -> Int64s | Mask:
    """What takes from an array beside `others` the items of `docs`, which all are in `others`."""
    if len(docs) > _MANY and len(others) < _MASKED * len(docs):
        return contained(others, docs)
    return others.searchsorted(docs)


def mask_of(docs: Int64s, size: int) -> Mask:
    """A mask that is true at `docs`."""
    mask = np.zeros(size, np.bool_)
    mask[docs] = True
    return mask
