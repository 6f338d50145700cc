"""What the one who acted is told: one sentence of Markdown for each thing done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.chat.layouts.digest import order_in_words
from bot.chat.layouts.entries import words_on_tag
from bot.chat.render import clean, count, shown
from bot.triage.schedule import days_in_words

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from bot.triage.library import PaperView
    from bot.triage.tagging import Corrected
    from bot.triage.voting import QueueItem, VoteResult
    from data.records import Paper
    from data.store.digests import Subscription
    from data.store.sources import StandingSource


def vote_cast(result: VoteResult) -> str:
    """How a vote now stands."""
    named, votes = _named(result.view), count(len(result.view.voters), "vote")
    if not result.voted:
        return f"Your vote for {named} is taken back; it has {votes}."
    place = f", place {result.place} in the queue" if result.place else ""
    return f"▲ You voted for {named}: {votes}{place}. Press again to take it back."


def tag_corrected(corrected: Corrected) -> str:
    """What a correction of a tag changed, and who says what now."""
    said = words_on_tag(corrected.standing, 400)
    said = f" ({said})" if said else ""
    before, after = corrected.before or "untagged", corrected.after or "untagged"
    if corrected.taken_back:
        begin = f"You no longer call it {corrected.taken_back}."
        if not corrected.standing:
            return f"{begin} It has the tagger's own tag again: **{after}**."
        return f"{begin} This server sees the paper as **{after}**{said}."
    if before == after:
        return f"Thank you, noted. This server sees the paper as **{after}**{said}."
    return f"Thank you. In this server it is **{after}** now, no longer {before}{said}."


def merged(kept: Paper) -> str:
    """Two papers that are one now."""
    return f"Both are **#{kept.id} {shown(kept.title, 120)}** now; `/split` takes them apart again."


def taken_apart(stands: Paper, back: Paper) -> str:
    """Two papers that are two again."""
    return (
        f"**#{back.id} {shown(back.title, 100)}** stands beside "
        f"**#{stands.id} {shown(stands.title, 100)}** again, each with its own votes."
    )


def source_paused(source: StandingSource) -> str:
    """A source that rests."""
    return f"**{shown(source.name, 100)}** is not asked any more until `/listing sources resume`."


def source_resumed(source: StandingSource) -> str:
    """A source that goes on."""
    return f"**{shown(source.name, 100)}** is asked again from now on."


def source_removed(source: StandingSource) -> str:
    """A source that is gone."""
    return f"**{shown(source.name, 100)}** is no source any more; its papers stay."


def moved(item: QueueItem, move: str) -> str:
    """What a move through the queue did."""
    named = _named(item.view)
    match move:
        case "claim":
            return f"{named} is yours; press Start when you begin to read it."
        case "start":
            return f"You are reading {named}; press Done once it is discussed."
        case "done":
            return f"{named} is discussed and out of the queue."
        case "release":
            return f"{named} is free again."
        case _:
            return f"{named} is out of the queue; a new vote brings it back."


def digest_ordered(made: Subscription, due: datetime | None) -> str:
    """A new standing order, and when it posts first."""
    return f"Digest **{made.id}** is ordered: {order_in_words(made.order)}. {_first(due)}"


def digest_changed(changed: Subscription, due: datetime | None) -> str:
    """A standing order that was edited."""
    return f"Digest **{changed.id}** is changed: {order_in_words(changed.order)}. {_first(due)}"


def digest_paused(paused: Subscription) -> str:
    """A standing order that rests."""
    return f"Digest **{paused.id}** is paused; `/digest resume` lets it go on."


def digest_resumed(resumed: Subscription, due: datetime | None) -> str:
    """A standing order that goes on."""
    return f"Digest **{resumed.id}** goes on: {order_in_words(resumed.order)}. {_first(due)}"


def digest_removed(removed: Subscription) -> str:
    """A standing order that ended."""
    return f"Digest **{removed.id}** is removed: {order_in_words(removed.order)}."


def order_in_plain_words(subscription: Subscription, channels: Mapping[int, str]) -> str:
    """A standing order without Markdown, for an autocompletion."""
    order = subscription.order
    channel = channels.get(order.channel_id, "a channel that is gone")
    state = ", paused" if subscription.paused else ""
    return clean(
        f"{subscription.id} · #{channel} at {order.at:%H:%M} {order.zone}, "
        f"{days_in_words(order.days)}{state}"
    )


def _first(due: datetime | None) -> str:
    if due is None:
        return "It posts nothing for now."
    return f"It comes next <t:{int(due.timestamp())}:R>, <t:{int(due.timestamp())}:f>."


def _named(view: PaperView) -> str:
    return f"**{shown(view.paper.title, 200) or 'untitled'}** (#{view.paper.id})"
