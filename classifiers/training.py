"""Trains the tagger on labelled papers, and finds out on held-out folds how good it is."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from classifiers import artefact, calibration
from classifiers.artefact import Manifest, Model
from classifiers.calibration import Calibration
from classifiers.contribution import TYPES
from classifiers.evaluation import Form, grade
from classifiers.features import Vectoriser, learn_vocabulary
from classifiers.labels import LabelledPaper, LabelsUnusable, fingerprint_all

_FORMS: Final = tuple(Form)
_FOLDS: Final = 5
_SEED: Final = 20261201
_STRENGTH: Final = 10.0
_LEAST_A_TYPE: Final = 4
_RARE_IN_MANY: Final = 8
_MANY: Final = 1000

Numbers = NDArray[np.int64]
Doubles = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Linear:
    weights: Doubles
    intercepts: Doubles

    def score(self, rows: sparse.csr_matrix) -> Doubles:
        return cast("Doubles", rows @ self.weights.T + self.intercepts)


def train(papers: Iterable[LabelledPaper], directory: Path, *, today: date) -> Manifest:
    """Trains a tagger, writes it into a directory, and gives back its manifest.

    Every paper is learnt in three forms: as published, without announcements, and without title.
    The scores in the manifest are those of five folds, each judged by a model of the other four.

    Raises `LabelsUnusable` when a type has fewer than four papers.
    """
    kept = list(papers)
    truth = _numbers(kept)
    _check_enough(truth)
    texts = [form.of(paper) for form in _FORMS for paper in kept]
    least = _RARE_IN_MANY if len(kept) >= _MANY else 1
    vocabulary, inverse = learn_vocabulary(texts, least=least)
    vectoriser = Vectoriser(vocabulary, inverse)
    rows = vectoriser.transform(texts)
    held_out = _judge_by_folds(rows, truth)
    chosen = calibration.calibrate(held_out, truth, calibration.weights_for(kept))
    fitted = _fit(rows, np.tile(truth, len(_FORMS)))
    manifest = Manifest(
        format=artefact.FORMAT,
        model_id="",
        trained_on=today.isoformat(),
        scikit_learn=artefact.scikit_learn_version(),
        labels=tuple(str(kind) for kind in TYPES),
        training_set=fingerprint_all(kept),
        training_counts={str(kind): int((truth == n).sum()) for n, kind in enumerate(TYPES)},
        scores=_scores(held_out, truth, chosen),
        threshold=round(chosen.threshold, 4),
        secondary_threshold=calibration.SECONDARY_THRESHOLD,
        natural_mix=dict(calibration.NATURAL_MIX),
    )
    model = Model(
        vectoriser,
        (fitted.weights * chosen.sharpness).astype(np.float32),
        fitted.intercepts * chosen.sharpness + chosen.offsets,
    )
    return artefact.save(directory, model, manifest)


def _numbers(papers: Sequence[LabelledPaper]) -> Numbers:
    return np.array([TYPES.index(paper.label) for paper in papers], dtype=np.int64)


def _check_enough(truth: Numbers) -> None:
    counted = Counter(cast("list[int]", truth.tolist()))
    for number, kind in enumerate(TYPES):
        if counted[number] < _LEAST_A_TYPE:
            raise LabelsUnusable(
                f"Training needs at least {_LEAST_A_TYPE} papers of each type and there are "
                f"{counted[number]} of {kind}; add some and train again."
            )


def _judge_by_folds(rows: sparse.csr_matrix, truth: Numbers) -> Doubles:
    """Scores, (forms, papers, 3), of each paper by a model that saw it in no form."""
    scores = np.zeros((len(_FORMS), len(truth), len(TYPES)))
    starts = np.arange(len(_FORMS)) * len(truth)
    for learnt, judged in _folds(truth):
        fitted = _fit(_take(rows, learnt, starts), np.tile(truth[learnt], len(_FORMS)))
        scores[:, judged] = fitted.score(_take(rows, judged, starts)).reshape(
            len(_FORMS), len(judged), len(TYPES)
        )
    return scores


def _take(rows: sparse.csr_matrix, papers: Numbers, starts: Numbers) -> sparse.csr_matrix:
    return rows[(starts[:, None] + papers).ravel()]


def _folds(truth: Numbers) -> list[tuple[Numbers, Numbers]]:
    from sklearn.model_selection import StratifiedKFold

    least = min(Counter(cast("list[int]", truth.tolist())).values())
    splitter = StratifiedKFold(min(_FOLDS, least), shuffle=True, random_state=_SEED)
    split = splitter.split(np.zeros(len(truth)), truth)
    return [(np.asarray(learnt), np.asarray(judged)) for learnt, judged in split]


def _fit(rows: sparse.csr_matrix, truth: Numbers) -> _Linear:
    from sklearn.linear_model import LogisticRegression

    fitted = LogisticRegression(C=_STRENGTH, max_iter=400).fit(rows, truth)
    return _Linear(np.asarray(fitted.coef_), np.asarray(fitted.intercept_))


def _scores(held_out: Doubles, truth: Numbers, chosen: Calibration) -> dict[str, float]:
    found: dict[str, float] = {}
    for form, scores in zip(_FORMS, held_out, strict=True):
        probabilities = calibration.apply(chosen, scores)
        answered = probabilities.max(axis=1) >= chosen.threshold
        graded = grade(truth, probabilities, answered)
        found[f"{form} macro F1"] = round(graded.macro_f1, 4)
        for kind, score in graded.types.items():
            found[f"{form} {kind} F1"] = round(score.f1, 4)
    return found
