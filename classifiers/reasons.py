"""Finds the words that decided a judgement, by taking them away and judging again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from classifiers.artefact import Model
from classifiers.contribution import Reason
from classifiers.features import Floats, Paper, TokenPaper
from classifiers.text import SENTENCE_END, sentences, tokens

_CANDIDATES: Final = 24
_FOR: Final = 5
_AGAINST: Final = 3
_LEAST_WEIGHT: Final = 0.02

# Stands where words were taken away, so that their neighbours form no new pair.
_GAP: Final = "\0"

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Text:
    """A paper as tokens, and for each token of the abstract the sentence that it stands in."""

    title: list[str]
    abstract: list[str]
    printed: list[str]
    sentence_of: list[int]


def explain(model: Model, names: Sequence[str], paper: Paper, tag: int) -> tuple[Reason, ...]:
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
    for index in order.tolist():
        phrase, weight = phrases[index], float(weights[index])
        side, room = (spoke_for, _FOR) if weight > 0 else (against, _AGAINST)
        if abs(weight) < _LEAST_WEIGHT or len(side) == room or _overlaps(phrase, taken):
            continue
        taken.append(phrase)
        side.append(Reason(_spoken(phrase), round(weight, 3), _sentence_with(text, phrase)))
    return tuple(sorted((*spoke_for, *against), key=lambda reason: -abs(reason.weight)))


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


def _candidates(model: Model, names: Sequence[str], text: _Text, tag: int) -> list[Words]:
    row = model.vectoriser.transform_tokens([(text.title, text.abstract)])
    if not row.nnz:
        return []
    columns: NDArray[np.int64] = row.indices.astype(np.int64)
    rivals: Floats = np.delete(model.weights[:, columns], tag, axis=0).max(axis=0)
    shares = row.data * (model.weights[tag, columns] - rivals)
    phrases: dict[Words, float] = {}
    for column, share in zip(columns.tolist(), shares.tolist(), strict=True):
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
    return () if SENTENCE_END in kept else tuple(kept)


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
    named: dict[str, Callable[[], str]] = {"#": lambda: "a number", "bigo": lambda: "O(…)"}
    shown = [named[word]() if word in named else word for word in phrase]
    return " ".join(shown).replace(" %", " %")


def _log_odds(
    model: Model, variants: Sequence[TokenPaper], tag: int
) -> NDArray[np.float64]:
    scores = model.score_tokens(variants)
    others = np.delete(scores, tag, axis=1)
    return scores[:, tag] - np.logaddexp(others[:, 0], others[:, 1])
