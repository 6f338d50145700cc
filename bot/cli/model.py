"""Commands about the tagger's model: training and grading it."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.bootstrap import load_tagger
from bot.cli.common import EXIT_SOME_REFUSED, Json, Unusable, settings
from bot.cli.printing import complain, print_evaluation, print_manifest

if TYPE_CHECKING:
    from collections.abc import Generator

    from classifiers import LabelFile

Labels = Annotated[Path, typer.Argument(help="JSON lines with title, abstract and label.")]


def train(
    labels: Labels,
    out: Annotated[Path, typer.Option(help="The folder for the model.")] = Path("tagger"),
    json: Json = False,
) -> None:
    """Train a tagger on labelled papers."""
    from classifiers import train as train_tagger

    settings()
    with _sentences():
        read = _read(labels)
        manifest = train_tagger(read.papers, out, today=datetime.now(UTC).date())
    print_manifest(manifest, out, json=json)
    if read.bad_lines:
        raise typer.Exit(EXIT_SOME_REFUSED)


def evaluate(
    labels: Labels,
    model: Annotated[
        Path | None, typer.Option(help="A model's folder instead of the shipped model.")
    ] = None,
    json: Json = False,
) -> None:
    """Grade a tagger on labelled papers."""
    from classifiers import Tagger
    from classifiers import evaluate as evaluate_tagger

    settings()
    with _sentences():
        read = _read(labels)
        tagger = Tagger.load(model) if model else load_tagger()
        evaluation = evaluate_tagger(tagger, read.papers)
    print_evaluation(evaluation, json=json)
    if read.bad_lines:
        raise typer.Exit(EXIT_SOME_REFUSED)


def _read(path: Path) -> LabelFile:
    from classifiers import read_labels

    read = read_labels(path)
    for bad in read.bad_lines:
        complain(f"{path}, line {bad.line}: {bad.reason}")
    return read


@contextmanager
def _sentences() -> Generator[None]:
    """Turns the tagger's refusals into one sentence and status 2."""
    from classifiers import LabelsUnusable, ModelRefused

    try:
        yield
    except (LabelsUnusable, ModelRefused) as error:
        raise Unusable(str(error)) from None
