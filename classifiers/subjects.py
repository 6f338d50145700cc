"""What papers are about, as vectors: the measure by which a paper is like another.

This is the opposite of what the tagger counts (`classifiers.features`): rare words weigh most, by
inverse document frequency. A `Space` learns the words of a library once; after that a paper is
turned into numbers alone, without looking at the others. A vector has five parts:

- words and pairs of neighbouring words of title and abstract, stemmed, the title counted twice,
- those of the title alone, since a title's words name the subject,
- the authors' names, since people stay with a subject,
- `THEMES` numbers that hold which words go together in the library: the singular vectors of the
  first part (latent semantic analysis, Deerwester et al. 1990). They let a paper be like another
  that says the same in other words,
- the fields that its source files it under, the first of them once more as the main one.

Counts are damped (1 + log tf) and weighted by smoothed inverse document frequency (Salton and
Buckley 1988), and each part has length one before it is weighted.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Final, cast

import numpy as np
import Stemmer
from numpy.typing import NDArray

from classifiers.solver import leading_axes, stacked

Floats = NDArray[np.float32]
Ids = NDArray[np.int64]
Matrix = Any
"""A SciPy sparse matrix by rows, of 32-bit floats; SciPy ships no types."""

THEMES: Final = 200
TITLE_WEIGHT: Final = 0.3
AUTHOR_WEIGHT: Final = 0.5
MOST_PAIRS: Final = 50_000
# Which words go together shows in a sample; the time grows with its size.
THEME_SAMPLE: Final = 8_000

_SEED: Final = 20261201
# A sign of Chinese, Japanese or Korean stands for itself: pairs of them do the work of words.
_WORD = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\\W\\d_][^\\W_\u3040-\u9fff]*[+#]*")
_ACCENT = re.compile("[\u0300-\u036f]")
_SKIPPED: Final = -1
_BREAK: Final = -2
_BREAK_WORD: Final = "\n"


@dataclass(frozen=True, slots=True)
class PaperText:
    """What a paper is known by; each part may be empty."""

    title: str
    abstract: str
    authors: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Vectors:
    """Papers as rows.

    `words` holds the first part alone, each row of length one or zero: the product of two rows is
    the likeness of two papers, 0 to 1. `parts` holds the weighted words, titles and authors side
    by side; `themes` is (papers, themes), each row of length one or zero; `fields` has a one for
    each field of a paper.
    """

    words: Matrix
    parts: Matrix
    themes: Floats
    fields: Matrix

    def __len__(self) -> int:
        return int(self.words.shape[0])

    def taken(self, rows: Ids | Sequence[int]) -> "Vectors":
        """Some of the papers, in the order of `rows`."""
        chosen = np.asarray(rows, dtype=np.int64)
        return Vectors(
            self.words[chosen], self.parts[chosen], self.themes[chosen], self.fields[chosen]
        )

    def with_more(self, more: "Vectors") -> "Vectors":
        """These papers, and after them others of the same space."""
        return Vectors(
            stacked([self.words, more.words], down=True, single=True),
            stacked([self.parts, more.parts], down=True, single=True),
            np.vstack([self.themes, more.themes]),
            stacked([self.fields, more.fields], down=True, single=True),
        )


class _Numbers(defaultdict[str, int]):
    """A number for each word in the order of first meeting."""

    def __init__(self) -> None:
        self.numbers = count()
        super().__init__(self.numbers.__next__)


class Space:
    """The words, authors and themes of a library; made by `Space.of`."""

    def __init__(self, papers: Sequence[PaperText]) -> None:
        self._raw = _Numbers()
        self._raw.setdefault(_BREAK_WORD, next(self._raw.numbers))  # which is number 0
        self._stems: dict[str, int] = {}
        self._of_raw = np.zeros(0, dtype=np.int64)
        self._growing = True
        rare = 3 if len(papers) >= 1_000 else 2 if len(papers) >= 100 else 1
        common = 0.2 if len(papers) >= 1_000 else 0.5 if len(papers) >= 100 else 1.0
        titles, body = self._texts(papers)
        self._growing = False
        self._body = _Block.of(body, len(self._stems), rare, common)
        self._titles = _Block.of(titles, len(self._stems), rare, 1.0)
        # Of an author of one paper alone nothing can be learnt.
        self._authors = _Names.of([_names(paper) for paper in papers], min(rare, 2))
        self._fields = _Names.of([_fields(paper) for paper in papers], min(rare, 2))
        words = self._body.rows(body)
        self._axes = _axes(words)

    @classmethod
    def of(cls, papers: Sequence[PaperText]) -> "Space":
        """Learns the space of these papers; needs at least one with a word in it."""
        return cls(papers)

    def vectors(self, papers: Sequence[PaperText]) -> Vectors:
        """The papers in this space. Words, pairs and authors that it has not met count nothing."""
        title_stems, body = self._texts(papers)
        words = self._body.rows(body)
        titles = self._titles.rows(title_stems)
        authors = self._authors.rows([_names(paper) for paper in papers])
        fields = self._fields.met([_fields(paper) for paper in papers])
        parts = stacked(
            [words, titles * TITLE_WEIGHT, authors * AUTHOR_WEIGHT], down=False, single=True
        )
        themes = _unit(np.asarray(words @ self._axes, dtype=np.float32))
        return Vectors(words, parts, themes, fields)

    def _texts(self, papers: Sequence[PaperText]) -> tuple["_Tokens", "_Tokens"]:
        """The stems of the titles, and those of titles, titles again, and abstracts."""
        titles = self._read([paper.title for paper in papers])
        abstracts = self._read([paper.abstract for paper in papers])
        return titles, _Tokens.joined([titles, titles, abstracts])

    def _read(self, texts: Sequence[str]) -> "_Tokens":
        """The stems of the texts as numbers with a break after each, `_SKIPPED` ones taken out."""
        raw = self._raw
        numbers: list[int] = []
        lengths = np.empty(len(texts), dtype=np.int64)
        for place, text in enumerate(texts):
            before = len(numbers)
            numbers.extend(map(raw.__getitem__, _WORD.findall(_plain(text))))
            numbers.append(0)
            lengths[place] = len(numbers) - before
        self._number_stems()
        stems = self._of_raw[np.asarray(numbers, dtype=np.int64)]
        papers = np.repeat(np.arange(len(texts)), lengths)
        kept = stems != _SKIPPED
        return _Tokens(stems[kept], papers[kept], len(texts))

    def _number_stems(self) -> None:
        known = len(self._of_raw)
        new = list(self._raw)[known:]
        if not new:
            return
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        stemmer = cast("Any", Stemmer).Stemmer("english")
        stems = cast("list[str]", stemmer.stemWords(new))
        self._of_raw = np.concatenate(
            [
                self._of_raw,
                [
                    self._number(word, stem, skipped=word in ENGLISH_STOP_WORDS)
                    for word, stem in zip(new, stems, strict=True)
                ],
            ]
        ).astype(np.int64)

    def _number(self, word: str, stem: str, *, skipped: bool) -> int:
        if word == _BREAK_WORD:
            return _BREAK
        if skipped or (len(word) == 1 and word.isascii()):
            return _SKIPPED
        if self._growing:
            return self._stems.setdefault(stem, len(self._stems))
        return self._stems.get(stem, _SKIPPED)


@dataclass(frozen=True, slots=True)
class _Tokens:
    """Stems in order, the paper of each, and the number of papers."""

    stems: Ids
    papers: Ids
    count: int

    @classmethod
    def joined(cls, texts: Sequence["_Tokens"]) -> "_Tokens":
        """Texts of the same papers, one after the other within each paper."""
        papers = np.concatenate([text.papers for text in texts])
        order = np.argsort(papers, kind="stable")
        stems = np.concatenate([text.stems for text in texts])
        return cls(stems[order], papers[order], texts[0].count)

    def pairs(self, kinds: int) -> tuple[Ids, Ids]:
        """The keys of neighbouring stems, `first * kinds + second`, and their papers."""
        first, second = self.stems[:-1], self.stems[1:]
        good = (first >= 0) & (second >= 0) & (self.papers[:-1] == self.papers[1:])
        return (first * kinds + second)[good], self.papers[:-1][good]


@dataclass(frozen=True, slots=True)
class _Block:
    """Which stems and pairs count, as sorted keys, and the weight of each."""

    kinds: int
    singles: Ids
    pairs: Ids
    weights: Floats

    @classmethod
    def of(cls, tokens: _Tokens, kinds: int, rare: int, common: float) -> "_Block":
        """Those in at least `rare` papers and at most the share `common` of them."""
        alone = tokens.stems >= 0
        most = max(rare, int(common * tokens.count))
        singles, in_papers = _spread(tokens.stems[alone], tokens.papers[alone], tokens.count)
        kept = (in_papers >= rare) & (in_papers <= most)
        singles, single_spread = singles[kept], in_papers[kept]
        pairs, in_papers = _spread(*tokens.pairs(kinds), tokens.count)
        kept = (in_papers >= rare) & (in_papers <= most)
        pairs, in_papers = pairs[kept], in_papers[kept]
        widest = np.sort(np.argsort(-in_papers, kind="stable")[:MOST_PAIRS])
        pairs, in_papers = pairs[widest], in_papers[widest]
        spread = np.concatenate([single_spread, in_papers])
        weights = np.log((1 + tokens.count) / (1 + spread)) + 1
        return cls(kinds, singles, pairs, weights.astype(np.float32))

    def rows(self, tokens: _Tokens) -> Matrix:
        """The papers' weighted counts; each row of length one, or zero."""
        alone = tokens.stems >= 0
        single, single_papers = _found(self.singles, tokens.stems[alone], tokens.papers[alone])
        pair, pair_papers = _found(self.pairs, *tokens.pairs(self.kinds))
        matrix = _counted(
            np.concatenate([single_papers, pair_papers]),
            np.concatenate([single, pair + len(self.singles)]),
            (tokens.count, len(self.weights)),
        )
        matrix.data = (1 + np.log(matrix.data)) * self.weights[matrix.indices]
        return _unit_rows(matrix)


