"""Learns from corrections: changes a trained model as little as the corrections demand.

The texts that a model was trained on do not come with it; its weights do, and they are what the
training learnt from those texts. So retraining starts from the weights W that shipped and finds
the change D that is least in

    sum of w_i * CE(y_i, x_i (W + D))  over the corrections
      + REHEARSAL * sum of CE(p_j, s_j + x_j D)  over the model's held-out papers
      + STRENGTH / 2 * |D|^2

where CE is the cross-entropy of the calibrated probabilities, s_j the score of a held-out paper by
a model that had not seen it and p_j its probabilities. This is the maximum a posteriori estimate
under a Gaussian prior around the old weights (Chelba and Acero, "Adaptation of maximum entropy
capitalizer: little data can help a lot", 2004), and it keeps what the model says of other papers
(Li and Hoiem, "Learning without forgetting", 2016): without corrections D is nothing. Only features
of corrected papers move. People correct what is wrong, not a sample of papers, so the balance of
the types is put right afterwards: two offsets are fitted to the held-out papers with the change and
without it, and their difference is added to the intercepts.

A change is graded by halves: with one half of the held-out papers rehearsed the other is graded,
and the other way round. The change that is kept rehearses all of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from classifiers import heldout
from classifiers.contribution import TYPES, ContributionType
from classifiers.evaluation import Evaluation, Form, grade
from classifiers.heldout import HeldOut
from classifiers.labels import LabelledPaper, fingerprint
from classifiers.linear import Doubles, Floats, Model, softmax
from classifiers.rows import Rows
from classifiers.solver import Numbers, descend, minimise

STRENGTH: Final = 1.0
"""How firmly the weights are held; `docs/learning.md` says what others did."""

REHEARSAL: Final = 3.0
"""How much a held-out paper counts beside a correction by one person."""

_FORMS: Final = tuple(Form)


@dataclass(frozen=True, slots=True)
class Correction:
    """A paper, the type that people settled on, and how much it counts."""

    title: str
    abstract: str
    label: ContributionType
    weight: float


@dataclass(frozen=True, slots=True)
class Adapted:
    """A changed model, how many corrections it learnt, and the grades before and after.

    Both grades are of the same held-out papers.
    """

    model: Model
    learnt: int
    before: Evaluation
    after: Evaluation


@dataclass(frozen=True, slots=True)
class _Task:
    """Rows to learn from, their scores by the old model, wanted probabilities and weights."""

    rows: Rows
    scores: Doubles
    wanted: Doubles
    weights: Doubles


def adapt(
    model: Model, held: HeldOut, corrections: Sequence[Correction], *, threshold: float
) -> Adapted:
    """The model changed by corrections, and what that did to its grades.

    Corrections of papers that are among the held-out ones are not learnt, so that the grade stays
    honest. `threshold` is the probability below which a paper counts as unsure.
    """
    known = set(held.fingerprints.tolist())
    fresh = [
        correction
        for correction in corrections
        if heldout.number_of(fingerprint(correction.abstract)) not in known
    ]
    corrected = _corrections(model, fresh)
    features = len(model.weights)
    rows = Rows.of(held.present, features)
    every = np.arange(len(held.truth))
    graded = held.scores.copy()
    for half in (every[::2], every[1::2]):
        change, offsets = _change(corrected, rows, held, np.setdiff1d(every, half), features)
        graded[half] += rows.take(half).times(change) + offsets
    change, offsets = _change(corrected, rows, held, every, features)
    weights: Floats = (model.weights + change).astype(np.float32)
    return Adapted(
        Model(model.vectoriser, weights, model.intercepts + offsets),
        len(fresh),
        _grade(held.truth, held.scores, threshold),
        _grade(held.truth, graded, threshold),
    )


def _corrections(model: Model, corrections: Sequence[Correction]) -> _Task:
    """Every correction in the forms in which papers are learnt, the forms sharing its weight."""
    papers = [LabelledPaper(c.title, c.abstract, c.label) for c in corrections]
    present = model.vectoriser.find([form.of(paper) for form in _FORMS for paper in papers])
    truth = np.array([TYPES.index(c.label) for c in corrections], dtype=np.int64)
    weights = np.array([c.weight for c in corrections], dtype=np.float64) / len(_FORMS)
    return _Task(
        Rows.of(present, len(model.weights)),
        model.weigh(present),
        np.tile(np.eye(len(TYPES))[truth], (len(_FORMS), 1)),
        np.tile(weights, len(_FORMS)),
    )


def _change(
    corrected: _Task, rows: Rows, held: HeldOut, rehearsed: Numbers, features: int
) -> tuple[Doubles, Doubles]:
    """What is added to the weights, (features, 3), and to the intercepts, (3,)."""
    scores, truth = held.scores[rehearsed], held.truth[rehearsed]
    task = _Task(rows.take(rehearsed), scores, softmax(scores), np.full(len(rehearsed), REHEARSAL))
    change = _least(corrected, task, features)
    changed = scores + task.rows.times(change)
    return change, _balance(changed, truth) - _balance(scores, truth)


def _least(corrected: _Task, rehearsed: _Task, features: int) -> Doubles:
    moved = corrected.rows.columns()
    change = np.zeros((features, len(TYPES)))
    if not len(moved):
        return change
    rows = corrected.rows.above(rehearsed.rows, moved)
    across = rows.across()
    scores = np.concatenate([corrected.scores, rehearsed.scores])
    wanted = np.concatenate([corrected.wanted, rehearsed.wanted])
    weights = np.concatenate([corrected.weights, rehearsed.weights])

    def loss(values: Doubles) -> tuple[float, Doubles]:
        moves = values.reshape(len(moved), len(TYPES))
        logs = _log_softmax(scores + rows.times(moves))
        pull = (np.exp(logs) - wanted) * weights[:, None]
        gradient = across.times(pull) + STRENGTH * moves
        total = -(weights[:, None] * wanted * logs).sum() + STRENGTH / 2 * (moves**2).sum()
        return float(total), gradient.ravel()

    found = descend(loss, np.zeros(len(moved) * len(TYPES)))
    change[moved] = found.reshape(len(moved), len(TYPES))
    return change


def _balance(scores: Doubles, truth: Numbers) -> Doubles:
    """The offsets of the types with which scores fit the labels best; that of methods is 0."""
    places = np.arange(len(truth))

    def loss(values: Doubles) -> float:
        logs = _log_softmax(scores + np.array([values[0], values[1], 0.0]))
        return float(-logs[places, truth].mean() + 1e-4 * (values**2).sum())

    fitted = minimise(loss, np.zeros(2))
    return np.array([fitted[0], fitted[1], 0.0])


def _log_softmax(scores: Doubles) -> Doubles:
    return scores - np.logaddexp.reduce(scores, axis=1)[:, None]


def _grade(truth: Numbers, scores: Doubles, threshold: float) -> Evaluation:
    chances = softmax(scores)
    return grade(truth, chances, chances.max(axis=1) >= threshold)
