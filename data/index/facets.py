"""Counts over a whole result: by tag, topic, year and source."""

from __future__ import annotations

from collections import Counter
from datetime import date
from typing import TYPE_CHECKING, Final

import numpy as np

from data.index.days import dated_days
from data.index.documents import Facets
from data.index.filters import tag_codes
from data.index.segment import TAGS

if TYPE_CHECKING:
    from data.index.arrays import Int64s
    from data.index.documents import SearchFilters
    from data.index.snapshot import Snapshot

_MOST: Final = 25


def facets_of(snapshot: Snapshot, docs: Int64s, filters: SearchFilters) -> Facets:
    """How many of `docs` (ascending) have each tag, topic, year and source, most first.

    A paper without a date counts for no year.
    """
    tags = np.bincount(tag_codes(snapshot, filters.tags)[docs], minlength=len(TAGS))
    named = [(name, int(n)) for name, n in zip(TAGS, tags, strict=True) if name and n]
    days, counts = np.unique(dated_days(snapshot.days[docs]), return_counts=True)
    years: Counter[int] = Counter()
    for day, number in zip(days.tolist(), counts.tolist(), strict=True):
        years[date.fromordinal(day).year] += number
    return Facets(
        tags=tuple(sorted(named, key=lambda pair: (-pair[1], pair[0]))),
        topics=_listed(snapshot, docs, "topics"),
        years=tuple(sorted(years.items(), reverse=True)),
        sources=_listed(snapshot, docs, "sources"),
    )


def _listed(snapshot: Snapshot, docs: Int64s, kind: str) -> tuple[tuple[str, int], ...]:
    totals: Counter[str] = Counter()
    for at, local in snapshot.split(docs):
        segment = snapshot.parts[at].segment
        lists = segment.topics if kind == "topics" else segment.sources
        chosen = np.zeros(len(segment), np.bool_)
        chosen[local] = True
        items = lists.items[np.repeat(chosen, np.diff(lists.starts))]
        for place, number in enumerate(np.bincount(items, minlength=0).tolist()):
            if number:
                totals[lists.names.get(place)] += number
    ranked = sorted(totals.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(ranked[:_MOST])