@dataclass(frozen=True, slots=True)
class _Names:
    """The authors, or the fields, who count, and the weight of each."""

    places: dict[str, int]
    weights: Floats

    @classmethod
    def of(cls, named: Sequence[set[str]], rare: int) -> "_Names":
        """Those of at least `rare` papers; `named` are the names of each paper."""
        spread: dict[str, int] = defaultdict(int)
        for names in named:
            for name in names:
                spread[name] += 1
        kept = sorted(name for name, papers in spread.items() if papers >= rare)
        weights = [np.log((1 + len(named)) / (1 + spread[name])) + 1 for name in kept]
        places = {name: place for place, name in enumerate(kept)}
        return cls(places, np.asarray(weights, dtype=np.float32))

    def met(self, named: Sequence[set[str]]) -> Matrix:
        """A one for each name that counts."""
        found = [
            (row, self.places[name])
            for row, names in enumerate(named)
            for name in names
            if name in self.places
        ]
        pairs = np.asarray(found, dtype=np.int64).reshape(-1, 2)
        return _counted(pairs[:, 0], pairs[:, 1], (len(named), len(self.weights)))

    def rows(self, named: Sequence[set[str]]) -> Matrix:
        """The weighted names; each row of length one, or zero."""
        matrix = self.met(named)
        matrix.data = self.weights[matrix.indices]
        return _unit_rows(matrix)


