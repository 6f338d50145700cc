"""The tagger that ships, on papers of daily arXiv listings that were read by hand, twice.

`listings_read_twice.json` names them by the fingerprints of their abstracts, whose text is in
../shared: what they are by the first and by the second reading, and how many papers of the listings
each stands for. They were drawn by chance from strata of the probabilities of an earlier model, so
that position and theory are there; weighted, they are the mix of the listings. None of them was
learnt (`classifiers.readings`).

`listings_read_once.json` names ten times as many, read once: all on which an earlier model was in
doubt (a probability of position or theory between 0.05 and 0.97), and 180 others by chance; null
where the reader was in doubt as well. What holds there holds for the hardest tenth of a listing.
"""

import gzip
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from classifiers import UNSURE, Judgement, Tagger, readings
from classifiers.contribution import TYPES, ContributionType
from classifiers.evaluation import Evaluation, grade
from classifiers.features import Paper
from classifiers.labels import fingerprint

_READ = Path(__file__).parent / "listings_read_twice.json"
_ONCE = Path(__file__).parent / "listings_read_once.json"
_LISTINGS = Path(__file__).parents[3] / "shared" / "corpus" / "arxiv-daily.jsonl.gz"


@dataclass(frozen=True, slots=True)
class Read:
    """A paper, both readings of it, and how many papers it stands for."""

    paper: Paper
    first: ContributionType
    second: ContributionType
    stands_for: float


def _readings() -> dict[str, list[str | float]]:
    return json.loads(_READ.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def read() -> list[Read]:
    if not _LISTINGS.is_file():
        pytest.skip("../shared/corpus is not beside this checkout")
    wanted = _readings()
    found: dict[str, Read] = {}
    with gzip.open(_LISTINGS, "rt", encoding="utf-8") as lines:
        for paper in map(json.loads, lines):
            name = fingerprint(paper["abstract"])
            if name in wanted:
                first, second, stands_for = wanted[name]
                found[name] = Read(
                    (paper["title"], paper["abstract"]),
                    ContributionType(first),
                    ContributionType(second),
                    float(stands_for),
                )
    assert len(found) == len(wanted)
    return list(found.values())


@pytest.fixture(scope="module")
def judged(shipped: Tagger, read: list[Read]) -> list[Judgement]:
    return shipped.judge([one.paper for one in read])


def test_the_readings_agree_for_the_most_part_and_name_no_paper_that_is_learnt() -> None:
    both = _readings()
    agreed = sum(first == second for first, second, _ in both.values())
    assert len(both) == 290
    assert agreed == 280
    assert not both.keys() & readings._labels().keys()


def test_nine_in_ten_papers_of_a_listing_are_answered_and_those_are_right(
    read: list[Read], judged: list[Judgement]
) -> None:
    weights = np.array([one.stands_for for one in read])
    answered = np.array([judgement.tag != UNSURE for judgement in judged])
    right = np.array([j.tag in (r.first, r.second) for j, r in zip(judged, read, strict=True)])
    assert np.average(answered, weights=weights) > 0.9
    assert np.average(right[answered], weights=weights[answered]) >= 0.985


def test_papers_on_which_the_readings_agree_are_told_apart(
    read: list[Read], judged: list[Judgement]
) -> None:
    graded = _grade(read, judged)
    assert graded.macro_f1 > 0.81
    assert graded.types["position"].f1 > 0.75
    assert graded.types["theory"].f1 > 0.8
    assert graded.answered_accuracy > 0.93


def test_doubtful_papers_read_once_are_told_apart_and_none_is_learnt(shipped: Tagger) -> None:
    labels: dict[str, str | None] = json.loads(_ONCE.read_text(encoding="utf-8"))
    assert (len(labels), sum(label is None for label in labels.values())) == (3028, 108)
    assert not labels.keys() & (readings._labels().keys() | _readings().keys())
    if not _LISTINGS.is_file():
        pytest.skip("../shared/corpus is not beside this checkout")
    found: dict[str, Paper] = {}
    with gzip.open(_LISTINGS, "rt", encoding="utf-8") as lines:
        for paper in map(json.loads, lines):
            found.setdefault(fingerprint(paper["abstract"]), (paper["title"], paper["abstract"]))
    sure = [(found[name], label) for name, label in labels.items() if label]
    judged = shipped.judge([paper for paper, _ in sure])
    graded = grade(
        np.array([TYPES.index(ContributionType(label)) for _, label in sure]),
        np.array([[j.probabilities[kind] for kind in TYPES] for j in judged]),
        np.array([j.tag != UNSURE for j in judged]),
    )
    assert graded.macro_f1 > 0.78
    assert graded.types["theory"].f1 > 0.8
    assert graded.answered_accuracy > 0.96


def _grade(read: list[Read], judged: list[Judgement]) -> Evaluation:
    both = [(r, j) for r, j in zip(read, judged, strict=True) if r.first == r.second]
    return grade(
        np.array([TYPES.index(r.first) for r, _ in both]),
        np.array([[j.probabilities[kind] for kind in TYPES] for _, j in both]),
        np.array([j.tag != UNSURE for _, j in both]),
    )
