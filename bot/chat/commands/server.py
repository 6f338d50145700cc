"""/settings: what a server chooses for itself.

It needs Manage Server until the server's own command permissions say otherwise.
"""

from typing import Literal

from discord import app_commands

from bot.chat.answers import Answer, Interaction, member_of, server_of, services_of, slash
from bot.chat.layouts.settings import settings_page


@app_commands.describe(training="Whether this server's tag corrections may teach my tagger")
@app_commands.default_permissions(manage_guild=True)
@slash(private=True)
async def settings(
    interaction: Interaction, training: Literal["on", "off"] | None = None
) -> Answer:
    """Show this server's settings, or change one"""
    tagging, server = services_of(interaction).tagging, server_of(interaction)
    if training is not None:
        await tagging.consent(server, member_of(interaction), training=training == "on")
    return Answer(view=settings_page(await tagging.consent_of(server)))
