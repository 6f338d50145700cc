"""What one search sees: all segments at one moment, as if they were one."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, cast

import numpy as np

from data.index.answers import Answers
from data.index.codec import IN_BODY, NO_TERM, TITLE_CODE, TITLE_WEIGHT, frequencies
from data.index.segment import AUTHOR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data.index.arrays import AnyArray, Bytes, Floats, Int32s, Int64s, Mask, UInt64s
    from data.index.query import TextField
    from data.index.segment import Lists, Segment

SATURATION: Final = 1.8
"""Half of a word's full weight is reached at this many uses in a paper of average length."""
LENGTH_SLOPE: Final = 0.6
"""How much longer papers are held back: 0 not at all, 1 in proportion to their length."""

FREQUENCIES: Final = frequencies(TITLE_WEIGHT)
ABSENT: Final = len(FREQUENCIES)
"""The frequency code of a paper that does not have a term."""
COUNTS: Final[Floats] = np.append(FREQUENCIES, np.float32(0))
"""What each frequency code counts for, nothing for `ABSENT`."""
_CACHED: Final = 4_000_000
_CACHED_A_PAPER: Final = 12
_COMMON: Final = 32_000_000
_COMMON_A_PAPER: Final = 200
_REMEMBERED: Final = 200_000


class Part(NamedTuple):
    """A segment with the papers of it that are still there (None: all of them)."""

    segment: Segment
    alive: Mask | None


class Postings(NamedTuple):
    """The papers with a term over all segments: document numbers and frequency codes."""

    docs: Int64s
    codes: Bytes


class Weighted(NamedTuple):
    """The papers with a term and what the term adds to the score of each."""

    docs: Int64s
    weights: Floats
    idf: float


class Common(NamedTuple):
    """A term that many papers have: the frequency code of every paper, `ABSENT` where it is not,
    and a bit for each paper, set where it is."""

    codes: Bytes
    bits: UInt64s


_NO_POSTINGS: Final = Postings(np.zeros(0, np.int64), np.zeros(0, np.uint8))
_NO_WEIGHTS: Final = Weighted(np.zeros(0, np.int64), np.zeros(0, np.float32), 0.0)


def inverse_document_frequency(papers_with_it: int, papers: int) -> float:
    """ln(1 + (N - n + 0.5) / (n + 0.5)): never negative, near zero for a word in all papers.

    Robertson & Sparck Jones (1976) as made non-negative in Lucene's BM25Similarity.
    """
    return math.log(1 + (papers - papers_with_it + 0.5) / (papers_with_it + 0.5))


