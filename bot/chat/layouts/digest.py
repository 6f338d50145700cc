"""A digest's messages, and the list of a server's digests."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from bot.chat.components import button, open_menu, vote_button
from bot.chat.layouts.entries import tag_chip, title
from bot.chat.layouts.frame import BLURPLE, GREY, Piece, Scale, board, fitted, lines, rule, section
from bot.chat.layouts.receipt import quiet_line, receipt_lines, revised_lines
from bot.chat.render import OPTIONS, count, day, listed, people, shown, small
from bot.triage.schedule import days_in_words
from data.records import TAG_NAMES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from discord import ui

    from bot.triage.digest import Digest, DigestItem, DigestPart
    from bot.triage.library import PaperView
    from data.store.digests import DigestFilter, Subscription

ORDERS_SHOWN: Final = 12


def digest_message(part: DigestPart, *, preview: bool = False) -> ui.LayoutView:
    """One message of a digest. Its key stands in the id of a control, to be recognised by.

    A preview has no button for the papers left out: they are kept when the digest is posted.
    """

    def build(scale: Scale) -> ui.LayoutView:
        parts: list[Piece] = [_heading(part, scale)]
        if part.items:
            parts.append(rule())
        for tag, items in groupby(part.items, key=lambda item: item.view.tag or "unsure"):
            parts.append(lines(f"**{tag.capitalize()}**"))
            parts += [_entry(item, scale) for item in items]
        last = part.part == part.parts - 1
        if last:
            foot = [*revised_lines(part.digest, scale), *receipt_lines(part.digest, scale)]
            parts += [rule(), lines(*foot)] if foot else []
        slot = part.digest.slot
        closing = [button(f"pt:queue-open:{part.key}", "Reading queue")] if last else []
        if last and part.digest.hidden and not preview:
            more = f"pt:more:{slot.subscription_id}:{slot.local_date.isoformat()}"
            closing.insert(0, button(more, f"{part.digest.hidden} more"))
        return board(
            parts,
            colour=BLURPLE if part.items else GREY,
            rows=[
                [open_menu((item.view.paper for item in part.items), part.key)]
                if part.items
                else [],
                closing,
            ],
        )

    return fitted(build)


def _heading(part: DigestPart, scale: Scale) -> ui.TextDisplay[ui.LayoutView]:
    digest = part.digest
    last_day = digest.days[-1]
    dated = f"{last_day:%A} {last_day.day} {last_day:%B}"
    if part.part:
        return lines(f"### Papers · {dated} · {part.part + 1} of {part.parts}")
    folded = (
        f"-# {count(len(digest.days), 'day')} in one, since {day(digest.days[0])}"
        if len(digest.days) > 1
        else ""
    )
    tallies = [f"{digest.counts[tag]} {tag}" for tag in TAG_NAMES if digest.counts.get(tag)]
    if not digest.slot.total:
        quiet = quiet_line(digest, scale)
        return lines(f"## Papers · {dated}", quiet, folded, _filter_line(digest, scale))
    return lines(
        f"## Papers · {dated}",
        small(f"{digest.slot.total} new", *tallies),
        folded,
        _filter_line(digest, scale),
    )


def _filter_line(digest: Digest, scale: Scale) -> str:
    wanted = filter_in_words(digest.subscription.order.filter, scale(200))
    return small(f"only {wanted}") if wanted else ""


def _entry(item: DigestItem, scale: Scale) -> ui.Section[ui.LayoutView]:
    view = item.view
    return section(
        vote_button(view.paper.id, len(view.voters)),
        title(view.paper, scale),
        small(
            people(view.paper.authors, limit=scale(80)),
            tag_chip(view),
            f"#{view.paper.id}",
            "**withdrawn**" if view.paper.withdrawn else "late" if item.late else "",
        ),
        shown(item.claim, scale(160)),
    )


def left_out(views: Sequence[PaperView]) -> ui.LayoutView:
    """The papers for which a digest had no room, for one reader."""
    shown_here = list(views)[:8]
    rest = len(views) - len(shown_here)

    def build(scale: Scale) -> ui.LayoutView:
        return board(
            [
                lines("### Also new", small(count(len(views), "paper"))),
                *(
                    section(
                        vote_button(view.paper.id, len(view.voters)),
                        title(view.paper, scale),
                        small(
                            people(view.paper.authors, limit=scale(80)),
                            tag_chip(view),
                            f"#{view.paper.id}",
                        ),
                    )
                    for view in shown_here
                ),
                *([lines(_further(rest))] if rest else []),
            ],
            # The menu names more papers than there is room for above.
            rows=[[open_menu(view.paper for view in list(views)[:OPTIONS])]],
        )

    return fitted(build)


def _further(rest: int) -> str:
    papers = count(rest, "more paper")
    return small(f"and {papers}", "the menu opens the next ones, /search finds them all")


def filter_in_words(wanted: DigestFilter, limit: int) -> str:
    """What a subscription lets through, escaped; empty where it lets everything through."""
    pieces = [
        listed(wanted.tags, limit=limit) if wanted.tags else "",
        f"about “{shown(wanted.query, limit)}”" if wanted.query.strip() else "",
        f"in {listed(wanted.topics, limit=limit)}" if wanted.topics else "",
    ]
    return ", ".join(piece for piece in pieces if piece)


def order_in_words(subscription: Subscription, limit: int = 200) -> str:
    """A standing order in one line: where, when, what."""
    order = subscription.order
    wanted = filter_in_words(order.filter, limit)
    return (
        f"<#{order.channel_id}> at {order.at:%H:%M} {shown(order.zone, 60)}, "
        f"{days_in_words(order.days)}" + (f", only {wanted}" if wanted else ", everything new")
    )


def subscription_list(known: Sequence[tuple[Subscription, datetime | None]]) -> ui.LayoutView:
    """A server's digests with their numbers, their next moment, and their troubles."""
    if not known:
        nothing = "No channel gets a digest yet. Order one with `/digest subscribe`."
        return board([lines("### Digests", nothing)], colour=GREY)

    def build(scale: Scale) -> ui.LayoutView:
        told = [_one_order(subscription, due, scale) for subscription, due in known[:ORDERS_SHOWN]]
        more = len(known) - len(told)
        return board(
            [
                lines("### Digests", *told, small(f"and {more} more") if more > 0 else ""),
            ]
        )

    return fitted(build)


def _one_order(subscription: Subscription, due: datetime | None, scale: Scale) -> str:
    if subscription.paused:
        state = "paused"
    else:
        state = f"next <t:{int(due.timestamp())}:f>" if due else "never due"
    line = f"**{subscription.id}** · {order_in_words(subscription, scale(100))} · {state}"
    if subscription.problem:
        line += f"\n-# ⚠ {shown(subscription.problem, scale(200))}"
    return line
