"""Sources and how asking them went."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.chat.layouts.frame import BLURPLE, GREY, Scale, board, fitted, lines
from bot.chat.render import count, day, shown, small
from bot.triage.polling import told_together

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from discord import ui

    from bot.triage.polling import PollReport
    from bot.triage.sources import SourceState
    from data.store.sources import PartOutcome

MOST_SOURCES: Final = 15
MOST_OUTCOMES: Final = 12


def source_list(states: Sequence[SourceState]) -> ui.LayoutView:
    """All sources with the last outcome of each of their channels."""
    if not states:
        nothing = "Nothing is asked for papers by itself. Add one with `/listing sources add`."
        return board([lines("### Sources", nothing)], colour=GREY)

    def build(scale: Scale) -> ui.LayoutView:
        told = [line for state in states[:MOST_SOURCES] for line in _one(state, scale)]
        rest = len(states) - MOST_SOURCES
        more = small(f"and {count(rest, 'more source')}") if rest > 0 else ""
        return board([lines("### Sources", *told, more)])

    return fitted(build)


def _one(state: SourceState, scale: Scale) -> Iterable[str]:
    source = state.source
    due = "paused" if source.paused else f"next <t:{int(source.next_poll.timestamp())}:R>"
    yield f"**{source.id}** · {shown(source.name, scale(80))} · {due}"
    yield from outcome_lines(state.channels, scale)


def poll_report(report: PollReport) -> ui.LayoutView:
    """What came of asking one source."""

    def build(scale: Scale) -> ui.LayoutView:
        heading = f"### {shown(report.source.name, scale(80))}"
        new = count(report.new, "new paper")
        due = f"<t:{int(report.next_poll.timestamp())}:R>"
        again = small("the source is kept", f"asked again {due}") if report.failed else ""
        return board(
            [lines(heading, new, *outcome_lines(report.outcomes, scale), again)],
            colour=BLURPLE if report.new else GREY,
        )

    return fitted(build)


def outcome_lines(outcomes: Sequence[PartOutcome], scale: Scale) -> Iterable[str]:
    """One small line for each channel: announced when, read, new, or why nothing came."""
    for channels, outcome in told_together(outcomes)[:MOST_OUTCOMES]:
        yield small(
            shown(", ".join(channels), scale(60)),
            f"{outcome.outcome.value} {day(outcome.day)}" if outcome.day else outcome.outcome.value,
            f"{outcome.read:,} read" if outcome.read else "",
            f"{outcome.new:,} new" if outcome.new else "",
            f"{outcome.late:,} late" if outcome.late else "",
            shown(outcome.sentence, scale(160)),
        )
