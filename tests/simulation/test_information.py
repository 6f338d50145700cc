"""What the bot says of itself."""

from __future__ import annotations

from tests.simulation.world import text_of, told


async def test_help_names_every_command(world):
    said = told(await world.ben.slash(world.channel, "help"))
    for name in world.ada.available_commands(world.channel):
        if name != "help":
            assert f"/{name.split()[0]}" in said, name
            assert name.split()[-1] in said, name


async def test_about_says_how_good_the_tags_are_and_what_is_kept(world):
    said = told(await world.ben.slash(world.channel, "about"))
    assert "F1 on held-out papers: all 0.93" in said
    assert "13 papers" in said
    assert "stay in this server" in said


async def test_stats_count_the_library_and_this_server(world):
    await world.ada.slash(world.channel, "vote", paper="1")
    said = told(await world.ben.slash(world.channel, "stats"))
    assert "**13** papers" in said
    assert "1 vote by 1 member, 1 in the queue" in said


async def test_why_tells_a_papers_story_in_order(world):
    await world.ada.slash(world.channel, "vote", paper="1")
    await world.ben.slash(world.channel, "queue claim", paper="1")
    result = await world.ben.slash(world.channel, "why", paper="1")
    said = told(result)
    places = [said.index(piece) for piece in ("june.jsonl", "ada voted", "ben claimed")]
    assert places == sorted(places)
    card = await world.ben.click(result.response, label="Open the card")
    assert "## Agents That Collude" in text_of(card.response)
