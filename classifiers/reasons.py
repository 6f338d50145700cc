"""Finds the words that decided a judgement, by taking them away and judging again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, cast

import numpy as np

from classifiers.contribution import TYPES, Reason
from classifiers.features import Ids, Paper, Present, TokenPaper
from classifiers.linear import Doubles, Floats, Model
from classifiers.text import SENTENCE_END, sentences, tokens, word_set

_CANDIDATES: Final = 24
_FOR: Final = 5
_AGAINST: Final = 3
_LEAST_WEIGHT: Final = 0.02
_QUICK: Final = 3
_GLANCED: Final = 12

# Stands where words were taken away, so that their neighbours form no new pair.
_GAP: Final = "\0"

# Words that weigh but tell a reader nothing by themselves.
_EMPTY: Final = word_set(
    """
    a an the of and or to in on at by for from as is are was be been it its this that these those
    we our us i with which such can may also not no than then both between into via using use used
    more most however furthermore moreover while when where how what : ? # %
    """
)

_SPOKEN: Final[Mapping[str, str]] = {"#": "(number)", "bigo": "O(…)", "url": "(link)"}

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Text:
    """A paper as tokens, and for each token of the abstract the sentence that it stands in."""

    title: list[str]
    abstract: list[str]
    printed: list[str]
    sentence_of: list[int]


def explain(model: Model, names: list[str], paper: Paper, tag: int) -> tuple[Reason, ...]:
    """The words that spoke most for type number `tag`, and those against it, strongest first.

    `names` are the n-grams of one block of features. A weight is exact: the log-odds of the type
    as judged, less the log-odds when every mention of the words is taken away.
    """
    text = _read(paper)
    phrases = _candidates(model, names, text, tag)
    if not phrases:
        return ()
    variants = [(text.title, text.abstract)]
    variants += [(_without(text.title, p), _without(text.abstract, p)) for p in phrases]
    odds = _log_odds(model, variants, tag)
    weights = odds[0] - odds[1:]
    order = np.argsort(-np.abs(weights), kind="stable")
    spoke_for: list[Reason] = []
    against: list[Reason] = []
    taken: list[Words] = []
    for index in cast("list[int]", order.tolist()):
        phrase, weight = phrases[index], float(weights[index])
        side, room = (spoke_for, _FOR) if weight > 0 else (against, _AGAINST)
        if abs(weight) < _LEAST_WEIGHT or len(side) == room or _overlaps(phrase, taken):
            continue
        taken.append(phrase)
        side.append(Reason(_spoken(phrase), round(weight, 3), _sentence_with(text, phrase)))
    return tuple(sorted((*spoke_for, *against), key=lambda reason: -abs(reason.weight)))


class QuickReasons:
    """Estimates the reasons of many papers at once, by the shares of their words in the score.

    A share is what words add to the score of the type beyond what they add to its rival; words that
    are taken away together with their neighbours weigh more.
    """

    def __init__(self, model: Model, names: list[str]) -> None:
        self._names = names
        self._margins = np.stack(
            [_margin(model.weights, number) for number in range(len(TYPES))], axis=1
        )
        self._phrases: dict[int, str] = {}

    def explain(self, present: Present, tags: Ids) -> list[tuple[Reason, ...]]:
        """A few words that spoke for type number `tags[i]` in each paper, strongest first."""
        counts = np.diff(present.starts)
        shares = self._margins[present.columns, np.repeat(tags, counts)]
        shares /= np.sqrt(np.repeat(counts, counts)).astype(np.float32)
        spoke = np.flatnonzero(shares >= _LEAST_WEIGHT)
        papers = np.repeat(np.arange(len(counts)), counts)[spoke]
        ranked = spoke[np.lexsort((-shares[spoke], papers))]
        ends = np.searchsorted(papers, np.arange(len(counts) + 1))
        columns = cast("list[int]", (present.columns[ranked] % len(self._names)).tolist())
        weights = cast("list[float]", shares[ranked].tolist())
        bounds = cast("list[int]", ends.tolist())
        return [
            self._few(columns[start : min(end, start + _GLANCED)], weights[start:end])
            for start, end in pairwise(bounds)
        ]

    def _few(self, columns: list[int], weights: list[float]) -> tuple[Reason, ...]:
        reasons: list[Reason] = []
        taken: list[str] = []
        for column, weight in zip(columns, weights, strict=False):
            phrase = self._phrases.get(column)
            if phrase is None:
                phrase = f" {' '.join(_trim(tuple(self._names[column].split(' '))))} "
                self._phrases[column] = phrase
            if phrase.isspace() or any(phrase in other or other in phrase for other in taken):
                continue
            taken.append(phrase)
            reasons.append(Reason(_spoken(tuple(phrase.split())), round(weight, 3)))
            if len(reasons) == _QUICK:
                break
        return tuple(reasons)


def _shares(model: Model, columns: Ids, tag: int) -> Floats:
    return _margin(model.weights[columns], tag)


def _margin(weights: Floats, tag: int) -> Floats:
    """How far each row speaks for type number `tag` beyond its rival."""
    first, second = (number for number in range(len(TYPES)) if number != tag)
    return weights[:, tag] - np.maximum(weights[:, first], weights[:, second])


def _read(paper: Paper) -> _Text:
    title, abstract = paper
    printed = sentences(abstract)
    told: list[str] = []
    where: list[int] = []
    for number, sentence in enumerate(printed):
        found = tokens(sentence)
        told += found
        where += [number] * len(found)
    return _Text(tokens(title), told, printed, where)


def _candidates(model: Model, names: list[str], text: _Text, tag: int) -> list[Words]:
    columns = model.vectoriser.find_in_tokens([(text.title, text.abstract)]).columns
    shares = _shares(model, columns, tag)
    phrases: dict[Words, float] = {}
    for column, share in zip(
        cast("list[int]", columns.tolist()), cast("list[float]", shares.tolist()), strict=True
    ):
        phrase = tuple(names[column % len(names)].split(" "))
        trimmed = _trim(phrase)
        if trimmed:
            phrases[trimmed] = phrases.get(trimmed, 0.0) + share
    ranked = sorted(phrases, key=lambda phrase: -phrases[phrase])
    half = _CANDIDATES // 2
    return list(dict.fromkeys([*ranked[:_CANDIDATES], *ranked[::-1][:half]]))


def _trim(phrase: Words) -> Words:
    """The phrase without ends of sentences at its sides: they cannot be shown or taken away."""
    kept = list(phrase)
    while kept and kept[0] == SENTENCE_END:
        kept.pop(0)
    while kept and kept[-1] == SENTENCE_END:
        kept.pop()
    return () if SENTENCE_END in kept or _EMPTY.issuperset(kept) else tuple(kept)


def _without(words: list[str], phrase: Words) -> list[str]:
    found = _places(words, phrase)
    if not found:
        return words
    kept = list(words)
    for place in found:
        kept[place : place + len(phrase)] = [_GAP] * len(phrase)
    return kept


def _places(words: list[str], phrase: Words) -> list[int]:
    size = len(phrase)
    return [
        place
        for place in range(len(words) - size + 1)
        if words[place] == phrase[0] and tuple(words[place : place + size]) == phrase
    ]


def _overlaps(phrase: Words, taken: Sequence[Words]) -> bool:
    return any(_inside(phrase, other) or _inside(other, phrase) for other in taken)


def _inside(small: Words, large: Words) -> bool:
    return bool(_places(list(large), small))


def _sentence_with(text: _Text, phrase: Words) -> str | None:
    found = _places(text.abstract, phrase)
    return text.printed[text.sentence_of[found[0]]] if found else None


def _spoken(phrase: Words) -> str:
    """The phrase as a reader would write it."""
    return " ".join(_SPOKEN.get(word, word) for word in phrase)


def _log_odds(model: Model, variants: Sequence[TokenPaper], tag: int) -> Doubles:
    scores = model.score_tokens(variants)
    others = np.delete(scores, tag, axis=1)
    return scores[:, tag] - np.logaddexp(others[:, 0], others[:, 1])
