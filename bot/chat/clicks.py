"""What a press of each control does: one use-case, then the message as it now stands.

A public message looks the same to all, so its button shows the count; who pressed it learns
privately what happened. Rights and states are checked at the press, by the use-cases.
"""

from __future__ import annotations

import asyncio
from datetime import date
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from discord import ui

from bot.chat.answers import Answer, Interaction, deliver, member_of, server_of
from bot.chat.components import Control, papers_on, repaint_votes
from bot.chat.exports import export_answer
from bot.chat.layouts.digest import left_out, subscription_list
from bot.chat.layouts.notices import notice
from bot.chat.layouts.paper import paper_card
from bot.chat.layouts.queue import export_menu, queue_page
from bot.chat.layouts.search import neighbours, search_counts, search_page
from bot.chat.layouts.sentences import moved, tag_corrected, vote_cast
from bot.chat.ordering import OrderClicks
from bot.triage.errors import Refused
from bot.triage.search import PAGE_SIZE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.triage.services import Services
    from bot.triage.voting import VoteResult

_STALE = "This control comes from another version of me; please run the command again."


class Clicks:
    """Answers presses; of several presses on one message, one after the other."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._turns: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self._presses: dict[str, Callable[[Interaction, Control], Awaitable[Answer]]] = {
            "vote": self._vote,
            "claim": self._move,
            "start": self._move,
            "done": self._move,
            "drop": self._move,
            "open": self._open,
            "open-one": self._open,
            "similar": self._similar,
            "tag": self._tag,
            "search": self._search,
            "counts": self._counts,
            "queue": self._queue,
            "queue-open": self._queue_open,
            "export": self._export,
            "export-as": self._export,
            "more": self._more,
            "orders": self._orders,
            **OrderClicks().presses,
        }

    async def on_press(self, interaction: Interaction, control: Control) -> None:
        """Does what the control stands for; failures go to the error funnel."""
        message_id = interaction.message.id if interaction.message else 0
        turn = self._turns.setdefault(message_id, asyncio.Lock())
        await deliver(
            interaction,
            self._press(interaction, control),
            private=True,
            where=f"press {control.custom_id}",
            turn=turn,
        )

    async def _press(self, interaction: Interaction, control: Control) -> Answer:
        press = self._presses.get(control.verb)
        if press is None:
            raise Refused(_STALE)
        return await press(interaction, control)

    async def _vote(self, interaction: Interaction, control: Control) -> Answer:
        server, paper_id = server_of(interaction), _number(control)
        result = await self._services.voting.toggle(server, member_of(interaction), paper_id)
        told = notice(vote_cast(result))
        if control.words[1:] == ("card",):
            return Answer(edit=await self._card(server, paper_id), view=told)
        return Answer(edit=await self._recounted(server, control, result), view=told)

    async def _recounted(
        self, server: int, control: Control, result: VoteResult
    ) -> ui.LayoutView | None:
        """The message with all of its counts as they are now, whoever pressed meanwhile."""
        message = control.view
        if not isinstance(message, ui.LayoutView):
            return None
        views = await self._services.library.views(server, papers_on(message))
        votes = {view.paper.id: len(view.voters) for view in views}
        # The number on an old button may be one that was merged into another since.
        votes[_number(control)] = len(result.view.voters)
        return repaint_votes(message, votes)

    async def _move(self, interaction: Interaction, control: Control) -> Answer:
        server, paper_id = server_of(interaction), _number(control)
        voting, member = self._services.voting, member_of(interaction)
        moves = {
            "claim": voting.claim,
            "start": voting.start,
            "done": voting.done,
            "drop": voting.drop,
        }
        item = await moves[control.verb](server, member, paper_id)
        told = notice(moved(item, control.verb))
        place = control.words[1] if len(control.words) > 1 else "card"
        if place == "card":
            return Answer(edit=await self._card(server, paper_id), view=told)
        page = await voting.queue(server, _page(place.removeprefix("q")))
        return Answer(edit=queue_page(page), view=told)

    async def _card(self, server: int, paper_id: int) -> ui.LayoutView:
        return paper_card(await self._services.cards.card(server, paper_id))

    async def _open(self, interaction: Interaction, control: Control) -> Answer:
        chosen = control.chosen or "".join(control.words[:1])
        return Answer(view=await self._card(server_of(interaction), _page(chosen)))

    async def _similar(self, interaction: Interaction, control: Control) -> Answer:
        server, paper_id = server_of(interaction), _number(control)
        view = await self._services.library.view(server, paper_id)
        return Answer(view=neighbours(view, await self._services.search.similar(server, paper_id)))

    async def _tag(self, interaction: Interaction, control: Control) -> Answer:
        server, paper_id = server_of(interaction), _number(control)
        corrected = await self._services.tagging.correct(
            server, member_of(interaction), paper_id, control.chosen
        )
        told = notice(tag_corrected(corrected))
        return Answer(edit=await self._card(server, paper_id), view=told)

    async def _search(self, interaction: Interaction, control: Control) -> Answer:
        key, page = _word(control, 0), _page(_word(control, 1))
        found = await self._services.search.again(server_of(interaction), key, page)
        return Answer(edit=search_page(found, PAGE_SIZE))

    async def _counts(self, interaction: Interaction, control: Control) -> Answer:
        counts = await self._services.search.counts(server_of(interaction), _word(control, 0))
        return Answer(view=search_counts(counts))

    async def _queue(self, interaction: Interaction, control: Control) -> Answer:
        page = await self._services.voting.queue(server_of(interaction), _number(control))
        return Answer(edit=queue_page(page))

    async def _queue_open(self, interaction: Interaction, control: Control) -> Answer:
        return Answer(view=queue_page(await self._services.voting.queue(server_of(interaction))))

    async def _export(self, interaction: Interaction, control: Control) -> Answer:
        if not control.chosen:
            return Answer(view=export_menu())
        file = await self._services.shelf.export_queue(server_of(interaction), control.chosen)
        return export_answer(file)

    async def _more(self, interaction: Interaction, control: Control) -> Answer:
        number, day = _page(_word(control, 0)), _day(_word(control, 1))
        views = await self._services.digests.hidden(server_of(interaction), number, day)
        key = f"{number}:{day.isoformat()}"
        # The button under the digest is public and opens a private list; its arrows turn that.
        if len(control.words) > 2:
            return Answer(edit=left_out(views, key, _page(_word(control, 2))))
        return Answer(view=left_out(views, key))

    async def _orders(self, interaction: Interaction, control: Control) -> Answer:
        digests = self._services.digests
        known = await digests.subscriptions(server_of(interaction))
        due = [(one, digests.next_due(one)) for one in known]
        return Answer(edit=subscription_list(due, _number(control)))


def _number(control: Control) -> int:
    return _page("".join(control.words[:1]))


def _word(control: Control, place: int) -> str:
    if place >= len(control.words):
        raise Refused(_STALE)
    return control.words[place]


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise Refused(_STALE) from None


def _page(text: str) -> int:
    # More digits than any number of ours has are nothing that SQLite could look up.
    if not text.isdecimal() or len(text) > 15:
        raise Refused(_STALE)
    return int(text)
