"""The time, as something that can be handed in."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the current moment."""

    def now(self) -> datetime:
        """The current moment, aware and in UTC."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The current moment, aware and in UTC."""
        return datetime.now(UTC)
