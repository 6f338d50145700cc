"""Drafts of digests in the chat: shown, changed by forms, saved by a button.

A draft lives in the store and its key in the buttons' ids, so they work after a restart. The
right to order digests is looked at again at each press.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import discord
from discord import ui

from bot.chat.answers import Answer, deliver, server_of, services_of
from bot.chat.channels import check_channel
from bot.chat.layouts.notices import notice
from bot.chat.layouts.ordering import draft_page
from bot.chat.layouts.sentences import digest_changed, digest_ordered
from bot.triage.digests import MAXIMUM_LIMIT
from bot.triage.errors import CannotPost, Refused
from bot.triage.schedule import days_in_words, parse_days, parse_time
from bot.triage.subscribing import LONGEST_QUERY
from bot.triage.zones import parse_zone
from data.records import TAG_NAMES

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.chat.answers import Interaction
    from bot.chat.components import Control
    from data.store.digests import SubscriptionOrder
    from data.store.subscribing import Draft

    _Text = ui.TextInput["OrderForm"]
    _Menu = ui.Select["OrderForm"]

_TARGETS: Final = [
    discord.ChannelType.text,
    discord.ChannelType.news,
    discord.ChannelType.public_thread,
    discord.ChannelType.private_thread,
    discord.ChannelType.news_thread,
    discord.ChannelType.voice,
    discord.ChannelType.stage_voice,
]
_LONGEST_TOPICS: Final = 300

QUIET_WORDS: Final = {True: "say why in one line", False: "say nothing"}
PLACE_WORDS: Final = {False: "all in the channel", True: "the first page there, more in a thread"}


def topics_in(text: str) -> tuple[str, ...]:
    """The topics that a person wrote with ; between them."""
    return tuple(dict.fromkeys(piece.strip() for piece in text.split(";") if piece.strip()))


async def channel_of(interaction: Interaction, channel_id: int) -> object:
    """A channel or thread of this server by its id. Raises CannotPost where it can't be seen."""
    known = interaction.guild.get_channel_or_thread(channel_id) if interaction.guild else None
    if known is not None:
        return known
    try:
        return await interaction.client.fetch_channel(channel_id)
    except (discord.NotFound, discord.InvalidData, discord.Forbidden) as error:
        raise CannotPost(
            "I cannot see that channel: grant me View Channel there, or choose another."
        ) from error


async def drafted(
    interaction: Interaction, order: SubscriptionOrder, edits: int | None = None
) -> Answer:
    """An order shown privately before it is saved. Raises CannotPost, naming what is missing."""
    check_channel(await channel_of(interaction, order.channel_id), thread=order.in_thread)
    made = await services_of(interaction).subscribing.draft(
        server_of(interaction),
        interaction.user.id,
        order,
        edits=edits,
        as_manager=interaction.permissions.manage_guild,
    )
    return Answer(view=draft_page(made))


async def _draft(interaction: Interaction, key: str) -> Draft:
    """The draft of the one who acts. Raises Refused where they may not order digests any more.

    A server may let others use /digest; they began without Manage Server, and go on without it.
    """
    draft = await services_of(interaction).subscribing.known(
        server_of(interaction), interaction.user.id, key
    )
    if draft.as_manager and not interaction.permissions.manage_guild:
        raise Refused("You need the Manage Server permission for this.")
    return draft


class OrderClicks:
    """What the buttons under a draft do, by the verb in their ids."""

    def __init__(self) -> None:
        self.presses: dict[str, Callable[[Interaction, Control], Awaitable[Answer]]] = {
            "order-save": self._save,
            "order-cancel": self._cancel,
            "order-when": self._form,
            "order-what": self._form,
            "order-where": self._form,
        }

    async def _save(self, interaction: Interaction, control: Control) -> Answer:
        draft = await _draft(interaction, "".join(control.words[:1]))
        services, order = services_of(interaction), draft.order
        if draft.saved_as is None:
            check_channel(await channel_of(interaction, order.channel_id), thread=order.in_thread)
        saved = await services.subscribing.save(draft.guild_id, draft.user_id, draft.key)
        due = services.digests.next_due(saved)
        sentence = digest_changed if draft.edits else digest_ordered
        return Answer(edit=notice(sentence(saved, due)))

    async def _cancel(self, interaction: Interaction, control: Control) -> Answer:
        draft = await _draft(interaction, "".join(control.words[:1]))
        if draft.saved_as is not None:
            raise Refused(f"Digest {draft.saved_as} is saved; end it with /digest remove.")
        await services_of(interaction).subscribing.cancel(draft.guild_id, draft.user_id, draft.key)
        left = f"Digest **{draft.edits}** stays as it is." if draft.edits else "Nothing is ordered."
        return Answer(edit=notice(left))

    async def _form(self, interaction: Interaction, control: Control) -> Answer:
        draft = await _draft(interaction, "".join(control.words[:1]))
        if draft.saved_as is not None:
            raise Refused(f"Digest {draft.saved_as} is saved; change it with /digest edit.")
        return Answer(modal=_FORMS[control.verb](draft))


