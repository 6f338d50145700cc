"""Ordering a digest: a draft that shows what it would have posted, then the order that stands.

A draft is kept in the store, so its buttons work after a restart, and saving it twice is saving
it once.
"""

from __future__ import annotations

import secrets
from collections import Counter
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from statistics import median
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from bot.triage.digests import check_order
from bot.triage.errors import Refused
from bot.triage.schedule import due_at
from data.index import SearchFilters
from data.index.query import all_required, parse
from data.store import digests as digest_rows
from data.store import subscribing as draft_rows
from data.store.digests import Subscription
from data.store.subscribing import Draft

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlite_utils import Database

    from bot.triage.digests import Digests
    from bot.triage.library import Library
    from data.store.digests import SubscriptionOrder
    from data.store.subscribing import Arrival

HISTORY_DAYS: Final = 30
MOST_IN_CHANNEL: Final = 10
MOST_IN_SERVER: Final = 50
LONGEST_QUERY: Final = 300


@dataclass(frozen=True, slots=True)
class HistoryDay:
    """What an order would have done on one local date; `matched` is 0 where it was not due."""

    day: date
    due: bool
    matched: int


@dataclass(frozen=True, slots=True)
class History:
    """What an order would have posted on each of the last days, oldest first.

    `candidates` is how many papers came in that time, whether they fit or not. `since` is how many
    more came after the last slot and are news to the next digest, `coming` how many of those fit.
    `learnt` came since as well, but with a source's first reading, which no digest takes as news.
    """

    days: tuple[HistoryDay, ...]
    maximum: int
    candidates: int
    since: int = 0
    coming: int = 0
    learnt: int = 0

    @property
    def posted(self) -> tuple[int, ...]:
        """How many papers each due digest would have shown."""
        return tuple(min(day.matched, self.maximum) for day in self.days if day.due)

    @property
    def least(self) -> int:
        """The fewest papers of a digest."""
        return min(self.posted, default=0)

    @property
    def median(self) -> float:
        """Half of the digests have no more papers than this."""
        return float(median(self.posted)) if self.posted else 0.0

    @property
    def most(self) -> int:
        """The most papers of a digest."""
        return max(self.posted, default=0)

    @property
    def cut(self) -> int:
        """How many papers fit, but were left out for the maximum."""
        return sum(day.matched for day in self.days) - sum(self.posted)

    @property
    def days_cut(self) -> int:
        """On how many days the maximum left something out."""
        return sum(day.matched > self.maximum for day in self.days)

    @property
    def quiet(self) -> int:
        """How many due digests would have had no paper."""
        return sum(not number for number in self.posted)


@dataclass(frozen=True, slots=True)
class Drafted:
    """A draft as it is shown: what it would have posted, and how its query was read.

    `before` is what the order that it changes would have posted; None for a new one.
    """

    draft: Draft
    history: History
    before: History | None
    was: SubscriptionOrder | None
    read_as: str
    notes: tuple[str, ...]


