"""Suggesting a topic for a paper whose sources gave it none."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from data.records import own_text
from data.store import papers as paper_rows
from data.store import topics as topic_rows

if TYPE_CHECKING:
    from bot.triage.library import Library
    from classifiers.topics import Suggestion, TopicSuggester
    from data.records import Paper

MOST_LEARNT: Final = 4_000
"""So many of the newest papers with a topic are learnt: a second's work."""

_GROWN: Final = 1.1


class Topics:
    """Suggests topics from those of the library; learns anew when it grew by a tenth."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._suggester: TopicSuggester | None = None
        self._learnt_from: int | None = None
        self._learning = asyncio.Lock()

    async def suggest(self, paper: Paper) -> Suggestion | None:
        """A topic for a paper that has none; None for one that has, and where none is likely."""
        if paper.topics or not paper.abstract:
            return None
        suggester = await self._current()
        if suggester is None:
            return None
        text = own_text(paper.title, paper.abstract, derived=paper.title_derived)
        return (await asyncio.to_thread(suggester.suggest, [text]))[0]

    async def _current(self) -> TopicSuggester | None:
        store = self._library.store
        async with self._learning:
            count = await store.read(topic_rows.count_with_topics)
            learnt = self._learnt_from
            if learnt is None or not learnt <= count < learnt * _GROWN + 1:
                topics = await store.read(topic_rows.topics_of_newest, MOST_LEARNT)
                texts = await store.read(paper_rows.load_texts, list(topics))
                known = [(text, topics[number]) for number, text in texts.items()]
                self._suggester = await asyncio.to_thread(_fit, known)
                self._learnt_from = count
            return self._suggester


def _fit(known: list[tuple[tuple[str, str], tuple[str, ...]]]) -> TopicSuggester | None:
    # Most commands never ask for a topic.
    from classifiers.topics import TopicSuggester

    return TopicSuggester.fit(known)
