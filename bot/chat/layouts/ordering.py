"""A digest that is not ordered yet: what it would have posted, as a small chart, and what next."""

from __future__ import annotations

from datetime import timedelta
from itertools import groupby
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

_STEPS: Final = "▁▂▃▄▅▆▇█"
_QUIET: Final = "·"
_OVER: Final = "+"
_WEEK: Final = "        M T W T F S S"


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
        f"{_OVER} {count(history.cut, 'paper')} left out on {count(history.days_cut, 'day')} by "
        f"the maximum of {history.maximum}"
    )
    return lines(
        f"**{heading}**",
        f"```\n{bar_chart(history.days, history.maximum, top)}\n```",
        small(
            f"papers a digest: min {history.least}",
            f"median {history.median:g}",
            f"max {history.most}",
            count(history.quiet, "quiet day") if history.quiet else "",
        ),
        small(cut) if history.cut else "",
        small(_coming(history)) if history.coming else "",
    )


def _nothing(history: History) -> str:
    """Why no bar can be drawn, and what the next digest would hold all the same."""
    came = history.candidates + history.since
    if history.coming:
        none = f"Nothing on these days: {count(history.candidates, 'paper')} came, and none fits. "
        return (none if history.candidates else "") + _coming(history)
    if came:
        return (
            f"Nothing: {count(came, 'paper')} came, and none fits. Ask for fewer words, tags or "
            "topics at once."
        )
    if history.learnt:
        return (
            f"{count(history.learnt, 'paper')} came since the last slot, with the first reading "
            "of a source. That only learns what is there, so the next digest does not hold them."
        )
    return (
        "No paper came in these 30 days, so there is nothing to count. Bring some in with "
        "`/listing add` or `/listing sources add`."
    )


def _coming(history: History) -> str:
    """What came too late for the last bar."""
    came, fit = history.since, history.coming
    if fit == came:
        those = "it would be" if fit == 1 else "they would be"
    else:
        those = "1 of them fits and would be" if fit == 1 else f"{fit:,} of them fit and would be"
    cut = f", which shows {history.maximum}" if fit > history.maximum else ""
    return f"{count(came, 'paper')} came since the last slot; {those} in the next digest{cut}."


def _top(history: History) -> int:
    """The value of a full bar."""
    return max(1, history.most)


def bar_chart(days: Sequence[HistoryDay], maximum: int, top: int) -> str:
    """A line for each week with a bar for each day, a full one for `top` papers, and their sum.

    A dot is a digest without papers, a blank a day on which none was due; a plus follows a day
    that had more than the maximum. The lines are 26 wide, so that a phone doesn't break them.
    """
    drawn = [_WEEK]
    for monday, week in groupby(days, key=lambda day: day.day - timedelta(day.day.weekday())):
        shown_days = list(week)
        cells = {day.day.weekday(): _bar(day, maximum, top) for day in shown_days}
        bars = "".join(cells.get(weekday, "  ") for weekday in range(7))
        posted = sum(min(day.matched, maximum) for day in shown_days)
        drawn.append(f"{monday.day:>2} {monday:%b}  {bars}{posted:>4}")
    return "\n".join(drawn)


def _bar(day: HistoryDay, maximum: int, top: int) -> str:
    if not day.due:
        return "  "
    posted = min(day.matched, maximum)
    if not posted:
        return f"{_QUIET} "
    step = max(1, round(posted * len(_STEPS) / top))
    return _STEPS[min(step, len(_STEPS)) - 1] + (_OVER if day.matched > maximum else " ")
