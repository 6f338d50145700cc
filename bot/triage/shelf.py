"""Numbers about the library, and its queue as a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.triage.errors import Refused
from data.exports import EXPORT_FORMATS, ExportItem, export
from data.store import digests as digest_rows
from data.store import stats as stats_rows

if TYPE_CHECKING:
    from bot.triage.learning import Learning, LearningState
    from bot.triage.library import Library
    from bot.triage.tagging import Tagging
    from bot.triage.voting import QueueItem, Voting
    from classifiers import Manifest
    from data.exports import ExportFile, ExportFormat
    from data.store.digests import SourceReading
    from data.store.stats import LibraryNumbers


@dataclass(frozen=True, slots=True)
class Stats:
    """How large the library is, what a server did with it, and which model tags it."""

    numbers: LibraryNumbers
    sources: tuple[SourceReading, ...]
    model: Manifest
    learning: LearningState


class Shelf:
    """Exports and numbers."""

    def __init__(
        self, library: Library, voting: Voting, tagging: Tagging, learning: Learning
    ) -> None:
        self._library = library
        self._voting = voting
        self._tagging = tagging
        self._learning = learning

    async def export_queue(self, guild_id: int, format: str) -> ExportFile:  # noqa: A002 - the option's name
        """The server's queue as a file. Raises Refused where it is empty or the format unknown."""
        known: dict[str, ExportFormat] = {name: name for name in EXPORT_FORMATS}
        wanted = known.get(format)
        if wanted is None:
            raise Refused(f"I can export {', '.join(EXPORT_FORMATS)}; “{format}” is none of them.")
        items = await self._voting.everything(guild_id)
        if not items:
            raise Refused("The queue is empty; vote for a paper first, for example after /search.")
        return export([_item(item) for item in items], wanted)

    async def servers(self) -> list[int]:
        """The Discord servers that use this library."""
        return await self._library.store.read(stats_rows.servers)

    async def stats(self, guild_id: int | None) -> Stats:
        """Numbers of the library, and of one server where its id is given."""
        read = self._library.store.read
        return Stats(
            numbers=await read(stats_rows.library_numbers, guild_id),
            sources=tuple(await read(digest_rows.sources_read)),
            model=self._tagging.tagger.card,
            learning=await self._learning.state(),
        )


def _item(item: QueueItem) -> ExportItem:
    return ExportItem(
        paper=item.view.paper,
        # Without a correction the work takes the tagger's word, and its second tag with it.
        tag=item.view.tag if item.view.corrected else None,
        votes=item.entry.votes,
        voters=tuple(member.name for member in item.entry.voters),
        state=item.entry.state.value,
        reader=item.entry.reader.name if item.entry.reader else None,
    )
