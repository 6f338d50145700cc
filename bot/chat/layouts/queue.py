"""The reading queue of a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.chat.components import button, menu, move_button, open_menu, pager
from bot.chat.layouts.entries import tag_chip, title, voter_names
from bot.chat.layouts.frame import GREEN, Scale, board, fitted, lines, rule, section
from bot.chat.layouts.notices import notice
from bot.chat.layouts.paper import move_for
from bot.chat.render import ago, shown, small
from data.store.servers import QueueState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discord import ui

    from bot.triage.voting import QueueItem, QueuePage

EXPORTS: Final = (
    ("bibtex", "BibTeX", "for LaTeX, Zotero and JabRef"),
    ("ris", "RIS", "for EndNote, Mendeley and Zotero"),
    ("csv", "CSV", "for a spreadsheet"),
    ("md", "Markdown", "for notes and agendas"),
    ("csljson", "CSL JSON", "for pandoc and citation tools"),
)


def queue_page(page: QueuePage) -> ui.LayoutView:
    """One page of the queue in reading order; each paper with its next move."""

    def build(scale: Scale) -> ui.LayoutView:
        counts = page.counts
        tally = small(
            f"{counts.get(QueueState.QUEUED, 0)} queued",
            f"{counts.get(QueueState.READING, 0)} being read",
            f"{counts.get(QueueState.DISCUSSED, 0)} discussed",
        )
        if not page.items:
            empty = "Nothing waits to be read. A vote (▲) on any paper puts it here."
            return board([lines("## Reading queue", tally, empty)], colour=GREEN)
        return board(
            [
                lines("## Reading queue", tally),
                rule(),
                *(
                    section(
                        move_button(
                            move_for(item.entry) or "claim",
                            item.view.paper.id,
                            f"q{page.page}",
                        ),
                        title(item.view.paper, scale),
                        _standing(item, page, scale),
                    )
                    for item in page.items
                ),
            ],
            colour=GREEN,
            rows=[
                [*pager("queue", page.page, page.pages), button("pt:export", "Export")],
                [open_menu(item.view.paper for item in page.items)],
            ],
        )

    return fitted(build)


def _standing(item: QueueItem, page: QueuePage, scale: Scale) -> str:
    entry = item.entry
    votes = f"▲ {entry.votes} {voter_names(item.view, scale(100))}".rstrip()
    reader = shown(entry.reader.name, scale(40)) if entry.reader else ""
    if entry.state is QueueState.READING:
        doing = f"{reader or 'somebody'} is reading"
    else:
        doing = f"claimed by {reader}" if reader else "nobody has it yet"
    waited = ago(entry.queued_at, page.now)
    waiting = "" if waited == "today" else f"waiting {waited}"
    return small(votes, tag_chip(item.view), doing, waiting, f"#{item.view.paper.id}")


def export_menu() -> ui.LayoutView:
    """Asks in which format the queue is wanted."""
    return notice("The whole queue, as a file:", [menu("pt:export-as", "Choose a format", EXPORTS)])


def format_names() -> Sequence[tuple[str, str]]:
    """The formats of an export, as (shown, value)."""
    return [(label, value) for value, label, _ in EXPORTS]
