"""Builds a segment from papers.

Words become numbers (`data.index.lexicon`), NumPy counts and turns them around by sorting, and
`data.index.packing` packs them.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from data.index.analyzer import analyse, name_words, stem
from data.index.codec import frequency_codes
from data.index.days import day_numbers
from data.index.keys import identifier_key, title_key
from data.index.lexicon import Lexicon
from data.index.packing import Content, Grouped, pack
from data.index.segment import (
    AUTHOR,
    AUTHOR_NAME,
    DERIVED,
    SOURCE_NAME,
    TAGS,
    TOPIC,
    TOPIC_NAME,
    VENUE,
    Segment,
    normal_name,
)
from data.index.stopwords import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from data.index.arrays import AnyArray, Bytes, Int32s, Int64s, UInt64s
    from data.index.documents import IndexDocument

_LONGEST_FIELD: Final = 65_535


class Builder:
    """Builds one segment from papers that come in pieces; `build` takes little time at the end.

    Of two papers with the same id the later counts. Words that `lexicon` knows from another
    segment need not be read again; they change nothing.
    """

    def __init__(self, lexicon: Lexicon | None = None) -> None:
        self._lexicon = Lexicon() if lexicon is None else lexicon
        self._papers: list[IndexDocument] = []
        self._pieces: list[_Piece] = []

    def __len__(self) -> int:
        return len(self._papers)

    def add(self, documents: Iterable[IndexDocument]) -> None:
        """Reads more papers; in the order of their ids each of them is read once."""
        papers = _in_order(documents)
        if self._papers and papers and papers[0].id <= self._papers[-1].id:
            papers = _in_order((*self._papers, *papers))
            self._papers, self._pieces = [], []
        self._pieces.append(_read(papers, self._lexicon, 2 * len(self._papers)))
        self._papers += papers

    def build(self) -> Segment:
        """The segment of all papers so far."""
        papers, pieces = self._papers, self._pieces or [_read([], self._lexicon, 0)]
        all_terms = np.concatenate([piece.terms for piece in pieces])
        rank, terms = _ranked(self._lexicon.terms, all_terms)
        counts, docs, codes = _inverted(
            rank[all_terms],
            np.concatenate([piece.owners for piece in pieces]),
            len(terms),
            len(papers),
        )
        words = np.concatenate([piece.surfaces for piece in pieces])
        surface_rank, surfaces = _ranked(self._lexicon.surfaces, words[words > 0] - 1)
        lengths = np.concatenate([piece.lengths for piece in pieces])
        measured = np.minimum(lengths, _LONGEST_FIELD)
        marks = [TAGS.index(p.tag or "") + (DERIVED if p.title_derived else 0) for p in papers]
        keys = np.concatenate([piece.keys for piece in pieces])
        key_docs = np.concatenate([piece.key_owners for piece in pieces]) >> 1
        by_key = np.lexsort((key_docs, keys))
        return pack(
            Content(
                ids=np.array([paper.id for paper in papers], np.int64),
                days=day_numbers(papers),
                tags=np.array(marks, np.uint8),
                title_lengths=measured[:, 0],
                body_lengths=measured[:, 1],
                titles=[" ".join(paper.title.split()) for paper in papers],
                terms=terms,
                counts=counts,
                docs=docs,
                codes=codes,
                surfaces=surfaces,
                words=np.append(0, surface_rank + 1)[words],
                word_counts=np.concatenate([piece.word_counts for piece in pieces]),
                surface_terms=_terms_of(surfaces, terms),
                name_words=_name_words(terms),
                topics=_listed([(*paper.topics, *paper.categories) for paper in papers]),
                sources=_listed([paper.sources for paper in papers]),
                keys=keys[by_key],
                key_docs=key_docs[by_key],
            )
        )


def build_segment(documents: Iterable[IndexDocument], lexicon: Lexicon | None = None) -> Segment:
    """Inverts papers all at once, as `Builder` does."""
    builder = Builder(lexicon)
    builder.add(documents)
    return builder.build()


class _Piece(NamedTuple):
    """Some papers as numbers. An owner is 2 * paper for its title, and one more for the rest.

    `terms` and `owners` are one for each occurrence; `surfaces` are as in `Wording.surfaces`;
    `lengths` has a row for each paper.
    """

    terms: AnyArray
    owners: AnyArray
    surfaces: Int32s
    word_counts: Int64s
    lengths: Int64s
    keys: UInt64s
    key_owners: Int64s


def _in_order(documents: Iterable[IndexDocument]) -> list[IndexDocument]:
    return sorted({paper.id: paper for paper in documents}.values(), key=attrgetter("id"))


def _read(papers: Sequence[IndexDocument], lexicon: Lexicon, base: int) -> _Piece:
    """Reads papers of which the first one's title is the owner `base`."""
    wording = lexicon.read(_fields(papers))
    about = [
        [t for topic in p.topics for t in lexicon.name("", topic, _name_terms)] for p in papers
    ]
    lengths = np.bincount(wording.owners, minlength=2 * len(papers)).reshape(-1, 2)
    lengths[:, 1] += np.array([len(terms) for terms in about], np.int64)
    beside = [[*terms, *_other_terms(lexicon, p)] for terms, p in zip(about, papers, strict=True)]
    bodies = base + 2 * np.arange(len(papers)) + 1
    keys = [set(_keys(paper)) for paper in papers]
    return _Piece(
        np.concatenate([wording.terms, _flat(beside)]),
        np.concatenate(
            [wording.owners + base, np.repeat(bodies, [len(terms) for terms in beside])]
        ),
        wording.surfaces,
        wording.surface_counts.reshape(-1, 2).sum(axis=1),
        lengths,
        np.array([key for own in keys for key in own], np.uint64),
        np.repeat(bodies, [len(own) for own in keys]),
    )


