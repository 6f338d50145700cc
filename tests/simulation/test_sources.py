"""Standing sources are looked after from the chat, by those who may."""

from __future__ import annotations

import pytest

from tests.simulation.world import told

FEED = """<?xml version="1.0"?>
<rss version="2.0"><channel><title>A feed</title>
<item><title>Herons at Dawn</title><link>https://example.org/herons</link>
<description>We study how herons fish at dawn in nine rivers, and we show that they prefer the
shallow ones, where the light is low and the fish are slow.</description></item>
</channel></rss>"""


@pytest.fixture
def feed(world, monkeypatch):
    """An address that answers with a feed of one paper, without a network."""
    from data.fetch import Fetched

    async def fetch(url, *, etag=None, last_modified=None):
        return Fetched(
            url=url,
            final_url=url,
            status=200,
            body=FEED.encode(),
            content_type="application/rss+xml",
            etag=None,
            last_modified=None,
            not_modified=False,
        )

    monkeypatch.setattr(world.services.fetcher, "fetch", fetch)
    return "https://example.org/feed.xml"


async def test_a_source_is_added_listed_asked_paused_resumed_and_removed(world, feed):
    assert "Manage Server" in told(
        await world.ben.slash(world.channel, "listing sources add", what=feed)
    )
    await world.ada.slash(world.channel, "listing sources add", what=feed, name="herons")
    listed = told(await world.ben.slash(world.channel, "listing sources list"))
    assert "herons" in listed
    [choice] = await world.ada.autocomplete(world.channel, "listing sources pause", "source", "her")
    assert choice["value"] == "#1"
    for command, answer in (
        ("poll", "herons"),
        ("pause", "not asked any more"),
        ("resume", "asked again"),
        ("remove", "no source any more"),
    ):
        done = await world.ada.slash(world.channel, f"listing sources {command}", source="#1")
        assert answer in told(done)
    assert "Nothing is asked" in told(await world.ada.slash(world.channel, "listing sources list"))


async def test_what_is_no_source_is_refused_with_examples(world):
    refused = told(await world.ada.slash(world.channel, "listing sources add", what="???"))
    assert "cs.LG" in refused
