"""What the bot says of itself."""

from __future__ import annotations

import json

from bot.triage.ingest import ListingInput
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


async def test_a_paper_and_its_other_version_are_linked_on_card_and_in_why(world):
    journal = {
        "title": "TimeSift",
        "abstract": "Ten years of sparse bases for clocks and calendars are put to the test here, "
        "with a new account of when they fail, and a proof that thrift costs accuracy.",
        "authors": ["Jun Park"],
        "doi": "10.1234/sift.9",
        "venue": "Journal of Hours",
    }
    brought = ListingInput("journal.json", json.dumps([journal]).encode())
    await world.services.ingest.run([brought])
    card = text_of((await world.ben.slash(world.channel, "paper", paper="5")).response)
    assert "belongs with #14 **[TimeSift](https://doi.org/10.1234/sift.9)**" in card
    assert "Journal of Hours" in card
    assert "linked, not merged: the same title and first author, another abstract" in card
    back = text_of((await world.ben.slash(world.channel, "paper", paper="14")).response)
    assert "belongs with #5 **[TimeSift]" in back
    story = told(await world.ben.slash(world.channel, "why", paper="5"))
    assert "linked with #14 TimeSift: the same title and first author" in story
    alone = text_of((await world.ben.slash(world.channel, "paper", paper="1")).response)
    assert "belongs with" not in alone
