"""Cuts many texts into the numbers of their tokens at once.

It finds what `classifiers.text.raw_tokens` finds, by arithmetic on whole batches of characters: a
string of its own for every word is what made tagging slow. Words are told by a polynomial hash of
64 bits, so two words of which one is in the vocabulary are confused once in 10^15.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from classifiers.lookup import Table, Whole
from classifiers.text import NUMBER, SENTENCE_END, normalise

_Bits = NDArray[np.bool_]
_Unsigned = NDArray[np.uint64]

_UNKNOWN: Final = -1
_BASE: Final = 0x9E3779B97F4A7C15
_MODULUS: Final = 1 << 64

_OTHER, _LETTER, _DIGIT, _DOT, _COMMA, _END, _SPACE, _APOSTROPHE, _SIGN = range(9)
_KEPT_POWERS: Final = 1 << 20

_NOT_ASCII: Final = re.compile(r"[^\x00-\x7f]")


def _kinds() -> NDArray[np.uint8]:
    table = np.full(256, _OTHER, dtype=np.uint8)
    members = {
        _LETTER: "abcdefghijklmnopqrstuvwxyz",
        _DIGIT: "0123456789",
        _DOT: ".",
        _COMMA: ",",
        _END: "!;",
        _SPACE: "".join(chr(code) for code in range(128) if chr(code).isspace()),
        _APOSTROPHE: "'",
        _SIGN: "?:%",
    }
    for kind, characters in members.items():
        table[[ord(character) for character in characters]] = kind
    return table


_KINDS: Final = _kinds()


class Cutter:
    """Cuts texts into the numbers of the words of a vocabulary; -1 is a word that it lacks."""

    def __init__(self, ids: Mapping[str, int]) -> None:
        words = [word for word in ids if word[0].isalpha()]
        hashes = np.array([_hash(word) for word in words], dtype=np.uint64).view(np.int64)
        order = np.argsort(hashes)
        self._table = Table(hashes[order])
        self._words = np.array([ids[word] for word in words], dtype=np.int64)[order]
        self._signs = np.full(128, _UNKNOWN, dtype=np.int64)
        for sign in "?:%":
            self._signs[ord(sign)] = ids.get(sign, _UNKNOWN)
        for characters, token in ((".!;", SENTENCE_END), ("0123456789", NUMBER)):
            for character in characters:
                self._signs[ord(character)] = ids.get(token, _UNKNOWN)
        self._powers = _powers(_BASE, 1 << 16)
        self._inverses = _powers(pow(_BASE, -1, _MODULUS), 1 << 16)

    def cut(self, texts: Sequence[str]) -> tuple[Whole, Whole]:
        """The numbers of all tokens, text after text, and how many tokens each text has."""
        plain = [_ascii(normalise(text)) for text in texts]
        # The line end after each text is white space to what stands before it, and parts words.
        codes = np.frombuffer("\n".join([*plain, ""]).encode("ascii"), dtype=np.uint8)
        if not len(codes):
            return np.zeros(0, dtype=np.int64), np.zeros(len(texts), dtype=np.int64)
        kinds = _KINDS[codes]
        word = _in_words(kinds)
        starts = word.copy()
        starts[1:] &= ~word[:-1]
        ends = word
        ends[:-1] &= ~word[1:]
        tokens = starts | _at_ends(kinds) | (kinds == _SIGN)
        tokens[_numbers(kinds)] = True
        places = np.flatnonzero(tokens)
        found = self._signs[codes[places]]
        # Only words start with a letter, so those of `places` that do are `starts`, in order.
        found[kinds[places] == _LETTER] = self._known(codes, starts, ends)
        lengths = np.array([len(text) + 1 for text in plain], dtype=np.int64)
        bounds = np.searchsorted(places, np.cumsum(lengths))
        return found, np.diff(bounds, prepend=0)

    def _known(self, codes: NDArray[np.uint8], starts: _Bits, ends: _Bits) -> Whole:
        first, last = np.flatnonzero(starts), np.flatnonzero(ends)
        powers, inverses = self._powers_for(len(codes))
        sums = np.cumsum(codes * powers)
        hashes = (sums[last] - sums[first] + codes[first] * powers[first]) * inverses[first]
        places = self._table.places(hashes.view(np.int64), np.ones(len(hashes), dtype=np.bool_))
        found = np.full(len(places), _UNKNOWN, dtype=np.int64)
        right = places >= 0
        found[right] = self._words[places[right]]
        return found

    def _powers_for(self, count: int) -> tuple[_Unsigned, _Unsigned]:
        powers, inverses = self._powers, self._inverses
        if len(powers) < count:
            powers, inverses = _powers(_BASE, count), _powers(pow(_BASE, -1, _MODULUS), count)
            if count <= _KEPT_POWERS:
                self._powers, self._inverses = powers, inverses
        return powers[:count], inverses[:count]


def _powers(base: int, count: int) -> _Unsigned:
    steps = np.full(count, base, dtype=np.uint64)
    steps[0] = 1
    return np.cumprod(steps)


def _hash(word: str) -> int:
    total, power = 0, 1
    for character in word:
        total += ord(character) * power
        power = power * _BASE % _MODULUS
    return total % _MODULUS


def _ascii(text: str) -> str:
    """The text with other characters put as blanks, digits or what is neither."""
    return text if text.isascii() else _NOT_ASCII.sub(_stand_in, text)


def _stand_in(found: re.Match[str]) -> str:
    character = found[0]
    if character.isspace():
        return " "
    return "0" if character.isdecimal() else "\x01"


def _in_words(kinds: NDArray[np.uint8]) -> _Bits:
    """Which characters belong to words: letters, and one apostrophe a word between letters."""
    letters = kinds == _LETTER
    joins = np.flatnonzero(kinds == _APOSTROPHE)
    joins = joins[(joins > 0) & (joins < len(kinds) - 1)]
    joins = joins[letters[joins - 1] & letters[joins + 1]]
    if len(joins) > 1:
        counted = np.cumsum(letters)
        chained = np.diff(counted[joins]) == np.diff(joins) - 1
        for place in np.flatnonzero(chained).tolist():
            # "a'b'c" is "a'b" and "c": where an apostrophe joined, the next one does not.
            if joins[place] >= 0:
                joins[place + 1] = _UNKNOWN
        joins = joins[joins >= 0]
    letters[joins] = True
    return letters


def _at_ends(kinds: NDArray[np.uint8]) -> _Bits:
    """Which characters end a sentence: a full stop and its like before white space."""
    ends = (kinds == _DOT) | (kinds == _END)
    ends[:-1] &= kinds[1:] == _SPACE
    return ends


def _numbers(kinds: NDArray[np.uint8]) -> Whole:
    """The places of the first digits of numbers, which hold stops and commas inside."""
    digits = np.flatnonzero(kinds == _DIGIT)
    if len(digits) < 2:
        return digits
    inside = np.cumsum((kinds == _DIGIT) | (kinds == _DOT) | (kinds == _COMMA))
    first = np.ones(len(digits), dtype=np.bool_)
    first[1:] = np.diff(inside[digits]) != np.diff(digits)
    return digits[first]