class Subscribing:
    """Drafts of orders, and the orders that they become."""

    def __init__(self, library: Library, digests: Digests) -> None:
        self._library = library
        self._digests = digests

    async def draft(
        self,
        guild_id: int,
        user_id: int,
        order: SubscriptionOrder,
        *,
        edits: int | None = None,
        as_manager: bool = True,
    ) -> Drafted:
        """Keeps an order to look at; `edits` names the subscription that it would change.

        Raises Refused where it could never stand.
        """
        await self._check(guild_id, order, edits)
        draft = Draft(secrets.token_hex(6), guild_id, user_id, edits, order, as_manager)
        return await self._kept(draft)

    async def change(
        self, guild_id: int, user_id: int, key: str, order: SubscriptionOrder
    ) -> Drafted:
        """Puts another order into a draft. Raises Refused where it could never stand."""
        draft = await self.known(guild_id, user_id, key)
        if draft.saved_as is not None:
            raise Refused("This digest is saved; change it with /digest edit.")
        await self._check(guild_id, order, draft.edits)
        return await self._kept(replace(draft, order=order))

    async def known(self, guild_id: int, user_id: int, key: str) -> Draft:
        """A member's draft. Raises Refused where it is not kept any more."""
        return await self._library.store.read(_known, guild_id, user_id, key)

    async def save(self, guild_id: int, user_id: int, key: str) -> Subscription:
        """Makes the order of a draft stand; a second time changes nothing.

        A new one begins where the slot before now would have ended, as if the subscription had
        been there the day before. Raises Refused where it cannot stand any more, or where the
        order that it changes is not the one that the member saw.
        """
        draft = await self.known(guild_id, user_id, key)
        now, after = self._library.clock.now(), await self._digests.first_after(draft.order)
        store = self._library.store
        number = await store.write(_save_in_store, draft, now, after)
        return await self._digests.subscription(guild_id, number)

    async def cancel(self, guild_id: int, user_id: int, key: str) -> Draft:
        """Forgets a draft, unless it was saved, and returns what it was."""
        draft = await self.known(guild_id, user_id, key)
        await self._library.store.write(draft_rows.drop_draft, guild_id, user_id, key)
        return draft

    async def history(
        self, guild_id: int, order: SubscriptionOrder, edits: int | None = None
    ) -> History:
        """What an order would have posted on each of the last thirty local dates.

        A paper counts on the first due date on or after the day it was announced; where no source
        said that, at the first slot after it was seen. `edits` names the subscription whose order
        it would be.
        """
        now = self._library.clock.now()
        today = now.astimezone(ZoneInfo(order.zone)).date()
        dates = [today - timedelta(days=back) for back in reversed(range(HISTORY_DAYS))]
        slots = [
            (day, moment)
            for day in dates
            if day.weekday() in order.days and (moment := due_at(day, order.at, order.zone)) <= now
        ]
        before = _slot_before(order, dates[0])
        opening = (before, due_at(before, order.at, order.zone))
        arrived = await self._library.store.read(draft_rows.arrivals, opening[1])
        placed = {
            arrival.paper_id: day
            for arrival in arrived
            if (day := _slot_of(arrival, slots, opening)) is not None
        }
        later = [one for one in arrived if one.paper_id not in placed and _is_later(one, slots)]
        await self._library.refresh()
        probe = await self._standing(guild_id, order, edits)
        views = await self._library.views(guild_id, placed)
        matched = await self._digests.matching(probe, views)
        counts = Counter(placed[view.paper.id] for view in matched)
        due = {day for day, _ in slots}
        since = await self._digests.waiting(probe, {one.paper_id for one in later})
        return History(
            days=tuple(HistoryDay(day, day in due, counts[day]) for day in dates),
            maximum=order.maximum,
            candidates=len(placed),
            since=len(since),
            coming=len(await self._digests.matching(probe, since)),
            learnt=sum(one.learnt for one in later),
        )

    async def _standing(
        self, guild_id: int, order: SubscriptionOrder, edits: int | None
    ) -> Subscription:
        """An order as if it stood, to ask what it lets through."""
        if edits is not None:
            return replace(await self._digests.subscription(guild_id, edits), order=order)
        return Subscription(
            id=0,
            guild_id=guild_id,
            order=order,
            created_by=0,
            created_at=self._library.clock.now(),
            after=await self._digests.first_after(order),
            paused=False,
            problem=None,
        )

    async def _kept(self, draft: Draft) -> Drafted:
        store, now = self._library.store, self._library.clock.now()
        was: SubscriptionOrder | None = None
        if draft.edits is not None:
            was = (await self._digests.subscription(draft.guild_id, draft.edits)).order
        draft = replace(draft, was=was)
        await store.write(draft_rows.keep_draft, draft, now)
        read_as, notes = self.reading_of(draft.order)
        return Drafted(
            draft=draft,
            history=await self.history(draft.guild_id, draft.order, draft.edits),
            before=await self.history(draft.guild_id, was, draft.edits) if was else None,
            was=was,
            read_as=read_as,
            notes=notes,
        )

    def reading_of(self, order: SubscriptionOrder) -> tuple[str, tuple[str, ...]]:
        """How the query of an order is understood, and what of it is not."""
        if not order.filter.query.strip():
            return "", ()
        query = all_required(parse(order.filter.query))
        result = self._library.index.answer(query, SearchFilters(), limit=1)
        return result.read_as, tuple(result.notes)

    async def _check(self, guild_id: int, order: SubscriptionOrder, edits: int | None) -> None:
        check_order(order)
        if len(order.filter.query) > LONGEST_QUERY:
            raise Refused(f"A digest's search has at most {LONGEST_QUERY} characters.")
        _check_room(await self._digests.subscriptions(guild_id), order, edits)


