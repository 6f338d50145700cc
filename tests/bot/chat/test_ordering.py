"""A draft's chart is small enough for a phone, and any draft is a message that Discord takes."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest
from discord import ui
from hypothesis import given
from hypothesis import strategies as st

from bot.chat.layouts.digest import digest_message, preview_pages, thread_name
from bot.chat.layouts.ordering import bar_chart, draft_page
from bot.triage.digest import PAPERS_BEFORE_THREAD
from bot.triage.library import PaperView
from bot.triage.subscribing import Drafted, History, HistoryDay
from data.records import Identifiers, Paper
from data.store.subscribing import Draft
from tests.bot.chat.looks import (
    NOW,
    anything,
    digest_of,
    many_views,
    names,
    quickly,
    refusals,
    subscription,
    texts_of,
)

FIRST = date(2026, 5, 4)


def days_of(counts: list[int | None]) -> tuple[HistoryDay, ...]:
    return tuple(
        HistoryDay(FIRST + timedelta(days=place), count is not None, count or 0)
        for place, count in enumerate(counts)
    )


def test_a_chart_has_a_line_a_week_with_bars_dots_blanks_and_sums():
    counts = [0, 1, 4, 8, 9, None, None, 2, 0]
    assert bar_chart(days_of(counts), 8, 8).splitlines() == [
        "        M T W T F S S",
        " 4 May  · ▁ ▄ █ █+      21",
        "11 May  ▂ ·              2",
    ]


def test_a_chart_that_begins_in_the_middle_of_a_week_keeps_the_days_in_their_columns():
    wednesday = [replace(day, day=day.day + timedelta(days=2)) for day in days_of([3, 3])]
    assert bar_chart(wednesday, 8, 3).splitlines()[1] == " 4 May      █ █          6"


@pytest.mark.parametrize(
    ("came", "since", "coming", "learnt", "words"),
    [
        (0, 0, 0, 0, "No paper came in these 30 days, so there is nothing to count."),
        (0, 7, 7, 0, "7 papers came since the last slot; they would be in the next digest."),
        (0, 1, 1, 0, "1 paper came since the last slot; it would be in the next digest."),
        (0, 65, 65, 9, "65 papers came since the last slot; they would be in the next digest, "
         "which shows 18."),
        (0, 65, 3, 0, "65 papers came since the last slot; 3 of them fit and would be in the "
         "next digest."),
        (40, 5, 1, 0, "Nothing on these days: 40 papers came, and none fits. 5 papers came since "
         "the last slot; 1 of them fits and would be in the next digest."),
        (40, 5, 0, 0, "Nothing: 45 papers came, and none fits. Ask for fewer words"),
        (0, 0, 0, 65, "65 papers came since the last slot, with the first reading of a source."),
    ],
)  # fmt: skip
def test_a_draft_without_a_bar_says_what_is_so(came, since, coming, learnt, words):
    history = History(days_of([0, None, 0]), 18, came, since, coming, learnt)
    order = subscription().order
    draft = Draft("0123456789ab", 1, 1, None, order, as_manager=True)
    told = texts_of(draft_page(Drafted(draft, history, None, None, "", ())))
    assert words in told
    assert ("No paper came" in told) is (came + since + learnt == 0)


counts = st.lists(st.one_of(st.none(), st.integers(0, 2000)), min_size=30, max_size=30)


@quickly
@given(counts, st.integers(1, 60))
def test_no_line_of_a_chart_is_broken_by_a_phone(numbers, maximum):
    drawn = bar_chart(days_of(numbers), maximum, maximum).splitlines()
    assert all(len(line) <= 26 for line in drawn)
    assert 6 <= len(drawn) <= 7


@quickly
@given(counts, st.one_of(st.none(), counts), st.integers(1, 60), anything, names)
def test_any_draft_can_be_sent(now, before, maximum, text, notes):
    order = replace(subscription(query=text, topic=text).order, maximum=maximum, in_thread=True)
    drafted = Drafted(
        draft=Draft("0123456789ab", 1, 1, 10**6 if before else None, order, as_manager=True),
        history=History(days_of(now), maximum, 5000, 2000, 1000),
        before=History(days_of(before), 18, 5000) if before else None,
        was=subscription().order if before else None,
        read_as=text,
        notes=notes,
    )
    assert refusals(draft_page(drafted)) == []


def test_a_draft_without_any_paper_says_what_would_bring_some():
    draft = Draft("0123456789ab", 1, 1, None, subscription().order, as_manager=True)
    for candidates, sentence in ((0, "/listing sources add"), (40, "40 papers came, and none")):
        history = History(days_of([0] * 30), 18, candidates)
        page = draft_page(Drafted(draft, history, None, None, "", ()))
        assert sentence in texts_of(page)


def in_thread(digest):
    order = replace(digest.subscription.order, in_thread=True, quiet_line=False)
    return replace(digest, subscription=replace(digest.subscription, order=order))


def buttons_of(page):
    plain = [getattr(item, "item", item) for item in page.walk_children()]
    return [item.label for item in plain if isinstance(item, ui.Button)]


@quickly
@given(many_views(20), anything, anything)
def test_any_digest_with_a_thread_can_be_sent_and_only_its_head_has_a_foot(found, claim, text):
    digest = in_thread(digest_of(found, claim=claim, text=text, total=99))
    parts = digest.parts()
    placed = [item.view.paper.id for part in parts for item in part.items]
    assert sorted(placed) == sorted(item.view.paper.id for item in digest.items)
    for page in preview_pages(digest):
        assert refusals(page) == []
    with_foot = [part.part for part in parts if "Reading queue" in buttons_of(digest_message(part))]
    assert with_foot == ([0] if parts else [])
    assert len(thread_name(digest)) <= 100


@given(st.integers(0, 40))
def test_few_papers_stand_above_a_thread_and_none_is_lost(number):
    digest = in_thread(digest_of([view_of(place) for place in range(number)]))
    sizes = [len(part.items) for part in digest.parts()]
    assert sum(sizes) == number
    if number > PAPERS_BEFORE_THREAD + 1:
        assert sizes[0] == PAPERS_BEFORE_THREAD
    else:
        assert len(sizes) <= 1


def view_of(number):
    paper = Paper(
        id=number + 1,
        title="On Otters",
        title_derived=False,
        abstract="Otters.",
        authors=("Ada Lind",),
        identifiers=Identifiers(),
        topics=(),
        categories=(),
        sources=(),
        first_seen=NOW,
    )
    return PaperView(paper, None, False, ())
