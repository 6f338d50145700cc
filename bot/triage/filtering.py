"""Whether a subscription's filter lets a paper through, and which part of it stops one."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from typing import TYPE_CHECKING

from data.index import SearchFilters
from data.index.query import all_required, parse
from data.store import corrections as correction_rows

if TYPE_CHECKING:
    from bot.triage.library import Library, PaperView
    from data.store.digests import DigestFilter


class FilterPart(StrEnum):
    """A part of a filter, by the word that people use for it."""

    TAGS = "tags"
    TOPICS = "topics"
    QUERY = "query"


def stopped_by(view: PaperView, wanted: DigestFilter) -> FilterPart | None:
    """The first part of a filter that stops a paper, the query left aside; None where none does."""
    if wanted.tags and (view.tag or "unsure") not in wanted.tags:
        return FilterPart.TAGS
    if not wanted.topics:
        return None
    topics = [topic.casefold() for topic in (*view.paper.topics, *view.paper.categories)]
    if any(piece.casefold() in topic for piece in wanted.topics for topic in topics):
        return None
    return FilterPart.TOPICS


async def query_scores(
    library: Library, guild_id: int, wanted: DigestFilter
) -> dict[int, float] | None:
    """How well each paper fits a filter's query, for those that do; None where it has none.

    Tags in the query are those that the server sees.
    """
    if not wanted.query.strip():
        return None
    # A search ranks what has any of the words; an order is for papers that have all of them.
    query, index = all_required(parse(wanted.query)), library.index
    corrected = await library.store.read(correction_rows.corrected_tags, guild_id)
    filters = SearchFilters(tags=corrected)
    result = await asyncio.to_thread(index.answer, query, filters, limit=max(1, len(index)))
    return {hit.id: hit.score for hit in result.hits}
