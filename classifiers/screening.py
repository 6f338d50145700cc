"""Tells texts that are no abstract, which the tagger must not be confident about."""

import re
from typing import Final

from classifiers.features import Paper
from classifiers.text import word_set

_LEAST_WORDS: Final = 12
_SHORT_TEXT: Final = 60
_LEAST_ENGLISH: Final = 0.12
_MOST_FOREIGN: Final = 0.05

# Cheaper to ask than the number of words; sixty words take some 400 characters.
_SHORT_CHARACTERS: Final = 600

TITLE_DECIDED: Final = "The abstract is short, and without the title it could be anything."
"""Why a paper is unsure whose short abstract does not bear out what its title says."""

# Common words of English prose that its neighbours do not share: a third of any English abstract,
# and next to nothing of a French, Spanish or German one.
_ENGLISH: Final = word_set(
    """
    the of and to that is we are with this by which from be can have has these our it not their
    such as for how when while between than its or was were at into they been does both
    """
)
_WITHDRAWN = re.compile(r"\b(?:withdrawn|retracted|withdrawal)\b", re.IGNORECASE)
_PAPER = r"(?:this|the|our) (?:paper|article|submission|manuscript|work|preprint|version)\b"
# How notices begin; "Withdrawn drugs are", "we withdraw the assumption" and "this paper asks why
# retracted articles are cited" begin abstracts.
_SAYS_WITHDRAWN = re.compile(
    r"\W*(?:(?:withdrawn|retracted|retraction)\s*[:.\])]\W*)?"
    rf"(?:{_PAPER}[^.]{{0,30}}\b(?:is|was|been|being)(?: \w+)? (?:withdrawn|retracted)\b"
    r"|(?:the )?(?:authors?|we) (?:have |has |had )?(?:withdr[ae]wn?|retract(?:ed)?) "
    rf"{_PAPER})"
    r"|\W*(?:withdrawn|retracted|retraction)\s*(?:[:.\])]|by (?:the )?authors?\b|due to\b)",
    re.IGNORECASE,
)
# Letters of scripts in which no English is written; Greek is left out, for mathematics.
_FOREIGN = re.compile("[\u0400-\u1dff\u2e80-\ud7ff]")

_CODE = re.compile(r"(?<!:)//|/\*|\*/|\+=|\+\+[;)]|==|\w\(\)|;\s*\}|\)\s*\{")
# Of these, program text has one or more; asking first saves the search in nearly all abstracts.
_CODE_HINTS: Final = ("/*", "+=", "++)", "++;", "==", "()", ") {", "){")
_MUCH_CODE: Final = 4


def no_abstract(paper: Paper) -> str | None:
    """Why the abstract of a paper is not one, as a sentence, or None when it is one."""
    abstract = paper[1]
    words = abstract.lower().split()
    if not words:
        return "There is no abstract."
    if sum(map(_ENGLISH.__contains__, words)) < _LEAST_ENGLISH * len(words):
        if len(words) < _LEAST_WORDS and abstract.isascii():
            return f"The abstract has only {_words(len(words))}."
        return "The abstract does not read like English prose."
    if len(words) < _LEAST_WORDS:
        return f"The abstract has only {_words(len(words))}."
    if not abstract.isascii() and len(_FOREIGN.findall(abstract)) > _MOST_FOREIGN * len(abstract):
        return "The abstract does not read like English prose."
    if any(hint in abstract for hint in _CODE_HINTS) and (
        len(_CODE.findall(abstract)) >= _MUCH_CODE
    ):
        return "The abstract reads like program text."
    if len(set(words[:_SHORT_TEXT])) < _LEAST_WORDS:
        return "The abstract says the same few words again and again."
    if len(words) < _SHORT_TEXT and _WITHDRAWN.search(abstract):
        return "The paper seems to be withdrawn."
    if _SAYS_WITHDRAWN.match(abstract):
        return "The paper seems to be withdrawn."
    return None


def is_short(paper: Paper) -> bool:
    """Whether the abstract is so short that the title would decide: one in 500 is."""
    return len(paper[1]) < _SHORT_CHARACTERS and len(paper[1].split()) < _SHORT_TEXT


def _words(count: int) -> str:
    return "one word" if count == 1 else f"{count} words"
