"""A digest is drafted, looked at, changed, saved once, and edited later."""

from __future__ import annotations

import discord
import pytest

from bot.chat import answers
from tests.simulation.world import labels_of, shut_out, text_of, told

ORDER = {"at": "09:00", "zone": "UTC", "days": "daily", "place": 0}


async def drafted(world, **options):
    return (await world.ada.slash(world.channel, "digest subscribe", **ORDER | options)).response


def button(message, label):
    """The custom id of a button by its label."""
    return next(custom_id for custom_id, text in labels_of(message).items() if text == label)


async def orders(world):
    return [one.order for one in await world.services.digests.subscriptions(world.guild.id)]


async def test_a_draft_shows_privately_what_thirty_days_would_have_brought(world):
    await world.later(hours=2)
    draft = await drafted(world, query="agents", maximum=3)
    assert draft.ephemeral
    said = text_of(draft)
    assert "A new digest" in said
    assert "read as: agents" in said
    assert "M T W T F S S\n 4 May  · · · · · · ·    0" in said
    assert " 1 Jun  · █+" in said
    assert "papers a digest: min 0 · median 0 · max 3 · 29 quiet days" in said
    assert "+ 4 papers left out on 1 day by the maximum of 3" in said
    assert list(labels_of(draft).values()) == [
        "Save", "Change time", "Change papers", "Change place", "Cancel",
    ]  # fmt: skip
    assert await orders(world) == []


async def test_a_draft_is_saved_once_by_an_old_button_pressed_twice(world):
    draft = await drafted(world)
    save = button(draft, "Save")
    await world.restart()
    await world.press_together((world.ada, draft, save), (world.ada, draft, save))
    assert len(await orders(world)) == 1
    seen = world.channel.history(viewer=world.ada)
    [left] = [message for message in seen if message.id == draft.id]
    assert "Digest **1** is ordered" in text_of(left)
    assert labels_of(left) == {}


async def test_a_cancelled_draft_orders_nothing_and_cannot_be_saved_any_more(world):
    draft = await drafted(world)
    press = world.prepare_press(world.ada, draft, button(draft, "Save"))
    cancelled = await world.ada.click(draft, label="Cancel")
    assert "Nothing is ordered" in text_of(cancelled.response)
    press()
    await world.env.settle()
    assert await orders(world) == []


async def test_a_draft_is_changed_by_forms_and_drawn_anew(world):
    draft = await drafted(world)
    form = await world.ada.click(draft, custom_id=button(draft, "Change papers"))
    changed = await world.ada.submit_modal(
        form, values_in(form, ["theory"], "Agents; Learning", "regret", "7")
    )
    assert "only theory, about “regret”, in Agents, Learning, at most 7" in text_of(
        changed.response
    )
    form = await world.ada.click(draft, custom_id=button(draft, "Change time"))
    changed = await world.ada.submit_modal(form, values_in(form, "7pm", "munich", "mon, thu"))
    assert "at 19:00 Europe/Berlin, Mon, Thu" in text_of(changed.response)
    other = world.guild.create_text_channel("theory")
    form = await world.ada.click(draft, custom_id=button(draft, "Change place"))
    await world.ada.submit_modal(form, values_in(form, [other], ["1"], ["0"]))
    saved = await world.ada.click(draft, label="Save")
    assert "more in a thread, silent on quiet days" in text_of(saved.response)
    [order] = await orders(world)
    assert (order.channel_id, order.maximum, order.filter.tags) == (other.id, 7, ("theory",))


def values_in(form, *values):
    """The values of a form's fields, in their order."""
    fields = [label["component"]["custom_id"] for label in form.modal["components"]]
    return dict(zip(fields, values, strict=True))


async def test_what_a_form_says_wrongly_is_refused_and_the_draft_stays(world):
    draft = await drafted(world)
    form = await world.ada.click(draft, custom_id=button(draft, "Change papers"))
    refused = await world.ada.submit_modal(form, values_in(form, [], "", "", "ten"))
    assert "between 1 and 60" in told(refused)
    await world.ada.click(draft, label="Save")
    assert (await orders(world))[0].maximum == 18


async def test_the_right_to_order_is_looked_at_again_at_each_press(world):
    draft = await drafted(world)
    member = world.env.backend.guilds[world.guild.id].members[world.ada.id]
    member.role_ids.clear()
    for label in ("Save", "Change time", "Cancel"):
        assert "Manage Server" in told(await world.ada.click(draft, label=label))
    assert await orders(world) == []


async def test_nobody_else_can_save_a_draft(world):
    draft = await drafted(world)
    carol = world.guild.add_member(world.env.create_user("carol"))
    await world.env.settle()
    world.prepare_press(carol, draft, button(draft, "Save"))()
    await world.env.settle()
    assert await orders(world) == []


