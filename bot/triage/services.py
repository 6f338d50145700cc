"""All use-cases together, as `bot.bootstrap` builds them for the chat and the command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.triage.cards import Cards
    from bot.triage.clock import Clock
    from bot.triage.digests import Digests
    from bot.triage.hindsight import Hindsight
    from bot.triage.ingest import Ingest
    from bot.triage.interest import Interests
    from bot.triage.learning import Learning
    from bot.triage.library import Library
    from bot.triage.listings import Listings
    from bot.triage.merging import Merging
    from bot.triage.search import Search
    from bot.triage.shelf import Shelf
    from bot.triage.sources import Sources
    from bot.triage.subscribing import Subscribing
    from bot.triage.tagging import Tagging
    from bot.triage.troubles import Troubles
    from bot.triage.voting import Voting
    from data.fetch import Fetcher


@dataclass(frozen=True, slots=True)
class Services:
    """One of each use-case, over one store, one index and one tagger."""

    clock: Clock
    library: Library
    search: Search
    cards: Cards
    voting: Voting
    tagging: Tagging
    ingest: Ingest
    listings: Listings
    merging: Merging
    digests: Digests
    subscribing: Subscribing
    troubles: Troubles
    interests: Interests
    hindsight: Hindsight
    shelf: Shelf
    learning: Learning
    sources: Sources
    fetcher: Fetcher
