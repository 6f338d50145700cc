"""Standing sources over a library, a clock set by hand, and a web that a test fills."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from bot.triage.sources import Sources
from data.fetch import Fetcher
from data.store import ledger
from tests.data.sources.web import Web, api, served

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.triage.services import Services
    from data.store.sources import PartOutcome
    from tests.conftest import HandClock

MONDAY, TUESDAY, WEDNESDAY = date(2026, 6, 1), date(2026, 6, 2), date(2026, 6, 3)
FEED, API = "/rss/cs.LG", "/api/query"


@dataclass
class World:
    """Sources over a library, a clock set by hand, and a web that a test fills."""

    sources: Sources
    services: Services
    clock: HandClock
    web: Web
    slept: list[float]

    async def poll(self, name: str = "#1") -> dict[str, PartOutcome]:
        """Asks a source for everything; its outcomes by channel."""
        return {one.channel: one for one in (await self.sources.poll(name)).outcomes}

    async def add(self, text: str = "cs.LG", **choices: str) -> dict[str, PartOutcome]:
        """Adds a source and reads it for the first time."""
        source = await self.sources.add(text, by="ada", **choices)
        return await self.poll(f"#{source.id}")

    async def papers(self) -> int:
        return await self.services.library.store.read(ledger.last_paper)

    async def news(self, after: int = 0, upto: int | None = None) -> list[str]:
        """The titles' numbers of what a new subscription's digest would hold."""
        store = self.services.library.store
        ids = await store.read(ledger.unposted, 0, after=after, upto=upto or await self.papers())
        found = await self.services.library.papers(ids)
        return [paper.title.removeprefix("A study numbered ") for paper in found.values()]

    def at(self, day: date, hour: int, minute: int = 0) -> None:
        self.clock.moment = datetime(day.year, day.month, day.day, hour, minute, tzinfo=UTC)


@asynccontextmanager
async def world_of(services: Services, clock: HandClock) -> AsyncIterator[World]:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async with (
        served() as fake,
        Fetcher(allow_private=True, spacing={}, sleep=sleep, now=clock.now) as fetcher,
    ):
        sources = Sources(services.library, services.tagging, fetcher, fake.addresses)
        fake.pages[API] = api(())
        yield World(sources, services, clock, fake, slept)
