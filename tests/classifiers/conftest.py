"""Hand-written papers, a tagger trained on them, and the tagger that ships."""

from datetime import date
from pathlib import Path

import pytest

from classifiers import LabelledPaper, Tagger, train
from classifiers.contribution import ContributionType

SHIPPED = Path(__file__).parents[2] / "data" / "shipped" / "tagger"

_SUBJECTS = ("graph networks", "speech models", "robot arms", "recommenders", "language models")

_POSITION = (
    "We argue that the study of {0} has lost its way and that the community should change course. "
    "Reviewers must ask what a claim about {0} means. We call for an open debate on {0}.",
    "This position paper argues that work on {0} needs shared norms. Researchers should report "
    "who is harmed when {0} fail, and funders must pay for it. We advocate a charter for {0}.",
)
_THEORY = (
    "We prove that the regret of learning {0} is at most the square root of the horizon. A "
    "matching lower bound shows that the rate is optimal. The proof rests on an inequality.",
    "We study the sample complexity of {0}. We establish tight upper and lower bounds, and show "
    "that no algorithm for {0} does better. Our theorem holds under mild assumptions.",
)
_METHODS = (
    "We propose a new architecture for {0}. Experiments on four benchmarks show that it "
    "outperforms strong baselines by 3.2% and trains twice as fast. Code for {0} is online.",
    "We present a dataset of 12,000 recordings for {0} and evaluate nine systems on it. Results "
    "show large gaps between them. We release the data and our evaluation of {0}.",
)


def written_papers() -> list[LabelledPaper]:
    """Thirty little papers, ten of each type, over the same five subjects."""
    kinds = {
        ContributionType.POSITION: _POSITION,
        ContributionType.THEORY: _THEORY,
        ContributionType.METHODS: _METHODS,
    }
    return [
        LabelledPaper(f"On {subject}", text.format(subject), kind)
        for kind, texts in kinds.items()
        for text in texts
        for subject in _SUBJECTS
    ]


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a tagger that was trained on the hand-written papers."""
    directory = tmp_path_factory.mktemp("tagger")
    train(written_papers(), directory, today=date(2026, 12, 1))
    return directory


@pytest.fixture(scope="session")
def shipped() -> Tagger:
    return Tagger.load(SHIPPED)
