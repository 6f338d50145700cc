"""Ending a coroutine at one of its awaits, as the end of its process or a cancellation would."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Coroutine, Generator

    from sqlite_utils import Database


def without_syncing(db: Database) -> None:
    """Spares a test the waiting for a disk: it ends processes, never the power."""
    db.conn.execute("PRAGMA synchronous = OFF")


@dataclass
class Walker:
    """Runs a coroutine up to one of its awaits, counted from 1, and does to it what is asked.

    A `kill` leaves it there: what the await had begun still happens, and nothing after it. A
    `cancel` raises CancelledError there.
    """

    coroutine: Coroutine[Any, Any, object]
    at: int = 0
    how: str = ""
    steps: int = 0
    over: bool = False
    kept: list[object] = field(default_factory=list)

    def __await__(self) -> Generator[Any, Any, None]:
        walk = self.coroutine.__await__()
        thrown: BaseException | None = None
        while True:
            try:
                awaited = walk.throw(thrown) if thrown else walk.send(None)
            except StopIteration:
                self.over = True
                return
            except asyncio.CancelledError:
                return
            thrown = None
            self.steps += 1
            if self.steps == self.at and self.how == "cancel":
                thrown = asyncio.CancelledError()
            if self.steps == self.at and self.how == "kill":
                # Kept, so that its clean-up does not run when it is collected.
                self.kept += [walk, awaited]
                return
            try:
                yield awaited
            except BaseException as error:  # noqa: BLE001 - what the loop throws belongs inside
                thrown = thrown or error
