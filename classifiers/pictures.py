"""Draws a grade: how far probabilities can be trusted, and what is taken for what."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from classifiers.evaluation import Evaluation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DOTS_AN_INCH: Final = 150
_DARK: Final = 0.6


def draw(evaluation: Evaluation, folder: Path) -> tuple[Path, ...]:
    """Writes `reliability.png`, `confusion.png` and `coverage.png` into the folder.

    The folder is made if need be. Gives the paths; raises `OSError` where it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    return (
        _save(_reliability(evaluation), folder / "reliability.png"),
        _save(_confusion(evaluation), folder / "confusion.png"),
        _save(_coverage(evaluation), folder / "coverage.png"),
    )


def _axes(title: str, across: str, up: str) -> "tuple[Figure, Any]":
    # Figures of their own, not pyplot's, need no screen and leave no state behind.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    # Matplotlib's types are known in part only.
    axes = cast("Any", figure.add_subplot())
    axes.set_title(title)
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    return figure, axes


def _save(figure: "Figure", path: Path) -> Path:
    cast("Any", figure).savefig(path, dpi=_DOTS_AN_INCH)
    return path


def _reliability(evaluation: Evaluation) -> "Figure":
    figure, axes = _axes(
        f"Calibration error {evaluation.calibration_error:.3f}",
        "probability of the likeliest tag",
        "how often it is right",
    )
    axes.plot([0, 1], [0, 1], color="grey", linestyle="--", linewidth=1)
    told = [point.confidence for point in evaluation.reliability]
    right = [point.accuracy for point in evaluation.reliability]
    axes.plot(told, right, marker="o")
    for number, point in enumerate(evaluation.reliability):
        axes.annotate(
            str(point.papers),
            (point.confidence, point.accuracy),
            textcoords="offset points",
            # Above and below in turn, since the surest tenths lie close together.
            xytext=(-4, 8 if number % 2 else -14),
            horizontalalignment="right",
            fontsize=8,
        )
    axes.set_xlim(0.3, 1.02)
    axes.set_ylim(0, 1.02)
    return figure


def _confusion(evaluation: Evaluation) -> "Figure":
    figure, axes = _axes(
        f"{evaluation.papers} papers, macro-F1 {evaluation.macro_f1:.3f}", "said", "true"
    )
    kinds = list(evaluation.confusion)
    rows = [[evaluation.confusion[true][said] for said in kinds] for true in kinds]
    shares = [[count / max(1, sum(row)) for count in row] for row in rows]
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    axes.set_xticks(range(len(kinds)), kinds)
    axes.set_yticks(range(len(kinds)), kinds)
    for up, row in enumerate(rows):
        for across, count in enumerate(row):
            colour = "white" if shares[up][across] > _DARK else "black"
            axes.text(across, up, str(count), ha="center", va="center", color=colour)
    return figure


def _coverage(evaluation: Evaluation) -> "Figure":
    figure, axes = _axes(
        f"Answered {evaluation.answered:.1%}, right {evaluation.answered_accuracy:.1%}",
        "share of papers answered, the surest first",
        "how often the answer is right",
    )
    axes.plot(
        [point.coverage for point in evaluation.coverage],
        [point.accuracy for point in evaluation.coverage],
        marker="o",
    )
    axes.plot([evaluation.answered], [evaluation.answered_accuracy], marker="x", color="black")
    return figure
