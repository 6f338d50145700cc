"""Completes what somebody types: authors, topics and titles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from data.index.analyzer import fold, name_words, read_word, words
from data.index.segment import AUTHOR, TOPIC

if TYPE_CHECKING:
    from data.index.arrays import Int64s
    from data.index.snapshot import Snapshot


def complete_names(snapshot: Snapshot, typed: str, kind: str, most: int) -> list[str]:
    """Authors or topics (`kind`) with words that begin as the typed ones do, most papers first."""
    prefix = AUTHOR if kind == "authors" else TOPIC
    wanted = name_words(typed) if kind == "authors" else tuple(fold(w) for w in words(typed))
    if not wanted:
        return []
    docs: list[int] = []
    longest = max(wanted, key=len)
    for term in snapshot.prefixed(prefix + longest[:12], 40):
        docs += snapshot.postings(term).docs[:200].tolist()
    counts: dict[str, int] = {}
    for doc in docs:
        for name in snapshot.names(doc, kind):
            have = name_words(name) if kind == "authors" else tuple(fold(w) for w in words(name))
            if all(any(word.startswith(piece) for word in have) for piece in wanted):
                counts[name] = counts.get(name, 0) + 1
    return sorted(counts, key=lambda name: (-counts[name], name))[:most]


def complete_titles(snapshot: Snapshot, typed: str, most: int) -> list[tuple[int, str]]:
    """Papers whose title has the typed words, the last of them as a beginning; newest first."""
    pieces = words(typed)
    if not pieces:
        return []
    found: Int64s | None = None
    for word in pieces[:-1]:
        for term in read_word(word).terms[:1]:
            postings = snapshot.postings(term)
            docs = postings.docs[postings.codes >= 64]
            found = docs if found is None else found[np.isin(found, docs, assume_unique=True)]
    last = fold(pieces[-1])
    ends = [*read_word(pieces[-1]).terms, *snapshot.prefixed(last, 30)]
    lists = [p.docs[p.codes >= 64] for p in map(snapshot.postings, dict.fromkeys(ends))]
    docs = np.unique(np.concatenate(lists)) if lists else np.zeros(0, np.int64)
    if found is not None:
        docs = found[np.isin(found, docs, assume_unique=True)] if len(docs) else found
    order = np.lexsort((snapshot.ids[docs], -snapshot.days[docs].astype(np.int64)))[:most]
    answer: list[tuple[int, str]] = []
    for doc in docs[order].tolist():
        segment, local = snapshot.place(doc)
        answer.append((int(snapshot.ids[doc]), segment.title(local)))
    return answer
