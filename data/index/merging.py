"""Merges segments into one, just as if it had been built from all their papers at once."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from data.index.codec import NO_TERM
from data.index.packing import Content, Grouped, pack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data.index.arrays import AnyArray, Bytes, Int64s, Mask
    from data.index.segment import Lists, Segment
    from data.index.strings import StringTable


def merge_segments(parts: Sequence[tuple[Segment, Mask | None]]) -> Segment:
    """One segment with the papers of several that are still there; same as if built at once."""
    segments = [segment for segment, _ in parts]
    keep = np.concatenate(
        [np.ones(len(s), np.bool_) if alive is None else alive for s, alive in parts]
    )
    ids = np.concatenate([segment.ids for segment in segments])
    order = np.argsort(ids, kind="stable")
    order = order[keep[order]]
    new_docs = np.full(len(ids), -1, np.int64)
    new_docs[order] = np.arange(len(order))
    bases = np.cumsum([0, *(len(segment) for segment in segments)])
    maps = [new_docs[low:high] for low, high in itertools.pairwise(bases)]
    terms, places, counts, docs, codes = _merged_postings(segments, maps)
    surfaces, surface_terms, words, word_counts = _merged_words(segments, places, order)
    titles = [title for segment in segments for title in segment.titles()]
    keys = np.concatenate([segment.keys() for segment in segments])
    key_docs = np.concatenate(
        [
            places[s.arrays["key.docs"].astype(np.int64)]
            for s, places in zip(segments, maps, strict=True)
        ]
    )
    there = key_docs >= 0
    keys, key_docs = keys[there], key_docs[there]
    by_key = np.lexsort((key_docs, keys))

    def together(name: str) -> AnyArray:
        return np.concatenate([s.arrays[name].astype(np.int64) for s in segments])[order]

    return pack(
        Content(
            ids=ids[order],
            days=np.concatenate([segment.days for segment in segments])[order],
            tags=together("tags").astype(np.uint8),
            title_lengths=together("title_lengths"),
            body_lengths=together("body_lengths"),
            titles=[titles[at] for at in order.tolist()],
            terms=terms,
            counts=counts,
            docs=docs,
            codes=codes,
            surfaces=surfaces,
            words=words,
            word_counts=word_counts,
            surface_terms=surface_terms,
            name_words=_merged_name_words(segments, places),
            topics=_merged_lists([segment.topics for segment in segments], order),
            sources=_merged_lists([segment.sources for segment in segments], order),
            keys=keys[by_key],
            key_docs=key_docs[by_key],
        )
    )


def _united(tables: Sequence[StringTable]) -> tuple[list[str], list[Int64s]]:
    """All strings of some tables in order, and where each table's strings are among them."""
    lists = [list(table) for table in tables]
    strings = sorted({string for strings in lists for string in strings})
    places = {string: at for at, string in enumerate(strings)}
    return strings, [np.array([places[s] for s in strings], np.int64) for strings in lists]


def _merged_postings(
    segments: Sequence[Segment], maps: Sequence[Int64s]
) -> tuple[list[str], list[Int64s], Int64s, Int64s, Bytes]:
    """The terms, each segment's places among them (-1: no paper left), and all postings."""
    terms, places = _united([segment.terms for segment in segments])
    pieces = [
        (new_places[owners], new_docs[docs], codes)
        for (owners, docs, codes), new_docs, new_places in (
            (segment.all_postings(), new_docs, new_places)
            for segment, new_docs, new_places in zip(segments, maps, places, strict=True)
        )
    ]
    owners = np.concatenate([piece[0] for piece in pieces])
    docs = np.concatenate([piece[1] for piece in pieces])
    codes = np.concatenate([piece[2] for piece in pieces])
    there = docs >= 0
    owners, docs, codes = owners[there], docs[there], codes[there]
    order = np.argsort(owners * (int(docs.max(initial=0)) + 1) + docs, kind="stable")
    counts = np.bincount(owners, minlength=len(terms))
    used = np.flatnonzero(counts)
    renumbered = np.full(len(terms), -1, np.int64)
    renumbered[used] = np.arange(len(used))
    return (
        [terms[at] for at in used.tolist()],
        [renumbered[each] for each in places],
        counts[used],
        docs[order],
        codes[order],
    )


def _merged_name_words(segments: Sequence[Segment], places: Sequence[Int64s]) -> Grouped:
    words, new_words = _united([segment.name_words for segment in segments])
    pairs: list[Int64s] = []
    for segment, new_terms, new in zip(segments, places, new_words, strict=True):
        owners = np.repeat(new, np.diff(segment.name_starts))
        names = new_terms[segment.arrays["names.items"].astype(np.int64)]
        pairs.append(np.stack([owners, names])[:, names >= 0])
    owners, names = np.unique(np.concatenate(pairs, axis=1), axis=1)
    counts = np.bincount(owners, minlength=len(words))
    used = np.flatnonzero(counts)
    return Grouped([words[at] for at in used.tolist()], counts[used], names)


def _merged_words(
    segments: Sequence[Segment], terms: Sequence[Int64s], order: Int64s
) -> tuple[list[str], Int64s, Int64s, Int64s]:
    """The surfaces, their places among the terms, the texts, and how long each text is."""
    surfaces, places = _united([segment.surfaces for segment in segments])
    streams: list[Int64s] = []
    counts: list[Int64s] = []
    surface_terms = np.full(len(surfaces), -1, np.int64)
    for segment, new_places, new_terms in zip(segments, places, terms, strict=True):
        old = segment.code_terms[segment.arrays["stream.codes"]]
        with_term = old != NO_TERM
        surface_terms[new_places[with_term]] = new_terms[old[with_term]]
        codes, ends = segment.stream(np.arange(len(segment)))
        by_code = np.zeros(len(new_places) + 1, np.int64)
        by_code[segment.arrays["stream.codes"]] = new_places + 1
        streams.append(by_code[codes])
        counts.append(np.diff(ends, prepend=0))
    words = np.concatenate(streams)
    sizes = np.concatenate(counts)
    starts = np.cumsum(sizes) - sizes
    taken = sizes[order]
    within = np.arange(int(taken.sum())) - np.repeat(np.cumsum(taken) - taken, taken)
    words = words[np.repeat(starts[order], taken) + within]
    used = np.zeros(len(surfaces) + 1, np.bool_)
    used[words] = True
    used[0] = True
    renumbered = np.cumsum(used) - 1
    kept = [surfaces[at] for at in np.flatnonzero(used[1:]).tolist()]
    return kept, surface_terms[used[1:]], renumbered[words], taken


def _merged_lists(lists: Sequence[Lists], order: Int64s) -> Grouped:
    names, places = _united([each.names for each in lists])
    items = np.concatenate(
        [new[each.items.astype(np.int64)] for each, new in zip(lists, places, strict=True)]
    )
    sizes = np.concatenate([np.diff(each.starts) for each in lists])
    starts = np.cumsum(sizes) - sizes
    taken = sizes[order]
    within = np.arange(int(taken.sum())) - np.repeat(np.cumsum(taken) - taken, taken)
    items = items[np.repeat(starts[order], taken) + within]
    used = np.unique(items)
    renumbered = np.zeros(len(names), np.int64)
    renumbered[used] = np.arange(len(used))
    return Grouped([names[at] for at in used.tolist()], taken, renumbered[items])
