"""What a digest says of its order, and the weekly note: short, escaped, and as Discord takes it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given

from bot.chat.layouts.best_first import reason_in_words
from bot.chat.layouts.digest import digest_message
from bot.chat.layouts.hindsight import change_in_words, weekly_note
from bot.cli.printing import print_digest
from bot.triage.hindsight import Change, HiddenPaper, WeeklyNote
from bot.triage.interest import Ordering, Reason
from bot.triage.receipts import order_of_papers
from data.store.digests import DigestFilter
from tests.bot.chat.looks import (
    anything,
    digest_of,
    many_views,
    quickly,
    refusals,
    subscription,
    texts_of,
)
from tests.bot.chat.test_digest_limits import long_view


@quickly
@given(many_views(6), anything)
def test_a_digest_with_reasons_can_be_sent_whatever_their_titles(found, text):
    digest = digest_of(found, claim=text)
    items = tuple(replace(item, reason=Reason(1, text, 3)) for item in digest.items)
    ordered = replace(digest, items=items, ordering=Ordering((), learnt_from=12, voted=12))
    for part in ordered.parts():
        assert refusals(digest_message(part)) == []


@quickly
@given(many_views(12), anything)
def test_any_weekly_note_can_be_sent(found, text):
    change = Change(subscription(), DigestFilter(), f"the query without “{text}”", 14)
    note = WeeklyNote(tuple(HiddenPaper(view, change) for view in found), len(found))
    assert refusals(weekly_note(note, "note-2026-W23")) == []


@pytest.mark.parametrize(
    ("votes", "words"),
    [
        (3, "like *On bees*, which 3 of you voted for"),
        (1, "like *On bees*, which one of you voted for"),
        (0, "like *On bees*, which was read here"),
    ],
)
def test_a_reason_names_the_paper_and_how_many_wanted_it(votes, words):
    assert reason_in_words(Reason(7, "On bees", votes), 80) == words


@pytest.mark.parametrize(
    ("learnt_from", "voted", "words"),
    [
        (0, 2, "Newest first; an order of your own begins with votes for 5 papers."),
        (0, 9, "Newest first; the order of your own was not ready."),
        (9, 9, "Best first, by 9 papers that you voted for or read; every fifth is unlike them."),
    ],
)
def test_a_digest_says_by_what_it_is_ordered(learnt_from, voted, words):
    assert order_of_papers(Ordering((), learnt_from=learnt_from, voted=voted)) == words


def test_a_change_says_what_else_it_brings():
    change = Change(subscription(), DigestFilter(), "also the tag theory", 1)
    assert change_in_words(change).endswith(
        "with also the tag theory, which would have brought 1 other paper in the last 30 days."
    )


def test_a_week_in_which_nothing_was_hidden_says_so():
    assert "No digest's filter hid a paper" in texts_of(weekly_note(WeeklyNote((), 4)))


@pytest.mark.parametrize(
    ("votes", "words"),
    [(0, "was read"), (1, "1 member voted for"), (3, "3 members voted for")],
)
def test_a_shell_says_the_same_of_a_reason(votes, words, capsys):
    digest = digest_of([long_view(1, "a", "https://e.org/")])
    items = tuple(replace(item, reason=Reason(7, "On bees", votes)) for item in digest.items)
    print_digest(replace(digest, items=items))
    assert f"like “On bees”, which {words}\n" in capsys.readouterr().out


def test_a_shell_says_by_what_a_digest_is_ordered_as_the_chat_does(capsys):
    ordering = Ordering((), learnt_from=9, voted=9)
    digest = replace(digest_of([long_view(1, "a", "https://e.org/")]), ordering=ordering)
    told = "Best first, by 9 papers that you voted for or read; every fifth is unlike them."
    print_digest(digest)
    assert f"\n{told}\n" in capsys.readouterr().out
    [part] = digest.parts()
    assert f"-# {told}" in texts_of(digest_message(part))
    print_digest(replace(digest, ordering=None))
    assert "first" not in capsys.readouterr().out


def test_a_shell_leaves_out_what_a_paper_has_not(capsys):
    view = long_view(1, "a", "https://e.org/")
    paper = replace(view.paper, authors=(), title="Bare", withdrawn=False)
    bare = replace(view, paper=paper, tag=None)
    digest = digest_of([bare], claim="")
    slot = replace(digest.slot, local_date=date(2026, 12, 2))
    counts = {"unsure": 1, "methods": 27666, "position": 0}
    print_digest(replace(digest, slot=replace(slot, total=27667), counts=counts))
    told = capsys.readouterr().out
    assert "Papers · Wednesday 2 December 2026 · channel" in told
    assert "2 days in one, since 30 May 2026\n27,667 new · 27,666 methods · 1 unsure\n" in told
    assert " Bare\nuntagged\n\nand 27,666 more\n" in told
