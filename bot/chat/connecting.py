"""What keeps the bot from connecting, in one sentence."""

from __future__ import annotations

import aiohttp
import discord


def connection_problem(error: Exception) -> str | None:
    """What to do about an error that ended the connection; None for a fault of ours."""
    if isinstance(error, discord.LoginFailure):
        return (
            "Discord refuses the bot token; copy it again from the developer portal into "
            "PAPERTRIAGE_DISCORD_TOKEN."
        )
    if isinstance(error, discord.PrivilegedIntentsRequired):
        return "Discord wants privileged intents, which papertriage never asks for; update it."
    if isinstance(error, aiohttp.ClientConnectionError | OSError | discord.GatewayNotFound):
        return "Discord cannot be reached; check the network and try again."
    if isinstance(error, discord.DiscordServerError):
        return "Discord has trouble of its own; try again in a few minutes."
    return None
