"""How well a paper fits a query.

The base is TF-IDF with saturating, length-normalised frequencies, added up over the words of the
query:

    weight(word, paper) = idf(word) * tf / (tf + k * (1 - b + b * length / average length))

where tf counts a word of the title three times. The saturation tf / (tf + k) is that of Robertson
& Walker (SIGIR 1994), the pivoted length that of Singhal, Buckley & Mitra (SIGIR 1996), and title
and abstract are added up before they saturate, as in BM25F (Robertson, Zaragoza & Taylor, CIKM
2004). A word repeated in the query counts (k3 + 1) n / (k3 + n) times (Robertson & Walker, TREC-8).

The first `DEPTH` papers are then looked at more closely:

- for a short query, neighbouring words of it that stand together in the paper count as evidence
  of their own, the ordered-window feature of Metzler & Croft's sequential dependence model
  (SIGIR 2005);
- a long query, of at least `FEEDBACK_FROM` different words, is widened with the telling words of
  its `FEEDBACK_PAPERS` best papers: Rocchio's pseudo-relevance feedback (1971) with the
  interpolation of RM3 (Abdul-Jaleel et al., TREC 2004), the less the further one paper leads.

The same papers are looked at whatever the filters are, so filters never change the order.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from data.index.segment import NO_TERM
from data.index.snapshot import TITLE_WEIGHT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from data.index.arrays import AnyArray, Floats, Int16s, Int64s, Mask
    from data.index.segment import Segment
    from data.index.snapshot import Snapshot

QUERY_SATURATION: Final = 8.0
DEPTH: Final = 20
FEEDBACK_DEPTH: Final = 80
FEEDBACK_FROM: Final = 5
FEEDBACK_PAPERS: Final = 6
FEEDBACK_WORDS: Final = 30
FEEDBACK_SHARE: Final = 0.5
PAIR_WEIGHT: Final = 0.2


def query_weight(times: int) -> float:
    """How much a word counts that stands `times` times in the query."""
    return (QUERY_SATURATION + 1) * times / (QUERY_SATURATION + times)


def best(snapshot: Snapshot, docs: Int64s, scores: Floats, count: int) -> tuple[Int64s, Floats]:
    """The `count` best of `docs`: by score, among equals the newer, then the lower id."""
    if count <= 0 or not len(docs):
        return docs[:0], scores[:0]
    if len(docs) > count + 64:
        least = np.partition(scores, len(scores) - count)[len(scores) - count]
        keep = scores >= least
        docs, scores = docs[keep], scores[keep]
    order = np.lexsort((snapshot.ids[docs], -snapshot.days[docs], -scores))[:count]
    return docs[order], scores[order]


class Texts(NamedTuple):
    """The words of some papers, read back from the index, one paper after the other.

    `slots` has for each word 1 + its place among the wanted terms, 0 for any other word and -1 at
    the end of a title or abstract; `ends` where each paper's words end.
    """

    slots: Int16s
    ends: Int64s

    def owners(self, places: Int64s) -> Int64s:
        """Whose the words at `places` are (the paper's place in the list asked for)."""
        return np.searchsorted(self.ends, places, "right")

    def in_title(self, places: Int64s) -> Mask:
        """Whether the words at `places` stand in a title."""
        return np.searchsorted(np.flatnonzero(self.slots < 0), places) % 2 == 0


def rescored(
    snapshot: Snapshot,
    docs: Int64s,
    scores: Floats,
    query_words: Sequence[str],
    weights: Mapping[str, float],
) -> tuple[Int64s, Floats]:
    """Looks more closely at the best papers (`docs`, best first) and orders them anew.

    `query_words` are the terms of the query's words in order ("" where a stop word stood);
    `weights` what each word of the query counts.
    """
    pairs = _pairs(query_words)
    if not len(docs) or not pairs:
        return docs, scores
    ascending = np.argsort(docs)
    close = docs[ascending]
    found = scores[ascending]
    if is_long(query_words):
        found = _with_feedback(snapshot, close, found, weights)
    else:
        found = found + _together(snapshot, close, pairs)
    return best(snapshot, close, found, len(close))


def is_long(query_words: Sequence[str]) -> bool:
    """Whether a query has words enough for its best papers to tell what it is about."""
    return len({word for word in query_words if word}) >= FEEDBACK_FROM


def depth_for(query_words: Sequence[str]) -> int:
    """How many of the best papers are looked at more closely."""
    return FEEDBACK_DEPTH if is_long(query_words) else DEPTH


def _pairs(query_words: Sequence[str]) -> dict[tuple[str, str], int]:
    """Content words that are neighbours in the query, with at most one stop word between."""
    pairs: dict[tuple[str, str], int] = {}
    placed = [(at, word) for at, word in enumerate(query_words) if word]
    for (first, left), (second, right) in itertools.pairwise(placed):
        if second - first <= 2 and left != right:
            pairs[left, right] = pairs.get((left, right), 0) + 1
    return pairs


def read_texts(snapshot: Snapshot, docs: Int64s, wanted: Sequence[str]) -> Texts:
    """Reads back the words of papers (`docs` ascending)."""
    slots: list[Int16s] = []
    ends: list[Int64s] = []
    read = 0
    for at, local in snapshot.split(docs):
        segment = snapshot.parts[at].segment
        codes, until = segment.stream(local)
        slot = segment.slots(segment.code_terms[codes], wanted)
        slot[codes == 0] = -1
        slots.append(slot)
        ends.append(until + read)
        read += len(codes)
    return Texts(np.concatenate(slots), np.concatenate(ends))


def _together(
    snapshot: Snapshot,
    docs: Int64s,
    pairs: Mapping[tuple[str, str], int],
) -> Floats:
    wanted = sorted({term for pair in pairs for term in pair})
    texts = read_texts(snapshot, docs, wanted)
    slot_of = {term: slot for slot, term in enumerate(wanted, 1)}
    slots = texts.slots
    added = np.zeros(len(docs), np.float32)
    size = len(wanted) + 2
    wide = slots.astype(np.int32)
    next_to = wide[:-1] * size + wide[1:]
    beyond = np.where(wide[1:-1] < 0, -1, wide[:-2] * size + wide[2:])
    for (left, right), times in pairs.items():
        code = slot_of[left] * size + slot_of[right]
        places = np.concatenate([np.flatnonzero(next_to == code), np.flatnonzero(beyond == code)])
        if len(places):
            met = np.bincount(texts.owners(places), minlength=len(docs))
            idf = (snapshot.idf_of(left) + snapshot.idf_of(right)) / 2
            added += (times**0.5 * idf * PAIR_WEIGHT * met / (met + 1)).astype(np.float32)
    return added


def _with_feedback(
    snapshot: Snapshot, docs: Int64s, scores: Floats, weights: Mapping[str, float]
) -> Floats:
    leaders, trust = best(snapshot, docs, scores, FEEDBACK_PAPERS)
    telling = _telling(snapshot, leaders, trust)
    if not telling:
        return scores
    share = _feedback_share(trust)
    total = sum(telling.values())
    mass = sum(weights.values())
    terms = sorted(telling)
    texts = read_texts(snapshot, docs, terms)
    hits = np.flatnonzero(texts.slots > 0)
    cells = texts.owners(hits) * len(terms) + texts.slots[hits] - 1
    worth = np.where(texts.in_title(hits), TITLE_WEIGHT, 1.0)
    counts = np.bincount(cells, worth, minlength=len(docs) * len(terms))
    counts = counts.reshape(len(docs), len(terms))
    parts = counts / (counts + snapshot.pivots[docs][:, None])
    shares = np.array([telling[term] / total * mass * snapshot.idf_of(term) for term in terms])
    widened = (parts @ shares).astype(np.float32)
    return ((1 - share) * scores + share * widened).astype(np.float32)


def _feedback_share(trust: Floats) -> float:
    """How far the best papers are trusted to tell what a query is about (scores, best first).

    Where one paper stands out the query knows what it wants, and its wording should decide.
    """
    if len(trust) < 2:
        return 0.0
    return FEEDBACK_SHARE * float(trust[1:].mean() / max(float(trust[0]), 1e-9)) ** 2


def _telling(snapshot: Snapshot, leaders: Int64s, trust: Floats) -> dict[str, float]:
    """The words that set the leading papers apart, with their (idf-free) weights."""
    sums: dict[str, float] = {}
    in_papers: dict[str, int] = {}
    order = np.argsort(leaders)
    shares = (trust / max(float(trust.sum()), 1e-9))[order].astype(np.float64)
    least = 2 if len(leaders) > 2 else 1
    split = snapshot.split(leaders[order])
    begin = 0
    for at, local in split:
        segment = snapshot.parts[at].segment
        owners, places, counts = counted(segment, local)
        pivots = snapshot.pivots[snapshot.bases[at] + local]
        worth = shares[begin + owners] * counts / (counts + pivots[owners])
        begin += len(local)
        distinct, which = np.unique(places, return_inverse=True)
        papers = np.bincount(which)
        totals = np.bincount(which, worth)
        if len(split) == 1:
            keep = np.flatnonzero(papers >= least)
            if len(keep) > FEEDBACK_WORDS and snapshot.whole:
                # Words that cannot be among the most telling are left out before they are read.
                rough = totals[keep] * snapshot.whole_idfs(distinct[keep])
                limit = np.partition(rough, -FEEDBACK_WORDS)[-FEEDBACK_WORDS]
                keep = keep[rough >= limit * (1 - 1e-6)]
            distinct, papers, totals = distinct[keep], papers[keep], totals[keep]
        for place, number, total in zip(
            distinct.tolist(), papers.tolist(), totals.tolist(), strict=True
        ):
            term = segment.term_at(place)
            sums[term] = sums.get(term, 0.0) + total
            in_papers[term] = in_papers.get(term, 0) + number
    ranked = [
        (worth * snapshot.idf_of(term), term)
        for term, worth in sums.items()
        if in_papers[term] >= least
    ]
    ranked.sort(key=lambda pair: (-pair[0], pair[1]))
    return {term: sums[term] for _, term in ranked[:FEEDBACK_WORDS]}


def counted(segment: Segment, docs: Int64s) -> tuple[Int64s, Int64s, AnyArray]:
    """The terms of some papers of a segment, each once for each paper.

    Returns which of `docs` has it, the term's place, and how often, title words weighted.
    """
    codes, ends = segment.stream(docs)
    places = segment.code_terms[codes]
    stops = codes == 0
    content = np.flatnonzero(~stops & (places != NO_TERM))
    in_abstract = (np.cumsum(stops) & 1)[content]
    owners = np.searchsorted(ends, content, "right")
    size = len(segment.terms)
    cells, which = np.unique(owners * size + places[content], return_inverse=True)
    counts = np.bincount(which, np.where(in_abstract, 1.0, TITLE_WEIGHT))
    return cells // size, cells % size, counts


def term_counts(snapshot: Snapshot, part: int, doc: int) -> dict[str, float]:
    """The terms of one paper with their frequencies, title words weighted."""
    segment = snapshot.parts[part].segment
    _, places, counts = counted(segment, np.array([doc]))
    return {
        segment.term_at(at): count
        for at, count in zip(places.tolist(), counts.tolist(), strict=True)
    }
