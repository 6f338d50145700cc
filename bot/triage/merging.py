"""Joining papers that are one work, and taking them apart, by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.triage.errors import Refused
from data.store import merging as merge_rows

if TYPE_CHECKING:
    from bot.triage.library import Library
    from data.records import Paper


class Merging:
    """Merges and splits; both are logged, and a split undoes a merge exactly."""

    def __init__(self, library: Library) -> None:
        self._library = library

    async def merge(self, one: str, other: str, *, by: str) -> Paper:
        """Makes one paper of two, each named by a number, id, address or title.

        Raises Refused where one is unknown or both are one already.
        """
        first, second = await self._library.find(one), await self._library.find(other)
        if first.id == second.id:
            raise Refused(f"Both are paper #{first.id} already.")
        kept = await self._library.store.write(
            merge_rows.merge,
            first.id,
            second.id,
            reason="merged by hand",
            by=by,
            now=self._library.clock.now(),
        )
        await self._library.refresh()
        return (await self._library.papers([kept]))[kept]

    async def split(self, text: str, *, by: str) -> tuple[Paper, Paper]:
        """Undoes a merge; returns the paper that stood for both, and the one that is back.

        `text` is the number that was merged away, or any name of the paper that stands for it:
        then the latest merge is undone. Raises Refused where nothing was merged.
        """
        number = text.strip().removeprefix("#")
        merged = int(number) if number.isascii() and number.isdigit() else None
        stands = await self._library.find(text)
        back = await self._library.store.write(
            merge_rows.split,
            merged if merged is not None else stands.id,
            by=by,
            now=self._library.clock.now(),
        )
        if back is None:
            raise Refused(f"Paper #{stands.id} was not merged with any other.")
        await self._library.refresh()
        both = await self._library.papers([stands.id, back])
        return both[stands.id], both[back]
