"""A digest over Discord's own refusals, its receipt in the channel, and a paper's whole story."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.triage.ingest import ListingInput
from data.records import AnnounceType, PaperRecord
from data.store import recording
from data.store.recording import Provenance
from tests.simulation.test_digests import digests_in, subscribed
from tests.simulation.world import labels_of, text_of, told


def papers_in(channel):
    """The papers of all digests, by the vote buttons under them."""
    return [
        int(name.removeprefix("pt:vote:"))
        for message in digests_in(channel)
        for name in labels_of(message)
        if name.startswith("pt:vote:")
    ]


@pytest.mark.parametrize("status", [403, 404, 503])
@pytest.mark.parametrize("nth", [0, 1, 2])
async def test_a_request_that_discord_refuses_loses_and_doubles_nothing(
    world, status, nth, monkeypatch
):
    await subscribed(world)
    await world.later(hours=2)
    posting, sends = world.posting, 0
    send = posting._publisher.send

    async def counted(channel_id, part):
        nonlocal sends
        if sends == nth:
            world.env.inject_error(
                "POST", f"/channels/{world.channel.id}/messages", status=status, times=5
            )
        sends += 1
        return await send(channel_id, part)

    monkeypatch.setattr(posting._publisher, "send", counted)
    await posting.run_due()
    assert len(digests_in(world.channel)) == nth
    world.env.backend.faults.clear()
    assert await world.posting.run_due() == 1
    assert sorted(papers_in(world.channel)) == list(range(1, 14))
    assert len(digests_in(world.channel)) == 3


async def test_an_answer_that_is_lost_is_found_again_by_reading_the_channel(world, monkeypatch):
    await subscribed(world)
    await world.later(hours=2)
    posting = world.posting
    send = posting._publisher.send

    async def lost(channel_id, part):
        await send(channel_id, part)
        raise ConnectionResetError

    monkeypatch.setattr(posting._publisher, "send", lost)
    assert await posting.run_due() == 0
    assert len(digests_in(world.channel)) == 1
    for _ in range(120):
        await world.ben.send(world.channel, "meanwhile")
    assert await world.posting.run_due() == 1
    assert sorted(papers_in(world.channel)) == list(range(1, 14))


async def test_a_receipt_and_revised_lines_stand_under_a_digest(world):
    await subscribed(world)
    await world.later(hours=2)
    await world.posting.run_due()
    assert "13 new, 13 matched, 13 posted" in text_of(digests_in(world.channel)[-1])
    await world.ada.slash(world.channel, "vote", paper="1")
    services = world.services
    paper = (await services.library.papers([1]))[1]
    origin = Provenance("feed", "f.xml", services.clock.now())
    newer = PaperRecord(
        "entry 1",
        title=paper.title,
        abstract=paper.abstract,
        identifiers=paper.identifiers,
        version=2,
        announce_type=AnnounceType.REPLACEMENT,
    )
    for record in (newer, replace(newer, version=3, announce_type=AnnounceType.WITHDRAWN)):
        await services.library.store.write(recording.store_record, record, origin)
        await world.later(days=1)
        await world.posting.run_due()
    revised, withdrawn = (text_of(message) for message in digests_in(world.channel)[-2:])
    assert "Nothing new: no listing was read since the last digest." in revised
    assert "revised: **[Agents That Collude]" in revised
    assert "#1, version 2" in revised
    assert "withdrawn: **[Agents That Collude]" in withdrawn


async def test_why_links_to_where_a_paper_was_posted_or_names_what_stopped_it(world):
    await subscribed(world, tags="theory")
    await world.later(hours=2)
    await world.posting.run_due()
    [message] = digests_in(world.channel)
    posted = told(await world.ben.slash(world.channel, "why", paper="3"))
    address = f"https://discord.com/channels/{world.guild.id}/{world.channel.id}/{message.id}"
    assert f"posted on 2 June 2026 at 09:30 UTC [message]({address})" in posted
    stopped = told(await world.ben.slash(world.channel, "why", paper="1", channel=world.channel))
    assert "its tag is position, and only theory is let through" in stopped
    other = world.guild.create_text_channel("quiet")
    refused = told(await world.ben.slash(world.channel, "why", paper="1", channel=other))
    assert "That channel has no digest" in refused
    unknown = told(await world.ben.slash(world.channel, "why", paper="2701.99999"))
    assert "I know no paper “2701.99999”" in unknown


async def test_a_late_paper_is_marked_in_the_channel(world):
    await subscribed(world)
    await world.later(hours=2)
    await world.posting.run_due()
    late = b'{"title": "Late Bloomers", "abstract": "We propose a plant that blooms late."}'
    await world.later(days=1)
    day = world.services.clock.now().date().replace(day=1)
    await world.services.ingest.run([ListingInput("late.jsonl", late)], announced=day)
    await world.later(hours=1)
    await world.posting.run_due()
    assert "`methods 96%` · #14 · late" in text_of(digests_in(world.channel)[-1])
