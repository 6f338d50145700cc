"""From text to the terms of the index: the same rules for papers and for queries.

A word of the text gives *surfaces* (what an exact phrase compares: lower case, accents folded,
not stemmed) and *terms* (what the index looks up: spelling folded, stemmed, plus joined forms of
compounds). The stemmer is Snowball's English ("Porter2", https://snowballstem.org).
"""

from __future__ import annotations

import itertools
import re
import threading
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import Stemmer

from data.index.stopwords import STOP_WORDS
from data.index.texts import GREEK_NAMES, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CJK: Final = (
    "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
    "\uff66-\uff9d\u1100-\u11ff"
)
_PART: Final = rf"[^\W_{CJK}]+(?:(?<=\d)\.\d+)*"
_WORD: Final = re.compile(
    rf"[{CJK}]+"
    r"|(?<![^\W_])[A-Za-z](?:\+\+|#)(?![^\W_])"
    rf"|{_PART}(?:['’]{_PART})*(?:[-\u2010-\u2013]{_PART})*"
)
_CJK_RUN: Final = re.compile(rf"[{CJK}]+\Z")
_HYPHENS: Final = re.compile("[-\u2010-\u2013]")
_ACRONYM: Final = re.compile(r"[A-Z][A-Z0-9]{1,5}\Z")
_PLURAL_ACRONYM: Final = re.compile(r"[A-Z][A-Z0-9]+s\Z")
_NUMBER: Final = re.compile(r"\d{1,3}(?:\.\d+)?\Z")
_PREPOSITIONS: Final = frozenset({"in", "on", "off"})
LONGEST: Final = 60

_GREEK_TO_NAME: Final = {
    ord(form): name for name, letter in GREEK_NAMES.items() for form in (letter, letter.upper())
} | {ord("ς"): "sigma", ord("ϵ"): "epsilon", ord("ϑ"): "theta", ord("ϕ"): "phi"}
_LETTERS: Final = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
)
_UMLAUTS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})


class Token(NamedTuple):
    """One word of a text: where it stands, its surfaces and its index terms."""

    start: int
    end: int
    surfaces: tuple[str, ...]
    terms: tuple[str, ...]


class Reading(NamedTuple):
    """What one raw word means to the index."""

    surfaces: tuple[str, ...]
    terms: tuple[str, ...]
    counts: bool = False
    """Whether it is a short number, as in "Llama 2"."""


class _Stemming(threading.local):
    """A stemmer a thread: Snowball stemmers keep state and may not be shared."""

    def __init__(self) -> None:
        # Its own cache takes ten times as long as stemming does.
        snowball: Any = cast("Any", Stemmer).Stemmer("english", 0)
        self.stem = cast("Callable[[str], str]", snowball.stemWord)


_stemming = _Stemming()

_SPELT_TWICE: Final = re.compile("our|is[eai]|ys[ei]|ll[ei]|ogue|[bt]re|ence|^grey|^artefact|amme")
_SPELLINGS: Final[tuple[tuple[re.Pattern[str], str], ...]] = (
    (re.compile(r"(?<=[a-z]{3})our(?=(s|ed|ing|al|ally|able|ably|ist|ists|ful|ite|ites|er|ers|"
                r"less|hood|hoods|ism|istic|isms|ization|ize|ized)?$)"), "or"),
    (re.compile(r"(?<=[a-z]{3})is(?=(e|ed|es|er|ers|ing|ation|ations|ational|able)$)"), "iz"),
    (re.compile(r"(?<=[a-z]{3})ys(?=(e|ed|es|er|ers|ing)$)"), "yz"),
    (re.compile(r"(?<=[a-z]{2})ll(?=(ed|ing|er|ers|ings)$)"), "l"),
    (re.compile(r"(?<=[a-z]{3})ogue(?=s?$)"), "og"),
    (re.compile(r"(?<=[a-z]{2}[bt])re(?=s?$)"), "er"),
    (re.compile(r"(?<=[a-z]{3}en)c(?=es?$)"), "s"),
    (re.compile(r"^grey"), "gray"),
    (re.compile(r"^artefact"), "artifact"),
    (re.compile(r"^programme(?=s?$)"), "program"),
)  # fmt: skip


def fold(word: str) -> str:
    """`word` in lower case without accents, Greek letters by name, compatibility forms undone.

    >>> fold("M³HF"), fold("Araújo"), fold("ℓ₁"), fold("α")
    ('m3hf', 'araujo', 'l1', 'alpha')
    """
    if word.isascii():
        return word.lower()
    word = unicodedata.normalize("NFKC", word).lower().translate(_GREEK_TO_NAME)
    if word.isascii():
        return word
    word = unicodedata.normalize("NFKD", word).translate(_LETTERS)
    return "".join(letter for letter in word if not unicodedata.combining(letter))


def stem(word: str) -> str:
    """The index term of a folded word: American spelling, then the English stem."""
    if len(word) < 3 or not word.isascii() or not word.isalpha():
        return word
    if _SPELT_TWICE.search(word):
        for pattern, instead in _SPELLINGS:
            word = pattern.sub(instead, word)
    return _stemming.stem(word)


def is_cased(word: str) -> bool:
    """Whether lower case would lose a capital acronym: "IT" is not "it", "AIDS" not "aids"."""
    if not _ACRONYM.match(word):
        return False
    low = word.lower()
    return low in STOP_WORDS or stem(low) != low


