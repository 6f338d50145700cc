"""The tagger: gives papers a contribution type, its probabilities, and reasons."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Final, cast

import numpy as np

from classifiers import artefact
from classifiers.artefact import Manifest
from classifiers.contribution import TYPES, UNSURE, Judgement, Reason
from classifiers.features import Paper
from classifiers.linear import Doubles, Model, softmax
from classifiers.reasons import QuickReasons, explain
from classifiers.screening import TITLE_DECIDED, is_short, no_abstract

_BATCH: Final = 256
_NAMES: Final = tuple(str(kind) for kind in TYPES)
_OTHERS: Final = tuple(
    tuple(number for number in range(len(TYPES)) if number != kind) for kind in range(len(TYPES))
)


class Tagger:
    """Judges papers by title and abstract alone, never by where or under which topic they stand."""

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

    def judge(
        self, papers: Sequence[Paper], *, reasons: bool = False, exact: bool = True
    ) -> list[Judgement]:
        """One judgement a paper, in order.

        A title may be empty. A text that is no abstract is unsure, with the shares of the types in
        listings as its probabilities. Exact reasons take some milliseconds a paper; with
        `exact=False` a few are given at hardly any cost, whose weights are the shares of the words
        in the log-odds and which name no sentence.
        """
        judged: list[Judgement] = []
        for start in range(0, len(papers), _BATCH):
            batch = papers[start : start + _BATCH]
            present = self._model.vectoriser.find(batch)
            shares = softmax(self._model.weigh(present))
            likeliest = shares.argmax(axis=1)
            whys: list[tuple[Reason, ...]] = [()] * len(batch)
            if reasons and not exact:
                whys = self._quick.explain(present, likeliest)
            rows = cast("list[list[float]]", shares.tolist())
            tags = cast("list[int]", likeliest.tolist())
            for paper, row, tag, why in zip(batch, rows, tags, whys, strict=True):
                problem = no_abstract(paper)
                if problem is not None:
                    judged.append(self._no_judgement(problem if reasons else ""))
                elif self._title_decided(paper, row, tag):
                    judged.append(self._title_alone(row, reasons=reasons))
                elif reasons and exact:
                    found = explain(self._model, self._names, paper, tag)
                    judged.append(self._judgement(row, tag, found))
                else:
                    judged.append(self._judgement(row, tag, why))
        return judged

    def probabilities(self, papers: Sequence[Paper]) -> Doubles:
        """The calibrated probabilities, (papers, 3), types in the order of `ContributionType`.

        They are the model's word on any text; `judge` also asks whether it is an abstract.
        """
        batches = [
            softmax(self._model.score(papers[start : start + _BATCH]))
            for start in range(0, len(papers), _BATCH)
        ]
        return np.concatenate(batches) if batches else np.zeros((0, len(TYPES)))

    def _judgement(
        self, row: list[float], likeliest: int, reasons: tuple[Reason, ...]
    ) -> Judgement:
        sure = row[likeliest] >= self._card.threshold
        second = max(_OTHERS[likeliest], key=row.__getitem__)
        other = sure and row[second] >= self._card.secondary_threshold
        return Judgement(
            tag=_NAMES[likeliest] if sure else UNSURE,
            secondary=_NAMES[second] if other else None,
            probabilities=dict(zip(_NAMES, row, strict=True)),
            reasons=reasons,
        )

    def _title_decided(self, paper: Paper, row: list[float], tag: int) -> bool:
        """Whether a short abstract alone would not bear out the tag."""
        if row[tag] < self._card.threshold or not paper[0] or not is_short(paper):
            return False
        alone = softmax(self._model.score([("", paper[1])]))[0]
        return bool(alone.argmax() != tag or alone[tag] < self._card.threshold)

    def _title_alone(self, row: list[float], *, reasons: bool) -> Judgement:
        why = (Reason(TITLE_DECIDED, 0.0),) if reasons else ()
        return Judgement(UNSURE, None, dict(zip(_NAMES, row, strict=True)), why)

    def _no_judgement(self, problem: str) -> Judgement:
        why = (Reason(problem, 0.0),) if problem else ()
        return Judgement(UNSURE, None, dict(self._card.natural_mix), why)

    @cached_property
    def _names(self) -> list[str]:
        return self._model.vectoriser.vocabulary.names()

    @cached_property
    def _quick(self) -> QuickReasons:
        return QuickReasons(self._model, self._names)
