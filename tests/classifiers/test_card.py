"""The card of the model that ships tells of that model."""

import json
import re

from tests.classifiers.conftest import SHIPPED

_CARD = (SHIPPED / "MODEL_CARD.md").read_text(encoding="utf-8")
_MANIFEST = json.loads((SHIPPED / "manifest.json").read_text(encoding="utf-8"))
_SCORES = ("position F1", "theory F1", "methods F1", "macro F1", "accuracy", "calibration error")


def _row(start: str) -> list[str]:
    line = next(line for line in _CARD.splitlines() if line.startswith(f"| {start} |"))
    return [cell.strip() for cell in line.split("|")[2:-1]]


def test_the_card_names_the_model_its_date_and_its_threshold() -> None:
    assert f"Model {_MANIFEST['model_id']}, trained on {_MANIFEST['trained_on']}" in _CARD
    assert f"Below **{_MANIFEST['threshold']}** the tag is unsure" in _CARD
    counts = [f"{count:,} {kind}" for kind, count in _MANIFEST["training_counts"].items()]
    assert f"{sum(_MANIFEST['training_counts'].values()):,} papers: {', '.join(counts)}" in _CARD


def test_the_card_gives_the_scores_of_the_manifest() -> None:
    forms = {
        "ICLR and ICML 2026, five folds, no announcements": "bare",
        "the same, as published": "published",
        "the same, abstracts alone": "untitled",
    }
    for row, form in forms.items():
        assert _row(row) == [f"{_MANIFEST['scores'][f'{form} {name}']:.3f}" for name in _SCORES]


def test_announcements_make_hardly_a_difference() -> None:
    said = re.search(r"Announcements make little difference: ([\d.]+) with, ([\d.]+) wit", _CARD)
    assert said
    scores = [_MANIFEST["scores"][f"{form} macro F1"] for form in ("published", "bare")]
    assert [f"{score:.3f}" for score in scores] == list(said.groups())
    assert scores[0] - scores[1] < 0.02
