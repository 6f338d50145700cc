"""Packed numbers come back as they were."""

from __future__ import annotations

import random
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.index.codec import (
    BITMAP,
    BYTE_GAPS,
    FREQUENCY_CODES,
    HALF_GAPS,
    PLAIN,
    SHORT_GAPS,
    frequency_codes,
    pack_postings,
    pack_sizes,
    pack_stream,
    unpack_all,
    unpack_codes,
    unpack_docs,
    unpack_sizes,
    unpack_stream,
)
from data.index.strings import StringTable, pack_strings
from data.index.titles import pack_titles, unpack_titles


@given(
    st.integers(1, 200_000).flatmap(
        lambda papers: st.tuples(
            st.just(papers),
            st.lists(
                st.sets(st.integers(0, papers - 1), min_size=1, max_size=40), min_size=1, max_size=9
            ),
        )
    )
)
def test_posting_lists_of_all_densities_survive(case):
    papers, sets = case
    lists = [np.array(sorted(each), np.int64) for each in sets]
    docs = np.concatenate(lists)
    codes = (docs % 16).astype(np.uint8)

    packed = pack_postings(np.array([len(each) for each in lists]), docs, codes, papers)

    together, all_codes = unpack_all(packed, papers)
    assert together.tolist() == docs.tolist()
    assert all_codes.tolist() == codes.tolist()
    for at, each in enumerate(lists):
        assert unpack_docs(packed, at, papers).tolist() == each.tolist()
        assert unpack_codes(packed, at).tolist() == (each % 16).tolist()


@pytest.mark.parametrize(
    ("step", "kind"),
    [(2, BITMAP), (14, HALF_GAPS), (40, BYTE_GAPS), (3_000, SHORT_GAPS), (150_000, PLAIN)],
)
def test_each_density_takes_its_own_kind_of_list(step, kind):
    docs = np.arange(step - 1, 1_000_000, step)

    packed = pack_postings(np.array([len(docs)]), docs, np.zeros(len(docs), np.uint8), 1_000_000)

    assert packed.kinds.tolist() == [kind]
    assert np.array_equal(unpack_docs(packed, 0, 1_000_000), docs)


@given(st.lists(st.integers(0, 40_000_000), max_size=60))
def test_word_streams_survive(numbers):
    packed, sizes = pack_stream(np.array(numbers, np.int64))

    found, begins = unpack_stream(packed)

    assert found.tolist() == numbers
    assert begins.tolist() == (np.cumsum(sizes) - sizes).tolist()


@given(st.lists(st.integers(0, 70_000), max_size=50))
def test_sizes_survive(sizes):
    assert unpack_sizes(*pack_sizes(np.array(sizes, np.int64))).tolist() == sizes


def test_frequencies_keep_whether_a_word_is_in_the_title_and_roughly_how_often():
    titles = np.array([0, 0, 0, 1, 1, 3, 2])
    bodies = np.array([1, 8, 99, 0, 5, 0, 9])

    codes = frequency_codes(titles, bodies)

    assert [FREQUENCY_CODES[code] for code in codes] == [
        (0, 1), (0, 8), (0, 8), (1, 0), (1, 5), (2, 1), (2, 4),
    ]  # fmt: skip


@given(st.sets(st.text(max_size=8), max_size=30))
def test_a_string_table_finds_its_strings_and_no_others(strings):
    ordered = sorted(strings)
    table = StringTable(*pack_strings(ordered))

    assert [table.find(string) for string in ordered] == list(range(len(ordered)))
    assert list(table) == [table.get(at) for at in range(len(table))] == ordered
    assert table.find("\U0010ffff missing") == -1
    for prefix in ("", "a", "ab"):
        assert [table.get(at) for at in table.prefixed(prefix)] == [
            string for string in ordered if string.startswith(prefix)
        ]


@given(st.lists(st.text(alphabet="abcä \ud800", max_size=30), max_size=100))
def test_titles_survive(titles):
    sample, blocks = pack_titles(titles)

    assert [title for block in blocks for title in unpack_titles(block, sample)] == titles


def test_titles_that_are_alike_take_a_third_less_than_each_block_alone():
    titles = [
        f"{how} {what} for {whom} in {where}"
        for how in ("Learning", "Provable", "Robust", "Scaling")
        for what in ("representations", "bandits", "kernels", "attention", "transport")
        for whom in ("graphs", "vision", "speech", "robots", "proteins", "auctions")
        for where in ("practice", "the wild", "high dimensions", "low precision", "real time")
    ]
    random.Random(1).shuffle(titles)  # noqa: S311 - test data, no secret

    sample, blocks = pack_titles(8 * titles)

    alone = [zlib.compress("\n".join(titles[at : at + 32]).encode(), 9) for at in range(0, 600, 32)]
    assert len(sample) + sum(map(len, blocks)) < 0.67 * 8 * sum(map(len, alone))
