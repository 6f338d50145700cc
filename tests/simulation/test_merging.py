"""Papers that are one work are joined and taken apart from the chat."""

from __future__ import annotations

import pytest
from simcord import SetupError

from tests.simulation.world import text_of, told


async def test_two_papers_are_made_one_and_keep_their_votes(world):
    await world.ada.slash(world.channel, "vote", paper="1")
    await world.ben.slash(world.channel, "vote", paper="2")
    assert "Both are **#1" in told(
        await world.ada.slash(world.channel, "merge", paper="1", other="2")
    )
    queue = (await world.ada.slash(world.channel, "queue list")).response
    assert "2 ada, ben" in text_of(queue)
    card = (await world.ada.slash(world.channel, "paper", paper="2")).response
    assert "#1" in text_of(card)
    assert "#2" in told(await world.ada.slash(world.channel, "split", paper="2"))
    queue = (await world.ada.slash(world.channel, "queue list")).response
    assert "2 ada, ben" not in text_of(queue)


async def test_a_member_without_manage_server_has_no_such_command(world):
    with pytest.raises(SetupError, match="permissions"):
        await world.ben.slash(world.channel, "merge", paper="1", other="2")
