"""Exact phrases are found wherever they stand, however common their words are."""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING

import pytest

from data.index import IndexDocument, SearchIndex
from data.index.neighbours import Pairs
from tests.data.index.helpers import paper

if TYPE_CHECKING:
    from collections.abc import Sequence

_COMMON = ("the", "of", "we", "in", "model", "data", "this", "learning", "show", "that")
_RARE = tuple(f"rare{letter}{number}" for letter in "abc" for number in range(30))


def written(count: int, seed: int, first: int = 1) -> list[IndexDocument]:
    """Papers mostly of common words, so that all neighbours of two are somewhere."""
    chance = random.Random(seed)  # noqa: S311 - test data, no secret
    worth = [8, 7, 5, 4, 3, 2, 2, 2, 1, 1]

    def text(most: int) -> str:
        size = chance.randrange(1, most)
        words = chance.choices(_COMMON, worth, k=size)
        words[chance.randrange(size)] = chance.choice(_RARE)
        return " ".join(words)

    return [paper(number, text(5), text(30)) for number in range(first, first + count)]


def with_phrase(papers: Sequence[IndexDocument], phrase: str, field: str) -> set[int]:
    """By comparing the texts themselves."""
    return {
        each.id
        for each in papers
        if (field != "abstract:" and f" {phrase} " in f" {each.title} ")
        or (field != "title:" and f" {phrase} " in f" {each.abstract} ")
    }


@pytest.mark.parametrize("field", ["", "title:", "abstract:"])
@pytest.mark.parametrize("fewest_listed", [5, 10_000])
def test_a_phrase_of_common_words_finds_all_papers_that_have_it(field, fewest_listed, monkeypatch):
    monkeypatch.setattr("data.index.neighbours._FEWEST_LISTED", fewest_listed)
    papers = written(250, 1) + written(90, 2, 251)
    index = SearchIndex(background=False)
    index.add(papers[:250])
    index.add(papers[250:])
    index.remove(range(1, 341, 9))
    left = [each for each in papers if each.id % 9 != 1]
    pairs = [" ".join(pair) for pair in itertools.product(_COMMON, repeat=2)]
    longer = ["of the model", "the of the", "in this data that", "the rarea1", "model rareb2 of"]

    for phrase in [*pairs, *longer]:
        result = index.search(f'{field}"{phrase}"', limit=400)
        assert {hit.id for hit in result.hits} == with_phrase(left, phrase, field), phrase
        assert result.total == len(result.hits)


def test_common_neighbours_are_looked_for_in_few_papers():
    index = SearchIndex(background=False)
    words = [a + b for a in "bdfgklmnprst" for b in "aeiou"]
    chance = random.Random(3)  # noqa: S311 - test data, no secret
    index.add(
        paper(number, "", " ".join(["the", "of", *chance.sample(words, 40), "which"]))
        for number in range(1, 2_001)
    )
    (part,) = index._snapshot.parts
    pairs = Pairs(part.segment.arrays, 2_000)
    asked = [part.segment._code_of(word) for word in ("which", "ba", "the")]

    kept, sure = pairs.with_all(asked[:2], [1.0, 0.66])
    listed, certain = pairs.with_all(
        [part.segment._code_of(word) for word in ("the", "of")], [1, 1]
    )

    assert kept is not None
    assert kept.sum() < 200  # in none, though both words are in over half of the papers
    assert not sure
    assert listed is not None
    assert listed.all()
    assert certain


def test_segments_merged_keep_the_same_neighbours_as_if_built_at_once():
    papers = written(300, 4)
    whole = SearchIndex(background=False)
    whole.add(papers)
    parts = SearchIndex(background=False)
    for begin in range(0, 300, 60):
        parts.add(papers[begin : begin + 60])
    parts.optimise()

    (one,), (other,) = whole._snapshot.parts, parts._snapshot.parts
    for name in ("pairs.keys", "pairs.ends", "pairs.gaps", "pairs.sets"):
        assert one.segment.arrays[name].tolist() == other.segment.arrays[name].tolist()
