"""Tags and indexes the papers of a large listing while the rest of it is being read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Literal

from bot.triage.workshop import Workshop

if TYPE_CHECKING:
    from bot.triage.library import Library
    from bot.triage.tagging import Tagging

Step = Literal["read", "tagged", "indexed"]
Progress = Callable[[Step, int], None]

LARGE: Final = 2_000
"""New papers from which another process is worth its start."""
_TAGGED_AT_ONCE: Final = 1_000
_INDEXED_AT_ONCE: Final = 9_000


class Follower:
    """Follows one reading of listings: `stored` tells of new papers, `finish` does what is left.

    `progress` is called with the step and the number of papers since its last call. `close` has
    to be called in any case.
    """

    def __init__(self, library: Library, tagging: Tagging, progress: Progress) -> None:
        self._library = library
        self._tagging = tagging
        self._progress = progress
        self._workshop: Workshop | None = None
        self._stored = 0
        self._untagged = 0
        self._unindexed = 0
        self._task: asyncio.Task[None] | None = None
        self._all_read = False

    def stored(self, count: int) -> None:
        """Counts papers that are new in the store; starts to work on them once they are many."""
        self._stored += count
        self._untagged += count
        if self._workshop is None and self._stored >= LARGE:
            self._workshop = Workshop(self._tagging.tagger)
            self._workshop.open()
        workshop = self._workshop
        if workshop is None or not workshop.is_elsewhere or self._untagged < _TAGGED_AT_ONCE:
            return
        if self._task is None or self._task.done():
            if self._task is not None:
                self._task.result()
            self._task = asyncio.create_task(self._follow(workshop))

    async def _follow(self, workshop: Workshop) -> None:
        self._untagged = 0
        self._unindexed += await self._tagging.tag_untagged([workshop.judge], self._tagged)
        if self._unindexed >= _INDEXED_AT_ONCE:
            self._unindexed = 0
            await self._library.run_ahead(workshop, self._indexed, lambda: self._all_read)

    async def finish(self) -> None:
        """Tags and indexes whatever is not yet; papers can be found on return."""
        self._all_read = True
        if self._task is not None:
            await self._task
        judges = [self._tagging.judge_beside]
        if self._workshop is not None and self._workshop.is_elsewhere:
            judges.append(self._workshop.judge)
        await self._tagging.tag_untagged(judges, self._tagged)
        await self._library.refresh(self._workshop, self._indexed)

    async def close(self) -> None:
        """Stops what is under way."""
        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self._workshop is not None:
            await self._workshop.close()

    def _tagged(self, count: int) -> None:
        self._progress("tagged", count)

    def _indexed(self, count: int) -> None:
        self._progress("indexed", count)
