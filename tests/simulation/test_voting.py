"""Votes toggle, show their count to all, and lose nothing."""

from __future__ import annotations

from bot.chat import answers
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


async def test_of_two_changes_of_one_message_the_later_shows(world, monkeypatch):
    result = await world.ada.slash(world.channel, "search", query="collude")
    change, store = answers._change, world.services.library.store
    meanwhile = iter([world.prepare_press(world.ben, result.response, "pt:vote:1")])

    async def change_slowly(interaction, answer):
        # Once the first change is made up it dawdles for longer than the second press needs.
        for press in meanwhile:
            press()
            for _ in range(40):
                await store.read(lambda _db: None)
        await change(interaction, answer)

    monkeypatch.setattr(answers, "_change", change_slowly)
    await world.ada.click(result.response, custom_id="pt:vote:1")
    assert labels_of(result.response)["pt:vote:1"] == "▲ 2"


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


async def test_the_button_of_a_paper_that_was_merged_counts_for_the_one_that_stands(world):
    result = await world.ada.slash(world.channel, "search", query="collude")
    await world.services.merging.merge("2", "1", by="ada")
    await world.ben.click(result.response, custom_id="pt:vote:1")
    assert labels_of(result.response)["pt:vote:1"] == "▲ 1"
    stands = await world.services.library.find("1")
    card = await world.ada.slash(world.channel, "paper", paper=str(stands.id))
    assert "▲ **1** ben" in text_of(card.response)


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
    assert "Nothing waits" in text_of((await cara.slash(channel, "queue list")).response)
