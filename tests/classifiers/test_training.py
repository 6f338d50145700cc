"""A tagger can be trained on any labelled papers."""

import json
import sys
from datetime import date
from pathlib import Path

import pytest

from classifiers import LabelledPaper, LabelsUnusable, Tagger, train
from classifiers.contribution import ContributionType
from classifiers.release import main as build_release
from tests.classifiers.conftest import written_papers


def test_a_small_tagger_tells_papers_on_a_new_subject_apart(trained: Path) -> None:
    judged = Tagger.load(trained).judge(
        [
            ("", "We argue that hospitals should change course. The community must debate it."),
            ("", "We prove that the regret of pricing is optimal. A lower bound shows the rate."),
            ("", "We propose a new system for maps. Experiments show that it outperforms others."),
        ]
    )
    assert [judgement.likeliest for judgement in judged] == ["position", "theory", "methods"]


def test_the_manifest_says_what_the_tagger_learnt_from(trained: Path) -> None:
    card = Tagger.load(trained).card
    assert card.training_counts == {"position": 10, "theory": 10, "methods": 10}
    assert card.trained_on == "2026-12-01"
    assert card.scores["untitled macro F1"] > 0.9
    assert sum(card.natural_mix.values()) == pytest.approx(1)


def test_the_training_set_is_named_by_what_is_in_it_not_by_its_order(
    trained: Path, tmp_path: Path
) -> None:
    again = train(reversed(written_papers()), tmp_path / "a", today=date(2026, 12, 2))
    fewer = train(written_papers()[1:], tmp_path / "b", today=date(2026, 12, 2))
    named = Tagger.load(trained).card.training_set
    assert again.training_set == named
    assert fewer.training_set != named


def test_too_few_papers_of_a_type_are_refused_in_a_sentence(tmp_path: Path) -> None:
    papers = [paper for paper in written_papers() if paper.label != ContributionType.THEORY]
    with pytest.raises(LabelsUnusable, match="at least 4 papers of each type and there are 0 of"):
        train(papers, tmp_path, today=date(2026, 12, 1))


def test_a_release_is_built_from_a_label_file_and_a_listing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def lines(papers: list[LabelledPaper]) -> str:
        kept = ({"title": p.title, "abstract": p.abstract, "label": p.label} for p in papers)
        return "\n".join(json.dumps(paper) for paper in kept)

    (tmp_path / "labels.jsonl").write_text(lines(written_papers()), encoding="utf-8")
    (tmp_path / "listing.jsonl").write_text(lines(written_papers()[:3]), encoding="utf-8")
    names = ["labels.jsonl", "listing.jsonl", "model"]
    assert build_release([str(tmp_path / name) for name in names]) == 0
    assert "untitled macro F1" in capsys.readouterr().out
    assert Tagger.load(tmp_path / "model").card.training_counts["position"] == 10
    assert build_release(sys.argv[:1]) == 2
