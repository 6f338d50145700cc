"""All that a server knows of one paper: its card, and its whole story."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.triage.errors import Refused
from data.store import corrections as correction_rows
from data.store import digests as digest_rows
from data.store import merging as merge_rows
from data.store import papers as paper_rows
from data.store import servers as server_rows

if TYPE_CHECKING:
    from datetime import datetime

    from bot.triage.fates import DigestFate, Fates
    from bot.triage.library import Library, PaperView
    from bot.triage.tagging import Tagging
    from bot.triage.topics import Topics
    from classifiers.topics import Suggestion
    from data.records import Paper, Sighting
    from data.store.corrections import Correction
    from data.store.digests import Posting
    from data.store.merging import Merge
    from data.store.servers import QueueEntry, QueueEvent


@dataclass(frozen=True, slots=True)
class LinkedPaper:
    """Another paper that belongs with one, such as its journal version, why, and since when."""

    paper: Paper
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True)
class PaperCard:
    """A paper with its place in the queue, its corrections, sightings, postings and links.

    The paper's judgement comes with its reasons. `corrections` are all words on its tag, oldest
    first; `standing` those that count. `suggested` is a topic for a paper that has none.
    """

    view: PaperView
    entry: QueueEntry | None
    corrections: tuple[Correction, ...]
    sightings: tuple[Sighting, ...]
    postings: tuple[Posting, ...]
    now: datetime
    linked: tuple[LinkedPaper, ...] = ()
    suggested: Suggestion | None = None

    @property
    def standing(self) -> tuple[Correction, ...]:
        """Each member's word on the tag as it stands."""
        return tuple(correction_rows.standing(self.corrections))


@dataclass(frozen=True, slots=True)
class PaperStory:
    """A card with everything that happened to the paper, here and in the library.

    `events` are those of the server's queue, `merges` what it was merged with, and `fates` what
    became of it in each digest.
    """

    card: PaperCard
    events: tuple[QueueEvent, ...]
    merges: tuple[Merge, ...] = ()
    fates: tuple[DigestFate, ...] = ()


class Cards:
    """Puts a paper's card and story together."""

    def __init__(self, library: Library, tagging: Tagging, fates: Fates, topics: Topics) -> None:
        self._library = library
        self._tagging = tagging
        self._fates = fates
        self._topics = topics

    async def card(self, guild_id: int, paper_id: int) -> PaperCard:
        """The card of a paper. Raises Refused where the number is unknown."""
        view = await self._library.view(guild_id, paper_id)
        store, number = self._library.store, view.paper.id
        explained = await self._tagging.explain(view.paper)
        return PaperCard(
            view=replace(view, paper=explained),
            entry=await store.read(server_rows.queue_entry, guild_id, number),
            corrections=tuple(await store.read(correction_rows.corrections_of, guild_id, number)),
            sightings=tuple(await store.read(paper_rows.sightings_of, number)),
            postings=tuple(await store.read(digest_rows.postings_of, guild_id, number)),
            now=self._library.clock.now(),
            linked=await self._linked(number),
            suggested=await self._topics.suggest(view.paper),
        )

    async def _linked(self, number: int) -> tuple[LinkedPaper, ...]:
        links = await self._library.store.read(merge_rows.related, number)
        others = await self._library.papers(link.paper_id for link in links)
        return tuple(
            LinkedPaper(others[link.paper_id], link.reason, link.at)
            for link in links
            if link.paper_id in others
        )

    async def story(
        self,
        guild_id: int,
        paper_id: int,
        channel_id: int | None = None,
        *,
        everywhere: bool = False,
    ) -> PaperStory:
        """Everything that happened to a paper. Raises Refused where the number is unknown.

        With a channel, only the digests of that are told of; `everywhere` tells of those of all
        servers, for whoever runs the installation.
        """
        card = await self.card(guild_id, paper_id)
        number, read = card.view.paper.id, self._library.store.read
        await self._library.refresh()
        fates = await self._fates.of(None if everywhere else guild_id, number, channel_id)
        if channel_id is not None and not fates:
            raise Refused("That channel has no digest; see /digest list.")
        return PaperStory(
            card,
            events=tuple(await read(server_rows.queue_events, guild_id, number)),
            merges=tuple(await read(merge_rows.merges_of, number)),
            fates=fates,
        )
