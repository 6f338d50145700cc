"""Papers like a paper, or like a pasted text: a search with its most telling words."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from data.index.analyzer import analyse
from data.index.documents import Hit
from data.index.ranking import best, term_counts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from data.index.snapshot import Snapshot

_TELLING_WORDS: Final = 40
_HALF_WEIGHT: Final = 1.5
_MOST_CHARACTERS: Final = 50_000


def similar_to_paper(snapshot: Snapshot, paper_id: int, limit: int) -> tuple[Hit, ...]:
    """The papers most like a paper of the index, without itself; none for an unknown id."""
    doc = snapshot.doc_of(paper_id)
    if doc < 0:
        return ()
    ((part, local),) = snapshot.split(np.array([doc]))
    counts = term_counts(snapshot, part, int(local[0]))
    return _similar(snapshot, counts, limit, leave_out=doc)


def similar_to_text(snapshot: Snapshot, text: str, limit: int) -> tuple[Hit, ...]:
    """The papers most like a text of any length."""
    counts = Counter(analyse(text[:_MOST_CHARACTERS]).terms)
    return _similar(snapshot, counts, limit, leave_out=-1)


def _similar(
    snapshot: Snapshot, counts: Mapping[str, float], limit: int, leave_out: int
) -> tuple[Hit, ...]:
    ranked: list[tuple[float, str]] = []
    for term, count in counts.items():
        idf = snapshot.idf_of(term)
        if idf:
            ranked.append((-count / (count + _HALF_WEIGHT) * idf, term))
    ranked.sort()
    scores = np.zeros(snapshot.size, np.float32)
    for weight, term in ranked[:_TELLING_WORDS]:
        found = snapshot.weighted(term)
        scores[found.docs] -= np.float32(weight) * found.weights
    if leave_out >= 0:
        scores[leave_out] = 0
    docs = np.flatnonzero(scores)
    docs, found_scores = best(snapshot, docs, scores[docs], limit)
    return tuple(
        Hit(paper_id, score)
        for paper_id, score in zip(snapshot.ids[docs].tolist(), found_scores.tolist(), strict=True)
    )
