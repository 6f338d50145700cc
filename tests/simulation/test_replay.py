"""Over months of real listings and everything that goes wrong, a digest keeps its promises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.simulation.arxiv import read_listings
from tests.simulation.replay import ORDERS, replay
from tests.simulation.world import WordTagger

if TYPE_CHECKING:
    from pathlib import Path

PAPERS_A_LISTING = 6


async def test_nothing_is_lost_doubled_or_unexplained_in_106_daily_listings(
    shared: Path, tmp_path: Path
) -> None:
    listings = read_listings(shared / "corpus" / "arxiv-daily.jsonl.gz", PAPERS_A_LISTING)
    assert len(listings) == 106
    tally = await replay(listings, tmp_path, WordTagger)
    assert tally.lost == []
    assert tally.doubled == []
    assert tally.unexplained == []
    # What the replay is for did happen.
    assert tally.posted > tally.papers > 500
    assert min(tally.kills, tally.restarts, tally.failed_requests) > 10
    assert min(tally.quiet, tally.late, tally.revised) > 50
    assert tally.folded >= len(ORDERS)
    assert tally.fates > 200
