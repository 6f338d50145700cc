"""The words by which listings say that a paper was withdrawn."""

from __future__ import annotations

import re
from typing import Final

_PAPER: Final = r"(?:paper|article|submission|manuscript|work|preprint|version|document|e-?print)s?"
# Behind these a lone "withdrawn" is a notice; "Withdrawn drugs are ..." begins an abstract.
_NOTICE_END: Final = (
    r"(?=\s*(?:$|[.,;:!*)\]]|[-\u2013\u2014]\s|(?:by|due|because|pending|temporarily|permanently|and)\b|"
    r"(?:from|for)\s+(?:the\s+)?(?:arxiv|publication|consideration|revision|major|further)\b))"
)
_SAID: Final = (
    rf"(?:this|the|our)\s+{_PAPER}\s+(?:has|have|is|was|had)(?:\s+(?:now|since))?(?:\s+been|\s+being)?"
    r"(?:\s+(?:temporarily|permanently))?\s+(?:withdrawn|retracted)\b"
    r"(?!\s+from\s+(?!(?:the\s+)?(?:arxiv|publication)))"
    rf"|(?:the\s+)?(?:authors?|we)\s+(?:has|have)?\s*(?:withdrawn?|withdraws?)\s+(?:this|the)\s+{_PAPER}\b"
)
_START: Final = re.compile(
    rf"\W*(?:{_SAID}|(?:this\s+)?(?:{_PAPER}\s+)?(?:is\s+)?withdrawn{_NOTICE_END})", re.IGNORECASE
)
_SENTENCE: Final = re.compile(rf"[.;,(:]\s*(?:{_SAID})", re.IGNORECASE)
_VENUE: Final = re.compile(r"\bwithdrawn (?:submission|paper|by authors?)\b", re.IGNORECASE)
_LONGEST_COMMENT: Final = 2_000
# In characters: behind a notice, anything longer is the abstract that was there before.
_LONGEST_NOTICE: Final = 400


def says_withdrawn(abstract: str, comment: str | None, venue: str | None) -> bool:
    """Whether one of the texts is a notice that the paper was taken back.

    An abstract says so at its start, a comment at the start of any of its sentences, and a venue
    in OpenReview's words ("ICLR 2026 Conference Withdrawn Submission").
    """
    if abstract and _START.match(abstract):
        return True
    if comment and (_START.match(comment) or _SENTENCE.search(comment[:_LONGEST_COMMENT])):
        return True
    return bool(venue and _VENUE.search(venue))


def is_notice(abstract: str) -> bool:
    """Whether a text is a notice of withdrawal and no more, as papers that differ may share."""
    return len(abstract) <= _LONGEST_NOTICE and _START.match(abstract) is not None
