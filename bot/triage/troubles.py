"""What keeps a digest from its channel, and that those who can mend it hear of it once.

A problem is written down first, told then, and marked as told last; a telling that failed, or
that a crash cut short, is made again. Where a server has no place for notices, its next manager
who uses the bot is told privately.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import structlog

from bot.triage.errors import CannotPost
from data.store import digests as digest_rows
from data.store import subscribing as trouble_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.triage.clock import Clock
    from data.store.connection import Store
    from data.store.digests import Subscription
    from data.store.subscribing import Trouble

LOG = structlog.get_logger()


class Doorkeeper(Protocol):
    """Knows what a channel lets us do, and where a server's notices go."""

    async def check(self, channel_id: int, *, thread: bool = False) -> str | None:
        """Raises CannotPost where the channel is gone or a permission is missing.

        With `thread`, returns why no thread can be opened there, if so.
        """
        ...

    async def tell_admins(self, guild_id: int, channel_id: int, sentence: str) -> bool:
        """Says to a server's admins what is wrong; False where it has no place for that."""
        ...


class Troubles:
    """The problems of subscriptions."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def note(self, subscription: Subscription, reason: str | None) -> None:
        """Writes down what is wrong with a subscription, or with None that nothing is."""
        if subscription.problem is None and reason is None:
            return
        news = await self._store.write(trouble_rows.set_problem, subscription.id, reason)
        if news and reason:
            LOG.warning("digest.cannot_post", subscription=subscription.id, reason=reason)

    async def tell(self, guild_id: int, door: Doorkeeper) -> None:
        """Tells a server's admins of each problem that they have not heard of."""
        for trouble in await self.claim(guild_id):
            try:
                told = await door.tell_admins(guild_id, trouble.channel_id, trouble.problem)
            except Exception:
                LOG.exception("digest.admins_not_told", subscription=trouble.subscription_id)
                told = False
            await self.settle(trouble, told=told)

    async def claim(self, guild_id: int) -> Sequence[Trouble]:
        """The problems that nobody heard of; the caller tells them and then settles each."""
        if not await self._store.read(trouble_rows.has_untold, guild_id):
            return ()
        return await self._store.write(trouble_rows.claim_untold, guild_id, self._clock.now())

    async def settle(self, trouble: Trouble, *, told: bool) -> None:
        """Notes whether a problem was told; one that was not comes again."""
        if told:
            await self._store.write(trouble_rows.told, trouble, self._clock.now())
        else:
            await self._store.write(trouble_rows.not_told, trouble)

    async def look(self, guild_id: int, door: Doorkeeper) -> None:
        """Checks every channel of a server's digests, and tells of those that are closed."""
        for subscription in await self._store.read(digest_rows.subscriptions, guild_id):
            if subscription.paused:
                continue
            order = subscription.order
            try:
                problem = await door.check(order.channel_id, thread=order.in_thread)
            except CannotPost as reason:
                problem = str(reason)
            await self.note(subscription, problem)
        await self.tell(guild_id, door)
