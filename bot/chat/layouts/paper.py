"""A paper's card, and its story."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.chat.components import button, link_buttons, move_button, tag_menu, vote_button
from bot.chat.layouts.entries import voter_names, when, words_on_tag
from bot.chat.layouts.frame import GREY, ROW, TAG_COLOURS, Piece, Scale, board, fitted, lines, rule
from bot.chat.render import ago, count, day, linked, listed, percent, shown, small
from data.store.servers import QueueState

if TYPE_CHECKING:
    from collections.abc import Iterable

    from discord import ui

    from bot.triage.cards import PaperCard, PaperStory
    from data.records import Paper, TagJudgement
    from data.store.corrections import Correction
    from data.store.servers import QueueEntry

REASONS_SHOWN: Final = 5
STORY_LINES: Final = 40
LINKS_SHOWN: Final = 3
FATES_SHOWN: Final = 8


def paper_card(card: PaperCard) -> ui.LayoutView:
    """All there is to see of a paper, with buttons to vote, take it on and correct its tag."""
    view, paper = card.view, card.view.paper

    def build(scale: Scale) -> ui.LayoutView:
        parts: list[Piece] = [
            lines(
                f"## {shown(paper.title, scale(300)) or 'Untitled'}",
                listed(paper.authors, limit=scale(400)) if paper.authors else "",
                _names(card, scale),
            ),
            rule(),
            lines(*_tag_lines(card, scale)),
        ]
        abstract = shown(paper.abstract, scale(1900))
        if abstract:
            parts += [rule(), lines(abstract)]
        parts += [rule(), lines(*_standing(card, scale))]
        return board(
            parts,
            colour=TAG_COLOURS.get(view.tag or "unsure", GREY),
            rows=[_buttons(card)[:ROW], [tag_menu(paper)]],
        )

    return fitted(build)


def move_for(entry: QueueEntry | None) -> str | None:
    """The next move for a paper in this state: claim, start, done, or None when it is over."""
    if entry is None or entry.state is QueueState.DROPPED:
        return "claim"
    if entry.state is QueueState.DISCUSSED:
        return None
    if entry.state is QueueState.READING:
        return "done"
    return "start" if entry.reader else "claim"


def _buttons(card: PaperCard) -> list[Piece]:
    paper, move = card.view.paper, move_for(card.entry)
    return [
        vote_button(paper.id, len(card.view.voters), "card"),
        *([move_button(move, paper.id, "card")] if move else []),
        button(f"pt:similar:{paper.id}", "Similar"),
        *link_buttons(paper),
    ]


def _names(card: PaperCard, scale: Scale) -> str:
    paper, guess = card.view.paper, card.suggested
    ids = paper.identifiers
    return small(
        f"#{paper.id}",
        f"arXiv {shown(ids.arxiv, 60)}" if ids.arxiv else "",
        f"doi {shown(ids.doi, 90)}" if ids.doi and not ids.arxiv else "",
        shown(paper.venue, scale(80)) if paper.venue else "",
        when(paper),
        listed((*paper.topics, *paper.categories), limit=scale(200)),
        f"suggested topic: {shown(guess.topic, scale(80))}" if guess else "",
        "**withdrawn**" if paper.withdrawn else "",
        "title made from the abstract" if paper.title_derived else "",
    )


def _tag_lines(card: PaperCard, scale: Scale) -> list[str]:
    view = card.view
    judgement = view.paper.judgement
    who = words_on_tag(card.standing, scale(300))
    said = f"**{view.tag}** · set by members of this server: {who}" if view.corrected else ""
    if judgement is None:
        return [said or "Not tagged yet."]
    shares = "\u2003".join(
        f"**{name}** {percent(share)}" if name == judgement.tag else f"{name} {percent(share)}"
        for name, share in judgement.probabilities.items()
    )
    if view.corrected:
        return [said, small(f"the tagger says {shares}")]
    unsure = "**unsure**\u2003" if judgement.tag == "unsure" else ""
    return [unsure + shares, _reasons(judgement, scale)]


def _reasons(judgement: TagJudgement, scale: Scale) -> str:
    speaking = [text for text, weight in judgement.reasons if weight > 0][:REASONS_SHOWN]
    against = [text for text, weight in judgement.reasons if weight < 0][:REASONS_SHOWN]
    # What weighs nothing is no word of the text: it says why there is nothing to judge.
    if (said := [text for text, weight in judgement.reasons if not weight]) and not speaking:
        return small(shown(said[0], scale(120)))
    pieces = [
        f"{word}: {', '.join(f'*{shown(text, scale(60))}*' for text in texts)}"
        for word, texts in (("for", speaking), ("against", against))
        if texts
    ]
    return "-# " + "\u2003".join(pieces) if pieces else ""


def _standing(card: PaperCard, scale: Scale) -> list[str]:
    votes = len(card.view.voters)
    names = voter_names(card.view, scale(200))
    posted = [posting for posting in card.postings if posting.posted_at]
    where = [f"posted in <#{post.channel_id}> on {day(post.local_date)}" for post in posted[-2:]]
    listings = len({(sighting.source, sighting.listing) for sighting in card.sightings})
    state = state_in_words(card.entry, card, scale)
    first = f"▲ **{votes}** {names}" if votes else "▲ **0** no votes yet"
    return [
        " · ".join(piece for piece in (first, state) if piece),
        small(f"seen in {count(listings, 'listing')}", *where),
        *_links(card, scale),
    ]


def _links(card: PaperCard, scale: Scale) -> list[str]:
    """Papers that belong with this one, each with what tells it apart and why it is linked."""

    def name(paper: Paper) -> str:
        return f"#{paper.id} {linked(paper.title, paper.link, limit=scale(90))}"

    told = [
        small(
            f"belongs with {name(one.paper)}",
            shown(one.paper.venue, scale(60)) if one.paper.venue else "",
            when(one.paper),
            f"linked, not merged: {shown(one.reason, scale(80))}",
        )
        for one in card.linked[:LINKS_SHOWN]
    ]
    more = len(card.linked) - LINKS_SHOWN
    return [*told, small(f"and with {count(more, 'paper')} more")] if more > 0 else told


def state_in_words(entry: QueueEntry | None, card: PaperCard, scale: Scale) -> str:
    """Where the paper stands in the queue, and who has it."""
    if entry is None:
        return ""
    reader = shown(entry.reader.name, scale(60)) if entry.reader else ""
    since = ago(entry.changed_at, card.now)
    match entry.state:
        case QueueState.QUEUED:
            waiting = f"in the queue since {day(entry.queued_at.date())}"
            return f"{waiting} · claimed by {reader}" if reader else waiting
        case QueueState.READING:
            return f"{reader or 'somebody'} is reading it, {since}"
        case QueueState.DISCUSSED:
            return f"discussed on {day(entry.changed_at.date())}"
        case QueueState.DROPPED:
            return f"dropped on {day(entry.changed_at.date())}"


def paper_story(story: PaperStory) -> ui.LayoutView:
    """Everything that happened to a paper here, oldest first, and why it has its tag."""
    card, view = story.card, story.card.view

    def build(scale: Scale) -> ui.LayoutView:
        told = list(_told(story, scale))
        left_out = len(told) - STORY_LINES
        if left_out > 0:
            told = [f"… {count(left_out, 'older line')} left out", *told[-STORY_LINES:]]
        heading = linked(view.paper.title, view.paper.link, limit=scale(200))
        return board(
            [
                lines("### Why and how", heading, small(f"#{view.paper.id}")),
                rule(),
                lines("**Tag**", *_tag_lines(card, scale)),
                rule(),
                *([lines("**Digests**", *_fates(story, scale)), rule()] if story.fates else []),
                lines("**Story**", *told),
            ],
            colour=TAG_COLOURS.get(view.tag or "unsure", GREY),
            rows=[[button(f"pt:open-one:{card.view.paper.id}", "Open the card")]],
        )

    return fitted(build)


def _fates(story: PaperStory, scale: Scale) -> Iterable[str]:
    """What became of the paper in each digest of this server."""
    for told in story.fates[:FATES_SHOWN]:
        channel = f"<#{told.subscription.order.channel_id}>"
        link = f" [message]({told.link})" if told.link else ""
        reason = shown(told.reason(day), scale(250))
        yield f"- digest {told.subscription.id} in {channel}: {reason}{link}"
    rest = len(story.fates) - FATES_SHOWN
    if rest > 0:
        yield small(f"and {count(rest, 'more digest')}; name a channel to see its own")


def _told(story: PaperStory, scale: Scale) -> Iterable[str]:
    """Each happening with its moment, put in the order of time."""
    happened = [
        (
            sighting.fetched,
            f"{sighting.announce_type.value} in {shown(sighting.source, scale(40))}, "
            f"{shown(sighting.listing, scale(50))}, {shown(sighting.position, scale(30))}"
            + (f", announced {day(sighting.announced)}" if sighting.announced else "")
            + (f", version {sighting.version}" if sighting.version else ""),
        )
        for sighting in story.card.sightings
    ]
    happened += [
        (event.at, f"{shown(event.member.name, scale(40))} {event.event}") for event in story.events
    ]
    happened += [
        (
            correction.at,
            f"{shown(correction.member.name, scale(40))} {_said(correction)}",
        )
        for correction in story.card.corrections
    ]
    happened += [
        (
            merge.at,
            f"#{merge.gone_id} merged into #{merge.kept_id} by {shown(merge.by, scale(40))}: "
            f"{shown(merge.reason, scale(80))}"
            + (f", split by {shown(merge.split_by, scale(40))}" if merge.split_by else ""),
        )
        for merge in story.merges
    ]
    happened += [
        (posting.posted_at, f"posted in <#{posting.channel_id}>")
        for posting in story.card.postings
        if posting.posted_at
    ]
    happened += [
        (
            one.at,
            f"linked with #{one.paper.id} {shown(one.paper.title, scale(60))}: "
            f"{shown(one.reason, scale(80))}",
        )
        for one in story.card.linked
    ]
    in_order = sorted(happened, key=lambda pair: pair[0])
    return [f"- {day(at.date())} · {text}" for at, text in in_order]


def _said(correction: Correction) -> str:
    if correction.withdrawn:
        return f"took back that it is {correction.tag}"
    if correction.tag == correction.was:
        return f"agreed that it is {correction.tag}"
    return f"called it {correction.tag}, not {correction.was}"
