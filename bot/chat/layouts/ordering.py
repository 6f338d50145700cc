"""A digest that is not ordered yet: what it would have posted, as a small chart, and what next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.chat.components import BLUE, button
from bot.chat.layouts.digest import order_in_words
from bot.chat.layouts.frame import Scale, board, fitted, lines, rule
from bot.chat.render import count, shown, small

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discord import ui

    from bot.chat.layouts.frame import Piece
    from bot.triage.subscribing import Drafted, History, HistoryDay

# Four rows of block characters, each of eight steps; the lot is 34 wide, as a phone shows.
ROWS: Final = 4
_STEPS: Final = " ▁▂▃▄▅▆▇█"
_OVER: Final = "░"
_QUIET: Final = "·"


def draft_page(drafted: Drafted) -> ui.LayoutView:
    """A draft with its chart, beside that of the order it changes, and the buttons that go on."""
    draft, order = drafted.draft, drafted.draft.order
    changed = drafted.was is not None and drafted.was != order

    def build(scale: Scale) -> ui.LayoutView:
        heading = f"### Digest {draft.edits}" if draft.edits else "### A new digest"
        parts: list[Piece] = [
            lines(
                heading,
                order_in_words(order, scale(200)),
                small(f"read as: {shown(drafted.read_as, scale(300))}") if drafted.read_as else "",
                *(small(shown(note, scale(200))) for note in drafted.notes[:3]),
            ),
            rule(),
        ]
        if drafted.before is not None and changed:
            top = max(_top(drafted.before), _top(drafted.history))
            parts += [
                _told("As it is, the last 30 days", drafted.before, top),
                _told("As it would be", drafted.history, top),
            ]
        else:
            head = "The last 30 days would have brought"
            parts.append(_told(head, drafted.history, _top(drafted.history)))
        return board(
            parts,
            rows=[
                [
                    button(f"pt:order-save:{draft.key}", "Save", BLUE),
                    button(f"pt:order-when:{draft.key}", "Change time"),
                    button(f"pt:order-what:{draft.key}", "Change papers"),
                    button(f"pt:order-where:{draft.key}", "Change place"),
                    button(f"pt:order-cancel:{draft.key}", "Cancel"),
                ]
            ],
        )

    return fitted(build)


def _told(heading: str, history: History, top: int) -> ui.TextDisplay[ui.LayoutView]:
    if not any(day.matched for day in history.days):
        return lines(f"**{heading}**", _nothing(history))
    cut = (
        f"{_OVER} {count(history.cut, 'paper')} on {count(history.days_cut, 'day')} over the "
        f"maximum of {history.maximum}"
    )
    return lines(
        f"**{heading}**",
        f"```\n{bar_chart(history.days, history.maximum, top)}\n```",
        small(
            f"a digest: min {history.least}",
            f"median {history.median:g}",
            f"max {history.most}",
            count(history.quiet, "quiet day") if history.quiet else "",
        ),
        small(cut) if history.cut else "",
    )


def _nothing(history: History) -> str:
    if not history.candidates:
        return (
            "No paper came in these 30 days, so there is nothing to count. Bring some in with "
            "`/listing add` or `/listing sources add`."
        )
    papers = count(history.candidates, "paper")
    return f"Nothing: {papers} came, and none fits. Ask for fewer words, tags or topics at once."


def _top(history: History) -> int:
    """The value of a full column; days far over the maximum don't flatten the others."""
    return max(1, min(max(day.matched for day in history.days), 2 * history.maximum))


def bar_chart(days: Sequence[HistoryDay], maximum: int, top: int) -> str:
    """One column a day, of which a full one stands for `top` papers, with dates under it.

    What is over the maximum is drawn lighter; a due day without papers is a dot, and a day on
    which nothing was due is blank.
    """
    width = len(str(top))
    drawn: list[str] = []
    for row in reversed(range(ROWS)):
        label = str(top) if row == ROWS - 1 else "0" if row == 0 else ""
        cells = "".join(_cell(day, row, maximum, top) for day in days)
        drawn.append(f"{label:>{width}}│{cells}".rstrip())
    return "\n".join([*drawn, " " * (width + 1) + _dates(days)])


def _cell(day: HistoryDay, row: int, maximum: int, top: int) -> str:
    steps = ROWS * 8
    posted = _level(min(day.matched, maximum), top, steps) - row * 8
    if posted > 0:
        return _STEPS[min(posted, 8)]
    if _level(day.matched, top, steps) - row * 8 >= 4:
        return _OVER
    return _QUIET if row == 0 and day.due else " "


def _level(papers: int, top: int, steps: int) -> int:
    """How many steps high a column is; a single paper is seen as well."""
    return max(1, round(min(papers, top) * steps / top)) if papers else 0


def _dates(days: Sequence[HistoryDay]) -> str:
    """The first, the middle and the last date, under their columns."""
    first, middle, last = (
        f"{days[place].day.day} {days[place].day:%b}" for place in (0, len(days) // 2, -1)
    )
    line = first.ljust(len(days) // 2 - len(middle) // 2) + middle
    return line.ljust(len(days) - len(last)) + last
