"""Retraining the tagger on what members corrected: weekly, graded, and held where it looks odd.

A retraining starts from the base model and the corrections that stand today, in the servers that
consent. The new model is put in place only where it tells no type worse than it may; where one
person or a large change stands behind it, it is held until an admin accepts or discards it. Then
the library is judged again, some of it at each tick, and goes on after a restart.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Final

import structlog

from bot.triage import teaching
from bot.triage.errors import Refused
from bot.triage.models import CURRENT, HELD
from bot.triage.tagging import judge
from data.store import corrections as correction_rows
from data.store import learning as learning_rows
from data.store import meta as meta_rows
from data.store import papers as paper_rows
from data.store import retagging

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from bot.triage.library import Library
    from bot.triage.models import Models
    from bot.triage.tagging import Tagging
    from bot.triage.teaching import Lessons
    from classifiers import Tagger
    from classifiers.retraining import Retrained

LOG = structlog.get_logger()

EVERY: Final = timedelta(days=7)
LEASE: Final = timedelta(minutes=10)
JUDGED_A_TICK: Final = 5_000
LOOKED_AT: Final = 5_000
LOOKED_AT_ONCE: Final = 500

_LAST: Final = "learning.last"

# The scores of a manifest, by the names that a report uses.
GRADED: Final = {
    "position": "bare position F1",
    "theory": "bare theory F1",
    "methods": "bare methods F1",
    "all": "bare macro F1",
}


class Outcome(StrEnum):
    """What became of a retraining."""

    IN_PLACE = "in place"
    REFUSED = "refused"
    HELD = "held"
    NOTHING = "nothing to learn"
    ACCEPTED = "accepted"
    DISCARDED = "discarded"
    FAILED = "failed"


# Where the model of a retraining lies that came to this.
_STATES: Final = {Outcome.IN_PLACE: CURRENT, Outcome.ACCEPTED: CURRENT, Outcome.HELD: HELD}


@dataclass(frozen=True, slots=True)
class Retraining:
    """What became of the last retraining, and why, in sentences.

    `papers` corrected papers were learnt, of `people` in `servers`. `before` and `after` are F1 on
    the same held-out papers, by type and "all". Of `looked_at` other papers of the library `moved`
    get another tag. `lessons` names what was learnt, so that the same is not learnt twice.
    """

    at: datetime
    outcome: Outcome
    reasons: tuple[str, ...] = ()
    model: str | None = None
    papers: int = 0
    people: int = 0
    servers: int = 0
    before: dict[str, float] | None = None
    after: dict[str, float] | None = None
    moved: int = 0
    looked_at: int = 0
    lessons: str = ""

    def to_json(self) -> str:
        """The report as text that `from_json` reads."""
        return json.dumps(asdict(self) | {"at": self.at.astimezone(UTC).isoformat()})

    @classmethod
    def from_json(cls, text: str) -> Retraining:
        """The report that `to_json` wrote."""
        fields = json.loads(text)
        fields["at"] = datetime.fromisoformat(fields["at"])
        fields["outcome"] = Outcome(fields["outcome"])
        fields["reasons"] = tuple(fields["reasons"])
        return cls(**fields)


@dataclass(frozen=True, slots=True)
class LearningState:
    """How things stand: which model tags, what the last retraining did, how far the library is.

    `trouble` says why the model in use is not the one wished for; `judged` of `tagged` papers have
    the tag of the model in use.
    """

    retrained: bool
    trouble: str | None
    last: Retraining | None
    judged: int
    tagged: int


class Learning:
    """Retrains, and lets an admin accept or discard what was held."""

    def __init__(self, library: Library, tagging: Tagging, models: Models) -> None:
        self._library = library
        self._tagging = tagging
        self._models = models
        self._passed_over: str | None = None

    async def tick(self) -> None:
        """One step in the background; safe to call at any time and as often as one likes.

        Takes up a model that another process put in place, judges some more of the library again,
        and retrains where a week has passed since the last time.
        """
        await self._follow()
        await self._tagging.tag_again(most=JUDGED_A_TICK)
        if not self._models.can_keep():
            return
        now = self._library.clock.now()
        if await self._library.store.write(learning_rows.begin_when_due, now, EVERY, LEASE):
            await self._retrain(now)

    async def retrain(self) -> Retraining:
        """Retrains now. Raises Refused where another retraining is under way."""
        if not self._models.can_keep():
            raise Refused("There is no place for a retrained model; set PAPERTRIAGE_HOME.")
        now = self._library.clock.now()
        if not await self._library.store.write(learning_rows.begin, now, LEASE):
            raise Refused("A retraining is under way; try again in ten minutes.")
        return await self._retrain(now)

    async def accept(self) -> Retraining:
        """Puts the held model in place.

        Raises Refused where none is held, or where it learnt words that no longer count.
        """
        said = teaching.lessons_of(await self._library.store.read(correction_rows.voices))
        if not said.include(await asyncio.to_thread(self._models.learnt, HELD)):
            raise Refused(
                "The held model learnt words that no longer count; run 'papertriage train' to "
                "make it anew."
            )
        refused = await asyncio.to_thread(self._models.unusable, HELD)
        if refused:
            raise Refused(f"The held model cannot be used: {refused}")
        return await self._decide(self._models.accept, Outcome.ACCEPTED)

    async def discard(self) -> Retraining:
        """Forgets the held model. Raises Refused where none is held."""
        return await self._decide(self._models.discard, Outcome.DISCARDED)

    async def state(self) -> LearningState:
        """How things stand."""
        tagger = await asyncio.to_thread(lambda: self._tagging.tagger)
        judged, tagged = await self._library.store.read(
            retagging.count_judged, tagger.card.model_id
        )
        last, trouble = await self.last(), self._models.trouble
        wanted = last is not None and _STATES.get(last.outcome) == CURRENT
        if wanted and not trouble and not self._models.retrained:
            trouble = "The retrained model is gone; 'papertriage train' makes it anew."
        return LearningState(self._models.retrained, trouble, last, judged, tagged)

    async def last(self) -> Retraining | None:
        """What became of the last retraining, or None before the first."""
        told = await self._library.recall(_LAST)
        return Retraining.from_json(told) if told else None

    async def _follow(self) -> None:
        wanted = await asyncio.to_thread(self._models.current)
        tagger = await asyncio.to_thread(lambda: self._tagging.tagger)
        using = tagger.card.model_id if self._models.retrained else None
        # One that was passed over is named once; it does not get better by itself.
        if wanted != using and wanted != self._passed_over:
            await asyncio.to_thread(self._tagging.reload)
            self._passed_over = None if self._models.retrained else wanted

    async def _decide(self, decide: Callable[[], str | None], outcome: Outcome) -> Retraining:
        name = await asyncio.to_thread(decide)
        last = await self.last()
        if name is None or last is None:
            raise Refused("No retrained model is held; see 'papertriage stats'.")
        await asyncio.to_thread(self._tagging.reload)
        return await self._note(replace(last, outcome=outcome))

    async def _retrain(self, now: datetime) -> Retraining:
        try:
            report = await self._learn(now)
        except Exception as error:
            # The old model stays; the next week tries again.
            await self._note(Retraining(now, Outcome.FAILED, (str(error) or repr(error),)))
            if isinstance(error, OSError):
                raise Refused(
                    f"The retrained model cannot be written ({error}); make room for it, or move "
                    "away what stands in its place."
                ) from error
            raise
        finally:
            await self._library.store.write(learning_rows.finish, now)
        return report

    async def _learn(self, now: datetime) -> Retraining:
        said = await self._library.store.read(correction_rows.voices)
        lessons = teaching.lessons_of(said)
        last = await self.last()
        if not lessons.lessons:
            return await self._unlearn(now)
        base = (await asyncio.to_thread(self._models.load_base)).card.model_id
        told = f"{base} {lessons.name}"
        if last is not None and last.lessons == told and await self._stands(last):
            LOG.info("tagger.nothing_new", corrections=len(lessons.lessons))
            return last
        with self._models.workshop() as folder:
            made = await self._make(lessons, folder, now)
            report = replace(await self._judge_it(made, lessons, folder, now), lessons=told)
            if report.outcome is not Outcome.IN_PLACE:
                report = await self._stay(report, lessons)
            if report.outcome is not Outcome.REFUSED:
                await asyncio.to_thread(
                    self._models.keep,
                    folder,
                    made.manifest.model_id,
                    base=base,
                    lessons=lessons.name,
                    state=CURRENT if report.outcome is Outcome.IN_PLACE else HELD,
                )
        await asyncio.to_thread(self._tagging.reload)
        return await self._note(report)

    async def _stands(self, last: Retraining) -> bool:
        """Whether what became of a retraining is still so: its model may be lost or damaged."""
        state = _STATES.get(last.outcome)
        if state is None:
            return True
        named = self._models.current() if state == CURRENT else self._models.held()
        return named == last.model and not await asyncio.to_thread(self._models.unusable, state)

    async def _stay(self, report: Retraining, lessons: Lessons) -> Retraining:
        """The model in use stays, unless it learnt what no longer counts: then its base is used."""
        learnt = await asyncio.to_thread(self._models.learnt, CURRENT)
        if lessons.include(learnt):
            return report
        await asyncio.to_thread(self._models.back_to_base)
        gone = "the model before had learnt words that no longer count, so its base is used"
        return replace(report, reasons=(*report.reasons, gone))

    async def _unlearn(self, now: datetime) -> Retraining:
        """With nothing to learn (any more) the base model tags."""
        if await asyncio.to_thread(self._models.current) is not None:
            await asyncio.to_thread(self._models.back_to_base)
            await asyncio.to_thread(self._tagging.reload)
        return await self._note(Retraining(now, Outcome.NOTHING))

    async def _make(self, lessons: Lessons, folder: Path, now: datetime) -> Retrained:
        from classifiers.adapting import Correction
        from classifiers.contribution import ContributionType
        from classifiers.retraining import retrain

        texts = await self._library.store.read(
            paper_rows.load_texts, [lesson.paper_id for lesson in lessons.lessons]
        )
        corrections = [
            Correction(*texts[lesson.paper_id], ContributionType(lesson.tag), float(lesson.weight))
            for lesson in lessons.lessons
            if lesson.paper_id in texts
        ]
        base = await asyncio.to_thread(self._models.base_folder)
        return await asyncio.to_thread(lambda: retrain(base, corrections, folder, today=now.date()))

    async def _judge_it(
        self, made: Retrained, lessons: Lessons, folder: Path, now: datetime
    ) -> Retraining:
        made = made.against(self._grade_in_use())
        report = Retraining(
            at=now,
            outcome=Outcome.IN_PLACE,
            model=made.manifest.model_id,
            papers=made.learnt,
            people=lessons.people,
            servers=lessons.servers,
            before=made.before,
            after=made.after,
        )
        if made.fell:
            told = [
                f"F1 of {kind} would fall from {made.before[kind]:.3f} to {made.after[kind]:.3f}"
                for kind in made.fell
            ]
            return replace(report, outcome=Outcome.REFUSED, reasons=tuple(told))
        moved, looked_at = await self._moved(folder, {entry.paper_id for entry in lessons.lessons})
        reasons: list[str] = []
        if lessons.one_sided:
            reasons.append(
                f"{lessons.largest_share:.0%} of what it learnt is the word of one person"
            )
        if teaching.is_jump(moved, looked_at):
            reasons.append(f"{moved} of {looked_at} papers would get another tag")
        return replace(
            report,
            outcome=Outcome.HELD if reasons else Outcome.IN_PLACE,
            reasons=tuple(reasons),
            moved=moved,
            looked_at=looked_at,
        )

    def _grade_in_use(self) -> dict[str, float] | None:
        """F1 of the retrained model in use, on the same held-out papers; None for the base."""
        if not self._models.retrained:
            return None
        scores = self._tagging.tagger.card.scores
        return {name: scores[key] for name, key in GRADED.items() if key in scores}

    async def _moved(self, folder: Path, corrected: set[int]) -> tuple[int, int]:
        """Of the newest papers that nobody corrected, how many get another tag; and of how many."""
        from classifiers import Tagger

        store = self._library.store
        newest = await store.read(retagging.newest_tagged, LOOKED_AT)
        newest = [paper_id for paper_id in newest if paper_id not in corrected]
        new = await asyncio.to_thread(Tagger.load, folder)
        moved = looked_at = 0
        for start in range(0, len(newest), LOOKED_AT_ONCE):
            texts = await store.read(paper_rows.load_texts, newest[start : start + LOOKED_AT_ONCE])
            moved += await asyncio.to_thread(
                _differing, self._tagging.tagger, new, list(texts.values())
            )
            looked_at += len(texts)
        return moved, looked_at

    async def _note(self, report: Retraining) -> Retraining:
        await self._library.store.write(meta_rows.remember, _LAST, report.to_json())
        notable = report.outcome in (Outcome.HELD, Outcome.REFUSED, Outcome.FAILED)
        (LOG.warning if notable else LOG.info)(
            "tagger.retrained",
            outcome=report.outcome.value,
            reasons=list(report.reasons),
            papers=report.papers,
            people=report.people,
            model=report.model,
        )
        return report


def _differing(old: Tagger, new: Tagger, texts: Sequence[tuple[str, str]]) -> int:
    before, after = judge(old, texts), judge(new, texts)
    return sum(one.tag != other.tag for one, other in zip(before, after, strict=True))
