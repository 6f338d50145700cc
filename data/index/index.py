"""The search index of a library: papers in, answers out.

The store stays the truth: an index that cannot be read, or whose stamp differs from the store's,
is dropped and built again from there.
"""

from __future__ import annotations

import json
import os
import threading
import zlib
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from data.index.arrays import DamagedError, Mask
from data.index.completion import complete_names, complete_titles
from data.index.documents import (
    Hit,
    IndexDocument,
    SearchFilters,
    SearchResult,
    Snippet,
    Sort,
)
from data.index.search import search
from data.index.segment import Segment, build_segment
from data.index.similar import similar_to_paper, similar_to_text
from data.index.snapshot import Part, Snapshot
from data.index.snippets import best_passage

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

_MANIFEST: Final = "index.json"
_FORMAT: Final = 1


class SearchIndex:
    """An index on disk, or in memory only where `directory` is None.

    Searches see what the last `add` or `remove` left and may run in any number of threads, also
    while another thread adds. `save` makes the present state durable; a directory that is damaged
    opens empty, with `damage` saying what was wrong and `stamp` None.
    """

    def __init__(self, directory: Path | None = None) -> None:
        self._directory = directory
        self._writing = threading.RLock()
        self._files: dict[int, str] = {}
        self._next_file = 1
        self.stamp: str | None = None
        self.damage: str | None = None
        self._snapshot = Snapshot((), 0)
        if directory is not None:
            directory.mkdir(parents=True, exist_ok=True)
            try:
                self._load(directory)
            except DamagedError as problem:
                self.damage = str(problem)
                self.stamp = None
                self._snapshot = Snapshot((), 0)

    def __len__(self) -> int:
        return self._snapshot.count

    @property
    def generation(self) -> int:
        """A number that grows with every change in this process."""
        return self._snapshot.generation

    def ids(self) -> frozenset[int]:
        """The ids of all papers of the index."""
        snapshot = self._snapshot
        ids = snapshot.ids if snapshot.alive is None else snapshot.ids[snapshot.alive]
        return frozenset(ids.tolist())

    def add(self, documents: Iterable[IndexDocument]) -> int:
        """Adds papers, in place of those with the same ids; they can be found on return."""
        fresh = build_segment(documents)
        if not len(fresh):
            return 0
        with self._writing:
            parts = self._without(fresh.ids.tolist())
            self._publish([*parts, Part(fresh, None)])
        return len(fresh)

    def remove(self, ids: Collection[int]) -> int:
        """Removes papers at once; returns how many were there."""
        with self._writing:
            before = len(self)
            self._publish(self._without(ids))
            return before - len(self)

    def _without(self, ids: Collection[int]) -> list[Part]:
        parts: list[Part] = []
        for segment, alive in self._snapshot.parts:
            places = [doc for paper in ids if (doc := segment.doc_of(paper)) >= 0]
            if places:
                left: Mask = np.ones(len(segment), np.bool_) if alive is None else alive.copy()
                left[places] = False
                if left.any():
                    parts.append(Part(segment, left))
            else:
                parts.append(Part(segment, alive))
        return parts

    def _publish(self, parts: list[Part]) -> None:
        self._snapshot = Snapshot(parts, self._snapshot.generation + 1)

    def search(
        self,
        query: str,
        filters: SearchFilters | None = None,
        *,
        limit: int = 5,
        offset: int = 0,
        sort: Sort = "relevance",
    ) -> SearchResult:
        """The papers that answer `query`, best first; never fails, whatever the query is."""
        return search(
            self._snapshot, query, filters or SearchFilters(), limit=limit, offset=offset, sort=sort
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
        return complete_names(self._snapshot, prefix, "authors", limit)

    def complete_topics(self, prefix: str, limit: int = 10) -> list[str]:
        """Topics with words that begin as the typed ones do, most papers first."""
        return complete_names(self._snapshot, prefix, "topics", limit)

    def complete_titles(self, words: str, limit: int = 10) -> list[tuple[int, str]]:
        """(id, title) of papers whose titles have the typed words, the last as a beginning."""
        return complete_titles(self._snapshot, words, limit)

    def save(self, stamp: str | None = None) -> None:
        """Makes the present state durable; a crash at any point leaves this state or the last.

        `stamp` is kept with it, for the caller to see whether the index fits the store.
        """
        with self._writing:
            if stamp is not None:
                self.stamp = stamp
            if self._directory is None:
                return
            entries: list[dict[str, object]] = []
            files: dict[int, str] = {}
            for segment, alive in self._snapshot.parts:
                name = self._files.get(id(segment))
                if name is None:
                    name = f"segment-{self._next_file:06d}.pti"
                    self._next_file += 1
                    segment.write(self._directory / name)
                files[id(segment)] = name
                dead: list[int] = [] if alive is None else np.flatnonzero(~alive).tolist()
                entries.append({"file": name, "dead": dead})
            body = json.dumps(
                {
                    "format": _FORMAT,
                    "stamp": self.stamp,
                    "next": self._next_file,
                    "segments": entries,
                }
            )
            sealed = json.dumps({"crc": zlib.crc32(body.encode()), "body": body})
            temporary = self._directory / f"{_MANIFEST}.new"
            with temporary.open("w", encoding="utf-8") as file:
                file.write(sealed)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self._directory / _MANIFEST)
            self._files = files
            for stray in self._directory.glob("segment-*.pti"):
                if stray.name not in files.values():
                    stray.unlink(missing_ok=True)

    def _load(self, directory: Path) -> None:
        path = directory / _MANIFEST
        if not path.exists():
            return
        try:
            sealed = cast("dict[str, Any]", json.loads(path.read_text("utf-8")))
            body = cast("str", sealed["body"])
            if zlib.crc32(body.encode()) != sealed["crc"]:
                raise DamagedError(f"{path.name} is damaged")
            manifest = cast("dict[str, Any]", json.loads(body))
        except (OSError, ValueError, KeyError, TypeError) as problem:
            raise DamagedError(f"{path.name} cannot be read: {problem}") from problem
        if manifest["format"] != _FORMAT:
            raise DamagedError("the index was written by another version")
        parts: list[Part] = []
        for entry in cast("list[dict[str, Any]]", manifest["segments"]):
            segment = Segment.open(directory / entry["file"])
            if segment.file is not None:
                segment.file.verify()
            alive: Mask | None = None
            if entry["dead"]:
                alive = np.ones(len(segment), np.bool_)
                alive[entry["dead"]] = False
            parts.append(Part(segment, alive))
            self._files[id(segment)] = entry["file"]
        self._next_file = cast("int", manifest["next"])
        self.stamp = cast("str | None", manifest["stamp"])
        self._snapshot = Snapshot(parts, 1)
