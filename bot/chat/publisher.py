"""Digests in channels: may I post there, what stands there already, post, and tell the admins."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

import discord
import structlog

from bot.chat.channels import Target, as_target, check_channel, check_threads
from bot.chat.components import digest_key
from bot.chat.layouts.digest import digest_message, thread_name
from bot.chat.layouts.notices import refusal
from bot.triage.errors import CannotPost, ChannelGone

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from datetime import datetime

    from discord import ui
    from structlog.stdlib import BoundLogger

    from bot.triage.digest import Digest, DigestPart

log: BoundLogger = structlog.get_logger("papertriage.chat")

# Discord dates messages by its own clock, which may be behind ours.
CLOCKS_DIFFER: Final = timedelta(minutes=15)

_GONE: Final = "The channel of this digest is gone; send it elsewhere with /digest edit."
# Discord's word for a message that has its thread already.
_HAS_A_THREAD: Final = 160004
_THREAD_REFUSED: Final = (
    "Discord does not let me open threads in #{}, so all of the digest goes into the channel: "
    "grant me Create Public Threads and Send Messages in Threads there."
)


class DiscordPublisher:
    """Puts digests into Discord's channels; a `bot.triage.posting.Publisher`."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client

    async def check(self, channel_id: int, *, thread: bool = False) -> str | None:
        """Raises CannotPost where the channel is gone or a permission is missing.

        With `thread`, returns why no thread can be opened there, if so.
        """
        channel = check_channel(await self._channel(channel_id))
        try:
            if thread:
                check_threads(channel)
        except CannotPost as reason:
            return str(reason)
        return None

    async def newest(self, channel_id: int) -> int | None:
        """The id of a message that stands in the channel now, as new as is known; else None."""
        channel = await self._channel(channel_id)
        if channel.last_message_id is not None:
            return channel.last_message_id
        try:
            async for message in channel.history(limit=1):
                return message.id
        except discord.HTTPException as error:
            raise self._refused(error, channel) from error
        return None

    async def standing(
        self,
        channel_id: int,
        keys: Collection[str],
        since: datetime,
        *,
        anchor: int | None = None,
    ) -> Mapping[str, int]:
        """Message ids, by `DigestPart.key`, of those messages that the channel holds already.

        A key is found in the id of a control on the message: the nonce is not kept by Discord.
        Everything since the anchor is read until all keys are found, since others may have
        written much meanwhile; the anchor is right whatever our clock says.
        """
        channel = await self._channel(channel_id)
        found: dict[str, int] = {}
        begin = since - CLOCKS_DIFFER if anchor is None else discord.Object(anchor)
        try:
            async for message in channel.history(limit=None, after=begin, oldest_first=False):
                key = digest_key(message) if self._is_mine(message) else None
                if key in keys:
                    found.setdefault(key or "", message.id)
                if len(found) == len(keys):
                    break
        except discord.HTTPException as error:
            raise self._refused(error, channel) from error
        return found

    def _is_mine(self, message: discord.Message) -> bool:
        return self._client.user is not None and message.author.id == self._client.user.id

    async def send(self, channel_id: int, part: DigestPart) -> int:
        """Posts one message and returns its id. Raises CannotPost where it may not."""
        return await self.put(channel_id, digest_message(part), part.key)

    async def put(self, channel_id: int, view: ui.LayoutView, key: str) -> int:
        """Posts a message that holds its key in a control, with the key as its nonce."""
        channel = await self._channel(channel_id)
        try:
            message = await channel.send(view=view, nonce=key)
        except discord.HTTPException as error:
            raise self._refused(error, channel) from error
        return message.id

    async def open_thread(self, channel_id: int, message_id: int, digest: Digest) -> int:
        """The thread of a digest's first message, made where there is none yet; returns its id.

        Discord gives a message's own thread the message's id. Raises CannotPost where none may
        be made, ChannelGone where the message is not there.
        """
        channel = await self._channel(channel_id)
        if channel.guild.get_thread(message_id) is not None:
            return message_id
        try:
            message = check_threads(channel).get_partial_message(message_id)
            await message.create_thread(name=thread_name(digest))
        except discord.NotFound as error:
            raise ChannelGone(_GONE) from error
        except discord.Forbidden as error:
            raise CannotPost(_THREAD_REFUSED.format(channel.name)) from error
        except discord.HTTPException as error:
            if error.code != _HAS_A_THREAD:
                raise
        return message_id

    async def tell_admins(self, guild_id: int, channel_id: int, sentence: str) -> bool:
        """Says where the server's own notices go why a digest cannot be posted.

        False where there is no such place in which I may write.
        """
        guild = self._client.get_guild(guild_id)
        if guild is None:
            return False
        places = (guild.public_updates_channel, guild.system_channel)
        for place in places:
            if place is None:
                continue
            granted = place.permissions_for(guild.me)
            if granted.view_channel and granted.send_messages:
                try:
                    await place.send(view=refusal(sentence))
                except discord.HTTPException as error:
                    log.warning("digest.admins_not_told", guild=guild_id, status=error.status)
                else:
                    return True
        return False

    async def _channel(self, channel_id: int) -> Target:
        known = self._client.get_channel(channel_id)
        if known is None:
            try:
                # A thread that nobody wrote in for a while is not in the cache.
                known = await self._client.fetch_channel(channel_id)
            except (discord.NotFound, discord.InvalidData) as error:
                raise ChannelGone(_GONE) from error
            except discord.Forbidden as error:
                raise CannotPost(
                    "I cannot see the channel of this digest: grant me View Channel there."
                ) from error
        return as_target(known)

    def _refused(self, error: discord.HTTPException, channel: Target) -> Exception:
        if isinstance(error, discord.NotFound):
            return ChannelGone(_GONE)
        if isinstance(error, discord.Forbidden):
            try:
                check_channel(channel)
            except CannotPost as reason:
                return reason
            return CannotPost(
                f"Discord does not let me post in #{channel.name}: grant me Send Messages there."
            )
        return error
