"""Tells texts that are no abstract, which the tagger must not be confident about."""

import re
from typing import Final

from classifiers.features import Paper
from classifiers.text import word_set

_LEAST_WORDS: Final = 12
_SHORT_TEXT: Final = 60
_LEAST_ENGLISH: Final = 0.12

# Common words of English prose that its neighbours do not share: a third of any English abstract,
# and next to nothing of a French, Spanish or German one.
_ENGLISH: Final = word_set(
    """
    the of and to that is we are with this by which from be can have has these our it not their
    such as for how when while between than its or was were at into they been does both
    """
)
_WITHDRAWN = re.compile(r"\b(?:withdrawn|retracted|withdrawal)\b", re.IGNORECASE)


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
    if len(words) < _SHORT_TEXT and _WITHDRAWN.search(abstract):
        return "The paper seems to be withdrawn."
    return None


def _words(count: int) -> str:
    return "one word" if count == 1 else f"{count} words"
