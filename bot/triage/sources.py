"""Standing sources: added once, asked for ever by `bot.triage.polling`, each when it is due."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

import structlog

from bot.triage.errors import Refused
from bot.triage.polling import LONGEST_WAIT, Poller
from data.sources import (
    Addresses,
    SpecError,
    default_name,
    guess_kind,
    named_kind,
    normal_spec,
)
from data.store import sources as source_rows

if TYPE_CHECKING:
    from datetime import datetime

    from bot.triage.library import Library
    from bot.triage.polling import PollReport
    from bot.triage.tagging import Tagging
    from data.fetch import Fetcher
    from data.store.sources import PartOutcome, StandingSource

LOG = structlog.get_logger()

LONGEST_NAME: Final = 80
LONGEST_PAUSE: Final = timedelta(days=2)


@dataclass(frozen=True, slots=True)
class SourceState:
    """A source with the last outcome of each of its channels (its categories, for arXiv)."""

    source: StandingSource
    channels: tuple[PartOutcome, ...]


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
        self._poller = Poller(library, tagging, fetcher, addresses or Addresses())
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
            return await self._poller.poll(source, everything=True)

    async def poll_all(self) -> list[PollReport]:
        """Asks every source that is not paused, due or not."""
        reports: list[PollReport] = []
        for source in await self._standing():
            if not source.paused:
                async with self._turn(source):
                    reports.append(await self._poller.poll(source, everything=True))
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
        async with self._turn(source):
            return await self._poller.reread(source)

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
                return await self._poller.poll(current, everything=False)
            except Exception:
                LOG.exception("source.failed", source=source.name)
                await self._poller.schedule(current, failed=True, interval=LONGEST_WAIT)
                return None
