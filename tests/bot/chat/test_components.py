"""Controls say all in their ids, and are read back from a message by them alone."""

from __future__ import annotations

import discord
import pytest
from discord import ui

from bot.chat import components
from bot.chat.clicks import Clicks
from bot.chat.layouts.frame import board, lines, section


@pytest.mark.parametrize(
    ("control", "verb", "words"),
    [
        (components.vote_button(17, 3), "vote", ("17",)),
        (components.vote_button(17, 0, "card"), "vote", ("17", "card")),
        (components.move_button("claim", 17, "q2"), "claim", ("17", "q2")),
        (components.button("pt:export", "Export"), "export", ()),
        (components.button("pt:queue-open:1-20260602-0", "Queue"), "queue-open", ("1-20260602-0",)),
    ],
)
def test_a_control_says_what_it_does_and_to_what(control, verb, words):
    assert (control.verb, control.words) == (verb, words)


def test_a_vote_button_shows_the_count_and_is_coloured_once_somebody_voted():
    none, some = components.vote_button(1, 0).item, components.vote_button(1, 2).item
    assert (none.label, some.label) == ("▲ 0", "▲ 2")
    assert none.style is discord.ButtonStyle.secondary
    assert some.style is discord.ButtonStyle.primary


def test_there_are_no_arrows_for_a_single_page():
    assert components.pager("queue", 0, 1) == []


def test_arrows_stop_at_both_ends():
    first = [control.item.disabled for control in components.pager("queue", 0, 3)]
    last = [control.item.disabled for control in components.pager("queue", 2, 3)]
    assert (first, last) == ([True, True, False], [False, True, True])
    ids = [control.custom_id for control in components.pager("queue", 1, 3)]
    assert ids == ["pt:queue:0:back", "pt:page:1", "pt:queue:2:on"]


def test_all_counts_of_a_message_are_painted_anew():
    view = board(
        [
            section(components.vote_button(1, 0), "one"),
            section(components.vote_button(2, 5), "two"),
            lines("three"),
        ]
    )
    components.repaint_votes(view, {1: 4})
    labels = {paper: button.label for paper, button in components.papers_on(view).items()}
    assert labels == {1: "▲ 4", 2: "▲ 5"}


def test_every_control_that_is_shown_has_something_that_answers_it():
    known = set(Clicks(services=None)._presses)
    assert known >= {
        "vote", "claim", "start", "done", "open", "open-one", "similar", "tag", "search", "queue",
        "queue-open", "export", "export-as", "more",
    }  # fmt: skip


def test_a_control_keeps_nothing_in_memory():
    view = board([lines("text")], rows=[[components.vote_button(1, 0)]])
    assert all(isinstance(row.children[0], ui.DynamicItem) for row in list(view.children)[1:])
    assert view.timeout is None
