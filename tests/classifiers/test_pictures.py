"""A grade is drawn as pictures that open."""

from pathlib import Path

import numpy as np
import pytest

from classifiers.evaluation import grade
from classifiers.pictures import draw

_PNG = b"\x89PNG\r\n\x1a\n"


def test_a_grade_is_drawn_into_a_folder_that_is_made(tmp_path: Path) -> None:
    truth = np.array([0, 1, 2, 2])
    probabilities = np.array([[0.9, 0.05, 0.05], [0.2, 0.6, 0.2], [0.1, 0.1, 0.8], [0.7, 0.1, 0.2]])
    drawn = draw(grade(truth, probabilities, probabilities.max(axis=1) > 0.65), tmp_path / "new")
    assert [path.name for path in drawn] == ["reliability.png", "confusion.png", "coverage.png"]
    assert all(path.read_bytes().startswith(_PNG) for path in drawn)


def test_papers_of_one_type_of_which_none_is_answered_are_drawn_too(tmp_path: Path) -> None:
    nobody = grade(np.array([1]), np.array([[0.3, 0.4, 0.3]]), np.array([False]))
    assert len(draw(nobody, tmp_path)) == 3


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        draw(grade(np.array([1]), np.eye(3)[[1]], np.array([True])), tmp_path / "file" / "inside")