@lru_cache(maxsize=50_000)
def read_word(word: str) -> Reading:
    """The surfaces and terms of one raw word as `words` finds it, capitals included."""
    if not word.isascii() and _CJK_RUN.match(word):
        return _read_cjk(unicodedata.normalize("NFKC", word))
    if len(word) > LONGEST:
        word = word[:LONGEST]
    parts = word.split("-") if word.isascii() else _HYPHENS.split(word)
    if len(parts) == 1:
        surface, terms = read_part(word)
        return Reading((surface,) if surface else (), terms, is_short_number(word))
    readings = [read_part(part) for part in parts]
    surfaces = tuple([surface for surface, _ in readings])
    found = [term for _, terms in readings for term in terms]
    found.append(joined(surfaces))
    return Reading(
        surfaces if all(surfaces) else tuple(filter(None, surfaces)),
        tuple(dict.fromkeys(filter(None, found))),
    )


def is_short_number(word: str) -> bool:
    """Whether a raw word is a number such as the 2 of "Llama 2"."""
    return word[0].isdigit() and _NUMBER.match(word) is not None


def is_cjk(word: str) -> bool:
    """Whether a raw word is a run of Chinese, Japanese or Korean letters."""
    return _CJK_RUN.match(word) is not None


def joined(surfaces: Sequence[str]) -> str:
    """The term of a compound written as one word: pre-training → pretrain, k-NN → knn."""
    return stem("".join(surfaces))


def _surface(part: str) -> str:
    surface = fold(part)
    if "'" in surface or "’" in surface:
        surface = re.sub("['’]s?$", "", surface)
        surface = surface.replace("'", "").replace("’", "")
    return surface


@lru_cache(maxsize=50_000)
def read_part(part: str) -> tuple[str, tuple[str, ...]]:
    """The surface and the terms of a word without hyphens, each term once."""
    surface = _surface(part)
    terms: tuple[str, ...] = ()
    if not part.islower():
        cased = part[:-1] if _PLURAL_ACRONYM.match(part) else part
        if is_cased(cased):
            terms = (cased,)
    if surface and surface not in STOP_WORDS:
        terms = (*terms, stem(surface))
        if not part.isascii():
            spelt = fold(part.lower().translate(_UMLAUTS))
            if spelt != surface:
                terms = tuple(dict.fromkeys((*terms, stem(spelt))))
    return surface, terms


def _read_cjk(run: str) -> Reading:
    letters = tuple(run)
    if len(letters) == 1:
        return Reading(letters, letters)
    pairs = tuple(first + second for first, second in itertools.pairwise(letters))
    return Reading(letters, tuple(dict.fromkeys(pairs + letters)))


def words(text: str) -> list[str]:
    """The raw words of plain text, compounds in one piece."""
    return find_words(calmed(text))


def find_words(text: str) -> list[str]:
    """The raw words of text that is calm already; none reaches over a blank."""
    return _WORD.findall(text)


def tokens_with(wanted: frozenset[str], text: str) -> list[Token]:
    """The words of plain text that have one of the wanted terms, with their places in it."""
    found: list[Token] = []
    readings: dict[str, Reading | None] = {}
    for match in _WORD.finditer(calmed(text)):
        word = match[0]
        if word in readings:
            reading = readings[word]
        else:
            read = read_word(word)
            reading = readings[word] = None if wanted.isdisjoint(read.terms) else read
        if reading is not None:
            found.append(Token(match.start(), match.end(), reading.surfaces, reading.terms))
    return found


def calmed(text: str) -> str:
    """The text, in lower case where it is all capitals, which say nothing of acronyms then."""
    if len(text) > 24 and text.isupper():
        low = text.lower()
        return low if len(low) == len(text) else text
    return text


class Analysed(NamedTuple):
    """A field read for the index: the surfaces in order, and all terms (with repeats)."""

    surfaces: list[str]
    terms: list[str]


def analyse(text: str) -> Analysed:
    """Reads a field of a paper.

    Two neighbours also count as one word where people write them so (`joined_pair`).
    """
    surfaces: list[str] = []
    terms: list[str] = []
    before = ""
    for word in words(plain(text)):
        reading = read_word(word)
        surfaces += reading.surfaces
        terms += reading.terms
        if is_preposition(before):
            if len(reading.surfaces) == 1 and reading.terms:
                terms.append(joined_pair(before, word))
        elif reading.counts and before and before[0].isupper():
            terms.append(joined_pair(before, word))
        before = word
    return Analysed(surfaces, terms)


def is_preposition(word: str) -> bool:
    """Whether a raw word is a preposition that people join to the next word: in-context."""
    return word in _PREPOSITIONS


def joined_pair(before: str, word: str) -> str:
    """The term of two neighbouring raw words that also count as one.

    They are a preposition with a word, "in context", "off policy" as "in-context", "off-policy",
    or a name with a number, "Llama 2" as "llama2" (as "ResNet-50" is read).
    """
    if is_preposition(before):
        return joined((before, read_word(word).surfaces[0]))
    return joined((fold(before), word))


@lru_cache(maxsize=200_000)
def name_words(name: str) -> tuple[str, ...]:
    """The words of a person's name in normal form: Müller = Mueller = Muller.

    Hyphenated given names give their parts ("Dong-Kyu" is dong, kyu); Chinese, Japanese and
    Korean names give the whole name and its letters.
    """
    bare = name.replace(".", " ").split()
    if not (name.isascii() and all(map(str.isalpha, bare))):
        bare = words(plain(name))
    found: list[str] = []
    for word in bare:
        found += _name_parts(word)
    return tuple(found)


@lru_cache(maxsize=50_000)
def _name_parts(word: str) -> tuple[str, ...]:
    if _CJK_RUN.match(word):
        return (word, *word)
    found: list[str] = []
    for part in _HYPHENS.split(word):
        folded = _surface(part)
        for spelt, short in (("ae", "a"), ("oe", "o"), ("ue", "u")):
            folded = folded.replace(spelt, short)
        if folded:
            found.append(folded)
    return tuple(found)
