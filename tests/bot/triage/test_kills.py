"""Killing the process anywhere between planning a digest and marking it loses and doubles nothing.

The walk stands at every await of a posting in turn, whatever is awaited there: the store, the
channel, a lock or a thread. At each it ends the process, once so that nothing of it runs again,
and once by a cancellation that it may clean up after; then another starts on the same files.
"""

from __future__ import annotations

import json
import shutil
from contextlib import asynccontextmanager
from datetime import time
from typing import TYPE_CHECKING

import pytest
import structlog

from bot.bootstrap import build
from bot.triage.digest import PAPERS_PER_MESSAGE
from bot.triage.ingest import ListingInput
from bot.triage.posting import Posting
from bot.triage.schedule import EVERY_DAY
from data.fetch import Fetcher
from data.index import SearchIndex
from data.store.connection import Store
from data.store.digests import DigestFilter, SubscriptionOrder
from tests.bot.triage.channel import FakeChannel
from tests.bot.triage.conftest import ADA, SERVER
from tests.bot.triage.walking import Walker, without_syncing
from tests.simulation.world import WordTagger

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from bot.triage.services import Services
    from tests.conftest import HandClock

MESSAGES = 3
PAPERS = (MESSAGES - 1) * PAPERS_PER_MESSAGE + 2
CHANNEL, SECOND = 500, 501
STATUSES: tuple[int | str, ...] = (403, 404, 429, 500, "lost")


@asynccontextmanager
async def process(path: Path, clock: HandClock) -> AsyncIterator[Services]:
    """The use-cases over a library file, as a process of their own."""
    store, fetcher = Store(path), Fetcher()
    await store.open()
    await store.read(without_syncing)
    try:
        yield build(store, SearchIndex(None), fetcher, clock)
    finally:
        await fetcher.close()
        await store.close()


def copied(library: Path, path: Path) -> None:
    """Puts a fresh copy of a library in place of what the last process left."""
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
    shutil.copy(library, path)


def posting(services: Services, channel: FakeChannel) -> Posting:
    return Posting(services.library.store, services.digests, channel, services.clock)


def order(channel_id: int, wanted: DigestFilter) -> SubscriptionOrder:
    return SubscriptionOrder(channel_id, time(9), "UTC", EVERY_DAY, wanted, 60)


@pytest.fixture(autouse=True)
def _quietly() -> Iterator[None]:
    """Tracebacks of hundreds of failures are not printed, which takes longer than they do."""
    with structlog.testing.capture_logs():
        yield


@pytest.fixture
async def library(tmp_path: Path, clock: HandClock, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library with two digests that are due now: one of three messages, one with a filter."""
    monkeypatch.setattr("bot.bootstrap.load_tagger", WordTagger)
    path = tmp_path / "filled.db"
    async with process(path, clock) as services:
        await services.digests.subscribe(SERVER, ADA.id, order(CHANNEL, DigestFilter()))
        await services.digests.subscribe(
            SERVER, ADA.id, order(SECOND, DigestFilter(tags=("methods",), query="animal"))
        )
        lines = [
            {"title": f"On animal {n}", "abstract": f"We propose a way to count animal {n}, twice."}
            for n in range(PAPERS)
        ]
        text = "\n".join(map(json.dumps, lines)).encode()
        await services.ingest.run([ListingInput("papers.jsonl", text)])
    clock.advance(hours=1)
    return path


async def check(path: Path, clock: HandClock, channel: FakeChannel, what: str) -> None:
    """Starts another process, and holds both digests against what was due."""
    async with process(path, clock) as services:
        for _ in range(3):
            clock.advance(minutes=1)
            await posting(services, channel).run_due()
        for number in (1, 2):
            keys = [part.key for part in channel.messages if part.key.startswith(f"{number}-")]
            assert keys == [f"{number}-20260601-{part}" for part in range(MESSAGES)], what
        assert sorted(channel.papers) == sorted([*range(1, PAPERS + 1)] * 2), what
        for subscription in await services.digests.subscriptions(None):
            assert subscription.problem is None, what


async def test_a_process_that_ends_at_any_await_loses_and_doubles_nothing(
    library: Path, tmp_path: Path, clock: HandClock
) -> None:
    begin, walked, abandoned = clock.moment, {"kill": 0, "cancel": 0}, []
    for how in walked:
        at = 0
        while True:
            at += 1
            clock.moment, channel = begin, FakeChannel()
            path = tmp_path / f"{how}.db"
            copied(library, path)
            async with process(path, clock) as services:
                walker = Walker(posting(services, channel).run_due(), at, how)
                await walker
                abandoned.append(walker)
            await check(path, clock, channel, f"{how} at await {at}")
            if walker.steps < at:
                break
            walked[how] += 1
    # Two digests of three messages: not one of the awaits may have gone missing from the walk.
    assert min(walked.values()) > 2 * (MESSAGES * 3 + 8), walked


@pytest.mark.parametrize("status", STATUSES)
async def test_any_request_may_fail_and_nothing_is_lost_or_doubled(
    library: Path, tmp_path: Path, clock: HandClock, status: int | str
) -> None:
    begin, at = clock.moment, 0
    path = tmp_path / "failing.db"
    while True:
        at += 1
        clock.moment, channel = begin, FakeChannel(failing={at: status})
        copied(library, path)
        async with process(path, clock) as services:
            await posting(services, channel).run_due()
            if channel.failing:
                break
        await check(path, clock, channel, f"{status} at request {at}")
    assert at > 2 * (MESSAGES + 2)
