"""Tags and indexes the papers of a large listing while the rest of it is being read."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from bot.triage.bench import Bench
from bot.triage.library import document
from bot.triage.workshop import Workshop, WorkshopLostError
from data.index.segment import Segment
from data.store import papers as paper_rows

if TYPE_CHECKING:
    from collections.abc import Awaitable, Sequence

    from bot.triage.library import Library
    from bot.triage.tagging import Tagging
    from classifiers import Tagger
    from data.index import IndexDocument
    from data.records import TagJudgement
    from data.store.pending import Fresh

Step = Literal["read", "tagged", "indexed"]
Progress = Callable[[Step, int], None]

LARGE: Final = 2_000
"""New papers from which another process is worth its start."""
_INDEXED_AT_ONCE: Final = 10_000
# Batches on their way to the other process: one that it works on, and the next.
_UNDER_WAY: Final = 2
# Batches that may wait for the other process before this one takes a share.
_MOST_WAITING: Final = 12


class _Place(Protocol):
    """Where papers are tagged and read into a segment, in the order of the calls."""

    def take(self, documents: Sequence[IndexDocument]) -> Awaitable[list[TagJudgement]]:
        """A judgement for each paper; the papers are in the next segment."""
        ...

    async def segment(self) -> Segment:
        """The segment of the papers taken since the last one."""
        ...


class _Here:
    """A bench in a thread of this process."""

    def __init__(self, tagger: Tagger) -> None:
        self._bench = Bench(tagger)

    def take(self, documents: Sequence[IndexDocument]) -> Awaitable[list[TagJudgement]]:
        return asyncio.to_thread(self._bench.take, documents)

    async def segment(self) -> Segment:
        return Segment(await asyncio.to_thread(self._bench.arrays))


class _Lane:
    """What one place has taken for its next segment: the new change numbers of each batch."""

    def __init__(self, place: _Place) -> None:
        self.place = place
        self.batches: list[asyncio.Task[dict[int, int]]] = []
        self.size = 0


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
        self._elsewhere: _Lane | None = None
        self._here: _Lane | None = None
        self._stored = 0
        self._waiting: deque[Sequence[Fresh]] = deque()
        self._workers: list[asyncio.Task[None]] = []

    async def stored(self, fresh: Sequence[Fresh]) -> None:
        """Counts papers that are new in the store; starts to work on them once they are many."""
        if not fresh:
            return
        self._stored += len(fresh)
        self._waiting.append(fresh)
        if self._workshop is None and self._stored >= LARGE:
            self._workshop = Workshop(self._tagging.tagger)
            self._workshop.open()
            self._elsewhere, self._here = _Lane(self._workshop), _Lane(_Here(self._tagging.tagger))
        if self._workshop is None:
            return
        if not self._workshop.is_elsewhere:
            self._waiting.clear()  # nothing is gained beside the reading, and memory is lost
            return
        self._employ()
        if len(self._waiting) > _MOST_WAITING and self._here is not None:
            await self._take(self._here)

    def _employ(self) -> None:
        """Keeps the other process busy."""
        for done in [worker for worker in self._workers if worker.done()]:
            self._workers.remove(done)
            done.result()
        while self._elsewhere and self._waiting and len(self._workers) < _UNDER_WAY:
            self._workers.append(asyncio.create_task(self._work(self._elsewhere)))

    async def _work(self, lane: _Lane) -> None:
        """Takes what waits until nothing does."""
        try:
            while self._waiting:
                await self._take(lane)
        except WorkshopLostError:
            lane.batches, lane.size = [], 0

    async def _take(self, lane: _Lane) -> None:
        batch = self._waiting.popleft()
        documents = [document(each.paper) for each in batch]
        # Asked before anything is awaited, so that `batches` are those of the next segment.
        saved = asyncio.create_task(self._save(batch, lane.place.take(documents)))
        lane.batches.append(saved)
        lane.size += len(batch)
        await saved
        if lane.size >= _INDEXED_AT_ONCE:
            await self._index(lane)

    async def _save(
        self, batch: Sequence[Fresh], judged: Awaitable[list[TagJudgement]]
    ) -> dict[int, int]:
        changes = await self._library.store.write(
            paper_rows.save_first_judgements,
            [(each.paper.id, each.change) for each in batch],
            await judged,
        )
        self._progress("tagged", len(batch))
        return changes

    async def _index(self, lane: _Lane) -> None:
        batches, lane.batches, lane.size = lane.batches, [], 0
        if not batches:
            return
        segment = await lane.place.segment()
        changes: dict[int, int] = {}
        for batch in batches:
            changes |= await batch
        self._progress("indexed", await self._library.add_ahead(segment, changes))

    async def finish(self) -> None:
        """Tags and indexes whatever is not yet; papers can be found on return."""
        if self._elsewhere and self._here:
            await asyncio.gather(self._work(self._here), *self._workers)
            await asyncio.gather(self._rest(self._elsewhere), self._index(self._here))
        self._waiting.clear()
        await self._tagging.tag_untagged(lambda count: self._progress("tagged", count))
        await self._library.refresh(lambda count: self._progress("indexed", count))

    async def _rest(self, lane: _Lane) -> None:
        with suppress(WorkshopLostError):
            await self._index(lane)

    async def close(self) -> None:
        """Stops what is under way."""
        lanes = [lane for lane in (self._elsewhere, self._here) if lane]
        tasks: list[asyncio.Task[Any]] = [*self._workers]
        for lane in lanes:
            tasks += lane.batches
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._workshop is not None:
            await self._workshop.close()
