"""A Discord channel made of a list, for tests of posting: what stands in it, and what fails."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.triage.errors import CannotPost

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from datetime import datetime

    from bot.triage.digest import DigestPart


class ProcessKilledError(BaseException):
    """Stands for the end of the process: nothing of ours catches it."""


class AnswerFailedError(Exception):
    """Stands for an answer of 429 or 5xx, after whatever patience the client had."""


@dataclass
class FakeChannel:
    """A publisher over lists: what stands in each channel, and what goes wrong at which request.

    `faults` maps the number of a send (from 1) to what happens at it: "before" and "after" kill
    the process before or after the message arrives, "lost" loses the answer, "forbidden" refuses.
    `failing` maps the number of a request of any kind to a status: 403 and 404 refuse, the others
    fail; "lost" answers are lost after the effect. Message ids count up over all channels.
    """

    messages: list[DigestPart] = field(default_factory=list)
    faults: dict[int, str] = field(default_factory=dict)
    failing: dict[int, int | str] = field(default_factory=dict)
    closed: str = ""
    told: list[str] = field(default_factory=list)
    sends: int = 0
    requests: int = 0
    # What others wrote stands between ours, so that an id says nothing of a place in the list.
    chatter: int = 0
    placed: list[tuple[int, int]] = field(default_factory=list)
    threads: set[int] = field(default_factory=set)
    no_threads: str = ""
    deaf: bool = False

    async def check(self, channel_id: int, *, thread: bool = False) -> str | None:
        await self._request()
        if self.closed:
            raise CannotPost(self.closed)
        return self.no_threads or None if thread else None

    async def newest(self, channel_id: int) -> int | None:
        await self._request()
        return self.chatter + len(self.messages)

    async def standing(
        self,
        channel_id: int,
        keys: Collection[str],
        since: datetime,
        *,
        anchor: int | None = None,
    ) -> Mapping[str, int]:
        await self._request()
        return {
            part.key: number
            for part, (channel, number) in zip(self.messages, self.placed, strict=True)
            if part.key in keys and channel == channel_id and number > (anchor or 0)
        }

    async def send(self, channel_id: int, part: DigestPart) -> int:
        self.sends += 1
        fault = self.faults.pop(self.sends, "")
        if fault == "before":
            raise ProcessKilledError
        if fault == "forbidden":
            raise CannotPost("Send Messages is missing.")
        lost = await self._request()
        self.messages.append(part)
        self.placed.append((channel_id, self.chatter + len(self.messages)))
        await asyncio.sleep(0)
        if fault == "after":
            raise ProcessKilledError
        if lost or fault == "lost":
            raise ConnectionResetError
        return self.placed[-1][1]

    async def open_thread(self, channel_id: int, message_id: int, digest: object) -> int:
        """The thread of a message has the message's id; so it is here."""
        if self.no_threads:
            raise CannotPost(self.no_threads)
        lost = await self._request()
        self.threads.add(message_id)
        if lost:
            raise ConnectionResetError
        return message_id

    async def tell_admins(self, guild_id: int, channel_id: int, sentence: str) -> bool:
        self.told.append(sentence)
        await self._request()
        return not self.deaf

    async def _request(self) -> bool:
        """Counts a request; fails it where that was written down. True where its answer is lost."""
        self.requests += 1
        await asyncio.sleep(0)
        fault = self.failing.pop(self.requests, None)
        if fault in {403, 404}:
            raise CannotPost("Grant me Send Messages." if fault == 403 else "The channel is gone.")
        if fault is not None and fault != "lost":
            raise AnswerFailedError(fault)
        return fault == "lost"

    @property
    def papers(self) -> list[int]:
        """Every paper in the channels, with repetitions."""
        return [item.view.paper.id for part in self.messages for item in part.items]
