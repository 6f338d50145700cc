"""Makes scores into probabilities that hold for real listings, and chooses when to be unsure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from classifiers.contribution import TYPES
from classifiers.labels import LabelledPaper

NATURAL_MIX: Final[Mapping[str, float]] = MappingProxyType(
    {"position": 0.05, "theory": 0.10, "methods": 0.85}
)
"""The shares for which probabilities are meant: between a daily arXiv listing (position 1 to 3 %,
theory 12 to 17 %) and the page of a machine-learning conference (6 % and 7 %)."""

SECONDARY_THRESHOLD: Final = 0.2
"""From this probability on a second type is named."""

_ANSWERED: Final = 0.9
_LEAST_IN_VENUE: Final = 20

Doubles = NDArray[np.float64]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Calibration:
    """Probabilities are the softmax of `sharpness * scores + offsets`; below `threshold`: unsure."""

    sharpness: float
    offsets: Doubles
    threshold: float


def calibrate(held_out: Doubles, truth: Numbers, weights: Doubles) -> Calibration:
    """Fits sharpness and offsets to held-out scores, (forms, papers, 3), by least log loss.

    `weights`, one a paper, give the types their natural shares. The threshold is the probability
    that nine weighted papers in ten reach.
    """
    from scipy import optimize

    forms = len(held_out)
    scores = held_out.reshape(-1, len(TYPES))
    labels, shares = np.tile(truth, forms), np.tile(weights, forms)
    shares = shares / shares.sum()

    def loss(values: Doubles) -> float:
        fitted = Calibration(float(np.exp(values[0])), np.array([values[1], values[2], 0.0]), 0.0)
        likely = apply(fitted, scores)[np.arange(len(labels)), labels]
        # The small pull towards plain scores keeps separable little sets from running away.
        return float(-(shares * np.log(likely + 1e-12)).sum() + 1e-3 * (values**2).sum())

    found = optimize.minimize(loss, np.zeros(3), method="Nelder-Mead")
    values = cast("Doubles", found.x)
    fitted = Calibration(float(np.exp(values[0])), np.array([values[1], values[2], 0.0]), 0.0)
    confidence = apply(fitted, scores).max(axis=1)
    threshold = _weighted_quantile(confidence, shares, 1 - _ANSWERED)
    return Calibration(fitted.sharpness, fitted.offsets, threshold)


def apply(fitted: Calibration, scores: Doubles) -> Doubles:
    """Probabilities, (papers, 3), of scores."""
    tuned = scores * fitted.sharpness + fitted.offsets
    powers = np.exp(tuned - tuned.max(axis=1, keepdims=True))
    return cast("Doubles", powers / powers.sum(axis=1, keepdims=True))


def weights_for(papers: Sequence[LabelledPaper]) -> Doubles:
    """The weight of each paper in calibration.

    Papers of venues that publish several types count, because there the subject gives nothing away;
    all papers do when such venues lack a type. Weights give each type its natural share.
    """
    mixed = np.array(_in_mixed_venues(papers))
    truth = np.array([TYPES.index(paper.label) for paper in papers])
    if len(set(truth[mixed].tolist())) < len(TYPES):
        mixed = np.ones(len(papers), dtype=np.bool_)
    weights = mixed.astype(np.float64)
    for number, kind in enumerate(TYPES):
        inside = mixed & (truth == number)
        weights[inside] = NATURAL_MIX[kind] / inside.sum()
    return weights


def _in_mixed_venues(papers: Sequence[LabelledPaper]) -> list[bool]:
    counted = Counter((_series(paper.venue), paper.label) for paper in papers)
    kinds = Counter(
        venue for (venue, _), times in counted.items() if venue and times >= _LEAST_IN_VENUE
    )
    return [kinds[_series(paper.venue)] > 1 and _series(paper.venue) != "arXiv" for paper in papers]


def _series(venue: str) -> str:
    """The venue and year without the kind of talk: "ICLR 2026 Poster" is "ICLR 2026"."""
    return " ".join(venue.split()[:2])


def _weighted_quantile(values: Doubles, weights: Doubles, share: float) -> float:
    order = np.argsort(values)
    reached = np.cumsum(weights[order]) / weights.sum()
    return float(values[order][int(np.searchsorted(reached, share))])
