"""The clockwork: the only importer of APScheduler."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, cast

import structlog
from apscheduler.schedulers.asyncio import (  # pyright: ignore[reportMissingTypeStubs] - untyped
    AsyncIOScheduler,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

LOG = structlog.get_logger()

JOB: Final = "tick"
MISFIRE_GRACE_SECONDS: Final = 3_600
# By the clock that never jumps: how often the alarm is held against the one that may.
WATCH_SECONDS: Final = 60.0
LONGEST_WAIT: Final = timedelta(minutes=5)


class Clockwork:
    """Calls one idempotent job at every full minute, from `start` to `stop`.

    A minute's tick reads from the store what is due. Waking at the next slot instead would need
    a new alarm after every change of a subscription, of the clock or of a zone's rules, by
    whichever process made it, and a laptop that slept would miss it; a tick finds whatever is due
    whenever it comes, and costs one small query.
    """

    def __init__(self, job: Callable[[], Awaitable[object]]) -> None:
        self._job = job
        self._scheduler = AsyncIOScheduler(timezone=UTC)
        self._running: set[asyncio.Task[None]] = set()
        self._watching: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Begins to tick on the running event loop, with one tick at once."""
        self._scheduler.add_job(  # pyright: ignore[reportUnknownMemberType] - untyped library
            self._tick,
            "cron",
            id=JOB,
            minute="*",
            timezone=UTC,
            coalesce=True,
            max_instances=1,
            misfire_grace_time=MISFIRE_GRACE_SECONDS,
        )
        self._scheduler.start()
        self._begin()
        self._watch_again()

    def _watch_again(self) -> None:
        loop = asyncio.get_running_loop()
        self._watching = loop.call_later(WATCH_SECONDS, self._watch)

    def _watch(self) -> None:
        """Sets the alarm anew where the clock was put back and the next tick is far away."""
        # APScheduler, like most of its kind, sleeps until a moment that it worked out by a clock
        # that was ahead: after a correction by a year, for a year.
        job = cast("Any", self._scheduler.get_job(JOB))  # pyright: ignore[reportUnknownMemberType] - untyped library
        if job is not None and job.next_run_time - datetime.now(UTC) > LONGEST_WAIT:
            LOG.warning("clock.set_back")
            job.reschedule("cron", minute="*", timezone=UTC)
            self._begin()
        self._watch_again()

    async def _tick(self) -> None:
        # A coroutine, since APScheduler calls plain functions on a thread without an event loop.
        self._begin()

    def _begin(self) -> None:
        # APScheduler cancels coroutines that run at its shutdown, so the job is a task of ours.
        if self._running:
            return
        task = asyncio.get_running_loop().create_task(self._guarded(), name="clockwork")
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _guarded(self) -> None:
        try:
            await self._job()
        except Exception:
            LOG.exception("job.failed")

    async def stop(self) -> None:
        """Ends the ticking and waits for the tick that is under way. May be called twice."""
        if self._watching is not None:
            self._watching.cancel()
        if self._scheduler.running:
            self._scheduler.shutdown(wait=False)
        if self._running:
            await asyncio.gather(*self._running)
