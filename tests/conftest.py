"""What all tests share: a clock that is set by hand, a store in a temporary folder, ../shared."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from data.store.connection import Store

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared"


class HandClock:
    """A clock that stands still until a test moves it."""

    def __init__(self, moment: datetime) -> None:
        self.moment = moment

    def now(self) -> datetime:
        return self.moment

    def advance(self, **step: float) -> None:
        """Moves the clock on by a `timedelta` of these arguments."""
        self.moment += timedelta(**step)


@pytest.fixture
def clock() -> HandClock:
    """Monday 1 June 2026, 08:00 UTC, until it is moved."""
    return HandClock(datetime(2026, 6, 1, 8, tzinfo=UTC))


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    """An empty library, closed at the end."""
    opened = Store(tmp_path / "library.db")
    await opened.open()
    yield opened
    await opened.close()


@pytest.fixture
def shared() -> Path:
    """The folder of real files beside the checkout; a test that needs it is skipped without."""
    if not SHARED.is_dir():
        pytest.skip("../shared is not beside this checkout")
    return SHARED
