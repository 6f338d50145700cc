"""Finds words, pairs and triples of words in papers: the features that the tagger weighs.

A paper is a title and an abstract. Two blocks of features come of it: the n-grams of title and
abstract together, and those of the title alone. Only the presence of an n-gram counts. Rare words
get no extra weight, as inverse document frequency would give them, because rare words tell the
subject of a paper and common ones ("we prove", "should") what it does.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

from classifiers.cutting import Cutter
from classifiers.lookup import Table
from classifiers.text import SENTENCE_END, canonical, tokens

Paper = tuple[str, str]
"""A title, which may be empty, and an abstract."""

TokenPaper = tuple[list[str], list[str]]
"""The tokens of a title and those of an abstract, raw or canonical."""

Ids = NDArray[np.int64]

_UNKNOWN: Final = -1
_END: Final = 0


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What the vectoriser knows.

    `words[0]` is the end of a sentence. `pairs` and `triples` are sorted keys: a pair's is
    `first * len(words) + second`, a triple's `place of its first pair * len(words) + third`.
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


@dataclass(frozen=True, slots=True)
class Present:
    """Which features papers have: those of paper `i` are `columns[starts[i]:starts[i + 1]]`."""

    starts: Ids
    columns: Ids


class _Ids(dict[str, int]):
    """The number of a token, raw or canonical; -1 for one that the vocabulary lacks."""

    def __missing__(self, token: str) -> int:
        name = canonical(token)
        # What names no word of the vocabulary is not kept: there is no end of such tokens.
        return _UNKNOWN if name == token else self.get(name, _UNKNOWN)


class Vectoriser:
    """Finds the features of a vocabulary in papers. Several threads may use it at once."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._ids = _Ids({word: index for index, word in enumerate(vocabulary.words)})
        self._cutter = Cutter(self._ids)
        self._pairs = Table(vocabulary.pairs)
        self._triples = Table(vocabulary.triples)

    def find(self, papers: Sequence[Paper]) -> Present:
        """The features of each paper, each once, in ascending order."""
        return self._find(*self._cutter.cut([text for paper in papers for text in paper]))

    def find_in_tokens(self, papers: Sequence[TokenPaper]) -> Present:
        """The same for papers that were cut into tokens already."""
        texts = [text for paper in papers for text in paper]
        known = map(self._ids.__getitem__, chain.from_iterable(texts))
        counts = np.array([len(text) for text in texts], dtype=np.int64)
        return self._find(np.fromiter(known, dtype=np.int64, count=int(counts.sum())), counts)

    def _find(self, ids: Ids, counts: Ids) -> Present:
        """The features of papers by the numbers of their tokens: title, abstract, title, …"""
        number = np.arange(len(counts), dtype=np.int64)
        papers = len(counts) // 2
        # The ends on both sides make "first word of a sentence" a pair like any other.
        body = np.full(len(ids) + 3 * papers, _END, dtype=np.int64)
        body[np.arange(len(ids)) + np.repeat(number + 1 + number // 2, counts)] = ids
        titled = counts[::2]
        head = np.full(int(titled.sum()) + 2 * papers, _END, dtype=np.int64)
        ours = ids[np.repeat(number % 2 == 0, counts)]
        head[np.arange(len(ours)) + np.repeat(number[::2] + 1, titled)] = ours
        block = self.vocabulary.block
        width = 2 * block
        keys = np.concatenate(
            [
                self._ngrams(body, titled + counts[1::2] + 3, width),
                self._ngrams(head, titled + 2, width) + block,
            ]
        )
        keys.sort()
        fresh = np.ones(len(keys), dtype=np.bool_)
        fresh[1:] = keys[1:] != keys[:-1]
        keys = keys[fresh]
        starts = np.searchsorted(keys, np.arange(papers + 1, dtype=np.int64) * width)
        return Present(starts, keys % width)

    def _ngrams(self, one: Ids, lengths: Ids, width: int) -> Ids:
        """The n-grams of one block as keys: `paper * width + feature`."""
        count = len(self.vocabulary.words)
        base = np.repeat(np.arange(len(lengths), dtype=np.int64) * width, lengths)
        together = base[1:] == base[:-1]
        both = together & (one[:-1] >= 0) & (one[1:] >= 0)
        two = self._pairs.places(one[:-1] * count + one[1:], both)
        all_three = (two[:-1] >= 0) & together[1:] & (one[2:] >= 0)
        three = self._triples.places(two[:-1] * count + one[2:], all_three)
        # An end of a sentence is in every abstract and tells nothing by itself.
        single, double, triple = one > _END, two >= 0, three >= 0
        after_pairs = count + len(self.vocabulary.pairs)
        return np.concatenate(
            [
                base[single] + one[single],
                base[:-1][double] + two[double] + count,
                base[:-2][triple] + three[triple] + after_pairs,
            ]
        )


def learn_vocabulary(papers: Sequence[Paper], *, least: int) -> Vocabulary:
    """The words, pairs and triples that at least `least` of the papers have."""
    cut = [[*tokens(title), SENTENCE_END, *tokens(abstract)] for title, abstract in papers]
    counted: Counter[str] = Counter()
    for words in cut:
        counted.update(set(words))
    kept = sorted(word for word, times in counted.items() if times >= least)
    words = (SENTENCE_END, *(word for word in kept if word != SENTENCE_END))
    known = {word: index for index, word in enumerate(words)}
    lines = [
        np.array([_END, *(known.get(word, _UNKNOWN) for word in line), _END], dtype=np.int64)
        for line in cut
    ]
    count = len(words)
    pair_keys = [_join(line[:-1], line[1:], count) for line in lines]
    pairs = _frequent(pair_keys, least)
    table = Table(pairs)
    triple_keys = [
        _join(table.places(keys, keys >= 0)[:-1], line[2:], count)
        for keys, line in zip(pair_keys, lines, strict=True)
    ]
    return Vocabulary(words, pairs, _frequent(triple_keys, least))


def _join(first: Ids, second: Ids, count: int) -> Ids:
    return np.where((first >= 0) & (second >= 0), first * count + second, _UNKNOWN)


def _frequent(lines: Sequence[Ids], least: int) -> Ids:
    every = np.concatenate([np.unique(keys[keys >= 0]) for keys in lines])
    found, times = np.unique(every, return_counts=True)
    return found[times >= least]
