"""A replay of real daily listings, through everything between arXiv and the channels.

`python -m tests.simulation.replay` runs it over the full listings and prints what it counted; the
test beside it runs it over a part of each. It counts, over several digests of different zones and
filters, the papers that were lost, those that came twice, and what went unexplained:

- lost: a paper that fits and was announced after the digest began, and that the digest neither
  posted nor lists behind its "more" button;
- doubled: a paper that one digest brought twice;
- unexplained: a due day that no post names, a quiet post that blames nothing although something
  was wrong, or a paper that was not posted and for which `why` gives a wrong reason or none.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import sys
import tempfile
import time as clocks
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
import structlog

from bot.bootstrap import build, load_tagger
from bot.triage.fates import Fate
from bot.triage.filtering import FilterPart
from bot.triage.posting import Posting
from bot.triage.receipts import quiet_reason, troubles
from bot.triage.schedule import EVERY_DAY, WEEKDAYS, due_at
from data.index import SearchIndex
from data.store.connection import Store
from data.store.digests import DigestFilter, SubscriptionOrder
from data.store.servers import Member
from data.text import to_plain
from tests.bot.triage.channel import FakeChannel
from tests.bot.triage.walking import Walker, without_syncing
from tests.conftest import SHARED, HandClock
from tests.simulation.arxiv import CATEGORIES, Entry, FakeArxiv, read_listings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.triage.services import Services
    from classifiers import Tagger
    from data.store.digests import Subscription

CORPUS = SHARED / "corpus" / "arxiv-daily.jsonl.gz"
TEAM, OTHERS = 100, 200
ADA = Member(1, "ada")
HOURS = (1, 5, 7, 9, 13, 17, 21)
FAULTS = ("early", "stale", "redated", "late", "broken", "outage")
WORD = "reasoning"
CHECKED_FATES = 400


def order(channel: int, at: time, zone: str, days: frozenset[int], **wanted: object) -> object:
    made = DigestFilter(**wanted)  # type: ignore[arg-type]
    return SubscriptionOrder(channel, at, zone, days, made, 60)


ORDERS = (
    (TEAM, 0, order(1, time(9), "Europe/Berlin", WEEKDAYS)),
    (TEAM, 0, order(2, time(8, 30), "America/New_York", WEEKDAYS, topics=("cs.CL",))),
    (TEAM, 0, order(3, time(7, 45), "Asia/Kolkata", EVERY_DAY, tags=("theory",))),
    (OTHERS, 0, order(4, time(0), "Asia/Tokyo", EVERY_DAY, query=f'"{WORD}"')),
    (OTHERS, 0, order(5, time(18), "America/Los_Angeles", frozenset({0, 2, 4}),
                      topics=("cs.CV",), tags=("methods", "unsure"))),
    (OTHERS, 40, order(6, time(2, 30), "Pacific/Chatham", EVERY_DAY, topics=("cs.GT",))),
)  # fmt: skip


@dataclass
class Tally:
    """What a replay counted."""

    papers: int = 0
    messages: int = 0
    posted: int = 0
    behind_more: int = 0
    quiet: int = 0
    late: int = 0
    folded: int = 0
    revised: int = 0
    kills: int = 0
    restarts: int = 0
    failed_requests: int = 0
    fates: int = 0
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    unexplained: list[str] = field(default_factory=list)


class Replay:
    """One run over listings, from the day before the first until three days after the last."""

    def __init__(self, listings: dict[date, list[Entry]], home: Path, seed: int) -> None:
        self.days = sorted(listings)
        self.entries = [entry for day in self.days for entry in listings[day]]
        self.clock = HandClock(_utc(self.days[0] - timedelta(days=1), 6))
        self.arxiv = FakeArxiv(listings, self.clock)
        self.channel = FakeChannel()
        self.tally = Tally(papers=len(self.entries))
        self._random = random.Random(seed)  # noqa: S311 - a replay that can be repeated
        self._home = home
        self._services: Services | None = None
        self._begun: dict[int, Subscription] = {}
        self._abandoned: list[Walker] = []
        for place in range(4, len(self.days), 4):
            self.arxiv.faults[self.days[place]] = FAULTS[(place // 4) % len(FAULTS)]
        away = self.days[len(self.days) // 2]
        self.away = (_utc(away, 0), _utc(away + timedelta(days=10), 0))

    @property
    def services(self) -> Services:
        assert self._services is not None
        return self._services

    async def start(self) -> None:
        """Opens the files, as a process that begins."""
        store = Store(self._home / "library.db")
        await store.open()
        await store.read(without_syncing)
        index = SearchIndex(self._home / "index")
        self._services = build(store, index, self.arxiv, self.clock)  # type: ignore[arg-type]

    async def stop(self) -> None:
        """Closes the files."""
        await asyncio.to_thread(self.services.library.index.close)
        await self.services.library.store.close()

    async def run(self) -> Tally:
        """Lives through all days, and counts."""
        await self.start()
        await self.services.sources.add(", ".join(CATEGORIES), by="ada")
        last = self.days[-1] + timedelta(days=3)
        day, passed = self.clock.now().date(), 0
        while day <= last:
            for guild, after, wanted in ORDERS:
                if after == passed:
                    made = await self.services.digests.subscribe(guild, ADA.id, wanted)  # type: ignore[arg-type]
                    self._begun[made.id] = made
            for hour in HOURS:
                self.clock.moment = max(self.clock.moment, _utc(day, hour))
                if not self.away[0] <= self.clock.moment < self.away[1]:
                    # At the end all is calm, so that whatever was begun can be completed.
                    await self._tick(calm=day > self.days[-1])
            await self._vote()
            day, passed = day + timedelta(days=1), passed + 1
        await self._count()
        await self.stop()
        return self.tally

    async def _tick(self, *, calm: bool) -> None:
        dice = 1.0 if calm else self._random.random()
        if dice < 0.03:
            await self._killed(self.services.sources.poll_due(), 150)
        else:
            await self.services.sources.poll_due()
        if 0.03 <= dice < 0.15:
            status = self._random.choice([403, 404, 429, 500, "lost", "lost"])
            at = self.channel.requests + self._random.randint(1, 5)
            self.channel.failing = {at: status}
        posting = self._posting()
        if 0.1 <= dice < 0.18:
            await self._killed(posting.run_due(), 120)
        else:
            before = len(self.channel.failing)
            await posting.run_due()
            self.tally.failed_requests += before - len(self.channel.failing)
            await posting.run_due()
        if 0.2 <= dice < 0.22:
            self.tally.restarts += 1
            await self.stop()
            await self.start()
        self.channel.chatter += self._random.randint(0, 500)

    def _posting(self) -> Posting:
        services = self.services
        return Posting(services.library.store, services.digests, self.channel, services.clock)

    async def _killed(self, work: object, within: int) -> None:
        """Ends the process somewhere in its work, and starts another."""
        walker = Walker(work, self._random.randint(1, within), "kill")  # type: ignore[arg-type]
        await walker
        if not walker.over:
            self.tally.kills += 1
            self._abandoned.append(walker)
            await self.stop()
            await self.start()

    async def _vote(self) -> None:
        """The team votes for a paper that was just posted to it."""
        ours = [part for part in self.channel.messages[-12:] if part.digest.subscription.id <= 3]
        shown = [item.view.paper.id for part in ours for item in part.items]
        if shown:
            number = self._random.choice(shown)
            if not (await self.services.library.view(TEAM, number)).voters:
                await self.services.voting.toggle(TEAM, ADA, number)

    async def _count(self) -> None:
        numbers = {
            entry.id: await self.services.library._by_identifier(_arxiv(entry.id))
            for entry in self.entries
        }
        tags = self._tags()
        for subscription in self._begun.values():
            self._count_posts(subscription)
            self._count_days(subscription)
            await self._count_papers(subscription, numbers, tags)

    def _tags(self) -> dict[str, str]:
        """What the tagger says of each paper's plain text, which is what the library holds."""
        texts = [(to_plain(entry.title), to_plain(entry.abstract)) for entry in self.entries]
        said = self.services.tagging.tagger.judge(texts, exact=False)
        return {entry.id: one.tag for entry, one in zip(self.entries, said, strict=True)}

    def _count_posts(self, subscription: Subscription) -> None:
        tally, seen = self.tally, Counter[int]()
        for part in self.channel.messages:
            digest = part.digest
            if digest.subscription.id != subscription.id:
                continue
            tally.messages += 1
            seen.update(item.view.paper.id for item in part.items)
            tally.late += sum(item.late for item in part.items)
            if part.part:
                continue
            seen.update(digest.left_out)
            tally.behind_more += len(digest.left_out)
            tally.folded += len(digest.days) > 1
            tally.revised += len(digest.revised)
            tally.posted += len(digest.items)
            if not digest.slot.total:
                tally.quiet += 1
                self._count_quiet(part.digest)
        tally.doubled += [f"#{n} in digest {subscription.id}" for n, k in seen.items() if k > 1]

    def _count_quiet(self, digest: object) -> None:
        """A quiet post has a reason, and blames what was wrong when it was put together."""
        reason = quiet_reason(digest)  # type: ignore[arg-type]
        now = self.clock.moment
        self.clock.moment = digest.slot.planned_at  # type: ignore[attr-defined]
        down = self.arxiv.in_outage()
        self.clock.moment = now
        if not reason or (down and not troubles(digest)):  # type: ignore[arg-type]
            self.tally.unexplained.append(f"quiet {digest.slot.local_date}: {reason}")  # type: ignore[attr-defined]

    def _count_days(self, subscription: Subscription) -> None:
        """Every due day is named by a post."""
        named = {
            day
            for part in self.channel.messages
            if part.digest.subscription.id == subscription.id
            for day in part.digest.days
        }
        zone, wanted = ZoneInfo(subscription.order.zone), subscription.order
        day = subscription.created_at.astimezone(zone).date()
        while due_at(day, wanted.at, wanted.zone) <= self.clock.now():
            due = due_at(day, wanted.at, wanted.zone)
            if day.weekday() in wanted.days and due >= subscription.created_at and day not in named:
                self.tally.unexplained.append(f"{day} of digest {subscription.id} is not named")
            day += timedelta(days=1)

    async def _count_papers(
        self, subscription: Subscription, numbers: dict[str, int | None], tags: dict[str, str]
    ) -> None:
        brought: set[int] = set()
        for part in self.channel.messages:
            if part.digest.subscription.id == subscription.id:
                brought |= {item.view.paper.id for item in part.items} | set(part.digest.left_out)
        unposted: list[tuple[Entry, int, FilterPart | None]] = []
        for entry in self.entries:
            if self.arxiv.told_by(entry) <= subscription.created_at:
                continue
            number, stopped = numbers[entry.id], _stopped(subscription, entry, tags[entry.id])
            if number is None or (stopped is None and number not in brought):
                self.tally.lost.append(f"{entry.id} of {entry.day} in digest {subscription.id}")
            elif number not in brought:
                unposted.append((entry, number, stopped))
        sample = self._random.sample(unposted, min(len(unposted), CHECKED_FATES // len(ORDERS)))
        for entry, number, stopped in sample:
            told = [
                fate
                for fate in (await self.services.cards.story(subscription.guild_id, number)).fates
                if fate.subscription.id == subscription.id
            ]
            self.tally.fates += 1
            [fate] = told
            if fate.fate is not Fate.STOPPED or fate.part is not stopped or not fate.reason():
                said = f"{fate.fate}, {fate.part}: {fate.reason()}"
                self.tally.unexplained.append(f"why {entry.id}, {stopped}: {said}")


def _stopped(subscription: Subscription, entry: Entry, tag: str) -> FilterPart | None:
    """What of a filter stops a paper, told from the listing alone."""
    wanted = subscription.order.filter
    if wanted.tags and tag not in wanted.tags:
        return FilterPart.TAGS
    if wanted.topics and not set(wanted.topics) & set(entry.categories):
        return FilterPart.TOPICS
    text = f"{entry.title} {entry.abstract}"
    if wanted.query and not re.search(rf"(?<![^\W_]){WORD}(?![^\W_])", text, re.IGNORECASE):
        return FilterPart.QUERY
    return None


def _utc(day: date, hour: int) -> datetime:
    return datetime.combine(day, time(hour), tzinfo=UTC)


def _arxiv(number: str) -> object:
    from data.records import Identifiers

    return Identifiers(arxiv=number)


async def replay(
    listings: dict[date, list[Entry]], home: Path, tagger: Callable[[], Tagger], seed: int = 6
) -> Tally:
    """Runs the listings through everything, with a tagger; what was counted."""
    with pytest.MonkeyPatch.context() as patched, structlog.testing.capture_logs():
        patched.setattr("bot.bootstrap.load_tagger", tagger)
        return await Replay(listings, home, seed).run()


def main(words: Sequence[str] = ()) -> int:
    """The replay over the full listings, or `--most` papers of each; its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, help="at most so many papers of each listing")
    parser.add_argument("--seed", type=int, default=6)
    chosen = parser.parse_args(words or None)
    begin = clocks.monotonic()
    with tempfile.TemporaryDirectory() as home:
        listings = read_listings(CORPUS, chosen.most)
        tally = asyncio.run(replay(listings, Path(home), load_tagger, chosen.seed))
    for name in Tally.__dataclass_fields__:
        value = getattr(tally, name)
        sys.stdout.write(f"{name}: {len(value) if isinstance(value, list) else value}\n")
        for line in value[:20] if isinstance(value, list) else ():
            sys.stdout.write(f"  {line}\n")
    sys.stdout.write(f"seconds: {clocks.monotonic() - begin:.0f}\n")
    return bool(tally.lost or tally.doubled or tally.unexplained)


if __name__ == "__main__":
    sys.exit(main())
