"""A wrong tag is put right with one choice, for this server alone."""

from __future__ import annotations

from tests.simulation.world import text_of, told


async def test_a_tag_is_corrected_on_the_card(world):
    card = (await world.ada.slash(world.channel, "paper", paper="1")).response
    assert "**position** 96%" in text_of(card)
    corrected = await world.ben.select(card, ["theory"], custom_id="pt:tag:1")
    assert "it is **theory** now, no longer position" in told(corrected)
    assert "**theory** · set by members" in text_of(card)
    found = await world.ada.slash(world.channel, "search", query="collude", tag="theory")
    assert "`theory ✓`" in text_of(found.response)


async def test_the_tag_command_does_the_same_and_its_history_is_kept(world):
    await world.ben.slash(world.channel, "tag", paper="1", tag="methods")
    story = told(await world.ada.slash(world.channel, "why", paper="1"))
    assert "ben called it methods, not position" in story
    assert "june.jsonl" in story


async def test_unsure_is_shown_with_its_two_best(world):
    found = await world.ada.slash(world.channel, "search", query="survey")
    assert "`unsure` methods 58%, theory 30%" in text_of(found.response)


async def test_a_correction_stays_in_its_server(world):
    elsewhere = world.env.create_guild("Other lab")
    channel = elsewhere.create_text_channel("papers")
    cara = elsewhere.add_member(world.env.create_user("cara"))
    await world.env.settle()
    await world.ben.slash(world.channel, "tag", paper="1", tag="methods")
    assert "**position** 96%" in text_of((await cara.slash(channel, "paper", paper="1")).response)
