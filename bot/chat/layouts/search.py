"""A page of search results, and the papers near to one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.chat.components import button, open_menu, pager, vote_button
from bot.chat.layouts.entries import small_print, title
from bot.chat.layouts.frame import GREY, Scale, board, fitted, lines, rule, section
from bot.chat.render import count, emphasised, shown, small

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discord import ui

    from bot.triage.library import PaperView
    from bot.triage.search import Hit, SearchCounts, SearchPage


def search_page(page: SearchPage, page_size: int) -> ui.LayoutView:
    """Up to `page_size` results with their vote buttons; what to try when there are none."""
    if not page.hits:
        return nothing_found(page)
    first = page.page * page_size + 1

    def build(scale: Scale) -> ui.LayoutView:
        asked = shown(page.request.query, scale(120))
        heading = f"### {count(page.total, 'paper')}" + (f" for “{asked}”" if asked else "")
        return board(
            [
                lines(heading, _how_read(page, scale), *_notes(page, scale)),
                *(
                    section(
                        vote_button(hit.view.paper.id, len(hit.view.voters)),
                        f"**{number}.** {title(hit.view.paper, scale)}",
                        small_print(hit.view, scale),
                        _passage(hit, scale(220)),
                    )
                    for number, hit in enumerate(page.hits, start=first)
                ),
            ],
            rows=[
                [
                    *pager(f"search:{page.key}", page.page, page.pages),
                    button(f"pt:counts:{page.key}", "Counts"),
                ]
                if page.key
                else [],
                [open_menu(hit.view.paper for hit in page.hits)],
            ],
        )

    return fitted(build)


def nothing_found(page: SearchPage) -> ui.LayoutView:
    """How an empty search was read, and what to try."""

    def build(scale: Scale) -> ui.LayoutView:
        asked = shown(page.request.query, scale(120))
        tries = [f"- {shown(text, scale(200))}" for text in page.suggestions[:5]]
        return board(
            [
                lines(
                    f"### No paper fits “{asked}”" if asked else "### No paper fits",
                    _how_read(page, scale),
                    *_notes(page, scale),
                    *(["**Try**", *tries] if tries else [_OTHER_WAYS]),
                )
            ],
            colour=GREY,
        )

    return fitted(build)


def search_counts(counts: SearchCounts) -> ui.LayoutView:
    """How many papers of a whole result have each tag, topic, year and source."""

    def build(scale: Scale) -> ui.LayoutView:
        asked = shown(counts.request.query, scale(120))
        heading = f"### {count(counts.total, 'paper')}" + (f" for “{asked}”" if asked else "")
        facets = counts.facets
        groups: tuple[tuple[str, Sequence[tuple[str | int, int]], int], ...] = (
            ("Tags", facets.tags, 4),
            ("Years", facets.years, 6),
            ("Topics", facets.topics, 8),
            ("Sources", facets.sources, 5),
        )
        return board(
            [
                lines(
                    heading,
                    small(f"read as {shown(counts.read_as, scale(300))}"),
                    *(_counted(name, found, most, scale) for name, found, most in groups),
                )
            ]
        )

    return fitted(build)


def _counted(name: str, found: Sequence[tuple[str | int, int]], most: int, scale: Scale) -> str:
    if not found:
        return ""
    pieces = [f"{shown(str(value), scale(60))} {number:,}" for value, number in found[:most]]
    more = len(found) - most
    rest = f" · and {more} more" if more > 0 else ""
    return f"**{name}** " + " · ".join(pieces) + rest


_OTHER_WAYS = (
    "Try fewer or other words, leave out a filter, or bring more papers in with `/listing add`."
)


def neighbours(view: PaperView | None, hits: Sequence[Hit]) -> ui.LayoutView:
    """The papers nearest to one, or to a pasted text where there is None, best first."""
    if not hits:
        what = "this one" if view else "this text"
        return board(
            [lines("### Nothing similar", f"No other paper shares telling words with {what}.")],
            colour=GREY,
        )

    def build(scale: Scale) -> ui.LayoutView:
        near = shown(view.paper.title, scale(160)) if view else "the text that was pasted"
        return board(
            [
                lines("### Similar papers", small(f"to {near}")),
                rule(),
                *(
                    section(
                        vote_button(hit.view.paper.id, len(hit.view.voters)),
                        title(hit.view.paper, scale),
                        small_print(hit.view, scale),
                        _passage(hit, scale(160)),
                    )
                    for hit in hits
                ),
            ],
            rows=[[open_menu(hit.view.paper for hit in hits)]],
        )

    return fitted(build)


def _how_read(page: SearchPage, scale: Scale) -> str:
    return small(f"read as {shown(page.read_as, scale(300))}") if page.read_as else ""


def _notes(page: SearchPage, scale: Scale) -> list[str]:
    return [small(shown(note, scale(200))) for note in page.notes[:3]]


def _passage(hit: Hit, limit: int) -> str:
    return emphasised(hit.snippet.text, hit.snippet.spans, limit)
