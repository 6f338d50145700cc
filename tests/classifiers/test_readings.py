"""What somebody read again is learnt as they read it, or not at all."""

import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from classifiers import Tagger, readings, release, train
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
    assert len(readings._labels()) > 800
    assert all(len(key) == 12 and int(key, 16) >= 0 for key in readings._labels())


@pytest.mark.usefixtures("read_again")
def test_only_the_release_goes_by_second_readings(tmp_path: Path) -> None:
    papers = written_papers()
    labels, listings = tmp_path / "labels.jsonl", tmp_path / "listings.jsonl"
    told = ({"title": p.title, "abstract": p.abstract, "label": p.label} for p in papers)
    labels.write_text("\n".join(map(json.dumps, told)), encoding="utf-8")
    listings.write_text("", encoding="utf-8")
    assert release.main([str(labels), str(listings), str(tmp_path / "release")]) == 0
    train(papers, tmp_path / "own", today=date(2026, 12, 1))
    own, ours = (Tagger.load(tmp_path / name).card for name in ("own", "release"))
    assert own.training_counts == {"position": 10, "theory": 10, "methods": 10}
    assert ours.training_counts == {"position": 8, "theory": 11, "methods": 10}


def test_a_paper_read_by_hand_counts_more_than_one_labelled_by_its_venue() -> None:
    paper = written_papers()[0]
    assert paper.weight == 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(readings, "_labels", lambda: {fingerprint(paper.abstract): paper.label})
        assert readings.papers_read([(paper.title, paper.abstract)])[0].weight > 1
