"""Builds a segment from papers.

Counting terms is scikit-learn's work (`CountVectorizer`, over words that are already analysed),
transposing the counts is SciPy's; packing is ours (`data.index.codec`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from data.index.analyzer import analyse, name_words, stem
from data.index.codec import frequency_codes
from data.index.keys import identifier_key, title_key
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
    from collections.abc import Iterable, Sequence

    from data.index.arrays import Bytes, Int64s
    from data.index.documents import IndexDocument

_LONGEST_FIELD: Final = 65_535


def build_segment(documents: Iterable[IndexDocument]) -> Segment:
    """Inverts papers; of two with the same id the later counts."""
    papers = sorted({paper.id: paper for paper in documents}.values(), key=lambda paper: paper.id)
    fields: list[list[str]] = []
    surfaces: dict[str, int] = {}
    words: list[int] = []
    word_counts: list[int] = []
    lengths: list[tuple[int, int]] = []
    keys: list[tuple[int, int]] = []
    number = surfaces.setdefault
    for doc, paper in enumerate(papers):
        title = analyse("" if paper.title_derived else paper.title)
        body = analyse(paper.abstract)
        about = [term for topic in paper.topics for term in analyse(topic).terms]
        lengths.append((len(title.terms), len(body.terms) + len(about)))
        fields += (title.terms, body.terms + about + _other_terms(paper))
        before = len(words)
        words += [number(word, len(surfaces) + 1) for word in title.surfaces]
        words.append(0)
        words += [number(word, len(surfaces) + 1) for word in body.surfaces]
        words.append(0)
        word_counts.append(len(words) - before)
        keys += [(identifier_key(scheme, value), doc) for scheme, value in paper.identifiers]
        key = title_key(paper.title)
        if key is not None:
            keys.append((key, doc))
    order = sorted(surfaces)
    rank = np.zeros(len(order) + 1, np.int64)
    rank[[surfaces[word] for word in order]] = np.arange(1, len(order) + 1)
    keys = sorted(set(keys))
    terms, counts, docs, codes = _inverted(fields)
    measured = np.minimum(np.array(lengths, np.int64).reshape(-1, 2), _LONGEST_FIELD)
    marks = [TAGS.index(p.tag or "") + (DERIVED if p.title_derived else 0) for p in papers]
    return pack(
        Content(
            ids=np.array([paper.id for paper in papers], np.int64),
            days=np.array([paper.day.toordinal() for paper in papers], np.int64),
            tags=np.array(marks, np.uint8),
            title_lengths=measured[:, 0],
            body_lengths=measured[:, 1],
            titles=[" ".join(paper.title.split()) for paper in papers],
            terms=terms,
            counts=counts,
            docs=docs,
            codes=codes,
            surfaces=order,
            words=rank[np.array(words, np.int64)],
            word_counts=np.array(word_counts, np.int64),
            surface_terms=_terms_of(order, terms),
            name_words=_name_words(terms),
            topics=_listed([(*paper.topics, *paper.categories) for paper in papers]),
            sources=_listed([paper.sources for paper in papers]),
            keys=np.array([key for key, _ in keys], np.uint64),
            key_docs=np.array([doc for _, doc in keys], np.int64),
        )
    )


def _other_terms(paper: IndexDocument) -> list[str]:
    terms = {AUTHOR + word for name in paper.authors for word in name_words(name)}
    terms.update(AUTHOR_NAME + " ".join(name.split()) for name in paper.authors)
    for topic in (*paper.topics, *paper.categories):
        terms.add(TOPIC_NAME + normal_name(topic))
        terms.update(TOPIC + term for term in analyse(topic).terms)
    if paper.venue:
        terms.update(VENUE + term for term in analyse(paper.venue).terms)
    terms.update(SOURCE_NAME + normal_name(source) for source in paper.sources)
    return list(terms)


def _inverted(fields: Sequence[list[str]]) -> tuple[list[str], Int64s, Int64s, Bytes]:
    """Counts the terms of alternating title and body rows and turns the counts around."""
    from scipy.sparse import csc_array, csr_array
    from sklearn.feature_extraction.text import CountVectorizer

    none = np.zeros(0, np.int64)
    if not any(fields):
        return [], none, none, none.astype(np.uint8)
    vectorizer: Any = cast("Any", CountVectorizer)(analyzer=_as_it_is, dtype=np.int32)
    counts: Any = csr_array(vectorizer.fit_transform(fields))
    titles, bodies = counts[0::2], counts[1::2]
    titles.data = np.minimum(titles.data, 255) * 4096
    bodies.data = np.minimum(bodies.data, 255)
    inverted: Any = csc_array(titles + bodies)
    inverted.sort_indices()
    names = cast("list[str]", vectorizer.get_feature_names_out().tolist())
    packed: Int64s = np.asarray(inverted.data, np.int64)
    return (
        names,
        np.diff(np.asarray(inverted.indptr, np.int64)),
        np.asarray(inverted.indices, np.int64),
        frequency_codes(packed // 4096, packed % 4096),
    )


def _as_it_is(terms: list[str]) -> list[str]:
    return terms


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
