"""Forms that people fill in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import discord
from discord import ui

from bot.chat.answers import Answer, Interaction, deliver
from bot.chat.layouts.pages import listing_report

if TYPE_CHECKING:
    from bot.triage.listings import Listings

# Discord takes no more characters in one field.
LONGEST_PASTE: Final = 4000


class PasteForm(ui.Modal, title="Add papers"):
    """A box for pasted text: a listing, abstracts, BibTeX."""

    def __init__(self, listings: Listings) -> None:
        super().__init__(custom_id="pt:paste", timeout=None)
        self._listings = listings
        self._text: ui.TextInput[PasteForm] = ui.TextInput(
            custom_id="text",
            style=discord.TextStyle.paragraph,
            placeholder="A page's text, BibTeX, RIS, or abstracts with a blank line between them",
            max_length=LONGEST_PASTE,
        )
        self.add_item(
            ui.Label(
                text="Listing",
                description="Longer than 4,000 characters? Use /listing add with a file.",
                component=self._text,
            )
        )

    async def on_submit(self, interaction: Interaction) -> None:
        """Reads what was pasted and tells what became of it."""
        await deliver(interaction, self._read(), private=True, where="form paste")

    async def _read(self) -> Answer:
        return Answer(view=listing_report(await self._listings.add_text(self._text.value)))
