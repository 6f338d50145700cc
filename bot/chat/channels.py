"""Which channels take a digest, and what I may do there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import discord

from bot.triage.errors import CannotPost

if TYPE_CHECKING:
    from collections.abc import Sequence

Target: TypeAlias = (
    discord.TextChannel | discord.Thread | discord.VoiceChannel | discord.StageChannel
)

NEEDED: Final = {
    "view_channel": "View Channel",
    "send_messages": "Send Messages",
    # After a crash the channel is read before anything is posted again.
    "read_message_history": "Read Message History",
}
NEEDED_IN_THREADS: Final = {
    "view_channel": "View Channel",
    "send_messages_in_threads": "Send Messages in Threads",
    "read_message_history": "Read Message History",
}
# The text chat of a voice channel is closed to those who may not connect.
NEEDED_IN_VOICE: Final = {**NEEDED, "connect": "Connect"}
NEEDED_FOR_THREADS: Final = {
    "create_public_threads": "Create Public Threads",
    "send_messages_in_threads": "Send Messages in Threads",
}


def as_target(channel: object) -> Target:
    """The channel, where a digest can be posted into one of its kind. Raises CannotPost."""
    if isinstance(channel, discord.ForumChannel):
        raise CannotPost(
            f"#{channel.name} is a forum, which takes posts and no messages: choose one of its "
            "posts, or a text channel."
        )
    if not isinstance(channel, Target):
        raise CannotPost("I can post digests into text channels and threads only; choose another.")
    return channel


def check_channel(channel: object, *, thread: bool = False) -> Target:
    """The channel, where I can post digests into it; with `thread`, into threads of it as well.

    Raises CannotPost, which names all that is missing.
    """
    target = as_target(channel)
    granted = target.permissions_for(target.guild.me)
    if isinstance(target, discord.Thread):
        needed = NEEDED_IN_THREADS
        if target.locked and not granted.manage_threads:
            raise CannotPost(
                f"The thread #{target.name} is locked: unlock it, or grant me Manage Threads there."
            )
    elif isinstance(target, discord.TextChannel):
        needed = {**NEEDED, **NEEDED_FOR_THREADS} if thread else NEEDED
    else:
        needed = NEEDED_IN_VOICE
    missing = [name for flag, name in needed.items() if not getattr(granted, flag)]
    if missing:
        raise CannotPost(
            f"I am not allowed to post digests in #{target.name}: grant me "
            f"{' and '.join(missing)} there{_or_no_thread(missing)}."
        )
    if thread and not isinstance(target, discord.TextChannel):
        raise CannotPost(
            f"#{target.name} can hold no threads: choose a text channel, or post without a thread."
        )
    return target


def _or_no_thread(missing: Sequence[str]) -> str:
    """What else helps where nothing but the thread is refused."""
    only_threads = set(missing) <= set(NEEDED_FOR_THREADS.values())
    return ", or choose that all goes into the channel" if only_threads else ""


def check_threads(channel: Target) -> discord.TextChannel:
    """The channel, where I can open threads in it. Raises CannotPost, which says what is missing.

    Where I may post otherwise, all of a digest goes into the channel.
    """
    if not isinstance(channel, discord.TextChannel):
        raise CannotPost(
            f"#{channel.name} can hold no threads, so all of the digest goes into the channel: "
            "choose that with /digest edit, or another channel."
        )
    granted = channel.permissions_for(channel.guild.me)
    missing = [name for flag, name in NEEDED_FOR_THREADS.items() if not getattr(granted, flag)]
    if missing:
        raise CannotPost(
            f"I am not allowed to open threads in #{channel.name}, so all of the digest goes into "
            f"the channel: grant me {' and '.join(missing)} there."
        )
    return channel
