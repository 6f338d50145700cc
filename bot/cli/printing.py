"""What the commands print: tables for people, or one JSON document for scripts."""

from __future__ import annotations

import json as json_text
import sys
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars
from rich.table import Table

from bot.triage.receipts import (
    coverage_line,
    order_told,
    quiet_reason,
    trouble_line,
    troubles,
)
from data.records import TAG_NAMES

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from bot.triage.cards import PaperStory
    from bot.triage.digest import Digest
    from bot.triage.following import Progress, Step
    from bot.triage.ingest import IngestReport
    from bot.triage.interest import Reason
    from bot.triage.shelf import Stats
    from bot.triage.upkeep import Check
    from bot.triage.voting import QueueItem, QueuePage
    from data.records import Refusal, TagJudgement

COUNTS = ("read", "new", "updated", "merged", "unchanged")

# What a table draws around a cell, and what is left of a path however narrow a terminal is.
_CELL = 3
_SHORTEST_PATH = 12


class _Console(Console):
    """Leaves it to the command line what a reader that went away means."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def terminal() -> Console:
    """Standard output, as wide as it is and without guesses at what to colour."""
    return _Console(highlight=False, soft_wrap=True)


def print_line(sentence: str) -> None:
    """One sentence on standard output."""
    terminal().print(escape(sentence))


def complain(sentence: str) -> None:
    """One sentence on standard error."""
    Console(stderr=True, highlight=False, soft_wrap=True).print(escape(sentence))


def print_json(document: object) -> None:
    """One JSON document on standard output."""
    json_text.dump(document, sys.stdout, ensure_ascii=ascii_only(), indent=2)
    sys.stdout.write("\n")


def ascii_only() -> bool:
    return not (sys.stdout.encoding or "").lower().startswith("utf")


@contextmanager
def reading_bar() -> Generator[Progress]:
    """Bars on standard error for what is read, tagged and indexed, where that is a terminal."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description:8}"),
        BarColumn(),
        TextColumn("{task.completed:,} papers"),
        TimeElapsedColumn(),
    )
    with Bars(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        names: dict[Step, str] = {"read": "Reading", "tagged": "Tagging", "indexed": "Indexing"}
        tasks = {step: bars.add_task(name, total=None) for step, name in names.items()}

        def advance(step: Step, count: int) -> None:
            bars.advance(tasks[step], count)

        yield advance


def print_ingest(report: IngestReport, *, json: bool) -> None:
    """What became of the records; refusals also go to standard error."""
    if json:
        print_json(
            {name: report.total(name) for name in COUNTS}
            | {"refused": [asdict(refusal) for refusal in report.refused]}
            | {
                "files": [
                    {"file": file.file, "format": file.format}
                    | {name: getattr(file, name) for name in COUNTS}
                    | {
                        "refused": [asdict(refusal) for refusal in file.refused],
                        "notes": list(file.notes),
                    }
                    for file in report.files
                ]
            }
        )
        return
    if not report.unreadable:
        terminal().print(_ingest_table(report))
    for file in report.files:
        for note in file.notes:
            complain(note)
        _complain_refused(file.refused)


def _ingest_table(report: IngestReport) -> Table:
    """A row a file; counts that are nought in every file have no column."""
    shown = [name for name in COUNTS if name in ("read", "new") or report.total(name)]
    headings = ["format", *shown, *(["refused"] if report.refused else [])]
    rows = [
        [file.format or "–", *(str(getattr(file, name)) for name in shown), str(len(file.refused))]
        for file in report.files
    ]
    widths = [max(map(len, cells)) for cells in zip(headings, *rows, strict=False)]
    room = terminal().width - sum(width + _CELL for width in widths) - _CELL - 1
    table = Table()
    for heading in ("file", *headings):
        table.add_column(heading, no_wrap=True)
    for file, cells in zip(report.files, rows, strict=True):
        table.add_row(escape(_end(file.file, room)), *cells[: len(headings)])
    return table


def _end(path: str, room: int) -> str:
    """The end of a long path, which is what tells it from its neighbours."""
    room = max(room, _SHORTEST_PATH)
    return path if len(path) <= room else f"…{path[1 - room :]}"


def _complain_refused(refused: Sequence[Refusal]) -> None:
    for refusal in refused:
        complain(refusal_in_words(refusal))


def refusal_in_words(refusal: Refusal) -> str:
    """What was refused, where, and why; a sentence on a whole file names the file itself."""
    if refusal.position == "file":
        return refusal.reason
    return f"{refusal.file}, {refusal.position}: {refusal.reason}"


def print_tags(
    texts: Sequence[tuple[str, str]], judgements: Sequence[TagJudgement], *, json: bool
) -> None:
    """Each paper's tag, in the order of the input."""
    if json:
        lines = ",\n".join(
            json_text.dumps(
                {
                    "title": title,
                    "tag": judgement.tag,
                    "secondary": judgement.secondary,
                    "probabilities": judgement.probabilities,
                    "reasons": [
                        {"text": text, "weight": weight} for text, weight in judgement.reasons
                    ],
                },
                ensure_ascii=ascii_only(),
            )
            for (title, _), judgement in zip(texts, judgements, strict=True)
        )
        # A paper a line: laying each out over twenty lines took longer than judging it.
        sys.stdout.write(f'{{"papers": [\n{lines}\n]}}\n')
        return
    table = Table("tag", "position", "theory", "methods", "because of", "paper")
    for (title, abstract), judgement in zip(texts, judgements, strict=True):
        chances = [
            f"{judgement.probabilities[name]:.0%}" for name in ("position", "theory", "methods")
        ]
        words = ", ".join(text for text, weight in judgement.reasons if weight > 0)[:40]
        words = words or _nothing_to_judge(judgement)
        table.add_row(judgement.tag, *chances, escape(words), escape((title or abstract)[:60]))
    terminal().print(table)


def _nothing_to_judge(judgement: TagJudgement) -> str:
    """Why a text could not be judged, where that is so; such a reason weighs nothing."""
    return next((text for text, weight in judgement.reasons if not weight), "")


def _reason(reason: Reason) -> str:
    voters = "1 member" if reason.votes == 1 else f"{reason.votes} members"
    wanted = f"{voters} voted for" if reason.votes else "was read"
    return f"like “{reason.title}”, which {wanted}"


def print_digest(digest: Digest) -> None:
    """A digest as text, with its receipt."""
    console = terminal()
    named = ((digest.counts.get(name, 0), name) for name in TAG_NAMES)
    counts = " · ".join(f"{count:,} {name}" for count, name in named if count)
    order, day, first = digest.subscription.order, digest.slot.local_date, digest.days[0]
    console.print(
        f"[bold]Papers · {day:%A} {day.day} {day:%B %Y}[/bold]"
        f"{f' · channel {order.channel_id}' if order.channel_id else ''}"
    )
    if len(digest.days) > 1:
        since = f"{first.day} {first:%B %Y}"
        console.print(f"[dim]{len(digest.days)} days in one, since {since}[/dim]")
    if digest.slot.total:
        console.print(f"[dim]{digest.slot.total:,} new{f' · {counts}' if counts else ''}[/dim]")
    else:
        console.print(f"Nothing new: {escape(quiet_reason(digest))}.")
    for item in digest.items:
        paper = item.view.paper
        console.print(f"\n[bold]#{paper.id} {escape(paper.title)}[/bold]")
        small_print = (
            item.view.tag or "untagged",
            "withdrawn" if paper.withdrawn else "late" if item.late else "",
            ", ".join(paper.authors[:3]),
        )
        told = " · ".join(piece for piece in small_print if piece)
        console.print(f"[dim]{escape(told)}[/dim]")
        if item.claim:
            console.print(escape(item.claim))
        if item.reason:
            console.print(f"[dim]{escape(_reason(item.reason))}[/dim]")
    if digest.hidden:
        console.print(f"\n[dim]and {digest.hidden:,} more[/dim]")
    console.print()
    if told := order_told(digest):
        console.print(f"[dim]{told}[/dim]")
    for revised in digest.revised:
        what = "withdrawn" if revised.revision.withdrawn else "revised"
        console.print(
            f"[dim]{what}: #{revised.view.paper.id} {escape(revised.view.paper.title)}[/]"
        )
    for source in digest.coverage:
        console.print(f"[dim]{escape(source.reading.name)} {coverage_line(source)}[/dim]")
    for outcome in troubles(digest):
        console.print(f"[dim]{escape(outcome.channel)} {escape(trouble_line(outcome))}[/dim]")
    if digest.withdrawn and digest.slot.total:
        console.print(f"[dim]{digest.withdrawn:,} withdrawn before it could be posted[/dim]")


def print_queue(page: QueuePage, *, json: bool) -> None:
    """A server's reading queue, next paper first."""
    if json:
        print_json({"queue": [_queued(item) for item in page.items]})
        return
    table = Table("votes", "state", "reader", "tag", "paper")
    for item in page.items:
        reader = item.entry.reader.name if item.entry.reader else ""
        paper = item.view.paper
        state = item.entry.state.value
        tag, named = item.view.tag or "untagged", escape(f"#{paper.id} {paper.title}")
        table.add_row(str(item.entry.votes), state, escape(reader), tag, named)
    terminal().print(table)


def _queued(item: QueueItem) -> dict[str, object]:
    return {
        "id": item.view.paper.id,
        "title": item.view.paper.title,
        "tag": item.view.tag,
        "state": item.entry.state.value,
        "votes": item.entry.votes,
        "voters": [member.name for member in item.entry.voters],
        "reader": item.entry.reader.name if item.entry.reader else None,
        "queued_at": item.entry.queued_at.isoformat(),
    }


def print_story(story: PaperStory) -> None:
    """A paper's history, oldest first."""
    console, paper = terminal(), story.card.view.paper
    console.print(f"[bold]#{paper.id} {escape(paper.title)}[/bold]")
    for sighting in story.card.sightings:
        announced = f", announced {sighting.announced}" if sighting.announced else ""
        console.print(
            f"seen {sighting.fetched:%Y-%m-%d %H:%M} as {sighting.announce_type.value} in "
            f"{escape(sighting.source)}, {escape(sighting.listing)}"
            f" ({escape(sighting.position)}{announced})"
        )
    for one in story.card.linked:
        venue = f" ({one.paper.venue})" if one.paper.venue else ""
        console.print(
            f"linked with #{one.paper.id} {escape(one.paper.title + venue)}, not merged:"
            f" {escape(one.reason)}"
        )
    if paper.withdrawn:
        console.print("withdrawn by its source")
    if paper.judgement:
        chances = ", ".join(f"{n} {p:.0%}" for n, p in paper.judgement.probabilities.items())
        words = ", ".join(
            f"“{escape(text)}”" for text, weight in paper.judgement.reasons if weight > 0
        )
        nothing = _nothing_to_judge(paper.judgement)
        why = f" for {words}" if words else f": {nothing}" if nothing else ""
        console.print(f"tagged {paper.judgement.tag} ({chances}){why}")
    for correction in story.card.corrections:
        agreed = "agreed that it is" if correction.tag == correction.was else ""
        done = agreed or f"corrected {correction.was} to"
        done = "took back" if correction.withdrawn else done
        console.print(
            f"{correction.at:%Y-%m-%d %H:%M} {escape(correction.member.name)} {done}"
            f" {correction.tag}"
        )
    if story.card.view.corrected:
        console.print(f"shown as {story.card.view.tag}")
    for merge in story.merges:
        split = f", split by {merge.split_by}" if merge.split_by else ""
        console.print(
            f"{merge.at:%Y-%m-%d %H:%M} #{merge.gone_id} merged into #{merge.kept_id} by "
            f"{escape(f'{merge.by}: {merge.reason}{split}')}"
        )
    if not story.fates:
        console.print("no digest is ordered, so none has it")
    for told in story.fates:
        where = f"digest {told.subscription.id} in channel {told.subscription.order.channel_id}"
        console.print(f"{where}: {escape(told.reason())}{f' {told.link}' if told.link else ''}")
    for event in story.events:
        console.print(f"{event.at:%Y-%m-%d %H:%M} {escape(event.member.name)} {event.event}")


def print_stats(stats: Stats, *, json: bool) -> None:
    """Numbers about the library and the model."""
    from bot.cli.retraining import learning_document, print_learning

    if json:
        print_json(
            {
                "papers": stats.numbers.papers,
                "sightings": stats.numbers.sightings,
                "tags": stats.numbers.tags,
                "sources": [source.name for source in stats.sources],
                "model": stats.model.model_id,
                "scores": stats.model.scores,
                "learning": learning_document(stats.learning),
            }
        )
        return
    console = terminal()
    counted = dict(stats.numbers.tags)
    if untagged := stats.numbers.papers - sum(counted.values()):
        counted["untagged (the next ingest or the running bot tags them)"] = untagged
    tags = ", ".join(f"{count} {name}" for name, count in counted.items())
    papers, sightings = (
        f"{number} {noun}{'s' * (number != 1)}"
        for number, noun in (
            (stats.numbers.papers, "paper"),
            (stats.numbers.sightings, "sighting"),
        )
    )
    console.print(f"{papers} in {sightings}{f': {tags}' if tags else ''}")
    for source in stats.sources:
        console.print(
            f"[dim]{escape(source.name)}: last read {source.read_at:%Y-%m-%d %H:%M}[/dim]"
        )
    print_learning(stats.learning)


def print_checks(checks: Sequence[Check], *, json: bool) -> None:
    """What was looked at, and how it is."""
    if json:
        print_json({"checks": [asdict(check) for check in checks]})
        return
    for check in checks:
        terminal().print(f"{'ok ' if check.good else 'BAD'} {check.name}: {escape(check.sentence)}")
