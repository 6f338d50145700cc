"""How well a paper fits: TF-IDF with saturating, length-normalised term frequencies.

weight(term, paper) = idf x tf / (tf + k (1 - b + b length / average length)), where tf counts a
word of the title `TITLE_WEIGHT` times, idf = ln(1 + (N - n + 0.5) / (n + 0.5)). The saturation and the pivoted length are
those of Robertson & Walker (SIGIR 1994) and Singhal, Buckley & Mitra (SIGIR 1996), fields are
added up before saturation as in BM25F (Robertson, Zaragoza & Taylor, CIKM 2004).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from data.index.snapshot import FREQUENCIES

if TYPE_CHECKING:
    from data.index.arrays import Floats, Int32s, Int64s
    from data.index.snapshot import Postings, Snapshot

SATURATION: Final = 1.2
LENGTH_SLOPE: Final = 0.6


def inverse_document_frequency(papers_with_it: int, papers: int) -> float:
    """ln(1 + (N - n + 0.5) / (n + 0.5)): never negative, near zero for a word in all papers."""
    return math.log(1 + (papers - papers_with_it + 0.5) / (papers_with_it + 0.5))


def contributions(snapshot: Snapshot, found: Postings) -> Floats:
    """What a term adds to the score of each paper that has it, times its idf."""
    frequencies = FREQUENCIES[found.codes]
    lengths = snapshot.relative_lengths[found.docs]
    pivot = SATURATION * (1 - LENGTH_SLOPE) + (SATURATION * LENGTH_SLOPE) * lengths
    idf = inverse_document_frequency(len(found.docs), snapshot.count)
    return (idf * frequencies / (frequencies + pivot)).astype(np.float32)


def best(
    docs: Int64s, scores: Floats, ids: Int64s, days: Int32s, count: int
) -> tuple[Int64s, Floats]:
    """The `count` best of `docs`: by score, among equals the newer, then the lower id."""
    if count <= 0:
        return docs[:0], scores[:0]
    if len(docs) > 4 * count + 64:
        least = np.partition(scores, len(scores) - count)[len(scores) - count]
        keep = scores >= least
        docs, scores = docs[keep], scores[keep]
    order = np.lexsort((ids[docs], -days[docs].astype(np.int64), -scores))[:count]
    return docs[order], scores[order]
