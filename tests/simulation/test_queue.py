"""The next paper is picked, read, discussed; the queue leaves as a file."""

from __future__ import annotations

import pytest

from tests.simulation.world import labels_of, text_of, told


async def queued(world, *numbers):
    for number in numbers:
        await world.ada.slash(world.channel, "vote", paper=str(number))
        await world.later(minutes=1)


async def test_most_votes_come_first_then_the_longest_waiting(world):
    await queued(world, 3, 5, 1)
    await world.ben.slash(world.channel, "vote", paper="1")
    said = text_of((await world.ada.slash(world.channel, "queue list")).response)
    places = [said.index(title) for title in ("Agents That", "Regret of", "TimeSift")]
    assert places == sorted(places)
    assert "3 queued · 0 being read · 0 discussed" in said


async def test_a_paper_is_claimed_started_and_done_from_the_queue(world):
    await queued(world, 1, 3)
    queue = (await world.ben.slash(world.channel, "queue list")).response
    assert "is yours" in told(await world.ben.click(queue, custom_id="pt:claim:1:q0"))
    assert "claimed by ben" in text_of(queue)
    assert "You are reading" in told(await world.ben.click(queue, custom_id="pt:start:1:q0"))
    assert "ben is reading" in text_of(queue)
    assert "discussed" in told(await world.ben.click(queue, custom_id="pt:done:1:q0"))
    assert "1 queued · 0 being read · 1 discussed" in text_of(queue)
    assert "Agents That Collude" not in text_of(queue)


async def test_a_paper_that_somebody_reads_cannot_be_claimed(world):
    await queued(world, 1)
    await world.ben.slash(world.channel, "queue start", paper="1")
    refused = await world.ada.slash(world.channel, "queue claim", paper="1")
    assert "ben is reading this paper" in told(refused)


async def test_the_commands_do_what_the_buttons_do(world):
    await queued(world, 1, 3)
    assert "yours" in told(await world.ada.slash(world.channel, "queue claim", paper="1"))
    assert "free again" in told(await world.ada.slash(world.channel, "queue release", paper="1"))
    assert "reading" in told(await world.ada.slash(world.channel, "queue start", paper="1"))
    assert "discussed" in told(await world.ada.slash(world.channel, "queue done", paper="1"))
    assert "out of the queue" in told(await world.ada.slash(world.channel, "queue drop", paper="3"))
    assert "Nothing waits" in text_of((await world.ada.slash(world.channel, "queue list")).response)


async def test_a_card_follows_its_paper_through_the_queue(world):
    await queued(world, 1)
    card = (await world.ada.slash(world.channel, "paper", paper="1")).response
    await world.ben.click(card, label="Claim")
    assert "claimed by ben" in text_of(card)
    await world.ben.click(card, label="Start")
    assert "ben is reading it" in text_of(card)
    await world.ben.click(card, label="Done")
    assert "discussed on 2 June 2026" in text_of(card)


async def test_a_long_queue_has_pages(world):
    await queued(world, *range(1, 8))
    queue = (await world.ada.slash(world.channel, "queue list")).response
    await world.ben.click(queue, label="→")
    assert "2 / 2" in labels_of(queue).values()


@pytest.mark.parametrize(
    ("kind", "name", "piece"),
    [
        ("bibtex", ".bib", b"Agents That Collude"),
        ("ris", ".ris", b"TY  - "),
        ("csv", ".csv", b"Agents That Collude"),
        ("md", ".md", b"Agents That Collude"),
        ("csljson", ".json", b'"title"'),
    ],
)
async def test_the_queue_is_exported_as_a_file(world, kind, name, piece):
    await queued(world, 1)
    result = await world.ada.slash(world.channel, "queue export", format=kind)
    [file] = result.response.attachments
    assert result.response.ephemeral
    assert file.filename.endswith(name)
    assert piece in await file.read()


async def test_the_export_button_asks_for_the_format(world):
    await queued(world, 1)
    queue = (await world.ada.slash(world.channel, "queue list")).response
    asked = await world.ben.click(queue, label="Export")
    got = await world.ben.select(asked.response, ["ris"], custom_id="pt:export-as")
    assert [file.filename for file in got.response.attachments] == ["papers.ris"]


async def test_an_empty_queue_is_not_exported(world):
    assert "empty" in told(await world.ada.slash(world.channel, "queue export", format="csv"))
