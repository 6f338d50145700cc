"""The order learnt from votes: likes come first, dropped ones sink, and reasons are real."""

from __future__ import annotations

import numpy as np
import pytest

from classifiers.interest import Interest
from classifiers.subjects import PaperText, Space

SUBJECTS = {
    "bees": "bees pollinate orchards while hives exchange nectar and honey",
    "ships": "cargo ships cross harbours where cranes lift heavy containers",
    "stars": "bright stars collapse into neutron matter observed by telescopes",
}
OTHERS = ("we measure", "results show", "a study of", "in practice", "over time", "with care")


def papers(subject: str, count: int, *, start: int = 0) -> list[PaperText]:
    words = SUBJECTS[subject].split()
    found = []
    for number in range(start, start + count):
        rng = np.random.default_rng([number, len(subject), ord(subject[0])])
        picked = " ".join(rng.choice(words, 6, replace=False))
        found.append(
            PaperText(
                f"{picked.split()[0]} {picked.split()[1]}",
                f"{OTHERS[number % len(OTHERS)]} {picked}",
                (f"Author {subject} {number % 3}",),
                (f"field.{subject[0].upper()}",),
            )
        )
    return found


LIBRARY = [*papers("bees", 40), *papers("ships", 40), *papers("stars", 40)]


@pytest.fixture(scope="module")
def space() -> Space:
    return Space.of(LIBRARY)


def test_papers_like_the_wanted_come_before_the_others(space: Space) -> None:
    interest = Interest.of(space.vectors(LIBRARY), dict.fromkeys(range(40, 46), 1.0))
    fresh = [*papers("bees", 9, start=90), *papers("ships", 9, start=90)]
    scores = interest.scores(space.vectors(fresh))
    assert np.median(scores[9:]) > scores[:9].max()
    assert scores[9:].mean() > 1 > 0 > scores[:9].mean()


def test_words_alone_are_enough_where_nothing_says_the_field_or_the_authors(space: Space) -> None:
    def bare(found: list[PaperText]) -> list[PaperText]:
        return [PaperText(paper.title, paper.abstract) for paper in found]

    interest = Interest.of(space.vectors(bare(LIBRARY)), dict.fromkeys(range(40, 46), 1.0))
    fresh = bare([*papers("bees", 9, start=90), *papers("ships", 9, start=90)])
    scores = interest.scores(space.vectors(fresh))
    assert np.median(scores[9:]) > scores[:9].max()


def test_what_was_dropped_sinks(space: Space) -> None:
    vectors = space.vectors(LIBRARY)
    wanted = dict.fromkeys(range(6), 1.0)
    fresh = space.vectors(papers("stars", 5, start=90))
    before = Interest.of(vectors, wanted).scores(fresh).mean()
    after = Interest.of(vectors, wanted, dropped=range(80, 90)).scores(fresh).mean()
    assert after < before


def test_a_paper_with_more_votes_draws_its_like_higher(space: Space) -> None:
    vectors = space.vectors(LIBRARY)
    fresh = space.vectors([*papers("bees", 8, start=90), *papers("stars", 8, start=90)])

    def gap(bees: float, stars: float) -> float:
        wanted = dict.fromkeys(range(5), bees) | dict.fromkeys(range(80, 85), stars)
        scores = Interest.of(vectors, wanted).scores(fresh)
        return float(scores[:8].mean() - scores[8:].mean())

    assert gap(5.0, 1.0) > gap(1.0, 1.0) > gap(1.0, 5.0)


def test_the_reason_is_the_likest_wanted_paper_and_only_where_there_is_one(space: Space) -> None:
    vectors = space.vectors(LIBRARY)
    interest = Interest.of(vectors, dict.fromkeys((40, 41, 42), 1.0))
    asked = space.vectors([LIBRARY[41], LIBRARY[0], PaperText("", "")])
    same, other, empty = interest.likenesses(asked)
    assert same is not None
    assert same.row == 41
    assert same.likeness == pytest.approx(1.0, abs=1e-5)
    assert other is None
    assert empty is None


def test_nothing_can_be_learnt_from_no_votes_or_from_votes_for_everything(space: Space) -> None:
    vectors = space.vectors(LIBRARY)
    with pytest.raises(ValueError, match="wanted papers among others"):
        Interest.of(vectors, {})
    with pytest.raises(ValueError, match="wanted papers among others"):
        Interest.of(vectors, dict.fromkeys(range(len(LIBRARY)), 1.0))


def test_a_vector_does_not_depend_on_the_papers_asked_with_it(space: Space) -> None:
    alone = space.vectors([LIBRARY[7]])
    among = space.vectors(LIBRARY[5:9]).taken([2])
    assert np.allclose(alone.parts.toarray(), among.parts.toarray())
    assert np.allclose(alone.themes, among.themes, atol=1e-5)


def test_accents_endings_and_the_order_of_a_name_make_no_difference() -> None:
    known = [PaperText("Müller graphs", "Learning über graphs", ("José Müller",))] * 2
    space = Space.of([*known, PaperText("Other", "Something else", ("Ada Lovelace",))])
    first = space.vectors([known[0]])
    second = space.vectors([PaperText("Muller graph", "learned uber graph", ("Müller, Jose",))])
    assert np.allclose(first.parts.toarray(), second.parts.toarray())


def test_texts_without_spaces_are_compared_sign_by_sign() -> None:
    texts = ("扩散模型生成视频", "扩散模型生成图像", "联邦学习与隐私保护")
    space = Space.of([PaperText("", text) for text in texts])
    words = space.vectors([PaperText("", text) for text in texts]).words
    like = (words @ words.T).toarray()
    assert like[0, 1] > 0.3
    assert like[0, 2] < 0.05
