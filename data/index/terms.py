"""Which terms of the index a word of a query stands for."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from data.index.analyzer import (
    LONGEST,
    is_cased,
    is_cjk,
    joined,
    name_words,
    read_word,
    stem,
    words,
)
from data.index.segment import AUTHOR
from data.index.stopwords import STOP_WORDS
from data.index.texts import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

AUTHOR_WEIGHT: Final = 0.5
JOINED_WEIGHT: Final = 0.3


class WordTerms(NamedTuple):
    """The terms of one plain word, as it was typed.

    `weights` are (term, weight) pairs; `surfaces` its parts, for neighbours to be joined with;
    `together` says that only papers with all terms should match (Chinese, Japanese, Korean).
    """

    weights: tuple[tuple[str, float], ...]
    surfaces: tuple[str, ...]
    together: bool = False


@lru_cache(maxsize=50_000)
def word_terms(text: str) -> WordTerms:
    """The terms of a plain word in any field. A stop word has none."""
    if text.isascii() and text.isalpha() and (text.islower() or text[1:].islower()):
        return _simple(text)
    return _read(text)


def _simple(text: str) -> WordTerms:
    """What `_read` finds for one word of which no more than the first letter is a capital."""
    surface = text[:LONGEST].lower()
    found = {} if surface in STOP_WORDS else {stem(surface): 1.0}
    for part in name_words(text):
        if len(part) > 1 and part not in STOP_WORDS:
            found[AUTHOR + part] = AUTHOR_WEIGHT
    return WordTerms(tuple(found.items()), (surface,))


def _read(text: str) -> WordTerms:
    found: dict[str, float] = {}
    surfaces: list[str] = []
    together = False
    for word in words(plain(text)):
        surfaces += read_word(word).surfaces
        terms = text_terms(word)
        together = together or (is_cjk(word) and len(terms) > 1)
        for term in terms:
            found[term] = 1.0
        if not is_cased(word):
            for part in name_words(word):
                if len(part) > 1 and part not in STOP_WORDS:
                    found[AUTHOR + part] = AUTHOR_WEIGHT
    return WordTerms(tuple(found.items()), tuple(surfaces), together)


@lru_cache(maxsize=50_000)
def text_terms(word: str) -> tuple[str, ...]:
    """The terms of one raw word of a query in title and abstract.

    Capitals that mean something mean only that (IT, AIDS); a compound that is a name (GPT-4, k-NN,
    in-context) is not its parts.
    """
    if is_cased(word):
        return (word,)
    reading = read_word(word)
    if is_cjk(word):
        return tuple(term for term in reading.terms if len(term) > 1) or reading.terms
    if len(reading.surfaces) > 1 and _is_name(reading.surfaces):
        return (joined(reading.surfaces),)
    return reading.terms


def _is_name(surfaces: Sequence[str]) -> bool:
    return any(len(part) == 1 or part.isdigit() or part in STOP_WORDS for part in surfaces)


def joined_neighbours(words_typed: Sequence[str]) -> dict[str, float]:
    """Terms of neighbouring words written as one: "data base" may be database."""
    found: dict[str, float] = {}
    before: tuple[str, ...] = ()
    for text in words_typed:
        surfaces = word_terms(text).surfaces
        pair = before + surfaces
        if len(before) == 1 == len(surfaces) and "".join(pair).isascii():
            found[joined(pair)] = JOINED_WEIGHT
        before = surfaces
    return found
