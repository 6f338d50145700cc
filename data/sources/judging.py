"""What an answer means: announced, empty, unchanged, stale, not yet announced, shrunk, or failed.

A source's own dates are taken for what it claims, never for what it holds: arXiv's feed carries
the day on which it was made, and has been seen to serve the batch before under a new date, or a
new batch under the date before. So a batch is known by its entries, and a date that moved closes
nothing by itself. No calendar is kept here: a day is missing only where the source names the
weekdays on which it announces nothing, and this is none of them.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from enum import Enum, StrEnum
from typing import TYPE_CHECKING, Final

from data.sources.base import Answer, Part, Validators

if TYPE_CHECKING:
    from collections.abc import Iterable

    from data.records import PaperRecord

# A batch of fewer entries than this can halve by chance.
SMALL: Final = 10
# A source that says the same smaller thing so many times in a row is believed.
BELIEVED_AFTER: Final = 3


class Outcome(StrEnum):
    """How asking for one part of a source went."""

    ANNOUNCED = "announced"
    EMPTY = "empty"
    UNCHANGED = "unchanged"
    STALE = "stale"
    NOT_YET = "not yet announced"
    SHRUNK = "shrunk"
    FAILED = "failed"


class Storing(Enum):
    """Which records of an answer go into the library."""

    ALL = "all"
    UNKNOWN = "those of unknown papers"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Memory:
    """What is remembered of a part between two polls.

    `day`, `count` and `batch` are those of the last announcement that was taken as such; the
    other dates are what the source last said of itself. `read` is when it was last read well;
    None before the first time. `shrunk` counts the suspicious answers since.
    """

    day: date | None = None
    count: int = 0
    batch: str = ""
    built: date | None = None
    ahead: timedelta = timedelta(0)
    skipped: frozenset[int] = frozenset()
    validators: Validators = field(default_factory=Validators)
    shrunk: int = 0
    read: datetime | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an answer means, in one sentence, and what to store of it."""

    outcome: Outcome
    sentence: str
    storing: Storing = Storing.NONE
    late: bool = False


def is_first(day: date | None, memory: Memory, added: datetime) -> bool:
    """Whether a part is read for the first time and holds what was there when it was added."""
    return memory.read is None and (day is None or day <= added.date())


def fingerprint(records: Iterable[PaperRecord]) -> str:
    """A key of a batch: which papers in which versions, however dated and ordered."""
    lines = sorted(
        "|".join(
            (
                *(value for _, value in record.identifiers.pairs()),
                record.title or record.abstract[:200],
                str(record.version),
                record.announce_type.value,
            )
        )
        for record in records
    )
    return hashlib.blake2b("\n".join(lines).encode(), digest_size=16).hexdigest() if lines else ""


def judge(
    part: Part, answer: Answer, memory: Memory, *, batch: str, unknown: int, now: datetime
) -> Verdict:
    """What an answer with a body means.

    `batch` is the fingerprint of its records and `unknown` how many of them the library does not
    know.
    """
    believed = memory.shrunk + 1 >= BELIEVED_AFTER
    moved = answer.day is not None and (memory.day is None or answer.day > memory.day)
    doubt = _doubt(answer, memory, unknown)
    if doubt and not believed:
        return Verdict(Outcome.SHRUNK, doubt, Storing.UNKNOWN)
    # However often it is said: an answer that is cut, or names more than it holds, is not empty.
    if answer.count == 0 and (not answer.whole or answer.total):
        return Verdict(Outcome.FAILED, doubt)
    if answer.count == 0:
        return _judge_empty(part, answer, now)
    if batch and batch == memory.batch:
        if moved:
            return Verdict(
                Outcome.STALE,
                f"The source dates itself {answer.day} but still holds the batch of {memory.day}.",
            )
        same = judge_same(_with_dates(memory, answer), now)
        # The same papers may say more of themselves than before.
        return replace(same, storing=Storing.ALL) if same.outcome is Outcome.UNCHANGED else same
    if not unknown and answer.day and memory.day and answer.day < memory.day:
        return Verdict(
            Outcome.STALE,
            f"The source went back to the batch of {answer.day}; {memory.day} was read before.",
        )
    if unknown and part.every and part.since:
        found = f"Found by looking back to {part.since}."
        return Verdict(Outcome.ANNOUNCED, found, Storing.ALL, late=memory.read is not None)
    if unknown or moved:
        late = memory.read is not None and not moved and answer.day is not None
        what = f"Announced {answer.day}." if answer.day else "New papers."
        return Verdict(Outcome.ANNOUNCED, what, Storing.ALL, late=late)
    return Verdict(Outcome.UNCHANGED, "Nothing that was not known.", Storing.ALL)


