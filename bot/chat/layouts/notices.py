"""Short private messages: a sentence, a refusal, an apology."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discord import ui

from bot.chat.layouts.frame import RED, YELLOW, Piece, board, lines
from bot.chat.render import shown

if TYPE_CHECKING:
    from collections.abc import Sequence


def notice(text: str, *rows: Sequence[Piece]) -> ui.LayoutView:
    """One short message; its text is Markdown of ours, with what others wrote escaped already."""
    view = ui.LayoutView(timeout=None)
    view.add_item(ui.TextDisplay(text))
    for row in rows:
        view.add_item(ui.ActionRow(*row))
    return view


def refusal(sentence: str) -> ui.LayoutView:
    """A request that is not granted, and what to do."""
    return board([lines(shown(sentence, 1500) or "That is not possible.")], colour=YELLOW)


def apology(reference: str) -> ui.LayoutView:
    """A fault of ours, with the reference under which the log has it."""
    return board(
        [
            lines(
                "Sorry, something went wrong here. It is noted, and nothing that I answered "
                "before is lost.",
                f"-# Reference `{reference}` · whoever runs me finds it in the log.",
            )
        ],
        colour=RED,
    )
