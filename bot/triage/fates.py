"""What became of one paper in each digest: posted, due, left out, or stopped, and by what."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from bot.triage.filtering import FilterPart, query_scores, stopped_by
from data.store import digests as digest_rows
from data.store import ledger, news

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlite_utils import Database

    from bot.triage.digests import Digests
    from bot.triage.library import Library, PaperView
    from data.store.digests import Posting, Subscription


class Fate(StrEnum):
    """What became of a paper in one digest."""

    POSTED = "posted"
    PLANNED = "planned"
    DUE = "due"
    LEFT_OUT = "left out"
    STOPPED = "stopped"
    WITHDRAWN = "withdrawn"
    LEARNT = "learnt"
    BEFORE = "before"
    PASSED = "passed"


@dataclass(frozen=True, slots=True)
class DigestFate:
    """What became of a paper in one subscription's digests.

    `words` make one clause of plain text that says so, with its days and local moments as such;
    `reason` puts them together. `part` names what stopped it, where something of the filter did;
    `posting` says where it was posted, or will be.
    """

    subscription: Subscription
    fate: Fate
    words: tuple[str | date, ...]
    part: FilterPart | None = None
    posting: Posting | None = None

    def reason(self, dated: Callable[[date], str] = date.isoformat) -> str:
        """The clause, with days as `dated` writes them."""
        zone = self.subscription.order.zone
        told: list[str] = []
        for word in self.words:
            if isinstance(word, datetime):
                told.append(f"{dated(word.date())} at {word:%H:%M} {zone}")
            else:
                told.append(dated(word) if isinstance(word, date) else word)
        return "".join(told)

    @property
    def link(self) -> str | None:
        """The address of the message that holds the paper, or None."""
        if self.posting is None or self.posting.message_id is None:
            return None
        guild, posting = self.subscription.guild_id, self.posting
        return f"https://discord.com/channels/{guild}/{posting.channel_id}/{posting.message_id}"


class Fates:
    """Tells what became of papers in the digests, by the same rules that make them."""

    def __init__(self, library: Library, digests: Digests) -> None:
        self._library = library
        self._digests = digests

    async def of(
        self, guild_id: int | None, paper_id: int, channel_id: int | None = None
    ) -> tuple[DigestFate, ...]:
        """A paper's fate in each digest of a server (of all servers for None), or of a channel."""
        return tuple(
            [
                await self._one(
                    subscription, await self._library.view(subscription.guild_id, paper_id)
                )
                for subscription in await self._digests.subscriptions(guild_id)
                if channel_id is None or subscription.order.channel_id == channel_id
            ]
        )

    async def _one(self, subscription: Subscription, view: PaperView) -> DigestFate:
        store, number = self._library.store, view.paper.id
        for posting in await store.read(digest_rows.postings_of, subscription.guild_id, number):
            if posting.subscription_id == subscription.id:
                return _posted(subscription, posting)
        known = await store.read(_known, subscription, number)
        if known.left_out is not None:
            words = ("it fits, but was beyond the maximum on ", known.left_out)
            return DigestFate(subscription, Fate.LEFT_OUT, words)
        if known.number == 0:
            reason = "it was there when its source was first read, so no digest takes it as news"
            return DigestFate(subscription, Fate.LEARNT, (reason,))
        if known.number <= subscription.after:
            began = _local(subscription.created_at, subscription).date()
            words = ("it was known before this digest began on ", began)
            return DigestFate(subscription, Fate.BEFORE, words)
        stopped = await self._stopped(subscription, view)
        if stopped is not None:
            return DigestFate(subscription, Fate.STOPPED, (stopped[1],), part=stopped[0])
        if view.paper.withdrawn:
            reason = "it fits, but was withdrawn before it could be posted"
            return DigestFate(subscription, Fate.WITHDRAWN, (reason,))
        if known.covered_on is not None and known.number <= known.covered:
            words = (
                "it fits now, but did not when the digest of ",
                known.covered_on,
                " was put together: its tag, topics or text, or the filter, changed since",
            )
            return DigestFate(subscription, Fate.PASSED, words)
        return DigestFate(subscription, Fate.DUE, await self._when(subscription))

    async def _stopped(
        self, subscription: Subscription, view: PaperView
    ) -> tuple[FilterPart, str] | None:
        wanted = subscription.order.filter
        part = stopped_by(view, wanted)
        if part is FilterPart.TAGS:
            tags = _either(wanted.tags)
            return part, f"its tag is {view.tag or 'unsure'}, and only {tags} is let through"
        if part is FilterPart.TOPICS:
            topics = ", ".join((*view.paper.topics, *view.paper.categories)) or "none"
            return (
                part,
                f"its topics are {topics}, and only {_either(wanted.topics)} is let through",
            )
        scores = await query_scores(self._library, subscription.guild_id, wanted)
        if scores is not None and view.paper.id not in scores:
            return FilterPart.QUERY, f"the query “{wanted.query}” does not find it"
        return None

    async def _when(self, subscription: Subscription) -> tuple[str | date, ...]:
        if subscription.paused:
            return ("it fits, and is due once the digest is resumed",)
        coming = await self._digests.coming(subscription)
        if coming is None:
            return ("it fits, but this digest is never due",)
        return "it fits, and is due on ", _local(coming[1], subscription)


@dataclass(frozen=True, slots=True)
class _Known:
    """What the ledger knows of a paper that it did not post."""

    number: int
    left_out: date | None
    covered: int
    covered_on: date | None


def _known(db: Database, subscription: Subscription, paper_id: int) -> _Known:
    last = digest_rows.last_sent_slot(db, subscription.id)
    return _Known(
        number=news.news_number(db, paper_id, first=subscription.after),
        left_out=ledger.left_out_on(db, subscription.id, paper_id),
        covered=last.upto if last else 0,
        covered_on=last.local_date if last else None,
    )


def _posted(subscription: Subscription, posting: Posting) -> DigestFate:
    if posting.posted_at is not None:
        words = ("posted on ", _local(posting.posted_at, subscription))
        return DigestFate(subscription, Fate.POSTED, words, posting=posting)
    why = f" ({subscription.problem})" if subscription.problem else ""
    words = ("it is in the digest of ", posting.local_date, f", which is not posted yet{why}")
    return DigestFate(subscription, Fate.PLANNED, words, posting=posting)


def _local(moment: datetime, subscription: Subscription) -> datetime:
    return moment.astimezone(ZoneInfo(subscription.order.zone))


def _either(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
