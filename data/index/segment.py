"""A segment: an immutable set of papers, inverted.

Papers stand in the order of their ids and are called by their place, the document number. Terms
of other fields than title and abstract carry a prefix character (`AUTHOR` and so on).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import numpy as np

from data.index.analyzer import analyse, fold, name_words
from data.index.arrays import AnyArray, ArrayFile, Bytes, Int32s, Int64s, StringTable, write_arrays
from data.index.keys import identifier_key, title_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from data.index.documents import IndexDocument

AUTHOR: Final = "\x01"
TOPIC: Final = "\x02"
VENUE: Final = "\x03"
TOPIC_NAME: Final = "\x04"
SOURCE_NAME: Final = "\x05"

TAGS: Final = ("", "position", "theory", "methods", "unsure")

MOST_TITLE: Final = 3
MOST_BODY: Final = 63


class SegmentPostings(NamedTuple):
    """The papers with a term: document numbers, ascending, and packed term frequencies.

    A code is 64 x (times in the title, at most 3) + (times elsewhere, at most 63).
    """

    docs: Int32s
    codes: Bytes


class Lists(NamedTuple):
    """For each paper a list of places in a string table."""

    names: StringTable
    starts: NDArray[np.uint32]
    items: NDArray[np.uint32]

    def of(self, doc: int) -> NDArray[np.uint32]:
        """The list of one paper."""
        return self.items[self.starts[doc] : self.starts[doc + 1]]


class Segment:
    """Read access to one segment, in memory or mapped from a file."""

    def __init__(self, arrays: Mapping[str, AnyArray], file: ArrayFile | None = None) -> None:
        self._arrays = arrays
        self.file = file
        self.ids = cast("Int64s", arrays["ids"])
        self.days = cast("Int32s", arrays["days"])
        self.tags = cast("Bytes", arrays["tags"])
        self.title_lengths = cast("NDArray[np.uint16]", arrays["title_lengths"])
        self.body_lengths = cast("NDArray[np.uint16]", arrays["body_lengths"])
        self.terms = self._table("terms")
        self.surfaces = self._table("surfaces")
        self.authors = self._lists("authors")
        self.topics = self._lists("topics")
        self.sources = self._lists("sources")
        self._titles = self._table("titles")

    def _table(self, name: str) -> StringTable:
        return StringTable(self._arrays[f"{name}.block"], self._arrays[f"{name}.ends"])

    def _lists(self, name: str) -> Lists:
        return Lists(
            self._table(name), self._arrays[f"{name}.starts"], self._arrays[f"{name}.items"]
        )

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def open(cls, path: Path) -> Segment:
        """Maps a segment file; raises DamagedError where the file is not whole."""
        file = ArrayFile(path)
        return cls(file.arrays(), file)

    def write(self, path: Path) -> int:
        """Writes the segment to a new file and returns its checksum."""
        return write_arrays(path, self._arrays, {"papers": len(self)})

    def postings(self, term: str) -> SegmentPostings | None:
        """The papers with `term`, or None."""
        at = self.terms.find(term)
        return None if at < 0 else self.postings_at(at)

    def postings_at(self, at: int) -> SegmentPostings:
        """The papers with the term at place `at` of the table."""
        starts = self._arrays["post.starts"]
        low, high = int(starts[at]), int(starts[at + 1])
        return SegmentPostings(
            self._arrays["post.docs"][low:high], self._arrays["post.codes"][low:high]
        )

    def stream(self, doc: int) -> NDArray[np.uint32]:
        """The surfaces of a paper in order, as place + 1 in `surfaces`; 0 ends the title."""
        starts = self._arrays["stream.starts"]
        return self._arrays["stream.items"][int(starts[doc]) : int(starts[doc + 1])]

    def title(self, doc: int) -> str:
        """The title of a paper as it was given."""
        return self._titles.get(doc)

    def with_key(self, key: int) -> Int32s:
        """The papers that have an identifier or title key."""
        keys = self._arrays["keys"]
        wanted = np.uint64(key)
        low = int(np.searchsorted(keys, wanted, "left"))
        high = int(np.searchsorted(keys, wanted, "right"))
        return self._arrays["key.docs"][low:high]

    def doc_of(self, paper_id: int) -> int:
        """The document number of a paper, or -1."""
        at = int(np.searchsorted(self.ids, paper_id))
        return at if at < len(self.ids) and int(self.ids[at]) == paper_id else -1


def build_segment(documents: Iterable[IndexDocument]) -> Segment:
    """Inverts papers; of two with the same id the later counts."""
    papers = sorted({paper.id: paper for paper in documents}.values(), key=lambda paper: paper.id)
    fields: list[list[str]] = []
    surfaces: dict[str, int] = {}
    stream: list[int] = []
    stream_starts = [0]
    lengths: list[tuple[int, int]] = []
    keys: list[tuple[int, int]] = []
    for doc, paper in enumerate(papers):
        title = analyse("" if paper.title_derived else paper.title)
        body = analyse(paper.abstract)
        lengths.append((len(title.terms), len(body.terms)))
        fields.append(title.terms)
        fields.append(body.terms + _other_terms(paper))
        stream += [surfaces.setdefault(word, len(surfaces) + 1) for word in title.surfaces]
        stream.append(0)
        stream += [surfaces.setdefault(word, len(surfaces) + 1) for word in body.surfaces]
        stream_starts.append(len(stream))
        keys += [(identifier_key(scheme, value), doc) for scheme, value in paper.identifiers]
        key = title_key(paper.title)
        if key is not None:
            keys.append((key, doc))
    arrays: dict[str, AnyArray] = {
        "ids": np.array([paper.id for paper in papers], np.int64),
        "days": np.array([paper.day.toordinal() for paper in papers], np.int32),
        "tags": np.array([TAGS.index(paper.tag or "") for paper in papers], np.uint8),
        "title_lengths": np.array([min(pair[0], 65535) for pair in lengths], np.uint16),
        "body_lengths": np.array([min(pair[1], 65535) for pair in lengths], np.uint16),
    }
    _add_postings(arrays, fields, len(papers))
    order = sorted(surfaces)
    rank = np.zeros(len(order) + 1, np.uint32)
    for place, word in enumerate(order):
        rank[surfaces[word]] = place + 1
    _add_table(arrays, "surfaces", order)
    arrays["stream.items"] = rank[np.array(stream, np.int64)]
    arrays["stream.starts"] = np.array(stream_starts, np.uint32)
    _add_lists(arrays, "authors", [paper.authors for paper in papers])
    _add_lists(arrays, "topics", [(*paper.topics, *paper.categories) for paper in papers])
    _add_lists(arrays, "sources", [paper.sources for paper in papers])
    _add_table(arrays, "titles", [paper.title for paper in papers])
    keys.sort()
    arrays["keys"] = np.array([key for key, _ in keys], np.uint64)
    arrays["key.docs"] = np.array([doc for _, doc in keys], np.int32)
    return Segment(arrays)


def _other_terms(paper: IndexDocument) -> list[str]:
    terms = {AUTHOR + word for name in paper.authors for word in name_words(name)}
    for topic in (*paper.topics, *paper.categories):
        terms.add(TOPIC_NAME + normal_name(topic))
        terms.update(TOPIC + term for term in analyse(topic).terms)
    if paper.venue:
        terms.update(VENUE + term for term in analyse(paper.venue).terms)
    terms.update(SOURCE_NAME + normal_name(source) for source in paper.sources)
    return list(terms)


def normal_name(name: str) -> str:
    """A topic's or source's name with case, accents and runs of blanks folded."""
    return " ".join(fold(name).split())


def _add_postings(arrays: dict[str, AnyArray], fields: Sequence[list[str]], papers: int) -> None:
    """Counts the terms of alternating title and body rows and inverts the counts."""
    from scipy.sparse import csc_array, csr_array
    from sklearn.feature_extraction.text import CountVectorizer

    if not any(fields):
        _add_table(arrays, "terms", [])
        arrays["post.starts"] = np.zeros(1, np.uint32)
        arrays["post.docs"] = np.zeros(0, np.int32)
        arrays["post.codes"] = np.zeros(0, np.uint8)
        return
    vectorizer: Any = cast("Any", CountVectorizer)(analyzer=_as_it_is, dtype=np.int32)
    counts: Any = csr_array(vectorizer.fit_transform(fields))
    titles, bodies = counts[0::2], counts[1::2]
    titles.data = np.minimum(titles.data, MOST_TITLE) * (MOST_BODY + 1)
    bodies.data = np.minimum(bodies.data, MOST_BODY)
    inverted: Any = csc_array(titles + bodies)
    inverted.sort_indices()
    names = cast("list[str]", vectorizer.get_feature_names_out().tolist())
    order = sorted(range(len(names)), key=names.__getitem__)
    if order != list(range(len(names))):
        inverted = inverted[:, order]
    _add_table(arrays, "terms", [names[at] for at in order])
    arrays["post.starts"] = np.asarray(inverted.indptr, np.uint32)
    arrays["post.docs"] = np.asarray(inverted.indices, np.int32)
    arrays["post.codes"] = np.asarray(inverted.data, np.uint8)


def _as_it_is(terms: list[str]) -> list[str]:
    return terms


def _add_table(arrays: dict[str, AnyArray], name: str, strings: Sequence[str]) -> None:
    table = StringTable.of(strings)
    arrays[f"{name}.block"] = table.block
    arrays[f"{name}.ends"] = table.ends


def _add_lists(arrays: dict[str, AnyArray], name: str, lists: Sequence[Sequence[str]]) -> None:
    names = sorted({item for items in lists for item in items})
    places = {item: at for at, item in enumerate(names)}
    _add_table(arrays, name, names)
    flat = [places[item] for items in lists for item in items]
    arrays[f"{name}.items"] = np.array(flat, np.uint32)
    arrays[f"{name}.starts"] = np.cumsum([0, *(len(items) for items in lists)], dtype=np.uint32)
