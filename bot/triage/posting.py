"""Posting digests once: the ledger first, then the channel, then the mark.

A slot is written down with its papers before anything is sent. After a crash or an answer that
was lost, the channel is read before a message is sent again. A slot of which nothing was sent
before the next one was due folds into that.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

import structlog

from bot.triage.digest import part_key
from bot.triage.errors import CannotPost, ChannelGone, Refused
from bot.triage.troubles import Troubles
from data.store import digests as digest_rows
from data.store import ledger
from data.store import subscribing as trouble_rows
from data.store.digests import Slot, SlotState, Subscription

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from bot.triage.clock import Clock
    from bot.triage.digest import Digest, DigestPart
    from bot.triage.digests import Digests
    from data.store.connection import Store

LOG = structlog.get_logger()


class Publisher(Protocol):
    """Puts a digest's messages into a channel, and knows which of them stand there."""

    async def check(self, channel_id: int, *, thread: bool = False) -> str | None:
        """Raises CannotPost where the channel is gone or a permission is missing.

        With `thread`, returns why no thread can be opened there, if so.
        """
        ...

    async def newest(self, channel_id: int) -> int | None:
        """The id of a message that stands in the channel now, as new as is known; else None."""
        ...

    async def standing(
        self,
        channel_id: int,
        keys: Collection[str],
        since: datetime,
        *,
        anchor: int | None = None,
    ) -> Mapping[str, int]:
        """Message ids, by `DigestPart.key`, of those messages that the channel holds already.

        All of them are newer than the message `anchor`; without one, than about `since`.
        """
        ...

    async def send(self, channel_id: int, part: DigestPart) -> int:
        """Posts one message and returns its id. Raises CannotPost where it may not."""
        ...

    async def open_thread(self, channel_id: int, message_id: int, digest: Digest) -> int:
        """The thread of a digest's first message, made where there is none yet; returns its id.

        Raises CannotPost where none may be made, ChannelGone where the message is not there.
        """
        ...

    async def tell_admins(self, guild_id: int, channel_id: int, sentence: str) -> bool:
        """Says to a server's admins what is wrong; False where it has no place for that."""
        ...


