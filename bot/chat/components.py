"""Buttons and menus that work for ever.

One kind of dynamic item serves them all. Its custom id says what it does and to which paper
(`pt:vote:17`) and holds nothing else, so a button of last year's digest still works after any
number of restarts. What a press does stands in `bot.chat.clicks`; this module knows how the
controls look, and reads them back from a message.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Protocol, cast

import discord
from discord import ui

from bot.chat.layouts.frame import Piece
from bot.chat.render import BUTTON_LABEL, OPTION_LABEL, OPTIONS, address, cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from data.records import Paper

GREY: Final = discord.ButtonStyle.secondary
BLUE: Final = discord.ButtonStyle.primary
GREEN: Final = discord.ButtonStyle.success

TAG_HINTS: Final = {
    "position": "An argued stance, a critique, an agenda",
    "theory": "Theorems, bounds, proofs, formal analysis",
    "methods": "A method, model, system, dataset, study",
    "withdraw": "Take back what you said of this paper",
}

LINKS_SHOWN: Final = 2

_ID: Final = re.compile(r"pt:(?P<verb>[a-z-]{1,20})(?::(?P<words>.{0,70}))?")
_VOTE: Final = re.compile(r"pt:vote:(\d{1,15})\b")


class Presses(Protocol):
    """The client, as far as controls know it."""

    async def on_press(
        self, interaction: discord.Interaction[discord.Client], control: Control
    ) -> None:
        """Does what a pressed control stands for; failures go to the error funnel."""
        ...


class Control(ui.DynamicItem[Piece], template=_ID):
    """A button or menu whose custom id says all there is to know."""

    @property
    def verb(self) -> str:
        """What pressing it does."""
        return self._match()["verb"]

    @property
    def words(self) -> tuple[str, ...]:
        """What it does that to."""
        words = self._match()["words"]
        return tuple(words.split(":")) if words else ()

    @property
    def chosen(self) -> str:
        """The value chosen in a menu; empty for a button."""
        return self.item.values[0] if isinstance(self.item, ui.Select) and self.item.values else ""

    def _match(self) -> re.Match[str]:
        return cast("re.Match[str]", _ID.fullmatch(self.custom_id))

    @classmethod
    async def from_custom_id(
        cls,
        interaction: discord.Interaction[discord.Client],
        item: Piece,
        match: re.Match[str],
        /,
    ) -> Control:
        """Takes a pressed component for what its custom id says."""
        return cls(item)

    async def callback(self, interaction: discord.Interaction[discord.Client]) -> None:
        """Hands the press to the client, which knows what is to be done."""
        await cast("Presses", interaction.client).on_press(interaction, self)


def button(
    custom_id: str,
    label: str,
    style: discord.ButtonStyle = GREY,
    *,
    disabled: bool = False,
) -> Control:
    """A button whose press is handed to `bot.chat.clicks` by its custom id."""
    return Control(
        ui.Button(
            custom_id=custom_id,
            label=cut(label, BUTTON_LABEL),
            style=style,
            disabled=disabled,
        )
    )


def vote_button(paper_id: int, votes: int, place: str = "") -> Control:
    """The vote toggle of one paper; it shows the count, the same to all.

    `place` says on what it stands, where the whole message follows the vote ("card").
    """
    return button(_id("vote", paper_id, place), f"▲ {votes}", BLUE if votes else GREY)


def move_button(move: str, paper_id: int, place: str) -> Control:
    """A button that moves a paper through the queue: claim, start, done or drop.

    `place` is the message it stands on: "card", or the queue's page as "q0".
    """
    style = GREEN if move == "done" else GREY
    return button(_id(move, paper_id, place), move.capitalize(), style)


def _id(verb: str, paper_id: int, place: str) -> str:
    return f"pt:{verb}:{paper_id}:{place}" if place else f"pt:{verb}:{paper_id}"


def pager(verb: str, page: int, pages: int) -> list[Control]:
    """Two arrows with the page between them, nothing for a single page; pages count from 0."""
    if pages <= 1:
        return []
    last = pages - 1
    return [
        button(f"pt:{verb}:{max(page - 1, 0)}:back", "←", disabled=page <= 0),
        button(f"pt:page:{page}", f"{page + 1} / {pages}", disabled=True),
        button(f"pt:{verb}:{min(page + 1, last)}:on", "→", disabled=page >= last),
    ]


def open_menu(papers: Iterable[Paper], mark: str = "") -> Control:
    """A menu that opens a paper's card. A `mark` in its id tells one message from another."""
    options = [
        discord.SelectOption(
            label=cut(paper.title, OPTION_LABEL) or f"#{paper.id}",
            value=str(paper.id),
            description=cut(f"#{paper.id} · {', '.join(paper.authors)}", OPTION_LABEL),
        )
        for paper in list(papers)[:OPTIONS]
    ]
    custom_id = f"pt:open:{mark}" if mark else "pt:open"
    return Control(ui.Select(custom_id=custom_id, placeholder="Open a paper…", options=options))


