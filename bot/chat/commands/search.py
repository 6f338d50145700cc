"""/search: the papers that fit, five a page."""

from typing import Literal

from discord import app_commands

from bot.chat.answers import Answer, Interaction, server_of, services_of, slash
from bot.chat.commands import suggestions
from bot.chat.layouts.search import search_page
from bot.triage.search import PAGE_SIZE, SearchRequest, parse_day


@app_commands.describe(
    query="Words to look for; “exact words”, -without, author:name and OR work",
    tag="Only papers of this kind",
    topic="Only papers of this topic or category",
    author="Only papers by this author",
    source="Only papers from this source",
    since="Only papers since this day: 2026-05-01, 2026 or 7d",
    sort="What comes first; without it, what fits best",
)
@app_commands.autocomplete(
    topic=suggestions.topics, author=suggestions.authors, source=suggestions.sources
)
@slash(private=False)
async def search(
    interaction: Interaction,
    query: app_commands.Range[str, 1, 300],
    tag: Literal["position", "theory", "methods", "unsure"] | None = None,
    topic: str | None = None,
    author: str | None = None,
    source: str | None = None,
    since: str | None = None,
    sort: Literal["relevance", "newest", "votes"] | None = None,
) -> Answer:
    """Search the papers, best first"""
    services = services_of(interaction)
    request = SearchRequest(
        query=query,
        tag=tag,
        topic=topic,
        author=author,
        source=source,
        since=parse_day(since, services.clock.now().date()) if since else None,
        sort=sort,
    )
    found = await services.search.run(server_of(interaction), request, page_size=PAGE_SIZE)
    return Answer(view=search_page(found, PAGE_SIZE))
