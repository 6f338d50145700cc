"""The Discord client: it hears commands and presses, and hands them to their place."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, ClassVar, Final

import discord
import structlog
from discord import app_commands

from bot.chat.clicks import Clicks
from bot.chat.commands import COMMANDS
from bot.chat.components import Control
from bot.chat.errors import answer_error
from bot.chat.layouts.pages import welcome_page
from bot.chat.lookout import Lookout

if TYPE_CHECKING:
    from collections.abc import Callable

    from structlog.stdlib import BoundLogger

    from bot.triage.services import Services

log: BoundLogger = structlog.get_logger("papertriage.chat")

TOLD_COMMANDS: Final = "chat.commands"


class PapertriageTree(app_commands.CommandTree[discord.Client]):
    """The commands, for servers only; what fails around a command's body goes to the funnel."""

    def __init__(self, client: discord.Client) -> None:
        super().__init__(
            client,
            allowed_contexts=app_commands.AppCommandContext(guild=True),
            allowed_installs=app_commands.AppInstallationType(guild=True),
        )
        for command in COMMANDS:
            self.add_command(command)

    async def on_error(
        self,
        interaction: discord.Interaction[discord.Client],
        error: app_commands.AppCommandError,
        /,
    ) -> None:
        """Answers what failed before a command's body began: its options, its permissions."""
        command = interaction.command.qualified_name if interaction.command else "a command"
        await answer_error(interaction, error, command)


class PapertriageClient(discord.Client):
    """The bot in Discord. It asks for no privileged intent and pings nobody.

    After `start` or `connect` it serves until `close`; state lives behind `services`, so it can
    be closed and made anew at any time.
    """

    INTENTS: ClassVar = discord.Intents(guilds=True)

    def __init__(self, services: Services) -> None:
        super().__init__(
            intents=self.INTENTS,
            allowed_mentions=discord.AllowedMentions.none(),
            # Members and messages come with each interaction; nothing is worth caching.
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            max_messages=None,
        )
        self.services = services
        self.tree = PapertriageTree(self)
        self._clicks = Clicks(services)
        self._when_ready: list[Callable[[], None]] = []

    async def setup_hook(self) -> None:
        """Makes old buttons work again, and tells Discord the commands where they changed."""
        self.add_dynamic_items(Control)
        told = await self.services.library.recall(TOLD_COMMANDS)
        if told != self._fingerprint():
            await self.sync_commands()

    async def sync_commands(self) -> int:
        """Tells Discord the commands as they are now; returns how many there are."""
        count = len(await self.tree.sync())
        await self.services.library.remember(TOLD_COMMANDS, self._fingerprint())
        log.info("chat.commands_told", commands=count)
        return count

    def _fingerprint(self) -> str:
        """What Discord is told of the commands, and for which application, as a short text."""
        payload = [command.to_dict(self.tree) for command in self.tree.get_commands()]
        text = json.dumps([self.application_id, payload], sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Says what to type, where a new server's notices go or in its first open channel."""
        for channel in (guild.system_channel, *guild.text_channels):
            if channel and channel.permissions_for(guild.me).send_messages:
                try:
                    await channel.send(view=welcome_page())
                except discord.HTTPException as error:
                    log.warning("chat.no_welcome", server=guild.id, status=error.status)
                return

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        """A digest may have lost its channel."""
        await self._look_after(channel.guild)

    async def on_raw_thread_delete(self, gone: discord.RawThreadDeleteEvent) -> None:
        """A digest may have lost its thread."""
        guild = self.get_guild(gone.guild_id)
        if guild is not None:
            await self._look_after(guild)

    async def on_guild_channel_update(
        self, before: discord.abc.GuildChannel, after: discord.abc.GuildChannel
    ) -> None:
        """A digest may have been shut out of its channel, or let in again."""
        if before.overwrites != after.overwrites:
            await self._look_after(after.guild)

    async def on_guild_role_delete(self, role: discord.Role) -> None:
        """The role may have been the one that let me post."""
        await self._look_after(role.guild)

    async def on_guild_role_update(self, before: discord.Role, after: discord.Role) -> None:
        """The role may let me post no longer, or again."""
        if before.permissions != after.permissions:
            await self._look_after(after.guild)

    async def _look_after(self, guild: discord.Guild) -> None:
        await Lookout(self, self.services.troubles).look(guild)

    async def on_press(
        self, interaction: discord.Interaction[discord.Client], control: Control
    ) -> None:
        """Does what a pressed control stands for."""
        await self._clicks.on_press(interaction, control)

    def when_ready(self, begin: Callable[[], None]) -> None:
        """Has `begin` called once, as soon as the servers and their channels are known."""
        self._when_ready.append(begin)

    async def on_ready(self) -> None:
        """Begins what waited for the connection; Discord may say this again after a break."""
        log.info("chat.ready", user=str(self.user), servers=len(self.guilds))
        waiting, self._when_ready = self._when_ready, []
        for begin in waiting:
            begin()
