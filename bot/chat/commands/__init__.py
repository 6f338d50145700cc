"""The slash commands, one module for each thing people come for.

A command's body reads its input, calls one use-case and returns what it shows; sending, deferring
and failing are `bot.chat.answers`. These modules do without postponed annotations: discord.py
reads the annotations of a command to know its options.
"""

from typing import TypeAlias

from discord import app_commands

from bot.chat.answers import SlashCommand
from bot.chat.commands import digests, info, listings, merging, papers, queue, search, server

AnyCommand: TypeAlias = SlashCommand | app_commands.Group | app_commands.ContextMenu

COMMANDS: tuple[AnyCommand, ...] = (
    search.search,
    papers.paper,
    papers.similar,
    papers.why,
    papers.vote,
    papers.tag,
    queue.queue,
    digests.digest,
    merging.merge,
    merging.split,
    listings.listing,
    listings.add_from_message,
    server.settings,
    info.stats,
    info.about,
    info.help_command,
)
