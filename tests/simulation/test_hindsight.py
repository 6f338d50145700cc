"""What filters hid, in the chat: asked for by a manager, and as a note on Mondays."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.chat.notes import DiscordNotes
from bot.triage.errors import CannotPost
from bot.triage.hindsight import WeeklyNotes
from tests.simulation.test_digests import subscribed
from tests.simulation.world import labels_of, shut_out, text_of, told

MONDAY = datetime(2026, 6, 8, 9, 30, tzinfo=UTC)


def notes_of(world):
    services = world.services
    return WeeklyNotes(
        services.library, services.digests, services.hindsight, DiscordNotes(world.publisher)
    )


def notes_in(channel):
    return [message for message in channel.history() if "In hindsight" in text_of(message)]


async def voted(world):
    """A digest of theory alone; ben voted for a paper on methods, and it is Monday morning."""
    await subscribed(world, tags="theory")
    await world.later(hours=1)
    found = await world.services.library.views(world.guild.id, range(1, 14))
    hidden = next(view.paper for view in found if view.tag == "methods")
    card = await world.ben.slash(world.channel, "paper", paper=str(hidden.id))
    await world.ben.click(card.response, custom_id=f"pt:vote:{hidden.id}:card")
    await world.env.advance_time((MONDAY - world.env.now()).total_seconds())
    return hidden


async def test_a_manager_asks_what_filters_hid_and_is_told_privately(world):
    nothing = told(await world.ada.slash(world.channel, "digest hindsight"))
    assert "No digest's filter hid a paper" in nothing
    hidden = await voted(world)
    answer = told(await world.ada.slash(world.channel, "digest hindsight"))
    assert "1 paper that you voted for, but no digest showed" in answer
    assert f"[{hidden.title[:20]}" in answer
    assert "Digest 1 would let it in with also the tag methods" in answer


async def test_a_note_whose_answer_was_lost_is_found_in_the_channel_after_a_restart(
    world, monkeypatch
):
    hidden = await voted(world)
    put = world.publisher.put

    async def lost(_self, *words):
        await put(*words)
        raise ConnectionResetError

    with monkeypatch.context() as patched:
        patched.setattr("bot.chat.publisher.DiscordPublisher.put", lost)
        assert await notes_of(world).run_due() == 0
    [note] = notes_in(world.channel)
    assert labels_of(note)[f"pt:vote:{hidden.id}"] == "▲ 1"
    await world.restart()
    assert await notes_of(world).run_due() == 0
    assert await notes_of(world).run_due() == 0
    [note] = notes_in(world.channel)
    queue = await world.ben.click(note, custom_id="pt:queue-open:note-2026-W24")
    assert hidden.title[:20] in told(queue)
    await world.later(minutes=1)
    await world.ben.click(note, custom_id=f"pt:vote:{hidden.id}")
    assert labels_of(notes_in(world.channel)[0])[f"pt:vote:{hidden.id}"] == "▲ 0"


async def test_a_note_that_failed_before_it_stood_is_sent_at_the_next_minute(world, monkeypatch):
    await voted(world)

    async def failed(*_words):
        raise ConnectionResetError

    with monkeypatch.context() as patched:
        patched.setattr("bot.chat.publisher.DiscordPublisher.put", failed)
        assert await notes_of(world).run_due() == 0
    assert notes_in(world.channel) == []
    await world.later(minutes=1)
    assert await notes_of(world).run_due() == 1
    assert len(notes_in(world.channel)) == 1


async def test_a_closed_channel_gets_no_note_and_stops_no_other(world):
    await voted(world)
    shut_out(world, world.channel)
    with pytest.raises(CannotPost):
        await DiscordNotes(world.publisher).send(
            world.channel.id, await world.services.hindsight.week(world.guild.id), "note-2026-W24"
        )
    assert await notes_of(world).run_due() == 0
