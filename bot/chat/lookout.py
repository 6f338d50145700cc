"""Looks after a server's digests when one of its channels or roles goes or changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from bot.chat.publisher import DiscordPublisher

if TYPE_CHECKING:
    import discord
    from structlog.stdlib import BoundLogger

    from bot.triage.troubles import Troubles

log: BoundLogger = structlog.get_logger("papertriage.chat")


class Lookout:
    """Checks at once what else would only be found at the next slot."""

    def __init__(self, client: discord.Client, troubles: Troubles) -> None:
        self._door = DiscordPublisher(client)
        self._troubles = troubles

    async def look(self, guild: discord.Guild) -> None:
        """Checks all channels in which a server has digests, and tells what is wrong."""
        try:
            await self._troubles.look(guild.id, self._door)
        except Exception:
            log.exception("digest.not_checked", guild=guild.id)
