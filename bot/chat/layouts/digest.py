"""A digest's messages, and the list of a server's digests."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

from bot.chat.components import button, open_menu, pager, vote_button
from bot.chat.layouts.best_first import reason_in_words
from bot.chat.layouts.entries import tag_chip, title, voter_names
from bot.chat.layouts.frame import BLURPLE, GREY, Piece, Scale, board, fitted, lines, rule, section
from bot.chat.layouts.receipt import quiet_line, receipt_lines, revised_lines
from bot.chat.render import count, day, listed, people, shown, small
from bot.triage.receipts import order_told
from bot.triage.schedule import days_in_words
from data.records import TAG_NAMES
from data.store.digests import SlotState

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from discord import ui

    from bot.triage.digest import Digest, DigestItem, DigestPart
    from bot.triage.library import PaperView
    from data.store.digests import DigestFilter, Subscription, SubscriptionOrder

ORDERS_SHOWN: Final = 10
LEFT_OUT_SHOWN: Final = 5
CLAIM: Final = 140
CLAIM_IN_SHORT: Final = 100


def digest_message(part: DigestPart, *, preview: bool = False) -> ui.LayoutView:
    """One message of a digest. Its key stands in the id of a control, to be recognised by.

    A preview has no button for the papers left out: they are kept when the digest is posted.
    """

    short = bool(_in_thread(part)) and not part.part

    def build(scale: Scale) -> ui.LayoutView:
        parts: list[Piece] = [_heading(part, scale)]
        if part.items:
            parts.append(rule())
        for tag, items in groupby(part.items, key=lambda item: item.view.tag or "unsure"):
            # Above a thread stand few papers, and room is dear; the chip on each says as much.
            parts += [] if short else [lines(f"**{tag.capitalize()}**")]
            parts += [_entry(item, scale, CLAIM_IN_SHORT if short else CLAIM) for item in items]
        foot = _has_foot(part)
        if foot:
            told = [*revised_lines(part.digest, scale), *receipt_lines(part.digest, scale)]
            told += [small(order)] if (order := order_told(part.digest)) else []
            told += [further] if (further := _in_thread(part)) else []
            parts += [rule(), lines(*told)] if told else []
        slot = part.digest.slot
        closing = [button(f"pt:queue-open:{part.key}", "Reading queue")] if foot else []
        if foot and part.digest.hidden and not preview:
            more = f"pt:more:{slot.subscription_id}:{slot.local_date.isoformat()}"
            closing.insert(0, button(more, f"{part.digest.hidden:,} more"))
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


def thread_name(digest: Digest) -> str:
    """The name of the thread that holds a digest's further messages."""
    return f"Papers · {day(digest.days[-1])}"


def preview_pages(digest: Digest) -> list[ui.LayoutView]:
    """The messages of a digest for one who wants to see them before they are posted; never none."""
    if digest.silent:
        return [_silent(digest)]
    return [digest_message(part, preview=True) for part in digest.parts()]


def _silent(digest: Digest) -> ui.LayoutView:
    return board(
        [
            lines(
                f"### Papers · {_dated(digest)}",
                quiet_line(digest, Scale(1)),
                "This digest is to say nothing on such a day, so none would be posted.",
                *receipt_lines(digest, Scale(1)),
            )
        ],
        colour=GREY,
    )


def _has_foot(part: DigestPart) -> bool:
    """The foot stands where readers of the channel see it: under all, or above the thread."""
    return part.part == (0 if part.digest.foot_first else part.parts - 1)


def _in_thread(part: DigestPart) -> str:
    rest = len(part.digest.items) - len(part.items)
    if part.parts == 1 or not part.digest.subscription.order.in_thread:
        return ""
    return small(f"{count(rest, 'more paper')} in the thread")


def _dated(digest: Digest) -> str:
    last_day = digest.days[-1]
    return f"{last_day:%A} {last_day.day} {last_day:%B}"


