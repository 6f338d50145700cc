"""Papers like a paper, or like a pasted text: a search with its most telling words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from data.index.analyzer import analyse, stem
from data.index.documents import Hit
from data.index.ranking import best, contributions, inverse_document_frequency
from data.index.stopwords import STOP_WORDS

if TYPE_CHECKING:
    from data.index.snapshot import Snapshot

_TELLING_WORDS: Final = 40


def similar_to_paper(snapshot: Snapshot, paper_id: int, limit: int) -> tuple[Hit, ...]:
    """The papers most like a paper of the index, without itself; none for an unknown id."""
    doc = snapshot.doc_of(paper_id)
    if doc < 0:
        return ()
    title, body = snapshot.surfaces(doc)
    counts = _counted(title, 3.0)
    for term, count in _counted(body, 1.0).items():
        counts[term] = counts.get(term, 0.0) + count
    return _similar(snapshot, counts, limit, leave_out=doc)


def similar_to_text(snapshot: Snapshot, text: str, limit: int) -> tuple[Hit, ...]:
    """The papers most like a text of any length."""
    counts: dict[str, float] = {}
    for term in analyse(text[:50_000]).terms:
        counts[term] = counts.get(term, 0.0) + 1.0
    return _similar(snapshot, counts, limit, leave_out=-1)


def _counted(surfaces: list[str], weight: float) -> dict[str, float]:
    counts: dict[str, float] = {}
    for surface in surfaces:
        if surface not in STOP_WORDS:
            term = stem(surface)
            counts[term] = counts.get(term, 0.0) + weight
    return counts


def _similar(
    snapshot: Snapshot, counts: dict[str, float], limit: int, leave_out: int
) -> tuple[Hit, ...]:
    weights: list[tuple[float, str]] = []
    for term, count in counts.items():
        papers = len(snapshot.postings(term).docs)
        if papers:
            idf = inverse_document_frequency(papers, snapshot.count)
            weights.append((count / (count + 1.5) * idf, term))
    weights.sort(key=lambda pair: (-pair[0], pair[1]))
    scores = np.zeros(snapshot.size, np.float32)
    for weight, term in weights[:_TELLING_WORDS]:
        found = snapshot.postings(term)
        scores[found.docs] += weight * contributions(snapshot, found)
    if leave_out >= 0:
        scores[leave_out] = 0
    docs = np.flatnonzero(scores)
    docs, found_scores = best(docs, scores[docs], snapshot.ids, snapshot.days, limit)
    return tuple(
        Hit(int(snapshot.ids[doc]), float(score))
        for doc, score in zip(docs.tolist(), found_scores, strict=True)
    )
