"""Papers that members voted for although no digest of theirs showed them, and what would have.

A filter cannot be wrong by itself; what the team found in other ways and voted for says that it
was. Each such paper comes with the smallest change of a filter that would have let it in, and with
what else that change would have brought in the last thirty days.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import time, timedelta
from typing import TYPE_CHECKING, Final, Protocol
from zoneinfo import ZoneInfo

import structlog

from bot.triage.errors import CannotPost
from bot.triage.filtering import query_scores, stopped_by
from bot.triage.schedule import due_at
from data.store import interests as interest_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from bot.triage.digests import Digests
    from bot.triage.library import Library, PaperView
    from data.store.digests import DigestFilter, Subscription

LOG = structlog.get_logger()

WEEK: Final = timedelta(days=7)
LOOKED_BACK: Final = timedelta(days=30)
FROM: Final = time(9)
# Each word that might be left out costs a search.
MOST_WORDS: Final = 8
READ_AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True)
class Change:
    """A filter of one subscription as it would have to be.

    `words` says in a few words what to change; `others` is how many more papers it would have
    let in during the last thirty days, the voted one left out.
    """

    subscription: Subscription
    filter: DigestFilter
    words: str
    others: int


@dataclass(frozen=True, slots=True)
class HiddenPaper:
    """A paper that members voted for and that no digest's filter lets through.

    It was news to the digest of the change, and no digest showed it.
    """

    view: PaperView
    change: Change


@dataclass(frozen=True, slots=True)
class WeeklyNote:
    """What a server's filters hid in a week, fewest other papers first; `voted` counts all."""

    papers: tuple[HiddenPaper, ...]
    voted: int


class NotePublisher(Protocol):
    """Puts a weekly note into a channel."""

    async def stands(self, channel_id: int, key: str, since: datetime) -> bool:
        """Whether a note with this key, sent since a moment, stands in the channel.

        Raises CannotPost where the channel cannot be read.
        """
        ...

    async def send(self, channel_id: int, note: WeeklyNote, key: str) -> None:
        """Posts the note with a key to find it by. Raises CannotPost where it may not."""
        ...


class Hindsight:
    """Finds what filters hid."""

    def __init__(self, library: Library, digests: Digests) -> None:
        self._library = library
        self._digests = digests

    async def week(self, guild_id: int, until: datetime | None = None) -> WeeklyNote:
        """The papers that members voted for in seven days and that filters had hidden.

        The days end at `until`, else now. Nothing is hidden from a server that has no digest, or
        one without a filter. A filter hides only what is news to its digest: no paper from before
        that began, and none that a source's first reading learnt.
        """
        until = until or self._library.clock.now()
        read = self._library.store.read
        numbers = await read(interest_rows.voted_between, guild_id, until - WEEK, until)
        orders = await self._digests.subscriptions(guild_id)
        voted = await self._library.views(guild_id, numbers)
        if not voted or not orders:
            return WeeklyNote((), len(voted))
        await self._library.refresh()
        sieve = _Sieve(self._library, guild_id)
        hidden = voted
        for order in orders:
            passed = await sieve.passing(order.order.filter, hidden)
            hidden = [view for view in hidden if view.paper.id not in passed]
        stopping = await read(interest_rows.news_to, guild_id, [one.paper.id for one in hidden])
        hidden = [view for view in hidden if stopping.get(view.paper.id)]
        sieve.recent = await self._recent(guild_id) if hidden else []
        found = [
            HiddenPaper(
                view,
                await _smallest(
                    view, [one for one in orders if one.id in stopping[view.paper.id]], sieve
                ),
            )
            for view in hidden
        ]
        found.sort(key=lambda one: (one.change.others, one.view.paper.id))
        return WeeklyNote(tuple(found), len(voted))

    async def _recent(self, guild_id: int) -> list[PaperView]:
        since = self._library.clock.now() - LOOKED_BACK
        numbers = await self._library.store.read(interest_rows.seen_since, since)
        views: list[PaperView] = []
        for start in range(0, len(numbers), READ_AT_ONCE):
            views += await self._library.views(guild_id, numbers[start : start + READ_AT_ONCE])
        return views


class _Sieve:
    """What filters let through for one note; each query is searched and each filter tried once."""

    def __init__(self, library: Library, guild_id: int) -> None:
        self.recent: Sequence[PaperView] = ()
        self._library = library
        self._guild_id = guild_id
        self._fitting: dict[str, frozenset[int] | None] = {}
        self._let_in: dict[DigestFilter, frozenset[int]] = {}

    async def passing(self, wanted: DigestFilter, views: Sequence[PaperView]) -> frozenset[int]:
        """The numbers of those papers that a filter lets through."""
        passed = frozenset(view.paper.id for view in views if stopped_by(view, wanted) is None)
        if wanted.query not in self._fitting:
            scores = await query_scores(self._library, self._guild_id, wanted)
            self._fitting[wanted.query] = None if scores is None else frozenset(scores)
        fitting = self._fitting[wanted.query]
        return passed if fitting is None else passed & fitting

    async def recent_passing(self, wanted: DigestFilter) -> frozenset[int]:
        """The numbers of the recent papers that a filter lets through."""
        if wanted not in self._let_in:
            self._let_in[wanted] = await self.passing(wanted, self.recent)
        return self._let_in[wanted]


