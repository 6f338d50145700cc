"""The frame of every message: colours, headings, and text that shrinks until it fits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from discord import ui

from bot.chat.render import VIEW_CHARACTERS, size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

BLURPLE: Final = 0x5865F2
PINK: Final = 0xEB459E
GREEN: Final = 0x57F287
YELLOW: Final = 0xFEE75C
GREY: Final = 0x99AAB5
RED: Final = 0xED4245

TAG_COLOURS: Final = {"position": PINK, "theory": YELLOW, "methods": BLURPLE, "unsure": GREY}

# discord.py types a dynamic item as being of either kind of view, hence Any.
Piece: TypeAlias = ui.Item[Any]

ROW: Final = 5
_SCALES: Final = (1.0, 0.8, 0.65, 0.5, 0.35, 0.2)


class Scale:
    """How generous texts may be: full length where everything fits, less where it does not."""

    def __init__(self, factor: float) -> None:
        self._factor = factor

    def __call__(self, limit: int) -> int:
        """The limit for a text that may have `limit` characters at full length."""
        return max(int(limit * self._factor), 16)

    def lines(self, most: int) -> int:
        """How many lines of a kind there may be: all, until texts have lost half their length."""
        return max(min(int(most * self._factor * 2), most), 1)


def fitted(build: Callable[[Scale], ui.LayoutView]) -> ui.LayoutView:
    """The view at the most generous scale at which its text is within Discord's limit."""
    for factor in _SCALES:
        view = build(Scale(factor))
        if text_size(view) <= VIEW_CHARACTERS:
            return view
    raise ValueError("A layout has more fixed text than Discord takes.")


def text_size(view: ui.LayoutView) -> int:
    """The length of all text of a view, as Discord counts it."""
    return sum(
        size(item.content) for item in view.walk_children() if isinstance(item, ui.TextDisplay)
    )


def board(
    parts: Iterable[Piece],
    *,
    colour: int = BLURPLE,
    rows: Iterable[Sequence[Piece]] = (),
) -> ui.LayoutView:
    """A framed message with rows of controls under it; empty rows are left out."""
    view = ui.LayoutView(timeout=None)
    view.add_item(ui.Container(*parts, accent_colour=colour))
    for row in rows:
        if row:
            view.add_item(ui.ActionRow(*row))
    return view


def lines(*texts: str) -> ui.TextDisplay[ui.LayoutView]:
    """One text component of the lines that are there."""
    return ui.TextDisplay("\n".join(text for text in texts if text))


def rule() -> ui.Separator[ui.LayoutView]:
    """A thin line."""
    return ui.Separator()


def section(accessory: Piece, *texts: str) -> ui.Section[ui.LayoutView]:
    """Lines of text with a control at their right."""
    return ui.Section("\n".join(text for text in texts if text), accessory=accessory)
