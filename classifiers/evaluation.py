"""Grades a tagger on labelled papers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from classifiers.contribution import TYPES, UNSURE
from classifiers.features import Paper
from classifiers.labels import LabelledPaper, LabelsUnusable
from classifiers.tagger import Tagger

_BINS: Final = 10
_COVERAGES: Final = (1.0, 0.95, 0.9, 0.8, 0.7, 0.5)


class Form(StrEnum):
    """Which text of a labelled paper is judged."""

    PUBLISHED = "published"
    """Title and abstract as published."""

    BARE = "bare"
    """Without the words by which a paper announces its kind."""

    UNTITLED = "untitled"
    """The bare abstract alone."""

    def of(self, paper: LabelledPaper) -> Paper:
        """The title and abstract of this form."""
        if self is Form.PUBLISHED:
            return paper.published
        return paper.bare if self is Form.BARE else paper.untitled


@dataclass(frozen=True, slots=True)
class TypeScore:
    """How well one type is told; `support` is the number of papers that have it."""

    precision: float
    recall: float
    f1: float
    support: int


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Papers whose top probability lies in one tenth, from `low` on: how sure, how often right."""

    low: float
    confidence: float
    accuracy: float
    papers: int


@dataclass(frozen=True, slots=True)
class CoveragePoint:
    """Accuracy when only this share of the papers, the surest, is answered."""

    coverage: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The grade. All scores but `answered` ones take the likeliest type, sure or not.

    `confusion` counts papers: true type, then likeliest type. `calibration_error` is the expected
    calibration error of the top probability over ten equal bins (Naeini et al., AAAI 2015).
    `answered` is the share of papers not tagged unsure; `answered_accuracy` is 0 when it is.
    """

    papers: int
    types: dict[str, TypeScore]
    macro_f1: float
    accuracy: float
    confusion: dict[str, dict[str, int]]
    calibration_error: float
    answered: float
    answered_accuracy: float
    coverage: tuple[CoveragePoint, ...]
    reliability: tuple[ReliabilityBin, ...]


def evaluate(
    tagger: Tagger, papers: Iterable[LabelledPaper], form: Form = Form.PUBLISHED
) -> Evaluation:
    """Grades the tagger on labelled papers in one form of their text.

    Raises `LabelsUnusable` when there is no paper.
    """
    kept = list(papers)
    if not kept:
        raise LabelsUnusable("There is no labelled paper to grade on; give a file that has some.")
    judgements = tagger.judge([form.of(paper) for paper in kept])
    probabilities = np.array([[j.probabilities[kind] for kind in TYPES] for j in judgements])
    truth = np.array([TYPES.index(paper.label) for paper in kept], dtype=np.int64)
    answered = np.array([j.tag != UNSURE for j in judgements])
    return grade(truth, probabilities, answered)


def grade(
    truth: NDArray[np.int64],
    probabilities: NDArray[np.float64],
    answered: NDArray[np.bool_],
) -> Evaluation:
    """The grade of probabilities, (papers, 3), against the numbers of the true types."""
    said = probabilities.argmax(axis=1)
    confidence = probabilities.max(axis=1)
    right = said == truth
    confusion = np.zeros((len(TYPES), len(TYPES)), dtype=np.int64)
    np.add.at(confusion, (truth, said), 1)
    scores = {str(kind): _type_score(confusion, number) for number, kind in enumerate(TYPES)}
    present = [score.f1 for score in scores.values() if score.support] or [0.0]
    bins = _reliability(confidence, right)
    total = len(truth)
    return Evaluation(
        papers=total,
        types=scores,
        macro_f1=float(np.mean(present)),
        accuracy=float(right.mean()),
        confusion={
            str(kind): {str(other): int(confusion[i, j]) for j, other in enumerate(TYPES)}
            for i, kind in enumerate(TYPES)
        },
        calibration_error=sum(b.papers * abs(b.confidence - b.accuracy) for b in bins) / total,
        answered=float(answered.mean()),
        answered_accuracy=float(right[answered].mean()) if answered.any() else 0.0,
        coverage=_coverage(confidence, right),
        reliability=tuple(bins),
    )


def _type_score(confusion: NDArray[np.int64], number: int) -> TypeScore:
    hits = int(confusion[number, number])
    said = int(confusion[:, number].sum())
    support = int(confusion[number].sum())
    precision = hits / said if said else 0.0
    recall = hits / support if support else 0.0
    f1 = 2 * hits / (said + support) if said + support else 0.0
    return TypeScore(precision, recall, f1, support)


def _reliability(
    confidence: NDArray[np.float64], right: NDArray[np.bool_]
) -> Sequence[ReliabilityBin]:
    numbers = np.minimum((confidence * _BINS).astype(np.int64), _BINS - 1)
    return [
        ReliabilityBin(
            number / _BINS, float(confidence[inside].mean()), float(right[inside].mean()), count
        )
        for number in range(_BINS)
        if (count := int((inside := numbers == number).sum()))
    ]


def _coverage(
    confidence: NDArray[np.float64], right: NDArray[np.bool_]
) -> tuple[CoveragePoint, ...]:
    surest_first = right[np.argsort(-confidence, kind="stable")]
    return tuple(
        CoveragePoint(share, float(surest_first[: max(1, round(share * len(right)))].mean()))
        for share in _COVERAGES
    )
