"""The bot arrives, tells its commands once, and says what to type."""

from __future__ import annotations

import discord

from bot.chat.commands import COMMANDS
from tests.simulation.world import text_of


def tellings(world):
    return [request for request in world.env.http_requests if request.path.endswith("/commands")]


async def test_commands_are_told_once_and_not_again_at_every_start(world):
    assert len(tellings(world)) == 1
    await world.restart()
    assert len(tellings(world)) == 1
    assert "papers" in text_of((await world.ben.slash(world.channel, "stats")).response)


async def test_commands_are_told_again_when_asked(world):
    assert await world.client.sync_commands() == len(COMMANDS)
    assert len(tellings(world)) == 2


async def test_changed_commands_are_told_at_the_next_start(world):
    await world.services.library.remember("chat.commands", "those of an older version")
    await world.restart()
    assert len(tellings(world)) == 2


async def test_what_waits_for_the_connection_begins_once(world):
    begun = []
    world.client.when_ready(lambda: begun.append(1))
    world.client.dispatch("ready")
    await world.env.settle()
    world.client.dispatch("ready")
    await world.env.settle()
    assert begun == [1]


async def test_a_new_server_is_told_what_to_type(world):
    world.client.dispatch("guild_join", world.client.get_guild(world.guild.id))
    await world.env.settle()
    assert "`/search`" in text_of(world.channel.last_message)


async def test_a_server_without_an_open_channel_is_left_alone(world):
    closed = world.env.create_guild("Closed")
    closed.create_text_channel(
        "quiet",
        overwrites={closed.default_role: discord.PermissionOverwrite(send_messages=False)},
    )
    await world.env.settle()
    world.client.dispatch("guild_join", world.client.get_guild(closed.id))
    await world.env.settle()
    assert not closed.channels["quiet"].history()
