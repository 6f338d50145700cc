"""A second process for what only computes, beside the one that reads and stores a large listing.

Nothing depends on it but time: what it does not do is done by whoever asked.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, cast

import structlog

from bot.triage import bench
from data.index.segment import Segment

if TYPE_CHECKING:
    from collections.abc import Awaitable, Generator, Sequence

    from classifiers import Tagger
    from data.index import IndexDocument
    from data.index.arrays import AnyArray
    from data.records import TagJudgement

LOG = structlog.get_logger()

# In seconds; the answers of a machine that is very busy take ten.
_LONGEST_SILENCE: Final = 300.0


class WorkshopLostError(Exception):
    """The other process is gone, or cannot start; what it was asked for is not done."""


class Workshop:
    """A `bot.triage.bench.Bench` in another process, after `open` where there is a CPU for it.

    It does what it is asked in the order of the calls. The other process ends with `close`, and
    with this one however it ends.
    """

    def __init__(self, tagger: Tagger) -> None:
        self._tagger = tagger
        self._process: subprocess.Popen[bytes] | None = None
        self._lost = False
        self._answers: set[asyncio.Task[object]] = set()
        # Two threads, so that the next piece is on its way while one is worked on.
        self._sender = ThreadPoolExecutor(1, thread_name_prefix="workshop-send")
        self._receiver = ThreadPoolExecutor(1, thread_name_prefix="workshop-receive")

    def open(self) -> None:
        """Starts the other process."""
        if _cpus() < 2 or not sys.executable:
            return
        paths = [path or str(Path.cwd()) for path in sys.path]
        try:
            # Not multiprocessing: its processes begin with all that the program itself imports.
            with _without_interrupts():
                self._process = subprocess.Popen(  # noqa: S603 - it is this program itself
                    [sys.executable, "-P", "-m", bench.__name__],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
                )
            self._sender.submit(_send, self._process, self._tagger)
        except (OSError, subprocess.SubprocessError, RuntimeError, MemoryError) as error:
            # There is no memory for it, no thread, no program: what it would do is done here.
            self._lose(repr(error))

    @property
    def is_elsewhere(self) -> bool:
        """Whether there is another process."""
        return self._process is not None and not self._lost

    def take(self, documents: Sequence[IndexDocument]) -> Awaitable[list[TagJudgement]]:
        """A judgement for each paper, without reasons; the papers are in the next segment.

        Raises WorkshopLostError, at once or later.
        """
        return cast("Awaitable[list[TagJudgement]]", self._ask(documents))

    async def segment(self) -> Segment:
        """The segment of the papers taken since the last one. Raises WorkshopLostError."""
        return Segment(cast("dict[str, AnyArray]", await self._ask(None)))

    def _ask(self, request: Sequence[IndexDocument] | None) -> Awaitable[object]:
        process = self._process
        if process is None or self._lost:
            raise WorkshopLostError
        loop = asyncio.get_running_loop()
        try:
            sent = loop.run_in_executor(self._sender, _send, process, request)
            received = loop.run_in_executor(self._receiver, _receive, process)
        except RuntimeError as error:  # there is no thread for it
            self._lose(repr(error))
            raise WorkshopLostError from error
        answer = asyncio.create_task(self._answer(sent, received))
        for future in (sent, received, answer):
            # Whoever asked may have been stopped before it listens.
            future.add_done_callback(_heard)
        self._answers.add(answer)
        answer.add_done_callback(self._answers.discard)
        return answer

    async def _answer(self, sent: Awaitable[None], received: Awaitable[object]) -> object:
        try:
            async with asyncio.timeout(_LONGEST_SILENCE):
                _, answer = await asyncio.gather(sent, received)
        except Exception as error:
            # Of a process that died in mid-sentence anything may be read.
            self._lose(repr(error))
            raise WorkshopLostError from error
        if isinstance(answer, str):
            self._lose(answer)
            raise WorkshopLostError(answer)
        return answer

    async def close(self) -> None:
        """Ends the other process; what it has not answered is left."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
        answers = list(self._answers)
        for answer in answers:
            answer.cancel()
        await asyncio.gather(*answers, return_exceptions=True)
        for executor in (self._sender, self._receiver):
            await asyncio.to_thread(executor.shutdown)
        if process is not None:
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):  # what was on its way goes nowhere
                    _there(pipe).close()
            await asyncio.to_thread(process.wait)

    def _lose(self, reason: str) -> None:
        if not self._lost:
            LOG.warning("workshop.lost", reason=reason)
        self._lost = True
        if self._process is not None:
            self._process.kill()


def _heard(future: asyncio.Future[Any]) -> None:
    """Takes notice of an exception, which asyncio reports as unheard otherwise."""
    if not future.cancelled():
        future.exception()


@contextmanager
def _without_interrupts() -> Generator[None]:
    """What starts in this block never hears Ctrl-C, which is for the process that was called."""
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


def _send(process: subprocess.Popen[bytes], message: object) -> None:
    """Sends one thing; a process that lacks one would take the next for it, so it ends then."""
    pipe = _there(process.stdin)
    try:
        pipe.write(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))
        pipe.flush()
    except Exception:
        process.kill()
        raise


def _receive(process: subprocess.Popen[bytes]) -> object:
    return pickle.load(_there(process.stdout))  # noqa: S301 - it comes from this one's own child


def _there(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise ValueError("the process was started without pipes")
    return pipe
