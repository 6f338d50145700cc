"""What a digest holds, and how it is shown before and after it is posted.

Posting it is `bot.triage.posting`; this module answers which papers are due for a subscription,
in which order and on which page, and keeps the subscriptions themselves.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import date, time, timedelta
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from bot.triage.claims import claim_of
from bot.triage.errors import Refused
from bot.triage.schedule import EVERY_DAY, last_due, next_due
from data.index import SearchFilters
from data.index.query import all_required, parse
from data.records import TAG_NAMES
from data.sources import Outcome
from data.store import corrections as correction_rows
from data.store import digests as digest_rows
from data.store import sources as source_rows
from data.store.digests import DigestFilter, Slot, SlotState, Subscription, SubscriptionOrder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from bot.triage.library import Library, PaperView
    from bot.triage.tagging import Tagging
    from data.store.digests import SourceReading
    from data.store.sources import PartOutcome

# Six papers with their buttons stay within Discord's 40 components and 4,000 characters.
PAPERS_PER_MESSAGE: Final = 6
MAXIMUM_DEFAULT: Final = 18
MAXIMUM_LIMIT: Final = 60


@dataclass(frozen=True, slots=True)
class DigestItem:
    """One paper of a digest, with the sentence of its abstract that says what it does."""

    view: PaperView
    claim: str


@dataclass(frozen=True, slots=True)
class SourceCoverage:
    """One source in the receipt: when read and announced, and what it brought to this digest."""

    reading: SourceReading
    new: int
    matched: int


@dataclass(frozen=True, slots=True)
class Digest:
    """A whole digest: the papers to show, grouped by tag, and what it covers.

    `counts` tells how many papers of each tag matched, `items` are those that are shown. `days`
    are the local dates that it stands for, more than one after days off. `asked` is how asking
    the standing sources went since the last digest, the latest word of each channel.
    """

    subscription: Subscription
    slot: Slot
    items: tuple[DigestItem, ...]
    days: tuple[date, ...]
    counts: dict[str, int]
    coverage: tuple[SourceCoverage, ...]
    asked: tuple[PartOutcome, ...] = ()

    @property
    def hidden(self) -> int:
        """How many papers matched but are not shown."""
        return max(0, self.slot.total - len(self.items))

    def parts(self) -> tuple[DigestPart, ...]:
        """The digest as messages, in order; never none."""
        pieces = [
            self.items[start : start + PAPERS_PER_MESSAGE]
            for start in range(0, len(self.items), PAPERS_PER_MESSAGE)
        ]
        return self.parts_of(pieces or [()])

    def parts_of(self, pieces: Sequence[tuple[DigestItem, ...]]) -> tuple[DigestPart, ...]:
        """The digest as messages of which each holds one piece."""
        return tuple(
            DigestPart(digest=self, part=part, parts=len(pieces), items=piece)
            for part, piece in enumerate(pieces)
        )


@dataclass(frozen=True, slots=True)
class DigestPart:
    """One message of a digest; `part` counts from 0."""

    digest: Digest
    part: int
    parts: int
    items: tuple[DigestItem, ...]

    @property
    def key(self) -> str:
        """The message's name, the same each time it is built: subscription, date, part.

        At most 25 characters, so that it can be Discord's nonce.
        """
        slot = self.digest.slot
        return f"{slot.subscription_id}-{slot.local_date:%Y%m%d}-{self.part}"


class Digests:
    """Subscriptions, and what their digests hold."""

    def __init__(self, library: Library, tagging: Tagging) -> None:
        self._library = library
        self._tagging = tagging

    async def subscribe(
        self, guild_id: int, created_by: int, order: SubscriptionOrder
    ) -> Subscription:
        """Stores a standing order. Raises Refused where it can never post anything.

        Its first digest begins where the slot before now would have ended, as if the
        subscription had been there the day before.
        """
        if not order.days:
            raise Refused("A digest needs at least one day of the week, such as “weekdays”.")
        if not 1 <= order.maximum <= MAXIMUM_LIMIT:
            raise Refused(f"A digest shows between 1 and {MAXIMUM_LIMIT} papers.")
        now = self._library.clock.now()
        before = last_due(order, now)
        begin = before[1] if before else now - timedelta(days=1)
        after = await self._library.store.read(digest_rows.last_paper, seen_before=begin)
        number = await self._library.store.write(
            digest_rows.add_subscription,
            guild_id,
            order,
            created_by=created_by,
            now=now,
            after=after,
        )
        return await self.subscription(guild_id, number)

    async def subscriptions(self, guild_id: int | None) -> list[Subscription]:
        """The standing orders of a server (of all servers for None)."""
        return await self._library.store.read(digest_rows.subscriptions, guild_id)

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

    async def preview(self, guild_id: int, channel_id: int) -> list[Digest]:
        """What each digest of a channel would post if it were due now.

        Raises Refused where the channel has no digest.
        """
        known = [
            subscription
            for subscription in await self.subscriptions(guild_id)
            if subscription.order.channel_id == channel_id
        ]
        if not known:
            raise Refused("This channel has no digest yet; order one with /digest subscribe.")
        now = self._library.clock.now()
        return [
            await self.compose(
                subscription, now.astimezone(ZoneInfo(subscription.order.zone)).date(), now
            )
            for subscription in known
        ]

    async def upcoming(self, channel_id: int | None = None) -> list[Digest]:
        """What the next digest of every subscription holds by now, or of one channel's.

        Without any subscription, what one of the defaults would hold. Raises Refused where the
        channel has none.
        """
        known = [
            subscription
            for subscription in await self.subscriptions(None)
            if channel_id is None or subscription.order.channel_id == channel_id
        ]
        if not known and channel_id is not None:
            raise Refused(f"The channel {channel_id} has no digest; see /digest list in the chat.")
        now = self._library.clock.now()
        digests: list[Digest] = []
        for subscription in known or [await self._default(now)]:
            following = next_due(subscription.order, now)
            if following is not None:
                digests.append(await self.compose(subscription, *following))
        return digests

    async def _default(self, now: datetime) -> Subscription:
        order = SubscriptionOrder(
            channel_id=0,
            at=time(9),
            zone="UTC",
            days=EVERY_DAY,
            filter=DigestFilter(),
            maximum=MAXIMUM_DEFAULT,
        )
        before = last_due(order, now)
        after = await self._library.store.read(
            digest_rows.last_paper, seen_before=before[1] if before else now
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
        last = await store.read(digest_rows.last_sent_slot, subscription.id)
        after = last.upto if last else subscription.after
        upto = await store.read(digest_rows.last_paper)
        # A reading that is under way, or died, leaves papers without a tag for a while; a filter
        # by tags would miss them, and the next slot begins after them.
        await self._tagging.tag_untagged()
        await self._library.refresh()
        candidates = await store.read(digest_rows.unposted, subscription.id, after=after, upto=upto)
        views = await self._library.views(subscription.guild_id, candidates)
        matched = await self._matching(subscription, views)
        shown = matched[: subscription.order.maximum]
        slot = Slot(
            subscription_id=subscription.id,
            local_date=day,
            due_at=due,
            planned_at=self._library.clock.now(),
            state=SlotState.PLANNED,
            after=after,
            upto=upto,
            total=len(matched),
            parts=max(1, -(-len(shown) // PAPERS_PER_MESSAGE)),
        )
        return await self._digest(subscription, slot, shown, views, matched, last)

    async def planned(self, subscription: Subscription, slot: Slot) -> Digest:
        """The digest of a slot as it was planned, with today's votes and corrections."""
        store = self._library.store
        last = await store.read(digest_rows.last_sent_slot, subscription.id)
        parts = await store.read(digest_rows.slot_parts, slot)
        shown_ids = [paper_id for _, papers in parts for paper_id in papers]
        guild = subscription.guild_id
        shown = await self._library.views(guild, shown_ids)
        window = await store.read(digest_rows.papers_between, after=slot.after, upto=slot.upto)
        candidates = await self._library.views(guild, window)
        matched = await self._matching(subscription, candidates)
        return await self._digest(subscription, slot, shown, candidates, matched, last)

    async def hidden(self, guild_id: int, number: int, day: date) -> list[PaperView]:
        """The papers that matched a slot but were left out for its length, best first."""
        subscription = await self.subscription(guild_id, number)
        slot = await self._library.store.read(digest_rows.slot_of, number, day)
        if slot is None:
            raise Refused("That digest was never posted; see /digest list.")
        ids = await self._library.store.read(
            digest_rows.unposted, number, after=slot.after, upto=slot.upto
        )
        return await self._matching(subscription, await self._library.views(guild_id, ids))

    async def _matching(
        self, subscription: Subscription, views: Sequence[PaperView]
    ) -> list[PaperView]:
        """Those that the filter lets through, best first.

        With a query, by how well they fit it. Without one, the surest of each tag in turn, so
        that a day that is cut short still shows some of every kind.
        """
        wanted = subscription.order.filter
        passed = [view for view in views if _passes(view, wanted)]
        if not wanted.query.strip():
            return _in_turn(
                sorted(passed, key=lambda view: (-(view.confidence or 1.0), view.paper.id))
            )
        # A search ranks what has any of the words; an order is for papers that have all of them.
        query, index = all_required(parse(wanted.query)), self._library.index
        corrected = await self._library.store.read(
            correction_rows.corrected_tags, subscription.guild_id
        )
        filters = SearchFilters(tags=corrected)
        result = await asyncio.to_thread(index.answer, query, filters, limit=max(1, len(index)))
        scores = {hit.id: hit.score for hit in result.hits}
        fitting = [view for view in passed if view.paper.id in scores]
        return sorted(fitting, key=lambda view: (-scores[view.paper.id], view.paper.id))

    async def _digest(
        self,
        subscription: Subscription,
        slot: Slot,
        shown: Sequence[PaperView],
        candidates: Sequence[PaperView],
        matched: Sequence[PaperView],
        last: Slot | None,
    ) -> Digest:
        readings = await self._library.store.read(digest_rows.sources_read)
        ordered = sorted(shown, key=lambda view: TAG_NAMES.index(view.tag or "unsure"))
        return Digest(
            subscription=subscription,
            slot=slot,
            items=tuple(DigestItem(view, claim_of(view.paper.abstract)) for view in ordered),
            days=_days(subscription, slot, last),
            counts=dict(Counter(view.tag or "unsure" for view in matched)),
            coverage=_coverage(readings, candidates, matched),
            asked=await self._asked(last.planned_at if last else subscription.created_at),
        )

    async def _asked(self, since: datetime) -> tuple[PartOutcome, ...]:
        """The latest outcome of each channel; one that announced something stays over the rest."""
        found = await self._library.store.read(source_rows.outcomes, since=since)
        latest: dict[tuple[str, str], PartOutcome] = {}
        for outcome in found:
            key = (outcome.source, outcome.channel)
            if outcome.outcome is Outcome.ANNOUNCED or (
                key not in latest or latest[key].outcome is not Outcome.ANNOUNCED
            ):
                latest[key] = outcome
        return tuple(latest.values())


