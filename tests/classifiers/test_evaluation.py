"""The grade is what it says."""

from pathlib import Path

import numpy as np
import pytest

from classifiers import Form, LabelledPaper, LabelsUnusable, Tagger, evaluate
from classifiers.contribution import ContributionType
from classifiers.evaluation import grade
from tests.classifiers.conftest import written_papers

_TRUTH = np.array([0, 1, 2, 2])
_SAID = np.array([[0.9, 0.1, 0.0], [0.2, 0.3, 0.5], [0.0, 0.0, 1.0], [0.0, 0.4, 0.6]])


def test_precision_recall_and_confusion_count_the_likeliest_type() -> None:
    found = grade(_TRUTH, _SAID, np.array([True, False, True, True]))
    assert found.confusion["theory"] == {"position": 0, "theory": 0, "methods": 1}
    assert found.types["methods"].precision == pytest.approx(2 / 3)
    assert found.types["methods"].recall == 1
    assert found.types["methods"].f1 == pytest.approx(0.8)
    assert found.macro_f1 == pytest.approx((1 + 0 + 0.8) / 3)
    assert found.accuracy == 0.75


def test_unsure_papers_count_as_not_answered() -> None:
    found = grade(_TRUTH, _SAID, np.array([True, False, True, True]))
    assert (found.answered, found.answered_accuracy) == (0.75, 1.0)
    none = grade(_TRUTH, _SAID, np.zeros(4, dtype=np.bool_))
    assert (none.answered, none.answered_accuracy) == (0.0, 0.0)


def test_the_calibration_error_is_the_mean_gap_between_sure_and_right() -> None:
    found = grade(_TRUTH, _SAID, np.ones(4, dtype=np.bool_))
    # One bin each for 0.5 (wrong), 0.6 (right), and one for 0.9 and 1.0 (both right).
    assert found.calibration_error == pytest.approx((0.5 + 0.4 + 2 * 0.05) / 4)
    assert [inside.papers for inside in found.reliability] == [1, 1, 2]


def test_accuracy_rises_when_only_the_surest_are_answered() -> None:
    found = grade(_TRUTH, _SAID, np.ones(4, dtype=np.bool_))
    accuracies = {point.coverage: point.accuracy for point in found.coverage}
    assert accuracies[1.0] == 0.75
    assert accuracies[0.7] == 1.0


def test_a_type_that_no_paper_has_does_not_count_in_the_mean() -> None:
    found = grade(np.array([2, 2]), _SAID[2:], np.ones(2, dtype=np.bool_))
    assert found.macro_f1 == 1


@pytest.mark.parametrize("form", list(Form))
def test_a_tagger_is_graded_on_each_form_of_the_texts(trained: Path, form: Form) -> None:
    found = evaluate(Tagger.load(trained), written_papers(), form)
    assert found.papers == 30
    assert found.accuracy > 0.9


def test_the_form_decides_what_is_judged() -> None:
    paper = LabelledPaper(
        "Position: Care", "This position paper argues.", ContributionType.POSITION
    )
    judged = {form: form.of(paper) for form in Form}
    assert judged[Form.PUBLISHED] == ("Position: Care", "This position paper argues.")
    assert judged[Form.BARE] == ("Care", "This paper argues.")
    assert judged[Form.UNTITLED] == ("", "This paper argues.")


def test_nothing_to_grade_on_is_refused_in_a_sentence(trained: Path) -> None:
    with pytest.raises(LabelsUnusable, match="no labelled paper to grade on"):
        evaluate(Tagger.load(trained), [])
