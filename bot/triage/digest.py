"""A digest as a value: its papers, what it covers, and the messages that it is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from data.records import TAG_NAMES
from data.store.digests import SlotState

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date

    from bot.triage.interest import Ordering, Reason
    from bot.triage.library import PaperView
    from bot.triage.receipts import SourceCoverage
    from data.store.digests import Slot, Subscription
    from data.store.news import Revision
    from data.store.sources import PartOutcome

# Six papers with their buttons stay within Discord's 40 components and 4,000 characters.
PAPERS_PER_MESSAGE: Final = 6
# With their claims they fill a phone's screen; more would push the rest of the channel away.
PAPERS_BEFORE_THREAD: Final = 3


@dataclass(frozen=True, slots=True)
class DigestItem:
    """One paper of a digest, with the sentence of its abstract that says what it does.

    `late` where it belongs to an announcement that an earlier digest covered. `reason` is what it
    is like of the papers that the server wanted, where the order was learnt.
    """

    view: PaperView
    claim: str
    late: bool = False
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class RevisedPaper:
    """A paper that the team voted for, and what became of it since the last digest."""

    view: PaperView
    revision: Revision


@dataclass(frozen=True, slots=True)
class Digest:
    """A whole digest: the papers to show, best first, and what it covers.

    `counts` tells how many papers of each tag matched, `items` are those that are shown. `days`
    are the local dates that it stands for, more than one after days off. `asked` is how asking
    the standing sources went since the last digest, the latest word of each channel. `revised`
    are the voted papers with a new version, and `withdrawn` counts the papers that matched but
    were withdrawn before they could be posted. `left_out` are those beyond the maximum.
    `ordering` is how its papers were put in order.
    """

    subscription: Subscription
    slot: Slot
    items: tuple[DigestItem, ...]
    days: tuple[date, ...]
    counts: dict[str, int]
    coverage: tuple[SourceCoverage, ...]
    asked: tuple[PartOutcome, ...] = ()
    revised: tuple[RevisedPaper, ...] = ()
    withdrawn: int = 0
    left_out: tuple[int, ...] = ()
    ordering: Ordering | None = None

    @property
    def hidden(self) -> int:
        """How many papers matched but are not shown."""
        return max(0, self.slot.total - len(self.items))

    @property
    def foot_first(self) -> bool:
        """Whether the foot stands under the first message; it stays where it began to go."""
        if self.slot.state is SlotState.SENDING:
            return self.slot.in_thread
        return self.subscription.order.in_thread

    @property
    def silent(self) -> bool:
        """Whether it posts nothing: there is nothing to show, and no line is wanted then."""
        return not (self.items or self.revised or self.subscription.order.quiet_line)

    def parts(self) -> tuple[DigestPart, ...]:
        """The digest as messages, in order; none where it is silent.

        The best papers come in the first message; in each, papers of one tag stand together.
        """
        pieces = [
            tuple(sorted(piece, key=lambda item: TAG_NAMES.index(item.view.tag or "unsure")))
            for piece in self._pages()
        ]
        return self.parts_of(pieces or ([] if self.silent else [()]))

    def _pages(self) -> Iterator[tuple[DigestItem, ...]]:
        start = 0
        # A thread for a single paper would be more to open than to read.
        if self.subscription.order.in_thread and len(self.items) > PAPERS_BEFORE_THREAD + 1:
            yield self.items[:PAPERS_BEFORE_THREAD]
            start = PAPERS_BEFORE_THREAD
        for first in range(start, len(self.items), PAPERS_PER_MESSAGE):
            yield self.items[first : first + PAPERS_PER_MESSAGE]

    def parts_of(self, pieces: Sequence[tuple[DigestItem, ...]]) -> tuple[DigestPart, ...]:
        """The digest as messages of which each holds one piece."""
        return tuple(
            DigestPart(digest=self, part=part, parts=len(pieces), items=piece)
            for part, piece in enumerate(pieces)
        )


@dataclass(frozen=True, slots=True)
class DigestPart:
    """One message of a digest; `part` counts from 0."""

    digest: Digest
    part: int
    parts: int
    items: tuple[DigestItem, ...]

    @property
    def key(self) -> str:
        """The message's name, the same each time it is built: subscription, date, part.

        At most 25 characters, so that it can be Discord's nonce.
        """
        return part_key(self.digest.slot, self.part)


def part_key(slot: Slot, part: int) -> str:
    """The name of a slot's message, as `DigestPart.key`."""
    return f"{slot.subscription_id}-{slot.local_date:%Y%m%d}-{part}"
