"""Those who can mend it hear once what keeps a digest from its channel."""

from __future__ import annotations

import discord
import pytest

from tests.simulation.world import notices_in, shut_out, text_of, told


@pytest.fixture
async def due(world):
    """A server with a channel of its own for a digest that is due."""
    drafted = await world.ada.slash(
        world.channel, "digest subscribe", at="09:00", zone="UTC", days="daily", place=0
    )
    await world.ada.click(drafted.response, label="Save")
    await world.later(hours=2)
    return world


def said_in(channel):
    return [text_of(message) for message in channel.history()]


async def delete(world, channel):
    world.env.backend.delete_channel(channel.id)
    await world.env.settle()


async def test_a_deleted_channel_is_told_at_once_and_once(due):
    notices = notices_in(due, "notices")
    await delete(due, due.channel)
    assert len(said_in(notices)) == 1
    assert "is gone" in said_in(notices)[0]
    assert "/digest edit" in said_in(notices)[0]
    for _ in range(3):
        assert await due.posting.run_due() == 0
    assert len(said_in(notices)) == 1
    assert "is gone" in told(await due.ada.slash(notices, "digest list"))


async def test_a_permission_that_goes_is_told_at_once_and_one_that_comes_back_mends_it(due):
    notices = notices_in(due, "notices")
    shut_out(due, due.channel)
    await due.env.settle()
    assert "Send Messages" in said_in(notices)[0]
    due.env.backend.delete_overwrite(due.channel.id, due.guild.default_role.id)
    await due.env.settle()
    [order] = await due.services.digests.subscriptions(due.guild.id)
    assert order.problem is None
    assert await due.posting.run_due() == 1


async def test_a_role_that_lost_its_rights_is_noticed_and_mended(due):
    roles = {role.name: role.id for role in due.client.get_guild(due.guild.id).roles}
    may_read = discord.Permissions(view_channel=True, read_message_history=True)
    may_write = may_read | discord.Permissions(send_messages=True)

    async def permit(name, permissions):
        due.env.backend.edit_role(due.guild.id, roles[name], {"permissions": permissions.value})
        await due.env.settle()
        [order] = await due.services.digests.subscriptions(due.guild.id)
        return order.problem or ""

    await permit("TestBot", discord.Permissions.none())
    assert "grant me Send Messages there" in await permit("@everyone", may_read)
    assert await permit("@everyone", may_write) == ""
    assert await due.posting.run_due() == 1


async def test_where_no_place_for_notices_is_the_next_manager_is_told_privately_and_once(due):
    other = due.guild.create_text_channel("other")
    await delete(due, due.channel)
    assert await due.posting.run_due() == 0
    by_ben = await due.ben.slash(other, "search", query="agents")
    assert by_ben.followups == []
    by_ada = await due.ada.slash(other, "search", query="agents")
    assert "Digest 1: The channel of this digest is gone" in told(by_ada)
    again = await due.ada.slash(other, "search", query="agents")
    assert again.followups == []


async def test_a_telling_that_failed_is_made_again(due):
    notices = notices_in(due, "notices")
    due.env.inject_error(
        "POST", f"/channels/{notices.id}/messages", status=403, code=50013, times=1
    )
    await delete(due, due.channel)
    assert said_in(notices) == []
    await due.posting.run_due()
    assert len(said_in(notices)) == 1
    await due.posting.run_due()
    assert len(said_in(notices)) == 1


async def test_the_problem_of_a_digest_that_is_moved_is_over(due):
    notices = notices_in(due, "notices")
    await delete(due, due.channel)
    edited = await due.ada.slash(notices, "digest edit", digest="1", channel=notices)
    await due.ada.click(edited.response, label="Save")
    assert "⚠" not in told(await due.ada.slash(notices, "digest list"))
    assert await due.posting.run_due() == 1
