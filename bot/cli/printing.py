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

from bot.triage.receipts import coverage_line, quiet_reason, trouble_line, troubles

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path

    from bot.triage.cards import PaperStory
    from bot.triage.digest import Digest
    from bot.triage.following import Progress, Step
    from bot.triage.ingest import IngestReport
    from bot.triage.search import Hit, SearchPage
    from bot.triage.shelf import Stats
    from bot.triage.upkeep import Check
    from bot.triage.voting import QueueItem, QueuePage
    from classifiers import Evaluation, Manifest
    from data.index import Facets, Snippet
    from data.records import Paper, Refusal, TagJudgement

COUNTS = ("read", "new", "updated", "merged", "unchanged")


class _Console(Console):
    """Leaves it to the command line what a reader that went away means."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def _console() -> Console:
    return _Console(highlight=False, soft_wrap=True)


def print_line(sentence: str) -> None:
    """One sentence on standard output."""
    _console().print(escape(sentence))


def complain(sentence: str) -> None:
    """One sentence on standard error."""
    Console(stderr=True, highlight=False, soft_wrap=True).print(escape(sentence))


def print_json(document: object) -> None:
    """One JSON document on standard output."""
    json_text.dump(document, sys.stdout, ensure_ascii=_ascii_only(), indent=2)
    sys.stdout.write("\n")


def _ascii_only() -> bool:
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
    table = Table("file", "format", *COUNTS, "refused")
    for file in report.files:
        counts = [str(getattr(file, name)) for name in COUNTS]
        table.add_row(escape(file.file), file.format or "–", *counts, str(len(file.refused)))
    _console().print(table)
    for file in report.files:
        for note in file.notes:
            complain(note)
        _complain_refused(file.refused)


def _complain_refused(refused: Sequence[Refusal]) -> None:
    for refusal in refused:
        complain(refusal_in_words(refusal))


def refusal_in_words(refusal: Refusal) -> str:
    """What was refused, where, and why; a sentence on a whole file names the file itself."""
    if refusal.position == "file":
        return refusal.reason
    return f"{refusal.file}, {refusal.position}: {refusal.reason}"


def print_search(page: SearchPage, *, json: bool) -> None:
    """The papers found, best first."""
    if json:
        print_json(
            {
                "query": page.request.query,
                "read_as": page.read_as,
                "total": page.total,
                "notes": list(page.notes),
                "suggestions": list(page.suggestions),
                "facets": _facets(page.facets),
                "results": [_result(hit) for hit in page.hits],
            }
        )
        return
    console = _console()
    found = "No paper" if page.total == 0 else f"{page.total} paper{'s' * (page.total != 1)}"
    console.print(f"[dim]{found} · {escape(page.read_as)}[/dim]")
    for note in (*page.notes, *page.suggestions):
        console.print(f"[dim]{escape(note)}[/dim]")
    if page.facets is not None and page.total > 1:
        for name, counts in _facets(page.facets).items():
            shown = " · ".join(f"{value} {number:,}" for value, number in list(counts.items())[:6])
            if shown:
                console.print(f"[dim]{name}: {escape(shown)}[/dim]")
    _print_hits(page.hits)


def print_similar(paper: Paper | None, hits: Sequence[Hit], *, json: bool) -> None:
    """The papers nearest to one, or to a text where there is None."""
    if json:
        about = {"id": paper.id, "title": paper.title} if paper else None
        print_json({"paper": about, "results": [_result(hit) for hit in hits]})
        return
    if not hits:
        _console().print("[dim]No paper shares telling words with it.[/dim]")
    _print_hits(hits)


def _facets(facets: Facets | None) -> dict[str, dict[str, int]]:
    if facets is None:
        return {}
    return {
        "tags": dict(facets.tags),
        "topics": dict(facets.topics),
        "years": {str(year): number for year, number in facets.years},
        "sources": dict(facets.sources),
    }


def _print_hits(hits: Sequence[Hit]) -> None:
    console = _console()
    for hit in hits:
        paper = hit.view.paper
        mark = " [dim](derived heading)[/dim]" if paper.title_derived else ""
        console.print(f"\n[bold]#{paper.id} {escape(paper.title)}[/bold]{mark}")
        console.print(f"[dim]{escape(_small_print(hit))}[/dim]")
        console.print(_bold(hit.snippet))


def _small_print(hit: Hit) -> str:
    paper = hit.view.paper
    names = ", ".join(paper.authors[:3]) + (
        f" +{len(paper.authors) - 3}" * (len(paper.authors) > 3)
    )
    confidence = f" {hit.view.confidence:.0%}" if hit.view.confidence is not None else ""
    pieces = [f"{hit.view.tag or 'untagged'}{confidence}", names, "; ".join(paper.topics)]
    return " · ".join(piece for piece in (*pieces, paper.link or "") if piece)


def _bold(snippet: Snippet) -> str:
    text, at = "", 0
    for begin, end in snippet.spans:
        text += escape(snippet.text[at:begin]) + f"[bold]{escape(snippet.text[begin:end])}[/bold]"
        at = end
    return text + escape(snippet.text[at:])


def _result(hit: Hit) -> dict[str, object]:
    paper = hit.view.paper
    return {
        "id": paper.id,
        "title": paper.title,
        "title_derived": paper.title_derived,
        "authors": list(paper.authors),
        "tag": hit.view.tag,
        "score": hit.score,
        "identifiers": asdict(paper.identifiers),
        "topics": list(paper.topics),
        "snippet": hit.snippet.text,
        "snippet_matches": [list(span) for span in hit.snippet.spans],
    }


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
                ensure_ascii=_ascii_only(),
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
        table.add_row(judgement.tag, *chances, escape(words), escape((title or abstract)[:60]))
    _console().print(table)


def print_digest(digest: Digest) -> None:
    """A digest as text, with its receipt."""
    console = _console()
    counts = " · ".join(f"{count} {name}" for name, count in digest.counts.items())
    order = digest.subscription.order
    console.print(
        f"[bold]Papers · {digest.slot.local_date:%A %d %B %Y}[/bold]"
        f"{f' · channel {order.channel_id}' if order.channel_id else ''}"
    )
    if len(digest.days) > 1:
        console.print(f"[dim]{len(digest.days)} days in one, since {digest.days[0]}[/dim]")
    if digest.slot.total:
        console.print(f"[dim]{digest.slot.total} new{f' · {counts}' if counts else ''}[/dim]")
    else:
        console.print(f"Nothing new: {escape(quiet_reason(digest))}.")
    for item in digest.items:
        paper = item.view.paper
        console.print(f"\n[bold]#{paper.id} {escape(paper.title)}[/bold]")
        marks = f"{item.view.tag}{' · late' if item.late else ''}"
        console.print(f"[dim]{marks} · {escape(', '.join(paper.authors[:3]))}[/dim]")
        console.print(escape(item.claim))
    if digest.hidden:
        console.print(f"\n[dim]and {digest.hidden} more[/dim]")
    console.print()
    for revised in digest.revised:
        what = "withdrawn" if revised.revision.withdrawn else "revised"
        console.print(
            f"[dim]{what}: #{revised.view.paper.id} {escape(revised.view.paper.title)}[/]"
        )
    for source in digest.coverage:
        console.print(f"[dim]{escape(source.reading.name)} {coverage_line(source)}[/dim]")
    for outcome in troubles(digest):
        console.print(f"[dim]{escape(outcome.channel)} {escape(trouble_line(outcome))}[/dim]")


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
    _console().print(table)


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
    console, paper = _console(), story.card.view.paper
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
        console.print(f"tagged {paper.judgement.tag} ({chances}){f' for {words}' if words else ''}")
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
        console.print(f"{where}: {escape(told.reason)}{f' {told.link}' if told.link else ''}")
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
    console = _console()
    tags = ", ".join(f"{count} {name}" for name, count in stats.numbers.tags.items())
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


def print_manifest(manifest: Manifest, folder: Path, *, json: bool) -> None:
    """What a training made."""
    if json:
        print_json({"model": str(folder)} | asdict(manifest))
        return
    print_line(f"The model is in {folder}; grade it with 'papertriage evaluate LABELS --model'.")


def print_evaluation(evaluation: Evaluation, pictures: Sequence[Path] = (), *, json: bool) -> None:
    """A tagger's grades: per class, confusion, calibration, coverage, and where pictures went."""
    if json:
        print_json(asdict(evaluation) | {"pictures": [str(path) for path in pictures]})
        return
    console = _console()
    table = Table("tag", "papers", "precision", "recall", "F1")
    for name, score in evaluation.types.items():
        numbers = [f"{value:.3f}" for value in (score.precision, score.recall, score.f1)]
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
        f"{evaluation.papers} papers: macro-F1 {evaluation.macro_f1:.3f}, accuracy"
        f" {evaluation.accuracy:.3f}, calibration error {evaluation.calibration_error:.3f};"
        f" answered {evaluation.answered:.1%} at accuracy {evaluation.answered_accuracy:.3f}"
    )
    for path in pictures:
        print_line(f"Drawn: {path}")


def print_checks(checks: Sequence[Check], *, json: bool) -> None:
    """What was looked at, and how it is."""
    if json:
        print_json({"checks": [asdict(check) for check in checks]})
        return
    for check in checks:
        _console().print(f"{'ok ' if check.good else 'BAD'} {check.name}: {escape(check.sentence)}")
