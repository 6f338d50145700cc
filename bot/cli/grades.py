"""What training and grading the tagger print."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.table import Table

from bot.cli.printing import print_json, print_line, terminal

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from classifiers import Evaluation, Manifest


def print_manifest(manifest: Manifest, folder: Path, *, json: bool) -> None:
    """What a training made."""
    if json:
        print_json({"model": str(folder)} | asdict(manifest))
        return
    print_line(f"The model is in {folder}; grade it: papertriage evaluate LABELS --model {folder}")


def print_evaluation(evaluation: Evaluation, pictures: Sequence[Path] = (), *, json: bool) -> None:
    """A tagger's grades: per class, confusion, calibration, coverage, and where pictures went."""
    if json:
        print_json(asdict(evaluation) | {"pictures": [str(path) for path in pictures]})
        return
    console = terminal()
    table = Table("tag", "papers", "precision", "recall", "F1")
    for name, score in evaluation.types.items():
        said = sum(row[name] for row in evaluation.confusion.values())
        # A kind that no paper has, and none was taken for, has no grade.
        numbers = [
            f"{value:.3f}" if asked else "–"
            for value, asked in (
                (score.precision, said),
                (score.recall, score.support),
                (score.f1, said + score.support),
            )
        ]
        table.add_row(name, str(score.support), *numbers)
    console.print(table)
    confusion = Table("true / said", *evaluation.confusion)
    for name, row in evaluation.confusion.items():
        confusion.add_row(name, *(str(row[other]) for other in evaluation.confusion))
    console.print(confusion)
    calibration = Table("probability", "papers", "said on average", "right")
    for point in evaluation.reliability:
        tenth = f"{point.low:.1f} to {point.low + 0.1:.1f}"
        calibration.add_row(
            tenth, str(point.papers), f"{point.confidence:.3f}", f"{point.accuracy:.3f}"
        )
    console.print(calibration)
    coverage = Table("answering the surest", *(f"{p.coverage:.0%}" for p in evaluation.coverage))
    coverage.add_row("right", *(f"{point.accuracy:.3f}" for point in evaluation.coverage))
    console.print(coverage)
    console.print(
        f"{evaluation.papers} papers: macro-F1 {evaluation.macro_f1:.3f}{_over(evaluation)},"
        f" accuracy {evaluation.accuracy:.3f},"
        f" calibration error {evaluation.calibration_error:.3f};"
        f" answered {evaluation.answered:.1%} at accuracy {evaluation.answered_accuracy:.3f}"
    )
    for path in pictures:
        print_line(f"Drawn: {path}")


def _over(evaluation: Evaluation) -> str:
    """Over which kinds the mean is taken, where some kind has no paper."""
    there = [name for name, score in evaluation.types.items() if score.support]
    return "" if len(there) == len(evaluation.types) else f" (of {' and '.join(there)})"
