"""Whatever happens in whatever order, no digest loses a paper or brings one twice.

Each run lives through a random week of papers, merges, splits, withdrawals, corrections, edits,
pauses, refusals, lost answers, kills, days off and clocks that are put back; then the world is left
alone for nine days, and what was posted is held against the library.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from datetime import time
from typing import TYPE_CHECKING

import pytest
import structlog

from bot.triage.errors import Refused
from bot.triage.ingest import ListingInput
from bot.triage.posting import Posting
from bot.triage.schedule import EVERY_DAY
from data.store.digests import DigestFilter, SubscriptionOrder
from data.store.sql import rows
from tests.bot.triage.channel import FakeChannel, ProcessKilledError
from tests.bot.triage.conftest import ADA, SERVER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bot.triage.services import Services
    from tests.conftest import HandClock

STEPS = 110
TOPICS = ("cs.LG", "cs.CL", "math.ST")
FILTERS = (
    DigestFilter(),
    DigestFilter(query="weave"),
    DigestFilter(tags=("methods",)),
    DigestFilter(topics=("cs.LG",)),
)
# Of everything: in the channel, three a day, in a thread. The filter of the last one changes.
ORDERS = {
    number: SubscriptionOrder(
        500 + number, time(6 + 3 * number), zone, EVERY_DAY, DigestFilter(), most, True, thread
    )
    for number, zone, most, thread in (
        (1, "UTC", 60, False),
        (2, "Europe/Berlin", 3, False),
        (3, "Australia/Lord_Howe", 60, True),
        (4, "UTC", 60, False),
    )
}


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Tracebacks of faults that are meant to happen take longer to draw than the tests to run."""
    with structlog.testing.capture_logs():
        yield


class Fate:
    """What happens to one library with four digests, by lot."""

    def __init__(self, services: Services, clock: HandClock, seed: int) -> None:
        self.services, self.clock = services, clock
        self.lot = random.Random(seed)  # noqa: S311 - a fate that can be repeated
        self.channel = FakeChannel()
        self.papers = 0
        self.gone: list[int] = []

    def some(self, back: int = 10) -> int:
        """One of the latest papers."""
        return self.lot.randint(max(1, self.papers - back), max(1, self.papers))

    async def told(self) -> None:
        lines: list[str] = []
        for _ in range(self.lot.randint(1, 8)):
            self.papers += 1
            words = " ".join(f"w{self.papers}x{place}" for place in range(20))
            verb = self.lot.choice(("propose", "prove", "argue"))
            lines.append(self._line(self.papers, f"We {verb} a way to weave {words}."))
        await self._read("\n".join(lines))

    async def withdrawn(self) -> None:
        await self._read(self._line(self.some(), "This paper has been withdrawn by the authors."))

    def _line(self, number: int, abstract: str) -> str:
        return json.dumps(
            {
                "title": f"Paper {number} of things",
                "abstract": abstract,
                "topics": [self.lot.choice(TOPICS)],
                "arxiv_id": f"2606.{number:05}",
            }
        )

    async def _read(self, listing: str) -> None:
        await self.services.ingest.run([ListingInput("some.jsonl", listing.encode())])

    async def look(self) -> None:
        store = self.services.library.store
        with suppress(ProcessKilledError):
            await Posting(store, self.services.digests, self.channel, self.clock).run_due()

    async def later(self) -> None:
        self.clock.advance(minutes=self.lot.choice((1, 1, 30, 61, 200)))
        await self.look()

    async def away(self) -> None:
        self.clock.advance(days=self.lot.randint(1, 9))
        await self.look()

    async def back(self) -> None:
        self.clock.advance(minutes=-self.lot.choice((1, 60, 1500)))

    async def merged(self) -> None:
        kept, gone = self.some(), self.some()
        await self.services.merging.merge(str(kept), str(gone), by="ada")
        self.gone.append(max(kept, gone))

    async def split(self) -> None:
        if self.gone:
            await self.services.merging.split(str(self.gone.pop()), by="ada")

    async def corrected(self) -> None:
        tag = self.lot.choice(("theory", "methods", "position"))
        await self.services.tagging.correct(SERVER, ADA, self.some(), tag)

    async def edited(self) -> None:
        number = self.lot.choice((2, 3, 4))
        changes: dict[int, dict[str, object]] = {
            2: {"maximum": self.lot.randint(1, 6)},
            3: {"channel_id": self.lot.choice((503, 603)), "in_thread": self.lot.random() < 0.6},
            4: {"filter": self.lot.choice(FILTERS), "at": self.lot.choice((time(9), time(18)))},
        }
        order = replace(ORDERS[number], **changes[number])  # type: ignore[arg-type]
        draft = await self.services.subscribing.draft(SERVER, ADA.id, order, edits=number)
        await self.services.subscribing.save(SERVER, ADA.id, draft.draft.key)

    async def paused(self) -> None:
        number, paused = self.lot.choice((1, 2, 3)), self.lot.random() < 0.5
        await self.services.digests.pause(SERVER, number, paused=paused)

    async def faulty(self) -> None:
        request = self.channel.requests + self.lot.randint(1, 6)
        self.channel.failing = {request: self.lot.choice((403, 404, 500, "lost"))}
        send = self.channel.sends + self.lot.randint(1, 6)
        self.channel.faults = {send: self.lot.choice(("before", "after", "lost", "forbidden"))}
        self.channel.no_threads = "Grant me threads." if self.lot.random() < 0.2 else ""

    async def happen(self) -> None:
        """One thing or another."""
        things: dict[Callable[[], object], int] = {
            self.told: 6, self.later: 12, self.merged: 3, self.split: 3, self.withdrawn: 2,
            self.corrected: 2, self.edited: 5, self.paused: 1, self.faulty: 5, self.back: 1,
            self.away: 1,
        }  # fmt: skip
        [thing] = self.lot.choices(list(things), list(things.values()))
        with suppress(Refused):
            await thing()  # type: ignore[misc]


@pytest.mark.parametrize("seed", [54, 7, 13, 19])
async def test_nothing_is_lost_or_comes_twice_whatever_happens(
    services: Services, clock: HandClock, seed: int
) -> None:
    for order in ORDERS.values():
        await services.digests.subscribe(SERVER, ADA.id, order)
    fate = Fate(services, clock, seed)
    for _ in range(STEPS):
        await fate.happen()
    fate.channel.failing, fate.channel.faults = {}, {}
    for number in ORDERS:
        await services.digests.pause(SERVER, number, paused=False)
    for _ in range(9):
        clock.advance(days=1)
        await fate.look()
        await fate.look()

    read, shown = services.library.store.read, Counter[tuple[int, int]]()
    for part in fate.channel.messages:
        for item in part.items:
            shown[part.digest.subscription.id, item.view.paper.id] += 1
    assert [key for key, times in shown.items() if times > 1] == []
    found = await read(rows, "SELECT id, root_id FROM papers")
    roots = {int(row["id"]): int(row["root_id"]) for row in found}
    held = {(number, roots[paper]) for number, paper in shown}
    for row in await read(rows, "SELECT subscription_id, paper_id FROM left_out"):
        held.add((int(row["subscription_id"]), roots[int(row["paper_id"])]))
    standing = await services.library.views(SERVER, sorted(set(roots.values())))
    due = [view.paper.id for view in standing if not view.paper.withdrawn]
    assert len(due) > 10
    missing = [(number, paper) for number in (1, 2, 3) for paper in due]
    assert [key for key in missing if key not in held] == []