def _in_turn(views: Sequence[PaperView]) -> list[PaperView]:
    """The views in rounds of one a tag, each tag's own order kept."""
    rounds: dict[str, int] = defaultdict(int)
    placed: list[tuple[int, int, PaperView]] = []
    for view in views:
        tag = view.tag or "unsure"
        placed.append((rounds[tag], TAG_NAMES.index(tag), view))
        rounds[tag] += 1
    return [view for _, _, view in sorted(placed, key=lambda entry: entry[:2])]


def _passes(view: PaperView, wanted: DigestFilter) -> bool:
    if wanted.tags and (view.tag or "unsure") not in wanted.tags:
        return False
    if not wanted.topics:
        return True
    topics = [topic.casefold() for topic in (*view.paper.topics, *view.paper.categories)]
    return any(piece.casefold() in topic for piece in wanted.topics for topic in topics)


def _days(subscription: Subscription, slot: Slot, last: Slot | None) -> tuple[date, ...]:
    """The local dates from the last sent slot to this one on which a digest was due."""
    if last is None:
        return (slot.local_date,)
    days: list[date] = []
    day = last.local_date + timedelta(days=1)
    while day < slot.local_date:
        if day.weekday() in subscription.order.days:
            days.append(day)
        day += timedelta(days=1)
    return (*days, slot.local_date)


def _coverage(
    readings: Sequence[SourceReading],
    candidates: Sequence[PaperView],
    matched: Sequence[PaperView],
) -> tuple[SourceCoverage, ...]:
    new = _by_source(candidates)
    fitting = _by_source(matched)
    return tuple(
        SourceCoverage(reading, new[reading.name], fitting[reading.name])
        for reading in readings
        if new[reading.name]
    )


def _by_source(views: Sequence[PaperView]) -> dict[str, int]:
    counts: dict[str, int] = defaultdict(int)
    for view in views:
        for source in view.paper.sources[:1]:
            counts[source] += 1
    return counts
