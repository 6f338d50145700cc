"""People's names as bibliographies want them: which part is the family name.

Listings write "Given Family" and nothing more, so this is a judgement by rules. A name that the
rules can't split (one word, Chinese characters without a blank, a collaboration) stays whole:
no split is better than a wrong one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

# Words that open a family name wherever they stand behind the first name.
_PARTICLES: Final = frozenset(
    [
        "van",
        "von",
        "der",
        "den",
        "de",
        "del",
        "della",
        "dei",
        "di",
        "da",
        "das",
        "do",
        "dos",
        "du",
        "la",
        "le",
        "ter",
        "ten",
        "te",
        "vom",
        "zu",
        "zum",
        "zur",
        "af",
        "av",
        "bin",
        "ibn",
        "bint",
        "ben",
        "el",
        "al",
        "’t",
        "'t",
    ]
)
# These open one in capitals too ("Luc De Raedt"); "Du" or "Le" in capitals is a name itself.
_CAPITAL_PARTICLES: Final = frozenset(
    ["Van", "Von", "De", "Del", "Della", "Di", "Dos", "Der", "Den", "Ter"]
)
# "Van" between two Vietnamese names is part of the given name.
_VIETNAMESE: Final = frozenset(
    [
        "nguyen",
        "nguyễn",
        "tran",
        "trần",
        "le",
        "lê",
        "pham",
        "phạm",
        "hoang",
        "hoàng",
        "phan",
        "vu",
        "vũ",
        "vo",
        "võ",
        "dang",
        "đặng",
        "bui",
        "bùi",
        "do",
        "đỗ",
        "ho",
        "hồ",
        "ngo",
        "ngô",
        "duong",
        "dương",
        "ly",
        "lý",
        "dinh",
        "đinh",
        "trinh",
        "trịnh",
        "dao",
        "đào",
    ]
)
_SUFFIX: Final = re.compile(r"(?:Jr|Sr)\.?|I{2,3}|IV|PhD|Ph\.D\.|M\.?D\.", re.IGNORECASE)
_GROUP: Final = re.compile(
    r"\b(?:team|collaboration|consortium|group|labs?|laboratory|initiative|project|community|"
    r"institute|university|foundation|committee|network|inc\.?|ltd\.?|authors)$|\s(?:and|&)\s",
    re.IGNORECASE,
)
_EAST_ASIAN: Final = re.compile(
    r"[\u2e80-\u2fdf\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    r"\U00020000-\U0003ffff·・\s]+"
)


@dataclass(frozen=True, slots=True)
class PersonName:
    """A name in parts. Where `given` is empty, `family` is the whole name and must not be split."""

    family: str
    given: str = ""
    suffix: str = ""

    def sorted_form(self) -> str:
        """The name with the family name first: "van der Schaar, Mihaela", "Smith, John, Jr."."""
        return ", ".join(part for part in (self.family, self.given, self.suffix) if part)


def split_name(name: str) -> PersonName:
    """The parts of a name that stands as "Given Family", "Family, Given" or one word."""
    name = " ".join(name.split())
    if _EAST_ASIAN.fullmatch(name):
        family, _, given = name.partition(" ")
        return PersonName(family, given)
    pieces = [piece.strip() for piece in name.split(",") if piece.strip()]
    if _GROUP.search(name) or not pieces:
        return PersonName(name)
    if len(pieces) > 1:
        return _from_commas(name, pieces)
    words = _words(name)
    suffix = ""
    if len(words) > 2 and _SUFFIX.fullmatch(words[-1]):
        suffix = words.pop()
    # "Wei Wang (王伟)": what stands in brackets at the end belongs to no family name.
    aside = [words.pop()] if len(words) > 2 and words[-1][0] in "(（[" else []
    if len(words) == 1:
        return PersonName(name)
    at = _family_start(words)
    return PersonName(" ".join(words[at:]), " ".join(words[:at] + aside), suffix)


def _from_commas(name: str, pieces: list[str]) -> PersonName:
    suffixes = [piece for piece in pieces[1:] if _SUFFIX.fullmatch(piece)]
    rest = [piece for piece in pieces if piece not in suffixes]
    if len(rest) == 1 and suffixes:
        whole = split_name(rest[0])
        return PersonName(whole.family, whole.given, " ".join(suffixes)) if whole.given else whole
    if len(rest) == 2:  # "Family, Given"
        return PersonName(rest[0], rest[1], " ".join(suffixes))
    return PersonName(name)


def _words(name: str) -> list[str]:
    """The blank-separated words, with what stands in brackets kept as one."""
    return re.findall(r"[(（\[][^()（）\[\]]*[)）\]]\S*|\S+", name)


def _family_start(words: list[str]) -> int:
    last = len(words) - 1
    for at in range(1, last):
        word = words[at]
        if word in {"y", "e"} and at > 1:
            return at - 1  # "Santiago Ramón y Cajal"
        if word in _PARTICLES:
            return at
        if word in _CAPITAL_PARTICLES and words[0].lower() not in _VIETNAMESE:
            return at
    return last
