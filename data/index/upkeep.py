"""Which segments are to be merged: those of like size, once there are several of them.

Sizes are sorted into tiers, each four times the one before, so every paper is merged again only
about log4(papers) times, and a search reads few segments.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data.index.snapshot import Part

_SMALLEST_TIER: Final = 256
_A_TIER: Final = 4
_LARGEST: Final = 400_000
"""Papers in a merged segment: more would take too much memory to merge again."""


def due(parts: Sequence[Part]) -> list[Part]:
    """The segments to merge next; none when all is well."""
    tiers: dict[int, list[Part]] = {}
    for part in parts:
        there = papers_of(part)
        if 2 * there < len(part.segment):
            return [part]
        tier = int(math.log(max(there, _SMALLEST_TIER) / _SMALLEST_TIER, _A_TIER))
        tiers.setdefault(tier, []).append(part)
    for tier in sorted(tiers):
        group = sorted(tiers[tier], key=papers_of)
        while group and sum(map(papers_of, group)) > _LARGEST:
            group.pop()
        if len(group) >= _A_TIER:
            return group
    return []


def papers_of(part: Part) -> int:
    """How many papers of a segment are still there."""
    return len(part.segment) if part.alive is None else int(np.count_nonzero(part.alive))
