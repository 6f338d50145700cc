"""Counts words, pairs and triples of words fast: the numbers that the tagger weighs.

A paper is a title and an abstract. Two blocks of features come of it: the n-grams of title and
abstract together, and those of the title alone. Only the presence of an n-gram counts, weighed by
its inverse document frequency; each paper's features have unit length.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from classifiers.text import SENTENCE_END, tokens

Paper = tuple[str, str]
"""A title, which may be empty, and an abstract."""

TokenPaper = tuple[list[str], list[str]]
"""The tokens of a title and those of an abstract."""

Ids = NDArray[np.int64]
Floats = NDArray[np.float32]

_UNKNOWN: Final = -1
_END: Final = 0


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What the vectoriser knows.

    `words[0]` is the end of a sentence. `pairs` and `triples` are sorted keys: a pair's is
    `first * len(words) + second`, a triple's `index of its pair * len(words) + third`.
    """

    words: tuple[str, ...]
    pairs: Ids
    triples: Ids

    @property
    def block(self) -> int:
        """How many features one block holds; there are two blocks, body and title."""
        return len(self.words) + len(self.pairs) + len(self.triples)

    def names(self) -> list[str]:
        """The n-gram of every feature of one block, words joined by a space."""
        count = len(self.words)
        pairs = [f"{self.words[key // count]} {self.words[key % count]}" for key in self.pairs]
        triples = [f"{pairs[key // count]} {self.words[key % count]}" for key in self.triples]
        return [*self.words, *pairs, *triples]


class Vectoriser:
    """Gives each paper its row of features.

    `inverse_frequencies` has one value for each of the `2 * vocabulary.block` features.
    """

    def __init__(self, vocabulary: Vocabulary, inverse_frequencies: Floats) -> None:
        self.vocabulary = vocabulary
        self.inverse_frequencies = inverse_frequencies
        self._ids = {word: index for index, word in enumerate(vocabulary.words)}

    def transform(self, papers: Sequence[Paper]) -> sparse.csr_matrix:
        """One row a paper, one column a feature, each row of unit length (or empty)."""
        return self.transform_tokens([(tokens(title), tokens(told)) for title, told in papers])

    def transform_tokens(self, papers: Sequence[TokenPaper]) -> sparse.csr_matrix:
        """The same for papers that were cut into tokens already."""
        rows, columns = self._find(papers)
        matrix = _presence(rows, columns, (len(papers), 2 * self.vocabulary.block))
        data = self.inverse_frequencies[matrix.indices]
        lengths = np.add.reduceat(
            np.append(data * data, np.float32(0)), np.minimum(matrix.indptr[:-1], len(data))
        )
        counts = np.diff(matrix.indptr)
        lengths[counts == 0] = 1
        matrix.data = data / np.repeat(np.sqrt(lengths), counts).astype(np.float32)
        return matrix

    def _find(self, papers: Sequence[TokenPaper]) -> tuple[Ids, Ids]:
        known = self._ids
        body: list[int] = []
        head: list[int] = []
        body_lengths: list[int] = []
        head_lengths: list[int] = []
        for title, abstract in papers:
            titled = [known.get(token, _UNKNOWN) for token in title]
            told = [known.get(token, _UNKNOWN) for token in abstract]
            # The ends on both sides make "first word of a sentence" a pair like any other.
            body += [_END, *titled, _END, *told, _END]
            body_lengths.append(len(titled) + len(told) + 3)
            head += [_END, *titled, _END]
            head_lengths.append(len(titled) + 2)
        block = self.vocabulary.block
        body_rows, body_columns = self._ngrams(body, body_lengths)
        head_rows, head_columns = self._ngrams(head, head_lengths)
        return (
            np.concatenate([body_rows, head_rows]),
            np.concatenate([body_columns, head_columns + block]),
        )

    def _ngrams(self, ids: list[int], lengths: list[int]) -> tuple[Ids, Ids]:
        count = len(self.vocabulary.words)
        one = np.array(ids, dtype=np.int64)
        rows = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
        same = rows[1:] == rows[:-1]
        two = _look_up(
            one[:-1] * count + one[1:],
            same & (one[:-1] >= 0) & (one[1:] >= 0),
            self.vocabulary.pairs,
        )
        three = _look_up(
            two[:-1] * count + one[2:],
            (two[:-1] >= 0) & same[1:] & (one[2:] >= 0),
            self.vocabulary.triples,
        )
        # An end of a sentence is in every abstract and tells nothing by itself.
        single = one > _END
        double = two >= 0
        triple = three >= 0
        pairs = len(self.vocabulary.pairs)
        return (
            np.concatenate([rows[single], rows[:-1][double], rows[:-2][triple]]),
            np.concatenate([one[single], two[double] + count, three[triple] + count + pairs]),
        )


