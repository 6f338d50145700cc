"""The library as the use-cases see it: papers by number or by any name, and an index that follows.

The store is the record; the index is made from it and catches up by the store's change sequence,
whoever wrote the change, this process or another.
"""

from __future__ import annotations

import asyncio
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

import structlog

from bot.triage.errors import Refused
from data.identity import parse_reference
from data.index import MOST_BUILT, IndexDocument, SearchIndex
from data.records import Identifiers
from data.store import corrections as correction_rows
from data.store import meta as meta_rows
from data.store import papers as paper_rows
from data.store import servers as server_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sqlite_utils import Database

    from bot.triage.clock import Clock
    from data.index.segment import Segment
    from data.records import Paper, TagName
    from data.store.connection import Store
    from data.store.servers import Member

LOG = structlog.get_logger()

_LOADED_AT_ONCE: Final = 2_000


@dataclass(frozen=True, slots=True)
class PaperView:
    """A paper as one server sees it.

    `tag` is the corrected tag where members corrected it, else the tagger's; None where the
    paper was never tagged.
    """

    paper: Paper
    tag: TagName | None
    corrected: bool
    voters: tuple[Member, ...]

    @property
    def confidence(self) -> float | None:
        """The tagger's probability of the tag it gave, 0 to 1; None once people decided."""
        judgement = self.paper.judgement
        if self.corrected or judgement is None:
            return None
        return max(judgement.probabilities.values())


