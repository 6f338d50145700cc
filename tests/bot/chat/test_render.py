"""Text from listings is shown as it was written, cut at a word, and takes no effect of its own."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.chat import render
from data.records import TagJudgement
from tests.bot.chat.looks import anything, quickly

UNESCAPED = re.compile(r"(?<!\\)(?:\\\\)*[*_~`|\[\]<>]")


@quickly
@given(anything, st.integers(1, 300))
def test_a_shown_text_is_never_longer_than_its_limit(text, limit):
    assert render.size(render.shown(text, limit)) <= limit


@quickly
@given(st.text(max_size=200).filter(lambda text: "://" not in text))
def test_no_markdown_of_a_listing_takes_effect(text):
    assert not UNESCAPED.search(render.escape(text))


@quickly
@given(st.text(max_size=200))
def test_escaping_loses_no_letter_that_can_be_seen(text):
    escaped = render.escape(text).replace("\\", "").replace("\u2060", "")
    assert escaped == render.clean(text).replace("\\", "")


@pytest.mark.parametrize("start", ["# ", "-# ", "- ", "+ ", "> ", "1. ", "12) "])
def test_a_line_of_a_listing_never_becomes_a_heading_or_a_list(start):
    escaped = render.escape(f"{start}text")
    assert not re.match(r"(#|-#|-|\+|>|\d+[.)]) ?", escaped)


@pytest.mark.parametrize("mention", ["@everyone", "@here", "<@123>", "<@&123>", "<#123>", "</a:1>"])
def test_a_mention_in_a_title_is_text(mention):
    assert mention not in render.escape(f"Thanks {mention} for all")


def test_an_address_in_an_abstract_still_opens():
    text = "Code: https://example.org/a_b/c_d. It *works*."
    assert render.escape(text) == "Code: https://example.org/a_b/c_d. It \\*works\\*."


def test_text_is_cut_at_a_word_with_an_ellipsis():
    assert (
        render.cut("Agents with a chain of thought, and", 32) == "Agents with a chain of thought…"
    )


def test_hidden_characters_are_taken_out():
    assert render.clean("a\u200bb\u202ec\x00d\ud800\ne") == "abcd e"


def test_a_link_only_leads_to_the_web():
    assert render.address("javascript:alert(1)") is None
    assert render.address("https://e.org/" + "a" * 600) is None
    assert render.address("https://e.org/a (b)") == "https://e.org/a%20%28b%29"


def test_a_title_that_holds_an_address_still_is_a_link():
    linked = render.linked("See https://a.org [v2]", "https://b.org", limit=80)
    assert linked == "**[See https: //a.org \\[v2\\]](https://b.org)**"


def test_authors_are_cited_by_family_name():
    people = ["Qiang (Shaun) Cheng", "Laurens van der Maaten", "Uygar Sümbül", "Ada", "Bo"]
    assert render.people(people) == "Cheng, van der Maaten, Sümbül +2"
    assert render.people(["Paul MONTAGUE"]) == "Paul MONTAGUE"


def test_matching_words_are_bold_and_everything_else_is_escaped():
    line = render.emphasised("agents with *tacit* collusion", [(20, 29)], 100)
    assert line == "agents with \\*tacit\\* **collusion**"


@quickly
@given(anything, st.integers(20, 300))
def test_a_passage_is_never_longer_than_its_limit(text, limit):
    spans = [(start, start + 4) for start in range(0, min(len(text), 100), 9)]
    assert render.size(render.emphasised(text, spans, limit)) <= limit


def test_unsure_names_its_two_best():
    unsure = TagJudgement("unsure", None, {"position": 0.12, "theory": 0.30, "methods": 0.58})
    assert render.chip(unsure) == "`unsure` methods 58%, theory 30%"


def test_a_probability_is_never_shown_as_certain():
    sure = TagJudgement("theory", "methods", {"position": 0.0, "theory": 1.0, "methods": 0.0})
    assert render.chip(sure) == "`theory >99%` `methods`"


def test_a_corrected_tag_is_shown_as_decided_by_people():
    assert render.chip(None, "position") == "`position ✓`"


@quickly
@given(st.lists(anything, max_size=30), st.integers(20, 200))
def test_a_list_of_names_keeps_its_limit(names, limit):
    assert render.size(render.listed(names, limit=limit)) <= limit
