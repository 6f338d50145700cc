"""Giving papers their tag, and letting members correct it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import structlog

from bot.triage.bench import judge
from bot.triage.errors import Refused
from data.records import own_text
from data.store import corrections as correction_rows
from data.store import papers as paper_rows
from data.store import retagging

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.triage.library import Library
    from classifiers import Tagger
    from data.records import Paper, TagJudgement, TagName
    from data.store.corrections import Correction
    from data.store.servers import Member

LOG = structlog.get_logger()

CORRECTABLE: Final = ("position", "theory", "methods")
WITHDRAW: Final = "withdraw"
BATCH: Final = 1_000


@dataclass(frozen=True, slots=True)
class Corrected:
    """What a correction changed: the tag the server saw before, and the one it sees now.

    `standing` is what the members say now; `taken_back` the word that was withdrawn, if one was.
    """

    paper_id: int
    before: TagName | None
    after: TagName | None
    standing: tuple[Correction, ...] = ()
    taken_back: str | None = None


class Tagging:
    """Tags texts with the shipped or the retrained model, and stores members' corrections."""

    def __init__(self, library: Library, load: Callable[[], Tagger]) -> None:
        self._library = library
        self._load = load
        self._tagger: Tagger | None = None

    @property
    def tagger(self) -> Tagger:
        """The model in use; loaded when it is first asked for, since many commands never do."""
        if self._tagger is None:
            self._tagger = self._load()
        return self._tagger

    def reload(self) -> None:
        """Takes the model that is in place now."""
        self._tagger = self._load()

    def judge(self, texts: Sequence[tuple[str, str]]) -> list[TagJudgement]:
        """A judgement for each (title, abstract), in order; "" where there is no title.

        Reasons are left out: they take twenty times as long and are asked for one by one.
        """
        return judge(self.tagger, texts)

    async def explain(self, paper: Paper) -> Paper:
        """The same paper, its judgement with the words that spoke for and against the tag."""
        if paper.judgement is None:
            return paper
        texts = [own_text(paper.title, paper.abstract, derived=paper.title_derived)]
        judged = await asyncio.to_thread(lambda: judge(self.tagger, texts, reasons=True))
        return replace(paper, judgement=replace(paper.judgement, reasons=judged[0].reasons))

    async def tag_untagged(self, progress: Callable[[int], None] = lambda count: None) -> int:
        """Tags every paper that has no tag yet; returns how many.

        `progress` is called with the number of papers tagged since its last call.
        """
        store = self._library.store
        waiting = await store.read(paper_rows.untagged)
        for start in range(0, len(waiting), BATCH):
            texts = await store.read(paper_rows.load_texts, waiting[start : start + BATCH])
            judged = await asyncio.to_thread(self.judge, list(texts.values()))
            await store.write(paper_rows.save_judgements, dict(zip(texts, judged, strict=True)))
            progress(len(judged))
        return len(waiting)

    async def tag_again(
        self, *, most: int | None = None, progress: Callable[[int], None] = lambda count: None
    ) -> int:
        """Judges papers anew whose tag another model gave; returns how many it judged.

        At most about `most` of them, newest first. It may be called at any time and goes on where
        a process before it ended; what it changed can be searched on return.
        """
        store, model = self._library.store, self.tagger.card.model_id
        judged = changed = 0
        while most is None or judged < most:
            waiting = await store.read(retagging.judged_by_others, model, BATCH)
            if not waiting:
                break
            texts = await store.read(paper_rows.load_texts, waiting)
            if not texts:  # merged into others meanwhile
                break
            said = await asyncio.to_thread(self.judge, list(texts.values()))
            changed += await store.write(retagging.save_again, dict(zip(texts, said, strict=True)))
            judged += len(texts)
            progress(len(texts))
        if judged:
            await self._library.refresh()
            done, every = await store.read(retagging.count_judged, model)
            LOG.info("library.judged_again", papers=done, of=every, changed=changed, model=model)
        return judged

    async def correct(self, guild_id: int, member: Member, paper_id: int, tag: str) -> Corrected:
        """Stores a member's word on a paper's tag for this server, or takes it back ("withdraw").

        Raises Refused where the tag is none of the three, or where there is no word to take back.
        """
        if tag not in (*CORRECTABLE, WITHDRAW):
            raise Refused(
                f"A tag is one of {', '.join(CORRECTABLE)}; “{tag}” is none of them. "
                f"“{WITHDRAW}” takes back what you said."
            )
        before = await self._library.view(guild_id, paper_id)
        store, now, number = self._library.store, self._library.clock.now(), before.paper.id
        was, taken_back = before.tag or "untagged", None
        if tag == WITHDRAW:
            taken_back = await store.write(
                correction_rows.withdraw_correction, guild_id, number, member, was=was, now=now
            )
            if taken_back is None:
                raise Refused("You have not corrected this paper, so there is nothing to withdraw.")
        else:
            await store.write(
                correction_rows.add_correction, guild_id, number, member, tag=tag, was=was, now=now
            )
        after = await self._library.view(guild_id, number)
        said = await store.read(correction_rows.corrections_of, guild_id, number)
        return Corrected(
            number, before.tag, after.tag, tuple(correction_rows.standing(said)), taken_back
        )

    async def consent(
        self, guild_id: int, member: Member, *, training: bool
    ) -> correction_rows.Consent:
        """Says whether this server's corrections may teach the tagger that all servers share."""
        await self._library.store.write(
            correction_rows.set_consent,
            guild_id,
            member,
            training=training,
            now=self._library.clock.now(),
        )
        return await self.consent_of(guild_id)

    async def consent_of(self, guild_id: int) -> correction_rows.Consent:
        """What this server said last about teaching the tagger."""
        return await self._library.store.read(correction_rows.consent_of, guild_id)
