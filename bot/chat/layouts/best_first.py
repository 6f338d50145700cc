"""By what the papers of a digest are ordered, and why one stands where it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.chat.render import count, shown, small
from bot.triage.interest import VOTED_PAPERS_NEEDED

if TYPE_CHECKING:
    from bot.triage.digest import Digest
    from bot.triage.interest import Ordering, Reason


def reason_in_words(reason: Reason, limit: int) -> str:
    """Why a paper stands where it does, escaped: what it is like, and who wanted that."""
    like = f"like *{shown(reason.title, limit)}*"
    if not reason.votes:
        return f"{like}, which was read here"
    voters = "one of you" if reason.votes == 1 else f"{reason.votes} of you"
    return f"{like}, which {voters} voted for"


def order_of_papers(ordering: Ordering) -> str:
    """By what the papers of a digest are ordered, in one line."""
    if ordering.learnt_from:
        papers = count(ordering.learnt_from, "paper")
        return f"Best first, by {papers} that you voted for or read; every fifth is unlike them."
    if ordering.voted < VOTED_PAPERS_NEEDED:
        return (
            "Newest first; an order of your own begins with votes for "
            f"{count(VOTED_PAPERS_NEEDED, 'paper')}."
        )
    return "Newest first; the order of your own was not ready."


def order_line(digest: Digest) -> str:
    """The line of a digest's foot that says how it is ordered; "" where it needs none."""
    # A query's own order needs no word until votes change it.
    by_query = bool(digest.subscription.order.filter.query.strip())
    if digest.ordering is None or digest.ordering.learnt_from is None or not digest.items:
        return ""
    if by_query and not digest.ordering.learnt_from:
        return ""
    return small(order_of_papers(digest.ordering))
