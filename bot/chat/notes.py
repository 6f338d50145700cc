"""Posts weekly notes to Discord's channels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.chat.layouts.hindsight import weekly_note

if TYPE_CHECKING:
    from datetime import datetime

    from bot.chat.publisher import DiscordPublisher
    from bot.triage.hindsight import WeeklyNote


class DiscordNotes:
    """A `bot.triage.hindsight.NotePublisher`."""

    def __init__(self, publisher: DiscordPublisher) -> None:
        self._publisher = publisher

    async def stands(self, channel_id: int, key: str, since: datetime) -> bool:
        """Whether a note with this key, sent since a moment, stands in the channel.

        Raises CannotPost where the channel cannot be read.
        """
        return key in await self._publisher.standing(channel_id, {key}, since)

    async def send(self, channel_id: int, note: WeeklyNote, key: str) -> None:
        """Posts the note with a key. Raises CannotPost where the channel is gone or closed."""
        await self._publisher.put(channel_id, weekly_note(note, key), key)
