"""Suggests a topic for a paper that has none, from the papers of the library that have one.

Every topic is the mean direction of its papers (Rocchio; Manning et al., "Introduction to
Information Retrieval", 14.2) among TF-IDF vectors of the words of title and abstract. A paper's
topic is told from how near it lies to each, as probabilities that are fitted to the known papers,
each compared with its topic as it would be without that paper. It takes a second for thousands of
papers, so it is made anew from the library instead of being kept.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from classifiers.cutting import Cutter
from classifiers.features import Ids, Paper
from classifiers.linear import Doubles, softmax
from classifiers.text import tokens, word_set

_LEAST_PAPERS: Final = 8
_LEAST_TOPICS: Final = 2
_MOST_TOPICS: Final = 400
_LEAST_MENTIONS: Final = 3
_MOST_WORDS: Final = 30_000
_BATCH: Final = 256

# A title is short and chosen with care.
_TITLE_COUNTS: Final = 2

# Suggestions are right this often, or are left out.
_WANTED_ACCURACY: Final = 0.75

# A paper less like its topic than nineteen in twenty of that library's papers is about something
# that the library has no topic for.
_STRANGE: Final = 0.05

_SHARPNESS: Final = tuple(float(value) for value in np.geomspace(4, 80, 24))
_PULLS: Final = (0.0, 0.25, 0.5, 1.0)

# Words of any paper; they would only make vectors longer.
_COMMON: Final = word_set(
    """
    a an the of and or to in on at by for from as is are was be been it its this that these those
    we our us i with which such can may also not no than then both between into via using use used
    more most however furthermore moreover while when where how what their they has have do does
    """
)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A topic, and how likely it is the paper's, from 0 to 1."""

    topic: str
    probability: float


@dataclass(frozen=True, slots=True)
class _Vectors:
    """TF-IDF vectors of unit length: those of paper `i` lie from `starts[i]` to `starts[i + 1]`."""

    starts: Ids
    columns: Ids
    values: Doubles

    def near(self, centres: Doubles) -> Doubles:
        """The cosine of each paper, a row, with each centre, (words, topics), a column."""
        counts = np.diff(self.starts)
        found = np.zeros((len(counts), centres.shape[1]))
        for start in range(0, len(counts), _BATCH):
            bounds = self.starts[start : start + _BATCH + 1]
            inside = slice(bounds[0], bounds[-1])
            parts = centres[self.columns[inside]] * self.values[inside, None]
            filled = np.flatnonzero(np.diff(bounds))
            if len(filled):
                sums = np.add.reduceat(parts, bounds[filled] - bounds[0], axis=0)
                found[start + filled] = sums
        return found


class TopicSuggester:
    """Tells the topic of a paper. `fit` makes one."""

    def __init__(
        self,
        topics: Sequence[str],
        reader: "_Reader",
        centres: Doubles,
        fitted: "_Fitted",
    ) -> None:
        self._topics = tuple(topics)
        self._reader = reader
        self._centres = centres
        self._fitted = fitted

    @classmethod
    def fit(cls, papers: Iterable[tuple[Paper, Sequence[str]]]) -> "TopicSuggester | None":
        """Learns from papers and their topics; None where too few papers share a topic.

        Topics of fewer than eight papers are never suggested.
        """
        known = [(paper, tuple(dict.fromkeys(topics))) for paper, topics in papers if topics]
        counted = Counter(topic for _, topics in known for topic in topics)
        topics = [t for t, n in counted.most_common(_MOST_TOPICS) if n >= _LEAST_PAPERS]
        if len(topics) < _LEAST_TOPICS:
            return None
        reader = _Reader.learn([paper for paper, _ in known])
        vectors = reader.read([paper for paper, _ in known])
        number = {topic: index for index, topic in enumerate(topics)}
        member = np.zeros((len(known), len(topics)), dtype=np.bool_)
        for row, (_, named) in enumerate(known):
            member[row, [number[topic] for topic in named if topic in number]] = True
        sums = _sums(vectors, member, reader.words)
        lengths = np.sqrt((sums**2).sum(axis=0))
        alone = _without_itself(vectors.near(sums), member, lengths)
        graded = member.any(axis=1)
        fitted = _fit(alone[graded], member[graded], np.log(member.sum(axis=0)))
        return cls(topics, reader, sums / np.maximum(lengths, 1e-12), fitted)

    def suggest(self, papers: Sequence[Paper]) -> list[Suggestion | None]:
        """A topic for each paper, in order; None where none is likely enough."""
        near = self._reader.read(papers).near(self._centres)
        chances = self._fitted.chances(near)
        best = chances.argmax(axis=1)
        rows = np.arange(len(best))
        sure = (chances[rows, best] >= self._fitted.threshold) & (
            near[rows, best] >= self._fitted.least_near
        )
        return [
            Suggestion(self._topics[int(best[row])], round(float(chances[row, best[row]]), 3))
            if sure[row]
            else None
            for row in range(len(papers))
        ]


