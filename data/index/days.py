"""The day of a paper as one number, by which papers are ordered and narrowed.

Twice the ordinal day, and one more where a source gave the date. A paper without one is ordered
by the day on which it was first seen, and belongs to no year and no span of days.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from data.index.arrays import AnyArray, Int64s, Mask
    from data.index.documents import IndexDocument


def day_numbers(papers: Iterable[IndexDocument]) -> Int64s:
    """The number of each paper's day; the later, the larger."""
    return np.array([2 * p.day.toordinal() + p.dated for p in papers], np.int64)


def within(numbers: AnyArray, first: date, last: date) -> Mask:
    """Which papers have a date of these days, both included."""
    dated = (numbers & 1).astype(np.bool_)
    return dated & (numbers >= 2 * first.toordinal()) & (numbers <= 2 * last.toordinal() + 1)


def dated_days(numbers: AnyArray) -> Int64s:
    """The ordinal days of the papers that have a date."""
    return numbers[(numbers & 1) == 1].astype(np.int64) >> 1
