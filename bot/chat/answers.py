"""How a command, a click or a modal is answered: its body says what, this module sends it in time.

A body reads its input, calls one use-case and returns an `Answer`. What Discord wants of an
interaction (a sign of life within three seconds, one first response, then edits and follow-ups)
happens here, and every failure goes to the error funnel.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, Protocol, TypeAlias, cast

import discord
from discord import app_commands

from bot.chat.errors import answer_error, log_swallowed
from bot.chat.layouts.notices import refusal
from bot.chat.render import CHOICE_NAME, OPTIONS, cut, size
from bot.triage.errors import Refused
from data.store.servers import Member

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable

    from bot.triage.services import Services

Interaction: TypeAlias = discord.Interaction[discord.Client]

SlashCommand: TypeAlias = app_commands.Command[Any, ..., Any]

# Discord waits three seconds for the first response; the rest is for the way there and back.
PATIENCE_SECONDS: Final = 2.0
UNKNOWN_MESSAGE: Final = 10008

_Input = ParamSpec("_Input")


@dataclass(frozen=True, slots=True)
class Answer:
    """What is shown to people: a new message, a change of the message acted on, or a form.

    After a click, `view` is for the one who clicked; after a command, the command says for whom.
    `more` are messages after it.
    """

    view: discord.ui.LayoutView | None = None
    more: tuple[discord.ui.LayoutView, ...] = ()
    files: tuple[discord.File, ...] = ()
    edit: discord.ui.LayoutView | None = None
    modal: discord.ui.Modal | None = None


async def deliver(
    interaction: Interaction,
    body: Awaitable[Answer],
    *,
    private: bool,
    where: str,
    turn: asyncio.Lock | None = None,
) -> None:
    """Awaits the body, defers when it takes long, sends its answer, and funnels its failures.

    `turn` keeps those who change one message at once in line, so that the last change shows.
    """
    try:
        async with _in_turn(interaction, turn):
            answer = await _patiently(interaction, body, private=private)
            if not await _change(interaction, answer) and answer.view is None:
                answer = replace(answer, view=answer.edit)
        await _show(interaction, answer, private=private)
    except Exception as error:  # noqa: BLE001 - this is the entrance to the one error funnel
        await answer_error(interaction, error, where)
    await _tell_troubles(interaction)


async def _tell_troubles(interaction: Interaction) -> None:
    """Tells a manager, after the answer, what keeps digests from coming if nobody heard of it."""
    guild = interaction.guild_id
    if guild is None or not interaction.permissions.manage_guild:
        return
    try:
        troubles = services_of(interaction).troubles
        for trouble in await troubles.claim(guild):
            told = interaction.response.is_done()
            try:
                if told:
                    view = refusal(f"Digest {trouble.subscription_id}: {trouble.problem}")
                    await interaction.followup.send(view=view, ephemeral=True)
            except discord.HTTPException:
                told = False
            await troubles.settle(trouble, told=told)
    except Exception as error:  # noqa: BLE001 - the answer is given; this must not spoil it
        log_swallowed(error, "telling of troubles")


@contextlib.asynccontextmanager
async def _in_turn(interaction: Interaction, turn: asyncio.Lock | None) -> AsyncGenerator[None]:
    if turn is None:
        yield
        return
    try:
        await asyncio.wait_for(turn.acquire(), PATIENCE_SECONDS)
    except TimeoutError:
        await interaction.response.defer()
        await turn.acquire()
    try:
        yield
    finally:
        turn.release()


async def _patiently(interaction: Interaction, body: Awaitable[Answer], *, private: bool) -> Answer:
    task = asyncio.ensure_future(body)
    try:
        if not await _in_time(task) and not interaction.response.is_done():
            # What came from a message (a press, a form opened by one) changes that message.
            if interaction.message is not None:
                await interaction.response.defer()
            else:
                await interaction.response.defer(ephemeral=private, thinking=True)
        return await task
    finally:
        # asyncio.wait leaves the task running when we are cancelled.
        if not task.done():
            task.cancel()


async def _in_time(task: asyncio.Future[Answer]) -> bool:
    done, _ = await asyncio.wait({task}, timeout=PATIENCE_SECONDS)
    return bool(done)


async def _change(interaction: Interaction, answer: Answer) -> bool:
    """Changes the message that was acted on; False where somebody deleted it meanwhile."""
    if answer.modal is not None:
        await interaction.response.send_modal(answer.modal)
    if answer.edit is None:
        return True
    try:
        if interaction.response.is_done():
            await interaction.edit_original_response(view=answer.edit)
        else:
            await interaction.response.edit_message(view=answer.edit)
    except discord.NotFound as error:
        if error.code != UNKNOWN_MESSAGE:
            raise
        return False
    return True


async def _show(interaction: Interaction, answer: Answer, *, private: bool) -> None:
    if answer.view is None:
        return
    response, files = interaction.response, list(answer.files)
    if not response.is_done():
        await response.send_message(view=answer.view, files=files, ephemeral=private)
    elif response.type is discord.InteractionResponseType.deferred_channel_message:
        await interaction.edit_original_response(view=answer.view, attachments=files)
    else:
        await interaction.followup.send(view=answer.view, files=files, ephemeral=True)
    for view in answer.more:
        await interaction.followup.send(view=view, ephemeral=private)


def answers(
    *, private: bool
) -> Callable[
    [Callable[Concatenate[Interaction, _Input], Coroutine[object, object, Answer]]],
    Callable[Concatenate[Interaction, _Input], Coroutine[object, object, None]],
]:
    """Makes a command's callback of a body that returns its `Answer`.

    Modules that use it do without postponed annotations, since discord.py looks for the names of
    the callback's annotations in this module.
    """

    def decorate(
        body: Callable[Concatenate[Interaction, _Input], Coroutine[object, object, Answer]],
    ) -> Callable[Concatenate[Interaction, _Input], Coroutine[object, object, None]]:
        @functools.wraps(body)
        async def callback(
            interaction: Interaction, /, *args: _Input.args, **kwargs: _Input.kwargs
        ) -> None:
            answer = body(interaction, *args, **kwargs)
            await deliver(interaction, answer, private=private, where=body.__qualname__)

        return callback

    return decorate


def slash(
    *, private: bool, name: str | None = None
) -> Callable[
    [Callable[Concatenate[Interaction, _Input], Coroutine[object, object, Answer]]], SlashCommand
]:
    """Makes a slash command of a body that returns its `Answer`; see `answers`."""

    def decorate(
        body: Callable[Concatenate[Interaction, _Input], Coroutine[object, object, Answer]],
    ) -> SlashCommand:
        command = app_commands.command(name=name or body.__name__)
        return cast("SlashCommand", command(answers(private=private)(body)))

    return decorate


def suggests(
    body: Callable[[Interaction, str], Awaitable[Iterable[tuple[str, str]]]],
) -> Callable[[Interaction, str], Coroutine[object, object, list[app_commands.Choice[str]]]]:
    """Makes an autocompletion of a body that returns (shown, value) pairs.

    It never fails: what goes wrong is logged, and nothing is suggested.
    """

    @functools.wraps(body)
    async def complete(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        try:
            pairs = await body(interaction, current)
        except Exception as error:  # noqa: BLE001 - discord.py would only log it, without a place
            log_swallowed(error, getattr(body, "__qualname__", "autocomplete"))
            return []
        choices = [
            app_commands.Choice(name=cut(name, CHOICE_NAME) or value, value=value)
            for name, value in pairs
            # A value can't be cut, or it would name something else.
            if value and size(value) <= CHOICE_NAME
        ]
        return choices[:OPTIONS]

    return complete


class Serves(Protocol):
    """The client, as far as commands know it."""

    services: Services


def services_of(interaction: Interaction) -> Services:
    """The use-cases behind the client that got the interaction."""
    return cast("Serves", interaction.client).services


def server_of(interaction: Interaction) -> int:
    """The Discord server in which somebody acted."""
    if interaction.guild_id is None:
        raise Refused("I work in servers only; try this in a channel of yours.")
    return interaction.guild_id


def member_of(interaction: Interaction) -> Member:
    """Who acted, by the name shown in this server."""
    return Member(interaction.user.id, interaction.user.display_name)
