"""A segment: an immutable set of papers, inverted, in memory or mapped from a file.

Papers stand in the order of their ids and are called by their place, the document number. Terms
of other fields than title and abstract carry a prefix character (`AUTHOR` and so on).
"""

from __future__ import annotations

import itertools
import threading
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple, cast

import numpy as np

from data.index.analyzer import fold
from data.index.arrays import (
    AnyArray,
    ArrayFile,
    Bytes,
    Int32s,
    Int64s,
    UInt64s,
    write_arrays,
)
from data.index.codec import (
    NO_TERM,
    PackedPostings,
    pack_word,
    places_in,
    ranks_of,
    unpack_all,
    unpack_codes,
    unpack_docs,
    unpack_sizes,
    unpack_stream,
)
from data.index.neighbours import Pairs
from data.index.readback import Readback
from data.index.sets import contained, distinct
from data.index.strings import StringTable
from data.index.titles import TITLES_A_BLOCK, unpack_titles

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

AUTHOR: Final = "\x01"
TOPIC: Final = "\x02"
VENUE: Final = "\x03"
TOPIC_NAME: Final = "\x04"
SOURCE_NAME: Final = "\x05"
AUTHOR_NAME: Final = "\x06"

TAGS: Final = ("", "position", "theory", "methods", "unsure")
DERIVED: Final = 8
"""Added to a paper's tag where its title was derived from the abstract."""

_MOST_PLACES: Final = 50_000
_WHOLE_SHARE: Final = 3
_CUT_AT_ONCE: Final = 512
"""Papers whose words are looked through at a time: they stay in the processor's cache."""


_NO_DOCS: Final[Int64s] = np.zeros(0, np.int64)


class SegmentPostings(NamedTuple):
    """The papers with a term: document numbers, ascending, and frequency codes."""

    docs: Int64s
    codes: Bytes


class Lists(NamedTuple):
    """For each paper a list of places in a string table."""

    names: StringTable
    starts: Int64s
    items: AnyArray

    def of(self, doc: int) -> AnyArray:
        """The list of one paper."""
        return self.items[self.starts[doc] : self.starts[doc + 1]]


