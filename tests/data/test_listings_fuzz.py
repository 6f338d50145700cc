"""Every reader against damage: cut, doubled, shuffled, and random bytes."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from data.listings import ListingError, format_names
from tests.data.listing_help import FIXTURES, SHARED, needs_shared, read

if TYPE_CHECKING:
    from data.records import PaperRecord, Refusal

NAMES = sorted(p.name for p in FIXTURES.iterdir() if p.is_file())


def outcome(content: bytes) -> tuple[list[PaperRecord], list[Refusal], str]:
    """What reading gives: records and refusals, or one sentence."""
    try:
        records, refusals, _ = read(content)
    except ListingError as error:
        return [], [], str(error)
    return records, refusals, ""


def key(record: PaperRecord) -> tuple[str | None, str, tuple[tuple[str, str], ...]]:
    return record.title, record.abstract[:80], record.identifiers.pairs()


def test_every_format_has_a_fixture():
    read_as = {read((FIXTURES / n).read_bytes())[2].format for n in NAMES}
    assert set(format_names()) - read_as == {"jsonl"}


@pytest.mark.parametrize("name", NAMES)
def test_a_file_cut_anywhere_keeps_what_stands_before_the_cut(name: str):
    content = (FIXTURES / name).read_bytes()
    whole, _, _ = outcome(content)
    known = {key(r) for r in whole}
    best = 0
    for at in range(0, len(content), max(1, len(content) // 40)):
        records, refusals, sentence = outcome(content[:at])
        assert bool(sentence) == (not records and not refusals) or not sentence
        kept = len(known & {key(r) for r in records})
        # A cut may shorten the last record, never lose an earlier one.
        assert kept >= best - 1
        best = max(best, kept)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_doubled_gives_the_same_papers_again(name: str):
    content = (FIXTURES / name).read_bytes()
    known = {key(r) for r in outcome(content)[0]}
    records, _, sentence = outcome(content + b"\n" + content)
    assert not sentence
    assert known <= {key(r) for r in records}


@pytest.mark.parametrize("name", NAMES)
def test_shuffled_lines_and_random_bytes_neither_crash_nor_hang(name: str):
    content = (FIXTURES / name).read_bytes()
    chance = random.Random(name)  # noqa: S311 - reproducible damage, no secret
    for trial in range(12):
        damaged = bytearray(content)
        if trial % 3 == 0:
            lines = content.split(b"\n")
            chance.shuffle(lines)
            damaged = bytearray(b"\n".join(lines))
        elif trial % 3 == 1:
            at = chance.randrange(len(content))
            damaged[at : at + 12] = chance.randbytes(12)
        else:
            at = chance.randrange(len(content))
            damaged[at:at] = chance.choice(
                [b'"', b"{", b"}", b"<", b">", b"&", b"\\", b"\n\n", b"\xff"]
            )
        records, refusals, sentence = outcome(bytes(damaged))
        assert all(r.title or r.abstract or r.is_notice for r in records)
        assert all(r.reason and r.position for r in refusals)
        assert not sentence or sentence.endswith(".")


@pytest.mark.parametrize("name", format_names())
def test_random_bytes_as_any_format_end_in_a_sentence_or_refusals(name: str):
    chance = random.Random(name)  # noqa: S311 - reproducible damage, no secret
    for size in (1, 40, 3000):
        text = bytes(chance.choices(b'abc {}[]<>"\\$,:;-\n\t@%=/&#0123456789', k=size))
        try:
            records, _, _ = read(text, format=name)
        except ListingError as error:
            sentence = str(error)
        else:
            sentence = "."
            assert all(r.title or r.abstract or r.is_notice for r in records)
        assert sentence.endswith(".")


ONE_HIT = [
    ("arxiv_api_atom/q_testing_s0_m10_bc5a6c384fe9.xml", 1),
    ("arxiv_email/cs_daily_4c1e2d3.eml", 1),
    ("arxiv_kaggle_snapshot/first_lines.jsonl", 1),
    ("bibtex/acl_anthology_acl2022_first60.bib", 1),
    ("daily_arxiv_jsonl/2025-03-28.jsonl", 1),
    ("hf_daily_papers/hf_daily_papers.json", 1),
    ("oai_pmh_arxiv/2014-01-16_ListRecords_full.xml", 1),
    ("openreview_csv/iclr2026_primary_area_learning_theory.csv", 1),
    ("paperlists_json/alt2025.json", 1),
]


@needs_shared
@pytest.mark.parametrize(("path", "most"), ONE_HIT)
def test_one_damaged_place_in_a_real_file_costs_one_record(path: str, most: int):
    content = (SHARED / "feeds" / path).read_bytes()
    known = {key(r) for r in outcome(content)[0]}
    chance = random.Random(path)  # noqa: S311 - reproducible damage, no secret
    for sign in (b'"', b"{", b"}", b"<", b"\x00"):
        at = chance.randrange(len(content) // 10, len(content))
        records, _, sentence = outcome(content[:at] + sign + content[at:])
        assert not sentence
        assert len(known - {key(r) for r in records}) <= most
