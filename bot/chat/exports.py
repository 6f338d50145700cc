"""A file as an answer."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import discord
from discord import ui

from bot.chat.answers import Answer
from bot.chat.layouts.notices import notice

if TYPE_CHECKING:
    from data.exports import ExportFile


def export_answer(file: ExportFile) -> Answer:
    """The exported queue, attached, with a line that says what it is."""
    attached = discord.File(io.BytesIO(file.content), filename=file.filename)
    view = notice("The reading queue of this server:")
    view.add_item(ui.File(attached))
    return Answer(view=view, files=(attached,))
