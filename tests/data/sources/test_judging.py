"""What an answer means, beside what is shown through whole polls."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from data.records import AnnounceType, Identifiers, PaperRecord
from data.sources import (
    Answer,
    Memory,
    Outcome,
    Part,
    Storing,
    Validators,
    Verdict,
    fingerprint,
    judge,
    judge_same,
    remembered,
)

MONDAY = date(2026, 6, 1)
NOW = datetime(2026, 6, 2, 8, tzinfo=UTC)
PART = Part("cs.LG", "cs.LG")
KNOWN = Memory(
    day=MONDAY, count=40, batch="monday", built=MONDAY, skipped=frozenset({5, 6}), read=NOW
)
PAPER = PaperRecord("entry 1", title="On Tea", identifiers=Identifiers(arxiv="2606.00001"))


def test_a_batch_is_known_by_its_papers_however_dated_and_ordered() -> None:
    other = replace(PAPER, title="On Kites", identifiers=Identifiers(arxiv="2606.00002"))
    dated = replace(PAPER, announced=MONDAY, position="entry 9")
    assert fingerprint([PAPER, other]) == fingerprint([other, dated])
    assert fingerprint([PAPER]) != fingerprint([replace(PAPER, version=2)])
    replaced = replace(PAPER, announce_type=AnnounceType.REPLACEMENT)
    assert fingerprint([PAPER]) != fingerprint([replaced])
    assert fingerprint([]) == ""


def test_a_source_that_goes_back_to_an_older_batch_is_stale_and_its_day_stands() -> None:
    older = Answer(count=30, day=MONDAY - timedelta(days=3))
    verdict = judge(PART, older, KNOWN, batch="friday", unknown=0, now=NOW)
    assert (verdict.outcome, verdict.storing) == (Outcome.STALE, Storing.NONE)
    after = remembered(verdict, older, KNOWN, batch="friday", now=NOW)
    assert (after.day, after.batch, after.count) == (MONDAY, "monday", 40)


def test_an_older_batch_with_unknown_papers_is_taken_but_moves_no_day_back() -> None:
    older = Answer(count=30, day=MONDAY - timedelta(days=3))
    verdict = judge(PART, older, KNOWN, batch="friday", unknown=2, now=NOW)
    assert (verdict.outcome, verdict.late) == (Outcome.ANNOUNCED, True)
    assert remembered(verdict, older, KNOWN, batch="friday", now=NOW).day == MONDAY


def test_small_batches_may_halve() -> None:
    few = replace(KNOWN, count=9)
    answer = Answer(count=2, day=MONDAY)
    assert judge(PART, answer, few, batch="x", unknown=0, now=NOW).outcome is Outcome.UNCHANGED
    ten = replace(KNOWN, count=10)
    assert judge(PART, answer, ten, batch="x", unknown=0, now=NOW).outcome is Outcome.SHRUNK


def test_a_window_of_days_cannot_shrink() -> None:
    answer = Answer(count=3, total=3, steady=False)
    memory = Memory(count=400, batch="x", read=NOW)
    assert judge(PART, answer, memory, batch="y", unknown=0, now=NOW).outcome is Outcome.UNCHANGED


def test_a_doubted_answer_leaves_its_validators_behind() -> None:
    cut = Answer(count=1, day=MONDAY, whole=False, validators=Validators('"cut"'))
    verdict = judge(PART, cut, KNOWN, batch="x", unknown=0, now=NOW)
    after = remembered(verdict, cut, KNOWN, batch="x", now=NOW)
    assert after == replace(KNOWN, shrunk=1)


def test_a_failure_is_remembered_by_nothing() -> None:
    failed = Verdict(Outcome.FAILED, "Gone.")
    assert remembered(failed, Answer(), KNOWN, batch="", now=NOW) is KNOWN


def test_days_on_which_the_source_says_it_rests_are_not_missed() -> None:
    friday = replace(KNOWN, day=date(2026, 6, 5), built=date(2026, 6, 5))
    for moment, outcome in (
        (datetime(2026, 6, 7, 12, tzinfo=UTC), Outcome.UNCHANGED),
        (datetime(2026, 6, 8, 12, tzinfo=UTC), Outcome.NOT_YET),
        (datetime(2026, 6, 9, 12, tzinfo=UTC), Outcome.STALE),
    ):
        assert judge_same(friday, moment).outcome is outcome


def test_the_day_is_the_one_in_the_sources_own_calendar() -> None:
    west = replace(KNOWN, ahead=timedelta(hours=-4))
    assert judge_same(west, datetime(2026, 6, 2, 3, 59, tzinfo=UTC)).outcome is Outcome.UNCHANGED
    assert judge_same(west, datetime(2026, 6, 2, 4, 0, tzinfo=UTC)).outcome is Outcome.NOT_YET


def test_a_batch_under_a_later_date_is_stale_also_where_no_rhythm_is_named() -> None:
    answer = Answer(count=40, day=MONDAY + timedelta(days=1))
    verdict = judge(PART, answer, KNOWN, batch="monday", unknown=0, now=NOW)
    assert (verdict.outcome, verdict.storing) == (Outcome.STALE, Storing.NONE)
    assert verdict.sentence == (
        "The source dates itself 2026-06-02 but still holds the batch of 2026-06-01."
    )


@pytest.mark.parametrize("answer", [Answer(whole=False), Answer(total=9)])
def test_an_answer_that_is_cut_before_its_first_entry_is_never_an_empty_day(
    answer: Answer,
) -> None:
    memory = Memory(read=NOW)
    outcomes: list[Outcome] = []
    for _ in range(4):
        verdict = judge(PART, answer, memory, batch="", unknown=0, now=NOW)
        memory = remembered(verdict, answer, memory, batch="", now=NOW)
        outcomes.append(verdict.outcome)
    assert outcomes == [Outcome.SHRUNK, Outcome.SHRUNK, Outcome.FAILED, Outcome.FAILED]
    assert "0 " in verdict.sentence
