"""Makes scores into probabilities that hold for real listings, and chooses when to be unsure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from classifiers.contribution import TYPES
from classifiers.labels import LabelledPaper
from classifiers.linear import Doubles, softmax
from classifiers.solver import Numbers, minimise

NATURAL_MIX: Final[Mapping[str, float]] = MappingProxyType(
    {"position": 0.05, "theory": 0.10, "methods": 0.85}
)
"""The shares for which probabilities are meant: between a daily arXiv listing (position 1 to 3 %,
theory 12 to 17 %) and the page of a machine-learning conference (6 % and 7 %)."""

SECONDARY_THRESHOLD: Final = 0.2
"""From this probability on a second type is named."""

# With fewer than nine answers in ten the tagger is no use; beyond this accuracy doubt costs more
# answers than it saves errors.
_LEAST_ANSWERED: Final = 0.9
_WANTED_ACCURACY: Final = 0.9925

# How often two readers of the same abstract disagree: no probability is meant to be surer.
_DISAGREEMENT: Final = 0.015
_LEAST_IN_VENUE: Final = 20


@dataclass(frozen=True, slots=True)
class Calibration:
    """Probabilities are the softmax of `sharpness * scores + offsets`; unsure below `threshold`."""

    sharpness: float
    offsets: Doubles
    threshold: float


def calibrate(held_out: Doubles, truth: Numbers, weights: Doubles) -> Calibration:
    """Fits sharpness and offsets to held-out scores, (forms, papers, 3), by least log loss.

    `weights`, one a paper, give the types their natural shares.
    """
    forms = len(held_out)
    scores = held_out.reshape(-1, len(TYPES))
    labels, shares = np.tile(truth, forms), np.tile(weights, forms)
    shares = shares / shares.sum()

    def loss(values: Doubles) -> float:
        logs = np.log(apply(_calibration(values), scores) + 1e-12)
        right = logs[np.arange(len(labels)), labels]
        blurred = (1 - _DISAGREEMENT) * right + _DISAGREEMENT * logs.mean(axis=1)
        # The small pull towards plain scores keeps separable little sets from running away.
        return float(-(shares * blurred).sum() + 1e-3 * (values**2).sum())

    fitted = _calibration(minimise(loss, np.zeros(3)))
    probabilities = apply(fitted, scores)
    right = probabilities.argmax(axis=1) == labels
    return replace(fitted, threshold=_threshold(probabilities.max(axis=1), right, shares))


def _calibration(values: Doubles) -> Calibration:
    return Calibration(float(np.exp(values[0])), np.array([values[1], values[2], 0.0]), 0.0)


def _threshold(confidence: Doubles, right: NDArray[np.bool_], shares: Doubles) -> float:
    """The lowest confidence from which on answers are as accurate as wanted, on average.

    At least nine papers in ten, by weight, are answered all the same.
    """
    order = np.argsort(-confidence, kind="stable")
    answered = np.cumsum(shares[order])
    accuracy = np.cumsum((shares * right)[order]) / np.maximum(answered, 1e-12)
    good = np.flatnonzero((accuracy >= _WANTED_ACCURACY) | (answered <= _LEAST_ANSWERED))
    return float(confidence[order][good[-1]]) if len(good) else 0.0


def apply(fitted: Calibration, scores: Doubles) -> Doubles:
    """Probabilities, (papers, 3), of scores."""
    return softmax(scores * fitted.sharpness + fitted.offsets)


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
