"""What one search sees: all segments at one moment, as if they were one."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Final, NamedTuple, cast

import numpy as np

from data.index.segment import MOST_BODY, Lists, Segment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data.index.arrays import AnyArray, Bytes, Floats, Int32s, Int64s, Mask

TITLE_WEIGHT: Final = 3.0
"""How often a word of the title counts, beside once for each time in the abstract."""

_CACHED_POSTINGS: Final = 4_000_000


class Part(NamedTuple):
    """A segment with the papers of it that are still there (None: all of them)."""

    segment: Segment
    alive: Mask | None


class Postings(NamedTuple):
    """The papers with a term over all segments: document numbers and packed frequencies."""

    docs: Int64s
    codes: Bytes


_NONE: Final = Postings(np.zeros(0, np.int64), np.zeros(0, np.uint8))

FREQUENCIES: Final[Floats] = np.array(
    [TITLE_WEIGHT * (code // (MOST_BODY + 1)) + code % (MOST_BODY + 1) for code in range(256)],
    np.float32,
)


class Snapshot:
    """An unchanging view over segments; document numbers run through all of them."""

    def __init__(self, parts: Sequence[Part], generation: int) -> None:
        self.parts = tuple(parts)
        self.generation = generation
        self.bases = np.cumsum([0, *(len(part.segment) for part in parts)]).tolist()
        self.size: int = self.bases[-1]
        segments = [part.segment for part in parts]
        self.ids: Int64s = _joined([segment.ids for segment in segments], np.int64)
        self.days: Int32s = _joined([segment.days for segment in segments], np.int32)
        self.tags: Bytes = _joined([segment.tags for segment in segments], np.uint8)
        titles: Int64s = _joined([s.title_lengths for s in segments], np.int64)
        bodies: Int64s = _joined([s.body_lengths for s in segments], np.int64)
        self.alive: Mask | None = None
        if any(part.alive is not None for part in parts):
            self.alive = np.concatenate(
                [np.ones(len(p.segment), np.bool_) if p.alive is None else p.alive for p in parts]
            )
        lengths = TITLE_WEIGHT * titles + bodies
        alive_lengths = lengths if self.alive is None else lengths[self.alive]
        self.count = len(alive_lengths)
        average = float(alive_lengths.mean()) if self.count else 1.0
        self.relative_lengths: Floats = (lengths / max(average, 1.0)).astype(np.float32)
        self._cache: OrderedDict[str, Postings] = OrderedDict()
        self._cached = 0
        self._lock = threading.Lock()

    def postings(self, term: str) -> Postings:
        """The papers with `term` that are still there."""
        with self._lock:
            found = self._cache.get(term)
            if found is not None:
                self._cache.move_to_end(term)
                return found
        found = self._read(term)
        with self._lock:
            if term not in self._cache:
                self._cache[term] = found
                self._cached += len(found.docs) + 16
                while self._cached > _CACHED_POSTINGS and len(self._cache) > 1:
                    _, dropped = self._cache.popitem(last=False)
                    self._cached -= len(dropped.docs) + 16
        return found

    def _read(self, term: str) -> Postings:
        docs: list[Int64s] = []
        codes: list[Bytes] = []
        for part, base in zip(self.parts, self.bases, strict=False):
            found = part.segment.postings(term)
            if found is None:
                continue
            here = found.docs
            there = found.codes
            if part.alive is not None:
                keep = part.alive[here]
                here, there = here[keep], there[keep]
            docs.append(here.astype(np.int64) + base)
            codes.append(there)
        if not docs:
            return _NONE
        return Postings(np.concatenate(docs), np.concatenate(codes))

    def prefixed(self, prefix: str, most: int = 200) -> list[str]:
        """Terms that begin with `prefix`, at most `most` of them in each segment."""
        found: set[str] = set()
        for part in self.parts:
            table = part.segment.terms
            places = table.prefixed(prefix)
            found.update(table.get(at) for at in places[:most])
        return sorted(found)

    def with_key(self, key: int) -> list[int]:
        """The papers with an identifier or title key."""
        return [
            base + int(doc)
            for part, base in zip(self.parts, self.bases, strict=False)
            for doc in part.segment.with_key(key)
            if part.alive is None or part.alive[doc]
        ]

    def doc_of(self, paper_id: int) -> int:
        """The document number of a paper, or -1."""
        for part, base in zip(self.parts, self.bases, strict=False):
            doc = part.segment.doc_of(paper_id)
            if doc >= 0 and (part.alive is None or part.alive[doc]):
                return base + doc
        return -1

    def place(self, doc: int) -> tuple[Segment, int]:
        """The segment of a paper and its document number there."""
        at = int(np.searchsorted(np.array(self.bases), doc, "right")) - 1
        return self.parts[at].segment, doc - self.bases[at]

    def names(self, doc: int, kind: str) -> list[str]:
        """The authors, topics or sources of a paper as they were given."""
        segment, local = self.place(doc)
        lists = cast("Lists", getattr(segment, kind))
        return [lists.names.get(int(at)) for at in lists.of(local)]

    def surfaces(self, doc: int) -> tuple[list[str], list[str]]:
        """The words of a paper's title and abstract, folded but not stemmed."""
        segment, local = self.place(doc)
        codes = segment.stream(local).tolist()
        end = codes.index(0)
        table = segment.surfaces
        return (
            [table.get(code - 1) for code in codes[:end]],
            [table.get(code - 1) for code in codes[end + 1 :]],
        )


def _joined(arrays: Sequence[AnyArray], kind: type[np.generic]) -> AnyArray:
    return np.concatenate(arrays).astype(kind) if arrays else np.zeros(0, kind)
