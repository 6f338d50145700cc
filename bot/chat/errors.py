"""The one error funnel: what people are told, and what the log keeps, when something fails.

A refusal is an answer: one private sentence. Anything else is a fault of ours: an apology with a
short reference that also stands in the log beside the traceback. discord.py swallows exceptions
of autocompletions and dynamic items, so every entrance of the chat leads here by itself.
Cancellation passes through untouched.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import discord
import structlog
from discord import app_commands

from bot.chat.layouts.notices import apology, notice, refusal
from bot.triage.errors import CannotPost, Refused

if TYPE_CHECKING:
    from structlog.stdlib import BoundLogger

log: BoundLogger = structlog.get_logger("papertriage.chat")

UNKNOWN_INTERACTION = 10062


async def answer_error(
    interaction: discord.Interaction[discord.Client], error: Exception, where: str
) -> None:
    """Tells the person who acted what went wrong, privately, and logs what was not expected."""
    cause = error.original if isinstance(error, app_commands.CommandInvokeError) else error
    if isinstance(cause, Refused | CannotPost):
        await _say(interaction, refusal(str(cause)))
        return
    if isinstance(cause, app_commands.MissingPermissions | app_commands.NoPrivateMessage):
        await _say(interaction, refusal("You need the Manage Server permission for this."))
        return
    if isinstance(cause, app_commands.CommandSignatureMismatch | app_commands.CommandNotFound):
        await _say(interaction, refusal("This command has changed; reload Discord and try again."))
        return
    if isinstance(cause, app_commands.TransformerError):
        told = f"I can't use “{cause.value}” there; choose one from the list."
        await _say(interaction, refusal(told))
        return
    if isinstance(cause, discord.NotFound) and cause.code == UNKNOWN_INTERACTION:
        log.warning("answered too late", where=where)
        return
    reference = secrets.token_hex(3)
    log.error("unexpected error", reference=reference, where=where, exc_info=cause)
    await _say(interaction, apology(reference))


def log_swallowed(error: Exception, where: str) -> None:
    """Logs an error that nobody can be told of, such as one of an autocompletion."""
    log.error("unexpected error", where=where, exc_info=error)


async def _say(
    interaction: discord.Interaction[discord.Client], view: discord.ui.LayoutView
) -> None:
    response = interaction.response
    try:
        if not response.is_done():
            await response.send_message(view=view, ephemeral=True)
            return
        announced = response.type is discord.InteractionResponseType.deferred_channel_message
        if announced:
            # The first follow-up takes the place of "thinking…", and is as public as that was. So
            # that one is answered, the private message follows, and the public one goes.
            await interaction.edit_original_response(view=notice("That did not work out."))
        await interaction.followup.send(view=view, ephemeral=True)
        if announced:
            await interaction.delete_original_response()
    except discord.HTTPException as failed:
        log.warning("could not tell about an error", status=failed.status, code=failed.code)
