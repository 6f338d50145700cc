"""Standing sources: added once, polled for ever, and their outcomes told apart.

A poll asks a source for its parts one after the other. What an answer means is judged before
anything is stored; its papers, what is remembered of the part and its outcome are then written in
one transaction, so a process that dies before that asks again and adds nothing twice.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Final

import structlog

from bot.triage.errors import Refused
from data.fetch import FetchError
from data.sources import (
    Addresses,
    Memory,
    Outcome,
    Reading,
    SourceError,
    SpecError,
    Storing,
    Verdict,
    default_name,
    fingerprint,
    guess_kind,
    is_first,
    judge,
    judge_same,
    make_source,
    named_kind,
    normal_spec,
    read_pages,
    remembered,
)
from data.store import recording
from data.store import sources as source_rows
from data.store.recording import Provenance

if TYPE_CHECKING:
    from sqlite_utils import Database

    from bot.triage.library import Library
    from bot.triage.tagging import Tagging
    from data.fetch import Fetcher
    from data.sources import Answer, Page, Part, Source
    from data.store.sources import PartOutcome, StandingSource

LOG = structlog.get_logger()

LONGEST_NAME: Final = 80
FIRST_WAIT: Final = timedelta(minutes=5)
LONGEST_WAIT: Final = timedelta(hours=6)
LONGEST_PAUSE: Final = timedelta(days=2)
AFTER_SHRINKING: Final = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class SourceState:
    """A source with the last outcome of each of its channels (its categories, for arXiv)."""

    source: StandingSource
    channels: tuple[PartOutcome, ...]


@dataclass(frozen=True, slots=True)
class PollReport:
    """What came of asking one source: an outcome for each part that was asked for."""

    source: StandingSource
    outcomes: tuple[PartOutcome, ...]

    @property
    def new(self) -> int:
        """How many papers came into the library."""
        return sum(outcome.new for outcome in self.outcomes)

    @property
    def failed(self) -> bool:
        """Whether some part could not be read."""
        return any(outcome.outcome is Outcome.FAILED for outcome in self.outcomes)


class Sources:
    """The standing sources of the installation; they are the same for all servers."""

    def __init__(
        self,
        library: Library,
        tagging: Tagging,
        fetcher: Fetcher,
        addresses: Addresses | None = None,
    ) -> None:
        self._library = library
        self._tagging = tagging
        self._fetcher = fetcher
        self._addresses = addresses or Addresses()
        self._due = asyncio.Lock()
        self._one_at_a_time: dict[int, asyncio.Lock] = {}

    async def add(
        self, text: str, *, by: str, kind: str | None = None, name: str | None = None
    ) -> StandingSource:
        """Adds a source: categories, a query, a feed's address, hf-daily, or a venue.

        `kind` says which of them where the text does not. The source is due at once; its first
        reading learns what is there, and no digest takes that as news. Raises Refused where the
        text is no source, or the source or its name is there already.
        """
        try:
            chosen = named_kind(kind) if kind else guess_kind(text)
            spec = normal_spec(chosen, text)
        except SpecError as error:
            raise Refused(str(error)) from None
        label = " ".join((name or default_name(chosen, spec)).split())
        if not label or len(label) > LONGEST_NAME:
            raise Refused(f"A source's name has between 1 and {LONGEST_NAME} characters.")
        for known in await self._standing():
            if (known.kind, known.spec) == (chosen, spec):
                raise Refused(f"That is a source already: “{known.name}”.")
            if known.name.casefold() == label.casefold():
                raise Refused(f"Another source is called “{known.name}”; give another name.")
        return await self._library.store.write(
            source_rows.add_source,
            name=label,
            kind=chosen,
            spec=spec,
            by=by,
            now=self._library.clock.now(),
        )

    async def list(self) -> list[SourceState]:
        """All sources, each with the last outcome of its channels."""
        read = self._library.store.read
        return [
            SourceState(source, tuple(await read(source_rows.latest_outcomes, source.id)))
            for source in await self._standing()
        ]

    async def find(self, name: str) -> StandingSource:
        """The source of a name, a number, or the beginning of a name that fits no other.

        Raises Refused where there is none, or several.
        """
        known = await self._standing()
        wanted = name.strip().casefold()
        fitting = [source for source in known if wanted == source.name.casefold()]
        fitting = fitting or [source for source in known if wanted.lstrip("#") == str(source.id)]
        if not fitting and wanted:
            fitting = [s for s in known if s.name.casefold().startswith(wanted)]
        if len(fitting) == 1:
            return fitting[0]
        if not known:
            raise Refused("There are no sources yet; add one, such as cs.LG, stat.ML.")
        names = ", ".join(f"“{source.name}”" for source in (fitting or known)[:10])
        said = "Several sources begin so" if fitting else f"No source is called “{name.strip()}”"
        raise Refused(f"{said}: use one of {names}.")

    async def pause(self, name: str, *, paused: bool) -> StandingSource:
        """Stops a source for a while, or lets it go on at once."""
        source = await self.find(name)
        await self._library.store.write(
            source_rows.set_paused, source.id, paused=paused, now=self._library.clock.now()
        )
        return replace(source, paused=paused)

    async def remove(self, name: str) -> StandingSource:
        """Ends a source and returns what it was; its papers stay."""
        source = await self.find(name)
        await self._library.store.write(
            source_rows.remove_source, source.id, now=self._library.clock.now()
        )
        return source

    async def outcomes(self, since: datetime) -> list[PartOutcome]:
        """How everything went that was asked for since a moment, oldest first."""
        return await self._library.store.read(source_rows.outcomes, since=since)

    async def poll(self, name: str) -> PollReport:
        """Asks one source for all its parts now, also where it is paused or not due."""
        source = await self.find(name)
        async with self._turn(source):
            return await self._poll(source, everything=True)

    async def poll_all(self) -> list[PollReport]:
        """Asks every source that is not paused, due or not."""
        reports: list[PollReport] = []
        for source in await self._standing():
            if not source.paused:
                async with self._turn(source):
                    reports.append(await self._poll(source, everything=True))
        return reports

    async def poll_due(self) -> list[PollReport]:
        """Asks every source that is due; safe to call at any time and as often as one likes.

        A source that fails is asked again later, after longer and longer waits, and never stops
        the others.
        """
        if self._due.locked():
            return []
        async with self._due:
            due = [source for source in await self._standing() if self._is_due(source)]
            reports = await asyncio.gather(*(self._poll_if_due(source) for source in due))
            if due:
                await self._library.store.write(source_rows.prune, now=self._library.clock.now())
            return [report for report in reports if report is not None]

    async def reread(self, name: str) -> int:
        """Reads the kept raw answers of a source again; returns how many papers were new.

        For the time after a fix, when a changed format made answers unreadable.
        """
        source = await self.find(name)
        made = make_source(source.kind, source.spec, self._addresses)
        counts: Counter[str] = Counter()
        async with self._turn(source):
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

    async def _standing(self) -> list[StandingSource]:
        return await self._library.store.read(source_rows.standing_sources)

    def _turn(self, source: StandingSource) -> asyncio.Lock:
        return self._one_at_a_time.setdefault(source.id, asyncio.Lock())

    def _is_due(self, source: StandingSource) -> bool:
        wait = source.next_poll - self._library.clock.now()
        # None is that long, but for one that was set while the clock was ahead.
        return not source.paused and (wait <= timedelta(0) or wait > LONGEST_PAUSE)

    async def _poll_if_due(self, source: StandingSource) -> PollReport | None:
        async with self._turn(source):
            # It may have been polled, paused or removed while we waited for our turn.
            current = {known.id: known for known in await self._standing()}.get(source.id)
            if current is None or not self._is_due(current):
                return None
            try:
                return await self._poll(current, everything=False)
            except Exception:
                LOG.exception("source.failed", source=source.name)
                await self._schedule(current, failed=True, again=None, interval=LONGEST_WAIT)
                return None

    async def _poll(self, source: StandingSource, *, everything: bool) -> PollReport:
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
        report = PollReport(source, tuple(outcomes))
        announced = [one for one in outcomes if one.outcome is Outcome.ANNOUNCED]
        if announced:
            await self._library.store.write(
                recording.note_source,
                Provenance(source.name, source.spec, now),
                read=sum(one.read for one in announced),
                new=report.new,
            )
        await self._settle()
        await self._schedule(source, failed=report.failed, again=again, interval=made.interval)
        LOG.info("source.polled", source=source.name, new=report.new, failed=report.failed)
        return report

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

    async def _schedule(
        self, source: StandingSource, *, failed: bool, again: timedelta | None, interval: timedelta
    ) -> None:
        failures = source.failures + 1 if failed else 0
        wait = interval
        if failed:
            wait = min(FIRST_WAIT * 2 ** min(failures - 1, 10), LONGEST_WAIT)
            wait = max(wait, again or wait)
        elif again is not None:
            wait = again
        await self._library.store.write(
            source_rows.set_next_poll,
            source.id,
            at=self._library.clock.now() + wait,
            failures=failures,
        )


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
