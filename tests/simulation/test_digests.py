"""A channel orders a digest, gets it once, and learns what keeps it from coming."""

from __future__ import annotations

import asyncio

import discord
import pytest

from tests.simulation.world import labels_of, parts_of, text_of, told


async def subscribed(world, **options):
    drafted = await world.ada.slash(
        world.channel,
        "digest subscribe",
        **{"at": "09:00", "zone": "UTC", "days": "daily", "place": 0} | options,
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


async def test_papers_for_which_there_was_no_room_are_a_private_list_with_pages(world):
    await subscribed(world, maximum=6)
    await world.later(hours=2)
    await world.posting.run_due()
    button = next(name for name in labels_of(world.channel.last_message) if "pt:more" in name)
    await world.restart()
    more = await world.ben.click(world.channel.last_message, custom_id=button)
    assert "Also new\n-# 7 papers, best first" in told(more)
    first = votes_on(more.response)
    await world.ben.click(more.response, label="→")
    [page] = [
        message
        for message in world.channel.history(viewer=world.ben)
        if message.id == more.response.id
    ]
    assert len(first) == 5
    assert len(votes_on(page)) == 2
    posted = [name for message in digests_in(world.channel) for name in votes_on(message)]
    assert len({*first, *votes_on(page), *posted}) == 13


def votes_on(message):
    return [name for name in labels_of(message) if name.startswith("pt:vote:")]


async def test_a_paper_that_members_voted_for_elsewhere_says_so(world):
    await subscribed(world)
    await world.ben.slash(world.channel, "vote", paper="1")
    await world.later(hours=2)
    await world.posting.run_due()
    told_of = [text_of(message) for message in digests_in(world.channel)]
    assert sum(said.count("voted for it elsewhere") for said in told_of) == 1
    assert any("▲ ben voted for it elsewhere" in said for said in told_of)


async def test_a_vote_on_a_message_that_was_deleted_meanwhile_counts_and_is_answered(world, log):
    await subscribed(world)
    await world.later(hours=2)
    await world.posting.run_due()
    message = digests_in(world.channel)[0]
    press = world.prepare_press(world.ben, message, "pt:vote:1")
    world.env.backend.delete_message(world.channel.id, message.id)
    press()
    await world.env.settle()
    said = [text_of(answer) for answer in world.channel.history(viewer=world.ben)]
    assert any("You voted for" in text for text in said)
    assert not any("Sorry" in text for text in said)
    assert not [entry for entry in log if entry["event"] == "unexpected error"]
    view = await world.services.library.view(world.guild.id, 1)
    assert [member.name for member in view.voters] == ["ben"]


async def test_a_page_of_a_list_that_was_deleted_meanwhile_is_shown_anew(world):
    await subscribed(world, maximum=6)
    await world.later(hours=2)
    await world.posting.run_due()
    more = await world.ben.click(world.channel.last_message, label="7 more")
    arrow = next(name for name in labels_of(more.response) if name.endswith(":on"))
    press = world.prepare_press(world.ben, more.response, arrow)
    world.env.backend.delete_message(world.channel.id, more.response.id)
    press()
    await world.env.settle()
    said = [text_of(answer) for answer in world.channel.history(viewer=world.ben)]
    assert any("Also new" in text for text in said)


async def test_ten_previews_at_once_all_show_what_is_posted_then(world):
    await subscribed(world, maximum=6)
    shown = await asyncio.gather(
        *(world.services.digests.preview(world.guild.id, world.channel.id) for _ in range(10))
    )
    await world.later(hours=2)
    await world.posting.run_due()
    posted = votes_on(world.channel.last_message)
    for [digest] in shown:
        [part] = digest.parts()
        assert [f"pt:vote:{item.view.paper.id}" for item in part.items] == posted


async def test_the_preview_after_todays_digest_is_tomorrows(world):
    await subscribed(world)
    await world.later(hours=2)
    await world.posting.run_due()
    shown = await world.ada.slash(world.channel, "digest preview", digest="1")
    assert "Papers · Wednesday 3 June" in told(shown)
    await world.later(days=1)
    await world.posting.run_due()
    assert text_of(world.channel.last_message) == told(shown)


async def test_a_digest_that_is_to_say_nothing_on_quiet_days_says_nothing(world):
    await subscribed(world, quiet=0)
    await world.later(hours=2)
    assert await world.posting.run_due() == 1
    before = len(digests_in(world.channel))
    preview = told(await world.ada.slash(world.channel, "digest preview"))
    assert "is to say nothing on such a day" in preview
    await world.later(days=1)
    assert await world.posting.run_due() == 1
    assert await world.posting.run_due() == 0
    assert len(digests_in(world.channel)) == before


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
