"""What a digest holds, and how it is shown before and after it is posted.

Posting it is `bot.triage.posting`; this module answers which papers are due for a subscription,
in which order and on which page, and keeps the subscriptions themselves.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import time, timedelta
from typing import TYPE_CHECKING, Final

from bot.triage.claims import claim_of
from bot.triage.digest import Digest, DigestItem, RevisedPaper
from bot.triage.errors import Refused
from bot.triage.filtering import query_scores, stopped_by
from bot.triage.receipts import coverage_of, is_late, last_words
from bot.triage.schedule import EVERY_DAY, clock_note, last_due, next_due
from bot.triage.windows import days_covered, window_now
from data.store import digests as digest_rows
from data.store import ledger, news
from data.store import sources as source_rows
from data.store.digests import DigestFilter, Slot, SlotState, Subscription, SubscriptionOrder

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import date, datetime

    from sqlite_utils import Database

    from bot.triage.interest import Interests, Ordering
    from bot.triage.library import Library, PaperView
    from bot.triage.tagging import Tagging
    from data.store.news import Revision
    from data.store.sources import PartOutcome

MAXIMUM_DEFAULT: Final = 18
MAXIMUM_LIMIT: Final = 60
ONE_DAY: Final = timedelta(days=1)


class Digests:
    """Subscriptions, and what their digests hold."""

    def __init__(self, library: Library, tagging: Tagging, interests: Interests) -> None:
        self._library = library
        self._tagging = tagging
        self._interests = interests

    async def subscribe(
        self, guild_id: int, created_by: int, order: SubscriptionOrder
    ) -> Subscription:
        """Stores a standing order. Raises Refused where it can never post anything.

        Its first digest begins where the slot before now would have ended, as if the
        subscription had been there the day before.
        """
        check_order(order)
        now, after = self._library.clock.now(), await self.first_after(order)
        number = await self._library.store.write(
            digest_rows.add_subscription,
            guild_id,
            order,
            created_by=created_by,
            now=now,
            after=after,
        )
        return await self.subscription(guild_id, number)

    async def first_after(self, order: SubscriptionOrder) -> int:
        """The number of the paper after which the first digest of a new order begins."""
        now = self._library.clock.now()
        before = last_due(order, now)
        begin = before[1] if before else now - timedelta(days=1)
        return await self._library.store.read(ledger.last_paper, seen_before=begin)

    async def subscriptions(self, guild_id: int | None) -> list[Subscription]:
        """The standing orders of a server (of all servers for None).

        The problem of one that posted while the clock was ahead says so.
        """
        now = self._library.clock.now()

        def read(db: Database) -> list[Subscription]:
            return [
                one if one.problem else replace(one, problem=clock_note(ahead))
                for one in digest_rows.subscriptions(db, guild_id)
                for ahead in [digest_rows.days_of_slots(db, one.id, after=now + ONE_DAY)]
            ]

        return await self._library.store.read(read)

    async def subscription(self, guild_id: int, number: int) -> Subscription:
        """One standing order of a server. Raises Refused where it has none of that number."""
        for known in await self.subscriptions(guild_id):
            if known.id == number:
                return known
        raise Refused(f"This server has no digest number {number}; see /digest list.")

    async def pause(self, guild_id: int, number: int, *, paused: bool) -> Subscription:
        """Stops a standing order for a while, or lets it go on."""
        await self.subscription(guild_id, number)
        await self._library.store.write(digest_rows.set_paused, guild_id, number, paused=paused)
        return await self.subscription(guild_id, number)

    async def remove(self, guild_id: int, number: int) -> Subscription:
        """Ends a standing order and returns what it was."""
        known = await self.subscription(guild_id, number)
        await self._library.store.write(
            digest_rows.remove_subscription, guild_id, number, now=self._library.clock.now()
        )
        return known

    def next_due(self, subscription: Subscription) -> datetime | None:
        """When the next digest is due (UTC); None where it is paused."""
        if subscription.paused:
            return None
        following = next_due(subscription.order, self._library.clock.now())
        return following[1] if following else None

    async def due(self, subscription: Subscription) -> tuple[date, datetime] | None:
        """The slot that is due now and was neither planned nor sent, or None.

        A slot of the future, from a time when the clock was ahead, holds nothing up.
        """
        now = self._library.clock.now()
        due = last_due(subscription.order, now)
        if due is None or due[1] < (subscription.timed_at or subscription.created_at):
            return None
        read, number = self._library.store.read, subscription.id
        if await read(digest_rows.slot_of, number, due[0]):
            return None
        # A slot of another local date was posted since, in the zone or at the time of before. A
        # clock that is set back a little must not bring up an older slot either.
        if await read(digest_rows.slot_due_between, number, due[1], now + ONE_DAY):
            return None
        return due

    async def coming(self, subscription: Subscription) -> tuple[date, datetime] | None:
        """The slot that is posted next: the one that is due, or the first that will be."""
        due = await self.due(subscription)
        if due is not None:
            return due
        now = self._library.clock.now()
        taken = await self._library.store.read(
            digest_rows.days_of_slots, subscription.id, after=now - 2 * ONE_DAY
        )
        return next_due(subscription.order, now, taken)

    async def next_digest(self, subscription: Subscription) -> Digest | None:
        """What is posted next, as far as it is known by now; None where nothing ever is."""
        slot = await self._library.store.read(digest_rows.open_slot, subscription.id)
        if slot is not None and not self.is_outdated(subscription, slot):
            return await self.planned(subscription, slot)
        coming = await self.coming(subscription)
        return await self.compose(subscription, *coming) if coming else None

    def is_outdated(self, subscription: Subscription, slot: Slot) -> bool:
        """Whether a slot was planned but a later one is due by now, into which it can fold."""
        due = last_due(subscription.order, self._library.clock.now())
        return due is not None and due[1] > slot.due_at and due[0] > slot.local_date

    async def preview(
        self, guild_id: int, channel_id: int, number: int | None = None
    ) -> list[Digest]:
        """What each digest of a channel posts next, or the one of a number, as far as is known.

        Raises Refused where there is none.
        """
        known = (
            [
                subscription
                for subscription in await self.subscriptions(guild_id)
                if subscription.order.channel_id == channel_id
            ]
            if number is None
            else [await self.subscription(guild_id, number)]
        )
        if not known:
            raise Refused("This channel has no digest yet; order one with /digest subscribe.")
        digests = [await self.next_digest(subscription) for subscription in known]
        return [digest for digest in digests if digest is not None]

    async def upcoming(
        self, channel_id: int | None = None, order: SubscriptionOrder | None = None
    ) -> list[Digest]:
        """What the next digest of every subscription holds by now, or of one channel's.

        With an order, what a subscription of that order would post next; without any
        subscription, what one of the defaults would. Raises Refused where the channel has none.
        """
        known = [
            subscription
            for subscription in await self.subscriptions(None)
            if channel_id is None or subscription.order.channel_id == channel_id
        ]
        if order is not None:
            known = [await self._tried(order)]
        elif not known and channel_id is not None:
            raise Refused(f"The channel {channel_id} has no digest; see /digest list in the chat.")
        elif not known:
            known = [await self._tried(default_order())]
        digests = [await self.next_digest(subscription) for subscription in known]
        return [digest for digest in digests if digest is not None]

    async def _tried(self, order: SubscriptionOrder) -> Subscription:
        """An order as if it had been given now; nothing is stored."""
        now = self._library.clock.now()
        before = last_due(order, now)
        after = await self._library.store.read(
            ledger.last_paper, seen_before=before[1] if before else now
        )
        return Subscription(
            id=0,
            guild_id=0,
            order=order,
            created_by=0,
            created_at=now,
            after=after,
            paused=False,
            problem=None,
        )

    async def compose(self, subscription: Subscription, day: date, due: datetime) -> Digest:
        """The digest of a day as it would be planned now: the papers not yet in its ledger."""
        store = self._library.store
        window = await store.read(window_now, subscription)
        # A reading that is under way, or died, leaves papers without a tag for a while; a filter
        # by tags would miss them, and the next slot begins after them.
        await self._tagging.tag_untagged()
        await self._library.refresh()
        slot = Slot(
            subscription_id=subscription.id,
            local_date=day,
            due_at=due,
            planned_at=self._library.clock.now(),
            state=SlotState.PLANNED,
            after=window.after,
            upto=window.upto,
            total=0,
            parts=1,
            after_sighting=window.after_sighting,
            upto_sighting=window.upto_sighting,
            since=window.last.planned_at if window.last else None,
        )
        candidates = await self._candidates(subscription, slot)
        standing = [view for view in candidates if not view.paper.withdrawn]
        ordering = await self._order(subscription, await self.matching(subscription, standing))
        matched = ordering.views
        shown = matched[: subscription.order.maximum]
        slot = replace(slot, total=len(matched), learnt_from=ordering.learnt_from)
        digest = await self._digest(subscription, slot, shown, candidates, matched, ordering)
        return replace(digest, slot=replace(slot, parts=len(digest.parts())))

    async def planned(self, subscription: Subscription, slot: Slot) -> Digest:
        """The digest of a slot as it was planned, with today's votes and corrections."""
        store = self._library.store
        parts = await store.read(digest_rows.slot_parts, slot)
        left_out = await store.read(ledger.left_out_of, slot)
        shown_ids = [paper_id for _, papers in parts for paper_id in papers]
        shown = await self._library.views(subscription.guild_id, shown_ids)
        held = await self._library.views(subscription.guild_id, [*shown_ids, *left_out])
        candidates = await self._candidates(subscription, slot, held)
        ordering = await self._order(subscription, shown)
        if not slot.learnt_from:  # they stand as they did before anything was learnt
            ordering = replace(ordering, reasons={})
        ordering = replace(ordering, learnt_from=slot.learnt_from)
        # Papers that were merged since count as one.
        slot = replace(slot, total=len(held))
        return await self._digest(subscription, slot, shown, candidates, held, ordering)

    async def _candidates(
        self, subscription: Subscription, slot: Slot, held: Sequence[PaperView] = ()
    ) -> list[PaperView]:
        """The papers that became news in a slot's window, and those that it holds already."""
        found = await self._library.store.read(
            ledger.unposted,
            subscription.id,
            after=slot.after,
            upto=slot.upto,
            first=subscription.after,
            day=slot.local_date,
        )
        known = {view.paper.id for view in held}
        fresh = [number for number in found if number not in known]
        return [*held, *await self._library.views(subscription.guild_id, fresh)]

    async def waiting(self, subscription: Subscription, among: Collection[int]) -> list[PaperView]:
        """Those of the papers that are news to what a subscription posts next, fitting or not."""
        window = await self._library.store.read(window_now, subscription)
        found = await self._library.store.read(
            ledger.unposted,
            subscription.id,
            after=window.after,
            upto=window.upto,
            first=subscription.after,
        )
        wanted = [number for number in found if number in among]
        views = await self._library.views(subscription.guild_id, wanted)
        return [view for view in views if not view.paper.withdrawn]

    async def hidden(self, guild_id: int, number: int, day: date) -> list[PaperView]:
        """The papers that matched a slot but were left out for its length, best first."""
        subscription = await self.subscription(guild_id, number)
        slot = await self._library.store.read(digest_rows.slot_of, number, day)
        if slot is None:
            raise Refused("That digest was never posted; see /digest list.")
        kept = await self._library.store.read(ledger.left_out_of, slot)
        if kept:
            return await self._library.views(guild_id, kept)
        # Slots that were posted before the ledger kept what it left out.
        ids = await self._library.store.read(
            ledger.unposted, number, after=slot.after, upto=slot.upto
        )
        matched = await self.matching(subscription, await self._library.views(guild_id, ids))
        return list((await self._order(subscription, matched)).views)

    async def _order(self, subscription: Subscription, views: Sequence[PaperView]) -> Ordering:
        """Papers that match, in the order of the subscription's server."""
        by_relevance = bool(subscription.order.filter.query.strip())
        return await self._interests.order(subscription.guild_id, views, by_relevance=by_relevance)

    async def matching(
        self, subscription: Subscription, views: Sequence[PaperView]
    ) -> list[PaperView]:
        """Those that the filter lets through; with a query, by how well they fit it."""
        wanted = subscription.order.filter
        passed = [view for view in views if stopped_by(view, wanted) is None]
        scores = await query_scores(self._library, subscription.guild_id, wanted)
        if scores is None:
            return passed
        fitting = [view for view in passed if view.paper.id in scores]
        return sorted(fitting, key=lambda view: (-scores[view.paper.id], view.paper.id))

    async def _digest(
        self,
        subscription: Subscription,
        slot: Slot,
        shown: Sequence[PaperView],
        candidates: Sequence[PaperView],
        matched: Sequence[PaperView],
        ordering: Ordering,
    ) -> Digest:
        read = self._library.store.read
        window = {"after": slot.after_sighting, "upto": slot.upto_sighting}
        ids = [view.paper.id for view in matched]
        told = await read(news.announcements, [view.paper.id for view in candidates], **window)
        days_read = await read(news.days_read, before=slot.since) if slot.since else {}
        late = {number for number in ids if is_late(told.get(number), days_read, slot.since)}
        posted = {view.paper.id for view in shown}
        gone = [view for view in candidates if view.paper.withdrawn and view.paper.id not in posted]
        asked = await self._asked(subscription, slot)
        seen = await read(news.seen_by_source, **window)
        last = await read(digest_rows.last_sent_slot, subscription.id)
        return Digest(
            subscription=subscription,
            slot=slot,
            items=tuple(
                DigestItem(
                    view,
                    claim_of(view.paper.abstract),
                    late=view.paper.id in late,
                    reason=ordering.reasons.get(view.paper.id),
                )
                for view in shown
            ),
            days=days_covered(subscription, slot, last),
            counts=dict(Counter(view.tag or "unsure" for view in matched)),
            coverage=coverage_of(
                await read(digest_rows.sources_read),
                asked,
                told,
                candidates,
                matched,
                posted,
                late,
                seen,
            ),
            asked=asked,
            revised=await self._revised(subscription, slot, posted),
            withdrawn=len(await self.matching(subscription, gone)) if gone else 0,
            left_out=tuple(number for number in ids if number not in posted),
            ordering=ordering,
        )

    async def _asked(self, subscription: Subscription, slot: Slot) -> tuple[PartOutcome, ...]:
        """How asking the sources went between the digest before and the planning of this one."""
        until = slot.planned_at
        since = min(slot.since or subscription.created_at, until)
        found = await self._library.store.read(source_rows.outcomes, since=since)
        return last_words(one for one in found if min(one.first_at, one.last_at) <= until)

    async def _revised(
        self, subscription: Subscription, slot: Slot, posted: Collection[int]
    ) -> tuple[RevisedPaper, ...]:
        """What happened since the last digest to papers that the team voted for."""
        guild = subscription.guild_id
        after = slot.after_sighting

        def read(db: Database) -> list[Revision]:
            voted = news.concerned(db, guild, subscription.id, after=after)
            wanted = [number for number in voted if number not in posted]
            return news.revisions(db, wanted, after=after, upto=slot.upto_sighting)

        found = await self._library.store.read(read)
        views = await self._library.views(guild, [one.paper_id for one in found])
        by_number = {view.paper.id: view for view in views}
        return tuple(
            RevisedPaper(by_number[one.paper_id], one) for one in found if one.paper_id in by_number
        )


def default_order(
    wanted: DigestFilter | None = None, maximum: int = MAXIMUM_DEFAULT
) -> SubscriptionOrder:
    """An order of no channel: every day at nine, UTC."""
    return SubscriptionOrder(
        channel_id=0,
        at=time(9),
        zone="UTC",
        days=EVERY_DAY,
        filter=wanted or DigestFilter(),
        maximum=maximum,
    )


def check_order(order: SubscriptionOrder) -> None:
    """Raises Refused for an order that can never post anything."""
    if not order.days:
        raise Refused("A digest needs at least one day of the week, such as “weekdays”.")
    if not 1 <= order.maximum <= MAXIMUM_LIMIT:
        raise Refused(f"A digest shows between 1 and {MAXIMUM_LIMIT} papers.")
