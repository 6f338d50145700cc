"""Use-cases over an empty library, a clock set by hand, and the shipped tagger."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.bootstrap import build, load_tagger
from bot.triage.ingest import ListingInput
from data.fetch import Fetcher
from data.index import SearchIndex
from data.store.servers import Member
from tests.bot.triage.asking import world_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.triage.services import Services
    from classifiers import Tagger
    from data.store.connection import Store
    from tests.bot.triage.asking import World
    from tests.conftest import HandClock

SERVER, OTHER_SERVER = 100, 200
ADA, BEN = Member(1, "ada"), Member(2, "ben")

PAPERS = (
    "We propose Gardener, a pruning method for large graphs that keeps the paths that matter. "
    "On six public graphs it halves the memory of message passing and loses little accuracy.",
    "We prove a tight lower bound on the regret of every algorithm for adversarial bandits with "
    "delayed feedback, and we show that a simple algorithm attains it up to a constant factor.",
    "This position paper argues that conferences should publish the reviews of rejected papers. "
    "We call for a shared archive and discuss objections that authors and editors may raise.",
)


@pytest.fixture(scope="session")
def tagger() -> Tagger:
    """The shipped model, loaded once."""
    return load_tagger()


@pytest.fixture
async def services(
    store: Store, clock: HandClock, tagger: Tagger, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Services]:
    """All use-cases, as bootstrap builds them."""
    monkeypatch.setattr("bot.bootstrap.load_tagger", lambda: tagger)
    fetcher = Fetcher()
    yield build(store, SearchIndex(None), fetcher, clock)
    await fetcher.close()


@pytest.fixture
async def three_papers(services: Services) -> Services:
    """The use-cases over a library of three papers: methods, theory, position."""
    text = "Saved page\n\n" + "\n\n".join(PAPERS)
    await services.ingest.run([ListingInput("three.txt", text.encode())])
    return services


@pytest.fixture
async def world(services: Services, clock: HandClock) -> AsyncIterator[World]:
    """Standing sources, and a web of their own."""
    async with world_of(services, clock) as made:
        yield made
