"""How long /search takes to answer in the simulated Discord, over a large library.

Run `pytest -m benchmark -s tests/benchmarks/chat.py`; `PAPERS=20000` before it takes fewer papers
than 100,000. It prints and never fails by the clock. An answer counts as given when Discord has
taken it: the simulation itself then waits for up to 50 ms more, to see whether the bot is at rest.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from typing import TYPE_CHECKING, Any

import pytest

from bot.bootstrap import opened
from bot.chat import answers
from bot.triage.ingest import ListingInput
from bot.triage.search import SearchRequest
from tests.benchmarks.papers import Papers, queries
from tests.conftest import SHARED
from tests.simulation.conftest import application, log, simcord_bot, world
from tests.simulation.world import Clock, WordTagger, settings_of, text_of

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["application", "log", "simcord_bot", "world"]

COUNT = int(os.environ.get("PAPERS", "100000"))
_BATCH = 20_000


@pytest.fixture(scope="session")
def filled_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installation with `COUNT` papers, copied for the flow."""
    if not SHARED.is_dir():
        pytest.skip("../shared is not beside this checkout")
    home = tmp_path_factory.mktemp("large")
    listing = home / "papers.jsonl"
    with listing.open("w", encoding="utf-8") as file:
        for paper in Papers(SHARED, COUNT):
            entry = {
                "title": paper.title,
                "abstract": paper.abstract,
                "authors": paper.authors,
                "topics": paper.topics,
                "url": f"https://example.org/papers/{paper.id}",
                "published": paper.day.isoformat(),
            }
            file.write(json.dumps(entry) + "\n")

    async def fill() -> None:
        async with opened(settings_of(home), clock=Clock()) as services:
            await services.ingest.run([ListingInput(listing.name, listing)])
            services.library.index.settle()

    import asyncio

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("bot.bootstrap.load_tagger", WordTagger)
        asyncio.run(fill())
    listing.unlink()
    return home


@pytest.mark.benchmark
async def test_a_search_in_the_chat_is_answered_at_once(world, monkeypatch) -> None:
    shown: list[float] = []
    show = answers._show

    async def timed(*given: Any, **options: Any) -> None:
        await show(*given, **options)
        shown.append(time.perf_counter())

    monkeypatch.setattr(answers, "_show", timed)
    library = len(world.services.library.index)
    asked = [each for each in queries(Papers(SHARED, 0).real, 8) if len(each.text) <= 300]
    whole: list[float] = []
    within: list[float] = []
    for number, each in enumerate(asked):
        tag = ("methods", "theory", None)[number % 3]
        options = {"query": each.text, "since": "2016"} | ({"tag": tag} if tag else {})
        start = time.perf_counter()
        result = await world.ada.slash(world.channel, "search", **options)
        whole.append(1000 * (shown[-1] - start))
        assert "read as" in text_of(result.response)
        start = time.perf_counter()
        await world.services.search.run(world.guild.id, SearchRequest(each.text, tag=tag))
        within.append(1000 * (time.perf_counter() - start))
    print(f"\n{library:,} papers, {len(asked)} searches with filters and snippets")  # noqa: T201 - printing is what it is for
    for name, took in (("/search, from command to message", whole), ("the use-case", within)):
        high = statistics.quantiles(took, n=20)[-1]
        print(f"{name:34} median {statistics.median(took):6.1f} ms, p95 {high:6.1f} ms")  # noqa: T201 - as above