def _fields(papers: Sequence[IndexDocument]) -> Iterator[str]:
    """The title and the abstract of each paper in turn."""
    for paper in papers:
        yield "" if paper.title_derived else paper.title
        yield paper.abstract


def _keys(paper: IndexDocument) -> Iterator[int]:
    for scheme, value in paper.identifiers:
        yield identifier_key(scheme, value)
    key = title_key(paper.title)
    if key is not None:
        yield key


def _other_terms(lexicon: Lexicon, paper: IndexDocument) -> set[int]:
    """The terms of what a paper has beside title and abstract, each once."""
    found: set[int] = set()
    for name in paper.authors:
        found.update(lexicon.name(AUTHOR, name, _name_terms))
    for topic in (*paper.topics, *paper.categories):
        found.update(lexicon.name(TOPIC, topic, _name_terms))
    if paper.venue:
        found.update(lexicon.name(VENUE, paper.venue, _name_terms))
    for source in paper.sources:
        found.update(lexicon.name(SOURCE_NAME, source, _name_terms))
    return found


def _name_terms(kind: str, name: str) -> list[str]:
    """The terms under which a name in one of a paper's fields is found; "" is the text itself."""
    if kind == AUTHOR:
        terms = [AUTHOR + word for word in name_words(name)]
        return [*terms, AUTHOR_NAME + " ".join(name.split())]
    if kind == SOURCE_NAME:
        return [SOURCE_NAME + normal_name(name)]
    terms = [kind + term for term in analyse(name).terms]
    return [*terms, TOPIC_NAME + normal_name(name)] if kind == TOPIC else terms


def _flat(lists: Sequence[Sequence[int]]) -> Int64s:
    return np.array([item for items in lists for item in items], np.int64)


def _ranked(numbers: dict[str, int], used: AnyArray) -> tuple[Int64s, list[str]]:
    """The strings that are used in order, and for each number its place among them."""
    there = np.zeros(len(numbers), np.bool_)
    there[used] = True
    strings = list(numbers)  # each stands at its number
    order = sorted(np.flatnonzero(there).tolist(), key=strings.__getitem__)
    rank = np.full(len(strings), -1, np.int64)
    rank[order] = np.arange(len(order))
    return rank, [strings[at] for at in order]


def _inverted(
    terms: Int64s, owners: AnyArray, size: int, papers: int
) -> tuple[Int64s, Int64s, Bytes]:
    """The postings of `size` terms: how many each has, document numbers, frequency codes.

    `terms` are all occurrences, `owners` 2 * paper for those in a title, else 2 * paper + 1.
    """
    keys, times = np.unique(terms * (2 * papers) + owners, return_counts=True)
    times = np.minimum(times, 255).astype(np.uint8)
    in_body = keys & 1 == 1
    posting = keys >> 1
    fresh = np.diff(posting, prepend=-1) != 0
    place = np.cumsum(fresh) - 1
    posting = posting[fresh]
    titles = np.zeros(len(posting), np.uint8)
    titles[place[~in_body]] = times[~in_body]
    bodies = np.zeros(len(posting), np.uint8)
    bodies[place[in_body]] = times[in_body]
    owner, doc = np.divmod(posting, max(papers, 1))
    return np.bincount(owner, minlength=size), doc, frequency_codes(titles, bodies)


def _listed(lists: Sequence[Sequence[str]]) -> Grouped:
    names = sorted({item for items in lists for item in items})
    places = {item: at for at, item in enumerate(names)}
    flat = [places[item] for items in lists for item in dict.fromkeys(items)]
    sizes = [len(set(items)) for items in lists]
    return Grouped(names, np.array(sizes, np.int64), np.array(flat, np.int64))


def _terms_of(surfaces: list[str], terms: list[str]) -> Int64s:
    places = {term: at for at, term in enumerate(terms)}
    return np.array(
        [-1 if word in STOP_WORDS else places.get(stem(word), -1) for word in surfaces], np.int64
    )


def _name_words(terms: list[str]) -> Grouped:
    names: dict[str, list[int]] = {}
    for at, term in enumerate(terms):
        if term[0] == AUTHOR_NAME:
            for word in set(name_words(term[1:])):
                names.setdefault(word, []).append(at)
    order = sorted(names)
    return Grouped(
        order,
        np.array([len(names[word]) for word in order], np.int64),
        np.array([at for word in order for at in names[word]], np.int64),
    )
