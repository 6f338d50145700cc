"""Commands about papers: reading listings, searching, tagging, the queue, digests, histories."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from bot.bootstrap import models_of
from bot.cli.common import (
    EXIT_NO_SERVICE,
    EXIT_SOME_REFUSED,
    EXIT_UNUSABLE,
    SHELL,
    Json,
    Server,
    Unusable,
    inputs,
    local_inputs,
    server,
    settings,
    viewpoint,
    with_services,
)
from bot.cli.found import print_search, print_similar
from bot.cli.printing import (
    complain,
    print_digest,
    print_ingest,
    print_line,
    print_queue,
    print_stats,
    print_story,
    print_tags,
    reading_bar,
    refusal_in_words,
)
from bot.triage.digests import MAXIMUM_DEFAULT, default_order
from bot.triage.errors import Refused
from bot.triage.search import SearchRequest, parse_day
from data.records import TAG_NAMES
from data.store.digests import DigestFilter

if TYPE_CHECKING:
    from bot.triage.services import Services


def ingest(
    listings: Annotated[
        list[str],
        typer.Argument(
            metavar="LISTING", help="Files, folders, addresses, or - for standard input."
        ),
    ],
    format: Annotated[  # noqa: A002 - the option's name
        str | None, typer.Option(help="Read as this format instead of looking.")
    ] = None,
    source: Annotated[str | None, typer.Option(help="Where the listings come from.")] = None,
    announced: Annotated[
        str | None, typer.Option(help="The day on which they were announced.")
    ] = None,
    json: Json = False,
) -> None:
    """Read listings into the library."""
    day = parse_day(announced, datetime.now(UTC).date()) if announced else None

    async def action(services: Services) -> None:
        found = await inputs(services, listings)
        with reading_bar() as progress:
            report = await services.ingest.run(
                found, format=format, source=source, announced=day, progress=progress
            )
        print_ingest(report, json=json)
        if report.unreadable:
            raise typer.Exit(EXIT_UNUSABLE)
        if report.refused:
            raise typer.Exit(EXIT_SOME_REFUSED)

    try:
        with_services(action)
    except KeyboardInterrupt:
        complain("Stopped. What was stored is kept; the same command again reads the rest.")
        raise


def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for.")],
    tag: Annotated[str | None, typer.Option(help="position, theory, methods or unsure.")] = None,
    author: Annotated[str | None, typer.Option(help="A piece of an author's name.")] = None,
    topic: Annotated[str | None, typer.Option(help="A piece of a topic.")] = None,
    source: Annotated[str | None, typer.Option(help="A source's name.")] = None,
    since: Annotated[str | None, typer.Option(help="From this day: 2026-05-01, 2026, 7d.")] = None,
    until: Annotated[str | None, typer.Option(help="Up to this day.")] = None,
    server_id: Server = None,
    limit: Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="At most so many.")] = 10,
    sort: Annotated[
        Literal["relevance", "newest", "votes"] | None, typer.Option(help="What comes first.")
    ] = None,
    json: Json = False,
) -> None:
    """Search the library."""
    today = datetime.now(UTC).date()
    if tag is not None and tag not in TAG_NAMES:
        raise Refused(f"A tag is one of {', '.join(TAG_NAMES)}; “{tag}” is none of them.")
    request = SearchRequest(
        query=query,
        tag=tag,
        topic=topic,
        author=author,
        source=source,
        since=parse_day(since, today) if since else None,
        until=parse_day(until, today, last=True) if until else None,
        sort=sort,
    )

    async def action(services: Services) -> None:
        guild = await viewpoint(services, server_id)
        found = await services.search.run(guild, request, page_size=limit, facets=True)
        print_search(found, json=json)

    with_services(action)


def similar(
    paper: Annotated[
        str,
        typer.Argument(
            metavar="PAPER", help="A number, id, address or piece of a title; - reads a text."
        ),
    ],
    limit: Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="At most so many.")] = 10,
    json: Json = False,
) -> None:
    """Show the papers nearest to one, or to a text on standard input."""

    async def action(services: Services) -> None:
        if paper == "-":
            text = sys.stdin.buffer.read().decode("utf-8", "replace")
            hits = await services.search.similar_to_text(None, text, limit)
            print_similar(None, hits, json=json)
            return
        found = await services.library.find(paper)
        print_similar(found, await services.search.similar(None, found.id, limit), json=json)

    with_services(action)


def tag(
    listing: Annotated[
        str,
        typer.Argument(metavar="LISTING", help="A listing or JSON lines; - for standard input."),
    ],
    json: Json = False,
) -> None:
    """Tag papers without storing them."""
    from bot.triage.ingest import read_records
    from bot.triage.tagging import judge

    chosen = settings()
    records, refused = read_records(local_inputs([listing])[0])
    for refusal in refused:
        complain(refusal_in_words(refusal))
    if not records:
        raise typer.Exit(EXIT_UNUSABLE)
    texts = [(record.title or "", record.abstract) for record in records]
    print_tags(texts, judge(models_of(chosen).load(), texts, reasons=True), json=json)
    if refused:
        raise typer.Exit(EXIT_SOME_REFUSED)


def digest(
    channel: Annotated[int | None, typer.Option(help="Only this channel's digests.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be posted; post nothing.")
    ] = False,
    tags: Annotated[
        str | None, typer.Option(help="Try an order: these kinds, with commas between them.")
    ] = None,
    topics: Annotated[
        str | None, typer.Option(help="Try an order: these topics, with ; between them.")
    ] = None,
    query: Annotated[str | None, typer.Option(help="Try an order: what fits this search.")] = None,
    maximum: Annotated[
        int | None,
        typer.Option("--max", metavar="N", min=1, max=60, help="Try an order: at most so many."),
    ] = None,
) -> None:
    """Show what the next digests hold, or one that is tried; a running bot posts them."""
    if not dry_run:
        raise Unusable(
            "Digests are posted by the running bot ('papertriage run'); add --dry-run to see "
            "what the next ones hold.",
            EXIT_NO_SERVICE,
        )

    tried = (tags, topics, query, maximum)
    if channel is not None and any(given is not None for given in tried):
        raise Unusable("A channel's digest has its own order; leave --channel away to try another.")
    kinds = _pieces(tags, ",")
    for kind in kinds:
        if kind not in TAG_NAMES:
            raise Refused(f"A tag is one of {', '.join(TAG_NAMES)}; “{kind}” is none of them.")
    wanted = DigestFilter(tags=kinds, topics=_pieces(topics, ";"), query=query or "")
    order = (
        default_order(wanted, maximum or MAXIMUM_DEFAULT)
        if any(given is not None for given in tried)
        else None
    )

    async def action(services: Services) -> None:
        digests = await services.digests.upcoming(channel, order)
        if order is not None:
            for note in services.subscribing.reading_of(order)[1]:
                print_line(note)
        for next_one in digests:
            print_digest(next_one)

    with_services(action)


def _pieces(text: str | None, between: str) -> tuple[str, ...]:
    return tuple(piece.strip() for piece in (text or "").split(between) if piece.strip())


def queue(server_id: Server = None, json: Json = False) -> None:
    """Show a server's reading queue."""

    async def action(services: Services) -> None:
        guild = await server(services, server_id)
        print_queue(await services.voting.queue(guild, page_size=1000), json=json)

    with_services(action)