def tag_menu(paper: Paper) -> Control:
    """A menu that corrects a paper's tag."""
    options = [
        discord.SelectOption(label=tag, value=tag, description=hint)
        for tag, hint in TAG_HINTS.items()
    ]
    return Control(
        ui.Select(
            custom_id=f"pt:tag:{paper.id}",
            placeholder="Tag is wrong? Choose the right one",
            options=options,
        )
    )


def menu(custom_id: str, placeholder: str, options: Sequence[tuple[str, str, str]]) -> Control:
    """A menu of (value, label, description)."""
    return Control(
        ui.Select(
            custom_id=custom_id,
            placeholder=placeholder,
            options=[
                discord.SelectOption(value=value, label=label, description=description)
                for value, label, description in options
            ],
        )
    )


def link_buttons(paper: Paper) -> list[Piece]:
    """Links to the paper's page and, on arXiv, to its PDF."""
    ids = paper.identifiers
    forum = f"https://openreview.net/forum?id={ids.openreview}" if ids.openreview else None
    places = (
        ("arXiv", f"https://arxiv.org/abs/{ids.arxiv}" if ids.arxiv else None),
        ("PDF", f"https://arxiv.org/pdf/{ids.arxiv}" if ids.arxiv else None),
        ("OpenReview", forum),
        ("DOI", f"https://doi.org/{ids.doi}" if ids.doi else None),
        ("Page", ids.url),
    )
    usable = [(label, address(url)) for label, url in places]
    links: list[Piece] = [ui.Button(label=label, url=url) for label, url in usable if url]
    return links[:LINKS_SHOWN]


def papers_on(view: ui.LayoutView) -> dict[int, ui.Button[ui.LayoutView]]:
    """The vote buttons on a message, by paper."""
    found: dict[int, ui.Button[ui.LayoutView]] = {}
    for item in view.walk_children():
        inner = item.item if isinstance(item, Control) else item
        if isinstance(inner, ui.Button) and inner.custom_id:
            match = _VOTE.match(inner.custom_id)
            if match:
                found[int(match[1])] = cast("ui.Button[ui.LayoutView]", inner)
    return found


def repaint_votes(view: ui.LayoutView, votes: Mapping[int, int]) -> ui.LayoutView:
    """The message with its vote buttons showing these counts; others stay as they are."""
    for paper_id, control in papers_on(view).items():
        if paper_id in votes:
            control.label = f"▲ {votes[paper_id]}"
            control.style = BLUE if votes[paper_id] else GREY
    # A finished view is not kept: the message's controls are found by their ids, not in memory.
    view.stop()
    return view


def digest_key(message: discord.Message) -> str | None:
    """The key of the digest's message that this is, or None; it stands in a control's id."""
    view = ui.LayoutView.from_message(message, timeout=None)
    for item in view.walk_children():
        match = _ID.fullmatch(getattr(item, "custom_id", None) or "")
        if match and match["verb"] in ("open", "queue-open") and match["words"]:
            return match["words"]
    return None
