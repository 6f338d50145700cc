"""/digest: which channel gets what is new, and when.

The group needs Manage Server until the server's own command permissions say otherwise.
"""

from typing import Literal

import discord
from discord import app_commands

from bot.chat.answers import Answer, Interaction, answers, server_of, services_of, suggests
from bot.chat.commands import suggestions
from bot.chat.layouts.digest import digest_message, subscription_list
from bot.chat.layouts.notices import notice
from bot.chat.layouts.sentences import (
    digest_ordered,
    digest_paused,
    digest_removed,
    digest_resumed,
    order_in_plain_words,
)
from bot.chat.publisher import check_channel
from bot.triage.digests import MAXIMUM_DEFAULT, MAXIMUM_LIMIT
from bot.triage.errors import Refused
from bot.triage.schedule import parse_days, parse_time, parse_zone
from data.store.digests import DigestFilter, SubscriptionOrder

digest = app_commands.Group(
    name="digest",
    description="Post what is new to a channel",
    default_permissions=discord.Permissions(manage_guild=True),
)


@suggests
async def _orders(interaction: Interaction, current: str) -> list[tuple[str, str]]:
    known = await services_of(interaction).digests.subscriptions(server_of(interaction))
    names = _channel_names(interaction)
    pairs = [(order_in_plain_words(order, names), str(order.id)) for order in known]
    return [pair for pair in pairs if current.casefold() in pair[0].casefold()]


def _channel_names(interaction: Interaction) -> dict[int, str]:
    channels = interaction.guild.channels if interaction.guild else ()
    return {channel.id: channel.name for channel in channels}


@digest.command()
@answers(private=True)
async def preview(interaction: Interaction, channel: discord.TextChannel | None = None) -> Answer:
    """See privately what a channel's digest would post now"""
    target = channel.id if channel else interaction.channel_id or 0
    digests = await services_of(interaction).digests.preview(server_of(interaction), target)
    first, *more = [digest_message(part, preview=True) for one in digests for part in one.parts()]
    return Answer(view=first, more=tuple(more))


@digest.command()
@app_commands.describe(
    at="Local time, such as 09:00",
    zone="Time zone, by its city",
    channel="Where to post; here by default",
    days="weekdays, daily, or mon, wed, fri",
    tags="Only papers of these kinds",
    query="Only papers that fit this search",
    topic="Only papers of this topic; several with ; between them",
    maximum="The most papers that one digest shows",
)
@app_commands.autocomplete(zone=suggestions.zones, topic=suggestions.topics)
@answers(private=True)
async def subscribe(
    interaction: Interaction,
    at: app_commands.Range[str, 1, 20],
    zone: app_commands.Range[str, 1, 60],
    channel: discord.TextChannel | None = None,
    days: app_commands.Range[str, 1, 60] = "weekdays",
    tags: Literal[
        "position", "theory", "methods", "position, theory", "position, methods", "theory, methods"
    ]
    | None = None,
    query: app_commands.Range[str, 1, 300] | None = None,
    topic: app_commands.Range[str, 1, 300] | None = None,
    maximum: app_commands.Range[int, 1, MAXIMUM_LIMIT] = MAXIMUM_DEFAULT,
) -> Answer:
    """Post what is new to a channel, at a time of your choice"""
    target = channel or interaction.channel
    check_channel(target, interaction.guild)
    order = SubscriptionOrder(
        channel_id=interaction.channel_id or 0 if channel is None else channel.id,
        at=parse_time(at),
        zone=parse_zone(zone),
        days=parse_days(days),
        filter=DigestFilter(
            tags=tuple(tags.split(", ")) if tags else (),
            topics=tuple(piece.strip() for piece in (topic or "").split(";") if piece.strip()),
            query=query or "",
        ),
        maximum=maximum,
    )
    digests = services_of(interaction).digests
    made = await digests.subscribe(server_of(interaction), interaction.user.id, order)
    return Answer(view=notice(digest_ordered(made, digests.next_due(made))))


@digest.command(name="list")
@answers(private=True)
async def show(interaction: Interaction) -> Answer:
    """The digests of this server, when they come next, and what keeps them from coming"""
    digests = services_of(interaction).digests
    known = await digests.subscriptions(server_of(interaction))
    return Answer(view=subscription_list([(one, digests.next_due(one)) for one in known]))


@digest.command()
@app_commands.describe(number="Which digest; see /digest list")
@app_commands.rename(number="digest")
@app_commands.autocomplete(number=_orders)
@answers(private=True)
async def pause(interaction: Interaction, number: str) -> Answer:
    """Stop a digest for a while"""
    digests = services_of(interaction).digests
    paused = await digests.pause(server_of(interaction), _number(number), paused=True)
    return Answer(view=notice(digest_paused(paused)))


@digest.command()
@app_commands.describe(number="Which digest; see /digest list")
@app_commands.rename(number="digest")
@app_commands.autocomplete(number=_orders)
@answers(private=True)
async def resume(interaction: Interaction, number: str) -> Answer:
    """Let a paused digest go on"""
    digests = services_of(interaction).digests
    resumed = await digests.pause(server_of(interaction), _number(number), paused=False)
    return Answer(view=notice(digest_resumed(resumed, digests.next_due(resumed))))


@digest.command()
@app_commands.describe(number="Which digest; see /digest list")
@app_commands.rename(number="digest")
@app_commands.autocomplete(number=_orders)
@answers(private=True)
async def remove(interaction: Interaction, number: str) -> Answer:
    """End a digest"""
    digests = services_of(interaction).digests
    removed = await digests.remove(server_of(interaction), _number(number))
    return Answer(view=notice(digest_removed(removed)))


def _number(text: str) -> int:
    cleaned = text.strip().removeprefix("#")
    if not cleaned.isdecimal():
        raise Refused(f"“{text[:40]}” is no digest's number; choose one from the list.")
    return int(cleaned)
