"""Completes what somebody types: authors, topics and titles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from data.index.analyzer import fold, name_words, words
from data.index.codec import TITLE_CODE
from data.index.segment import AUTHOR_NAME, DERIVED, TOPIC_NAME, normal_name
from data.index.sets import in_all, in_any
from data.index.terms import text_terms
from data.index.texts import plain

if TYPE_CHECKING:
    from data.index.arrays import Int64s
    from data.index.snapshot import Snapshot

_LOOKED_AT: Final = 400


def complete_authors(snapshot: Snapshot, typed: str, most: int) -> list[str]:
    """Author names that have the typed words, the last as a beginning; most papers first."""
    wanted = name_words(typed)
    if not wanted:
        return []
    counts: dict[str, int] = {}
    for segment, _ in snapshot.parts:
        places = segment.names_with(wanted, prefix=True)
        papers = segment.counts(places)
        for at in np.argsort(-papers, kind="stable")[:_LOOKED_AT].tolist():
            name = segment.terms.get(int(places[at]))[1:]
            counts[name] = counts.get(name, 0) + int(papers[at])
    ranked = sorted(counts, key=lambda name: (-counts[name], name))
    if snapshot.alive is None:
        return ranked[:most]
    there = (name for name in ranked if len(snapshot.postings(AUTHOR_NAME + name).docs))
    return [name for name, _ in zip(there, range(most), strict=False)]


def complete_topics(snapshot: Snapshot, typed: str, most: int) -> list[str]:
    """Topics with words that begin as the typed ones do, most papers first; all for nothing."""
    wanted = [fold(word) for word in words(plain(typed))]
    names: set[str] = set()
    for segment, _ in snapshot.parts:
        table = segment.topics.names
        names.update(table)
    fitting: list[tuple[int, str]] = []
    for name in names:
        have = [fold(word) for word in words(plain(name))]
        begins = fold(name).startswith(fold(typed.strip()))
        if begins or all(any(word.startswith(piece) for word in have) for piece in wanted):
            papers = len(snapshot.postings(TOPIC_NAME + normal_name(name)).docs)
            if papers:
                fitting.append((-papers, name))
    return [name for _, name in sorted(fitting)[:most]]


def complete_titles(snapshot: Snapshot, typed: str, most: int) -> list[tuple[int, str]]:
    """(id, title) of papers whose title has the typed words, the last as a beginning.

    The newest come first; nothing typed gives the newest papers.
    """
    pieces = words(plain(typed))
    if not pieces:
        newest = _newest(snapshot, snapshot.everything(), most)
        return [(int(snapshot.ids[doc]), snapshot.title(doc)) for doc in newest]
    lists = [
        docs for word in pieces[:-1] if (docs := _titled(snapshot, text_terms(word))) is not None
    ]
    last = fold(pieces[-1])
    ends = dict.fromkeys((*text_terms(pieces[-1]), *snapshot.completions(last, 40)))
    ended = [d for term in ends if (d := _titled(snapshot, (term,))) is not None]
    # A common word is in no list, so it is looked for in the titles themselves.
    unlisted = not ended and not text_terms(pieces[-1])
    if not unlisted:
        lists.append(in_any(ended))
    candidates = in_all(lists) if lists else snapshot.everything()
    found: list[tuple[int, str]] = []
    folded = [fold(word) for word in pieces]
    for doc in _newest(snapshot, candidates, _LOOKED_AT):
        title = snapshot.title(doc)
        if (unlisted or snapshot.tags[doc] >= DERIVED) and not _fits(title, folded):
            continue
        found.append((int(snapshot.ids[doc]), title))
        if len(found) == most:
            break
    return found


def _titled(snapshot: Snapshot, terms: tuple[str, ...]) -> Int64s | None:
    """Papers with all terms in the title (derived ones are looked at later); None without terms."""
    lists: list[Int64s] = []
    for term in terms:
        docs, codes = snapshot.postings(term)
        lists.append(docs[(codes >= TITLE_CODE) | (snapshot.tags[docs] >= DERIVED)])
    return in_all(lists) if lists else None


def _newest(snapshot: Snapshot, docs: Int64s, most: int) -> list[int]:
    days = snapshot.days[docs]
    if len(docs) > most + 64:
        least = np.partition(days, len(days) - most)[len(days) - most]
        docs = docs[days >= least]
    order = np.lexsort((snapshot.ids[docs], -snapshot.days[docs]))[:most]
    return docs[order].tolist()


def _fits(title: str, folded: list[str]) -> bool:
    have = [fold(word) for word in words(plain(title))]
    return all(any(word.startswith(piece) for word in have) for piece in folded)
