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


def claim_of(abstract: str) -> str:
    """The sentence that announces the contribution; the first sentence where none does."""
    sentences = [piece.strip() for piece in _SENTENCE_END.split(abstract) if piece.strip()]
    if not sentences:
        return ""
    scored = [(_score(sentence), -place) for place, sentence in enumerate(sentences)]
    return sentences[-max(scored)[1]]


def _score(sentence: str) -> int:
    return max((weight for cue, weight in _CUES if cue.search(sentence)), default=0)
