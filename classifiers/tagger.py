"""The tagger: gives papers a contribution type, its probabilities, and reasons."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from classifiers import artefact
from classifiers.artefact import Manifest, Model
from classifiers.contribution import TYPES, UNSURE, Judgement, Reason
from classifiers.features import Paper
from classifiers.reasons import explain
from classifiers.screening import no_abstract

_BATCH: Final = 1024


class Tagger:
    """Judges papers by title and abstract alone; where and under which topic they were listed
    never counts.
    """

    def __init__(self, model: Model, card: Manifest) -> None:
        self._model = model
        self._card = card

    @classmethod
    def load(cls, directory: Path) -> "Tagger":
        """The tagger of a model directory; raises `ModelRefused` when it cannot be used."""
        return cls(*artefact.load(directory))

    @property
    def card(self) -> Manifest:
        """What is known about the model: its id, date, scores and threshold."""
        return self._card

    def judge(self, papers: Sequence[Paper], *, reasons: bool = False) -> list[Judgement]:
        """One judgement a paper, in order.

        A title may be empty. A text that is no abstract is unsure, with the shares of the types in
        daily listings as its probabilities. Reasons cost about a millisecond a paper.
        """
        screened = [no_abstract(paper) for paper in papers]
        probabilities = self.probabilities(papers)
        judged: list[Judgement] = []
        for paper, problem, row in zip(papers, screened, probabilities.tolist(), strict=True):
            if problem is None:
                judged.append(self._judgement(paper, row, reasons=reasons))
            else:
                why = (Reason(problem, 0.0),) if reasons else ()
                judged.append(Judgement(UNSURE, None, dict(self._card.natural_mix), why))
        return judged

    def probabilities(self, papers: Sequence[Paper]) -> NDArray[np.float64]:
        """The calibrated probabilities, (papers, 3), types in the order of `ContributionType`.

        They are the model's word on any text; `judge` also asks whether it is an abstract.
        """
        batches = [
            _softmax(self._model.score(papers[start : start + _BATCH]))
            for start in range(0, len(papers), _BATCH)
        ]
        return np.concatenate(batches) if batches else np.zeros((0, len(TYPES)))

    def _judgement(self, paper: Paper, row: list[float], *, reasons: bool) -> Judgement:
        order = sorted(range(len(TYPES)), key=lambda number: -row[number])
        first, second = order[0], order[1]
        sure = row[first] >= self._card.threshold
        other = sure and row[second] >= self._card.secondary_threshold
        why = explain(self._model, self._names, paper, first) if reasons else ()
        return Judgement(
            tag=str(TYPES[first]) if sure else UNSURE,
            secondary=str(TYPES[second]) if other else None,
            probabilities={str(kind): row[number] for number, kind in enumerate(TYPES)},
            reasons=why,
        )

    @cached_property
    def _names(self) -> list[str]:
        return self._model.vectoriser.vocabulary.names()


def _softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)
