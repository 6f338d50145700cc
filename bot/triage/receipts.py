"""The foot of a digest: what each source brought to it, and why the rest brought nothing.

A receipt's words: *read* are the entries of the announcements, *new* the papers that became news
since the digest before, *matched* those that the filter lets through, *late* those of the matched
that belong to an announcement from before, and *posted* those that the digest shows.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from bot.triage.ranking import VOTED_PAPERS_NEEDED
from data.sources import Outcome

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import date, datetime

    from bot.triage.digest import Digest
    from bot.triage.interest import Ordering
    from bot.triage.library import PaperView
    from data.store.digests import SourceReading
    from data.store.news import Announcement
    from data.store.sources import PartOutcome

STATES: Final[Mapping[Outcome, str]] = {
    Outcome.ANNOUNCED: "announced",
    Outcome.EMPTY: "announced no papers",
    Outcome.UNCHANGED: "nothing new",
    Outcome.STALE: "feed is stale",
    Outcome.NOT_YET: "not announced yet",
    Outcome.SHRUNK: "answer is not whole",
    Outcome.FAILED: "could not be read",
}
_TROUBLES: Final = frozenset({Outcome.STALE, Outcome.NOT_YET, Outcome.SHRUNK, Outcome.FAILED})
_NAMED: Final = 3


@dataclass(frozen=True, slots=True)
class SourceCoverage:
    """One source in the receipt: when read and announced, and what it brought to this digest."""

    reading: SourceReading
    new: int
    matched: int
    late: int = 0
    posted: int = 0
    read: int = 0
    announced: date | None = None


def is_late(
    announcement: Announcement | None, days_read: Mapping[str, date], since: datetime | None
) -> bool:
    """Whether a paper came after the digest that it belonged to.

    So it is where its announcement is from a day before the digest's time, or from the day on
    which that began and first seen on a later one, or had been read by then; or where the source
    found it by looking back. Nothing is late for a first digest.
    """
    if announcement is None or since is None:
        return False
    day = announcement.announced
    if day is None:
        return announcement.late
    read = days_read.get(announcement.source)
    overdue = day < since.date() or day == since.date() < announcement.fetched.date()
    return overdue or (read is not None and day <= read)


def coverage_of(
    readings: Iterable[SourceReading],
    asked: Sequence[PartOutcome],
    told: Mapping[int, Announcement],
    candidates: Sequence[PaperView],
    matched: Sequence[PaperView],
    shown: Collection[int],
    late: Collection[int],
    seen: Mapping[str, int],
) -> tuple[SourceCoverage, ...]:
    """What each source brought, for those that brought something; latest reading first.

    `seen` are the entries of each source since the digest before; a source that is asked says
    itself how many it read.
    """

    def by_source(views: Iterable[PaperView]) -> Counter[str]:
        return Counter(_source(view, told) for view in views)

    new, fitting = by_source(candidates), by_source(matched)
    posted = by_source(view for view in matched if view.paper.id in shown)
    after = by_source(view for view in matched if view.paper.id in late)
    days: dict[str, date] = {}
    for view in candidates:
        announcement = told.get(view.paper.id)
        day = announcement.announced if announcement else view.paper.announced
        if day is not None:
            name = _source(view, told)
            days[name] = max(day, days.get(name, day))
    read = Counter[str]()
    announced = [outcome for outcome in asked if outcome.outcome is Outcome.ANNOUNCED]
    for outcome in announced:
        read[outcome.source] += outcome.read
        if outcome.day is not None:
            days[outcome.source] = max(outcome.day, days.get(outcome.source, outcome.day))
    return tuple(
        SourceCoverage(
            reading,
            new[reading.name],
            fitting[reading.name],
            late=after[reading.name],
            posted=posted[reading.name],
            read=read[reading.name] or max(seen.get(reading.name, 0), new[reading.name]),
            announced=days.get(reading.name),
        )
        for reading in readings
        if new[reading.name] or read[reading.name]
    )


def _source(view: PaperView, told: Mapping[int, Announcement]) -> str:
    announcement = told.get(view.paper.id)
    return announcement.source if announcement else next(iter(view.paper.sources), "")


def last_words(outcomes: Iterable[PartOutcome]) -> tuple[PartOutcome, ...]:
    """Of each channel the latest outcome, and the announcement before it that it must not hide.

    `outcomes` are in the order in which they were noted. An announcement stays over a later word
    that the next one is not there yet, or that nothing changed.
    """
    announced: dict[tuple[str, str], PartOutcome] = {}
    latest: dict[tuple[str, str], PartOutcome] = {}
    for outcome in outcomes:
        key = (outcome.source, outcome.channel)
        latest[key] = outcome
        if outcome.outcome is Outcome.ANNOUNCED:
            before = announced.get(key)
            announced[key] = outcome if before is None else _together(before, outcome)
    told: list[PartOutcome] = []
    for key, outcome in latest.items():
        if key in announced:
            told.append(announced[key])
        if key not in announced or outcome.outcome in _TROUBLES - {Outcome.NOT_YET}:
            told.append(outcome)
    return tuple(told)


def _together(before: PartOutcome, after: PartOutcome) -> PartOutcome:
    """Two announcements of a channel as one line: the later day, and the numbers of both."""
    read = after.read if after.day == before.day else before.read + after.read
    return replace(
        after,
        read=max(read, before.read),
        new=before.new + after.new,
        late=before.late + after.late,
    )


def troubles(digest: Digest) -> tuple[PartOutcome, ...]:
    """The channels that brought less than they should have, with why."""
    return tuple(outcome for outcome in digest.asked if outcome.outcome in _TROUBLES)


def coverage_line(cover: SourceCoverage) -> str:
    """One source's line of the receipt, as plain text, without its name."""
    numbers = [
        f"{cover.read:,} read",
        f"{cover.new:,} new",
        f"{cover.matched:,} matched",
        f"{cover.late:,} late" if cover.late else "",
        f"{cover.posted:,} posted",
    ]
    announced = f"announced {cover.announced.day} {cover.announced:%B}: " if cover.announced else ""
    return announced + ", ".join(number for number in numbers if number)


