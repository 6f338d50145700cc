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
    await world.ben.slash(world.channel, "tag", paper="1", tag="theory")
    story = told(await world.ada.slash(world.channel, "why", paper="1"))
    assert "ben called it methods, not position" in story
    assert "ben called it theory, not methods" in story
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


async def test_who_disagrees_is_named_and_the_majority_shows(world):
    cara = world.guild.add_member(world.env.create_user("cara"))
    await world.env.settle()
    card = (await world.ada.slash(world.channel, "paper", paper="1")).response
    await world.ben.select(card, ["theory"], custom_id="pt:tag:1")
    disagreed = told(await world.ada.select(card, ["methods"], custom_id="pt:tag:1"))
    assert "as **theory** (ben says theory, ada says methods)" in disagreed
    settled = told(await cara.select(card, ["methods"], custom_id="pt:tag:1"))
    assert "it is **methods** now, no longer theory" in settled
    assert "ada, cara say methods, ben says theory" in text_of(card)
    await world.restart()
    taken = told(await cara.select(card, ["withdraw"], custom_id="pt:tag:1"))
    assert "You no longer call it methods." in taken
    assert "ben says theory" in text_of(card)
    story = told(await world.ben.slash(world.channel, "why", paper="1"))
    assert "cara took back that it is methods" in story
    for member in (world.ada, world.ben):
        await member.select(card, ["withdraw"], custom_id="pt:tag:1")
    assert "**position** 96%" in text_of(card)
    nothing = told(await world.ben.select(card, ["withdraw"], custom_id="pt:tag:1"))
    assert "nothing to withdraw" in nothing


async def test_a_correction_shows_in_the_queue_and_the_digest(world):
    await world.ben.slash(world.channel, "tag", paper="1", tag="theory")
    await world.ada.slash(world.channel, "vote", paper="1")
    queue = (await world.ada.slash(world.channel, "queue list")).response
    assert "theory ✓" in text_of(queue)
    options = {"at": "09:00", "zone": "UTC", "tags": "theory"}
    await world.ada.slash(world.channel, "digest subscribe", channel=world.channel, **options)
    await world.later(hours=2)
    await world.posting.run_due()
    posted = "\n".join(text_of(message) for message in world.channel.history())
    assert "Agents That Collude" in posted
    assert "theory ✓" in posted


async def test_a_manager_says_whether_corrections_teach_and_nobody_else(world):
    assert "settings" not in world.ben.available_commands(world.channel)
    assert "**training** off" in told(await world.ada.slash(world.channel, "settings"))
    said = told(await world.ada.slash(world.channel, "settings", training="on"))
    assert "**training** on" in said
    assert "set by ada" in said
    await world.restart()
    consent = await world.services.tagging.consent_of(world.guild.id)
    assert consent.training is True
    assert "**training** off" in told(
        await world.ada.slash(world.channel, "settings", training="off")
    )
