"""A channel orders a digest, gets it once, and learns what keeps it from coming."""

from __future__ import annotations

import discord
import pytest

from tests.simulation.world import labels_of, parts_of, text_of, told


async def subscribed(world, **options):
    drafted = await world.ada.slash(
        world.channel,
        "digest subscribe",
        **{"at": "09:00", "zone": "UTC", "days": "daily"} | options,
    )
    if "Save" not in labels_of(drafted.response).values():
        return drafted
    return await world.ada.click(drafted.response, label="Save")


def digests_in(channel):
    return [message for message in channel.history() if "Papers ·" in text_of(message)]


async def test_a_digest_is_ordered_listed_paused_resumed_and_removed(world):
    assert "is ordered" in told(await subscribed(world, tags="theory", query="regret"))
    listed = told(await world.ada.slash(world.channel, "digest list"))
    assert "at 09:00 UTC, every day, only theory, about “regret”" in listed
    assert "next <t:" in listed
    [choice] = await world.ada.autocomplete(world.channel, "digest pause", "digest", "")
    assert choice["name"] == "1 · #papers at 09:00 UTC, every day"
    assert "paused" in told(await world.ada.slash(world.channel, "digest pause", digest="1"))
    assert "paused" in told(await world.ada.slash(world.channel, "digest list"))
    assert "goes on" in told(await world.ada.slash(world.channel, "digest resume", digest="1"))
    assert "removed" in told(await world.ada.slash(world.channel, "digest remove", digest="1"))
    assert "No channel gets" in told(await world.ada.slash(world.channel, "digest list"))


async def test_a_preview_is_exactly_what_is_posted_then(world):
    await subscribed(world)
    shown = await world.ada.slash(world.channel, "digest preview")
    preview = [text_of(message) for message in (shown.response, *shown.followups)]
    assert shown.response.ephemeral
    assert all(message.ephemeral for message in shown.followups)
    await world.later(hours=2)
    assert await world.posting.run_due() == 1
    assert [text_of(message) for message in digests_in(world.channel)][-3:] == preview


async def test_a_due_digest_is_posted_once_with_a_nonce_and_vote_buttons(world):
    await subscribed(world)
    await world.later(hours=2)
    assert await world.posting.run_due() == 1
    assert await world.posting.run_due() == 0
    posted = digests_in(world.channel)
    assert len(posted) == 3
    assert "13 new" in text_of(posted[0])
    assert [text_of(posted[0]).index(f"**{tag}**") for tag in ("Position", "Theory")]
    sent = [
        request.json
        for request in world.env.http_requests
        if request.path == f"/channels/{world.channel.id}/messages" and request.method == "POST"
    ]
    assert [body["nonce"] for body in sent] == [f"1-20260602-{part}" for part in range(3)]
    assert all(body["enforce_nonce"] and len(body["nonce"]) <= 25 for body in sent)
    await world.ben.click(posted[0], custom_id="pt:vote:1")
    assert labels_of(digests_in(world.channel)[0])["pt:vote:1"] == "▲ 1"


async def test_after_a_crash_the_channel_is_read_and_nothing_comes_twice(world, monkeypatch):
    await subscribed(world)
    await world.later(hours=2)
    posting = world.posting

    async def killed(*_args):
        raise RuntimeError("killed")

    monkeypatch.setattr(posting, "_mark", killed)
    assert await posting.run_due() == 0
    assert len(digests_in(world.channel)) == 1
    await world.restart()
    assert await world.posting.run_due() == 1
    assert len(digests_in(world.channel)) == 3


async def test_a_quiet_day_is_said_to_be_quiet(world):
    await subscribed(world)
    await world.later(hours=2)
    await world.posting.run_due()
    await world.later(days=1)
    assert await world.posting.run_due() == 1
    last = world.channel.last_message
    assert "Nothing new" in text_of(last)
    opened = await world.ben.click(last, label="Reading queue")
    assert "Reading queue" in told(opened)


async def test_papers_for_which_there_was_no_room_can_be_seen(world):
    await subscribed(world, maximum=6)
    await world.later(hours=2)
    await world.posting.run_due()
    more = await world.ben.click(world.channel.last_message, label="7 more")
    assert "Also new" in told(more)
    assert len([name for name in labels_of(more.response) if name.startswith("pt:vote:")]) == 7


async def test_a_missing_permission_is_named_at_once(world):
    silent = world.guild.create_text_channel(
        "silent",
        overwrites={world.guild.default_role: discord.PermissionOverwrite(send_messages=False)},
    )
    refused = told(await subscribed(world, channel=silent))
    assert "#silent" in refused
    assert "Send Messages" in refused


async def test_a_digest_that_cannot_be_posted_is_named_once_and_comes_later(world):
    await subscribed(world)
    notices = world.guild.create_text_channel("notices")
    world.client.get_guild(world.guild.id)._system_channel_id = notices.id
    await world.later(hours=2)
    world.env.inject_error(
        "POST",
        f"/channels/{world.channel.id}/messages",
        status=403,
        code=50013,
        message="Missing Permissions",
        times=2,
    )
    assert await world.posting.run_due() == 0
    assert await world.posting.run_due() == 0
    assert "Send Messages" in told(await world.ada.slash(world.channel, "digest list"))
    said = [text_of(message) for message in notices.history()]
    assert len(said) == 1
    assert "Send Messages" in said[0]
    assert await world.posting.run_due() == 1
    assert digests_in(world.channel)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"at": "noonish"}, "time of day"),
        ({"zone": "Mars/Olympus"}, "time zone"),
        ({"days": "someday"}, "as days"),
    ],
)
async def test_an_order_that_cannot_be_read_is_refused_with_what_to_write(world, options, sentence):
    assert sentence in told(await subscribed(world, **options))


async def test_a_digest_that_is_not_there_is_refused(world):
    assert "no digest number 7" in told(
        await world.ada.slash(world.channel, "digest pause", digest="7")
    )
    assert "choose one" in told(await world.ada.slash(world.channel, "digest remove", digest="x"))
    assert "/digest subscribe" in told(await world.ada.slash(world.channel, "digest preview"))


async def test_zones_are_completed_by_city(world):
    found = await world.ada.autocomplete(world.channel, "digest subscribe", "zone", "berl", at="9")
    assert found[0]["value"] == "Europe/Berlin"


async def test_only_those_who_manage_the_server_order_digests(world):
    assert "digest subscribe" in world.ada.available_commands(world.channel)
    assert "digest subscribe" not in world.ben.available_commands(world.channel)
    assert "search" in world.ben.available_commands(world.channel)


async def test_a_digest_is_recognised_by_its_controls_and_not_by_its_text(world):
    await subscribed(world)
    await world.later(hours=2)
    await world.posting.run_due()
    keys = {f"1-20260602-{part}" for part in range(3)}
    since = world.application.clock.now()
    standing = await world.publisher.standing(world.channel.id, keys, since)
    posted = digests_in(world.channel)
    assert standing == {f"1-20260602-{part}": posted[part].id for part in range(3)}
    assert all("1-20260602" not in text_of(message) for message in posted)
    assert parts_of(posted[0])