class Posting:
    """Posts every digest that is due; safe to call at any time and as often as one likes."""

    def __init__(self, store: Store, digests: Digests, publisher: Publisher, clock: Clock) -> None:
        self._store = store
        self._digests = digests
        self._publisher = publisher
        self._clock = clock
        self._troubles = Troubles(store, clock)
        self._running = asyncio.Lock()

    async def run_due(self) -> int:
        """Posts what is due for every subscription; returns how many digests were completed.

        A subscription that fails is logged and tried again at the next call; it never stops the
        others.
        """
        if self._running.locked():
            return 0
        async with self._running:
            done = 0
            for subscription in await self._digests.subscriptions(None):
                try:
                    done += await self._post_due(subscription)
                except CannotPost as reason:
                    await self._troubles.note(subscription, str(reason))
                    await self._troubles.tell(subscription.guild_id, self._publisher)
                except Exception:
                    LOG.exception("digest.failed", subscription=subscription.id)
            return done

    async def _post_due(self, known: Subscription) -> bool:
        # Others were posted since it was read, which takes a while.
        subscription = await self._as_ordered(known)
        if subscription is None:
            return False
        slot = await self._begun(subscription)
        if slot is None:
            planned = await self._plan(subscription)
            if planned is None:
                return False
            subscription, slot = planned
        await self._store.write(ledger.follow_merges, slot)
        order = subscription.order
        without_thread = await self._publisher.check(order.channel_id, thread=order.in_thread)
        digest = await self._digests.planned(subscription, slot)
        sent, refused = await self._send(subscription, digest)
        if not sent:
            return False
        await self._troubles.note(subscription, refused or without_thread)
        await self._troubles.tell(subscription.guild_id, self._publisher)
        return True

    async def _as_ordered(self, known: Subscription) -> Subscription | None:
        """The order as it stands now; None where it was removed."""
        try:
            return await self._digests.subscription(known.guild_id, known.id)
        except Refused:
            return None

    async def _begun(self, subscription: Subscription) -> Slot | None:
        """The slot that waits to be completed, if it is still to be posted for itself.

        What the channel holds of it already is marked. Where it holds nothing, the slot is taken
        back when a later one is due, or the digest is paused: its papers are due again.
        """
        slot = await self._store.read(digest_rows.open_slot, subscription.id)
        if slot is None:
            return None
        late = subscription.paused or self._digests.is_outdated(subscription, slot)
        if slot.state is SlotState.SENDING:
            await self._publisher.check(subscription.order.channel_id)
            await self._mark_standing(subscription, slot)
        if late and await self._store.write(ledger.unplan_slot, slot):
            return None
        return slot

    async def _mark_standing(self, subscription: Subscription, slot: Slot) -> None:
        """Marks the messages of a slot that arrived although their answer did not.

        They stand in the channel, in the one from before the order was changed, or in the thread
        of the first message: that has the message's id, and so is found after a crash.
        """
        known = await self._store.read(digest_rows.slot_parts, slot)
        missing = {part_key(slot, n): n for n, (message, _) in enumerate(known) if not message}
        channel_id = subscription.order.channel_id
        for channel in dict.fromkeys((channel_id, slot.channel_id or channel_id)):
            await self._mark_those_in(channel, slot, missing, needed=channel == channel_id)
        placed = await self._store.read(trouble_rows.places, slot)
        if slot.in_thread and 0 in placed:
            await self._mark_those_in(placed[0][1], slot, missing, needed=False)

    async def _mark_those_in(
        self, place: int, slot: Slot, missing: dict[str, int], *, needed: bool
    ) -> None:
        """Marks what stands in one channel or thread; one that is gone holds nothing."""
        if not missing:
            return
        try:
            standing = await self._publisher.standing(
                place, set(missing), slot.planned_at, anchor=slot.anchor
            )
        except ChannelGone:
            if needed:
                raise
            return
        for key, message_id in standing.items():
            await self._mark(slot, missing.pop(key), (place, message_id))

    async def _plan(self, subscription: Subscription) -> tuple[Subscription, Slot] | None:
        """Writes the latest due slot down, unless it was sent or came before the subscription.

        Returns it with the order by which it was put together. That takes a while; where the order
        was changed meanwhile, it is put together anew.
        """
        now = self._clock.now()
        if subscription.created_at > now:
            await self._store.write(digest_rows.begin_no_later, subscription.id, now)
        order: Subscription | None = subscription
        while order is not None and not order.paused:
            due = await self._digests.due(order)
            if due is None:
                return None
            digest = await self._digests.compose(order, *due)
            papers = [[item.view.paper.id for item in part.items] for part in digest.parts()]
            if await self._store.write(
                ledger.plan_slot, digest.slot, papers, digest.left_out, order=order.order
            ):
                slot = await self._store.read(digest_rows.open_slot, order.id)
                return (order, slot) if slot else None
            order = await self._as_ordered(order)
        return None

    async def _send(self, subscription: Subscription, digest: Digest) -> tuple[bool, str | None]:
        """Posts what is missing; returns whether, and why a thread could not be had.

        Nothing is posted where the order was changed in the last moment.
        """
        slot, order = digest.slot, subscription.order
        known = await self._store.read(digest_rows.slot_parts, slot)
        placed = await self._store.read(trouble_rows.places, slot)
        if slot.state is SlotState.PLANNED:
            anchor = await self._publisher.newest(order.channel_id)
            await self._store.write(ledger.note_anchor, slot, anchor)
        if not await self._store.write(
            digest_rows.mark_sending, slot, order.channel_id, in_thread=order.in_thread
        ):
            return False, None
        refused: str | None = None
        threaded = order.in_thread
        for part in _as_planned(digest, known):
            if part.part in placed:
                continue
            place: tuple[int, int] | None = None
            if part.part and threaded:
                try:
                    place = await self._send_into_thread(placed[0], part)
                except ChannelGone:  # who deleted the thread or its message knows of it
                    threaded = False
                except CannotPost as reason:
                    threaded, refused = False, str(reason)
            if place is None:
                place = order.channel_id, await self._publisher.send(order.channel_id, part)
            placed[part.part] = place
            await self._mark(slot, part.part, place)
        await self._store.write(digest_rows.mark_sent, slot, self._clock.now())
        LOG.info("digest.sent", subscription=slot.subscription_id, papers=len(digest.items))
        return True, refused

    async def _send_into_thread(self, head: tuple[int, int], part: DigestPart) -> tuple[int, int]:
        thread_id = await self._publisher.open_thread(*head, part.digest)
        return thread_id, await self._publisher.send(thread_id, part)

    async def _mark(self, slot: Slot, part: int, place: tuple[int, int]) -> None:
        await self._store.write(digest_rows.mark_part, slot, part, place, self._clock.now())


def _as_planned(
    digest: Digest, known: Sequence[tuple[int | None, tuple[int, ...]]]
) -> tuple[DigestPart, ...]:
    """The messages as the ledger has them, whatever votes and corrections came since."""
    items = {item.view.paper.id: item for item in digest.items}
    return digest.parts_of(
        [tuple(items[paper] for paper in papers if paper in items) for _, papers in known]
    )
