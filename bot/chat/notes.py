"""Posts weekly notes to Discord's channels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord

from bot.chat.layouts.hindsight import weekly_note
from bot.triage.errors import CannotPost

if TYPE_CHECKING:
    from bot.triage.hindsight import WeeklyNote


class DiscordNotes:
    """A `bot.triage.hindsight.NotePublisher`."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client

    async def send(self, channel_id: int, note: WeeklyNote) -> None:
        """Posts the note. Raises CannotPost where the channel is gone or closed to the bot."""
        try:
            channel = self._client.get_channel(channel_id)
            if channel is None:
                channel = await self._client.fetch_channel(channel_id)
            if not isinstance(channel, discord.abc.Messageable):
                raise CannotPost("The channel of this digest takes no messages.")
            await channel.send(view=weekly_note(note))
        except (discord.NotFound, discord.Forbidden) as error:
            raise CannotPost("I may not post in the channel of this digest.") from error
