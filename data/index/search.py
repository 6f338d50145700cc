"""One search from query to result: identifiers first, then words, filters, order, suggestions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from data.index.analyzer import read_word, words
from data.index.documents import Hit, SearchFilters, SearchResult, Sort, Suggestion
from data.index.evaluation import Evaluation, Evaluator
from data.index.filters import FILTER_NAMES, allowed
from data.index.keys import keys_in, title_key
from data.index.query import Clause, Query, Words, parse
from data.index.ranking import best
from data.index.reading import in_words
from data.index.texts import plain

if TYPE_CHECKING:
    from data.index.arrays import Floats, Int64s, Mask
    from data.index.snapshot import Snapshot

_CLOSE_RANK: Final = 1.0


def search(
    snapshot: Snapshot,
    text: str,
    filters: SearchFilters,
    *,
    limit: int,
    offset: int,
    sort: Sort,
) -> SearchResult:
    """Answers one query on a snapshot."""
    limit, offset = max(limit, 0), max(offset, 0)
    named = _named_papers(snapshot, text)
    if named:
        mask = allowed(snapshot, filters, ())
        kept = [doc for doc in named if mask is None or mask[doc]]
        if kept:
            hits = tuple(Hit(int(snapshot.ids[doc]), 1.0) for doc in kept)
            said = in_words(Query(""), (), filters)
            rest = "" if said == "all papers" else f"; {said}"
            shown = hits[offset : offset + limit]
            return SearchResult(text, len(hits), shown, f"the paper named {text.strip()}{rest}")
    query = parse(text)
    evaluation, docs, scores = _matching(snapshot, query, filters)
    notes = list(query.notes)
    if evaluation.dropped and not _is_filtered_listing(query, evaluation):
        listed = ", ".join(dict.fromkeys(evaluation.dropped[:8]))
        notes.append(f"Too common to search for: {listed}.")
    unknown = list(dict.fromkeys(evaluation.unknown))
    if unknown:
        notes.append(f"In no paper: {', '.join(unknown[:8])}.")
    scores = _exact_title_first(snapshot, text, docs, scores)
    order = query.sort or sort
    page_docs, page_scores = _ordered(snapshot, docs, scores, order, filters, limit + offset)
    hits = tuple(
        Hit(int(snapshot.ids[doc]), float(score))
        for doc, score in zip(page_docs[offset:].tolist(), page_scores[offset:], strict=True)
    )
    read_as = in_words(query, evaluation.dropped, filters)
    if not docs.size and not (evaluation.terms or unknown) and read_as == "all papers":
        read_as = "nothing to search for"
    suggestions = () if len(docs) else _relaxations(snapshot, query, filters)
    return SearchResult(
        text, len(docs), hits, read_as, tuple(notes), suggestions, None, frozenset(evaluation.terms)
    )


def _is_filtered_listing(query: Query, evaluation: Evaluation) -> bool:
    return not query.clauses and not evaluation.dropped


def _matching(
    snapshot: Snapshot, query: Query, filters: SearchFilters
) -> tuple[Evaluation, Int64s, Floats]:
    evaluation = Evaluator(snapshot).evaluate(query.clauses)
    docs, scores = evaluation.docs, evaluation.scores
    mask = allowed(snapshot, filters, query.conditions)
    only_excludes = query.clauses and all(clause.occur == "not" for clause in query.clauses)
    if (not query.clauses and mask is not None) or only_excludes:
        docs, scores = _everything(snapshot, query)
    if mask is not None:
        keep = mask[docs]
        docs, scores = docs[keep], scores[keep]
    return evaluation, docs, scores


def _everything(snapshot: Snapshot, query: Query) -> tuple[Int64s, Floats]:
    """All papers but the excluded ones, for queries that only filter."""
    keep: Mask = (
        np.ones(snapshot.size, np.bool_) if snapshot.alive is None else snapshot.alive.copy()
    )
    for clause in query.clauses:
        keep[Evaluator(snapshot).matching(clause.node)] = False
    docs = np.flatnonzero(keep)
    return docs, np.zeros(len(docs), np.float32)


def _ordered(
    snapshot: Snapshot,
    docs: Int64s,
    scores: Floats,
    order: str,
    filters: SearchFilters,
    count: int,
) -> tuple[Int64s, Floats]:
    if order == "relevance":
        return best(docs, scores, snapshot.ids, snapshot.days, count)
    if order == "votes":
        votes = np.zeros(len(docs), np.float32)
        for paper_id, number in filters.votes.items():
            doc = snapshot.doc_of(paper_id)
            at = int(np.searchsorted(docs, doc))
            if doc >= 0 and at < len(docs) and docs[at] == doc:
                votes[at] = number
        chosen = np.lexsort((snapshot.ids[docs], -scores, -votes))[:count]
    else:
        days = -snapshot.days[docs].astype(np.int64)
        chosen = np.lexsort((snapshot.ids[docs], -scores, days))[:count]
    return docs[chosen], scores[chosen]


def _named_papers(snapshot: Snapshot, text: str) -> list[int]:
    found = [doc for key in keys_in(text) for doc in snapshot.with_key(key)]
    return list(dict.fromkeys(found))


def _exact_title_first(snapshot: Snapshot, text: str, docs: Int64s, scores: Floats) -> Floats:
    key = title_key(text)
    titled = [] if key is None else snapshot.with_key(key)
    if not titled or not len(docs):
        return scores
    scores = scores.copy()
    top = float(scores.max()) + _CLOSE_RANK
    for doc in titled:
        at = int(np.searchsorted(docs, doc))
        if at < len(docs) and docs[at] == doc:
            scores[at] = top
    return scores


def _relaxations(
    snapshot: Snapshot, query: Query, filters: SearchFilters
) -> tuple[Suggestion, ...]:
    """What would find something: one filter less, or the words alone."""
    found: list[Suggestion] = []
    for name in FILTER_NAMES:
        if getattr(filters, name):
            _, docs, _ = _matching(snapshot, query, replace(filters, **{name: None}))
            if len(docs):
                found.append(Suggestion("filter", query.text, len(docs), name))
    loose = " ".join(
        clause.node.text.strip()
        for clause in query.clauses
        if isinstance(clause.node, Words) and clause.occur != "not"
    )
    plain_words = [word for word in words(plain(loose)) if read_word(word).terms]
    if plain_words and (len(plain_words) > 1 or query.conditions):
        clauses = tuple(Clause("should", Words(word)) for word in plain_words)
        _, docs, _ = _matching(snapshot, Query(loose, clauses), filters)
        if len(docs):
            found.append(Suggestion("words", " ".join(plain_words), len(docs)))
    return tuple(sorted(found, key=lambda suggestion: -suggestion.total))
