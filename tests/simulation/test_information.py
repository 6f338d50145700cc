"""What the bot says of itself."""

from __future__ import annotations

import json

from bot.triage.ingest import ListingInput
from bot.triage.learning import Outcome, Retraining
from tests.simulation.world import START, text_of, told


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


async def test_about_says_what_the_last_retraining_changed_or_why_not(world):
    scores = {"position": 0.97, "theory": 0.9, "methods": 0.99, "all": 0.95}
    better = scores | {"theory": 0.91}
    kept = Retraining(START, Outcome.IN_PLACE, (), "m", 12, 3, 1, scores, better, 4, 900)
    await world.services.library.remember("learning.last", kept.to_json())
    said = told(await world.ben.slash(world.channel, "about"))
    assert "last retraining 2 June 2026: the new model is in use" in said
    assert "Learnt 12 corrected papers of 3 members" in said
    assert "theory 0.900 → 0.910" in said
    assert "4 of 900 papers change tag" in said
    refused = Retraining(START, Outcome.REFUSED, ("F1 of theory would fall from 0.9 to 0.8",))
    await world.services.library.remember("learning.last", refused.to_json())
    said = told(await world.ben.slash(world.channel, "about"))
    assert "the new model was refused: F1 of theory would fall" in said


async def test_stats_say_how_far_a_library_is_judged_again(world):
    await world.services.library.store.write(
        lambda db: db.execute("UPDATE tags SET model = 'older' WHERE paper_id > 3")
    )
    said = told(await world.ben.slash(world.channel, "stats"))
    assert "judging the library again: 3 of 13 papers" in said
    await world.services.learning.tick()
    assert "judging" not in told(await world.ben.slash(world.channel, "stats"))