class Segment:
    """Read access to one segment."""

    def __init__(self, arrays: Mapping[str, AnyArray], file: ArrayFile | None = None) -> None:
        self.arrays = arrays
        self.file = file
        self.ids: Int64s = np.cumsum(self.sizes("ids.steps"))
        self.days: Int32s = arrays["days"].astype(np.int32) + arrays["days.first"].astype(np.int32)
        self.tags = cast("Bytes", arrays["tags"])
        self.title_lengths = arrays["title_lengths"]
        self.body_lengths = arrays["body_lengths"]
        self.terms = self.table("terms")
        self.surfaces = self.table("surfaces")
        self._places: dict[str, int] = {}
        self._terms_read: dict[int, str] = {}
        self._scratch = threading.local()
        self.topics = self._lists("topics")
        self.sources = self._lists("sources")
        self.code_terms = arrays["stream.terms"]
        self._packed = PackedPostings(
            cast("Bytes", arrays["post.kinds"]),
            np.cumsum(self.sizes("post.sizes")),
            cast("Bytes", arrays["post.gaps"]),
            _starts(self.sizes("post.counts")),
            cast("Bytes", arrays["post.marks"]),
            cast("Bytes", arrays["post.codes"]),
            ranks_of(cast("Bytes", arrays["post.marks"])),
        )
        # A view, as reading single numbers from it is quicker than from an array.
        self._firsts = self._packed.firsts.data
        self.name_words = self.table("names")
        self.name_starts = _starts(self.sizes("names.counts"))
        self._stream = cast("Bytes", arrays["stream.bytes"])

    def table(self, name: str) -> StringTable:
        """One of the segment's string tables."""
        block, sizes = self.arrays[f"{name}.block"], self.arrays[f"{name}.sizes"]
        return StringTable(cast("Bytes", block), cast("Bytes", sizes), self.arrays[f"{name}.long"])

    def sizes(self, name: str) -> Int64s:
        """Sizes as they were before they were packed."""
        arrays = self.arrays
        return unpack_sizes(arrays[name], arrays[f"{name}.places"], arrays[f"{name}.large"])

    def _lists(self, name: str) -> Lists:
        starts = _starts(self.arrays[f"{name}.counts"])
        return Lists(self.table(name), starts, self.arrays[f"{name}.items"])

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def open(cls, path: Path) -> Segment:
        """Maps a segment file; raises DamagedError where the file is not whole."""
        file = ArrayFile(path)
        try:
            return cls(file.arrays(), file)
        except Exception:
            # Of numbers that are not those written, anything may come.
            file.verify()
            raise

    def write(self, path: Path) -> int:
        """Writes the segment to a new file and returns its checksum."""
        return write_arrays(path, self.arrays, {"papers": len(self)})

    def postings(self, term: str) -> SegmentPostings | None:
        """The papers with `term`, or None."""
        at = self.place_of(term)
        return None if at < 0 else self.postings_at(at)

    def place_of(self, term: str) -> int:
        """The place of `term` in `terms`, or -1; remembered, as queries repeat their words."""
        at = self._places.get(term)
        if at is None:
            if len(self._places) > _MOST_PLACES:
                self._places.clear()
            at = self._places[term] = self.terms.find(term)
        return at

    def slots(self, places: AnyArray, wanted: Sequence[int]) -> Bytes:
        """For each of `places` (of terms) 1 + where it stands in `wanted` (255 at most), 0 if
        nowhere.

        A negative place is no term's, wherever it stands.
        """
        # Three places more than there are terms, always 0: those of `OTHER` and `END` are theirs.
        table = cast("Bytes | None", getattr(self._scratch, "table", None))
        if table is None:
            table = self._scratch.table = np.zeros(len(self.terms) + 3, np.uint8)
        where = np.array(wanted, np.int64)
        there = where >= 0
        where = where[there]
        table[where] = there.nonzero()[0] + 1
        slots = table.take(places, mode="wrap")
        table[where] = 0
        return slots

    def term_at(self, place: int) -> str:
        """The term at a place of `terms`; remembered, as papers share their words."""
        term = self._terms_read.get(place)
        if term is None:
            if len(self._terms_read) > _MOST_PLACES:
                self._terms_read.clear()
            term = self._terms_read[place] = self.terms.get(place)
        return term

    def postings_at(self, at: int) -> SegmentPostings:
        """The papers with the term at place `at` of the table."""
        return SegmentPostings(
            unpack_docs(self._packed, at, len(self)), unpack_codes(self._packed, at)
        )

    def all_postings(self) -> tuple[Int64s, Int64s, Bytes]:
        """All postings at once, list after list: places of terms, document numbers, codes."""
        docs, codes = unpack_all(self._packed, len(self))
        owners = np.repeat(np.arange(len(self.terms)), np.diff(self._packed.firsts))
        return owners, docs, codes

    def count(self, at: int) -> int:
        """How many papers have the term at place `at`."""
        firsts = self._firsts
        return firsts[at + 1] - firsts[at]

    def counts(self, places: AnyArray) -> Int64s:
        """How many papers have each of the terms at `places`."""
        firsts = self._packed.firsts
        return firsts[places + 1] - firsts[places]

    @cached_property
    def readback(self) -> Readback:
        """The words of papers, those kept that were read before."""
        return Readback(self)

    @cached_property
    def stream_starts(self) -> Int64s:
        """Where the words of each paper begin in the stream, and where the last one ends."""
        return _starts(self.arrays["stream.sizes"])

    def stream(self, docs: Int64s) -> tuple[Int64s, Int64s]:
        """The word codes of some papers one after the other, and where each paper's end.

        Code 0 ends the title and ends the abstract; other codes index `code_terms`.
        """
        packed, ends = self._cut_out(docs)
        codes, begins = unpack_stream(packed)
        return codes, begins.searchsorted(ends)

    def _cut_out(self, docs: Int64s) -> tuple[Bytes, Int64s]:
        """The packed words of some papers one after the other, and where each paper's end."""
        starts = self.stream_starts
        begins, ends = starts.take(docs), starts.take(docs + 1)
        pieces = map(self._stream.data.__getitem__, map(slice, begins.tolist(), ends.tolist()))
        return np.frombuffer(b"".join(pieces), np.uint8), (ends - begins).cumsum()

    @cached_property
    def _pairs(self) -> Pairs:
        return Pairs(self.arrays, len(self))

    def _code_of(self, surface: str) -> int:
        """The number of a word in the stream, or 0."""
        at = self.surfaces.find(surface)
        return 0 if at < 0 else int(self.arrays["stream.codes"][at])

    def _share(self, code: int) -> float:
        """The share of papers with the term of a word, 1 for a stop word."""
        term = int(self.code_terms[code])
        return 1.0 if term == NO_TERM else self.count(term) / len(self)

    def with_phrase(
        self, docs: Int64s | None, surfaces: tuple[str, ...], field: str | None
    ) -> Int64s:
        """Those of `docs` (None: of all papers) that have the words next to one another, in the
        title, the abstract or either."""
        codes = [self._code_of(surface) for surface in surfaces]
        if 0 in codes:
            return _NO_DOCS
        near, sure = self._pairs.with_all(codes, [self._share(code) for code in codes])
        if near is not None:
            docs = near.nonzero()[0] if docs is None else docs[near[docs]]
        elif docs is None:
            docs = np.arange(len(self))
        if sure and field is None:
            return docs
        return self._with_packed(docs, b"".join(map(pack_word, codes)), field)

    def _with_packed(self, docs: Int64s, phrase: bytes, field: str | None) -> Int64s:
        if _WHOLE_SHARE * len(docs) > len(self):
            # Cutting out so many papers would cost more than looking through all of them.
            owners = _owners(self._stream, self.stream_starts[1:], phrase, field)
            return docs[contained(docs, owners)]
        kept = [_NO_DOCS]
        for at in range(0, len(docs), _CUT_AT_ONCE):
            some = docs[at : at + _CUT_AT_ONCE]
            kept.append(some[_owners(*self._cut_out(some), phrase, field)])
        return np.concatenate(kept)

    def names_with(self, wanted: Sequence[str], *, prefix: bool) -> Int64s:
        """The author names (places in `terms`) with all words; the last may be a beginning."""
        names: Int64s | None = None
        for at, word in enumerate(wanted):
            places = self.name_words.prefixed(word)
            if not (prefix and at == len(wanted) - 1):
                exact = self.name_words.find(word)
                places = range(exact, exact + 1) if exact >= 0 else range(0)
            found = self._names_of(places)
            names = found if names is None else np.intersect1d(names, found)
            if not len(names):
                return names
        return np.zeros(0, np.int64) if names is None else names

    def _names_of(self, places: range) -> Int64s:
        if not places:
            return np.zeros(0, np.int64)
        starts = self.name_starts
        begin, end = starts[places.start], starts[places.stop]
        return np.unique(self.arrays["names.items"][begin:end].astype(np.int64))

    def title(self, doc: int) -> str:
        """The title of a paper as it was given."""
        block = doc // TITLES_A_BLOCK
        ends = self.arrays["titles.ends"]
        begin = int(ends[block - 1]) if block else 0
        return self._titles(begin, int(ends[block]))[doc % TITLES_A_BLOCK]

    def titles(self) -> list[str]:
        """The titles of all papers."""
        ends = self.arrays["titles.ends"].tolist()
        return [
            title
            for begin, end in itertools.pairwise([0, *ends])
            for title in self._titles(begin, end)
        ]

    def _titles(self, begin: int, end: int) -> list[str]:
        block = self.arrays["titles.block"][begin:end].tobytes()
        return unpack_titles(block, self._title_words)

    @cached_property
    def _title_words(self) -> bytes:
        return self.arrays["titles.words"].tobytes()

    def with_key(self, key: int) -> Int64s:
        """The papers that have an identifier or title key."""
        keys = self.arrays["keys"]
        wanted = np.uint32(key >> 16)
        low = int(keys.searchsorted(wanted))
        if low == len(keys) or keys[low] != wanted:
            return _NO_DOCS
        high = int(keys.searchsorted(wanted, "right"))
        same = self.arrays["keys.low"][low:high] == key & 0xFFFF
        return self.arrays["key.docs"][low:high][same].astype(np.int64)

    def keys(self) -> UInt64s:
        """All keys, ascending; the paper of each is in `key.docs`."""
        return (self.arrays["keys"].astype(np.uint64) << np.uint64(16)) | self.arrays["keys.low"]

    def doc_of(self, paper_id: int) -> int:
        """The document number of a paper, or -1."""
        at = int(np.searchsorted(self.ids, paper_id))
        return at if at < len(self.ids) and int(self.ids[at]) == paper_id else -1


def _owners(stream: Bytes, ends: Int64s, phrase: bytes, field: str | None) -> Int64s:
    """Which texts of a stream, that end at `ends`, have a packed phrase; in one field if named."""
    places = places_in(stream, phrase)
    owners = ends.searchsorted(places, "right")
    if field is not None and len(places):
        begins = np.concatenate([np.zeros(1, np.int64), ends])[owners]
        # A paper's first zero ends its title.
        stops = (stream == 0).nonzero()[0]
        title_ends = stops[stops.searchsorted(begins)]
        owners = owners[(places < title_ends) == (field == "title")]
    return distinct(owners)


def _starts(counts: AnyArray) -> Int64s:
    starts = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=starts[1:])
    return starts


def normal_name(name: str) -> str:
    """A topic's or source's name with case, accents and runs of blanks folded."""
    return " ".join(fold(name).split())