def learn_vocabulary(
    papers: Sequence[Paper], *, least: int, orders: int = 3
) -> tuple[Vocabulary, Floats]:
    """Vocabulary and inverse document frequencies from papers.

    A word, pair or triple (up to `orders` words) is kept when at least `least` papers have it.
    The frequency is scikit-learn's smoothed one: ln((1 + n) / (1 + df)) + 1.
    """
    counted: Counter[str] = Counter()
    for title, abstract in papers:
        counted.update(set(tokens(f"{title} . {abstract}")))
    kept = sorted(word for word, times in counted.items() if times >= least)
    words = (SENTENCE_END, *(word for word in kept if word != SENTENCE_END))
    empty = np.zeros(0, dtype=np.int64)
    vocabulary = Vocabulary(words, empty, empty)
    if orders > 1:
        vocabulary = Vocabulary(words, _frequent(papers, words, None, least), empty)
    if orders > 2:  # noqa: PLR2004 - the order itself
        triples = _frequent(papers, words, vocabulary.pairs, least)
        vocabulary = Vocabulary(words, vocabulary.pairs, triples)
    ones = np.ones(2 * vocabulary.block, dtype=np.float32)
    present = Vectoriser(vocabulary, ones).transform(papers)
    seen = np.bincount(present.indices, minlength=2 * vocabulary.block)
    inverse = np.log((1 + len(papers)) / (1 + seen)) + 1
    return vocabulary, inverse.astype(np.float32)


def _frequent(
    papers: Sequence[Paper], words: tuple[str, ...], pairs: Ids | None, least: int
) -> Ids:
    known = {word: index for index, word in enumerate(words)}
    count = len(words)
    counted: Counter[int] = Counter()
    for title, abstract in papers:
        line = [_END, *_known(title, known), _END, *_known(abstract, known), _END]
        one = np.array(line, dtype=np.int64)
        keys = np.where((one[:-1] >= 0) & (one[1:] >= 0), one[:-1] * count + one[1:], _UNKNOWN)
        if pairs is not None:
            two = _look_up(keys, keys >= 0, pairs)
            keys = np.where((two[:-1] >= 0) & (one[2:] >= 0), two[:-1] * count + one[2:], _UNKNOWN)
        counted.update(cast("list[int]", np.unique(keys[keys >= 0]).tolist()))
    kept = sorted(key for key, times in counted.items() if times >= least)
    return np.array(kept, dtype=np.int64)


def _known(text: str, known: dict[str, int]) -> Iterable[int]:
    return (known.get(token, _UNKNOWN) for token in tokens(text))


def _look_up(keys: Ids, usable: NDArray[np.bool_], table: Ids) -> Ids:
    """The place of each key in the sorted table, or -1."""
    found = np.full(len(keys), _UNKNOWN, dtype=np.int64)
    if not len(table):
        return found
    places = np.searchsorted(table, keys[usable])
    places[places == len(table)] = 0
    found[usable] = np.where(table[places] == keys[usable], places, _UNKNOWN)
    return found


def _presence(rows: Ids, columns: Ids, shape: tuple[int, int]) -> sparse.csr_matrix:
    ones = np.ones(len(rows), dtype=np.float32)
    matrix = sparse.csr_matrix((ones, (rows, columns)), shape=shape)
    matrix.sum_duplicates()
    return matrix
