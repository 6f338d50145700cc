"""Whatever the papers say, the message is one that Discord takes."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.chat.layouts import notices, pages
from bot.chat.layouts.digest import digest_message, left_out, subscription_list
from bot.chat.layouts.paper import paper_card, paper_story
from bot.chat.layouts.queue import export_menu, queue_page
from bot.chat.layouts.search import neighbours, search_page
from bot.triage.cards import PaperCard, PaperStory
from bot.triage.digest import PAPERS_PER_MESSAGE
from bot.triage.fates import DigestFate, Fate
from bot.triage.ingest import FileReport, IngestReport
from data.records import Refusal, TagJudgement
from data.store.merging import Merge
from tests.bot.chat.looks import (
    NOW,
    anything,
    digest_of,
    many_views,
    queue_pages,
    quickly,
    refusals,
    search_pages,
    stories,
    subscription,
    texts_of,
    views,
)
from tests.bot.chat.test_digest_limits import long_view


@quickly
@given(search_pages())
def test_any_search_page_can_be_sent(page):
    assert refusals(search_page(page, 5)) == []


@quickly
@given(views(), many_views(5))
def test_any_neighbours_can_be_sent(view, found):
    hits = search_hits(found)
    assert refusals(neighbours(view, hits)) == []


def search_hits(found):
    from bot.triage.search import Hit
    from data.index import Snippet

    return [Hit(view, 0.5, Snippet(view.paper.abstract)) for view in found]


@quickly
@given(stories())
def test_a_card_says_why_a_text_could_not_be_judged_and_weighs_it_not_as_a_word(story):
    why = "The abstract does not read like English prose."
    judgement = TagJudgement(
        "unsure", None, {"position": 0.05, "theory": 0.1, "methods": 0.85}, ((why, 0.0),)
    )
    view = story.card.view
    plain = replace(view.paper, abstract="", judgement=judgement)
    card = replace(story.card, view=replace(view, paper=plain, tag="unsure", corrected=False))
    said = texts_of(paper_card(card)).split("\n")
    assert f"-# {why}" in said


@quickly
@given(stories())
def test_any_card_and_any_story_can_be_sent(story):
    assert refusals(paper_card(story.card)) == []
    assert refusals(paper_story(story)) == []


def test_a_story_writes_all_of_its_days_in_one_form():
    made, day, moment = subscription(), date(2026, 6, 2), NOW.replace(hour=9, minute=5)
    fates = (
        DigestFate(made, Fate.POSTED, ("posted on ", moment)),
        DigestFate(made, Fate.LEFT_OUT, ("it fits, but was beyond the maximum on ", day)),
    )
    card = PaperCard(long_view(1, "a", "https://e.org/"), None, (), (), (), NOW)
    merge = Merge(1, 2, "the same DOI", "ada", NOW, None, None)
    story = PaperStory(card, (), merges=(merge,), fates=fates)
    told = texts_of(paper_story(story))
    zone = made.order.zone.replace("_", r"\_")
    assert f"posted on {NOW.day} June 2026 at 09:05 {zone}" in told
    assert "beyond the maximum on 2 June 2026" in told
    assert f"- {NOW.day} June 2026 · #2 merged into #1" in told
    assert not re.search(r"\d{4}-\d\d", told)
    assert fates[0].reason() == f"posted on {moment:%Y-%m-%d} at 09:05 {made.order.zone}"


@quickly
@given(queue_pages())
def test_any_queue_page_can_be_sent(page):
    assert refusals(queue_page(page)) == []


@quickly
@given(many_views(PAPERS_PER_MESSAGE * 2), anything)
def test_any_digest_can_be_sent(found, text):
    digest = digest_of(found, claim=text, total=len(found) + 3, text=text)
    for part in digest.parts():
        assert refusals(digest_message(part)) == []


@quickly
@given(many_views(20))
def test_any_rest_of_a_digest_can_be_sent(found):
    for page in (0, 1, 9):
        assert refusals(left_out(found, "123456:2026-06-02", page)) == []


@quickly
@given(anything, st.integers(0, 30))
def test_any_list_of_digests_can_be_sent(text, count):
    known = [(subscription(query=text, topic=text, problem=text), NOW)] * count
    assert refusals(subscription_list(known)) == []


@quickly
@given(anything, st.integers(0, 30))
def test_any_report_on_a_listing_can_be_sent(text, count):
    file = FileReport(text, refused=(Refusal(text, text, text),) * count, notes=(text,) * 4)
    assert refusals(pages.listing_report(IngestReport((file,) * 15))) == []


@quickly
@given(anything)
def test_any_refusal_can_be_sent(text):
    assert refusals(notices.refusal(text)) == []


def test_help_and_the_export_menu_can_be_sent():
    assert refusals(pages.help_page()) == []
    assert refusals(export_menu()) == []
    assert refusals(notices.apology("a1b2c3")) == []


def test_a_digest_with_nothing_new_says_so():
    [part] = digest_of([]).parts()
    assert "Nothing new" in texts_of(digest_message(part))


@pytest.mark.parametrize("count", [1, PAPERS_PER_MESSAGE + 1])
@quickly
@given(data=st.data())
def test_every_paper_of_a_digest_has_its_vote_button(count, data):
    found = [data.draw(views(number + 1)) for number in range(count)]
    ids = {
        item.item.custom_id
        for part in digest_of(found).parts()
        for item in digest_message(part).walk_children()
        if hasattr(item, "item")
    }
    assert {f"pt:vote:{number + 1}" for number in range(count)} <= ids
