"""A model changes as little as corrections demand, and is graded on papers it did not learn."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from classifiers import ModelRefused, artefact, heldout
from classifiers.adapting import Correction, adapt
from classifiers.contribution import ContributionType
from classifiers.heldout import HELDOUT_FILE
from classifiers.labels import fingerprint
from classifiers.linear import softmax
from classifiers.retraining import retrain
from classifiers.rows import Rows
from tests.classifiers.conftest import SHIPPED, written_papers

_ODD = (
    "A tale of nine lighthouses",
    "Nine lighthouses were visited in turn. Their keepers kept diaries, and the diaries tell of "
    "storms. Whoever reads them learns how light was kept, and what it cost the keepers.",
)


@pytest.fixture(scope="module")
def model():
    return artefact.load(SHIPPED)[0]


@pytest.fixture(scope="module")
def held(model):
    card = artefact.load(SHIPPED)[1]
    return heldout.load(SHIPPED, model, card.model_id)


def chance(model, label: ContributionType, paper=_ODD) -> float:
    return float(softmax(model.score([paper]))[0, list(ContributionType).index(label)])


def test_rows_times_weights_is_what_the_model_adds_up(model) -> None:
    present = model.vectoriser.find([paper.published for paper in written_papers()])
    rows = Rows.of(present, len(model.weights))
    assert np.allclose(
        rows.times(model.weights.astype(np.float64)) + model.intercepts,
        model.weigh(present),
        atol=1e-4,
    )


def test_without_corrections_nothing_changes(model, held) -> None:
    adapted = adapt(model, held, [], threshold=0.7)
    assert np.array_equal(adapted.model.weights, model.weights)
    assert np.allclose(adapted.model.intercepts, model.intercepts)
    assert adapted.after == adapted.before


def test_a_correction_is_learnt_more_surely_the_more_it_counts(model, held) -> None:
    label = ContributionType.POSITION
    before = chance(model, label)
    once, thrice = (
        adapt(model, held, [Correction(*_ODD, label, weight)], threshold=0.7)
        for weight in (1.0, 3.0)
    )
    assert before < chance(once.model, label) < chance(thrice.model, label)
    assert once.learnt == 1


def test_only_features_of_corrected_papers_move(model, held) -> None:
    adapted = adapt(model, held, [Correction(*_ODD, ContributionType.POSITION, 1.0)], threshold=0.7)
    moved = np.flatnonzero((adapted.model.weights != model.weights).any(axis=1))
    forms = [_ODD, ("", _ODD[1])]
    assert set(moved.tolist()) <= set(model.vectoriser.find(forms).columns.tolist())


def test_one_wrong_correction_flips_no_other_paper(model, held) -> None:
    papers = [paper.published for paper in written_papers()]
    before = model.score(papers).argmax(axis=1)
    wrong = Correction(*_ODD, ContributionType.THEORY, 1.0)
    adapted = adapt(model, held, [wrong], threshold=0.7)
    assert np.array_equal(adapted.model.score(papers).argmax(axis=1), before)


def test_a_held_out_paper_is_not_learnt_from(model, held) -> None:
    known = replace(
        held,
        fingerprints=np.append(
            held.fingerprints[1:], np.uint64(heldout.number_of(fingerprint(_ODD[1])))
        ),
    )
    correction = Correction(*_ODD, ContributionType.POSITION, 3.0)
    adapted = adapt(model, known, [correction], threshold=0.7)
    assert adapted.learnt == 0
    assert np.array_equal(adapted.model.weights, model.weights)


def test_held_out_papers_are_graded_as_the_manifest_says(model, held) -> None:
    card = artefact.load(SHIPPED)[1]
    adapted = adapt(model, held, [], threshold=card.threshold)
    for kind, score in adapted.before.types.items():
        assert score.f1 == pytest.approx(card.scores[f"bare {kind} F1"], abs=1e-3)


def test_a_retrained_model_is_a_model_with_its_new_scores(tmp_path) -> None:
    corrections = [
        Correction(*paper.published, paper.label, 1.0) for paper in written_papers()[::5]
    ]
    made = retrain(SHIPPED, corrections, tmp_path / "new", today=date(2026, 6, 1))
    _, card = artefact.load(tmp_path / "new")
    assert card == made.manifest
    assert card.trained_on == "2026-06-01"
    assert card.training_set != artefact.load(SHIPPED)[1].training_set
    assert sum(card.training_counts.values()) == 6 + sum(
        artefact.load(SHIPPED)[1].training_counts.values()
    )
    assert card.scores["bare theory F1"] == pytest.approx(made.after["theory"], abs=1e-4)


def test_a_type_that_falls_too_far_is_named(tmp_path) -> None:
    made = retrain(SHIPPED, [], tmp_path / "new", today=date(2026, 6, 1))
    assert made.fell == ()
    assert made.against({"theory": made.after["theory"] + 0.006}).fell == ("theory",)
    assert made.against({"theory": made.after["theory"] + 0.004}).fell == ()


def test_training_keeps_held_out_papers_beside_the_model(trained) -> None:
    model, card = artefact.load(trained)
    held = heldout.load(trained, model, card.model_id)
    assert len(held.truth) == 30
    bare = [paper.bare for paper in written_papers()]
    found = model.vectoriser.find(bare)
    assert np.array_equal(held.present.columns, found.columns)
    assert np.array_equal(held.present.starts, found.starts)


def test_held_out_papers_of_another_model_or_damaged_ones_are_refused(tmp_path, trained) -> None:
    model, card = artefact.load(trained)
    with pytest.raises(ModelRefused, match="belong to another model"):
        heldout.load(trained, model, "0123456789ab")
    written = (trained / HELDOUT_FILE).read_bytes()
    for bad in (b"", b"nonsense", written[:-200], written[:300]):
        (tmp_path / HELDOUT_FILE).write_bytes(bad)
        with pytest.raises(ModelRefused, match="cannot be read"):
            heldout.load(tmp_path, model, card.model_id)
    (tmp_path / HELDOUT_FILE).unlink()
    with pytest.raises(ModelRefused, match="cannot be read"):
        heldout.load(tmp_path, model, card.model_id)


def test_all_that_ships_of_the_tagger_is_at_most_five_megabytes() -> None:
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) <= 5_000_000