async def _smallest(view: PaperView, orders: Sequence[Subscription], sieve: _Sieve) -> Change:
    """The change of a filter that lets a paper in and brings the fewest others."""
    changes: list[Change] = []
    for order in orders:
        before = await sieve.recent_passing(order.order.filter)
        for wanted, words in await _openings(view, order.order.filter, sieve):
            after = await sieve.recent_passing(wanted)
            others = len(after - before - {view.paper.id})
            changes.append(Change(order, wanted, words, others))
    return min(changes, key=lambda change: (change.others, change.subscription.id))


async def _openings(
    view: PaperView, wanted: DigestFilter, sieve: _Sieve
) -> list[tuple[DigestFilter, str]]:
    """Filters near one that let a paper through, and what each changes; never none."""
    words: list[str] = []
    tag = view.tag or "unsure"
    if wanted.tags and tag not in wanted.tags:
        wanted = replace(wanted, tags=(*wanted.tags, tag))
        words.append(f"also the tag {tag}")
    if stopped_by(view, wanted) is not None:
        own = (*view.paper.topics, *view.paper.categories)[:1]
        wanted = replace(wanted, topics=(*wanted.topics, *own) if own else ())
        words.append(f"also the topic {own[0]}" if own else "any topic")
    if view.paper.id in await sieve.passing(wanted, [view]):
        return [(wanted, " and ".join(words))]
    narrower = [
        (replace(wanted, query=query), " and ".join([*words, f"the query without “{left}”"]))
        for query, left in _shorter(wanted.query)
    ]
    fitting = [
        (opened, told)
        for opened, told in narrower
        if view.paper.id in await sieve.passing(opened, [view])
    ]
    without = (replace(wanted, query=""), " and ".join([*words, "no query"]))
    return [*fitting, without]


class WeeklyNotes:
    """Posts each server's note once a week, due on Monday at nine in the zone of its first digest.

    A bot that was down then posts it when it is back in that week, about the same seven days.
    """

    def __init__(
        self, library: Library, digests: Digests, hindsight: Hindsight, publisher: NotePublisher
    ) -> None:
        self._library = library
        self._digests = digests
        self._hindsight = hindsight
        self._publisher = publisher
        self._running = asyncio.Lock()

    async def run_due(self) -> int:
        """Posts the notes that are due; returns how many. Safe to call as often as one likes.

        A note is planned before it is sent and settled after. One that a crash or a lost answer
        left between is looked for in its channel, and sent in that week if it is not there. One
        that is refused is not tried again; /digest hindsight tells the same.
        """
        if self._running.locked():
            return 0
        async with self._running:
            now = self._library.clock.now()
            first: dict[int, tuple[Subscription, datetime]] = {}
            for order in await self._digests.subscriptions(None):
                due = _monday(now, order.order.zone)
                # A digest that was ordered since had hidden nothing by then.
                if not order.paused and order.created_at <= due:
                    first.setdefault(order.guild_id, (order, due))
            posted = 0
            for order, due in first.values():
                if due > now:
                    continue
                try:
                    posted += await self._post(order, due, now)
                except Exception:
                    LOG.exception("hindsight.failed", guild=order.guild_id)
            return posted

    async def _post(self, order: Subscription, due: datetime, now: datetime) -> bool:
        """Posts a server's note of a week where that is still to be done; whether it did."""
        week = f"{due.astimezone(ZoneInfo(order.order.zone)):%G-W%V}"
        guild_id, store, key = order.guild_id, self._library.store, f"note-{week}"
        planned = await store.write(
            interest_rows.plan_note, guild_id, week, order.order.channel_id, now
        )
        if planned is None:
            return False
        posted = False
        try:
            if not planned.begun or not await self._publisher.stands(
                planned.channel_id, key, planned.planned_at
            ):
                note = await self._hindsight.week(guild_id, due)
                if note.papers:
                    await self._publisher.send(planned.channel_id, note, key)
                    posted = True
        except CannotPost as reason:
            LOG.warning("hindsight.cannot_post", guild=guild_id, reason=str(reason))
        await store.write(interest_rows.settle_note, guild_id, week, self._library.clock.now())
        return posted


def _monday(now: datetime, zone: str) -> datetime:
    """The moment of this week's note: the Monday of the local week, at nine."""
    today = now.astimezone(ZoneInfo(zone)).date()
    return due_at(today - timedelta(days=today.weekday()), FROM, zone)


def _shorter(query: str) -> Iterator[tuple[str, str]]:
    """The query without one of its words each time, and that word."""
    words = query.split()
    if 1 < len(words) <= MOST_WORDS:
        for place, word in enumerate(words):
            yield " ".join([*words[:place], *words[place + 1 :]]), word
