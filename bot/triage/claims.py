"""The one sentence of an abstract that says what the paper does."""

from __future__ import annotations

import re
from typing import Final

_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9“\"(])")
# A cue, and how surely its sentence states the contribution.
_CUES: Final = tuple(
    (re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), weight)
    for pattern, weight in (
        ("this position paper|we argue|we contend|we call for|we advocate", 6),
        ("(?:we|this paper|this work) (?:propose|introduce|present|develop)s?", 5),
        ("we (?:prove|establish|derive|characteri[sz]e|provide)", 4),
        ("(?:we|this paper|this work) (?:show|study|studies|investigate|analy[sz]e)s?", 3),
        ("in this (?:paper|work)|here,? we|our", 2),
    )
)


# Words that lean on the sentence before: "such pairs", "that it can", "these rules".
_LEANING: Final = re.compile(
    r"\b(?:such|these|those|that (?:it|they)|the former|the latter|this (?:problem|question|gap"
    r"|issue|matrix|result))\b|^(?:it|they|this|these|however|moreover|further(?:more)?|second|third|finally|then|also)\b",
    re.IGNORECASE,
)
_FEWEST_WORDS: Final = 8


def claim_of(abstract: str) -> str:
    """The sentence that announces the contribution; the first sentence where none does.

    Of several, one that can be read alone is preferred to one that leans on what came before.
    """
    sentences = [piece.strip() for piece in _SENTENCE_END.split(abstract) if piece.strip()]
    if not sentences:
        return ""
    scored = [(_score(sentence), -place) for place, sentence in enumerate(sentences)]
    return sentences[-max(scored)[1]]


def _score(sentence: str) -> float:
    cue = max((weight for pattern, weight in _CUES if pattern.search(sentence)), default=0)
    if not cue:
        return 0
    leaning = bool(_LEANING.search(sentence)) or len(sentence.split()) < _FEWEST_WORDS
    return cue / 2 if leaning else cue
