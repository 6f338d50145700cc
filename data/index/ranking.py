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

from data.index.pruning import least_score
from data.index.readback import END, changes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from data.index.arrays import Doubles, Floats, Int32s, Int64s
    from data.index.snapshot import Snapshot

QUERY_SATURATION: Final = 8.0
DEPTH: Final = 20
FEEDBACK_DEPTH: Final = 80
FEEDBACK_FROM: Final = 5
FEEDBACK_PAPERS: Final = 6
FEEDBACK_WORDS: Final = 30
FEEDBACK_SHARE: Final = 0.5
PAIR_WEIGHT: Final = 0.2
_TWO_ENDS: Final[Int32s] = np.array([END, END], np.int32)


def query_weight(times: int) -> float:
    """How much a word counts that stands `times` times in the query."""
    return (QUERY_SATURATION + 1) * times / (QUERY_SATURATION + times)


def best(snapshot: Snapshot, docs: Int64s, scores: Floats, count: int) -> tuple[Int64s, Floats]:
    """The `count` best of `docs`: by score, among equals the newer, then the lower id."""
    if count <= 0 or not len(docs):
        return docs[:0], scores[:0]
    if len(docs) > count + 64:
        keep = (scores >= least_score(scores, count)).nonzero()[0]
        docs, scores = docs[keep], scores[keep]
    order = (-scores).argsort()
    ordered = scores[order]
    if (ordered[1:] == ordered[:-1]).any():
        order = np.lexsort((snapshot.ids[docs], -snapshot.days[docs], -scores))[:count]
        return docs[order], scores[order]
    return docs[order[:count]], ordered[:count]


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


def _together(
    snapshot: Snapshot,
    docs: Int64s,
    pairs: Mapping[tuple[str, str], int],
) -> Floats:
    added = np.zeros(len(docs), np.float32)
    met = {pair: np.zeros(len(docs), np.int64) for pair in pairs}
    read = 0
    for at, local in snapshot.split(docs):
        segment = snapshot.parts[at].segment
        texts = segment.readback.texts(local.tolist())
        # Two ends more, so that what comes after a word is always there.
        words = np.concatenate([*texts, _TWO_ENDS])
        ends: Int64s | None = None
        until = read + len(local)
        for left, right in pairs:
            first, second = segment.place_of(left), segment.place_of(right)
            if first < 0 or second < 0:
                continue
            places = (words == first).nonzero()[0]
            following, beyond = words[places + 1], words[places + 2]
            near = places[following == second]
            far = places[(beyond == second) & (following != END)]
            if len(near) or len(far):
                if ends is None:
                    ends = np.cumsum([len(text) for text in texts])
                owners = ends.searchsorted(np.concatenate([near, far]), "right")
                met[left, right][read:until] += np.bincount(owners, minlength=len(local))
        read = until
    for (left, right), times in pairs.items():
        counts = met[left, right]
        if counts.any():
            idf = (snapshot.idf_of(left) + snapshot.idf_of(right)) / 2
            added += (times**0.5 * idf * PAIR_WEIGHT * counts / (counts + 1)).astype(np.float32)
    return added


def _with_feedback(
    snapshot: Snapshot, docs: Int64s, scores: Floats, weights: Mapping[str, float]
) -> Floats:
    split = snapshot.split(docs)
    for at, local in split:  # all at once, of which some are leaders
        snapshot.parts[at].segment.readback.texts(local.tolist())
    leaders, trust = best(snapshot, docs, scores, FEEDBACK_PAPERS)
    telling = _telling(snapshot, leaders, trust)
    if not telling:
        return scores
    share = _feedback_share(trust)
    total = sum(each.worth for each in telling)
    mass = sum(weights.values())
    telling.sort()
    counts = np.concatenate(
        [
            snapshot.parts[at].segment.readback.counts(
                local.tolist(), [snapshot.place_in(at, each.term) for each in telling]
            )
            for at, local in split
        ]
    )
    parts = counts / (counts + snapshot.pivots[docs][:, None])
    shares = np.array([each.worth / total * mass * each.idf for each in telling])
    widened = (parts @ shares).astype(np.float32)
    return ((1 - share) * scores + share * widened).astype(np.float32)


def _feedback_share(trust: Floats) -> float:
    """How far the best papers are trusted to tell what a query is about (scores, best first).

    Where one paper stands out the query knows what it wants, and its wording should decide.
    """
    if len(trust) < 2:
        return 0.0
    return FEEDBACK_SHARE * float(trust[1:].mean() / max(float(trust[0]), 1e-9)) ** 2


class _Telling(NamedTuple):
    """A word that sets the leading papers apart: the term, or its place where there is one segment
    only; its weight without the idf; its idf."""

    term: int | str
    worth: float
    idf: float


def _telling(snapshot: Snapshot, leaders: Int64s, trust: Floats) -> list[_Telling]:
    """The words that set the leading papers apart, most telling first."""
    order = np.argsort(leaders)
    shares = (trust / max(float(trust.sum()), 1e-9))[order].astype(np.float64)
    least = 2 if len(leaders) > 2 else 1
    begin = 0
    found: list[Int64s] = []
    worths: list[Doubles] = []
    for at, local in snapshot.split(leaders[order]):
        owners, places, counts = snapshot.parts[at].segment.readback.uses(local.tolist())
        pivots = snapshot.pivots[snapshot.bases[at] + local]
        worths.append(shares[begin + owners] * counts / (counts + pivots[owners]))
        found.append(snapshot.numbers(at, places))
        begin += len(local)
    numbers, weighed = np.concatenate(found), np.concatenate(worths)
    if len(found) > 1:
        order = numbers.argsort(kind="stable")
        numbers, weighed = numbers[order], weighed[order]
    starts = changes(numbers)
    if not len(starts):
        return []
    distinct, totals = numbers.take(starts), np.add.reduceat(weighed, starts)
    papers = np.diff(starts, append=len(numbers))
    keep = (papers >= least).nonzero()[0]
    if len(keep) > FEEDBACK_WORDS and snapshot.whole:
        # Words that cannot be among the most telling are left out before they are read.
        rough = totals[keep] * snapshot.whole_idfs(distinct[keep])
        limit = np.partition(rough, -FEEDBACK_WORDS)[-FEEDBACK_WORDS]
        keep = keep[rough >= limit * (1 - 1e-6)]
    ranked: list[tuple[float, int | str, _Telling]] = []
    for number, worth in zip(distinct[keep].tolist(), totals[keep].tolist(), strict=True):
        idf = snapshot.idf_numbered(number)
        # In a segment of its own a term's number is its place, and places are in order.
        order = number if len(snapshot.parts) == 1 else snapshot.term_numbered(number)
        ranked.append((-worth * idf, order, _Telling(order, worth, idf)))
    ranked.sort()
    return [each for _, _, each in ranked[:FEEDBACK_WORDS]]


def term_counts(snapshot: Snapshot, part: int, doc: int) -> dict[str, float]:
    """The terms of one paper with their frequencies, title words weighted."""
    segment = snapshot.parts[part].segment
    _, places, counts = segment.readback.uses([doc])
    return {
        segment.term_at(at): count
        for at, count in zip(places.tolist(), counts.tolist(), strict=True)
    }
