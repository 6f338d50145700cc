"""What the tagger learnt from corrections, in lines for /about and /stats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.chat.render import count, day, shown, small
from bot.triage.learning import Outcome

if TYPE_CHECKING:
    from bot.triage.learning import LearningState, Retraining

_TOLD: Final = {
    Outcome.IN_PLACE: "the new model is in use",
    Outcome.ACCEPTED: "the new model was accepted by an admin and is in use",
    Outcome.DISCARDED: "the new model was discarded by an admin",
    Outcome.REFUSED: "the new model was refused",
    Outcome.HELD: "the new model waits for whoever runs me (`papertriage train --accept`)",
    Outcome.NOTHING: "there was no correction to learn from",
    Outcome.FAILED: "it failed, and the model stayed",
}


def learning_lines(state: LearningState) -> list[str]:
    """Which model is in use and why, what the last retraining changed, and how far it is."""
    told: list[str] = []
    if state.trouble:
        told.append(small(f"⚠ {shown(state.trouble, 300)}"))
    if state.last is not None:
        told.append(small(_last(state.last)))
    told.append(progress_line(state))
    return [line for line in told if line]


def progress_line(state: LearningState) -> str:
    """How much of the library the model in use has judged; nothing once it is all."""
    if state.judged >= state.tagged:
        return ""
    return small(f"judging the library again: {state.judged:,} of {count(state.tagged, 'paper')}")


def _last(last: Retraining) -> str:
    why = f": {shown('; '.join(last.reasons), 300)}" if last.reasons else ""
    told = f"last retraining {day(last.at.date())}: {_TOLD[last.outcome]}{why}"
    if last.before is None or last.after is None:
        return told
    scores = ", ".join(
        f"{name} {last.before[name]:.3f} → {score:.3f}" for name, score in last.after.items()
    )
    learnt = f"{count(last.papers, 'corrected paper')} of {count(last.people, 'member')}"
    moved = f"; {last.moved:,} of {last.looked_at:,} papers change tag" if last.looked_at else ""
    return f"{told}. Learnt {learnt}; F1 {scores}{moved}"
