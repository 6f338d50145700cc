"""Commands about standing sources: adding, listing, pausing, removing, polling them."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.common import (
    EXIT_NO_SERVICE,
    EXIT_SOME_REFUSED,
    SHELL,
    Json,
    Unusable,
    help_where_bare,
    with_services,
)
from bot.cli.printing import print_json, print_line
from bot.triage.polling import told_together

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.triage.polling import PollReport
    from bot.triage.services import Services
    from bot.triage.sources import SourceState
    from data.store.sources import PartOutcome

app = typer.Typer(
    name="sources",
    help="Sources that are polled regularly.",
    invoke_without_command=True,
    callback=help_where_bare,
)

Name = Annotated[
    str, typer.Argument(metavar="NAME", help="The source's name, its beginning, or its number.")
]


@app.command("add")
def add(
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT",
            help="Categories (cs.LG, stat.ML), an arXiv query, a feed's address, hf-daily, or an "
            "OpenReview venue (ICLR.cc/2026/Conference).",
        ),
    ],
    kind: Annotated[
        str | None, typer.Option(help="arxiv, arxiv-query, feed, hf-daily or openreview.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="What to call it.")] = None,
    json: Json = False,
) -> None:
    """Add a source and learn what it holds; no digest takes that as news."""

    async def action(services: Services) -> None:
        sources = services.sources
        source = await sources.add(what, by=SHELL, kind=kind, name=name)
        report = await sources.poll(f"#{source.id}")
        if report.unread and not json:
            raise Unusable(
                f"“{source.name}” could not be read yet; it is kept as a source and asked again "
                f"from {report.next_poll:%Y-%m-%d %H:%M} UTC on while the bot runs, or with "
                f"'papertriage sync'. {report.outcomes[0].sentence}",
                EXIT_NO_SERVICE,
            )
        _finish([report], json=json)

    with_services(action)


@app.command("list")
def list_sources(json: Json = False) -> None:
    """Show all sources with their last outcomes."""

    async def action(services: Services) -> None:
        states = await services.sources.list()
        if json:
            print_json({"sources": [_state_document(state) for state in states]})
            return
        if not states:
            print_line("There are no sources yet; add one: papertriage sources add 'cs.LG'.")
        for state in states:
            source = state.source
            paused = ", paused" if source.paused else f", due {source.next_poll:%Y-%m-%d %H:%M} UTC"
            print_line(f"#{source.id} {source.name} ({source.kind}{paused})")
            _print_outcomes(state.channels)

    with_services(action)


@app.command("pause")
def pause(name: Name) -> None:
    """Stop polling a source for a while."""

    async def action(services: Services) -> None:
        source = await services.sources.pause(name, paused=True)
        print_line(f"“{source.name}” is paused; resume it with 'papertriage sources resume'.")

    with_services(action)


@app.command("resume")
def resume(name: Name) -> None:
    """Go on polling a source."""

    async def action(services: Services) -> None:
        source = await services.sources.pause(name, paused=False)
        print_line(f"“{source.name}” is polled again, from now on.")

    with_services(action)


@app.command("remove")
def remove(name: Name) -> None:
    """End a source; its papers stay in the library."""

    async def action(services: Services) -> None:
        source = await services.sources.remove(name)
        print_line(f"“{source.name}” is no source any more; its papers stay.")

    with_services(action)


@app.command("poll")
def poll(name: Name, json: Json = False) -> None:
    """Ask one source now."""

    async def action(services: Services) -> None:
        _finish([await services.sources.poll(name)], json=json)

    with_services(action)


@app.command("reread")
def reread(name: Name) -> None:
    """Read a source's kept raw answers again, after its format changed."""

    async def action(services: Services) -> None:
        new = await services.sources.reread(name)
        print_line(f"{new} papers were new in the answers that are kept.")

    with_services(action)


def sync(json: Json = False) -> None:
    """Ask every source now."""

    async def action(services: Services) -> None:
        reports = await services.sources.poll_all()
        if not reports and not json:
            print_line("There are no sources to ask; add one: papertriage sources add 'cs.LG'.")
        _finish(reports, json=json)

    with_services(action)


def _finish(reports: Sequence[PollReport], *, json: bool) -> None:
    """Prints what came; leaves with 69 where nothing could be read at all, 1 where some could."""
    if json:
        print_json(
            {
                "new": sum(report.new for report in reports),
                "sources": [
                    {"name": report.source.name, "new": report.new}
                    | {"next_poll": report.next_poll.isoformat()}
                    | {"outcomes": [_document(outcome) for outcome in report.outcomes]}
                    for report in reports
                ],
            }
        )
    else:
        for report in reports:
            print_line(f"#{report.source.id} {report.source.name}: {report.new} new")
            _print_outcomes(report.outcomes)
    if reports and all(report.failed for report in reports):
        raise typer.Exit(EXIT_NO_SERVICE)
    if any(report.failed for report in reports):
        raise typer.Exit(EXIT_SOME_REFUSED)


def _print_outcomes(outcomes: Sequence[PartOutcome]) -> None:
    for channels, outcome in told_together(outcomes):
        day = f" {outcome.day}" if outcome.day else ""
        counts = f", {outcome.read} read, {outcome.new} new" if outcome.read else ""
        print_line(f"  {', '.join(channels)}: {outcome.outcome}{day}{counts}. {outcome.sentence}")


def _state_document(state: SourceState) -> dict[str, object]:
    source = state.source
    return {
        "id": source.id,
        "name": source.name,
        "kind": source.kind.value,
        "spec": source.spec,
        "paused": source.paused,
        "failures": source.failures,
        "next_poll": source.next_poll.isoformat(),
        "channels": [_document(outcome) for outcome in state.channels],
    }


def _document(outcome: PartOutcome) -> dict[str, object]:
    fields: dict[str, object] = asdict(outcome)
    return fields | {
        "outcome": outcome.outcome.value,
        "day": outcome.day.isoformat() if outcome.day else None,
        "first_at": outcome.first_at.isoformat(),
        "last_at": outcome.last_at.isoformat(),
    }