def trouble_line(outcome: PartOutcome) -> str:
    """One channel's trouble, as plain text: what it is and since when, without its name."""
    since = f"{outcome.first_at.day} {outcome.first_at:%B %H:%M} UTC"
    return f"{STATES[outcome.outcome]} (since {since}). {outcome.sentence}"


def quiet_reason(digest: Digest) -> str:
    """Why a digest has no papers, as a short clause of plain text; "" where it has some."""
    if digest.slot.total:
        return ""
    pieces: list[str] = []
    new = sum(cover.new for cover in digest.coverage)
    if digest.withdrawn:
        pieces.append(f"{_papers(digest.withdrawn)} that fits was withdrawn")
    if new > digest.withdrawn:
        pieces.append(f"{_papers(new - digest.withdrawn)} came and none fits this digest's filter")
    for state in (Outcome.FAILED, Outcome.STALE, Outcome.NOT_YET, Outcome.SHRUNK):
        names = [one.channel for one in digest.asked if one.outcome is state]
        if names:
            pieces.append(f"{_names(names)}: {STATES[state]}")
    if not pieces:
        quiet = [one.channel for one in digest.asked]
        pieces.append(
            f"{_names(quiet)} announced nothing since the last digest"
            if quiet
            else "no listing was read since the last digest"
        )
    return "; ".join(pieces)


def order_told(digest: Digest) -> str:
    """By what a digest's papers are ordered, in one line of plain text; "" where it needs none."""
    ordering, wanted = digest.ordering, digest.subscription.order.filter
    if ordering is None or ordering.learnt_from is None or not digest.items:
        return ""
    # A query's own order needs no word until votes change it.
    if wanted.query.strip() and not ordering.learnt_from:
        return ""
    return order_of_papers(ordering)


def order_of_papers(ordering: Ordering) -> str:
    """By what papers are ordered, in one line of plain text."""
    if ordering.learnt_from:
        papers = "1 paper" if ordering.learnt_from == 1 else f"{ordering.learnt_from:,} papers"
        return f"Best first, by {papers} that you voted for or read; every fifth is unlike them."
    if ordering.voted < VOTED_PAPERS_NEEDED:
        return (
            "Newest first; an order of your own begins with votes for "
            f"{VOTED_PAPERS_NEEDED} papers."
        )
    return "Newest first; the order of your own was not ready."


def _papers(count: int) -> str:
    return "1 new paper" if count == 1 else f"{count:,} new papers"


def _names(names: Sequence[str]) -> str:
    unique = list(dict.fromkeys(names))
    more = f" and {len(unique) - _NAMED} more" if len(unique) > _NAMED else ""
    return ", ".join(unique[:_NAMED]) + more