def _heading(part: DigestPart, scale: Scale) -> ui.TextDisplay[ui.LayoutView]:
    digest = part.digest
    dated = _dated(digest)
    if part.part:
        return lines(f"### Papers · {dated} · {part.part + 1} of {part.parts}")
    folded = (
        f"-# {count(len(digest.days), 'day')} in one, since {day(digest.days[0])}"
        if len(digest.days) > 1
        else ""
    )
    tallies = [f"{digest.counts[tag]:,} {tag}" for tag in TAG_NAMES if digest.counts.get(tag)]
    if not digest.slot.total:
        quiet = quiet_line(digest, scale)
        return lines(f"## Papers · {dated}", quiet, folded, _filter_line(digest, scale))
    return lines(
        f"## Papers · {dated}",
        small(f"{digest.slot.total:,} new", *tallies),
        folded,
        _filter_line(digest, scale),
    )


def _filter_line(digest: Digest, scale: Scale) -> str:
    if digest.slot.state is SlotState.SENDING:
        # The order may have changed since its papers were chosen.
        return ""
    wanted = filter_in_words(digest.subscription.order.filter, scale(200))
    return small(f"only {wanted}") if wanted else ""


def _entry(item: DigestItem, scale: Scale, claim: int) -> ui.Section[ui.LayoutView]:
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
        shown(item.claim, scale(claim)),
        small(reason_in_words(item.reason, scale(60))) if item.reason else "",
        # It was not in this channel yet, so these votes were given elsewhere in the server.
        small(f"▲ {voter_names(view, scale(60))} voted for it elsewhere") if view.voters else "",
    )


def left_out(views: Sequence[PaperView], key: str, page: int = 0) -> ui.LayoutView:
    """A page of the papers for which a digest had no room, for one reader; pages count from 0.

    `key` names the digest in the arrows' ids: subscription and date.
    """
    pages = max(1, -(-len(views) // LEFT_OUT_SHOWN))
    page = min(page, pages - 1)
    here = views[page * LEFT_OUT_SHOWN : (page + 1) * LEFT_OUT_SHOWN]

    def build(scale: Scale) -> ui.LayoutView:
        return board(
            [
                lines("### Also new", small(f"{count(len(views), 'paper')}, best first")),
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
                    for view in here
                ),
            ],
            rows=[
                pager(f"more:{key}", page, pages),
                [open_menu(view.paper for view in here)] if here else [],
            ],
        )

    return fitted(build)


def filter_in_words(wanted: DigestFilter, limit: int) -> str:
    """What a subscription lets through, escaped; empty where it lets everything through."""
    pieces = [
        listed(wanted.tags, limit=limit) if wanted.tags else "",
        f"about “{shown(wanted.query, limit)}”" if wanted.query.strip() else "",
        f"in {listed(wanted.topics, limit=limit)}" if wanted.topics else "",
    ]
    return ", ".join(piece for piece in pieces if piece)


def order_in_words(order: SubscriptionOrder, limit: int = 200) -> str:
    """A standing order in one line: where, when, what, and how."""
    wanted = filter_in_words(order.filter, limit)
    pieces = [
        f"<#{order.channel_id}> at {order.at:%H:%M} {shown(order.zone, 60)}",
        days_in_words(order.days),
        f"only {wanted}" if wanted else "everything new",
        f"at most {count(order.maximum, 'paper')}",
        "more in a thread" if order.in_thread else "",
        "" if order.quiet_line else "silent on quiet days",
    ]
    return ", ".join(piece for piece in pieces if piece)


def subscription_list(
    known: Sequence[tuple[Subscription, datetime | None]], page: int = 0
) -> ui.LayoutView:
    """A page of a server's digests: their numbers, their next moment, and their troubles."""
    if not known:
        nothing = "No channel gets a digest yet. Order one with `/digest subscribe`."
        return board([lines("### Digests", nothing)], colour=GREY)
    pages = -(-len(known) // ORDERS_SHOWN)
    page = min(page, pages - 1)
    here = known[page * ORDERS_SHOWN : (page + 1) * ORDERS_SHOWN]

    def build(scale: Scale) -> ui.LayoutView:
        told = [_one_order(subscription, due, scale) for subscription, due in here]
        return board([lines("### Digests", *told)], rows=[pager("orders", page, pages)])

    return fitted(build)


def _one_order(subscription: Subscription, due: datetime | None, scale: Scale) -> str:
    if subscription.paused:
        state = "paused"
    else:
        state = f"next <t:{int(due.timestamp())}:f>" if due else "never due"
    line = f"**{subscription.id}** · {order_in_words(subscription.order, scale(100))} · {state}"
    if subscription.problem:
        line += f"\n-# ⚠ {shown(subscription.problem, scale(200))}"
    return line
