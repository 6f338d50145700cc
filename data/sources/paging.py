"""Answers that come in pages: all of them, and a page again where it is shorter than it should."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from data.sources.base import Page

TRIES: Final = 3


@dataclass(frozen=True, slots=True)
class Slice:
    """One page: its entries, and how many the source says there are on all pages together."""

    page: Page
    count: int
    total: int


@dataclass(frozen=True, slots=True)
class Slices:
    """All pages of one answer; `total` is at most what was asked for."""

    pages: tuple[Page, ...]
    count: int
    total: int


async def all_slices(ask: Callable[[int], Awaitable[Slice]], *, size: int, most: int) -> Slices:
    """Asks for page after page, each by the number of its first entry, from 0.

    arXiv's API gives short and empty pages in the middle of a result at times, and the whole
    page a moment later; so a page that is shorter than the total says is asked for up to three
    times, and the longest counts. No more than `most` entries are asked for.
    """
    pages: list[Page] = []
    count = start = 0
    while True:
        best = await ask(start)
        for _ in range(TRIES - 1):
            if best.count >= min(size, best.total - start):
                break
            again = await ask(start)
            best = max(best, again, key=lambda one: (one.count, one.total))
        pages.append(best.page)
        count += best.count
        start += size
        wanted = min(best.total, most)
        if start >= wanted:
            return Slices(tuple(pages), count, wanted)
