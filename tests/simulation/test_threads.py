"""The further pages of a digest go into a thread, once, and into the channel where they must."""

from __future__ import annotations

import discord
import pytest

from tests.simulation.world import labels_of, notices_in, shut_out, text_of, told

# Thirteen papers: three above the thread, then pages of six and of four.
IN_CHANNEL, IN_THREAD = 1, 2


@pytest.fixture
async def due(world):
    """A server whose digest of thirteen papers, with a thread, is due."""
    drafted = await world.ada.slash(
        world.channel, "digest subscribe", at="09:00", zone="UTC", days="daily"
    )
    await world.ada.click(drafted.response, label="Save")
    await world.later(hours=2)
    return world


def pages(channel):
    return [text_of(message) for message in channel.history() if "Papers ·" in text_of(message)]


def thread_of(world):
    [thread] = world.channel.threads
    return thread


async def run(world):
    return await world.posting.run_due()


async def test_the_best_stand_in_the_channel_and_the_rest_in_a_thread_named_by_date(due):
    assert await run(due) == 1
    thread = thread_of(due)
    assert thread.name == "Papers · 2 June 2026"
    assert len(pages(due.channel)) == IN_CHANNEL
    assert len(pages(thread)) == IN_THREAD
    head = pages(due.channel)[0]
    assert "10 more papers in the thread" in head
    assert "13 new" in head
    assert "JSON lines" in head
    papers = [
        name
        for channel in (due.channel, thread)
        for message in channel.history()
        for name in labels_of(message)
        if name.startswith("pt:vote:")
    ]
    assert len(papers) == len(set(papers)) == 13


async def test_a_page_in_the_thread_is_voted_on_and_linked_to_from_the_papers_story(due):
    await run(due)
    thread = thread_of(due)
    page = next(message for message in thread.history() if "2 of 3" in text_of(message))
    vote = next(name for name in labels_of(page) if name.startswith("pt:vote:"))
    await due.ben.click(page, custom_id=vote)
    again = next(message for message in thread.history() if message.id == page.id)
    assert labels_of(again)[vote] == "▲ 1"
    story = told(await due.ben.slash(due.channel, "why", paper=vote.split(":")[2]))
    assert f"/{thread.id}/{page.id}" in story


@pytest.mark.parametrize("marks", [0, 1, 2])
async def test_after_a_crash_the_thread_is_found_and_nothing_comes_twice(due, monkeypatch, marks):
    posting = due.posting
    mark = posting._mark
    left = [marks]

    async def killed(*args):
        if not left[0]:
            raise RuntimeError("killed")
        left[0] -= 1
        await mark(*args)

    monkeypatch.setattr(posting, "_mark", killed)
    assert await posting.run_due() == 0
    await due.restart()
    assert await run(due) == 1
    assert len(pages(due.channel)) == IN_CHANNEL
    assert len(pages(thread_of(due))) == IN_THREAD


async def test_the_rest_of_a_digest_whose_head_was_deleted_goes_into_the_channel_and_blames_nobody(
    due, monkeypatch
):
    notices = notices_in(due, "notices")
    publisher = type(due.publisher)

    async def killed(*_args):
        raise RuntimeError("killed")

    with monkeypatch.context() as patched:
        patched.setattr(publisher, "open_thread", killed)
        assert await run(due) == 0
    [head] = [one for one in due.channel.history() if "Papers ·" in text_of(one)]
    channel = due.client.get_channel(due.channel.id)
    await channel.get_partial_message(head.id).delete()
    assert await run(due) == 1
    assert len(pages(due.channel)) == IN_THREAD
    assert notices.history() == []
    assert (await due.services.digests.subscription(due.guild.id, 1)).problem is None


async def test_an_answer_about_a_new_thread_that_was_lost_makes_no_second_one(due, monkeypatch):
    publisher = type(due.publisher)
    real = publisher.open_thread

    async def lost(*args):
        await real(*args)
        raise ConnectionResetError

    with monkeypatch.context() as patched:
        patched.setattr(publisher, "open_thread", lost)
        assert await run(due) == 0
    assert await run(due) == 1
    assert len(pages(thread_of(due))) == IN_THREAD


async def test_where_a_thread_is_refused_all_goes_into_the_channel_and_it_is_said_once(due):
    notices = notices_in(due, "notices")
    shut_out(due, due.channel, create_public_threads=True)
    await due.env.settle()
    assert await run(due) == 1
    assert len(pages(due.channel)) == IN_CHANNEL + IN_THREAD
    assert due.channel.threads == []
    await due.later(days=1)
    assert await run(due) == 1
    said = [text_of(message) for message in notices.history()]
    assert len(said) == 1
    assert "Create Public Threads" in said[0]
    listed = text_of((await due.ada.slash(due.channel, "digest list")).response)
    assert "Create Public Threads" in listed


async def test_a_thread_that_discord_refuses_falls_back_as_well(due):
    due.env.inject_error(
        "POST", f"/channels/{due.channel.id}/messages/*/threads", status=403, code=50013
    )
    assert await run(due) == 1
    assert len(pages(due.channel)) == IN_CHANNEL + IN_THREAD


async def test_a_fault_while_the_thread_is_made_is_tried_again_in_the_thread(due):
    due.env.inject_error("POST", f"/channels/{due.channel.id}/messages/*/threads", status=500)
    assert await run(due) == 0
    assert await run(due) == 1
    assert len(pages(due.channel)) == IN_CHANNEL
    assert len(pages(thread_of(due))) == IN_THREAD


async def test_a_digest_moved_to_another_channel_half_way_goes_on_there_without_doubling(
    due, monkeypatch
):
    posting = due.posting

    async def killed(*_args):
        raise RuntimeError("killed")

    monkeypatch.setattr(posting, "_mark", killed)
    assert await posting.run_due() == 0
    other = due.guild.create_text_channel("elsewhere")
    edited = await due.ada.slash(due.channel, "digest edit", digest="1", channel=other, place=0)
    await due.ada.click(edited.response, label="Save")
    assert await run(due) == 1
    assert len(pages(due.channel)) == 1
    assert len(pages(other)) == IN_THREAD


async def test_a_digest_of_four_papers_needs_no_thread(world):
    drafted = await world.ada.slash(
        world.channel, "digest subscribe", at="09:00", zone="UTC", days="daily", maximum=4
    )
    await world.ada.click(drafted.response, label="Save")
    await world.later(hours=2)
    await run(world)
    assert len(pages(world.channel)) == 1
    assert world.channel.threads == []


async def test_a_thread_can_be_the_place_of_a_digest(world):
    channel = world.client.get_channel(world.channel.id)
    thread = await channel.create_thread(name="Weekly", type=discord.ChannelType.public_thread)
    await world.env.settle()
    [target] = world.channel.threads
    refused = await world.ada.slash(
        world.channel, "digest subscribe", at="09:00", zone="UTC", days="daily", channel=target
    )
    assert "can hold no threads" in told(refused)
    drafted = await world.ada.slash(
        world.channel, "digest subscribe", at="9", zone="UTC", days="daily", channel=target, place=0
    )
    await world.ada.click(drafted.response, label="Save")
    await thread.edit(archived=True)
    await world.later(hours=2)
    assert await run(world) == 1
    assert len(pages(target)) == IN_CHANNEL + IN_THREAD
