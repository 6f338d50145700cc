"""The TF-IDF search index: add papers, search, complete, find similar ones."""

from __future__ import annotations

from data.index.documents import (
    Facets,
    Hit,
    IndexDocument,
    SearchFilters,
    SearchResult,
    Snippet,
    Sort,
    Suggestion,
)
from data.index.index import MOST_BUILT, SearchIndex

__all__ = [
    "MOST_BUILT",
    "Facets",
    "Hit",
    "IndexDocument",
    "SearchFilters",
    "SearchIndex",
    "SearchResult",
    "Snippet",
    "Sort",
    "Suggestion",
]
