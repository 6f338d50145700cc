"""The order in which this server would read: learnt from its own votes, in the background.

Each server has a small model over the TF-IDF of papers (`classifiers.interest`). It is learnt on a
thread when the votes have changed and kept in memory; nothing of it is stored, and no server's
votes touch another's. Where there are too few votes, or the model is not ready in time, a digest
is plainly newest first, and says so.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import structlog

from bot.triage.ranking import VOTED_PAPERS_NEEDED, best_first, newest_first
from classifiers.interest import Interest
from classifiers.subjects import PaperText, Space, Vectors
from data.store import interests as interest_rows
from data.store.servers import QueueState

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.triage.library import Library, PaperView
    from data.store.interests import KnownText, Mark

LOG = structlog.get_logger()

# The background: about two months of the listings that a team of this field reads.
WINDOW: Final = 20_000
READ_AT_ONCE: Final = 500
# How long a digest that is due waits for its order before it goes out newest first.
PATIENCE_SECONDS: Final = 10.0
# A library that grew by this share has words that the space has not met.
GROWTH: Final = 0.1

# A discussion is the strongest word for a paper, and holds also where nobody pressed a button.
_STATE_WEIGHTS: Final = {
    QueueState.QUEUED: 0.0,
    QueueState.READING: 1.0,
    QueueState.DISCUSSED: 2.0,
}


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a paper stands where it does: a paper like it that `votes` members voted for.

    `votes` is 0 for one that was read without a vote.
    """

    paper_id: int
    title: str
    votes: int


@dataclass(frozen=True, slots=True)
class Ordering:
    """Papers in the order for one server.

    `learnt_from` is how many voted and read papers it was learnt from; 0 where it was not learnt,
    None where that is not known any more. `voted` is how many there are to learn from. `reasons`
    are by paper, only where there is one.
    """

    views: tuple[PaperView, ...]
    learnt_from: int | None
    voted: int
    reasons: Mapping[int, Reason] = field(default_factory=dict[int, Reason])


@dataclass(frozen=True, slots=True)
class _Background:
    """The newest papers of the library and their space; `size` is the library's when read."""

    space: Space
    rows: dict[int, int]
    vectors: Vectors
    size: int


@dataclass(frozen=True, slots=True)
class _Model:
    """What was learnt from which marks; `papers` names the rows that it was learnt from."""

    marks: tuple[Mark, ...]
    background: _Background
    interest: Interest
    papers: tuple[int, ...]


