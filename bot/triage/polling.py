"""Asking a standing source: what an answer means, what of it is stored, and when to ask again.

A source is asked for its parts one after the other. What an answer means is judged before
anything is stored; its papers, what is remembered of the part and its outcome are then written in
one transaction, so a process that dies before that asks again and adds nothing twice.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Final

import structlog

from data.fetch import FetchError
from data.sources import (
    Memory,
    Outcome,
    Reading,
    SourceError,
    Storing,
    Verdict,
    fingerprint,
    is_first,
    judge,
    judge_same,
    make_source,
    read_pages,
    remembered,
)
from data.store import recording
from data.store import sources as source_rows
from data.store.recording import Provenance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlite_utils import Database

    from bot.triage.library import Library
    from bot.triage.tagging import Tagging
    from data.fetch import Fetcher
    from data.sources import Addresses, Answer, Page, Part, Source
    from data.store.sources import PartOutcome, StandingSource

LOG = structlog.get_logger()

FIRST_WAIT: Final = timedelta(minutes=5)
LONGEST_WAIT: Final = timedelta(hours=6)
AFTER_SHRINKING: Final = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class PollReport:
    """What came of asking one source: an outcome for each part that was asked for.

    `next_poll` is when it is asked again.
    """

    source: StandingSource
    outcomes: tuple[PartOutcome, ...]
    next_poll: datetime

    @property
    def new(self) -> int:
        """How many papers came into the library."""
        return sum(outcome.new for outcome in self.outcomes)

    @property
    def failed(self) -> bool:
        """Whether some part could not be read."""
        return any(outcome.outcome is Outcome.FAILED for outcome in self.outcomes)

    @property
    def unread(self) -> bool:
        """Whether no part at all could be read."""
        return bool(self.outcomes) and all(
            outcome.outcome is Outcome.FAILED for outcome in self.outcomes
        )


_ADDRESS: Final = re.compile(r"https?://\S+")


def told_together(
    outcomes: Sequence[PartOutcome],
) -> list[tuple[tuple[str, ...], PartOutcome]]:
    """Outcomes for people: channels that failed for one reason together, with the first of them."""
    groups: dict[object, tuple[list[str], PartOutcome]] = {}
    for place, one in enumerate(outcomes):
        failed = one.outcome is Outcome.FAILED
        reason = _ADDRESS.sub("", one.sentence) if failed else place
        groups.setdefault(reason, ([], one))[0].append(one.channel)
    return [(tuple(dict.fromkeys(channels)), first) for channels, first in groups.values()]


class Poller:
    """Asks sources, one part after the other; whoever calls sees to it that none is asked twice."""

    def __init__(
        self, library: Library, tagging: Tagging, fetcher: Fetcher, addresses: Addresses
    ) -> None:
        self._library = library
        self._tagging = tagging
        self._fetcher = fetcher
        self._addresses = addresses

    async def poll(self, source: StandingSource, *, everything: bool) -> PollReport:
        """Asks a source for its parts: all of them, or those that have rested long enough."""
        made = make_source(source.kind, source.spec, self._addresses)
        now = self._library.clock.now()
        memories = await self._library.store.read(source_rows.memories, source.id)
        read = {key: memory.read for key, memory in memories.items() if memory.read}
        outcomes: list[PartOutcome] = []
        again: timedelta | None = None
        for part in made.parts(now, read):
            memory = memories.get(part.key, Memory())
            rested = memory.read is None or not now - part.every < memory.read <= now
            if not (rested or everything):
                continue
            outcome, wait = await self._ask(source, made, part, memory)
            outcomes.append(outcome)
            if outcome.outcome is Outcome.SHRUNK:
                again = AFTER_SHRINKING
            if wait is not None:
                # It wants to be left alone, with all its parts.
                again = wait
                break
        report = PollReport(source, tuple(outcomes), next_poll=now)
        announced = [one for one in outcomes if one.outcome is Outcome.ANNOUNCED]
        if announced:
            await self._library.store.write(
                recording.note_source,
                Provenance(source.name, source.spec, now),
                read=sum(one.read for one in announced),
                new=report.new,
            )
        await self._settle()
        due = await self.schedule(source, failed=report.failed, again=again, interval=made.interval)
        LOG.info("source.polled", source=source.name, new=report.new, failed=report.failed)
        return replace(report, next_poll=due)

    async def _ask(
        self, source: StandingSource, made: Source, part: Part, memory: Memory
    ) -> tuple[PartOutcome, timedelta | None]:
        """Asks for one part, and stores what came; also how long the server wants to rest."""
        store = self._library.store
        now = self._library.clock.now()
        told = _Told(source, part, now)
        try:
            answer = await made.fetch(self._fetcher, part, memory.validators, now)
        except FetchError as error:
            asked = error.retry_after_seconds
            outcome = told.outcome(Verdict(Outcome.FAILED, str(error)))
            await store.write(source_rows.note_outcome, source.id, outcome)
            return outcome, timedelta(seconds=asked) if asked else None
        except SourceError as error:
            outcome = told.outcome(Verdict(Outcome.FAILED, str(error)))
            await store.write(source_rows.note_outcome, source.id, outcome)
            return outcome, None
        if answer.not_modified:
            told = replace(told, day=memory.day)
            verdict, reading = judge_same(memory, now), Reading()
            batch = memory.batch
        else:
            told = replace(told, day=answer.day)
            await store.write(
                source_rows.keep_answer, source.id, part.key, answer.pages, day=answer.day, now=now
            )
            reading = await asyncio.to_thread(read_pages, answer.pages, made.format, answer.day)
            batch = fingerprint(reading.records)
            verdict, reading = await self._judged(source, part, answer, memory, reading, batch)
        remember = remembered(verdict, answer, memory, batch=batch, now=now)
        return await self._store(told, verdict, memory, remember, reading), None

    async def _judged(
        self,
        source: StandingSource,
        part: Part,
        answer: Answer,
        memory: Memory,
        reading: Reading,
        batch: str,
    ) -> tuple[Verdict, Reading]:
        """The verdict on an answer, and those of its records that are to be stored."""
        # An answer without entries is empty only where its reader finds nothing wrong with it.
        if (answer.count or reading.refused) and not reading.records:
            return Verdict(Outcome.FAILED, reading.complaint(answer.count)), Reading()
        unknown = await self._library.store.read(
            source_rows.unknown_records, reading.records, source.name
        )
        now = self._library.clock.now()
        verdict = judge(part, answer, memory, batch=batch, unknown=len(unknown), now=now)
        if verdict.storing is Storing.NONE:
            return verdict, Reading()
        return verdict, reading.only(unknown) if verdict.storing is Storing.UNKNOWN else reading

    async def _store(
        self,
        told: _Told,
        verdict: Verdict,
        memory: Memory,
        remember: Memory,
        reading: Reading,
    ) -> PartOutcome:
        """Writes an answer's records, and with the last of them what is remembered of the part."""
        store = self._library.store
        source = told.source
        quiet = is_first(told.part.day, memory, source.added_at)
        put = partial(source_rows.store_batch, quiet=quiet, late=verdict.late)
        counts: Counter[str] = Counter()
        batches = reading.batches()
        for page, records in batches[:-1]:
            counts += await store.write(put, records, self._provenance(source, page))

        def finish(db: Database) -> PartOutcome:
            total = counts.copy()
            for page, records in batches[-1:]:
                origin = self._provenance(source, page)
                total += put(db, records, origin)
            if verdict.storing is Storing.NONE and verdict.outcome is not Outcome.FAILED:
                source_rows.drop_answer(db, source.id, told.part.key, fetched=told.at)
            source_rows.remember(db, source.id, told.part.key, remember)
            outcome = told.outcome(verdict, reading, new=total["new"])
            source_rows.note_outcome(db, source.id, outcome)
            return outcome

        return await store.write(finish)

    def _provenance(self, source: StandingSource, page: Page) -> Provenance:
        return Provenance(source.name, page.url, self._library.clock.now())

    async def _settle(self) -> None:
        """Tags and indexes what came in."""
        await self._tagging.tag_untagged()
        await self._library.refresh()

    async def schedule(
        self,
        source: StandingSource,
        *,
        failed: bool,
        interval: timedelta,
        again: timedelta | None = None,
    ) -> datetime:
        """Notes when a source is due again, and returns that; `again` is what was asked for."""
        failures = source.failures + 1 if failed else 0
        wait = interval
        if failed:
            wait = min(FIRST_WAIT * 2 ** min(failures - 1, 10), LONGEST_WAIT)
            wait = max(wait, again or wait)
        elif again is not None:
            wait = again
        due = self._library.clock.now() + wait
        await self._library.store.write(
            source_rows.set_next_poll, source.id, at=due, failures=failures
        )
        return due

    async def reread(self, source: StandingSource) -> int:
        """Reads the kept raw answers of a source again; returns how many papers were new."""
        made = make_source(source.kind, source.spec, self._addresses)
        counts: Counter[str] = Counter()
        store = self._library.store
        memories = await store.read(source_rows.memories, source.id)
        for kept in await store.read(source_rows.kept_answers, source.id):
            reading = await asyncio.to_thread(read_pages, kept.pages, made.format, kept.day)
            memory = memories.get(kept.part, Memory())
            quiet = (
                is_first(kept.day, memory, source.added_at)
                or kept.fetched.date() <= source.added_at.date()
            )
            for page, records in reading.batches():
                counts += await store.write(
                    source_rows.store_batch,
                    records,
                    self._provenance(source, page),
                    quiet=quiet,
                )
        await self._settle()
        return counts["new"]


@dataclass(frozen=True, slots=True)
class _Told:
    """What an outcome is told of: which part of which source, when, and of which day."""

    source: StandingSource
    part: Part
    at: datetime
    day: date | None = None

    def outcome(
        self, verdict: Verdict, reading: Reading | None = None, *, new: int = 0
    ) -> PartOutcome:
        found = reading or Reading()
        sentence = verdict.sentence
        if found.refused:
            first = found.refused[0]
            sentence += (
                f" {len(found.refused)} of its entries could not be read ({first.position}: "
                f"{first.reason})."
            )
        return source_rows.PartOutcome(
            source=self.source.name,
            part=self.part.key,
            channel=self.part.channel,
            outcome=verdict.outcome,
            sentence=sentence,
            first_at=self.at,
            last_at=self.at,
            day=self.day,
            read=len(found.records),
            new=new,
            late=new if verdict.late else 0,
            refused=len(found.refused),
        )
