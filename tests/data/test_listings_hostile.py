"""Files that are made to keep a reader busy: the work grows with the size, not with its square.

Each file is so large that a reader that starts over at every sign would need minutes.
"""

from __future__ import annotations

import json

import pytest

from data.listings import ListingError, json_scan, open_listing
from data.records import PaperRecord

SIZE = 1_500_000


def count(content: str, name: str | None = None) -> int:
    """How many records and refusals a file gives; 0 where it is refused whole."""
    try:
        return sum(1 for _ in open_listing(content.encode(), name="x", format=name).items)
    except ListingError:
        return 0


@pytest.mark.parametrize(
    ("sign", "reader"),
    [
        ("<record>", "oai-pmh"),
        ("<mods>", "catalogue"),
        ('{"title":"x"', "jsonl"),
    ],
)
def test_an_opening_that_never_closes_costs_one_look_each(sign: str, reader: str):
    assert count(sign * (SIZE // len(sign)), reader) >= 0


def test_openings_before_one_closing_tag_at_the_end_are_refused_one_by_one():
    opened = 20_000
    content = "<rss><channel>" + "<item>" * opened + "<title>Otters</title></item>"
    items = list(open_listing(content.encode(), name="x").items)
    assert len(items) == opened
    assert isinstance(items[-1], PaperRecord)


def test_objects_that_break_are_decoded_a_bounded_number_of_times(
    monkeypatch: pytest.MonkeyPatch,
):
    decoded = 0

    class Counting(json.JSONDecoder):
        def raw_decode(self, s: str, idx: int = 0) -> tuple[object, int]:
            nonlocal decoded
            try:
                return super().raw_decode(s, idx)
            except json.JSONDecodeError as error:
                decoded += error.pos - idx
                raise

    monkeypatch.setattr(json_scan, "DECODER", Counting(strict=False))
    nested = '{"a":' * 300 + '"' + "x" * 20_000
    assert count('{"title": "One", "abstract": "Two"} ' + nested) >= 1
    assert 0 < decoded < 42 * len(nested)


def test_a_good_object_behind_a_nest_that_is_too_deep_is_not_lost():
    nest = '{"a":' * 5_000 + "1" + "}" * 5_000
    good = '{"title": "Otters", "abstract": "They swim."}'
    items = list(open_listing(f"[{good},\n{nest},\n{good},".encode(), name="x").items)
    assert [i.title for i in items if isinstance(i, PaperRecord)] == ["Otters", "Otters"]


def test_a_paragraph_of_thousands_of_titled_lines_is_no_recursion():
    line = "Title: On Otters\nWe propose a method and show that our model swims better. \n"
    assert count(line * 3_000, "pages") > 0
