"""Cutting whole batches finds the very tokens that cutting text by text finds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classifiers.cutting import Cutter
from classifiers.text import tokens

_WORDS = ("we", "prove", "that", "a", "b", "don't", "e", "bigo", "url")
_IDS = {word: number for number, word in enumerate(_WORDS)}
_IDS |= {".": 90, "#": 91, "%": 92, "?": 93}

_CHARACTERS = "abe '.,;:!?%0129-\n\t\u00a0\x1c\u0663\u00e9\u0130\u212a\u2019~\x01(){}\\O"
_WORDY = ("don't", "we", "prove", "O(n)", "https://x.y/z ", "3.5", "e.g. ", "wit- ne", "a'b'e'")
_TEX = ("$\\tilde{O}(\\sqrt{T})$", "\\emph{that}")
_PIECE = st.sampled_from([*_CHARACTERS, *_WORDY, *_TEX])
_TEXT = st.lists(_PIECE, max_size=20).map("".join)


def _by_text(text: str) -> list[int]:
    return [_IDS.get(token, -1) for token in tokens(text)]


@given(st.lists(_TEXT, max_size=5))
def test_a_batch_is_cut_as_each_text_alone(texts: list[str]) -> None:
    found, counts = Cutter(_IDS).cut(texts)
    alone = [_by_text(text) for text in texts]
    assert counts.tolist() == [len(cut) for cut in alone]
    assert found.tolist() == [number for cut in alone for number in cut]


@pytest.mark.parametrize("text", ["", " ", "a" * 200_000, "we prove " * 20_000])
def test_texts_without_words_and_endless_ones_are_cut_too(text: str) -> None:
    found, counts = Cutter(_IDS).cut([text, "we"])
    assert found.tolist() == [*_by_text(text), _IDS["we"]]
    assert counts.tolist() == [len(_by_text(text)), 1]
