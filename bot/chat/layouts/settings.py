"""What a server chose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.chat.layouts.frame import board, lines
from bot.chat.render import day, shown, small

if TYPE_CHECKING:
    from discord import ui

    from data.store.corrections import Consent


def settings_page(consent: Consent) -> ui.LayoutView:
    """The settings of a server, what they mean, and who chose them."""
    said = (
        "Tag corrections made here help to retrain the tagger that all servers of this "
        "installation share. Who said what is never shown elsewhere."
        if consent.training
        else "Tag corrections made here change what this server sees, and nothing else. "
        "`/settings training:on` lets them teach the tagger too."
    )
    who = (
        f"set by {shown(consent.member.name, 60)} on {day(consent.at.date())}"
        if consent.member and consent.at
        else "nobody has changed it"
    )
    state = "on" if consent.training else "off"
    return board([lines("### Settings of this server", f"**training** {state}", said, small(who))])
