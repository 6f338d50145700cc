"""How often a server is asked: spacing between requests, and the wait before trying again."""

from __future__ import annotations

import asyncio
import re
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping

_SECONDS: Final = re.compile(r"\d{1,9}")


@dataclass(slots=True)
class _Group:
    every_seconds: float
    due: float = float("-inf")
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Pace:
    """Lets requests to a group of hosts through one at a time and never closer than agreed.

    `spacing` maps a domain to seconds; the domain stands for itself and all below it. `clock`
    counts seconds and never goes back; `sleep` waits for as many.
    """

    def __init__(
        self,
        spacing: Mapping[str, float],
        *,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[object]],
    ) -> None:
        self._groups = {domain: _Group(seconds) for domain, seconds in spacing.items()}
        self._clock = clock
        self._sleep = sleep

    @asynccontextmanager
    async def turn(self, host: str) -> AsyncGenerator[None]:
        """Waits until the host may be asked, and holds its group while the block runs."""
        group = self._group(host)
        if group is None:
            yield
            return
        async with group.lock:
            wait = group.due - self._clock()
            if wait > 0:
                await self._sleep(wait)
            group.due = max(group.due, self._clock() + group.every_seconds)
            yield

    def hold(self, host: str, seconds: float) -> None:
        """Keeps everybody from asking the host's group for so long."""
        group = self._group(host)
        if group is not None:
            group.due = max(group.due, self._clock() + seconds)

    def _group(self, host: str) -> _Group | None:
        for domain, group in self._groups.items():
            if host == domain or host.endswith(f".{domain}"):
                return group
        return None


def retry_after_seconds(header: str | None, now: datetime) -> float | None:
    """The wait that a Retry-After header asks for, in seconds; None where it says nothing.

    RFC 9110, section 10.2.3: a number of seconds, or an HTTP date.
    """
    text = (header or "").strip()
    if _SECONDS.fullmatch(text):
        return float(text)
    try:
        when = parsedate_to_datetime(text)
    except ValueError:
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return max(0.0, (when - now).total_seconds())
