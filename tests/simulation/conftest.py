"""A running application for each flow; its requests are held against Discord's description."""

from __future__ import annotations

import asyncio
import shutil

import pytest
import structlog

from bot.bootstrap import opened
from bot.triage.ingest import ListingInput
from tests.simulation import contract
from tests.simulation.papers import listing
from tests.simulation.world import (
    START,
    Application,
    Clock,
    WordTagger,
    World,
    manager_role,
    settings_of,
)


@pytest.fixture(scope="session")
def filled_home(tmp_path_factory):
    """An installation whose library holds the team's papers; copied for each flow."""
    home = tmp_path_factory.mktemp("home")

    async def fill() -> None:
        async with opened(settings_of(home), clock=Clock()) as services:
            report = await services.ingest.run([ListingInput("june.jsonl", listing())])
            assert report.total("new") == 13, report

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("bot.bootstrap.load_tagger", WordTagger)
        asyncio.run(fill())
    return home


@pytest.fixture
def log():
    """What the bot logs, as dictionaries."""
    with structlog.testing.capture_logs() as entries:
        yield entries


@pytest.fixture
async def application(filled_home, tmp_path, monkeypatch, log):
    """The application over a copy of the filled library, not yet connected."""
    monkeypatch.setattr("bot.bootstrap.load_tagger", WordTagger)
    home = tmp_path / "home"
    shutil.copytree(filled_home, home)
    application = Application(home)
    await application.start()
    yield application
    await application.stop()


@pytest.fixture
def simcord_bot(application):
    """What simcord's own fixture connects to its Discord."""
    return application.client


@pytest.fixture
async def world(application, simcord_env):
    """The application in its server. Errors that nobody expected fail the test."""
    env = simcord_env
    await env.advance_time((START - env.now()).total_seconds())
    application.clock.env = env
    guild = env.create_guild("Reading group")
    channel = guild.create_text_channel("papers")
    ada = guild.add_member(env.create_user("ada"), roles=[manager_role(guild)])
    ben = guild.add_member(env.create_user("ben"))
    await env.settle()
    yield World(application, env, guild, channel, ada, ben)
    if contract.available():
        assert contract.complaints(env.http_requests) == []
