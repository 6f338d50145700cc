"""A second process for what only computes, beside the one that reads and stores a large listing.

Whatever the other process cannot do is done in this one, so nothing depends on it but time.
"""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar, TypeVarTuple

import structlog

from bot.triage.tagging import judge
from data.index.building import build_segment
from data.index.lexicon import Lexicon
from data.index.segment import Segment

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from classifiers import Tagger
    from data.index import IndexDocument
    from data.index.arrays import AnyArray
    from data.records import TagJudgement

LOG = structlog.get_logger()

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

# What the other process keeps from one piece of work to the next.
_taggers: list[Tagger] = []
_lexicons = [Lexicon()]


class Workshop:
    """Judges texts and builds segments, in another process after `open` where there is a CPU.

    The other process ends with `close`, and with this one however it ends.
    """

    def __init__(self, tagger: Tagger) -> None:
        self._tagger = tagger
        self._pool: ProcessPoolExecutor | None = None

    def open(self) -> None:
        """Starts the other process at the next piece of work."""
        if _cpus() > 1:
            self._pool = ProcessPoolExecutor(
                max_workers=1,
                # A fork would copy locks that other threads hold.
                mp_context=multiprocessing.get_context("spawn"),
                initializer=_begin,
                initargs=(self._tagger,),
            )

    async def close(self) -> None:
        """Waits until the other process is gone; what it has not begun is left."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await asyncio.to_thread(pool.shutdown, wait=True, cancel_futures=True)

    @property
    def is_elsewhere(self) -> bool:
        """Whether work is done beside this process and not in it."""
        return self._pool is not None

    async def judge(self, texts: Sequence[tuple[str, str]]) -> list[TagJudgement]:
        """A judgement for each (title, abstract), without reasons."""
        found = await self._elsewhere(_judge, texts)
        return found if found is not None else await asyncio.to_thread(judge, self._tagger, texts)

    async def segment(self, documents: Sequence[IndexDocument]) -> Segment:
        """The segment of some papers."""
        arrays = await self._elsewhere(_arrays, documents)
        if arrays is not None:
            return Segment(arrays)
        return await asyncio.to_thread(build_segment, documents)

    async def _elsewhere(self, task: Callable[[*Ts], T], *arguments: *Ts) -> T | None:
        """What the other process makes of the arguments; None where there is no such process."""
        if self._pool is None:
            return None
        loop = asyncio.get_running_loop()
        try:
            with _without_interrupts():
                answer = loop.run_in_executor(self._pool, task, *arguments)
            return await answer
        except Exception as error:  # noqa: BLE001 - a real fault shows when it is tried here
            LOG.warning("workshop.lost", reason=f"{type(error).__name__}: {error}")
            await self.close()
            return None


@contextmanager
def _without_interrupts() -> Generator[None]:
    """What starts in this block never hears Ctrl-C.

    A new process that ends before it has read the tagger would leave this one writing for ever.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _cpus() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _begin(tagger: Tagger) -> None:
    """Makes the other process ready."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that was called
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    gc.set_threshold(100_000)  # what is made here has no cycles, and there is much of it
    _taggers[:] = [tagger]


def _leave_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _judge(texts: Sequence[tuple[str, str]]) -> list[TagJudgement]:
    return judge(_taggers[0], texts)


def _arrays(documents: Sequence[IndexDocument]) -> dict[str, AnyArray]:
    arrays = build_segment(documents, _lexicons[0]).arrays
    if _lexicons[0].is_full:
        _lexicons[0] = Lexicon()
    return dict(arrays)
