"""What the commands about corrections and retraining print."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from bot.cli.printing import print_json, print_line
from bot.triage.learning import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from bot.triage.learning import LearningState, Retraining
    from bot.triage.tagging import Corrected

_TOLD: Final = {
    Outcome.IN_PLACE: "The new model is in place.",
    Outcome.ACCEPTED: "The held model is in place.",
    Outcome.DISCARDED: "The held model is forgotten.",
    Outcome.REFUSED: "The new model is refused.",
    Outcome.HELD: "The new model is held; 'papertriage train --accept' puts it in place, "
    "'papertriage train --discard' forgets it.",
    Outcome.NOTHING: "There is no correction to learn from: /tag makes them, and /settings lets "
    "those of a server teach.",
    Outcome.FAILED: "The retraining failed, and the model stays.",
}


@contextmanager
def counting_bar(what: str) -> Generator[Callable[[int], None]]:
    """A count of papers on standard error, where that is a terminal."""
    console = Console(stderr=True)
    columns = (TextColumn(what), BarColumn(), TextColumn("{task.completed} papers"))
    with Progress(
        *columns,
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as progress:
        task = progress.add_task(what, total=None)
        yield lambda count: progress.advance(task, count)


def print_retraining(report: Retraining, *, json: bool) -> None:
    """What became of a retraining, and why."""
    if json:
        print_json(retraining_document(report))
        return
    print_line(_TOLD[report.outcome])
    for reason in report.reasons:
        print_line(f"- {reason}")
    if report.before is None or report.after is None:
        return
    papers = "1 corrected paper" if report.papers == 1 else f"{report.papers} corrected papers"
    people = "1 person" if report.people == 1 else f"{report.people} people"
    print_line(f"Learnt {papers} of {people}.")
    scores = ", ".join(
        f"{name} {report.before[name]:.3f} to {score:.3f}" for name, score in report.after.items()
    )
    print_line(f"F1 on held-out papers: {scores}.")
    print_line(f"{report.moved} of {report.looked_at} other papers looked at change tag.")


def retraining_document(report: Retraining) -> dict[str, object]:
    """The same for a script."""
    return {
        "outcome": report.outcome.value,
        "at": report.at.isoformat(),
        "reasons": list(report.reasons),
        "model": report.model,
        "papers": report.papers,
        "people": report.people,
        "servers": report.servers,
        "before": report.before,
        "after": report.after,
        "moved": report.moved,
        "looked_at": report.looked_at,
    }


def learning_document(state: LearningState) -> dict[str, object]:
    """How the learning stands, for a script."""
    return {
        "retrained": state.retrained,
        "trouble": state.trouble,
        "judged": state.judged,
        "tagged": state.tagged,
        "last": retraining_document(state.last) if state.last else None,
    }


def print_learning(state: LearningState) -> None:
    """How the learning stands, in lines."""
    if state.trouble:
        print_line(state.trouble)
    if state.judged < state.tagged:
        print_line(f"judging the library again: {state.judged} of {state.tagged}")
    if state.last is not None:
        why = f" ({'; '.join(state.last.reasons)})" if state.last.reasons else ""
        print_line(f"last retraining {state.last.at:%Y-%m-%d}: {state.last.outcome.value}{why}")


def print_correction(corrected: Corrected) -> None:
    """What a correction changed, and who says what now."""
    said = "; ".join(f"{word.member.name} says {word.tag}" for word in corrected.standing)
    print_line(
        f"#{corrected.paper_id} is {corrected.after or 'untagged'} now, "
        f"before {corrected.before or 'untagged'}{f' ({said})' if said else ''}."
    )