class _Reader:
    """Makes vectors of papers."""

    def __init__(self, cutter: Cutter, weights: Doubles) -> None:
        self._cutter = cutter
        self._weights = weights

    @property
    def words(self) -> int:
        """How many words the vectors tell apart."""
        return len(self._weights)

    @classmethod
    def learn(cls, papers: Sequence[Paper]) -> "_Reader":
        """A reader for the words of these papers, rare ones counting most."""
        counted: Counter[str] = Counter()
        for title, abstract in papers:
            counted.update({*tokens(title), *tokens(abstract)})
        kept = [
            word
            for word, times in counted.most_common(_MOST_WORDS)
            if times >= _LEAST_MENTIONS and word[0].isalpha() and word not in _COMMON
        ]
        times = np.array([counted[word] for word in kept], dtype=np.float64)
        weights = np.log((1 + len(papers)) / (1 + times)) + 1
        return cls(Cutter({word: index for index, word in enumerate(kept)}), weights)

    def read(self, papers: Sequence[Paper]) -> _Vectors:
        """The vectors of papers, with the logarithm of how often they have a word."""
        ids, counts = self._cutter.cut([text for paper in papers for text in paper])
        place = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
        known = ids >= 0
        times = np.where(place[known] % 2 == 0, _TITLE_COUNTS, 1)
        width = max(self.words, 1)
        keys, where = np.unique(place[known] // 2 * width + ids[known], return_inverse=True)
        columns = keys % width
        rows = keys // width
        values = (1 + np.log(np.bincount(where, times, len(keys)))) * self._weights[columns]
        lengths = np.sqrt(np.bincount(rows, values**2, len(papers)))
        starts = np.searchsorted(rows, np.arange(len(papers) + 1))
        return _Vectors(starts, columns, values / lengths[rows])


@dataclass(frozen=True, slots=True)
class _Fitted:
    """Probabilities are the softmax of `sharpness * cosine + pull * log of the topic's papers`."""

    sharpness: float
    pulls: Doubles
    threshold: float = 0.0
    least_near: float = 0.0

    def chances(self, near: Doubles) -> Doubles:
        return softmax(self.sharpness * near + self.pulls)


def _sums(vectors: _Vectors, member: NDArray[np.bool_], words: int) -> Doubles:
    rows = np.repeat(np.arange(len(member)), np.diff(vectors.starts))
    sums = np.zeros((words, member.shape[1]))
    for topic in range(member.shape[1]):
        inside = member[rows, topic]
        sums[:, topic] = np.bincount(vectors.columns[inside], vectors.values[inside], words)
    return sums


def _without_itself(near: Doubles, member: NDArray[np.bool_], lengths: Doubles) -> Doubles:
    """Cosines with topics from which each paper was taken out, given its products with the sums."""
    own = np.where(member, 1.0, 0.0)
    shorter = np.sqrt(np.maximum(lengths**2 - 2 * near * own + own, 1e-12))
    return (near - own) / shorter


def _fit(near: Doubles, member: NDArray[np.bool_], sizes: Doubles) -> _Fitted:
    """The sharpness and pull of least log loss, and from which probability on to answer."""

    def loss(fitted: _Fitted) -> float:
        return float(-np.log((fitted.chances(near) * member).sum(axis=1) + 1e-12).mean())

    every = (_Fitted(sharpness, pull * sizes) for sharpness in _SHARPNESS for pull in _PULLS)
    best = min(every, key=loss)
    chances = best.chances(near)
    said = chances.argmax(axis=1)
    rows = np.arange(len(said))
    confidence, right = chances[rows, said], member[rows, said]
    order = np.argsort(-confidence, kind="stable")
    accuracy = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    good = np.flatnonzero(accuracy >= _WANTED_ACCURACY)
    threshold = float(confidence[order][good[-1]]) if len(good) else 2.0
    own = near[rows, said][right]
    least = float(np.quantile(own, _STRANGE)) if len(own) else 1.0
    return _Fitted(best.sharpness, best.pulls, threshold, least)
