"""The search index of a library: papers in, answers out.

The store stays the truth: an index that cannot be read, or whose stamp differs from the store's,
is dropped and built again from there.
"""

from __future__ import annotations

import threading
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from data.index.arrays import DamagedError
from data.index.building import build_segment
from data.index.completion import complete_authors, complete_titles, complete_topics
from data.index.directory import IndexDirectory, verify
from data.index.lexicon import Lexicon
from data.index.merging import merge_segments
from data.index.search import answer, search
from data.index.similar import similar_to_paper, similar_to_text
from data.index.snapshot import Part, Snapshot
from data.index.snippets import best_passage
from data.index.upkeep import due

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from data.index.arrays import Mask
    from data.index.documents import (
        Hit,
        IndexDocument,
        SearchFilters,
        SearchResult,
        Snippet,
        Sort,
    )
    from data.index.query import Query
    from data.index.segment import Segment

MOST_BUILT: Final = 10_000
"""Papers that become one segment at once: more would take more memory than it saves time."""


class SearchIndex:
    """An index on disk, or in memory only where `directory` is None.

    Searches see what the last `add` or `remove` left and may run in any number of threads, also
    while another thread adds. `save` makes the present state durable; a directory that is damaged
    opens empty, with `damage` saying what was wrong and `stamp` None. Segments are merged by a
    thread of the index's own unless `background` is False; then `settle` merges.
    """

    def __init__(self, directory: Path | None = None, *, background: bool = True) -> None:
        self._directory = None if directory is None else IndexDirectory(directory)
        self._background = background
        self._writing = threading.RLock()
        self._merging = threading.Lock()
        self._worker: threading.Thread | None = None
        self._closed = False
        self._unsaved = False
        self.stamp: str | None = None
        self.damage: str | None = None
        self._snapshot = Snapshot((), 0)
        if self._directory is not None:
            self._open(self._directory)

    def _open(self, directory: IndexDirectory) -> None:
        try:
            opened = directory.load()
        except DamagedError as problem:
            self.damage = str(problem)
            return
        self.stamp = opened.stamp
        self._snapshot = Snapshot(opened.parts, 1)
        if opened.unverified:
            threading.Thread(target=self._verify, name="index-verify", daemon=True).start()

    def _verify(self) -> None:
        """Checks a large index while it already answers; drops it where it is damaged."""
        parts = self._snapshot.parts
        try:
            verify(parts)
        except DamagedError as problem:
            with self._writing:
                self.damage = str(problem)
                self.stamp = None
                damaged = {id(part.segment) for part in parts}
                self._publish([p for p in self._snapshot.parts if id(p.segment) not in damaged])

    def __len__(self) -> int:
        return self._snapshot.count

    @property
    def generation(self) -> int:
        """A number that grows with every change in this process."""
        return self._snapshot.generation

    @property
    def segments(self) -> int:
        """How many segments a search reads now."""
        return len(self._snapshot.parts)

    def ids(self) -> frozenset[int]:
        """The ids of all papers of the index."""
        snapshot = self._snapshot
        return frozenset(snapshot.ids[snapshot.everything()].tolist())

    def add(self, documents: Iterable[IndexDocument]) -> int:
        """Adds papers, in place of those with the same ids; they can be found on return.

        Returns how many papers were added or replaced.
        """
        remaining = iter(documents)
        added = 0
        lexicon = Lexicon()
        while batch := list(islice(remaining, MOST_BUILT)):
            fresh = build_segment(batch, lexicon)
            lexicon = Lexicon() if lexicon.is_full else lexicon
            added += len(fresh)
            self.add_segment(fresh)
        return added

    def add_segment(self, fresh: Segment) -> None:
        """Adds the papers of a segment that `build_segment` made, as `add` does."""
        if not len(fresh):
            return
        with self._writing:
            parts = _without(self._snapshot.parts, fresh.ids.tolist())
            self._publish([*parts, Part(fresh, None)])
        self._start_merging()

    def remove(self, ids: Collection[int]) -> int:
        """Removes papers at once; returns how many were there."""
        with self._writing:
            before = len(self)
            self._publish(_without(self._snapshot.parts, ids))
            return before - len(self)

    def _publish(self, parts: list[Part]) -> None:
        self._unsaved = True
        self._snapshot = Snapshot(parts, self._snapshot.generation + 1)

    def _start_merging(self) -> None:
        with self._writing:
            if not self._background or self._closed or not due(self._snapshot.parts):
                return
            if self._worker is None or not self._worker.is_alive():
                self._worker = threading.Thread(target=self.settle, name="index-merge", daemon=True)
                self._worker.start()

    def settle(self) -> None:
        """Merges segments until none are due; searches and additions go on meanwhile."""
        with self._merging:
            while not self._closed and (group := due(self._snapshot.parts)):
                self._merge(group)

    def optimise(self) -> None:
        """Merges everything into one segment, as a rebuild would have it."""
        with self._merging:
            if len(self._snapshot.parts) > 1 or self._snapshot.alive is not None:
                self._merge(list(self._snapshot.parts))

    def _merge(self, group: list[Part]) -> None:
        merged = merge_segments(group)
        with self._writing:
            gone: list[int] = []
            old = {id(part.segment): part for part in group}
            kept: list[Part] = []
            for part in self._snapshot.parts:
                before = old.pop(id(part.segment), None)
                if before is None:
                    kept.append(part)
                else:
                    gone += _died_since(before, part)
            for before in old.values():
                gone += _died_since(before, None)
            (fresh,) = _without([Part(merged, None)], gone) or [None]
            was_saved = not self._unsaved
            self._publish([fresh, *kept] if fresh is not None else kept)
            if was_saved and self._directory is not None:
                self.save()

    def search(
        self,
        query: str,
        filters: SearchFilters | None = None,
        *,
        limit: int = 5,
        offset: int = 0,
        sort: Sort = "relevance",
        facets: bool = False,
    ) -> SearchResult:
        """The papers that answer `query`, best first; never fails, whatever the query is.

        `facets` asks for counts over the whole result by tag, topic, year and source.
        """
        return search(
            self._snapshot, query, filters, limit=limit, offset=offset, sort=sort, facets=facets
        )

    def answer(self, query: Query, filters: SearchFilters, *, limit: int) -> SearchResult:
        """Answers a query that is parsed already; without suggestions."""
        return answer(
            self._snapshot,
            query,
            filters,
            limit=limit,
            offset=0,
            sort="relevance",
            facets=False,
            helped=False,
        )

    def similar(self, paper_id: int, limit: int = 5) -> tuple[Hit, ...]:
        """The papers most like a paper, without itself; none for an unknown id."""
        return similar_to_paper(self._snapshot, paper_id, limit)

    def similar_to_text(self, text: str, limit: int = 5) -> tuple[Hit, ...]:
        """The papers most like a pasted text, such as an abstract."""
        return similar_to_text(self._snapshot, text, limit)

    def snippet(self, text: str, terms: Collection[str], max_chars: int = 280) -> Snippet:
        """The passage of `text` that shows the most of `terms` (see `SearchResult.terms`)."""
        return best_passage(text, terms, max_chars)

    def complete_authors(self, prefix: str, limit: int = 10) -> list[str]:
        """Author names with words that begin as the typed ones do, most papers first."""
        return complete_authors(self._snapshot, prefix, limit)

    def complete_topics(self, prefix: str, limit: int = 10) -> list[str]:
        """Topics with words that begin as the typed ones do, most papers first."""
        return complete_topics(self._snapshot, prefix, limit)

    def complete_titles(self, words: str, limit: int = 10) -> list[tuple[int, str]]:
        """(id, title) of papers whose titles have the typed words, the last as a beginning."""
        return complete_titles(self._snapshot, words, limit)

    def save(self, stamp: str | None = None) -> None:
        """Makes the present state durable; a crash at any point leaves this state or the last.

        `stamp` is kept with it, for the caller to see whether the index fits the store; None
        keeps the present stamp. Raises OSError where the disk refuses.
        """
        with self._writing:
            if stamp is not None:
                self.stamp = stamp
            if self._directory is not None:
                self._directory.store(self._snapshot.parts, self.stamp)
            self._unsaved = False

    def close(self) -> None:
        """Waits for a merge that is under way and starts no more. Safe to call twice."""
        self._closed = True
        worker = self._worker
        if worker is not None and worker is not threading.current_thread():
            worker.join()


def _without(parts: Iterable[Part], ids: Collection[int]) -> list[Part]:
    """Segments less some papers; one that has none left is dropped."""
    wanted = np.fromiter(ids, np.int64, len(ids))
    left: list[Part] = []
    for segment, alive in parts:
        places = np.minimum(np.searchsorted(segment.ids, wanted), len(segment) - 1)
        places = places[segment.ids[places] == wanted]
        if len(places):
            still: Mask = np.ones(len(segment), np.bool_) if alive is None else alive.copy()
            still[places] = False
            if still.any():
                left.append(Part(segment, still))
        else:
            left.append(Part(segment, alive))
    return left


def _died_since(before: Part, now: Part | None) -> list[int]:
    """The ids of papers that a segment lost while it was being merged."""
    there: Mask = np.ones(len(before.segment), np.bool_) if before.alive is None else before.alive
    if now is None:
        return before.segment.ids[there].tolist()
    if now.alive is None:
        return []
    return before.segment.ids[there & ~now.alive].tolist()
