"""In which order papers stand in a digest: newest first, or best first with room for the unlike."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from data.records import TAG_NAMES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.triage.library import PaperView

# Below this a model follows the accidents of single votes.
VOTED_PAPERS_NEEDED: Final = 5
# Interest is in standard deviations of the library; what a team wants lies 3 to 8 above its mean.
# The rest decides among equals, but for a query, which is itself a word of what is wanted.
CONFIDENCE: Final = 0.3
PER_DAY_OLD: Final = 0.15
MOST_FOR_AGE: Final = 1.0
RELEVANCE: Final = 2.0
# Of five places the last is for a paper of the lower half: nobody votes for what nobody sees.
ROOM: Final = 5


def newest_first(views: Sequence[PaperView]) -> list[PaperView]:
    """The latest day first; those of one day as they were listed."""
    return sorted(views, key=lambda view: (-view.paper.day.toordinal(), view.paper.id))


def best_first(
    views: Sequence[PaperView], interest: Mapping[int, float], *, by_relevance: bool = False
) -> list[PaperView]:
    """By interest, with the tag's confidence and freshness; each fifth place is for the unlike.

    `interest` gives each paper's standard deviations above the library's mean. With
    `by_relevance` the views come in the order of a query, which counts as well. The unlike are
    the surest of each tag in turn among the lower half.
    """
    newest = max((view.paper.day for view in views), default=None)
    values: dict[int, float] = {}
    for place, view in enumerate(views):
        number = view.paper.id
        age = (newest - view.paper.day).days if newest else 0
        values[number] = (
            interest[number]
            + CONFIDENCE * _confidence(view)
            - min(PER_DAY_OLD * age, MOST_FOR_AGE)
            + (RELEVANCE * (1 - place / len(views)) if by_relevance else 0.0)
        )
    ranked = sorted(views, key=lambda view: (-values[view.paper.id], view.paper.id))
    lower = sorted(ranked[(len(ranked) + 1) // 2 :], key=lambda view: -_confidence(view))
    return _mixed(ranked, in_turn(lower))


def in_turn(views: Sequence[PaperView]) -> list[PaperView]:
    """The views in rounds of one a tag, each tag's own order kept."""
    rounds: dict[str, int] = defaultdict(int)
    placed: list[tuple[int, int, PaperView]] = []
    for view in views:
        tag = view.tag or "unsure"
        placed.append((rounds[tag], TAG_NAMES.index(tag), view))
        rounds[tag] += 1
    return [view for _, _, view in sorted(placed, key=lambda entry: entry[:2])]


def _mixed(ranked: Sequence[PaperView], unlike: Sequence[PaperView]) -> list[PaperView]:
    """All of `ranked`, with every fifth place given to the next of `unlike`."""
    taken: set[int] = set()
    mixed: list[PaperView] = []
    lists = iter(ranked), iter(unlike)
    while len(mixed) < len(ranked):
        from_unlike = len(mixed) % ROOM == ROOM - 1
        for source in lists[::-1] if from_unlike else lists:
            view = next((one for one in source if one.paper.id not in taken), None)
            if view is not None:
                taken.add(view.paper.id)
                mixed.append(view)
                break
    return mixed


def _confidence(view: PaperView) -> float:
    """The tagger's probability of its tag; 1 where people decided, 0 where nobody did."""
    if view.corrected:
        return 1.0
    return view.confidence or 0.0
