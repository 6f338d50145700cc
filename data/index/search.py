"""One search from query to result: identifiers first, then words, filters, order, help."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from data.index.answers import key_of
from data.index.documents import Hit, SearchFilters, SearchResult
from data.index.evaluation import Evaluator
from data.index.facets import facets_of
from data.index.filters import allowed
from data.index.keys import keys_in, title_key
from data.index.query import Clause, Query, Words, parse
from data.index.ranking import DEPTH, best, depth_for, rescored
from data.index.reading import in_words
from data.index.sets import contained
from data.index.suggestions import relaxations, spellings

if TYPE_CHECKING:
    from data.index.arrays import Floats, Int64s, Mask
    from data.index.documents import Sort
    from data.index.snapshot import Snapshot

_MOST_NAMED: Final = 8
_NUMBERED: Final = re.compile(r"\s*#(\d{1,18})\s*", re.ASCII)
_NO_FILTERS: Final = SearchFilters()


def search(
    snapshot: Snapshot,
    text: str,
    filters: SearchFilters | None,
    *,
    limit: int,
    offset: int,
    sort: Sort,
    facets: bool,
) -> SearchResult:
    """Answers one query on a snapshot, from what is kept if it was asked before."""
    filters = filters or _NO_FILTERS
    limit, offset = max(limit, 0), max(offset, 0)
    narrowed = key_of(filters)
    key = (text, narrowed, limit, offset, sort, facets)
    found = None if narrowed is None else snapshot.answers.get(key)
    if found is None:
        found = _searched(snapshot, text, filters, limit, offset, sort, facets=facets)
        if narrowed is not None:
            snapshot.answers.keep(key, found)
    return found


def _searched(
    snapshot: Snapshot,
    text: str,
    filters: SearchFilters,
    limit: int,
    offset: int,
    sort: Sort,
    *,
    facets: bool,
) -> SearchResult:
    named = _named(snapshot, text, filters, limit, offset)
    if named is not None:
        return named
    query = parse(text)
    if sort != "relevance" and query.sort is None:
        query = replace(query, sort=sort)
    return answer(
        snapshot, query, filters, limit=limit, offset=offset, sort=sort, facets=facets, helped=True
    )


def answer(
    snapshot: Snapshot,
    query: Query,
    filters: SearchFilters,
    *,
    limit: int,
    offset: int,
    sort: Sort,
    facets: bool,
    helped: bool,
) -> SearchResult:
    """Answers a parsed query; `helped` adds suggestions, which search again."""
    mask = allowed(snapshot, filters, query.conditions)
    evaluator = Evaluator(snapshot)
    if mask is None and not facets and (query.sort or sort) == "relevance" and _only_words(query):
        evaluator.only_best = limit + offset <= DEPTH
    try:
        evaluator.evaluate(query.clauses)
        if _is_listing(query, mask, evaluator):
            _list_everything(snapshot, query, evaluator)
        page, total, matched = _ranked(
            snapshot, query, evaluator, mask, filters, query.sort or sort, limit + offset
        )
        counted = None
        if facets:
            if matched is None:
                matched = _narrowed(evaluator.docs, mask)
            counted = facets_of(snapshot, matched, filters)
    finally:
        evaluator.release()
    hits = tuple(Hit(paper_id, score) for paper_id, score in page[offset:])
    read_as = in_words(query, evaluator.dropped, filters)
    if read_as == "all papers" and (query.clauses or not total):
        read_as = "the whole title" if total else "nothing to search for"
    suggestions = ()
    if helped:
        suggestions = spellings(snapshot, query, filters, evaluator.unknown)
        if not total:
            suggestions += relaxations(snapshot, query, filters)
    return SearchResult(
        query.text,
        total,
        hits,
        read_as,
        _notes(query, evaluator),
        suggestions,
        counted,
        frozenset(evaluator.terms),
    )


def total_of(snapshot: Snapshot, query: Query, filters: SearchFilters) -> int:
    """How many papers a query finds."""
    return answer(
        snapshot, query, filters, limit=0, offset=0, sort="newest", facets=False, helped=False
    ).total


def _named(
    snapshot: Snapshot, text: str, filters: SearchFilters, limit: int, offset: int
) -> SearchResult | None:
    """The papers whose number ("#12"), identifier or address the whole query is."""
    found = [doc for key in keys_in(text) for doc in snapshot.with_key(key)]
    if numbered := _NUMBERED.fullmatch(text):
        found += [doc for doc in (snapshot.doc_of(int(numbered[1])),) if doc >= 0]
    if not found:
        return None
    mask = allowed(snapshot, filters, ())
    kept = [doc for doc in dict.fromkeys(found) if mask is None or mask[doc]]
    if not kept:
        return None
    hits = tuple(Hit(int(snapshot.ids[doc]), 1.0) for doc in kept)
    said = in_words(Query(""), (), filters)
    rest = "" if said == "all papers" else f"; {said}"
    return SearchResult(
        text, len(hits), hits[offset : offset + limit], f"the paper named {text.strip()}{rest}"
    )


def _is_listing(query: Query, mask: Mask | None, evaluator: Evaluator) -> bool:
    """Whether a query only narrows: it lists what passes instead of looking for words."""
    if not query.clauses:
        return mask is not None or query.sort is not None
    if all(clause.occur == "not" for clause in query.clauses):
        return True
    only_dropped = evaluator.dropped and not evaluator.terms and not evaluator.unknown
    return bool(only_dropped and mask is not None)


def _only_words(query: Query) -> bool:
    return all(
        clause.occur == "should" and isinstance(clause.node, Words) for clause in query.clauses
    )


def _list_everything(snapshot: Snapshot, query: Query, evaluator: Evaluator) -> None:
    unwanted = [evaluator.matching(c.node) for c in query.clauses if c.occur == "not"]
    docs = snapshot.everything()
    for each in unwanted:
        docs = docs[~contained(docs, each)]
    evaluator.lists = [docs]
    evaluator.total = len(docs)


def _narrowed(docs: Int64s, mask: Mask | None) -> Int64s:
    return docs if mask is None else docs[mask[docs]]


def _ranked(
    snapshot: Snapshot,
    query: Query,
    evaluator: Evaluator,
    mask: Mask | None,
    filters: SearchFilters,
    order: str,
    count: int,
) -> tuple[list[tuple[int, float]], int, Int64s | None]:
    """The first `count` papers with scores, how many match, and all of them if that was needed."""
    if order != "relevance":
        docs = _narrowed(evaluator.docs, mask)
        chosen, scores = _sorted_by(snapshot, docs, evaluator.scores[docs], order, filters, count)
        return _scored(snapshot, chosen, scores), len(docs), docs
    head, scores = _top(snapshot, evaluator, depth_for(evaluator.query_words))
    head, scores = rescored(snapshot, head, scores, evaluator.query_words, evaluator.weights)
    matched: Int64s | None = None
    total = evaluator.total
    rest_from = head
    if mask is not None:
        matched = _narrowed(evaluator.docs, mask)
        total = len(matched)
        keep = mask[head]
        head, scores = head[keep], scores[keep]
    if count > len(head) and total > len(head):
        if matched is None:
            matched = evaluator.docs
        others = matched[~contained(matched, np.sort(rest_from))]
        more, fewer = best(snapshot, others, evaluator.scores[others], count - len(head))
        last = scores[-1] if len(scores) else np.float32(np.inf)
        head = np.concatenate([head, more])
        scores = np.concatenate([scores, np.minimum(fewer, last)])
    titled = _titled(snapshot, query, mask)
    if len(titled):
        if not total:  # words so common that none of them is looked for
            total, matched = len(titled), np.sort(titled)
        head, scores = _put_first(titled, head, scores)
    return _scored(snapshot, head[:count], scores[:count]), total, matched


def _top(snapshot: Snapshot, evaluator: Evaluator, depth: int) -> tuple[Int64s, Floats]:
    """The best papers of the lists, which are disjoint."""
    if evaluator.candidates is not None:
        return best(snapshot, evaluator.candidates, evaluator.found, depth)
    lists = evaluator.lists
    if not lists:
        return np.zeros(0, np.int64), np.zeros(0, np.float32)
    docs = np.concatenate(lists) if len(lists) > 1 else lists[0]
    return best(snapshot, docs, evaluator.scores.take(docs, mode="wrap"), depth)


def _scored(snapshot: Snapshot, docs: Int64s, scores: Floats) -> list[tuple[int, float]]:
    return list(zip(snapshot.ids[docs].tolist(), scores.tolist(), strict=True))


def _sorted_by(
    snapshot: Snapshot,
    docs: Int64s,
    scores: Floats,
    order: str,
    filters: SearchFilters,
    count: int,
) -> tuple[Int64s, Floats]:
    if not count:
        return docs[:0], scores[:0]
    if order == "votes":
        first = np.zeros(len(docs), np.int64)
        for paper_id, votes in filters.votes.items():
            doc = snapshot.doc_of(paper_id)
            at = int(np.searchsorted(docs, doc))
            if doc >= 0 and at < len(docs) and docs[at] == doc:
                first[at] = votes
    else:
        first = snapshot.days[docs].astype(np.int64)
    chosen = np.lexsort((snapshot.ids[docs], -scores, -first))[:count]
    return docs[chosen], scores[chosen]


def _titled(snapshot: Snapshot, query: Query, mask: Mask | None) -> Int64s:
    """Papers whose whole title the query is, among those that pass."""
    if not any(clause.occur != "not" for clause in query.clauses):
        return np.zeros(0, np.int64)
    key = title_key(query.text)
    titled = [] if key is None else snapshot.with_key(key)[:_MOST_NAMED]
    return np.array([doc for doc in titled if mask is None or mask[doc]], np.int64)


def _put_first(first: Int64s, head: Int64s, scores: Floats) -> tuple[Int64s, Floats]:
    keep = ~contained(head, np.sort(first))
    top = float(scores.max()) + 1.0 if len(scores) else 1.0
    return (
        np.concatenate([first, head[keep]]),
        np.concatenate([np.full(len(first), top, np.float32), scores[keep]]),
    )


def _notes(query: Query, evaluator: Evaluator) -> tuple[str, ...]:
    notes = list(query.notes)
    if evaluator.dropped:
        listed = ", ".join(dict.fromkeys(word[:40] for word in evaluator.dropped[:8]))
        notes.append(f"Not searched for, too common or no word: {listed}.")
    if evaluator.unknown:
        listed = ", ".join(dict.fromkeys(word[:60] for word in evaluator.unknown[:8]))
        notes.append(f"In no paper: {listed}.")
    return tuple(notes)


def plain_query(text: str) -> Query:
    """A query read as plain words, whatever signs are in it."""
    return Query(text, tuple(Clause("should", Words(word)) for word in text.split()))