class OrderForm(ui.Modal):
    """A form over a part of a draft's order; `read` makes the changed order of what it says."""

    read: Callable[[SubscriptionOrder], SubscriptionOrder]

    def __init__(self, draft: Draft, part: str, title: str) -> None:
        super().__init__(title=title, custom_id=f"pt:order-{part}:{draft.key}", timeout=None)
        self.key = draft.key

    async def on_submit(self, interaction: Interaction) -> None:
        """Shows what the changed order would have posted."""
        await deliver(interaction, self._changed(interaction), private=True, where="form order")

    async def _changed(self, interaction: Interaction) -> Answer:
        draft = await _draft(interaction, self.key)
        order = self.read(draft.order)
        check_channel(await channel_of(interaction, order.channel_id), thread=order.in_thread)
        changed = await services_of(interaction).subscribing.change(
            draft.guild_id, draft.user_id, draft.key, order
        )
        return Answer(edit=draft_page(changed))

    def ask(self, label: str, hint: str, value: str, longest: int, *, needed: bool = True) -> _Text:
        """A line of text."""
        box: _Text = ui.TextInput(default=value or None, max_length=longest, required=needed)
        self.add_item(ui.Label(text=label, description=hint, component=box))
        return box

    def offer(self, label: str, choices: dict[str, str], chosen: set[str], most: int = 1) -> _Menu:
        """A menu of value and words; of a single choice one has to be made."""
        options = [
            discord.SelectOption(label=words, value=value, default=value in chosen)
            for value, words in choices.items()
        ]
        menu: _Menu = ui.Select(
            options=options, min_values=int(most == 1), max_values=most, required=most == 1
        )
        self.add_item(ui.Label(text=label, component=menu))
        return menu


def when_form(draft: Draft) -> OrderForm:
    """Time, zone and days."""
    form, order = OrderForm(draft, "when", "When it comes"), draft.order
    at = form.ask("Time", "Local, such as 09:00", f"{order.at:%H:%M}", 20)
    zone = form.ask("Time zone", "A city or a zone, such as Europe/Berlin", order.zone, 60)
    days = form.ask("Days", "weekdays, daily, or mon, wed, fri", days_in_words(order.days), 60)
    form.read = lambda order: replace(
        order, at=parse_time(at.value), zone=parse_zone(zone.value), days=parse_days(days.value)
    )
    return form


def what_form(draft: Draft) -> OrderForm:
    """Tags, topics, search and maximum."""
    form, wanted = OrderForm(draft, "what", "Which papers it holds"), draft.order.filter
    choices = {tag: tag for tag in TAG_NAMES}
    tags = form.offer("Tags (none for all)", choices, set(wanted.tags), len(choices))
    several, all_of_them = "Several with ; between them; empty for all", "; ".join(wanted.topics)
    topics = form.ask("Topics", several, all_of_them, _LONGEST_TOPICS, needed=False)
    empty = "As in /search; empty for all"
    query = form.ask("Search", empty, wanted.query, LONGEST_QUERY, needed=False)
    limits, most_now = f"1 to {MAXIMUM_LIMIT}", str(draft.order.maximum)
    most = form.ask("The most papers in one digest", limits, most_now, 3)

    def read(order: SubscriptionOrder) -> SubscriptionOrder:
        written = most.value.strip()
        if not (written.isascii() and written.isdecimal()):
            raise Refused(f"A digest shows between 1 and {MAXIMUM_LIMIT} papers.")
        asked = replace(
            order.filter,
            tags=tuple(tag for tag in TAG_NAMES if tag in tags.values),
            topics=topics_in(topics.value),
            query=query.value.strip(),
        )
        return replace(order, filter=asked, maximum=int(written))

    form.read = read
    return form


def where_form(draft: Draft) -> OrderForm:
    """Channel, thread and quiet days."""
    form, order = OrderForm(draft, "where", "Where and how it comes"), draft.order
    # discord.py writes a chosen channel's id as a number, which Discord's description refuses.
    channel: ui.ChannelSelect[OrderForm] = ui.ChannelSelect(
        channel_types=_TARGETS, min_values=0, required=False
    )
    same = "Leave it empty to keep the one it has"
    form.add_item(ui.Label(text="Another channel", description=same, component=channel))
    places = {str(int(thread)): words for thread, words in PLACE_WORDS.items()}
    place = form.offer("Long digests", places, {str(int(order.in_thread))})
    lines = {str(int(line)): words for line, words in QUIET_WORDS.items()}
    quiet = form.offer("On days without papers", lines, {str(int(order.quiet_line))})
    form.read = lambda order: replace(
        order,
        channel_id=channel.values[0].id if channel.values else order.channel_id,
        in_thread=place.values == ["1"],
        quiet_line=quiet.values == ["1"],
    )
    return form


_FORMS: Final = {"order-when": when_form, "order-what": what_form, "order-where": where_form}
