"""The passage of an abstract that shows why it was found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from data.index.analyzer import tokens_with
from data.index.documents import Snippet
from data.index.texts import plain

if TYPE_CHECKING:
    from collections.abc import Collection

ELLIPSIS: Final = "…"
_SHORTEST: Final = 12
"""Characters below which no passage is worth choosing."""


def best_passage(text: str, terms: Collection[str], most: int) -> Snippet:
    """The passage of at most `most` characters with the most different matched words.

    `text` is shown with its TeX as Unicode; the passage begins and ends at word boundaries, with
    an ellipsis where text was left out. `terms` are index terms, as `SearchResult.terms` has them.
    """
    shown = plain(text)
    wanted = frozenset(terms)
    found = tokens_with(wanted, shown)
    marks = [(token.start, token.end) for token in found]
    if len(shown) <= most:
        return Snippet(shown, tuple(marks))
    if most < _SHORTEST:
        return Snippet(shown[: max(most, 0)])
    room = most - 2 * len(ELLIPSIS)
    start = 0
    best_worth = 0.0
    left = 0
    for right, last in enumerate(found):
        while last.end - found[left].start > room:
            left += 1
            if left > right:
                break
        inside = found[left : right + 1]
        different = {term for token in inside for term in token.terms if term in wanted}
        worth = len(different) + 0.01 * len(inside)
        if inside and worth > best_worth + 1e-9:
            best_worth = worth
            spare = room - (last.end - inside[0].start)
            start = max(0, inside[0].start - spare // 3)
    start, end = _at_words(shown, start, room)
    before = ELLIPSIS if start else ""
    # A passage that ends with its sentence needs no ellipsis, and a comma before one looks torn.
    while end > start and end < len(shown) and shown[end - 1] in " ,;:–-(":
        end -= 1
    after = ELLIPSIS if end < len(shown) and shown[end - 1] not in ".!?" else ""
    shift = len(before) - start
    spans = tuple(
        (low + shift, high + shift) for low, high in marks if low >= start and high <= end
    )
    return Snippet(before + shown[start:end] + after, spans)


def _at_words(text: str, start: int, room: int) -> tuple[int, int]:
    """Moves both ends of a passage to blanks, inwards."""
    if start + room > len(text):
        start = max(0, len(text) - room)
    if start and not text[start - 1].isspace():
        blank = text.find(" ", start)
        if 0 <= blank < start + room // 2:
            start = blank + 1
    end = min(len(text), start + room)
    if end < len(text) and not text[end].isspace():
        blank = text.rfind(" ", start, end)
        if blank > start:
            end = blank
    return start, end
