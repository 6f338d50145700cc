"""All commands, walked: named, described, and for servers."""

from __future__ import annotations

import inspect
import re

import discord
import pytest
from discord import app_commands

from bot.chat.client import PapertriageClient
from bot.chat.commands import COMMANDS

EVERY = [
    command
    for top in COMMANDS
    if not isinstance(top, app_commands.ContextMenu)
    for command in (top.walk_commands() if isinstance(top, app_commands.Group) else [top])
    if not isinstance(command, app_commands.Group)
]


@pytest.mark.parametrize("command", EVERY, ids=lambda command: command.qualified_name)
def test_a_command_and_its_options_are_described(command):
    assert 3 < len(command.description) <= 100
    assert command.description[0].isupper()
    assert not command.description.endswith(".")
    for option in command.parameters:
        undescribed = option.name == "channel" and option.description == "…"
        assert undescribed or 3 < len(option.description) <= 100, option.name


@pytest.mark.parametrize("command", EVERY, ids=lambda command: command.qualified_name)
def test_a_command_is_named_as_discord_wants_it(command):
    assert re.fullmatch(r"[a-z-]{1,32}", command.name)


def test_the_promised_commands_are_there():
    assert {command.qualified_name for command in EVERY} >= {
        "search", "paper", "similar", "why", "vote", "tag", "queue list", "queue claim",
        "queue start", "queue done", "queue drop", "queue export", "digest preview",
        "digest subscribe", "digest list", "digest pause", "digest resume", "digest remove",
        "listing add", "stats", "about", "help",
    }  # fmt: skip


def test_papers_are_completed_wherever_one_is_named():
    for command in EVERY:
        for option in command.parameters:
            if option.name == "paper":
                assert option.autocomplete, command.qualified_name


def test_command_bodies_are_short():
    for command in EVERY:
        source = inspect.getsource(inspect.unwrap(command.callback))
        body = source.split("-> Answer:")[1]
        assert len(body.splitlines()) <= 30, command.qualified_name


async def test_the_client_asks_for_no_privileged_intent_and_pings_nobody():
    client = PapertriageClient(services=None)
    assert client.intents == discord.Intents(guilds=True)
    assert client.allowed_mentions.to_dict() == {"parse": []}
