"""The table finds the place of every key that it has and of no other."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from classifiers.lookup import Table

_KEYS = st.lists(st.integers(-(2**62), 2**62), unique=True, max_size=60).map(sorted)


@given(_KEYS, st.lists(st.integers(-(2**62), 2**62), max_size=20))
def test_places_are_those_of_the_sorted_keys(keys: list[int], others: list[int]) -> None:
    table = Table(np.array(keys, dtype=np.int64))
    asked = np.array([*keys, *others], dtype=np.int64)
    expected = [keys.index(key) if key in keys else -1 for key in asked.tolist()]
    assert table.places(asked, np.ones(len(asked), dtype=np.bool_)).tolist() == expected


def test_neighbouring_keys_and_many_of_them_are_all_found() -> None:
    keys = np.arange(50_000, dtype=np.int64) * 11_140
    table = Table(keys)
    every = np.ones(len(keys), dtype=np.bool_)
    assert (table.places(keys, every) == np.arange(len(keys))).all()
    assert (table.places(keys + 1, every) == -1).all()


def test_a_key_that_is_not_usable_has_no_place() -> None:
    table = Table(np.array([5, 7], dtype=np.int64))
    usable = np.array([True, False])
    assert table.places(np.array([5, 7], dtype=np.int64), usable).tolist() == [0, -1]