class Library:
    """Papers by number or name, and the search index kept level with the store."""

    def __init__(self, store: Store, index: SearchIndex, clock: Clock) -> None:
        self.store = store
        self.index = index
        self.clock = clock
        self._refreshing = asyncio.Lock()
        # Papers that are in the index though its stamp is older: the change number of each.
        self._ahead: dict[int, int] = {}

    async def refresh(self, progress: Callable[[int], None] = lambda count: None) -> None:
        """Brings the index level with the store; quick where nothing changed.

        `progress` is called with the number of papers indexed since its last call.
        """
        async with self._refreshing:
            # An index that is found damaged meanwhile is dropped under us, and built anew.
            while not await self._catch_up(progress):
                LOG.warning("index.dropped", reason=self.index.damage)

    async def _catch_up(self, progress: Callable[[int], None]) -> bool:
        """Brings the index level; False where it lost papers while that was under way."""
        library, newest = await self.store.read(_state)
        level = self._level(library)
        if newest == level:
            return True
        known = self.index.stamp
        if not 0 <= level <= newest:  # made from another library, or from a lost state of it
            await asyncio.to_thread(self.index.remove, list(self.index.ids()))
            self._ahead.clear()
            level = 0
        standing, gone = await self.store.read(paper_rows.changed_since, level)
        if gone:
            await asyncio.to_thread(self.index.remove, gone)
        if self._ahead:
            changes = await self.store.read(paper_rows.tagged_since, level)
            standing = [p for p in standing if self._ahead.get(p) != changes.get(p, -1)]
        for start in range(0, len(standing), MOST_BUILT):
            chunk = standing[start : start + MOST_BUILT]
            await self._index(chunk)
            progress(len(chunk))
        if self.index.stamp != known:
            return False
        self.index.stamp = f"{library}:{newest}"
        self._ahead.clear()
        try:
            await asyncio.to_thread(self.index.save)
        except OSError as error:  # a full disk: this process searches on, the next catches up
            LOG.warning("index.not_saved", reason=str(error))
        return True

    async def add_ahead(self, segment: Segment, changes: Mapping[int, int]) -> int:
        """Adds a segment of papers while more is being stored; returns how many it was good for.

        `changes` are the change numbers that its papers had; what changed since is indexed anew,
        and `refresh` does the rest. Nothing is saved: an index that is read again later knows
        nothing of it and catches up.
        """
        async with self._refreshing:
            library, newest = await self.store.read(_state)
            if not 0 <= self._level(library) <= newest:
                return 0
            ids = segment.ids.tolist()
            now = await self.store.read(paper_rows.changes_of, ids)
            await asyncio.to_thread(self.index.add_segment, segment)
            if len(now) < len(ids):
                await asyncio.to_thread(
                    self.index.remove, [each for each in ids if each not in now]
                )
            await self._index([each for each, at in now.items() if changes.get(each) != at])
            self._ahead.update(now)
            return len(now)

    def _level(self, library: str) -> int:
        """The change number up to which the index knows this library; -1 for another library."""
        if self.index.stamp is None and (self._ahead or not len(self.index)):
            return 0
        known, _, number = (self.index.stamp or "").rpartition(":")
        return int(number) if known == library else -1

    async def _index(self, ids: Sequence[int]) -> None:
        documents: list[IndexDocument] = []
        for place in range(0, len(ids), _LOADED_AT_ONCE):
            found = await self.store.read(
                paper_rows.load_papers, ids[place : place + _LOADED_AT_ONCE]
            )
            documents += map(document, found.values())
        await asyncio.to_thread(self.index.add, documents)

    async def rebuild(self) -> int:
        """Makes the index anew from the store; returns how many papers it holds."""
        async with self._refreshing:
            await asyncio.to_thread(self.index.remove, list(self.index.ids()))
            self.index.stamp = None
            self._ahead.clear()
        await self.refresh()
        return len(self.index)

    async def papers(self, ids: Iterable[int]) -> dict[int, Paper]:
        """The papers of these numbers, in their order; unknown numbers are left out."""
        return await self.store.read(paper_rows.load_papers, ids)

    async def find(self, text: str) -> Paper:
        """The paper that a person means by a number, an id, an address or a piece of its title.

        Raises Refused where there is none, or where a piece of a title fits several.
        """
        text = _visible(text)
        reference = parse_reference(text)
        paper_id: int | None = None
        if isinstance(reference, int):
            paper_id = await self.store.read(paper_rows.resolve, reference)
        elif isinstance(reference, Identifiers):
            paper_id = await self._by_identifier(reference)
        if paper_id is not None:
            found = await self.papers([paper_id])
            if paper_id in found:
                return found[paper_id]
        if reference is not None:
            raise Refused(
                f"I know no paper “{text.strip()}”; search for it, or hand in a listing that "
                "has it (/listing add, papertriage ingest)."
            )
        return await self._by_title(text)

    async def suggest(self, text: str, limit: int = 25) -> Sequence[tuple[int, str]]:
        """Papers that an unfinished name may mean, as (number, title)."""
        await self.refresh()
        text = _visible(text)
        reference = parse_reference(text)
        if reference is not None:
            try:
                paper = await self.find(text)
            except Refused:
                return []
            return [(paper.id, paper.title)]
        return await asyncio.to_thread(self.index.complete_titles, text, limit)

    async def views(self, guild_id: int | None, ids: Iterable[int]) -> list[PaperView]:
        """Papers as a server sees them, in the order of their numbers given."""
        found = await self.papers(ids)
        if guild_id is None:
            return [_view(paper, None, ()) for paper in found.values()]
        voters = await self.store.read(server_rows.voters, guild_id, list(found))
        tags = await self.store.read(correction_rows.corrected_tags, guild_id)
        return [
            _view(paper, tags.get(paper_id), voters[paper_id]) for paper_id, paper in found.items()
        ]

    async def view(self, guild_id: int | None, paper_id: int) -> PaperView:
        """One paper as a server sees it. Raises Refused where the number is unknown."""
        standing = await self.store.read(paper_rows.resolve, paper_id)
        views = await self.views(guild_id, [standing])
        if not views:
            raise Refused(f"Paper #{paper_id} is not in the library any more.")
        return views[0]

    async def recall(self, key: str) -> str | None:
        """A small fact that the installation keeps under a name, or None."""
        return await self.store.read(meta_rows.recall, key)

    async def remember(self, key: str, value: str) -> None:
        """Keeps a small fact under a name."""
        await self.store.write(meta_rows.remember, key, value)

    async def _by_identifier(self, identifiers: Identifiers) -> int | None:
        for scheme, value in identifiers.pairs():
            found = await self.store.read(paper_rows.paper_by_identifier, scheme, value)
            if found is not None:
                return found
        return None

    async def _by_title(self, text: str) -> Paper:
        await self.refresh()
        choices = await asyncio.to_thread(self.index.complete_titles, text, 4)
        exact = [entry for entry in choices if entry[1].casefold() == text.strip().casefold()]
        if len(exact) == 1 or len(choices) == 1:
            paper_id = (exact or choices)[0][0]
            found = await self.papers([paper_id])
            if paper_id in found:
                return found[paper_id]
        if not choices:
            raise Refused(
                f"No paper has “{text.strip()[:80]}” in its title; try /search, or a number such "
                "as 17."
            )
        named = "; ".join(f"#{paper_id} {title[:60]}" for paper_id, title in choices[:3])
        raise Refused(f"Several papers fit “{text.strip()[:60]}”: {named}. Use a number.")


def _visible(text: str) -> str:
    """The text without characters that show nothing, which come along when a card is copied."""
    return "".join(sign for sign in text if unicodedata.category(sign) != "Cf")


def _state(db: Database) -> tuple[str, int]:
    return paper_rows.library_id(db), paper_rows.last_change(db)


def _view(paper: Paper, corrected: str | None, voters: tuple[Member, ...]) -> PaperView:
    tag = cast("TagName | None", corrected) or (paper.judgement.tag if paper.judgement else None)
    return PaperView(paper=paper, tag=tag, corrected=corrected is not None, voters=voters)


def document(paper: Paper) -> IndexDocument:
    """A paper as the index takes it."""
    return IndexDocument(
        id=paper.id,
        title=paper.title,
        title_derived=paper.title_derived,
        abstract=paper.abstract,
        authors=paper.authors,
        topics=paper.topics,
        categories=paper.categories,
        venue=paper.venue,
        sources=paper.sources,
        tag=paper.judgement.tag if paper.judgement else None,
        day=paper.day,
        identifiers=paper.identifiers.pairs(),
        dated=paper.dated,
    )
