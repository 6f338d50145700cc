"""Votes and the reading queue of a server."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from bot.triage.errors import Refused
from data.store import papers as paper_rows
from data.store import servers as server_rows
from data.store.servers import OPEN_STATES, Member, QueueEntry, QueueState

if TYPE_CHECKING:
    from datetime import datetime

    from sqlite_utils import Database

    from bot.triage.library import Library, PaperView

# Two clicks within this time are one click that bounced, not a change of mind.
DOUBLE_CLICK: Final = timedelta(seconds=1.5)


@dataclass(frozen=True, slots=True)
class VoteResult:
    """A vote as it now stands: the paper's voters, and its place in the queue (1 is next)."""

    view: PaperView
    voted: bool
    place: int | None


@dataclass(frozen=True, slots=True)
class QueueItem:
    """A queue entry with its paper."""

    entry: QueueEntry
    view: PaperView


@dataclass(frozen=True, slots=True)
class QueuePage:
    """One page of a server's queue; `page` counts from 0."""

    items: tuple[QueueItem, ...]
    counts: dict[QueueState, int]
    page: int
    pages: int
    now: datetime


class Voting:
    """Votes toggle; a voted paper is queued; a queue entry is claimed, read, discussed, dropped."""

    def __init__(self, library: Library) -> None:
        self._library = library

    async def toggle(self, guild_id: int, member: Member, paper_id: int) -> VoteResult:
        """Gives a member's vote to a paper, or takes it back. Raises Refused if it is unknown."""
        view = await self._library.view(guild_id, paper_id)
        voted = await self._library.store.write(
            server_rows.toggle_vote,
            guild_id,
            view.paper.id,
            member,
            now=self._library.clock.now(),
            double_click=DOUBLE_CLICK,
        )
        entries = await self._library.store.read(server_rows.queue_entries, guild_id)
        places = [entry.paper_id for entry in entries]
        place = places.index(view.paper.id) + 1 if view.paper.id in places else None
        return VoteResult(await self._library.view(guild_id, view.paper.id), voted, place)

    async def queue(self, guild_id: int, page: int = 0, page_size: int = 5) -> QueuePage:
        """One page of the papers waiting or being read: most votes first, then the oldest."""
        entries = await self._library.store.read(server_rows.queue_entries, guild_id)
        counts = await self._library.store.read(server_rows.queue_counts, guild_id)
        pages = max(1, -(-len(entries) // page_size))
        page = min(max(page, 0), pages - 1)
        shown = entries[page * page_size : (page + 1) * page_size]
        return QueuePage(
            items=await self._items(guild_id, shown),
            counts=counts,
            page=page,
            pages=pages,
            now=self._library.clock.now(),
        )

    async def everything(self, guild_id: int) -> tuple[QueueItem, ...]:
        """The whole queue with what was discussed, for an export."""
        states = (*OPEN_STATES, QueueState.DISCUSSED)
        entries = await self._library.store.read(server_rows.queue_entries, guild_id, states)
        return await self._items(guild_id, entries)

    async def claim(self, guild_id: int, member: Member, paper_id: int) -> QueueItem:
        """Takes a paper on. Raises Refused where somebody else has it."""
        return await self._move(guild_id, member, paper_id, "claimed")

    async def start(self, guild_id: int, member: Member, paper_id: int) -> QueueItem:
        """Begins to read a paper. Raises Refused where somebody else has it."""
        return await self._move(guild_id, member, paper_id, "started")

    async def done(self, guild_id: int, member: Member, paper_id: int) -> QueueItem:
        """Marks a paper as discussed. Raises Refused where it is in no queue."""
        return await self._move(guild_id, member, paper_id, "discussed")

    async def drop(self, guild_id: int, member: Member, paper_id: int) -> QueueItem:
        """Takes a paper out of the queue. Raises Refused where it is in no queue."""
        return await self._move(guild_id, member, paper_id, "dropped")

    async def release(self, guild_id: int, member: Member, paper_id: int) -> QueueItem:
        """Gives back a paper that the member had taken on."""
        return await self._move(guild_id, member, paper_id, "released")

    async def _move(self, guild_id: int, member: Member, paper_id: int, event: str) -> QueueItem:
        entry = await self._library.store.write(
            _move_in_store, guild_id, paper_id, member, event, self._library.clock.now()
        )
        return (await self._items(guild_id, [entry]))[0]

    async def _items(self, guild_id: int, entries: list[QueueEntry]) -> tuple[QueueItem, ...]:
        views = await self._library.views(guild_id, [entry.paper_id for entry in entries])
        known = {view.paper.id: view for view in views}
        return tuple(
            QueueItem(entry, known[entry.paper_id]) for entry in entries if entry.paper_id in known
        )


def _move_in_store(
    db: Database, guild_id: int, paper_id: int, member: Member, event: str, now: datetime
) -> QueueEntry:
    # Read and written in one transaction: of two people who claim at once, one is told.
    paper_id = paper_rows.resolve(db, paper_id)
    if not paper_rows.load_papers(db, [paper_id]):
        raise Refused(f"There is no paper #{paper_id}; search for it with /search.")
    entry = server_rows.queue_entry(db, guild_id, paper_id)
    state, reader = _next_state(entry, member, event)
    if entry is None or (entry.state, entry.reader) != (state, reader):
        server_rows.set_queue_state(
            db, guild_id, paper_id, state=state, reader=reader, by=member, event=event, now=now
        )
    moved = server_rows.queue_entry(db, guild_id, paper_id)
    assert moved is not None  # noqa: S101 - it was written above  # pragma: no cover
    return moved


def _next_state(
    entry: QueueEntry | None, member: Member, event: str
) -> tuple[QueueState, Member | None]:
    standing = entry is not None and entry.state in OPEN_STATES
    other = entry.reader if entry and standing and entry.reader else None
    other = other if other and other.id != member.id else None
    match event:
        case "claimed" | "started":
            if other:
                verb = (
                    "is reading" if entry and entry.state is QueueState.READING else "has claimed"
                )
                raise Refused(f"{other.name} {verb} this paper; ask them to let it go first.")
            if event == "claimed" and entry and entry.state is QueueState.READING:
                return QueueState.READING, entry.reader
            return (QueueState.READING if event == "started" else QueueState.QUEUED), member
        case "released":
            if not standing or entry is None or entry.reader is None:
                raise Refused("Nobody has claimed this paper, so there is nothing to give back.")
            if other:
                raise Refused(f"{other.name} has this paper, and only they can give it back.")
            return QueueState.QUEUED, None
        case "discussed" | "dropped":
            if entry is None or (not standing and entry.state.value != event):
                raise Refused("This paper is not in the queue; vote for it to put it there.")
            state = QueueState(event)
            return state, entry.reader or (member if event == "discussed" else None)
        case _:
            raise ValueError(f"unknown event: {event}")
