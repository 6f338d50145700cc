"""A paper in a list: its title as a link, one line of small print, perhaps a passage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.chat.render import chip, linked, listed, people, small

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.chat.layouts.frame import Scale
    from bot.triage.library import PaperView
    from data.records import Paper
    from data.store.corrections import Correction


def title(paper: Paper, scale: Scale) -> str:
    """The title in bold, as a link where there is one; in italics where no listing gave it."""
    return linked(paper.title, paper.link, limit=scale(180), slanted=paper.title_derived)


def tag_chip(view: PaperView) -> str:
    """The tag as this server sees it."""
    return chip(view.paper.judgement, view.tag if view.corrected else None)


def when(paper: Paper) -> str:
    """The day a source gives the paper, else its month or year; nothing where no source does."""
    # The short month keeps the small print on one line.
    if (named := paper.named_day) is not None:
        return f"{named.day} {named:%b %Y}"
    period = paper.published_in
    if period is None:
        return ""
    return str(period) if period.month is None else f"{period.first_day:%b %Y}"


def small_print(view: PaperView, scale: Scale, *more: str) -> str:
    """Authors, tag, day and number in one line; `more` is escaped already."""
    paper = view.paper
    return small(
        people(paper.authors, limit=scale(80)),
        tag_chip(view),
        when(paper),
        *more,
        "withdrawn" if paper.withdrawn else "",
        f"#{paper.id}",
    )


def voter_names(view: PaperView, limit: int) -> str:
    """Who voted, escaped; as many names as fit, then how many more."""
    return listed((member.name for member in view.voters), limit=limit)


def words_on_tag(standing: Iterable[Correction], limit: int) -> str:
    """Who says what of a tag, most voices first: "ben, cy say theory, ada says methods"."""
    by_tag: dict[str, list[str]] = {}
    for word in standing:
        by_tag.setdefault(word.tag, []).append(word.member.name)
    ranked = sorted(by_tag.items(), key=lambda pair: -len(pair[1]))
    room = max(limit // max(len(ranked), 1), 16)
    return ", ".join(
        f"{listed(names, limit=room)} {'says' if len(names) == 1 else 'say'} {tag}"
        for tag, names in ranked
    )
