"""Texts as listings print them become the words that count."""

import pytest

from classifiers.text import normalise, sentences, tokens


def test_a_word_broken_at_the_end_of_a_line_is_joined() -> None:
    assert tokens("The field has wit- nessed growth") == [
        "the",
        "field",
        "has",
        "witnessed",
        "growth",
    ]


@pytest.mark.parametrize("kept", ["short- and long-term", "pre- or post-training", "A - b"])
def test_a_hyphen_that_belongs_there_stays(kept: str) -> None:
    assert normalise(kept) == kept.lower()


@pytest.mark.parametrize(
    "growth",
    [r"$O(\sqrt{T})$", r"$\tilde{\mathcal{O}}(\sqrt{T})$", r"$\Omega(\sqrt{T})$", "Θ(√T)"],
)
def test_an_order_of_growth_is_one_word_however_it_is_written(growth: str) -> None:
    assert "bigo" in tokens(f"a regret of {growth} holds")


def test_a_capital_o_that_is_no_order_of_growth_is_left_alone() -> None:
    assert "bigo" not in tokens("We train AGIO(x) and YOLO (2016) with OPTIMUS.")


def test_tex_styling_goes_and_its_words_stay() -> None:
    assert tokens(r"\textbf{we \emph{argue}} for care") == ["we", "argue", "for", "care"]


def test_numbers_and_links_count_by_kind_not_by_value() -> None:
    assert tokens("23.5% of 1,000 at https://example.org/a?b.") == [
        "#", "%", "of", "#", "at", "url",
    ]  # fmt: skip


def test_sentences_end_at_full_stops_but_not_at_abbreviations() -> None:
    text = "Models, e.g. GPT, fail. Why? A. Turing asked\nit first."
    assert sentences(text) == ["Models, e.g. GPT, fail.", "Why?", "A. Turing asked it first."]
