"""The one place that builds things from settings, and starts and stops them in order."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from contextlib import asynccontextmanager
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog

from bot.triage.cards import Cards
from bot.triage.clock import SystemClock
from bot.triage.digests import Digests
from bot.triage.fates import Fates
from bot.triage.hindsight import Hindsight
from bot.triage.ingest import Ingest
from bot.triage.interest import Interests
from bot.triage.learning import Learning
from bot.triage.library import Library
from bot.triage.listings import Listings
from bot.triage.merging import Merging
from bot.triage.models import Models
from bot.triage.search import Search
from bot.triage.services import Services
from bot.triage.shelf import Shelf
from bot.triage.sources import Sources
from bot.triage.subscribing import Subscribing
from bot.triage.tagging import Tagging
from bot.triage.topics import Topics
from bot.triage.troubles import Troubles
from bot.triage.voting import Voting
from data.fetch import Fetcher
from data.index import SearchIndex
from data.store.connection import Store, StoreError
from data.store.locking import held_alone

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from bot.chat.client import PapertriageClient
    from bot.settings import Settings
    from bot.triage.clock import Clock
    from classifiers import Tagger

MEGABYTE: Final = 1_000_000


def shipped(name: str) -> Path:
    """A read-only file or folder that comes with the project."""
    return Path(str(files("data"))) / "shipped" / name


def load_tagger() -> Tagger:
    """The shipped tagger. Raises ModelRefused, whose text says what to do."""
    from classifiers import Tagger

    return Tagger.load(shipped("tagger"))


def models_of(settings: Settings) -> Models:
    """The models of an installation: the shipped one, one that was chosen, retrained ones."""
    return Models(load_tagger, shipped("tagger"), settings.model_folder, settings.model)


def start_log(settings: Settings, *, quiet: bool = False) -> None:
    """Sends the log to standard error, as text for people or as one JSON object a line.

    `quiet` leaves only warnings and errors.
    """
    level = logging.getLevelNamesMapping()[settings.log_level]
    if quiet:
        level = max(level, logging.WARNING)
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if settings.log_format == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    processors: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if settings.log_format == "json":
        processors.append(structlog.processors.format_exc_info)
    structlog.configure(
        processors=[*processors, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
    )
    # discord.py, APScheduler and bibtexparser log through the standard library.
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(processor=renderer, foreign_pre_chain=processors)
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(max(level, logging.WARNING))
    for name in ("discord.client", "bibtexparser"):
        # They warn of voice, which the bot has not, and of entries that we refuse with a reason.
        logging.getLogger(name).setLevel(logging.ERROR)


@asynccontextmanager
async def opened(settings: Settings, *, clock: Clock | None = None) -> AsyncGenerator[Services]:
    """All use-cases over the library of these settings; closed in order at the end.

    Raises StoreError where the library cannot be opened.
    """
    store = Store(settings.library_file)
    fetcher = Fetcher(
        user_agent=f"papertriage/{version('papertriage')}",
        max_bytes=int(settings.fetch_limit_megabytes * MEGABYTE),
        max_seconds=settings.fetch_timeout_seconds,
    )
    index: SearchIndex | None = None
    services: Services | None = None
    try:
        await store.open()
        try:
            index = SearchIndex(settings.index_folder)
        except OSError as error:
            raise StoreError(
                f"The search index cannot be opened in {settings.index_folder}: "
                f"{error.strerror}. Move aside what stands there; it is made anew."
            ) from error
        services = build(store, index, fetcher, clock or SystemClock(), models_of(settings))
        yield services
    finally:
        if services is not None:
            await services.interests.close()
        if index is not None:
            await asyncio.to_thread(index.close)
        await fetcher.close()
        await store.close()


def build(
    store: Store,
    index: SearchIndex,
    fetcher: Fetcher,
    clock: Clock,
    models: Models | None = None,
) -> Services:
    """The use-cases over an open store; without `models`, with the shipped tagger for good."""
    library = Library(store, index, clock)
    models = models or Models(load_tagger, shipped("tagger"))
    tagging = Tagging(library, models.load)
    learning = Learning(library, tagging, models)
    ingest = Ingest(library, tagging)
    voting = Voting(library)
    interests = Interests(library)
    digests = Digests(library, tagging, interests)
    return Services(
        clock=clock,
        library=library,
        search=Search(library),
        cards=Cards(library, tagging, Fates(library, digests), Topics(library)),
        voting=voting,
        tagging=tagging,
        ingest=ingest,
        listings=Listings(ingest, fetcher),
        merging=Merging(library),
        digests=digests,
        subscribing=Subscribing(library, digests),
        troubles=Troubles(store, clock),
        interests=interests,
        hindsight=Hindsight(library, digests),
        shelf=Shelf(library, voting, tagging, learning),
        learning=learning,
        sources=Sources(library, tagging, fetcher),
        fetcher=fetcher,
    )


def build_client(services: Services) -> PapertriageClient:
    """The chat over these use-cases, not yet connected."""
    from bot.chat.client import PapertriageClient

    return PapertriageClient(services)


async def serve(settings: Settings, token: str) -> None:
    """Connects to Discord and serves until it is told to stop.

    Raises discord's LoginFailure where the token is refused, and TakenError where another process
    serves from the same library.
    """
    with held_alone(settings.library_file.with_name("run.lock"), what="runs"):
        await _serve(settings, token)


async def _serve(settings: Settings, token: str) -> None:
    from bot.chat.notes import DiscordNotes
    from bot.chat.publisher import DiscordPublisher
    from bot.jobs import Clockwork
    from bot.triage.hindsight import WeeklyNotes
    from bot.triage.posting import Posting

    async with opened(settings) as services:
        await services.library.refresh()
        await asyncio.to_thread(lambda: services.tagging.tagger)
        client = build_client(services)
        publisher = DiscordPublisher(client)
        posting = Posting(services.library.store, services.digests, publisher, services.clock)
        notes = WeeklyNotes(
            services.library, services.digests, services.hindsight, DiscordNotes(publisher)
        )
        # A poll or a retraining may take minutes, and must not hold up a digest that is due.
        clockworks = (
            Clockwork(posting.run_due),
            Clockwork(services.sources.poll_due),
            Clockwork(services.learning.tick),
            Clockwork(services.interests.freshen),
            Clockwork(notes.run_due),
        )
        for clockwork in clockworks:
            client.when_ready(clockwork.start)
        stopping = asyncio.Event()
        loop = asyncio.get_running_loop()
        if sys.platform != "win32":  # which has no such handlers; Ctrl-C cancels us there
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(number, stopping.set)
        running = asyncio.create_task(client.start(token), name="discord")
        stop = asyncio.create_task(stopping.wait(), name="stop")
        try:
            await asyncio.wait({running, stop}, return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                await running
        finally:
            stop.cancel()
            for clockwork in clockworks:
                await clockwork.stop()
            await client.close()
            await asyncio.gather(running, return_exceptions=True)
