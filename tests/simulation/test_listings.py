"""Papers come in from a file, an address, pasted text, and a message."""

from __future__ import annotations

import json

from tests.simulation.papers import listing
from tests.simulation.world import text_of, told

ONE = json.dumps(
    {
        "title": "Tides of Attention",
        "abstract": "We propose a tidal attention layer, and show that it saves memory.",
        "authors": ["Noor Haddad"],
    }
).encode()


async def test_an_attached_listing_is_read_and_can_be_searched_at_once(world):
    result = await world.ben.slash(world.channel, "listing add", file=("july.jsonl", ONE))
    said = told(result)
    assert "1 new paper" in said
    assert "july.jsonl: 1 read, 1 new" in said
    found = await world.ben.slash(world.channel, "search", query="tidal attention")
    assert "Tides of Attention" in text_of(found.response)


async def test_the_same_listing_again_adds_nothing(world):
    again = await world.ben.slash(world.channel, "listing add", file=("june.jsonl", listing()))
    assert "Nothing new" in told(again)


async def test_a_file_that_is_no_listing_gets_a_sentence_with_the_reason(world):
    result = await world.ben.slash(world.channel, "listing add", file=("cat.png", b"\x89PNG\0\0\0"))
    assert "cat.png: not readable" in told(result)


async def test_a_private_address_is_never_fetched(world):
    result = await world.ben.slash(world.channel, "listing add", url="http://127.0.0.1/feed.xml")
    assert "127.0.0.1" not in told(result) or "not" in told(result)
    assert not await world.services.library.suggest("feed")


async def test_an_address_that_is_none_is_refused_with_what_to_give(world):
    result = await world.ben.slash(world.channel, "listing add", url="ftp://example.org/x")
    assert "http" in told(result)


async def test_without_a_file_or_an_address_a_form_takes_pasted_text(world):
    shown = await world.ben.slash(world.channel, "listing add")
    result = await world.ben.submit_modal(shown, {"text": ONE.decode()})
    assert "1 new paper" in told(result)


async def test_files_of_a_message_are_added_from_its_menu(world):
    message = await world.ada.send(
        world.channel, "tonight's reading", attachments=[("july.jsonl", ONE)]
    )
    result = await world.ben.context_menu(world.channel, "Add papers from this message", message)
    assert "july.jsonl: 1 read, 1 new" in told(result)


async def test_a_link_that_cannot_be_read_does_not_stop_a_file(world):
    message = await world.ada.send(
        world.channel, "see http://127.0.0.1:9/x.", attachments=[("july.jsonl", ONE)]
    )
    result = await world.ben.context_menu(world.channel, "Add papers from this message", message)
    said = told(result)
    assert "1 new paper" in said
    assert "Not used" in said


async def test_a_message_without_link_or_file_is_refused(world):
    message = await world.ada.send(world.channel, "nothing to see here")
    result = await world.ben.context_menu(world.channel, "Add papers from this message", message)
    assert "no link and no file" in told(result)
