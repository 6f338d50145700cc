"""Help, about, numbers, and what became of a listing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.chat.layouts.frame import GREEN, YELLOW, Piece, Scale, board, fitted, lines, rule
from bot.chat.layouts.learning import learning_lines, progress_line
from bot.chat.render import ago, count, shown, small

if TYPE_CHECKING:
    from datetime import datetime

    from discord import ui

    from bot.triage.ingest import FileReport, IngestReport
    from bot.triage.shelf import Stats

REFUSALS_SHOWN: Final = 8

# Without the words by which papers announce themselves: the harder and more honest grade.
HELD_OUT: Final = {
    "position": "bare position F1",
    "theory": "bare theory F1",
    "methods": "bare methods F1",
    "all": "bare macro F1",
}

HELP: Final = (
    (
        "Find",
        (
            ("/search query", "five papers a page; narrow it by tag, topic, author, source, since"),
            ("/paper", "a paper's card: by number, arXiv id, DOI, address, or words of its title"),
            ("/similar", "its neighbours, or those of an abstract that you paste"),
            ("/why", "its history, and the words behind its tag"),
        ),
    ),
    (
        "Vote and read",
        (
            ("▲ or /vote", "puts a paper into the reading queue; again takes the vote back"),
            ("/queue list", "what to read next: most votes first, then the longest waiting"),
            ("/queue claim · start · done", "take a paper on, read it, discuss it"),
            ("/queue release · drop", "give it back, or take it out of the queue"),
            ("/queue export", "the queue as BibTeX, RIS, CSV, Markdown or CSL JSON"),
            ("/tag", "corrects a tag: position, theory or methods; withdraw takes it back"),
        ),
    ),
    (
        "Bring papers in",
        (
            ("/listing add", "a file, an address, or text that you paste"),
            ("Apps → Add papers from this message", "reads the links and files of a message"),
            ("/listing sources add · list · poll · pause · resume · remove", "asks by itself"),
            ("/merge · /split", "makes one paper of two, and takes them apart again"),
            ("/digest subscribe · edit", "posts what is new; shows thirty days of it first"),
            ("/digest preview", "what the next digest will be, for you alone"),
            ("/digest list · pause · resume · remove", "looks after the digests"),
            ("/settings", "whether this server's tag corrections teach the tagger"),
            ("/digest hindsight", "what you voted for although a filter hid it"),
        ),
    ),
    (
        "Know",
        (
            ("/stats", "how much there is, and what this server did with it"),
            ("/about", "how good the tags are, and what is kept"),
        ),
    ),
)


def welcome_page() -> ui.LayoutView:
    """What to type first, for a server that has just got the bot."""
    return board(
        [
            lines(
                "### Hello, I keep your papers",
                "Type `/search` and a few words to find one, press **▲** to vote it into the "
                "reading queue, and `/queue list` to see what to read next.",
                "Bring papers in with `/listing add`; `/digest subscribe` posts what is new here "
                "every day.",
                small("`/help` has everything"),
            )
        ],
        colour=GREEN,
    )


def help_page() -> ui.LayoutView:
    """All commands, by what one wants to do."""
    parts: list[Piece] = [
        lines("### What I do", "I keep your papers and help you choose the next one.")
    ]
    for heading, commands in HELP:
        told = [f"`{command}` {what}" for command, what in commands]
        parts += [rule(), lines(f"**{heading}**", *told)]
    parts += [
        rule(),
        lines(
            small(
                'Search understands "exact words", -without, title:word, author:name and a OR b',
                "numbers like #17 name papers",
            )
        ),
    ]
    return board(parts)


def about_page(stats: Stats, version: str) -> ui.LayoutView:
    """What this is, how good its tags are, and what it keeps."""
    return board(
        [
            lines(
                f"### papertriage {shown(version, 40)}",
                "Helps a research team decide what to read: it searches, tags, and posts what is "
                "new; you vote.",
            ),
            rule(),
            lines(
                "**Tags**",
                "*position* argues a stance, *theory* proves, *methods* is everything else. Below "
                "a threshold I say *unsure*; a correction is one click on a paper's card.",
                _tagger_line(stats),
                *learning_lines(stats.learning),
            ),
            rule(),
            lines(
                "**What I keep**",
                "Papers are shared by all servers of this installation. Votes, queues, "
                "corrections and digests stay in this server; corrections teach the tagger only "
                "where `/settings` allows it.",
                small(f"{count(stats.numbers.papers, 'paper')} in the library"),
            ),
        ]
    )


def _tagger_line(stats: Stats) -> str:
    card = stats.model
    scores = [
        f"{word} {card.scores[name]:.2f}" for word, name in HELD_OUT.items() if name in card.scores
    ]
    return small(
        f"model {shown(card.model_id, 40)}",
        f"trained {shown(card.trained_on, 30)}",
        f"F1 on held-out papers: {', '.join(scores)}" if scores else "",
        f"unsure below {card.threshold:.0%}",
    )


def stats_page(stats: Stats, now: datetime) -> ui.LayoutView:
    """Numbers of the library and of this server."""
    numbers = stats.numbers

    def build(scale: Scale) -> ui.LayoutView:
        tags = " · ".join(f"{number:,} {shown(tag, 20)}" for tag, number in numbers.tags.items())
        sources = [
            f"- {shown(source.name, scale(60))}: read {_when(source.read_at, now)}, "
            f"{source.read:,} read, {source.new:,} new"
            for source in stats.sources[:12]
        ]
        return board(
            [
                lines(
                    "### Numbers",
                    f"**{numbers.papers:,}** {'paper' if numbers.papers == 1 else 'papers'}, "
                    f"mentioned {count(numbers.sightings, 'time')}",
                    small(tags) if tags else "",
                    progress_line(stats.learning),
                ),
                rule(),
                lines(
                    "**This server**",
                    f"{count(numbers.votes, 'vote')} by {count(numbers.voters, 'member')}, "
                    f"{numbers.queued:,} in the queue, {numbers.discussed:,} discussed",
                    f"{count(numbers.corrections, 'tag correction')}, "
                    f"{count(numbers.subscriptions, 'digest')}",
                ),
                rule(),
                lines("**Sources**", *(sources or ["none yet; see `/listing add`"])),
            ]
        )

    return fitted(build)


def _when(moment: datetime, now: datetime) -> str:
    passed = ago(moment, now)
    return "today" if passed == "today" else f"{passed} ago"


def listing_report(report: IngestReport) -> ui.LayoutView:
    """What became of the records of one or several listings, and what was refused and why."""

    def build(scale: Scale) -> ui.LayoutView:
        told: list[str] = []
        for file in report.files:
            told.append(_one_listing(file, scale))
            told += [small(shown(note, scale(200))) for note in file.notes[:2]]
        refused = [
            f"- {shown(refusal.file, scale(50))}, {shown(refusal.position, scale(40))}: "
            f"{shown(refusal.reason, scale(200))}"
            for refusal in report.refused[:REFUSALS_SHOWN]
        ]
        more = len(report.refused) - REFUSALS_SHOWN
        if more > 0:
            refused.append(f"- and {more:,} more")
        new = report.total("new")
        heading = f"### {count(new, 'new paper')}" if new else "### Nothing new"
        parts: list[Piece] = [lines(heading, *told[:12])]
        if refused:
            parts += [rule(), lines("**Not used**", *refused)]
        return board(parts, colour=GREEN if new else YELLOW)

    return fitted(build)


def _one_listing(file: FileReport, scale: Scale) -> str:
    named = shown(file.file, scale(80)) or "listing"
    if file.unreadable:
        return f"{named}: not readable"
    counts = (
        (file.new, "new"),
        (file.updated, "updated"),
        (file.merged, "merged"),
        (file.unchanged, "known"),
    )
    told = ", ".join(f"{number:,} {word}" for number, word in counts if number)
    return f"{named}: {file.read:,} read" + (f", {told}" if told else "")