def _doubt(answer: Answer, memory: Memory, unknown: int) -> str:
    """Why an answer is not to be believed yet, or ""."""
    if not answer.whole:
        return f"The answer breaks off after {answer.count} entries; it is asked for again."
    if answer.total is not None and answer.count < answer.total:
        return (
            f"Only {answer.count} of the {answer.total} entries came that the source counts; they "
            "are asked for again."
        )
    shrunk = answer.count * 2 < memory.count and unknown * 2 <= answer.count
    if answer.steady and answer.day == memory.day and memory.count >= SMALL and shrunk:
        return (
            f"The answer shrank from {memory.count} entries to {answer.count}; what was read "
            "before stands, and it is asked for again."
        )
    return ""


def _judge_empty(part: Part, answer: Answer, now: datetime) -> Verdict:
    if part.day is not None and part.day >= now.astimezone(UTC).date():
        return Verdict(Outcome.NOT_YET, f"The source has nothing for {part.day} yet.")
    if answer.day is not None:
        return Verdict(Outcome.EMPTY, f"The source's answer for {answer.day} holds no papers.")
    return Verdict(Outcome.EMPTY, "The source's answer is valid and holds no papers.")


def judge_same(memory: Memory, now: datetime) -> Verdict:
    """What it means that a source still says what it said before.

    Where it names the weekdays on which it announces nothing, and today, in its own calendar, is
    none of them, today's announcement is not there yet; it is stale when the source was made anew
    since, or when a whole such day went by.
    """
    same = Verdict(Outcome.UNCHANGED, "The source says what it said before.")
    if memory.day is None or not memory.skipped:
        return same
    today = (now.astimezone(UTC) + memory.ahead).date()
    if memory.day >= today or today.weekday() in memory.skipped:
        return same
    if (
        memory.built is not None
        and memory.built > memory.day
        and memory.built.weekday() not in memory.skipped
    ):
        return Verdict(
            Outcome.STALE,
            f"The source was made anew on {memory.built} but still holds the batch of "
            f"{memory.day}.",
        )
    between = (memory.day + timedelta(days=n) for n in range(1, (today - memory.day).days))
    if any(day.weekday() not in memory.skipped for day in between):
        return Verdict(Outcome.STALE, f"The source's own date has stood at {memory.day} since.")
    return Verdict(
        Outcome.NOT_YET, f"The source still shows {memory.day}; {today} is not there yet."
    )


def _with_dates(memory: Memory, answer: Answer) -> Memory:
    """The memory with what the source says of itself now."""
    return replace(
        memory,
        built=answer.built,
        ahead=answer.ahead,
        skipped=answer.skipped,
        validators=answer.validators,
    )


def remembered(
    verdict: Verdict, answer: Answer, memory: Memory, *, batch: str, now: datetime
) -> Memory:
    """What to remember after a verdict. A day never goes back, and only an answer closes it."""
    if verdict.outcome is Outcome.FAILED:
        return memory
    if verdict.outcome is Outcome.SHRUNK:
        return replace(memory, shrunk=memory.shrunk + 1)
    if answer.not_modified:
        return replace(memory, shrunk=0, read=now)
    dated = replace(_with_dates(memory, answer), shrunk=0, read=now)
    if verdict.outcome in {Outcome.STALE, Outcome.NOT_YET}:
        return dated
    days = [day for day in (memory.day, answer.day) if day is not None]
    dated = replace(dated, day=max(days, default=None), count=answer.count)
    # After a day without papers, the batch before may still be served under a later date.
    return dated if verdict.outcome is Outcome.EMPTY else replace(dated, batch=batch)
