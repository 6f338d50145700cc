"""The stage of the demo: a server with a channel and two members, a filled library, a digest."""

from __future__ import annotations

import tempfile
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

import discord
import simcord

from bot.bootstrap import build_client, opened
from bot.chat.layouts.pages import welcome_page
from bot.chat.publisher import DiscordPublisher
from bot.settings import Settings
from bot.triage.digest import PAPERS_PER_MESSAGE
from bot.triage.posting import Posting
from bot.triage.schedule import EVERY_DAY
from data.store.digests import DigestFilter, SubscriptionOrder

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Sequence

    from bot.chat.client import PapertriageClient
    from bot.triage.ingest import IngestReport, ListingInput
    from bot.triage.services import Services

DAY: Final = timedelta(days=1)


class DemoClock:
    """The machine's clock, which can be set back: to yesterday, to order today's digest."""

    def __init__(self) -> None:
        self.behind = timedelta(0)

    def now(self) -> datetime:
        """The current moment, aware and in UTC."""
        return datetime.now(UTC) - self.behind


@dataclass(frozen=True, slots=True)
class Stage:
    """Everything that plays: the simulated Discord, its people, and the bot's use-cases."""

    env: simcord.Env
    guild_id: int
    channel: simcord.ChannelHandle
    ada: simcord.MemberActor
    ben: simcord.MemberActor
    clock: DemoClock
    services: Services
    report: IngestReport
    make_client: Callable[[], PapertriageClient]


@asynccontextmanager
async def set_stage(listings: Sequence[ListingInput]) -> AsyncGenerator[Stage]:
    """A server whose channel opens with today's digest of these listings and a welcome.

    Ada may manage the server, Ben may not.
    """
    clock = DemoClock()
    with tempfile.TemporaryDirectory(
        prefix="papertriage-demo-", ignore_cleanup_errors=True
    ) as home:
        settings = Settings(home=Path(home), discord_token=None)
        async with opened(settings, clock=clock) as services:
            client = build_client(services)
            # Expected refusals are answers; only the script decides what counts as a failure.
            async with simcord.run(client, check_errors=False) as env:
                await env.advance_time((clock.now() - env.now()).total_seconds())
                assert client.user is not None  # noqa: S101 - it has logged in
                await client.user.edit(username="papertriage")
                guild = env.create_guild("Reading group")
                channel = guild.create_text_channel("papers")
                organisers = guild.create_role(
                    "Organisers", permissions=discord.Permissions(manage_guild=True)
                )
                ada = guild.add_member(env.create_user("ada"), roles=[organisers])
                ben = guild.add_member(env.create_user("ben"))
                await env.settle()

                clock.behind = DAY
                await _order_digest(services, guild.id, channel.id, ada.id)
                clock.behind = timedelta(0)
                report = await services.ingest.run(listings)
                posting = Posting(
                    services.library.store, services.digests, DiscordPublisher(client), clock
                )
                await posting.run_due()
                # Last, since the page opens at the foot of the channel.
                await _say_welcome(client, channel.id)
                await env.settle()
                yield Stage(
                    env=env,
                    guild_id=guild.id,
                    channel=channel,
                    ada=ada,
                    ben=ben,
                    clock=clock,
                    services=services,
                    report=report,
                    make_client=lambda: build_client(services),
                )


async def _order_digest(services: Services, guild: int, channel: int, user: int) -> None:
    """A daily digest that was ordered yesterday and is due right now."""
    due = services.clock.now() + DAY
    order = SubscriptionOrder(
        channel_id=channel,
        at=due.time().replace(second=0, microsecond=0),
        zone="UTC",
        days=EVERY_DAY,
        filter=DigestFilter(),
        maximum=PAPERS_PER_MESSAGE,
    )
    await services.digests.subscribe(guild, user, order)


async def _say_welcome(client: PapertriageClient, channel_id: int) -> None:
    channel = client.get_channel(channel_id)
    assert isinstance(channel, discord.TextChannel)  # noqa: S101 - it was made above
    await channel.send(view=welcome_page())