def _names(paper: PaperText) -> set[str]:
    return {_name(author) for author in paper.authors}


def _fields(paper: PaperText) -> set[str]:
    main = {f"main {paper.fields[0]}"} if paper.fields else set[str]()
    return {*paper.fields, *main}


def _plain(text: str) -> str:
    """Lower case without accents."""
    text = text.lower()
    if text.isascii():
        return text
    return _ACCENT.sub("", unicodedata.normalize("NFKD", text))


def _name(author: str) -> str:
    """An author's name in one form: the words in alphabetical order, so that theirs plays no part.

    Initials are kept; "J. Smith" and "Jane Smith" stay two.
    """
    return " ".join(sorted(_WORD.findall(_plain(author))))


def _spread(keys: Ids, papers: Ids, count: int) -> tuple[Ids, Ids]:
    """The distinct keys in order, and in how many papers each stands."""
    distinct, places = np.unique(keys, return_inverse=True)
    once = np.unique(places.astype(np.int64) * count + papers)
    return distinct, np.bincount(once // max(count, 1), minlength=len(distinct))


def _found(known: Ids, keys: Ids, papers: Ids) -> tuple[Ids, Ids]:
    """The places of those keys that are known, and their papers."""
    if not len(known):
        return keys[:0], papers[:0]
    places = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    there = known[places] == keys
    return places[there], papers[there]


def _counted(rows: Ids, columns: Ids, shape: tuple[int, int]) -> Matrix:
    """How often each column was met in each row."""
    from scipy import sparse

    ones = np.ones(len(rows), dtype=np.float32)
    return cast("Any", sparse.coo_matrix((ones, (rows, columns)), shape=shape)).tocsr()


def _unit_rows(matrix: Matrix) -> Matrix:
    rows = _row_of(matrix)
    lengths = np.sqrt(np.bincount(rows, np.square(matrix.data), minlength=matrix.shape[0]))
    matrix.data = (matrix.data / lengths[rows]).astype(np.float32)
    return matrix


def _row_of(matrix: Matrix) -> Ids:
    lengths = np.diff(matrix.indptr)
    return np.repeat(np.arange(len(lengths)), lengths)


def _unit(rows: Floats) -> Floats:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


def _axes(words: Matrix) -> Floats:
    """The directions in which the papers' words differ most, as (words, themes)."""
    papers, kinds = words.shape
    themes = min(THEMES, papers - 1, kinds - 1)
    if themes < 1:
        return np.zeros((kinds, 0), dtype=np.float32)
    sample = words
    if papers > THEME_SAMPLE:
        chosen = np.random.default_rng(_SEED).choice(papers, THEME_SAMPLE, replace=False)
        sample = words[np.sort(chosen)]
    return leading_axes(sample, themes)
