"""Numbers for the words of the papers of one segment, so that NumPy can count them.

Papers repeat their words, so each different piece of text between two blanks is read once, by the
rules of `data.index.analyzer`, and every other time costs one look-up.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final, NamedTuple, cast

import numpy as np

from data.index.analyzer import (
    LONGEST,
    calmed,
    find_words,
    is_preposition,
    is_short_number,
    joined,
    joined_pair,
    read_part,
    read_word,
    stem,
)
from data.index.arrays import runs
from data.index.pieces import PieceTable
from data.index.stopwords import STOP_WORDS
from data.index.texts import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from data.index.arrays import Int32s, Int64s, Mask

_END: Final = 0
_AT_THE_END: Final = ".,;:)"
_MOST_PIECES: Final = 300_000
_PREPOSITION, _NUMBER, _CAPITAL, _LONE = 1, 2, 4, 8


Terms = tuple[int, ...]


class Wording(NamedTuple):
    """Fields of papers as numbers.

    `terms` are places in `Lexicon.terms` in no order, and `owners` the field that each is of.
    `surfaces` are places + 1 in `Lexicon.surfaces` in the order of the texts; a 0 ends each field.
    `surface_counts` says how many each field has, its 0 included.
    """

    terms: Int32s
    owners: Int32s
    surfaces: Int32s
    surface_counts: Int64s


class _Runs:
    """Lists of numbers, one after the other, that are looked up many at once."""

    def __init__(self) -> None:
        self._items = array("i")
        self._ends = array("i", [0])

    def append(self, items: Iterable[int]) -> None:
        self._items.extend(items)
        self._ends.append(len(self._items))

    def __len__(self) -> int:
        return len(self._ends) - 1

    def look_up(self, wanted: Int32s) -> tuple[Int32s, Int32s]:
        """The lists of the wanted places one after the other, and how long each is."""
        ends = np.array(self._ends)
        counts: Int32s = np.diff(ends)[wanted]
        return np.array(self._items)[runs(ends[wanted], counts)], counts


class _Numbers(dict[str, int]):
    """A number for each different string, in the order in which they were met."""

    def __missing__(self, string: str) -> int:
        number = self[string] = len(self)
        return number


class _Parts(dict[str, tuple[str, tuple[int, ...]]]):
    """The surface of each word without hyphens, and the numbers of its terms."""

    def __init__(self, term_numbers: _Numbers) -> None:
        super().__init__()
        self._term_numbers = term_numbers

    def __missing__(self, part: str) -> tuple[str, tuple[int, ...]]:
        if part.isascii() and part.isalpha() and (part.islower() or part[1:].islower()):
            surface = part.lower()  # most are so, and no acronym is
            if surface != part:
                reading = self[surface]
            else:
                known = () if surface in STOP_WORDS else (self._term_numbers[stem(surface)],)
                reading = (surface, known)
        else:
            surface, terms = read_part(part)
            reading = (surface, tuple([self._term_numbers[term] for term in terms]))
        self[part] = reading
        return reading


class _Words(_Numbers):
    """Raw words of texts: number 0 is the end of a field."""

    def __init__(self, surfaces: _Numbers, terms: _Numbers) -> None:
        super().__init__({"": _END})
        self._surface_numbers, self._term_numbers = surfaces, terms
        self._parts = _Parts(terms)
        self.strings = [""]
        self.surfaces, self.terms = _Runs(), _Runs()
        self.surfaces.append([0])
        self.terms.append(())
        self.kinds = bytearray([0])

    def __missing__(self, string: str) -> int:
        counts = False
        if len(string) > LONGEST or not string.isascii():
            reading = read_word(string)
            surfaces: Sequence[str] = reading.surfaces
            terms: Sequence[int] = [self._term_numbers[term] for term in reading.terms]
        elif "-" in string:
            surfaces, terms = self._compound(string)
        else:
            surface, terms = self._parts[string]
            surfaces = (surface,) if surface else ()
            counts = is_short_number(string)
        self.surfaces.append([self._surface_numbers[surface] + 1 for surface in surfaces])
        self.terms.append(terms)
        self.kinds.append(
            _PREPOSITION * is_preposition(string)
            | _NUMBER * counts
            | _CAPITAL * string[0].isupper()
            | _LONE * (len(surfaces) == 1 and bool(terms))
        )
        self.strings.append(string)
        return super().__missing__(string)

    def _compound(self, string: str) -> tuple[list[str], list[int]]:
        """The surfaces and terms of a word with hyphens, as `read_word` finds them."""
        readings = [self._parts[part] for part in string.split("-")]
        surfaces = [surface for surface, _ in readings]
        found = dict.fromkeys([term for _, terms in readings for term in terms])
        if whole := joined(surfaces):
            found[self._term_numbers[whole]] = None
        return [surface for surface in surfaces if surface], list(found)


class _Pieces:
    """What stands between two blanks; no word reaches over one. Piece 0 ends a field.

    A piece of one word has the number of the word. Any other has ~place in `several`.
    """

    def __init__(self, word_numbers: _Words) -> None:
        self._word_numbers = word_numbers
        self._several = _Runs()
        self._table = PieceTable(self._number)

    def __len__(self) -> int:
        return len(self._table)

    def _number(self, string: str) -> int:
        bare = string.rstrip(_AT_THE_END)
        if bare.isalnum() and bare.isascii():  # most are, and need not be searched for words
            return self._word_numbers[bare]
        words = find_words(string)
        if len(words) == 1:
            return self._word_numbers[words[0]]
        self._several.append([self._word_numbers[word] for word in words])
        return -len(self._several)

    def read(self, texts: Iterable[str]) -> Int32s:
        """The numbers of the words of texts, one after the other, and a 0 after each text."""
        pieces = self._table.numbers(texts)
        places = np.flatnonzero(pieces < 0)
        if not len(places):
            return pieces
        words, counts = self._several.look_up(~pieces[places])
        every = np.ones(len(pieces), np.int64)
        every[places] = counts
        found = np.repeat(pieces, every)
        found[np.repeat(pieces < 0, every)] = words
        return found


class Lexicon:
    """Words met so far, of one segment or of several that are built one after the other.

    `surfaces` and `terms` number the strings in the order in which they were met, which is also
    the order of their keys.
    """

    def __init__(self) -> None:
        self.surfaces = _Numbers()
        self.terms = _Numbers()
        self._words = _Words(self.surfaces, self.terms)
        self._pieces = _Pieces(self._words)
        self._names: dict[tuple[str, str], tuple[int, ...]] = {}

    @property
    def is_full(self) -> bool:
        """Whether it is time to begin another one, for the sake of memory."""
        return len(self._pieces) > _MOST_PIECES

    def name(self, kind: str, name: str, read: Callable[[str, str], Iterable[str]]) -> Terms:
        """The terms of a name that many papers have, as `read(kind, name)` gives them."""
        known = self._names.get((kind, name))
        if known is None:
            known = tuple(self.terms[term] for term in read(kind, name))
            self._names[kind, name] = known
        return known

    def read(self, texts: Iterable[str]) -> Wording:
        """Reads fields, each of them as `data.index.analyzer.analyse` reads it."""
        found = self._pieces.read(calmed(plain(text)) for text in texts)
        ends = found == _END
        owners: Int32s = np.cumsum(ends, dtype=np.int32) - ends
        surfaces, surface_counts = self._words.surfaces.look_up(found)
        terms, counts = self._words.terms.look_up(found)
        pairs, pair_owners = self._pairs(found, owners)
        sums = np.cumsum(surface_counts)[ends]
        return Wording(
            np.concatenate([terms, pairs]),
            np.concatenate([np.repeat(owners, counts), pair_owners]),
            surfaces,
            np.diff(sums, prepend=0),
        )

    def _pairs(self, found: Int32s, owners: Int32s) -> tuple[Int32s, Int32s]:
        """The terms of neighbours that also count as one word, and the fields they stand in."""
        kinds = np.frombuffer(bytes(self._words.kinds), np.uint8)[found]
        before, after = kinds[:-1], kinds[1:]
        after_preposition = before & _PREPOSITION > 0
        numbered: Mask = (before & _CAPITAL > 0) & (after & _NUMBER > 0) & ~after_preposition
        places = np.flatnonzero((after_preposition & (after & _LONE > 0)) | numbered)
        size = len(self._words)
        keys = found[places].astype(np.int64) * size + found[places + 1]
        keys, which = np.unique(keys, return_inverse=True)
        strings = self._words.strings
        numbers = [
            self.terms[joined_pair(strings[key // size], strings[key % size])]
            for key in cast("list[int]", keys.tolist())
        ]
        return np.array(numbers, np.int32)[which], owners[places]
