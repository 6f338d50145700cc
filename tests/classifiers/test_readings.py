"""What somebody read again is learnt as they read it, or not at all."""

from dataclasses import replace

import pytest

from classifiers import readings
from classifiers.contribution import ContributionType
from classifiers.labels import fingerprint
from tests.classifiers.conftest import written_papers


@pytest.fixture
def read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = written_papers()[:2]
    read = {
        fingerprint(first.abstract): ContributionType.THEORY,
        fingerprint(second.abstract): None,
    }
    monkeypatch.setattr(readings, "_labels", lambda: read)


@pytest.mark.usefixtures("read_again")
def test_a_wrong_label_is_put_right_and_a_doubtful_paper_left_out() -> None:
    first, _, *rest = written_papers()
    kept = readings.corrected(written_papers())
    assert kept == [replace(first, label=ContributionType.THEORY), *rest]


@pytest.mark.usefixtures("read_again")
def test_listed_papers_that_were_read_become_labelled_papers() -> None:
    listed = [(paper.title, paper.abstract) for paper in written_papers()[:3]]
    found = readings.papers_read(listed)
    assert [(paper.title, paper.label) for paper in found] == [(listed[0][0], "theory")]


def test_the_readings_that_ship_name_papers_and_hold_no_text() -> None:
    assert len(readings._labels()) > 300
    assert all(len(key) == 12 and int(key, 16) >= 0 for key in readings._labels())
