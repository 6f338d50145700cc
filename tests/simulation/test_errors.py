"""What goes wrong is told to the one whom it concerns, and the log has the rest."""

from __future__ import annotations

import asyncio
import re

import pytest

from bot.chat import answers
from tests.simulation.world import labels_of, text_of, told


def broken(*_args, **_kwargs):
    raise ZeroDivisionError("a fault of ours")


def logged_reference(log):
    [entry] = [entry for entry in log if entry["event"] == "unexpected error"]
    assert isinstance(entry["exc_info"], ZeroDivisionError)
    return entry["reference"]


async def test_a_fault_in_a_command_gives_an_apology_with_a_reference_of_the_log(
    world, log, monkeypatch
):
    monkeypatch.setattr(type(world.services.voting), "queue", broken)
    said = told(await world.ada.slash(world.channel, "queue list"))
    assert "Sorry" in said
    assert re.search(r"`([0-9a-f]{6})`", said)[1] == logged_reference(log)


async def test_a_fault_in_a_press_gives_an_apology_and_the_message_stays(world, log, monkeypatch):
    result = await world.ada.slash(world.channel, "search", query="collude")
    before = text_of(result.response)
    monkeypatch.setattr(type(world.services.voting), "toggle", broken)
    said = told(await world.ben.click(result.response, custom_id="pt:vote:1"))
    assert logged_reference(log) in said
    assert text_of(result.response) == before


async def test_a_fault_in_a_form_gives_an_apology(world, log, monkeypatch):
    monkeypatch.setattr(type(world.services.listings), "add_text", broken)
    shown = await world.ben.slash(world.channel, "listing add")
    said = told(await world.ben.submit_modal(shown, {"text": "x"}))
    assert logged_reference(log) in said


async def test_a_fault_in_a_completion_offers_nothing_and_is_logged(world, log, monkeypatch):
    monkeypatch.setattr(type(world.services.library), "suggest", broken)
    assert await world.ben.autocomplete(world.channel, "paper", "paper", "x") == []
    assert [entry["where"] for entry in log if entry["event"] == "unexpected error"]


async def test_a_fault_of_discord_while_answering_is_logged_and_stops_nothing(world, log):
    world.env.inject_error("POST", "/interactions/*/callback", status=500)
    await world.ada.slash(world.channel, "help")
    assert [entry for entry in log if entry["event"] == "unexpected error"]
    assert "What I do" in told(await world.ada.slash(world.channel, "help"))


@pytest.mark.parametrize(
    "custom_id",
    ["pt:teleport:1", "pt:search:zz", "pt:more", "pt:more:1", "pt:more:1:2026-99-99",
     "pt:vote:99999999999999999999", "pt:queue:", "pt:open"],
)  # fmt: skip
async def test_a_control_that_is_not_understood_says_what_to_do(world, log, custom_id):
    result = await world.ada.slash(world.channel, "search", query="collude")
    stored = world.env.backend.get_message(world.channel.id, result.response.id)
    for part in result.response.components[0]["components"]:
        if part.get("accessory"):
            part["accessory"]["custom_id"] = custom_id
            stored.components[0]["components"] = [part]
    pressed = await world.ben.click(result.response, custom_id=custom_id)
    assert "another version" in told(pressed)
    assert not [entry for entry in log if entry["event"] == "unexpected error"]


@pytest.fixture
def impatient(monkeypatch):
    """Nothing is quick enough."""

    async def never_in_time(_task):
        return False

    monkeypatch.setattr(answers, "_in_time", never_in_time)


def announcements(world):
    """The first responses so far, where each only says that an answer will come."""
    return [request.json for request in world.env.http_requests if "callback" in request.path]


@pytest.mark.usefixtures("impatient")
async def test_an_answer_that_takes_long_is_announced_first(world):
    result = await world.ada.slash(world.channel, "search", query="agents")
    assert announcements(world) == [{"type": 5}]
    assert not result.response.ephemeral
    assert "for “agents”" in text_of(result.response)


@pytest.mark.usefixtures("impatient")
async def test_a_refusal_after_a_public_announcement_still_is_private(world):
    result = await world.ada.slash(world.channel, "paper", paper="nothing like it")
    assert announcements(world) == [{"type": 5}]
    assert "/search" in told(result)
    assert all(message.flags.ephemeral for message in world.channel.history())


@pytest.mark.usefixtures("impatient")
async def test_a_press_that_takes_long_still_changes_its_message(world):
    result = await world.ada.slash(world.channel, "search", query="collude")
    pressed = await world.ben.click(result.response, custom_id="pt:vote:1")
    assert announcements(world) == [{"type": 5}, {"type": 6}]
    assert labels_of(result.response)["pt:vote:1"] == "▲ 1"
    assert "You voted" in told(pressed)


@pytest.mark.usefixtures("impatient")
async def test_a_file_comes_even_when_it_took_long(world):
    await world.ada.slash(world.channel, "vote", paper="1")
    result = await world.ada.slash(world.channel, "queue export", format="csv")
    assert announcements(world)[-1] == {"type": 5, "data": {"flags": 64}}
    assert [file.filename for file in result.response.attachments] == ["papers.csv"]


async def test_cancellation_is_never_swallowed():
    class Interaction:
        response = None

    async def cancelled():
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await answers.deliver(Interaction(), cancelled(), private=True, where="a test")
