"""Trains the tagger on labelled papers, and finds out on held-out folds how good it is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import numpy as np

from classifiers import artefact, calibration, heldout
from classifiers.artefact import Manifest
from classifiers.calibration import Calibration
from classifiers.contribution import TYPES
from classifiers.evaluation import Form, grade
from classifiers.features import Paper, Vectoriser, learn_vocabulary
from classifiers.heldout import HeldOut
from classifiers.labels import LabelledPaper, LabelsUnusable, fingerprint, fingerprint_all
from classifiers.linear import Doubles, Floats, Model
from classifiers.semantics import LatentSemantics, learn_semantics
from classifiers.solver import Numbers, fit_against_rest, stacked, stratified_folds

# SciPy takes half a second to import, and whoever only tags needs none of it.
if TYPE_CHECKING:
    from scipy import sparse

_FORMS: Final = tuple(Form)
_FOLDS: Final = 5
_STRENGTH: Final = 10.0
_LEAST_A_TYPE: Final = 4
_RARE_IN_MANY: Final = 8
_MANY: Final = 1000

# A type with less than a fifth as many papers as the largest counts double, or it is not learnt.
_RARE_SHARE: Final = 0.2
_RARE_WEIGHT: Final = 2.0


@dataclass(frozen=True, slots=True)
class _Fitted:
    """Weights, (features, 3), and intercepts, (3,), before calibration."""

    weights: Doubles
    intercepts: Doubles

    def score(self, rows: "sparse.csr_matrix") -> Doubles:
        return cast("Doubles", rows @ self.weights) + self.intercepts


def train(
    papers: Iterable[LabelledPaper],
    directory: Path,
    *,
    today: date,
    unlabelled: Sequence[Paper] = (),
) -> Manifest:
    """Trains a tagger, writes it into a directory, and gives back its manifest.

    Every paper is learnt in three forms: as published, without announcements, and without title.
    From `unlabelled` texts, where there are any, it is learnt which words go together.
    The scores in the manifest are those of five folds, each judged by a model of the other four;
    papers of venues that publish several types are graded, where there are such. Those papers are
    kept beside the model as numbers (`heldout`), so that a retrained model can be graded on them.

    Raises `LabelsUnusable` when a type has fewer than four papers.
    """
    kept = list(papers)
    truth = _numbers(kept)
    _check_enough(truth)
    texts = [form.of(paper) for form in _FORMS for paper in kept]
    least = _RARE_IN_MANY if len(kept) >= _MANY else 1
    vectoriser = Vectoriser(learn_vocabulary(texts, least=least))
    plain_rows = _rows(vectoriser, texts)
    semantics = _semantics(vectoriser, unlabelled, plain_rows) if unlabelled else None
    rows = semantics.widen(plain_rows) if semantics else plain_rows
    counting = np.array([paper.weight for paper in kept])
    held_out = _judge_by_folds(rows, truth, counting)
    weights = calibration.weights_for(kept)
    chosen = calibration.calibrate(held_out, truth, weights)
    fitted = _fit(rows, truth, counting)
    if semantics:
        fitted = _Fitted(*semantics.fold(fitted.weights, fitted.intercepts))
    manifest = Manifest(
        format=artefact.FORMAT,
        model_id="",
        trained_on=today.isoformat(),
        scikit_learn=artefact.scikit_learn_version(),
        labels=tuple(str(kind) for kind in TYPES),
        training_set=fingerprint_all(kept),
        training_counts={str(kind): int((truth == n).sum()) for n, kind in enumerate(TYPES)},
        scores=_scores(held_out[:, weights > 0], truth[weights > 0], chosen),
        threshold=round(chosen.threshold, 4),
        secondary_threshold=calibration.SECONDARY_THRESHOLD,
        natural_mix=dict(calibration.NATURAL_MIX),
    )
    model = Model(
        vectoriser,
        (fitted.weights * chosen.sharpness).astype(np.float32),
        fitted.intercepts * chosen.sharpness + chosen.offsets,
    )
    written = artefact.save(directory, model, manifest)
    bare = _FORMS.index(Form.BARE)
    graded = np.flatnonzero(weights > 0)
    papers_held = [kept[number] for number in graded]
    heldout.save(
        directory,
        written.model_id,
        HeldOut(
            vectoriser.find([paper.bare for paper in papers_held]),
            truth[graded],
            held_out[bare, graded] * chosen.sharpness + chosen.offsets,
            np.array(
                [heldout.number_of(fingerprint(paper.abstract)) for paper in papers_held],
                dtype=np.uint64,
            ),
        ),
    )
    return written


def _numbers(papers: Sequence[LabelledPaper]) -> Numbers:
    return np.array([TYPES.index(paper.label) for paper in papers], dtype=np.int64)


def _check_enough(truth: Numbers) -> None:
    for number, kind in enumerate(TYPES):
        found = int((truth == number).sum())
        if found < _LEAST_A_TYPE:
            raise LabelsUnusable(
                f"Training needs at least {_LEAST_A_TYPE} papers of each type and there are "
                f"{found} of {kind}; add some and train again."
            )


def _rows(vectoriser: Vectoriser, texts: Sequence[Paper]) -> "sparse.csr_matrix":
    """The features of papers as rows of unit length."""
    from scipy import sparse

    present = vectoriser.find(texts)
    counts = np.diff(present.starts)
    data: Floats = np.repeat(1 / np.sqrt(np.maximum(counts, 1)), counts).astype(np.float32)
    shape = (len(texts), 2 * vectoriser.vocabulary.block)
    return sparse.csr_matrix((data.astype(np.float64), present.columns, present.starts), shape)


def _semantics(
    vectoriser: Vectoriser, unlabelled: Sequence[Paper], labelled: "sparse.csr_matrix"
) -> LatentSemantics:
    """What goes together in unlabelled texts and, as published, in the labelled ones."""
    papers = cast("tuple[int, int]", labelled.shape)[0] // len(_FORMS)
    published = _take(labelled, np.arange(papers), np.zeros(1, dtype=np.int64))
    return learn_semantics(stacked([_rows(vectoriser, unlabelled), published], down=True))


def _judge_by_folds(rows: "sparse.csr_matrix", truth: Numbers, counting: Doubles) -> Doubles:
    """Scores, (forms, papers, 3), of each paper by a model that saw it in no form."""
    scores = np.zeros((len(_FORMS), len(truth), len(TYPES)))
    starts = np.arange(len(_FORMS)) * len(truth)
    for learnt, judged in stratified_folds(truth, _FOLDS):
        fitted = _fit(_take(rows, learnt, starts), truth[learnt], counting[learnt])
        scores[:, judged] = fitted.score(_take(rows, judged, starts)).reshape(
            len(_FORMS), len(judged), len(TYPES)
        )
    return scores


def _take(rows: "sparse.csr_matrix", papers: Numbers, starts: Numbers) -> "sparse.csr_matrix":
    return cast("sparse.csr_matrix", rows[(starts[:, None] + papers).ravel()])


def _fit(rows: "sparse.csr_matrix", truth: Numbers, counting: Doubles) -> _Fitted:
    """One regression a type against the others, on all forms of the papers.

    `counting` is how much each paper counts.
    """
    counted = np.bincount(truth, minlength=len(TYPES))
    by_type = np.where(counted < _RARE_SHARE * counted.max(), _RARE_WEIGHT, 1.0)
    everywhere = np.tile(truth, len(_FORMS))
    weights = by_type[everywhere] * np.tile(counting, len(_FORMS))
    parts = [
        fit_against_rest(rows, everywhere == number, weights, _STRENGTH)
        for number in range(len(TYPES))
    ]
    return _Fitted(
        np.stack([weight for weight, _ in parts], axis=1),
        np.array([intercept for _, intercept in parts]),
    )


def _scores(held_out: Doubles, truth: Numbers, chosen: Calibration) -> dict[str, float]:
    found: dict[str, float] = {}
    for form, scores in zip(_FORMS, held_out, strict=True):
        probabilities = calibration.apply(chosen, scores)
        answered = probabilities.max(axis=1) >= chosen.threshold
        graded = grade(truth, probabilities, answered)
        found[f"{form} macro F1"] = round(graded.macro_f1, 4)
        for kind, score in graded.types.items():
            found[f"{form} {kind} F1"] = round(score.f1, 4)
        found[f"{form} accuracy"] = round(graded.accuracy, 4)
        found[f"{form} calibration error"] = round(graded.calibration_error, 4)
        found[f"{form} answered"] = round(graded.answered, 4)
        found[f"{form} answered accuracy"] = round(graded.answered_accuracy, 4)
    return found
