"""Keeps the last answers of one view of the index.

The same search comes again when somebody turns a page and back, when two people look for the same
paper, or when a filter is set and taken off. What is kept belongs to a view, and so is gone with
the next paper that is added or removed.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Hashable

    from data.index.documents import SearchFilters, SearchResult

_MOST: Final = 500
_MOST_HITS: Final = 100
_MOST_PAPERS: Final = 200
"""Corrections and votes of more papers take longer to compare than they save."""


class Answers:
    """Answers by everything that was asked; any number of threads may use it."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, SearchResult] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> SearchResult | None:
        """The answer to the same search, if it is still there."""
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def keep(self, key: Hashable, answer: SearchResult) -> None:
        """Keeps an answer, in place of the one that was asked for longest ago."""
        if len(answer.hits) <= _MOST_HITS:
            with self._lock:
                self._kept[key] = answer
                if len(self._kept) > _MOST:
                    self._kept.popitem(last=False)


def key_of(filters: SearchFilters) -> Hashable | None:
    """All that filters say, as it is now; None where it is too much to compare."""
    if len(filters.tags) + len(filters.votes) > _MOST_PAPERS:
        return None
    return (
        (filters.tag, filters.author, filters.topic, filters.source, filters.since, filters.until),
        frozenset(filters.tags.items()),
        frozenset(filters.votes.items()),
    )
