"""Every button is pressed twice before the bot has answered, by one member or by two."""

from __future__ import annotations

import pytest

from tests.simulation.world import labels_of, text_of


async def digest_ordered(world):
    """A digest of everything, of which five papers are shown and the rest is behind a button."""
    drafted = await world.ada.slash(
        world.channel, "digest subscribe", at="09:00", zone="UTC", days="daily", maximum=5
    )
    await world.ada.click(drafted.response, label="Save")


async def messages(world):
    """A message of each kind that has buttons, by what it is."""
    await digest_ordered(world)
    await world.later(hours=2)
    assert await world.posting.run_due() == 1
    [digest] = [one for one in world.channel.history() if "Papers ·" in text_of(one)]
    more = next(name for name in labels_of(digest) if name.startswith("pt:more:"))

    async def by(command, **options):
        return (await world.ada.slash(world.channel, command, **options)).response

    return {
        "digest": digest,
        "left out": (await world.ada.click(digest, custom_id=more)).response,
        "card": await by("paper", paper="3"),
        "search": await by("search", query="we"),
        "queue": await by("queue list"),
        "draft": await by("digest subscribe", at="10:00", zone="UTC", days="daily"),
        "edit": await by("digest edit", digest="1", maximum=4),
        "list": await by("digest list"),
        "story": await by("why", paper="3"),
    }


KINDS = ("digest", "left out", "card", "search", "queue", "draft", "edit", "list", "story")


@pytest.mark.parametrize("kind", KINDS)
async def test_no_button_that_is_pressed_twice_at_once_ends_in_a_fault(world, log, kind):
    for number in range(1, 4):
        card = await world.ben.slash(world.channel, "paper", paper=str(number))
        await world.ben.click(card.response, custom_id=f"pt:vote:{number}:card")
    shown = (await messages(world))[kind]
    for custom_id in labels_of(shown):
        others = [world.ada] if getattr(shown, "ephemeral", False) else [world.ada, world.ben]
        for second in others:
            await world.press_together((world.ada, shown, custom_id), (second, shown, custom_id))
            await world.later(seconds=5)
    faults = [entry for entry in log if entry["event"] == "unexpected error"]
    assert faults == []
    orders = await world.services.digests.subscriptions(world.guild.id)
    assert len(orders) == 2 if kind == "draft" else len(orders) == 1
