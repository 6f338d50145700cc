"""/digest: which channel gets what is new, and when.

The group needs Manage Server until the server's own command permissions say otherwise.
"""

from typing import Literal, TypeAlias

import discord
from discord import app_commands

from bot.chat.answers import Answer, Interaction, answers, server_of, services_of, suggests
from bot.chat.commands import suggestions
from bot.chat.layouts.digest import preview_pages, subscription_list
from bot.chat.layouts.hindsight import weekly_note
from bot.chat.layouts.notices import notice
from bot.chat.layouts.sentences import (
    digest_paused,
    digest_removed,
    digest_resumed,
    order_in_plain_words,
)
from bot.chat.ordering import PLACE_WORDS, QUIET_WORDS, drafted, topics_in
from bot.triage.digests import MAXIMUM_DEFAULT, MAXIMUM_LIMIT
from bot.triage.errors import Refused
from bot.triage.schedule import parse_days, parse_time
from bot.triage.zones import parse_zone
from data.store.digests import DigestFilter, SubscriptionOrder

Channel: TypeAlias = (
    discord.TextChannel | discord.Thread | discord.VoiceChannel | discord.StageChannel
)
Tags: TypeAlias = Literal[
    "position", "theory", "methods", "position, theory", "position, methods", "theory, methods"
]
TagsOrAny: TypeAlias = Literal[
    "position",
    "theory",
    "methods",
    "position, theory",
    "position, methods",
    "theory, methods",
    "any",
]
ANYTHING = "any"
QUIET = [app_commands.Choice(name=words, value=int(line)) for line, words in QUIET_WORDS.items()]
PLACES = [app_commands.Choice(name=words, value=int(to)) for to, words in PLACE_WORDS.items()]

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
@app_commands.describe(
    channel="Whose digests; this channel's by default", number="Only this one; see /digest list"
)
@app_commands.rename(number="digest")
@app_commands.autocomplete(number=_orders)
@answers(private=True)
async def preview(
    interaction: Interaction, channel: Channel | None = None, number: str | None = None
) -> Answer:
    """See privately what the next digest of a channel will be"""
    digests = await services_of(interaction).digests.preview(
        server_of(interaction),
        channel.id if channel else interaction.channel_id or 0,
        _number(number) if number else None,
    )
    first, *more = [page for one in digests for page in preview_pages(one)]
    return Answer(view=first, more=tuple(more))


@digest.command()
@app_commands.describe(
    at="Local time, such as 09:00",
    zone="Time zone: a city, or how far from UTC, such as +2",
    channel="Where to post; here by default",
    days="weekdays, daily, or mon, wed, fri",
    tags="Only papers of these kinds",
    query="Only papers that fit this search, in the language of /search",
    topic="Only papers of this topic; several with ; between them",
    maximum="The most papers that one digest shows",
    quiet="On days without papers: say why, or say nothing",
    place="Where the further pages of a long digest go",
)
@app_commands.autocomplete(zone=suggestions.zones, topic=suggestions.several_topics)
@app_commands.choices(quiet=QUIET, place=PLACES)
@answers(private=True)
async def subscribe(
    interaction: Interaction,
    at: app_commands.Range[str, 1, 20],
    zone: app_commands.Range[str, 1, 60],
    channel: Channel | None = None,
    days: app_commands.Range[str, 1, 60] = "weekdays",
    tags: Tags | None = None,
    query: app_commands.Range[str, 1, 300] | None = None,
    topic: app_commands.Range[str, 1, 300] | None = None,
    maximum: app_commands.Range[int, 1, MAXIMUM_LIMIT] = MAXIMUM_DEFAULT,
    quiet: int = 1,
    place: int = 1,
) -> Answer:
    """Post what is new to a channel; shows first what the last thirty days would have brought"""
    order = SubscriptionOrder(
        channel_id=channel.id if channel else interaction.channel_id or 0,
        at=parse_time(at),
        zone=parse_zone(zone),
        days=parse_days(days),
        filter=DigestFilter(
            tags=_tags(tags), topics=topics_in(topic or ""), query=(query or "").strip()
        ),
        maximum=maximum,
        quiet_line=bool(quiet),
        in_thread=bool(place),
    )
    return await drafted(interaction, order)


@digest.command()
@app_commands.describe(
    number="Which digest; see /digest list",
    at="Local time, such as 09:00",
    zone="Time zone: a city, or how far from UTC, such as +2",
    channel="Where to post",
    days="weekdays, daily, or mon, wed, fri",
    tags="Only papers of these kinds; any for all",
    query="Only papers that fit this search; any for all",
    topic="Only papers of this topic; several with ; between them; any for all",
    maximum="The most papers that one digest shows",
    quiet="On days without papers: say why, or say nothing",
    place="Where the further pages of a long digest go",
)
@app_commands.rename(number="digest")
@app_commands.autocomplete(number=_orders, zone=suggestions.zones, topic=suggestions.several_topics)
@app_commands.choices(quiet=QUIET, place=PLACES)
@answers(private=True)
async def edit(
    interaction: Interaction,
    number: str,
    at: app_commands.Range[str, 1, 20] | None = None,
    zone: app_commands.Range[str, 1, 60] | None = None,
    channel: Channel | None = None,
    days: app_commands.Range[str, 1, 60] | None = None,
    tags: TagsOrAny | None = None,
    query: app_commands.Range[str, 1, 300] | None = None,
    topic: app_commands.Range[str, 1, 300] | None = None,
    maximum: app_commands.Range[int, 1, MAXIMUM_LIMIT] | None = None,
    quiet: int | None = None,
    place: int | None = None,
) -> Answer:
    """Change a digest; shows first what the last thirty days bring before and after"""
    services = services_of(interaction)
    known = (await services.digests.subscription(server_of(interaction), _number(number))).order
    wanted = known.filter
    order = SubscriptionOrder(
        channel_id=channel.id if channel else known.channel_id,
        at=parse_time(at) if at else known.at,
        zone=parse_zone(zone) if zone else known.zone,
        days=parse_days(days) if days else known.days,
        filter=DigestFilter(
            tags=_tags(_cleared(tags)) if tags else wanted.tags,
            topics=topics_in(_cleared(topic)) if topic else wanted.topics,
            query=_cleared(query).strip() if query else wanted.query,
        ),
        maximum=known.maximum if maximum is None else maximum,
        quiet_line=known.quiet_line if quiet is None else bool(quiet),
        in_thread=known.in_thread if place is None else bool(place),
    )
    return await drafted(interaction, order, _number(number))


@digest.command(name="list")
@answers(private=True)
async def show(interaction: Interaction) -> Answer:
    """The digests of this server, when they come next, and what keeps them from coming"""
    digests = services_of(interaction).digests
    known = await digests.subscriptions(server_of(interaction))
    return Answer(view=subscription_list([(one, digests.next_due(one)) for one in known]))


@digest.command()
@answers(private=True)
async def hindsight(interaction: Interaction) -> Answer:
    """Papers that members voted for this week although a filter hid them"""
    note = await services_of(interaction).hindsight.week(server_of(interaction))
    return Answer(view=weekly_note(note))


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


def _tags(chosen: str | None) -> tuple[str, ...]:
    return tuple(chosen.split(", ")) if chosen else ()


def _cleared(text: str) -> str:
    """What an option of /digest edit says; nothing for the word that takes a filter away."""
    return "" if text.strip().casefold() == ANYTHING else text


def _number(text: str) -> int:
    cleaned = text.strip().removeprefix("#")
    if not cleaned.isdecimal():
        raise Refused(f"“{text[:40]}” is no digest's number; choose one from the list.")
    return int(cleaned)
