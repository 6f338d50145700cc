"""Narrows a result: by tag, author, topic, source, venue and day."""

from __future__ import annotations

from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from data.index.analyzer import analyse, fold, name_words, words
from data.index.days import within
from data.index.segment import (
    AUTHOR,
    DERIVED,
    SOURCE_NAME,
    TAGS,
    TOPIC,
    TOPIC_NAME,
    VENUE,
    normal_name,
)
from data.index.sets import in_all, in_any, mask_of
from data.index.texts import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from data.index.arrays import Int64s, Mask
    from data.index.documents import SearchFilters
    from data.index.query import Condition
    from data.index.snapshot import Snapshot

FILTER_NAMES: Final = ("tag", "author", "topic", "source", "since", "until")


def allowed(
    snapshot: Snapshot, filters: SearchFilters, conditions: tuple[Condition, ...]
) -> Mask | None:
    """The papers that pass all filters; None where there are none to pass."""
    size = snapshot.size
    masks: list[Mask] = []
    if filters.tag:
        masks.append(_tagged(snapshot, filters.tag, filters.tags))
    if filters.author:
        masks.append(mask_of(by_author(snapshot, filters.author), size))
    if filters.topic:
        masks.append(mask_of(about(snapshot, filters.topic), size))
    if filters.source:
        masks.append(_from_source(snapshot, filters.source))
    if filters.since or filters.until:
        masks.append(_between(snapshot, filters.since, filters.until))
    for condition in conditions:
        mask = _condition(snapshot, condition, filters.tags)
        masks.append(~mask if condition.negated else mask)
    if not masks:
        return None
    passed = masks[0]
    for mask in masks[1:]:
        passed = passed & mask
    return passed


def _condition(snapshot: Snapshot, condition: Condition, tags: Mapping[int, str]) -> Mask:
    if condition.field == "tag":
        return _tagged(snapshot, condition.value, tags)
    if condition.field == "source":
        return _from_source(snapshot, condition.value)
    return _between(snapshot, condition.low, condition.high)


def tag_codes(snapshot: Snapshot, overrides: Mapping[int, str]) -> Int64s:
    """Each paper's tag as a place in `TAGS`, with a server's own corrections put in."""
    codes: Int64s = snapshot.tags.astype(np.int64) % DERIVED
    for paper_id, corrected in overrides.items():
        doc = snapshot.doc_of(paper_id)
        if doc >= 0 and corrected in TAGS:
            codes[doc] = TAGS.index(corrected)
    return codes


def _tagged(snapshot: Snapshot, tag: str, overrides: Mapping[int, str]) -> Mask:
    tag = tag.strip().lower()
    if not tag or tag not in TAGS:
        return np.zeros(snapshot.size, np.bool_)
    return tag_codes(snapshot, overrides) == TAGS.index(tag)


def _between(snapshot: Snapshot, since: date | None, until: date | None) -> Mask:
    return within(snapshot.days, since or date.min, until or date.max)


def by_author(snapshot: Snapshot, name: str, *, prefix: bool = False) -> Int64s:
    """Papers with one author whose name has all words of `name`, in any order.

    With `prefix` the last word is the beginning of one.
    """
    wanted = name_words(name)
    if not wanted:
        return np.zeros(0, np.int64)
    if len(set(wanted)) == 1 and not prefix:
        return snapshot.postings(AUTHOR + wanted[0]).docs
    whole = wanted[0] if not prefix and wanted[1:] == tuple(wanted[0]) else ""
    found: list[Int64s] = []
    for (segment, alive), base in zip(snapshot.parts, snapshot.bases, strict=False):
        places = segment.names_with(wanted, prefix=prefix).tolist()
        if whole:
            letters = segment.names_with(wanted[1:], prefix=False).tolist()
            places += [at for at in letters if _is_written(whole, segment.term_at(at)[1:])]
        for place in places:
            docs = segment.postings_at(place).docs
            found.append((docs if alive is None else docs[alive[docs]]) + base)
    return in_any(found)


def _is_written(name: str, apart: str) -> bool:
    """Whether a name in two words is that of one word: 李 明 or 明 李 is 李明."""
    parts = apart.replace("·", " ").split()
    return len(parts) == 2 and name in ("".join(parts), parts[1] + parts[0])


def about(snapshot: Snapshot, topic: str, *, prefix: bool = False) -> Int64s:
    """Papers with the topic of exactly that name, and papers whose topics have all its words."""
    if prefix:
        return _beginning(snapshot, TOPIC + fold(topic))
    found = [snapshot.postings(TOPIC_NAME + normal_name(topic)).docs]
    terms = [TOPIC + term for word in words(plain(topic)) for term in analyse(word).terms[-1:]]
    if terms:
        found.append(in_all([snapshot.postings(term).docs for term in terms]))
    return in_any(found)


def in_venue(snapshot: Snapshot, venue: str, *, prefix: bool = False) -> Int64s:
    """Papers whose venue has all words of `venue`."""
    if prefix:
        return _beginning(snapshot, VENUE + fold(venue))
    terms = _venue_terms(venue)
    return in_all([snapshot.postings(term).docs for term in terms])


@lru_cache(maxsize=1000)
def _venue_terms(venue: str) -> tuple[str, ...]:
    return tuple(VENUE + term for term in analyse(venue).terms)


def _beginning(snapshot: Snapshot, prefix: str) -> Int64s:
    found: list[Int64s] = []
    for (segment, alive), base in zip(snapshot.parts, snapshot.bases, strict=False):
        for place in segment.terms.prefixed(prefix)[:500]:
            docs = segment.postings_at(place).docs
            found.append((docs if alive is None else docs[alive[docs]]) + base)
    return in_any(found)


def _from_source(snapshot: Snapshot, source: str) -> Mask:
    docs = snapshot.postings(SOURCE_NAME + normal_name(source)).docs
    return mask_of(docs, snapshot.size)