def export(
    format: Annotated[  # noqa: A002 - the option's name
        str, typer.Option(help="bibtex, ris, csljson, csv or md.")
    ] = "bibtex",
    out: Annotated[Path | None, typer.Option(help="A file; standard output otherwise.")] = None,
    server_id: Server = None,
) -> None:
    """Write a server's reading queue as a bibliography."""

    async def action(services: Services) -> None:
        file = await services.shelf.export_queue(await server(services, server_id), format)
        if out is None:
            sys.stdout.buffer.write(file.content)
        else:
            out.write_bytes(file.content)

    with_services(action)


def why(
    paper: Annotated[
        str, typer.Argument(metavar="PAPER", help="A number, id, address or piece of a title.")
    ],
    channel: Annotated[int | None, typer.Option(help="Only this channel's digests.")] = None,
    server_id: Server = None,
) -> None:
    """Tell a paper's whole story: seen, tagged, posted, or what stopped it."""

    async def action(services: Services) -> None:
        found = await services.library.find(paper)
        guild = await viewpoint(services, server_id)
        everywhere = server_id is None
        print_story(await services.cards.story(guild, found.id, channel, everywhere=everywhere))

    with_services(action)


def stats(json: Json = False) -> None:
    """Numbers about the library."""

    async def action(services: Services) -> None:
        print_stats(await services.shelf.stats(None), json=json)

    with_services(action)


def merge(
    one: Annotated[
        str, typer.Argument(metavar="ONE", help="A number, id, address or piece of a title.")
    ],
    other: Annotated[str, typer.Argument(metavar="OTHER", help="The other paper.")],
) -> None:
    """Make one paper of two; 'split' undoes it."""

    async def action(services: Services) -> None:
        paper = await services.merging.merge(one, other, by=SHELL)
        print_line(f"Both are #{paper.id} {paper.title} now.")

    with_services(action)


def split(
    paper: Annotated[
        str, typer.Argument(metavar="PAPER", help="The number that was merged away, or its paper.")
    ],
) -> None:
    """Take a merged paper apart again."""

    async def action(services: Services) -> None:
        stands, back = await services.merging.split(paper, by=SHELL)
        print_line(f"#{back.id} {back.title} stands beside #{stands.id} {stands.title} again.")

    with_services(action)


def rank(
    corpus: Annotated[
        Path, typer.Argument(metavar="CORPUS", help="Documents in the BEIR form, JSON lines.")
    ],
    queries: Annotated[
        Path, typer.Argument(metavar="QUERIES", help="Queries in the BEIR form, JSON lines.")
    ],
    limit: Annotated[
        int, typer.Option(metavar="N", min=1, help="At most so many documents a query.")
    ] = 1000,
    timing: Annotated[
        bool, typer.Option("--timing", help="Print how long the searches took, to standard error.")
    ] = False,
) -> None:
    """Rank a judged collection and write a TREC run to standard output."""
    from data.index.trec import rank as rank_collection

    settings()
    if missing := [str(path) for path in (corpus, queries) if not path.exists()]:
        raise Unusable(f"There is no file {' and none '.join(missing)}; check the path.")
    try:
        run = rank_collection(corpus, queries, limit=limit)
    except OSError as error:
        raise Unusable(f"{error.filename} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise Unusable(str(error)) from None
    for note in run.notes:
        complain(note)
    for line in run.lines:
        sys.stdout.write(f"{line}\n")
    if timing:
        complain(
            f"milliseconds a query: median {run.timing.median:.3f}, p95 {run.timing.p95:.3f}, "
            f"maximum {run.timing.maximum:.3f}"
        )
