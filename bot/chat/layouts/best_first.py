"""Why a paper stands where it does in a digest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.chat.render import shown

if TYPE_CHECKING:
    from bot.triage.interest import Reason


def reason_in_words(reason: Reason, limit: int) -> str:
    """Why a paper stands where it does, escaped: what it is like, and who wanted that."""
    like = f"like *{shown(reason.title, limit)}*"
    if not reason.votes:
        return f"{like}, which was read here"
    voters = "one of you" if reason.votes == 1 else f"{reason.votes} of you"
    return f"{like}, which {voters} voted for"