class Interests:
    """Orders papers by what a server's members voted, read and dropped."""

    def __init__(self, library: Library, *, patience: float = PATIENCE_SECONDS) -> None:
        self._library = library
        self._patience = patience
        self._background: _Background | None = None
        self._models: dict[int, _Model] = {}
        self._learning: dict[int, asyncio.Task[None]] = {}
        self._one_at_a_time = asyncio.Lock()

    async def order(
        self, guild_id: int, views: Sequence[PaperView], *, by_relevance: bool = False
    ) -> Ordering:
        """The papers in this server's order, with reasons.

        With `by_relevance` the views come in the order of a query, which is mixed in, and kept
        where nothing is learnt. Waits a few seconds at most.
        """
        marks = await self._library.store.read(interest_rows.marks_of, guild_id)
        voted = len(_weights(marks))
        model = await self._model(guild_id, marks) if views else None
        if model is None:
            kept = views if by_relevance else newest_first(views)
            return Ordering(tuple(kept), learnt_from=0, voted=voted)
        try:
            scores, reasons = await asyncio.to_thread(_judge, model, views)
        except Exception:  # a digest without an order of its own is still a digest
            LOG.exception("interest.not_judged", guild=guild_id)
            kept = views if by_relevance else newest_first(views)
            return Ordering(tuple(kept), learnt_from=0, voted=voted)
        ordered = best_first(views, scores, by_relevance=by_relevance)
        return Ordering(
            views=tuple(ordered),
            learnt_from=len(_weights(model.marks)),
            voted=voted,
            reasons=await self._named(reasons, marks),
        )

    async def freshen(self) -> None:
        """Learns anew for each server with a digest whose votes changed; a job for every minute."""
        for guild_id in await self._library.store.read(interest_rows.marked_servers):
            marks = await self._library.store.read(interest_rows.marks_of, guild_id)
            if len(_weights(marks)) >= VOTED_PAPERS_NEEDED:
                await self._begin(guild_id, marks)

    async def close(self) -> None:
        """Ends what is being learnt. May be called twice."""
        tasks = list(self._learning.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _model(self, guild_id: int, marks: tuple[Mark, ...]) -> _Model | None:
        """The model of these marks; the one before where it takes too long, or None."""
        if len(_weights(marks)) < VOTED_PAPERS_NEEDED:
            return None
        task = self._begin(guild_id, marks)
        await asyncio.wait({task}, timeout=self._patience)
        return self._models.get(guild_id)

    def _begin(self, guild_id: int, marks: tuple[Mark, ...]) -> asyncio.Task[None]:
        """Starts to learn, unless that is under way; a task that is done at once when level."""
        running = self._learning.get(guild_id)
        if running is not None and not running.done():
            return running
        task = asyncio.get_running_loop().create_task(
            self._learn(guild_id, marks), name=f"interest {guild_id}"
        )
        self._learning[guild_id] = task
        return task

    async def _learn(self, guild_id: int, marks: tuple[Mark, ...]) -> None:
        try:
            async with self._one_at_a_time:
                background = await self._level_background()
                known = self._models.get(guild_id)
                if known and known.marks == marks and known.background is background:
                    return
                missing = [mark.paper_id for mark in marks if mark.paper_id not in background.rows]
                more = await self._texts(missing)
                model = await asyncio.to_thread(_fit, background, marks, more)
                if model is not None:
                    self._models[guild_id] = model
        except Exception:  # a digest without an order of its own is still a digest
            LOG.exception("interest.not_learnt", guild=guild_id)

    async def _level_background(self) -> _Background:
        """The newest papers as vectors, made again when the library has grown by a tenth."""
        ids = await self._library.store.read(interest_rows.newest, WINDOW)
        top = max(ids, default=0)
        known = self._background
        if known is not None and top <= known.size * (1 + GROWTH):
            return known
        texts = await self._texts(ids)
        made = await asyncio.to_thread(_vectorised, texts, top)
        self._background = made
        return made

    async def _texts(self, ids: Sequence[int]) -> list[KnownText]:
        """Texts in pieces, so that others get their turn at the store."""
        texts: list[KnownText] = []
        for start in range(0, len(ids), READ_AT_ONCE):
            chunk = ids[start : start + READ_AT_ONCE]
            texts += await self._library.store.read(interest_rows.known_texts, chunk)
        return texts

    async def _named(self, reasons: Mapping[int, int], marks: Sequence[Mark]) -> dict[int, Reason]:
        """The reasons with titles and today's votes; none of a paper that is not wanted any more.

        The model may be of marks from before.
        """
        wanted = _weights(marks)
        votes = {mark.paper_id: mark.votes for mark in marks if mark.paper_id in wanted}
        papers = await self._library.papers(sorted(set(reasons.values())))
        return {
            number: Reason(like, papers[like].title, votes[like])
            for number, like in reasons.items()
            if like in papers and like in votes
        }


def _weights(marks: Sequence[Mark]) -> dict[int, float]:
    """How much each paper is wanted: its votes, and what reading it adds; dropped ones not."""
    return {
        mark.paper_id: float(mark.votes + _STATE_WEIGHTS[mark.state]) ** 0.5
        for mark in marks
        if mark.state is not QueueState.DROPPED and mark.votes + _STATE_WEIGHTS[mark.state] > 0
    }


def _vectorised(texts: Sequence[KnownText], size: int) -> _Background:
    papers = [_text(known) for known in texts]
    space = Space.of(papers)
    rows = {known.paper_id: row for row, known in enumerate(texts)}
    return _Background(space, rows, space.vectors(papers), size)


def _fit(
    background: _Background, marks: tuple[Mark, ...], more: Sequence[KnownText]
) -> _Model | None:
    """The model of the marks; `more` are marked papers older than the background."""
    vectors, rows = background.vectors, dict(background.rows)
    if more:
        vectors = vectors.with_more(background.space.vectors([_text(known) for known in more]))
        rows |= {known.paper_id: len(background.rows) + n for n, known in enumerate(more)}
    wanted = {rows[number]: weight for number, weight in _weights(marks).items() if number in rows}
    dropped = [
        rows[mark.paper_id]
        for mark in marks
        if mark.state is QueueState.DROPPED and mark.paper_id in rows
    ]
    if not wanted or len(wanted) + len(dropped) >= len(rows):
        return None
    papers = tuple(sorted(rows, key=rows.__getitem__))
    return _Model(marks, background, Interest.of(vectors, wanted, dropped), papers)


def _judge(model: _Model, views: Sequence[PaperView]) -> tuple[dict[int, float], dict[int, int]]:
    """Each paper's score, and the number of the wanted paper that it is like."""
    vectors = _vectors_of(model.background, views)
    scores = model.interest.scores(vectors)
    reasons: dict[int, int] = {}
    for view, likeness in zip(views, model.interest.likenesses(vectors), strict=True):
        if likeness is not None and model.papers[likeness.row] != view.paper.id:
            reasons[view.paper.id] = model.papers[likeness.row]
    numbers = (view.paper.id for view in views)
    return dict(zip(numbers, map(float, scores), strict=True)), reasons


def _vectors_of(background: _Background, views: Sequence[PaperView]) -> Vectors:
    """The papers' vectors; only those that came after the background are made now."""
    fresh = [view.paper for view in views if view.paper.id not in background.rows]
    vectors, rows = background.vectors, dict(background.rows)
    if fresh:
        texts = [_text(interest_rows.known_text(paper)) for paper in fresh]
        vectors = vectors.with_more(background.space.vectors(texts))
        rows |= {paper.id: len(background.rows) + n for n, paper in enumerate(fresh)}
    return vectors.taken([rows[view.paper.id] for view in views])


def _text(known: KnownText) -> PaperText:
    return PaperText(known.title, known.abstract, known.authors, known.fields)