async def test_an_edit_shows_before_and_after_and_keeps_what_was_not_named(world):
    await world.later(hours=2)
    await world.ada.click(await drafted(world, query="agents", tags="methods"), label="Save")
    edited = await world.ada.slash(
        world.channel, "digest edit", digest="1", query="any", maximum=2, quiet=0
    )
    said = text_of(edited.response)
    assert said.index("As it is, the last 30 days") < said.index("As it would be")
    saved = await world.ada.click(edited.response, label="Save")
    assert "Digest **1** is changed" in text_of(saved.response)
    [order] = await orders(world)
    assert (order.filter.query, order.filter.tags) == ("", ("methods",))
    assert (order.maximum, order.quiet_line, f"{order.at:%H:%M}") == (2, False, "09:00")
    assert "no digest number 7" in told(
        await world.ada.slash(world.channel, "digest edit", digest="7")
    )


async def test_the_permissions_that_a_thread_needs_are_named_at_once(world):
    everyone = world.guild.default_role
    shut = world.guild.create_text_channel(
        "shut",
        overwrites={
            everyone: discord.PermissionOverwrite(
                create_public_threads=False, send_messages_in_threads=False
            )
        },
    )
    said = text_of(await drafted(world, channel=shut, place=1))
    assert "Create Public Threads and Send Messages in Threads there, or choose" in said
    assert "A new digest" in text_of(await drafted(world, channel=shut, place=0))


async def test_a_permission_that_goes_before_the_save_is_named_then(world):
    draft = await drafted(world)
    shut_out(world, world.channel)
    await world.env.settle()
    refused = told(await world.ada.click(draft, label="Save"))
    assert "Send Messages" in refused
    world.env.backend.delete_overwrite(world.channel.id, world.guild.default_role.id)
    await world.env.settle()
    await world.ada.click(draft, label="Save")
    assert len(await orders(world)) == 1


async def test_channels_that_hold_no_messages_or_no_threads_are_told_apart(world):
    news = world.guild.create_news_channel("news")
    assert "A new digest" in text_of(await drafted(world, channel=news, place=1))
    talk = world.guild.create_voice_channel("talk")
    assert "A new digest" in text_of(await drafted(world, channel=talk))
    assert "can hold no threads" in text_of(await drafted(world, channel=talk, place=1))


async def test_more_digests_than_a_channel_bears_are_refused_with_what_to_do(world):
    for number in range(10):
        await world.ada.click(await drafted(world, maximum=number + 1), label="Save")
    said = text_of(await drafted(world, maximum=11))
    assert "10 digests" in said
    assert "/digest edit" in said
    pages = await world.ada.slash(world.channel, "digest list")
    assert "at most 10 papers" in text_of(pages.response)


async def test_an_order_that_stands_already_is_not_made_twice(world):
    await world.ada.click(await drafted(world), label="Save")
    assert "Digest 1 is exactly this already" in text_of(await drafted(world))


async def test_the_list_of_many_digests_has_pages(world):
    rooms = [world.guild.create_text_channel(f"room-{n}") for n in range(2)]
    for number in range(12):
        draft = await drafted(world, channel=rooms[number % 2], maximum=number + 1)
        await world.ada.click(draft, label="Save")
    first = (await world.ada.slash(world.channel, "digest list")).response
    assert "**10** ·" in text_of(first)
    assert "**11** ·" not in text_of(first)
    second = await world.ada.click(first, label="→")
    assert "**11** ·" in text_of(second.response)


async def test_zones_and_topics_are_completed_as_people_write_them(world):
    complete = world.ada.autocomplete
    found = await complete(world.channel, "digest subscribe", "zone", "+5:30", at="9")
    assert "Asia/Kolkata" in {choice["value"] for choice in found}
    found = await complete(world.channel, "digest subscribe", "topic", "Agents; lea", at="9")
    assert found[0]["value"] == "Agents; Learning"


@pytest.mark.parametrize("place", [0, 1])
async def test_a_channel_that_was_deleted_before_the_save_is_named(world, place):
    other = world.guild.create_text_channel("gone")
    draft = await drafted(world, channel=other, place=place)
    await world.client.get_channel(other.id).delete()
    await world.env.settle()
    assert "cannot see that channel" in told(await world.ada.click(draft, label="Save"))


async def test_a_form_that_takes_long_still_changes_the_draft_itself(world, monkeypatch):
    draft = await drafted(world)
    form = await world.ada.click(draft, custom_id=button(draft, "Change time"))

    async def never_in_time(_task):
        return False

    monkeypatch.setattr(answers, "_in_time", never_in_time)
    await world.ada.submit_modal(form, values_in(form, "18:30", "UTC", "daily"))
    seen = world.channel.history(viewer=world.ada)
    assert ["at 18:30 UTC" in text_of(message) for message in seen] == [True]


async def test_a_thread_that_discord_does_not_show_me_is_refused_with_what_to_do(world, log):
    channel = world.client.get_channel(world.channel.id)
    thread = await channel.create_thread(name="Old", type=discord.ChannelType.public_thread)
    await world.env.settle()
    [target] = world.channel.threads
    world.client.get_guild(world.guild.id)._remove_thread(thread)
    said = text_of(await drafted(world, channel=target))
    assert "choose one from the list" in said
    # simcord keeps what went to the error funnel until it is looked at.
    assert [type(error).__name__ for error in world.env.errors] == ["TransformerError"]
    assert not [entry for entry in log if entry["event"] == "unexpected error"]