class Snapshot:
    """An unchanging view over segments; document numbers run through all of them."""

    def __init__(self, parts: Sequence[Part], generation: int) -> None:
        self.parts = tuple(parts)
        self.generation = generation
        self.bases: list[int] = [0]
        for part in parts:
            self.bases.append(self.bases[-1] + len(part.segment))
        self.size = self.bases[-1]
        segments = [part.segment for part in parts]
        self.ids: Int64s = _joined([segment.ids for segment in segments], np.int64)
        self.days: Int32s = _joined([segment.days for segment in segments], np.int32)
        """As `data.index.days` numbers them."""
        self.tags: Bytes = _joined([segment.tags for segment in segments], np.uint8)
        titles: Int64s = _joined([s.title_lengths for s in segments], np.int64)
        bodies: Int64s = _joined([s.body_lengths for s in segments], np.int64)
        self.alive: Mask | None = None
        if any(part.alive is not None for part in parts):
            self.alive = np.concatenate(
                [np.ones(len(p.segment), np.bool_) if p.alive is None else p.alive for p in parts]
            )
        lengths = int(TITLE_WEIGHT) * titles + bodies
        there = lengths if self.alive is None else lengths[self.alive]
        self.count = len(there)
        average = max(int(there.sum()) / self.count, 1.0) if self.count else 1.0
        slope = SATURATION * LENGTH_SLOPE / average
        self.pivots: Floats = (SATURATION * (1 - LENGTH_SLOPE) + slope * lengths).astype(np.float32)
        """The frequency at which a term has half its weight, for each paper's length."""
        largest = float(FREQUENCIES.max())
        self.largest_share = largest / (largest + float(self.pivots.min(initial=1e9)))
        """No term has more of its inverse document frequency than this in any paper."""
        self._cache: OrderedDict[str, Weighted] = OrderedDict()
        self._cached = 0
        self._most_cached = max(_CACHED, _CACHED_A_PAPER * self.size)
        self._common: OrderedDict[str, Common] = OrderedDict()
        self._most_common = max(_COMMON, _COMMON_A_PAPER * self.size)
        self._frequencies: dict[str, int] = {}
        self._idfs: dict[str, float] = {}
        self._numbers: dict[int, Int64s] = {}
        self._number_of: dict[str, int] = {}
        self._numbered: list[str] = []
        self.answers = Answers()
        self._lock = threading.Lock()
        self._scratch = threading.local()

    def postings(self, term: str) -> Postings:
        """The papers with `term` that are still there."""
        found: list[Postings] = []
        for (segment, alive), base in zip(self.parts, self.bases, strict=False):
            here = segment.postings(term)
            if here is None:
                continue
            docs, codes = here
            if alive is not None:
                keep = alive[docs]
                docs, codes = docs[keep], codes[keep]
            if base:
                docs = docs + base
            found.append(Postings(docs, codes))
        return _one(found)

    def common(self, term: str) -> Common:
        """The same for a term that many papers have; kept for the next query."""
        with self._lock:
            found = self._common.get(term)
            if found is not None:
                self._common.move_to_end(term)
        if found is None:
            docs, codes = self.postings(term)
            everyone = np.full(-(-self.size // 64) * 64, ABSENT, np.uint8)
            everyone[docs] = codes
            bits = np.packbits(everyone != ABSENT).view(np.uint64)
            found = Common(everyone, bits)
            with self._lock:
                while len(self._common) * self.size > self._most_common:
                    self._common.popitem(last=False)
                self._common[term] = found
        return found

    def weighted(self, term: str) -> Weighted:
        """The papers with `term` and its TF-IDF weight in each; kept for the next query."""
        found = self._cache.get(term)
        if found is not None:
            return found
        return self._keep(term, self.weigh(self.postings(term), flat=term[0] == AUTHOR))

    def weighted_in(self, term: str, field: Literal["title", "abstract"]) -> Weighted:
        """The same, for one field: only papers that have the term there."""
        name = f"{field}:{term}"
        found = self._cache.get(name)
        if found is not None:
            return found
        return self._keep(name, self.weigh(self.postings_in(term, field)))

    def postings_in(self, term: str, field: TextField | None) -> Postings:
        """The papers with `term`, in one field where it is the title or the abstract."""
        found = self.postings(term)
        if field not in ("title", "abstract"):
            return found
        docs, codes = found
        keep = codes >= TITLE_CODE if field == "title" else IN_BODY[codes]
        return Postings(docs[keep], codes[keep])

    def _keep(self, name: str, found: Weighted) -> Weighted:
        with self._lock:
            if name not in self._cache:
                self._cache[name] = found
                self._cached += len(found.docs) + 16
                while self._cached > self._most_cached and len(self._cache) > 1:
                    _, dropped = self._cache.popitem(last=False)
                    self._cached -= len(dropped.docs) + 16
        return found

    def weigh(self, found: Postings, *, flat: bool = False, idf: float | None = None) -> Weighted:
        """The TF-IDF weight of a term in each paper that has it (see `data.index.ranking`).

        `flat` leaves the frequency out: a paper has an author or not. `idf` is to be given where
        `found` are not all papers with the term.
        """
        if not len(found.docs):
            return _NO_WEIGHTS
        if idf is None:
            idf = self.idf(len(found.docs))
        if flat:
            return Weighted(found.docs, np.full(len(found.docs), idf, np.float32), idf)
        # Taken modulo the size, which checks no bounds and so is quicker.
        weights: Floats = FREQUENCIES.take(found.codes, mode="wrap")
        divisors = self.pivots.take(found.docs, mode="wrap")
        divisors += weights
        weights /= divisors
        weights *= np.float32(idf)
        return Weighted(found.docs, weights, idf)

    def idf_of(self, term: str) -> float:
        """The inverse document frequency of a term, 0 where no paper has it."""
        idf = self._idfs.get(term)
        if idf is None:
            papers = self.papers_with(term)
            if len(self._idfs) > _REMEMBERED:
                self._idfs.clear()
            idf = self._idfs[term] = self.idf(papers) if papers else 0.0
        return idf

    @property
    def whole(self) -> bool:
        """Whether all papers stand in one segment and none of them is gone."""
        return len(self.parts) == 1 and self.alive is None

    def whole_idfs(self, places: Int64s) -> Floats:
        """The inverse document frequencies of terms by their places, if the snapshot is whole."""
        papers = self.parts[0].segment.counts(places)
        return np.log(1 + (self.count - papers + 0.5) / (papers + 0.5))

    def numbers(self, part: int, places: Int64s) -> Int64s:
        """Numbers for the terms at some places of a segment, the same in all segments."""
        if len(self.parts) == 1:
            return places
        segment = self.parts[part].segment
        with self._lock:
            table = self._numbers.setdefault(part, np.full(len(segment.terms), -1, np.int64))
            for place in places[table[places] < 0].tolist():
                term = segment.term_at(place)
                number = self._number_of.setdefault(term, len(self._number_of))
                if number == len(self._numbered):
                    self._numbered.append(term)
                table[place] = number
            return table[places]

    def term_numbered(self, number: int) -> str:
        """The term that has a number of `numbers`."""
        if len(self.parts) == 1:
            return self.parts[0].segment.term_at(number)
        return self._numbered[number]

    def idf_numbered(self, number: int) -> float:
        """The inverse document frequency of the term that has a number of `numbers`."""
        if self.whole:
            return self.idf(self.parts[0].segment.count(number))
        return self.idf_of(self.term_numbered(number))

    def place_in(self, part: int, term: int | str) -> int:
        """Where a term stands in a segment, or -1; one that is given by its place stands there."""
        return term if isinstance(term, int) else self.parts[part].segment.place_of(term)

    def papers_with(self, term: str) -> int:
        """How many papers have a term."""
        papers = self._frequencies.get(term)
        if papers is None:
            papers = 0
            for segment, alive in self.parts:
                at = segment.place_of(term)
                if at >= 0:
                    papers += (
                        segment.count(at)
                        if alive is None
                        else int(np.count_nonzero(alive[segment.postings_at(at).docs]))
                    )
            if len(self._frequencies) > _REMEMBERED:
                self._frequencies.clear()
            self._frequencies[term] = papers
        return papers

    def idf(self, papers: int) -> float:
        """The inverse document frequency of something that `papers` papers have."""
        return inverse_document_frequency(papers, self.count)

    def everything(self) -> Int64s:
        """All papers, ascending."""
        return np.arange(self.size) if self.alive is None else np.flatnonzero(self.alive)

    def completions(self, beginning: str, most: int) -> list[str]:
        """The terms of words that begin so, those with most papers where they are too many."""
        found: dict[str, int] = {}
        for segment, _ in self.parts:
            surfaces = segment.surfaces.prefixed(beginning)
            codes = segment.arrays["stream.codes"][surfaces.start : surfaces.stop]
            places = np.unique(segment.code_terms[codes])
            places = places[places != NO_TERM]
            counts = segment.counts(places)
            for place in np.argsort(-counts, kind="stable")[:most].tolist():
                term = segment.terms.get(int(places[place]))
                found[term] = found.get(term, 0) + int(counts[place])
        return sorted(found, key=lambda term: (-found[term], term))[:most]

    def letters_after(self, beginning: str) -> set[str]:
        """The letters and signs below 128 that come next in words that begin so."""
        return {chr(c) for segment, _ in self.parts for c in segment.surfaces.following(beginning)}

    def papers_with_surface(self, surface: str) -> int:
        """How many papers have the term of a word that stands in papers just so; 0 if none."""
        papers = 0
        for segment, _ in self.parts:
            at = segment.surfaces.find(surface)
            if at >= 0:
                place = int(segment.code_terms[int(segment.arrays["stream.codes"][at])])
                if place != NO_TERM:
                    papers += int(segment.counts(np.array([place]))[0])
        return papers

    def with_phrase(
        self, docs: Int64s | None, surfaces: tuple[str, ...], field: TextField | None
    ) -> Int64s:
        """Those of `docs` (ascending; None: of all) that have the words next to one another."""
        kept: list[Int64s] = []
        if docs is not None:
            for at, local in self.split(docs):
                found = self.parts[at].segment.with_phrase(local, surfaces, field)
                kept.append(found + self.bases[at])
        else:
            for (segment, alive), base in zip(self.parts, self.bases, strict=False):
                found = segment.with_phrase(None, surfaces, field)
                kept.append((found if alive is None else found[alive[found]]) + base)
        return np.concatenate(kept) if kept else np.zeros(0, np.int64)

    def scores(self) -> Floats:
        """This thread's array of zeros, one a paper; whoever writes to it sets it back to zero."""
        scores = cast("Floats | None", getattr(self._scratch, "scores", None))
        if scores is None:
            scores = np.zeros(self.size, np.float32)
            self._scratch.scores = scores
        return scores

    def split(self, docs: Int64s) -> list[tuple[int, Int64s]]:
        """Ascending document numbers by segment: (which segment, numbers within it)."""
        cuts = np.searchsorted(docs, self.bases)
        return [
            (at, docs[low:high] - self.bases[at])
            for at, (low, high) in enumerate(zip(cuts.tolist(), cuts[1:].tolist(), strict=False))
            if low < high
        ]

    def with_key(self, key: int) -> list[int]:
        """The papers with an identifier or title key."""
        return [
            base + doc
            for (segment, alive), base in zip(self.parts, self.bases, strict=False)
            for doc in segment.with_key(key).tolist()
            if alive is None or alive[doc]
        ]

    def doc_of(self, paper_id: int) -> int:
        """The document number of a paper, or -1."""
        for (segment, alive), base in zip(self.parts, self.bases, strict=False):
            doc = segment.doc_of(paper_id)
            if doc >= 0 and (alive is None or alive[doc]):
                return base + doc
        return -1

    def place(self, doc: int) -> tuple[Segment, int]:
        """The segment of a paper and its document number there."""
        at = int(np.searchsorted(self.bases, doc, "right")) - 1
        return self.parts[at].segment, doc - self.bases[at]

    def title(self, doc: int) -> str:
        """The title of a paper as it was given."""
        segment, local = self.place(doc)
        return segment.title(local)

    def names(self, doc: int, kind: str) -> list[str]:
        """The topics or sources of a paper as they were given."""
        segment, local = self.place(doc)
        lists = cast("Lists", getattr(segment, kind))
        return [lists.names.get(int(at)) for at in lists.of(local)]


def _one(found: Sequence[Postings]) -> Postings:
    if not found:
        return _NO_POSTINGS
    if len(found) == 1:
        return found[0]
    return Postings(
        np.concatenate([docs for docs, _ in found]),
        np.concatenate([codes for _, codes in found]),
    )


def _joined(arrays: Sequence[AnyArray], kind: type[np.generic]) -> AnyArray:
    return np.concatenate(arrays).astype(kind) if arrays else np.zeros(0, kind)
