"""Giving papers their tag, and letting members correct it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from bot.triage.errors import Refused
from data.records import TagJudgement
from data.store import papers as paper_rows
from data.store import servers as server_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.triage.library import Library
    from classifiers import Tagger
    from data.records import Paper, TagName
    from data.store.servers import Member

CORRECTABLE: Final = ("position", "theory", "methods")
BATCH: Final = 1_000
MOST_EXACT: Final = 50


@dataclass(frozen=True, slots=True)
class Corrected:
    """What a correction changed: the tag the server saw before, and the one it sees now."""

    paper_id: int
    before: TagName | None
    after: TagName | None


class Tagging:
    """Tags texts with the shipped or the retrained model, and stores members' corrections."""

    def __init__(self, library: Library, load: Callable[[], Tagger]) -> None:
        self._library = library
        self._load = load

    @cached_property
    def tagger(self) -> Tagger:
        """The model in use; loaded when it is first asked for, since many commands never do."""
        return self._load()

    def judge(self, texts: Sequence[tuple[str, str]]) -> list[TagJudgement]:
        """A judgement for each (title, abstract), in order; "" where there is no title.

        Reasons are left out: they take twenty times as long and are asked for one by one.
        """
        return judge(self.tagger, texts)

    async def explain(self, paper: Paper) -> Paper:
        """The same paper, its judgement with the words that spoke for and against the tag."""
        if paper.judgement is None:
            return paper
        texts = [_text(paper)]
        judged = await asyncio.to_thread(lambda: judge(self.tagger, texts, reasons=True))
        return replace(paper, judgement=replace(paper.judgement, reasons=judged[0].reasons))

    async def tag_untagged(self) -> int:
        """Tags every paper that has no tag yet; returns how many."""
        store = self._library.store
        waiting = await store.read(paper_rows.untagged)
        for start in range(0, len(waiting), BATCH):
            texts = await store.read(paper_rows.load_texts, waiting[start : start + BATCH])
            judged = await asyncio.to_thread(self.judge, list(texts.values()))
            await store.write(paper_rows.save_judgements, dict(zip(texts, judged, strict=True)))
        return len(waiting)

    async def correct(self, guild_id: int, member: Member, paper_id: int, tag: str) -> Corrected:
        """Stores a member's word on a paper's tag for this server.

        Raises Refused where the tag is none of the three.
        """
        if tag not in CORRECTABLE:
            raise Refused(f"A tag is one of {', '.join(CORRECTABLE)}; “{tag}” is none of them.")
        before = await self._library.view(guild_id, paper_id)
        await self._library.store.write(
            server_rows.add_correction,
            guild_id,
            before.paper.id,
            member,
            tag=tag,
            was=before.tag or "untagged",
            now=self._library.clock.now(),
        )
        after = await self._library.view(guild_id, paper_id)
        return Corrected(before.paper.id, before.tag, after.tag)


def _text(paper: Paper) -> tuple[str, str]:
    # A derived title repeats the abstract.
    return "" if paper.title_derived else paper.title, paper.abstract


def judge(
    tagger: Tagger, texts: Sequence[tuple[str, str]], *, reasons: bool = False
) -> list[TagJudgement]:
    """What the tagger says of each (title, abstract), as values that the store keeps.

    Reasons of more than `MOST_EXACT` papers are estimated by their share of the score; of fewer,
    each is weighed by judging the paper without it, which takes ten times as long.
    """
    model = tagger.card.model_id
    return [
        TagJudgement(
            tag=_name(judgement.tag),
            secondary=_name(judgement.secondary) if judgement.secondary else None,
            probabilities=dict(judgement.probabilities),
            reasons=tuple((reason.text, reason.weight) for reason in judgement.reasons),
            model=model,
        )
        for judgement in tagger.judge(texts, reasons=reasons, exact=len(texts) <= MOST_EXACT)
    ]


def _name(tag: str) -> TagName:
    match tag:
        case "position" | "theory" | "methods" | "unsure":
            return tag
        case _:
            raise ValueError(f"the tagger gave an unknown tag: {tag!r}")