def _check_room(known: Sequence[Subscription], order: SubscriptionOrder, edits: int | None) -> None:
    """Raises Refused where an order has no place beside those that stand."""
    others = [one for one in known if one.id != edits]
    if edits is not None and len(others) == len(known):
        raise Refused(f"This server has no digest number {edits}; see /digest list.")
    if edits is None and len(others) >= MOST_IN_SERVER:
        raise Refused(
            f"This server has {MOST_IN_SERVER} digests, and I keep no more; remove one with "
            "/digest remove first."
        )
    here = [one for one in others if one.order.channel_id == order.channel_id]
    if len(here) >= MOST_IN_CHANNEL:
        raise Refused(
            f"That channel has {MOST_IN_CHANNEL} digests, and I post no more into one; remove "
            "one with /digest remove, change one with /digest edit, or choose another channel."
        )
    for one in here:
        if one.order == order:
            raise Refused(f"Digest {one.id} is exactly this already; change it with /digest edit.")


def _known(db: Database, guild_id: int, user_id: int, key: str) -> Draft:
    draft = draft_rows.draft_of(db, guild_id, user_id, key)
    if draft is None:
        raise Refused("I don't remember this draft any more; run /digest subscribe again.")
    return draft


def _save_in_store(db: Database, pressed: Draft, now: datetime, after: int) -> int:
    # Looked at and written in one transaction: of two managers who save at once, one is told.
    draft = _known(db, pressed.guild_id, pressed.user_id, pressed.key)
    if draft.saved_as is None:
        known = digest_rows.subscriptions(db, draft.guild_id)
        _check_room(known, draft.order, draft.edits)
        now_ordered = next((one.order for one in known if one.id == draft.edits), None)
        if draft.was is not None and now_ordered not in {draft.was, draft.order}:
            raise Refused(
                f"Digest {draft.edits} was changed while this draft was open, so saving it would "
                "undo that. Run /digest edit again to see it as it is."
            )
    return draft_rows.save_draft(db, draft, now=now, after=after)


def _slot_before(order: SubscriptionOrder, first: date) -> date:
    """The due date before the first that is shown; what came until then is not counted."""
    back = next(n for n in range(1, 9) if (first - timedelta(days=n)).weekday() in order.days)
    return first - timedelta(days=back)


def _slot_of(
    arrival: Arrival, slots: list[tuple[date, datetime]], opening: tuple[date, datetime]
) -> date | None:
    """The slot that would have posted a paper; None where it is yet to come, or too long ago."""
    if arrival.announced is not None:
        if arrival.announced <= opening[0]:
            return None
        return next((day for day, _ in slots if day >= arrival.announced), None)
    if arrival.seen <= opening[1]:
        return None
    return next((day for day, moment in slots if moment >= arrival.seen), None)


def _is_later(arrival: Arrival, slots: list[tuple[date, datetime]]) -> bool:
    """Whether a paper without a slot came after the last one, not before the first."""
    if not slots:
        return True
    day, moment = slots[-1]
    return arrival.seen > moment if arrival.announced is None else arrival.announced > day
