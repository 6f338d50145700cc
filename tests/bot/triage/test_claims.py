"""The one sentence of a digest that says what a paper does."""

from __future__ import annotations

import pytest

from bot.triage.claims import claim_of


@pytest.mark.parametrize(
    ("abstract", "claim"),
    [
        ("Graphs grow. We propose Gardener, a pruning method for graphs of any size. It is fast.",
         "We propose Gardener, a pruning method for graphs of any size."),
        ("Can a model fit noise and yet predict well on new data? We prove that it can. We prove a "
         "matching bound for linear regression in high dimension.",
         "We prove a matching bound for linear regression in high dimension."),
        ("Reviews vanish. This position paper argues that venues should publish all of them. We "
         "propose an archive.",
         "This position paper argues that venues should publish all of them."),
        ("Otters like clear rivers. Herons do not.", "Otters like clear rivers."),
        ("", ""),
        ("   ", ""),
    ],
)  # fmt: skip
def test_the_claim_is_the_sentence_that_announces_the_contribution(
    abstract: str, claim: str
) -> None:
    assert claim_of(abstract) == claim


def test_a_sentence_that_leans_on_the_one_before_is_better_than_none() -> None:
    assert claim_of("Is it so? We prove that it is.") == "We prove that it is."
