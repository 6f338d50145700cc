"""Second readings: papers that somebody read and labelled by hand, by the papers' fingerprints.

`second_readings.json` beside this module says for a paper what it is, or null where the reader
could not tell; such a paper teaches nothing. It holds no text. Only the model that ships is made
with it (`release`): whoever trains on labels of their own means them.
"""

import json
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Final, cast

from classifiers.contribution import ContributionType
from classifiers.labels import LabelledPaper, fingerprint

# Papers are read by hand because models are unsure of them, and each stands for many like it.
_WEIGHT: Final = 2.0


def corrected(papers: Iterable[LabelledPaper]) -> list[LabelledPaper]:
    """The papers, with labels that were read again put right and doubtful papers left out."""
    read_again = _labels()
    kept: list[LabelledPaper] = []
    for paper in papers:
        label = read_again.get(fingerprint(paper.abstract), paper.label)
        if label is not None:
            kept.append(paper if label == paper.label else replace(paper, label=label))
    return kept


def papers_read(listed: Iterable[tuple[str, str]]) -> list[LabelledPaper]:
    """Those of the listed papers, (title, abstract), that were read and labelled by hand."""
    read = _labels()
    found = ((title, abstract, read.get(fingerprint(abstract))) for title, abstract in listed)
    return [
        LabelledPaper(title, abstract, label, rule="read by hand", trust="high", weight=_WEIGHT)
        for title, abstract, label in found
        if label is not None
    ]


@cache
def _labels() -> dict[str, ContributionType | None]:
    written = resources.files("classifiers").joinpath("second_readings.json")
    read = cast("dict[str, str | None]", json.loads(written.read_text(encoding="utf-8")))
    return {key: None if label is None else ContributionType(label) for key, label in read.items()}
