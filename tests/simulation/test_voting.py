"""Votes toggle, show their count to all, and lose nothing."""

from __future__ import annotations

from tests.simulation.world import labels_of, text_of, told


async def test_a_vote_is_counted_confirmed_privately_and_taken_back(world):
    result = await world.ada.slash(world.channel, "search", query="collude")
    voted = await world.ben.click(result.response, custom_id="pt:vote:1")
    assert labels_of(result.response)["pt:vote:1"] == "▲ 1"
    assert "You voted for" in told(voted)
    assert "1 vote, place 1 in the queue" in told(voted)
    await world.later(minutes=1)
    unvoted = await world.ben.click(result.response, custom_id="pt:vote:1")
    assert labels_of(result.response)["pt:vote:1"] == "▲ 0"
    assert "taken back" in told(unvoted)


async def test_two_people_who_vote_at_once_both_count(world):
    result = await world.ada.slash(world.channel, "search", query="agents")
    one, other = [name for name in labels_of(result.response) if name.startswith("pt:vote:")][:2]
    await world.press_together(
        (world.ada, result.response, one),
        (world.ben, result.response, one),
        (world.ben, result.response, other),
    )
    labels = labels_of(result.response)
    assert (labels[one], labels[other]) == ("▲ 2", "▲ 1")


async def test_a_double_click_is_one_vote(world):
    result = await world.ada.slash(world.channel, "search", query="collude")
    await world.press_together(
        (world.ada, result.response, "pt:vote:1"), (world.ada, result.response, "pt:vote:1")
    )
    assert labels_of(result.response)["pt:vote:1"] == "▲ 1"


async def test_an_old_button_works_after_a_restart_and_no_vote_is_lost(world):
    await world.ada.slash(world.channel, "search", query="collude")
    await world.ada.click(world.channel.last_message, custom_id="pt:vote:1")
    await world.restart()
    [message] = [found for found in world.channel.history() if not found.flags.ephemeral]
    await world.ben.click(message, custom_id="pt:vote:1")
    [message] = [found for found in world.channel.history() if not found.flags.ephemeral]
    assert labels_of(message)["pt:vote:1"] == "▲ 2"


async def test_a_card_names_who_voted_for_everybody(world):
    card = await world.ada.slash(world.channel, "paper", paper="1")
    await world.ada.click(card.response, custom_id="pt:vote:1:card")
    await world.ben.click(card.response, custom_id="pt:vote:1:card")
    assert "▲ **2** ada, ben" in text_of(card.response)


async def test_the_vote_command_does_what_the_button_does(world):
    assert "place 1" in told(await world.ada.slash(world.channel, "vote", paper="3"))
    await world.later(minutes=1)
    assert "taken back" in told(await world.ada.slash(world.channel, "vote", paper="3"))


async def test_votes_of_one_server_are_never_shown_in_another(world):
    elsewhere = world.env.create_guild("Other lab")
    channel = elsewhere.create_text_channel("papers")
    cara = elsewhere.add_member(world.env.create_user("cara"))
    await world.env.settle()
    await world.ada.slash(world.channel, "vote", paper="1")
    card = await cara.slash(channel, "paper", paper="1")
    assert "no votes yet" in text_of(card.response)
    assert "Nobody" in text_of((await cara.slash(channel, "queue list")).response)
