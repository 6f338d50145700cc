"""What unlabelled texts say about words carries over to words that no labelled paper teaches."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from classifiers import Tagger, train
from classifiers.semantics import learn_semantics
from tests.classifiers.conftest import written_papers

if TYPE_CHECKING:
    from pathlib import Path

_TODAY = date(2026, 12, 1)


def test_folded_weights_score_plain_rows_as_the_wide_ones_did() -> None:
    random = np.random.default_rng(7)
    present = random.random((60, 40)) < 0.3
    rows = sparse.csr_matrix(present / np.sqrt(np.maximum(present.sum(axis=1, keepdims=True), 1)))
    semantics = learn_semantics(rows)
    wide = semantics.widen(rows)
    weights, intercepts = random.normal(size=(wide.shape[1], 3)), random.normal(size=3)
    folded, moved = semantics.fold(weights, intercepts)
    assert folded.shape == (40, 3)
    np.testing.assert_allclose(rows @ folded + moved, wide @ weights + intercepts)


def test_a_rare_word_is_told_by_the_company_it_keeps(tmp_path: Path) -> None:
    papers = written_papers()
    theory = [paper for paper in papers if paper.label == "theory"]
    # "lemmata" stands beside the words of theory papers in texts that nobody labelled, and in one
    # labelled paper of another kind, which is all that plain training knows of it.
    other = next(n for n, paper in enumerate(papers) if paper.label == "methods")
    said = papers[other]
    papers[other] = type(said)(said.title, f"{said.abstract} Our lemmata help.", said.label)
    unlabelled = [(paper.title, f"Lemmata: {paper.abstract} Lemmata help.") for paper in theory] * 3
    train(papers, tmp_path / "plain", today=_TODAY)
    train(papers, tmp_path / "wide", today=_TODAY, unlabelled=unlabelled)
    plain, wide = (
        Tagger.load(tmp_path / name).probabilities([("", "Lemmata and lemmata help.")])[0]
        for name in ("plain", "wide")
    )
    assert wide[1] > plain[1]
