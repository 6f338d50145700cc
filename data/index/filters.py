"""Narrows a result: by tag, author, topic, source and day, from the filters and the query."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Final

import numpy as np

from data.index.analyzer import analyse, name_words, words
from data.index.evaluation import mask_of
from data.index.segment import AUTHOR, SOURCE_NAME, TAGS, TOPIC, TOPIC_NAME, VENUE, normal_name

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
    masks: list[Mask] = []
    if filters.tag:
        masks.append(_tagged(snapshot, filters.tag, filters.tags))
    if filters.author:
        masks.append(by_author(snapshot, filters.author))
    if filters.topic:
        masks.append(_about(snapshot, filters.topic))
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


def _tagged(snapshot: Snapshot, tag: str, overrides: Mapping[int, str]) -> Mask:
    tag = tag.strip().lower()
    if tag not in TAGS:
        return np.zeros(snapshot.size, np.bool_)
    mask = snapshot.tags == TAGS.index(tag)
    for paper_id, corrected in overrides.items():
        doc = snapshot.doc_of(paper_id)
        if doc >= 0:
            mask[doc] = corrected == tag
    return mask


def _between(snapshot: Snapshot, since: date | None, until: date | None) -> Mask:
    low = (since or date.min).toordinal()
    high = (until or date.max).toordinal()
    return (snapshot.days >= low) & (snapshot.days <= high)


def by_author(snapshot: Snapshot, name: str) -> Mask:
    """Papers with one author whose name has all words of `name`, in any order."""
    wanted = set(name_words(name))
    if not wanted:
        return np.zeros(snapshot.size, np.bool_)
    docs = _with_all(snapshot, [AUTHOR + word for word in sorted(wanted)])
    if len(wanted) > 1:
        docs = np.array(
            [
                doc
                for doc in docs.tolist()
                if any(
                    wanted.issubset(name_words(author)) for author in snapshot.names(doc, "authors")
                )
            ],
            np.int64,
        )
    return mask_of(docs, snapshot.size)


def _about(snapshot: Snapshot, topic: str) -> Mask:
    """Papers with the topic of exactly that name, and papers whose topics have all its words."""
    exact = mask_of(snapshot.postings(TOPIC_NAME + normal_name(topic)).docs, snapshot.size)
    terms = [TOPIC + term for word in words(topic) for term in analyse(word).terms[-1:]]
    if terms:
        exact |= mask_of(_with_all(snapshot, terms), snapshot.size)
    return exact


def in_venue(snapshot: Snapshot, venue: str) -> Mask:
    """Papers whose venue has all words of `venue`."""
    terms = [VENUE + term for term in analyse(venue).terms]
    docs = _with_all(snapshot, terms) if terms else np.zeros(0, np.int64)
    return mask_of(docs, snapshot.size)


def _from_source(snapshot: Snapshot, source: str) -> Mask:
    return mask_of(snapshot.postings(SOURCE_NAME + normal_name(source)).docs, snapshot.size)


def _with_all(snapshot: Snapshot, terms: list[str]) -> Int64s:
    lists = sorted((snapshot.postings(term).docs for term in terms), key=len)
    docs = lists[0]
    for other in lists[1:]:
        docs = docs[np.isin(docs, other, assume_unique=True)]
    return docs
