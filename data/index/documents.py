"""The values that go into the index and come out of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

Sort = Literal["relevance", "newest", "votes"]


@dataclass(frozen=True, slots=True)
class IndexDocument:
    """A paper as the index reads it.

    `identifiers` are (scheme, value) pairs in their normal form. A derived title repeats words of
    the abstract, so it is kept for completion but not counted. Without `dated`, no source gave a
    date: `day` tells how new the paper is, and it is of no year.
    """

    id: int
    title: str
    title_derived: bool
    abstract: str
    authors: tuple[str, ...]
    topics: tuple[str, ...]
    categories: tuple[str, ...]
    venue: str | None
    sources: tuple[str, ...]
    tag: str | None
    day: date
    identifiers: tuple[tuple[str, str], ...] = ()
    dated: bool = True


@dataclass(frozen=True, slots=True)
class SearchFilters:
    """What a search is narrowed to, beside its words.

    `tags` are a server's own corrections: paper id to tag, used instead of the paper's tag.
    `votes` (paper id to number of votes) serves `sort="votes"`. Both dates are inclusive.
    """

    tag: str | None = None
    author: str | None = None
    topic: str | None = None
    source: str | None = None
    since: date | None = None
    until: date | None = None
    tags: Mapping[int, str] = field(default_factory=dict[int, str])
    votes: Mapping[int, int] = field(default_factory=dict[int, int])


@dataclass(frozen=True, slots=True)
class Hit:
    """One paper found; scores compare within one result only."""

    id: int
    score: float


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Another query worth trying, and how many papers it finds.

    `kind` is "spelling" (did you mean), "words" (fewer words) or "filter" (without a filter:
    `drop_filter` names the field of SearchFilters to leave out and `query` stays).
    """

    kind: Literal["spelling", "words", "filter"]
    query: str
    total: int
    drop_filter: str | None = None


@dataclass(frozen=True, slots=True)
class Facets:
    """How many papers of the whole result have each tag, topic, year and source, most first."""

    tags: tuple[tuple[str, int], ...] = ()
    topics: tuple[tuple[str, int], ...] = ()
    years: tuple[tuple[int, int], ...] = ()
    sources: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer to one search: one page of hits, and all that is worth saying about it.

    `total` counts every paper that matches. `read_as` tells in words how the query was read;
    `notes` are sentences on what was dropped or could not be read. `terms` go to
    `SearchIndex.snippet`.
    """

    query: str
    total: int
    hits: tuple[Hit, ...]
    read_as: str
    notes: tuple[str, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    facets: Facets | None = None
    terms: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Snippet:
    """A passage to show: `spans` are (start, end) of the matched words in `text`."""

    text: str
    spans: tuple[tuple[int, int], ...] = ()
