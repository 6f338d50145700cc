"""Pieces of texts get the numbers that their strings would get one by one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.index import pieces
from data.index.pieces import PieceTable

TEXTS = st.lists(st.text("ab é論\ud800.", max_size=30), max_size=12)


def one_by_one(texts: list[str], numbers: dict[str, int]) -> list[int]:
    found: list[int] = []
    for text in texts:
        found += [numbers.setdefault(piece, len(numbers) + 1) for piece in text.split()]
        found.append(0)
    return found


@given(TEXTS, TEXTS, st.sampled_from((2, 20)), st.sampled_from((1, 40, 1 << 19)))
def test_pieces_are_numbered_as_they_are_met(first, second, slots, at_once):
    met: list[str] = []

    def number(piece: str) -> int:
        met.append(piece)
        return len(met)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "_SLOT_BITS", slots)
        patch.setattr(pieces, "_AT_ONCE", at_once)
        table = PieceTable(number)
        known: dict[str, int] = {}
        for texts in (first, second, first):
            assert table.numbers(texts).tolist() == one_by_one(texts, known)

    assert met == list(known), "each is asked for once, in the order of the texts"
    assert len(table) == len(known)


def test_a_text_that_is_longer_than_a_batch_is_read_whole():
    table = PieceTable(int)
    text = " ".join(str(number % 7 + 1) for number in range(1 << 21))

    found = table.numbers([text, "5 6"])

    assert found.tolist() == [*(number % 7 + 1 for number in range(1 << 21)), 0, 5, 6, 0]
