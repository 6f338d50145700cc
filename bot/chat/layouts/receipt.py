"""The foot of a digest: what its sources brought, what was revised, and why it is quiet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.chat.render import count, day, linked, shown, small
from bot.triage.receipts import coverage_line, quiet_reason, trouble_line, troubles

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.chat.layouts.frame import Scale
    from bot.triage.digest import Digest, RevisedPaper

SOURCES_SHOWN: Final = 6
TROUBLES_SHOWN: Final = 6
REVISED_SHOWN: Final = 5


def quiet_line(digest: Digest, scale: Scale) -> str:
    """Why a digest has no papers, in one line."""
    return f"Nothing new: {shown(quiet_reason(digest), scale(300))}."


def revised_lines(digest: Digest, scale: Scale) -> Iterable[str]:
    """One small line for each voted paper with a new version, or that was withdrawn."""
    most = scale.lines(REVISED_SHOWN)
    for revised in digest.revised[:most]:
        yield small(_revised(revised, scale))
    rest = len(digest.revised) - most
    if rest > 0:
        yield small(f"and {rest} more that you voted for were revised")


def _revised(revised: RevisedPaper, scale: Scale) -> str:
    found, paper = revised.revision, revised.view.paper
    what = "withdrawn" if found.withdrawn else "revised"
    version = f", version {found.version}" if found.version else ""
    when = f", {day(found.announced)}" if found.announced else ""
    return f"{what}: {linked(paper.title, paper.link, limit=scale(90))} #{paper.id}{version}{when}"


def receipt_lines(digest: Digest, scale: Scale) -> Iterable[str]:
    """Per source what it brought and how much of that fits, and which ones brought too little."""
    most = scale.lines(SOURCES_SHOWN)
    covered = digest.coverage[:most]
    for cover in covered:
        yield small(f"{shown(cover.reading.name, scale(40))} {coverage_line(cover)}")
    if len(digest.coverage) > most:
        yield small(f"and {count(len(digest.coverage) - most, 'more source')}")
    wrong = troubles(digest)
    most = scale.lines(TROUBLES_SHOWN)
    for outcome in wrong[:most]:
        told = shown(trouble_line(outcome), scale(220))
        yield small(f"{shown(outcome.channel, scale(60))} {told}")
    if len(wrong) > most:
        yield small(f"and {len(wrong) - most} more, see `/listing sources list`")
    if digest.withdrawn and digest.slot.total:
        yield small(f"{digest.withdrawn} withdrawn before it could be posted")
    if not covered and not wrong and digest.slot.total:
        yield small("Kept from an earlier day.")
