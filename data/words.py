"""Word lists, written the way they are read."""

from __future__ import annotations


def word_set(words: str) -> frozenset[str]:
    """The words of a text, parted by blanks."""
    return frozenset(words.split())
