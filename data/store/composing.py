"""One paper from the papers of its group: the written rule of what comes from where.

The members are asked in order of authority: those with an identifier before those without, and
among equals the longer known. Title, authors, venue, comment and
year of publication come from the first that has
them (a derived title only where no member has a real one); the abstract is the longest; the
paper was published, announced and first seen when the first member was, and updated when the last
was; identifiers, topics, categories and sources are those of all; and it is withdrawn when any
member says so.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from data.records import Identifiers

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from data.records import Paper

T = TypeVar("T")


def compose(root_id: int, members: Sequence[Paper]) -> Paper:
    """The paper that stands for `members` under the number `root_id`."""
    if len(members) == 1:
        return members[0]
    ranked = sorted(members, key=lambda paper: (not paper.identifiers.pairs(), paper.id))
    titled = next((paper for paper in ranked if not paper.title_derived), ranked[0])
    fullest = max(ranked, key=lambda paper: len(paper.abstract))
    if titled.title_derived:
        titled = fullest
    judged = next((paper for paper in (titled, fullest, *ranked) if paper.judgement), ranked[0])
    return replace(
        ranked[0],
        id=root_id,
        title=titled.title,
        title_derived=titled.title_derived,
        abstract=fullest.abstract,
        authors=next((paper.authors for paper in ranked if paper.authors), ()),
        identifiers=_all_identifiers(ranked),
        topics=_union(paper.topics for paper in ranked),
        categories=_union(paper.categories for paper in ranked),
        sources=_union(paper.sources for paper in ranked),
        first_seen=min(paper.first_seen for paper in ranked),
        venue=next((paper.venue for paper in ranked if paper.venue), None),
        comment=next((paper.comment for paper in ranked if paper.comment), None),
        published=min(_known(paper.published for paper in ranked), default=None),
        published_in=next((paper.published_in for paper in ranked if paper.published_in), None),
        updated=max(_known(paper.updated for paper in ranked), default=None),
        announced=min(_known(paper.announced for paper in ranked), default=None),
        withdrawn=any(paper.withdrawn for paper in ranked),
        judgement=judged.judgement,
    )


def _all_identifiers(ranked: Sequence[Paper]) -> Identifiers:
    found: dict[str, str] = {}
    for paper in ranked:
        for scheme, value in paper.identifiers.pairs():
            found.setdefault(scheme, value)
    return Identifiers(**found)


def _union(groups: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for group in groups for name in group))


def _known(values: Iterable[T | None]) -> list[T]:
    return [value for value in values if value is not None]
