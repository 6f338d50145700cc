"""What searches print: papers, snippets and counts."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.markup import escape

from bot.cli.printing import print_json, terminal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.triage.search import Hit, SearchPage
    from data.index import Facets, Snippet
    from data.records import Paper


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
    console = terminal()
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
        terminal().print("[dim]No paper shares telling words with it.[/dim]")
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
    console = terminal()
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
    tag = hit.view.tag or "untagged"
    # The number is the tag's; of an unsure paper it is that of a kind which is not shown.
    if hit.view.confidence is not None and tag != "unsure":
        tag += f" {hit.view.confidence:.0%}"
    pieces = (
        "withdrawn" if paper.withdrawn else "",
        tag,
        _when(paper),
        names,
        "; ".join(paper.topics),
        paper.link or "",
    )
    return " · ".join(piece for piece in pieces if piece)


def _when(paper: Paper) -> str:
    """When it was announced or published, as exactly as a source said; empty where none did."""
    return str(paper.named_day or paper.published_in or "")


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
