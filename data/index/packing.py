"""Packs what a segment holds into its arrays."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from data.index.codec import NO_TERM, narrow, pack_postings, pack_sizes, pack_texts
from data.index.neighbours import pair_arrays
from data.index.segment import Segment
from data.index.strings import pack_strings
from data.index.titles import pack_titles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data.index.arrays import AnyArray, Bytes, Int64s


class Grouped(NamedTuple):
    """Lists of places one after the other: `counts` says how long each is.

    The lists belong to papers and the places to `names`, or the other way round.
    """

    names: list[str]
    counts: Int64s
    items: Int64s


@dataclass(slots=True)
class Content:
    """What a segment holds, before it is packed. Postings are ordered by term, then paper."""

    ids: Int64s
    days: AnyArray
    tags: Bytes
    title_lengths: AnyArray
    body_lengths: AnyArray
    titles: list[str]
    terms: list[str]
    counts: Int64s
    docs: Int64s
    codes: Bytes
    surfaces: list[str]
    words: Int64s
    """All papers' surfaces, place + 1 in `surfaces`; a 0 ends each title and each abstract."""
    word_counts: Int64s
    surface_terms: Int64s
    """The place in `terms` of each surface's stem, or -1 for stop words."""
    name_words: Grouped
    """The words of author names, and for each the places in `terms` of the names that have it."""
    topics: Grouped
    sources: Grouped
    keys: AnyArray
    key_docs: Int64s


def pack(content: Content) -> Segment:
    arrays: dict[str, AnyArray] = {
        "tags": content.tags,
        "title_lengths": narrow(content.title_lengths),
        "body_lengths": narrow(content.body_lengths),
        "keys": (content.keys >> np.uint64(16)).astype(np.uint32),
        "keys.low": content.keys.astype(np.uint16),
        "key.docs": narrow(content.key_docs),
    }
    papers = len(content.ids)
    packed = pack_postings(content.counts, content.docs, content.codes, papers)
    arrays |= {
        "post.kinds": packed.kinds,
        "post.gaps": packed.gaps,
        "post.marks": packed.marks,
        "post.codes": packed.codes,
    }
    _add_sizes(arrays, "ids.steps", np.diff(content.ids, prepend=0))
    first = content.days.min(initial=date.max.toordinal())
    arrays["days.first"] = np.array([first], np.uint32)
    arrays["days"] = narrow(content.days - first)
    _add_sizes(arrays, "post.sizes", np.diff(packed.ends, prepend=0))
    _add_sizes(arrays, "post.counts", content.counts)
    _add_table(arrays, "terms", content.terms)
    _add_table(arrays, "surfaces", content.surfaces)
    _add_words(arrays, content)
    words, blocks = pack_titles(content.titles)
    arrays["titles.words"] = np.frombuffer(words, np.uint8)
    arrays["titles.block"] = np.frombuffer(b"".join(blocks), np.uint8)
    arrays["titles.ends"] = narrow(np.cumsum([len(block) for block in blocks], dtype=np.int64))
    words, counts, items = content.name_words
    _add_table(arrays, "names", words)
    _add_sizes(arrays, "names.counts", counts)
    arrays["names.items"] = narrow(items)
    for name, (names, counts, items) in (("topics", content.topics), ("sources", content.sources)):
        _add_table(arrays, name, names)
        arrays[f"{name}.counts"] = narrow(counts)
        arrays[f"{name}.items"] = narrow(items)
    return Segment(arrays)


def _add_table(arrays: dict[str, AnyArray], name: str, strings: Sequence[str]) -> None:
    block, sizes, longer = pack_strings(strings)
    arrays[f"{name}.block"] = block
    arrays[f"{name}.sizes"] = sizes
    arrays[f"{name}.long"] = narrow(longer)


def _add_sizes(arrays: dict[str, AnyArray], name: str, sizes: Int64s) -> None:
    small, places, large = pack_sizes(sizes)
    arrays[name] = small
    arrays[f"{name}.places"] = places
    arrays[f"{name}.large"] = large


def _add_words(arrays: dict[str, AnyArray], content: Content) -> None:
    """Numbers the surfaces by how often they stand in the texts, and packs the texts."""
    size = len(content.surfaces)
    uses = np.bincount(content.words, minlength=size + 1)[1:]
    codes = np.empty(size, np.int64)
    codes[np.argsort(-uses, kind="stable")] = np.arange(1, size + 1)
    numbers = np.concatenate([np.zeros(1, np.int64), codes])[content.words]
    stream, sizes = pack_texts(numbers, size)
    ends = np.cumsum(sizes, dtype=np.int64)
    lasts = ends[np.cumsum(content.word_counts) - 1] if len(ends) else ends
    terms = np.full(size + 1, NO_TERM, np.uint32)
    terms[codes] = np.where(content.surface_terms < 0, NO_TERM, content.surface_terms)
    arrays["stream.bytes"] = stream
    arrays["stream.sizes"] = narrow(np.diff(lasts, prepend=0))
    arrays["stream.codes"] = narrow(codes)
    arrays["stream.terms"] = terms
    shares = np.zeros(size + 1)
    papers_with = np.append(content.counts, 0)[content.surface_terms]
    shares[codes] = np.where(content.surface_terms < 0, 1.0, papers_with / max(len(content.ids), 1))
    arrays |= pair_arrays(numbers, content.word_counts, shares)
