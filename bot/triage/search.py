"""Searching the library as one server sees it."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

from bot.triage.errors import Refused
from data.index import Facets, SearchFilters
from data.store import corrections as correction_rows
from data.store import servers as server_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.triage.library import Library, PaperView
    from data.index import Hit as IndexHit
    from data.index import SearchResult, Snippet, Sort, Suggestion

PAGE_SIZE: Final = 5
SNIPPET_CHARS: Final = 150
KEPT: Final = timedelta(weeks=12)
"""How long a search is remembered after it was last made, so that its buttons work."""
_REMEMBERED_ANEW: Final = timedelta(weeks=1)


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What a person searches for; empty parts filter nothing. Dates are inclusive."""

    query: str = ""
    tag: str | None = None
    topic: str | None = None
    author: str | None = None
    source: str | None = None
    since: date | None = None
    until: date | None = None
    sort: Sort | None = None

    def to_json(self) -> str:
        """The request as text that `from_json` reads."""
        return json.dumps(asdict(self), default=str, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> SearchRequest:
        """The request that `to_json` wrote."""
        fields = json.loads(text)
        for name in ("since", "until"):
            if fields[name]:
                fields[name] = date.fromisoformat(fields[name])
        return cls(**fields)


@dataclass(frozen=True, slots=True)
class Hit:
    """One paper found: its score (higher is better) and the passage that fits the query."""

    view: PaperView
    score: float
    snippet: Snippet


@dataclass(frozen=True, slots=True)
class SearchPage:
    """One page of a search; `page` counts from 0. `key` names the search for later pages."""

    request: SearchRequest
    key: str
    read_as: str
    notes: tuple[str, ...]
    suggestions: tuple[str, ...]
    total: int
    page: int
    pages: int
    hits: tuple[Hit, ...]
    facets: Facets | None = None


@dataclass(frozen=True, slots=True)
class SearchCounts:
    """What a whole result is made of."""

    request: SearchRequest
    read_as: str
    total: int
    facets: Facets


class Search:
    """Searches with a server's own corrections and votes, or without a server for a shell."""

    def __init__(self, library: Library) -> None:
        self._library = library

    async def run(
        self,
        guild_id: int | None,
        request: SearchRequest,
        *,
        page: int = 0,
        page_size: int = PAGE_SIZE,
        facets: bool = False,
    ) -> SearchPage:
        """The papers that fit, best first, one page of them; with `facets` counts over all."""
        await self._library.refresh()
        filters = await self.filters(guild_id, request)
        result = await self._ask(request, filters, page, page_size, facets=facets)
        pages = max(1, -(-result.total // page_size))
        if page >= pages:
            page = pages - 1
            result = await self._ask(request, filters, page, page_size, facets=facets)
        key = ""
        if guild_id and pages > 1:  # a shell has no buttons that ask for more
            key = await self._keep(guild_id, request)
        return SearchPage(
            request=request,
            key=key,
            read_as=result.read_as,
            notes=tuple(result.notes),
            suggestions=tuple(_in_words(found) for found in result.suggestions),
            total=result.total,
            page=page,
            pages=pages,
            hits=await self._hits(guild_id, result.hits, result.terms),
            facets=result.facets,
        )

    async def again(self, guild_id: int, key: str, page: int) -> SearchPage:
        """Another page of a search made before. Raises Refused where it is not kept any more."""
        return await self.run(guild_id, await self._kept(guild_id, key), page=page)

    async def counts(self, guild_id: int, key: str) -> SearchCounts:
        """What the whole result of a search made before is made of. Raises Refused as `again`."""
        request = await self._kept(guild_id, key)
        await self._library.refresh()
        filters = await self.filters(guild_id, request)
        result = await self._ask(request, filters, 0, 0, facets=True)
        return SearchCounts(request, result.read_as, result.total, result.facets or Facets())

    async def _kept(self, guild_id: int, key: str) -> SearchRequest:
        kept = await self._library.store.read(server_rows.load_search, key, guild_id)
        if kept is None:
            raise Refused("I don't remember this search any more; please search again.")
        return SearchRequest.from_json(kept.payload)

    async def similar(
        self, guild_id: int | None, paper_id: int, limit: int = PAGE_SIZE
    ) -> tuple[Hit, ...]:
        """The papers nearest to one, best first."""
        await self._library.refresh()
        near = await asyncio.to_thread(self._library.index.similar, paper_id, limit)
        return await self._hits(guild_id, near, frozenset())

    async def similar_to_text(
        self, guild_id: int | None, text: str, limit: int = PAGE_SIZE
    ) -> tuple[Hit, ...]:
        """The papers nearest to a text such as a pasted abstract, best first."""
        if not text.strip():
            raise Refused("There is no text to compare with; paste an abstract.")
        await self._library.refresh()
        near = await asyncio.to_thread(self._library.index.similar_to_text, text, limit)
        return await self._hits(guild_id, near, frozenset())

    async def filters(self, guild_id: int | None, request: SearchRequest) -> SearchFilters:
        """A request's filters, with the tags that this server corrected."""
        tags: dict[int, str] = {}
        votes: dict[int, int] = {}
        store = self._library.store
        if guild_id is not None:
            tags = await store.read(correction_rows.corrected_tags, guild_id)
            if request.sort == "votes" or "sort:" in request.query.lower():
                votes = await store.read(server_rows.vote_counts, guild_id)
        return SearchFilters(
            tag=request.tag,
            topic=request.topic,
            author=request.author,
            source=request.source,
            since=request.since,
            until=request.until,
            tags=tags,
            votes=votes,
        )

    async def complete_topics(self, text: str) -> Sequence[str]:
        """Topics of the library that an unfinished word may mean, for an autocompletion."""
        return await asyncio.to_thread(self._library.index.complete_topics, text, 25)

    async def complete_authors(self, text: str) -> Sequence[str]:
        """Authors of the library that an unfinished name may mean, for an autocompletion."""
        return await asyncio.to_thread(self._library.index.complete_authors, text, 25)

    async def _ask(
        self,
        request: SearchRequest,
        filters: SearchFilters,
        page: int,
        page_size: int,
        *,
        facets: bool,
    ) -> SearchResult:
        # On a thread, so that a long search keeps neither the event loop nor others waiting.
        return await asyncio.to_thread(
            self._library.index.search,
            request.query,
            filters,
            limit=page_size,
            offset=page * page_size,
            sort=request.sort or "relevance",
            facets=facets,
        )

    async def _hits(
        self, guild_id: int | None, found: Sequence[IndexHit], terms: frozenset[str]
    ) -> tuple[Hit, ...]:
        views = {
            view.paper.id: view
            for view in await self._library.views(guild_id, [hit.id for hit in found])
        }
        return tuple(
            Hit(views[hit.id], hit.score, self._passage(views[hit.id], terms))
            for hit in found
            if hit.id in views
        )

    def _passage(self, view: PaperView, terms: frozenset[str]) -> Snippet:
        return self._library.index.snippet(view.paper.abstract, terms, SNIPPET_CHARS)

    async def _keep(self, guild_id: int, request: SearchRequest) -> str:
        payload = request.to_json()
        digest = hashlib.blake2b(f"{guild_id}:{payload}".encode(), digest_size=6).hexdigest()
        store, now = self._library.store, self._library.clock.now()
        # A search that is made again costs no write, which waits for the disk, but once a week.
        kept = await store.read(server_rows.load_search, digest, guild_id)
        if kept is None or kept.at < now - _REMEMBERED_ANEW:
            await store.write(server_rows.save_search, digest, guild_id, payload, now, KEPT)
        return digest


def _in_words(suggestion: Suggestion) -> str:
    papers = f"{suggestion.total} paper{'s' * (suggestion.total != 1)}"
    if suggestion.drop_filter:
        return f"without the {suggestion.drop_filter} filter: {papers}"
    if suggestion.kind == "spelling":
        return f"did you mean “{suggestion.query}”? {papers}"
    return f"“{suggestion.query}”: {papers}"


_AGO: Final = re.compile(r"([0-9]{1,4})\s*(d|day|days|w|week|weeks|m|month|months|y|year|years)")
_UNIT_DAYS: Final = {"d": 1, "w": 7, "m": 30, "y": 365}


def parse_day(text: str, today: date, *, last: bool = False) -> date:
    """A day from "2026-05-01", "2026-05", "2026", "7d", "2 weeks" or "yesterday".

    A month or a year is its first day, or its last. Raises Refused on anything else.
    """
    cleaned = text.strip().casefold()
    words = {"today": today, "yesterday": today - timedelta(days=1)}
    if cleaned in words:
        return words[cleaned]
    ago = _AGO.fullmatch(cleaned.removeprefix("last ").removesuffix(" ago"))
    try:
        if ago:
            return today - timedelta(days=int(ago[1]) * _UNIT_DAYS[ago[2][0]])
        parts = [int(part) for part in cleaned.split("-")]
        if 1 <= len(parts) <= 3 and 1800 <= parts[0] <= 9999:
            first = date(*(*parts, 1, 1)[:3])
            if not last or len(parts) == 3:
                return first
            following = (
                (first.year + 1, 1)
                if len(parts) == 1 or first.month == 12
                else (first.year, first.month + 1)
            )
            return date(*following, 1) - timedelta(days=1)
    except (ValueError, OverflowError):
        pass
    raise Refused(f"I can't read “{text[:40]}” as a day; write 2026-05-01, 2026, or 7d.")
