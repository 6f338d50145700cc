"""Makes a new model directory of an old one and people's corrections."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Final

from classifiers import artefact, heldout
from classifiers.adapting import Correction, adapt
from classifiers.artefact import Manifest
from classifiers.contribution import TYPES
from classifiers.evaluation import Evaluation

TOLERANCE: Final = 0.005
"""By so much the F1 of a type may fall; a model that loses more is not to be used."""


@dataclass(frozen=True, slots=True)
class Retrained:
    """A model that learnt corrections: its manifest, and F1 by type before and after, and "all".

    `learnt` is the number of corrections that were learnt; those of papers that the grade needs
    are not. `fell` names the types whose F1 fell by more than `TOLERANCE`.
    """

    manifest: Manifest
    learnt: int
    before: dict[str, float]
    after: dict[str, float]

    def against(self, other: Mapping[str, float] | None) -> "Retrained":
        """The same, with the grade of another model as the one before; None changes nothing."""
        return self if other is None else replace(self, before=self.before | dict(other))

    @property
    def fell(self) -> tuple[str, ...]:
        """The types that the new model tells worse than it may."""
        return tuple(
            str(kind) for kind in TYPES if self.before[kind] - self.after[kind] > TOLERANCE
        )


def retrain(
    base: Path, corrections: Sequence[Correction], directory: Path, *, today: date
) -> Retrained:
    """Changes the model of `base` by corrections and writes it into `directory`.

    The scores in its manifest are those after the change, on the base's held-out papers. Raises
    `ModelRefused` where the base or its held-out papers cannot be used.
    """
    model, manifest = artefact.load(base)
    held = heldout.load(base, model, manifest.model_id)
    adapted = adapt(model, held, corrections, threshold=manifest.threshold)
    written = artefact.save(
        directory,
        adapted.model,
        replace(
            manifest,
            model_id="",
            trained_on=today.isoformat(),
            scikit_learn=artefact.scikit_learn_version(),
            training_set=_named(manifest.training_set, corrections),
            training_counts={
                str(kind): manifest.training_counts.get(str(kind), 0)
                + sum(correction.label == kind for correction in corrections)
                for kind in TYPES
            },
            scores=_scores(adapted.after),
        ),
    )
    return Retrained(written, adapted.learnt, _f1(adapted.before), _f1(adapted.after))


def _named(training_set: str, corrections: Sequence[Correction]) -> str:
    parts = sorted(f"{c.title}\0{c.abstract}\0{c.label}\0{c.weight}" for c in corrections)
    return hashlib.sha256("\n".join([training_set, *parts]).encode()).hexdigest()[:16]


def _f1(grade: Evaluation) -> dict[str, float]:
    return {name: score.f1 for name, score in grade.types.items()} | {"all": grade.macro_f1}


def _scores(grade: Evaluation) -> dict[str, float]:
    scores = {f"bare {name} F1": score.f1 for name, score in grade.types.items()}
    scores |= {
        "bare macro F1": grade.macro_f1,
        "bare accuracy": grade.accuracy,
        "bare calibration error": grade.calibration_error,
        "bare answered": grade.answered,
        "bare answered accuracy": grade.answered_accuracy,
    }
    return {name: round(score, 4) for name, score in scores.items()}
