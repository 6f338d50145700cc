"""Commands about tags and the tagger's model: correcting, retraining, training, grading."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.bootstrap import models_of
from bot.cli.common import (
    EXIT_SOME_REFUSED,
    SHELL,
    Json,
    Server,
    Unusable,
    named_member,
    server,
    settings,
    with_services,
)
from bot.cli.grades import print_evaluation, print_manifest
from bot.cli.printing import complain
from bot.cli.retraining import counting_bar, print_correction, print_retraining
from bot.triage.learning import Outcome
from data.store.corrections import SHELL_SERVER

if TYPE_CHECKING:
    from collections.abc import Generator

    from bot.triage.services import Services
    from classifiers import Evaluation, LabelFile

Labels = Annotated[
    Path, typer.Argument(metavar="LABELS", help="JSON lines with title, abstract and label.")
]


def train(
    labels: Annotated[
        Path | None,
        typer.Argument(
            metavar="LABELS", help="JSON lines with title, abstract and label; none: corrections."
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="The folder for a model of a label file.")] = Path(
        "tagger"
    ),
    accept: Annotated[
        bool, typer.Option("--accept", help="Put the retrained model in place that was held.")
    ] = False,
    discard: Annotated[
        bool, typer.Option("--discard", help="Forget the retrained model that was held.")
    ] = False,
    json: Json = False,
) -> None:
    """Retrain the tagger on members' corrections, or train one on a label file."""
    if accept and discard:
        raise Unusable("Choose one of --accept and --discard.")
    if labels is None:
        _learn(accept=accept, discard=discard, json=json)
        return
    if accept or discard:
        raise Unusable("--accept and --discard are about a retrained model; name no label file.")
    from classifiers import train as train_tagger

    settings()
    with _sentences():
        read = _read(labels)
        try:
            manifest = train_tagger(read.papers, out, today=datetime.now(UTC).date())
        except OSError as error:
            raise Unusable(
                f"The model cannot be written into {out} ({error.strerror or error}); name a "
                "folder that can be."
            ) from None
    print_manifest(manifest, out, json=json)
    if read.bad_lines:
        raise typer.Exit(EXIT_SOME_REFUSED)


def _learn(*, accept: bool, discard: bool, json: bool) -> None:
    async def action(services: Services) -> None:
        learning = services.learning
        if accept:
            report = await learning.accept()
        elif discard:
            report = await learning.discard()
        else:
            report = await learning.retrain()
        with counting_bar("Judging again") as progress:
            await services.tagging.tag_again(progress=progress)
        print_retraining(report, json=json)
        if report.outcome in (Outcome.REFUSED, Outcome.HELD):
            raise typer.Exit(EXIT_SOME_REFUSED)

    with _sentences():
        with_services(action)


def correct(
    paper: Annotated[
        str, typer.Argument(metavar="PAPER", help="A number, id, address or piece of a title.")
    ],
    tag: Annotated[
        str,
        typer.Argument(
            metavar="TAG", help="position, theory, methods, or withdraw to take it back."
        ),
    ],
    server_id: Server = None,
    by: Annotated[str, typer.Option(help="Who says so.")] = SHELL,
) -> None:
    """Correct a paper's tag, as /tag does."""

    async def action(services: Services) -> None:
        known = await services.shelf.servers()
        # A mistyped id would found a server, and every later command would have to choose.
        if server_id and server_id not in known:
            used = f"it is used by {known}" if known else "no server has used it yet"
            raise Unusable(f"The library knows no server {server_id}; {used}.")
        guild = await server(services, server_id) if known else SHELL_SERVER
        found = await services.library.find(paper)
        corrected = await services.tagging.correct(guild, named_member(by), found.id, tag)
        print_correction(corrected)

    with_services(action)


def evaluate(
    labels: Labels,
    model: Annotated[
        Path | None, typer.Option(help="A model's folder instead of the one in use.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="A folder for the pictures.")] = None,
    json: Json = False,
) -> None:
    """Grade a tagger on labelled papers."""
    from classifiers import Tagger
    from classifiers import evaluate as evaluate_tagger

    chosen = settings()
    with _sentences():
        read = _read(labels)
        tagger = Tagger.load(model) if model else models_of(chosen).load()
        evaluation = evaluate_tagger(tagger, read.papers)
    pictures = _draw(evaluation, out) if out else ()
    print_evaluation(evaluation, pictures, json=json)
    if read.bad_lines:
        raise typer.Exit(EXIT_SOME_REFUSED)


def _draw(evaluation: Evaluation, folder: Path) -> tuple[Path, ...]:
    from classifiers.pictures import draw

    try:
        return draw(evaluation, folder)
    except OSError as error:
        raise Unusable(
            f"The pictures cannot be written into {folder} ({error.strerror or error}); name a "
            "folder that can be."
        ) from None


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
