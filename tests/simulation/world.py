"""The whole application in a simulated Discord: one server, one channel, two members."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import discord
import simcord
from simcord import interactions
from simcord.backend import serializers
from simcord.backend.models import Overwrite
from simcord.components import walk_components
from simcord.enums import ComponentType, InteractionType, OverwriteType

from bot.bootstrap import build_client, opened
from bot.chat.publisher import DiscordPublisher
from bot.settings import Settings
from bot.triage.posting import Posting
from classifiers import Judgement, Manifest, Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from bot.chat.client import PapertriageClient
    from bot.triage.services import Services

START = datetime(2026, 6, 2, 7, 30, tzinfo=UTC)


class Clock:
    """The simulated Discord's clock, which stands still until it is moved; before, the start."""

    def __init__(self) -> None:
        self.env: simcord.Env | None = None

    def now(self) -> datetime:
        return self.env.now() if self.env else START


class WordTagger:
    """Stands in for the trained model: quick, and plain about why."""

    card = Manifest(
        format=1,
        model_id="words-1",
        trained_on="2026-06-01",
        scikit_learn="1.8",
        labels=("position", "theory", "methods"),
        training_set="",
        training_counts={},
        scores={"bare macro F1": 0.93},
        threshold=0.6,
        secondary_threshold=0.3,
        natural_mix={"position": 0.05, "theory": 0.15, "methods": 0.8},
    )

    def judge(
        self, papers: Sequence[tuple[str, str]], *, reasons: bool = False, exact: bool = True
    ) -> list[Judgement]:
        return [self._judge(abstract.lower()) for _, abstract in papers]

    def _judge(self, abstract: str) -> Judgement:
        for word, tag in (("argue", "position"), ("prove", "theory"), ("propose", "methods")):
            if word in abstract:
                rest = {"position": 0.02, "theory": 0.02, "methods": 0.02, tag: 0.96}
                return Judgement(tag, None, rest, (Reason(word, 1.2), Reason("dataset", -0.3)))
        unsure = {"position": 0.12, "theory": 0.30, "methods": 0.58}
        return Judgement("unsure", None, unsure, ())


def messages_in(channel: Any, viewer: Any = None) -> list[Any]:
    """The channel's messages, oldest first."""
    return channel.history(viewer=viewer) if viewer else channel.history()


def parts_of(message: Any) -> list[dict[str, Any]]:
    """All components of a message, whether discord.py made it or simcord."""
    roots = [part if isinstance(part, dict) else part.to_dict() for part in message.components]
    return list(walk_components(roots))


def text_of(message: Any) -> str:
    """All that a message says."""
    return "\n".join(part["content"] for part in parts_of(message) if part.get("type") == 10)


def labels_of(message: Any) -> dict[str, str]:
    """The labels of a message's buttons, by custom id."""
    return {
        part["custom_id"]: part["label"]
        for part in parts_of(message)
        if part.get("type") == ComponentType.BUTTON and part.get("custom_id")
    }


def options_of(message: Any) -> list[str]:
    """The values that the menus of a message offer."""
    return [
        option["value"]
        for part in parts_of(message)
        if part.get("type") == ComponentType.STRING_SELECT
        for option in part["options"]
    ]


def told(result: Any) -> str:
    """What the one who acted was told privately; fails where it was not private."""
    message = result.followups[-1] if result.followups else result.response
    assert message.ephemeral, "this was meant for one person"
    return text_of(message)


class Application:
    """All of papertriage over the files of one installation."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.clock = Clock()

    async def start(self) -> None:
        """Opens the files and makes the client."""
        self._stack = AsyncExitStack()
        self.services = await self._stack.enter_async_context(
            opened(settings_of(self.home), clock=self.clock)
        )
        self.client = build_client(self.services)

    async def stop(self) -> None:
        """Closes the files."""
        await self._stack.aclose()


@dataclass
class World:
    """One server in which two members use the bot; ada may manage it."""

    application: Application
    env: simcord.Env
    guild: Any
    channel: Any
    ada: Any
    ben: Any

    @property
    def services(self) -> Services:
        return self.application.services

    @property
    def client(self) -> PapertriageClient:
        return self.application.client

    @property
    def publisher(self) -> DiscordPublisher:
        return DiscordPublisher(self.client)

    @property
    def posting(self) -> Posting:
        services = self.services
        return Posting(
            services.library.store, services.digests, self.publisher, self.application.clock
        )

    async def later(self, **duration: float) -> None:
        """Lets time pass, for Discord and for the bot."""
        await self.env.advance_time(timedelta(**duration).total_seconds())

    async def restart(self) -> None:
        """Ends the process, as far as the bot can tell, and starts another on the same files."""
        await self.application.stop()
        await self.application.start()
        await self.env.restart_bot(self.client)

    async def press_together(self, *presses: tuple[Any, Any, str]) -> None:
        """Several members press buttons before the bot has answered any of them."""
        deliveries = [self.prepare_press(*press) for press in presses]
        for deliver in deliveries:
            deliver()
        await self.env.settle()

    def prepare_press(self, actor: Any, message: Any, custom_id: str) -> Callable[[], None]:
        """A press of a button on the message as it is now, delivered by a call."""
        backend = self.env.backend
        channel_id = getattr(message, "channel_id", None) or message.channel.id
        stored = backend.get_message(channel_id, message.id)
        record, payload = interactions.base_payload(
            backend,
            type=InteractionType.MESSAGE_COMPONENT,
            channel_id=channel_id,
            guild_id=self.guild.id,
            user_id=actor.id,
            data={"custom_id": custom_id, "component_type": ComponentType.BUTTON},
        )
        record.source_message_id = stored.id
        payload["message"] = dict(serializers.message_payload(backend, stored))
        return lambda: backend.emit("INTERACTION_CREATE", payload)


def settings_of(home: Path) -> Settings:
    """Settings of an installation that writes to `home`."""
    return Settings(home=home, _env_file=None)


def manager_role(guild: Any) -> Any:
    """The role of those who may manage the server."""
    return guild.create_role("Organisers", permissions=discord.Permissions(manage_guild=True))


def shut_out(world: World, channel: Any, **permissions: bool) -> None:
    """Takes permissions from all in a channel, writing messages where none is named."""
    refused = discord.Permissions(**(permissions or {"send_messages": True}))
    world.env.backend.set_overwrite(
        channel.id, Overwrite(world.guild.default_role.id, OverwriteType.ROLE, 0, refused.value)
    )


def notices_in(world: World, name: str) -> Any:
    """A new channel to which the server's own notices go."""
    notices = world.guild.create_text_channel(name)
    world.client.get_guild(world.guild.id)._system_channel_id = notices.id
    return notices
