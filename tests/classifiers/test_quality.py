"""The tagger that ships, on abstracts of saved pages that were read and labelled by hand.

`pages_read_by_hand.json` names the abstracts by fingerprint; their text is in ../shared.
"""

import json
from pathlib import Path

import pytest

from classifiers import LabelledPaper, Tagger, evaluate
from classifiers.contribution import ContributionType
from classifiers.labels import fingerprint
from tests.classifiers.conftest import SHIPPED

_PAGES = Path(__file__).parents[3] / "shared" / "listings" / "pages"
_READ = Path(__file__).parent / "pages_read_by_hand.json"
_LARGEST = 5_000_000


@pytest.fixture(scope="module")
def pages() -> list[LabelledPaper]:
    if not _PAGES.is_dir():
        pytest.skip("../shared/listings/pages is not beside this checkout")
    labels = json.loads(_READ.read_text(encoding="utf-8"))
    blocks = (
        block.strip()
        for page in sorted(_PAGES.glob("*.txt"))
        for block in page.read_text(encoding="utf-8").split("\n\n")
    )
    named = ((block, labels.get(fingerprint(block))) for block in blocks)
    return [LabelledPaper("", text, ContributionType(label)) for text, label in named if label]


def test_every_abstract_that_was_read_is_found(pages: list[LabelledPaper]) -> None:
    assert len(pages) == len(json.loads(_READ.read_text(encoding="utf-8"))) == 160


def test_the_pages_are_tagged_well(shipped: Tagger, pages: list[LabelledPaper]) -> None:
    found = evaluate(shipped, pages)
    assert found.macro_f1 > 0.83
    assert found.types["position"].f1 > 0.88
    assert found.answered_accuracy > 0.95


def test_the_shipped_model_is_small() -> None:
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) < _LARGEST
