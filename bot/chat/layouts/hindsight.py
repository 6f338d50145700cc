"""The weekly note: what filters hid from a server that voted for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.chat.components import button, vote_button
from bot.chat.layouts.entries import title
from bot.chat.layouts.frame import BLURPLE, GREY, Scale, board, fitted, lines, section
from bot.chat.render import count, shown, small

if TYPE_CHECKING:
    from discord import ui

    from bot.triage.hindsight import Change, HiddenPaper, WeeklyNote

PAPERS_SHOWN: Final = 8


def weekly_note(note: WeeklyNote, key: str = "") -> ui.LayoutView:
    """The papers with the change of a filter that would have let each in.

    A key stands in the id of a control, for the message to be recognised by.
    """
    if not note.papers:
        voted = f" Members voted for {count(note.voted, 'paper')}." if note.voted else ""
        nothing = f"No digest's filter hid a paper that members voted for this week.{voted}"
        return board([lines("### In hindsight", nothing)], colour=GREY)
    rest = len(note.papers) - PAPERS_SHOWN

    def build(scale: Scale) -> ui.LayoutView:
        heading = f"{count(len(note.papers), 'paper')} that you voted for, but no digest showed"
        return board(
            [
                lines("### In hindsight", small(heading)),
                *(_entry(one, scale) for one in note.papers[:PAPERS_SHOWN]),
                *([lines(small(f"and {count(rest, 'more paper')}"))] if rest > 0 else []),
            ],
            colour=BLURPLE,
            rows=[[button(f"pt:queue-open:{key}", "Reading queue")] if key else []],
        )

    return fitted(build)


def _entry(one: HiddenPaper, scale: Scale) -> ui.Section[ui.LayoutView]:
    view = one.view
    return section(
        vote_button(view.paper.id, len(view.voters)),
        title(view.paper, scale),
        shown(change_in_words(one.change), scale(300)),
    )


def change_in_words(change: Change) -> str:
    """What to change, and what else that would have brought."""
    others = count(change.others, "other paper") if change.others else "nothing else"
    return (
        f"Digest {change.subscription.id} would let it in with {change.words}, which would have "
        f"brought {others} in the last 30 days."
    )
