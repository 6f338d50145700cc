"""The longest digest that can be: Discord takes each of its messages, and says how much is left."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from bot.chat.layouts.digest import digest_message
from bot.triage.digest import RevisedPaper
from bot.triage.interest import Ordering, Reason
from bot.triage.library import PaperView
from bot.triage.receipts import SourceCoverage
from data.records import Identifiers, Paper, TagJudgement
from data.sources import Outcome
from data.store.digests import DigestFilter, SourceReading
from data.store.news import Revision
from data.store.servers import Member
from data.store.sources import PartOutcome
from tests.bot.chat.looks import NOW, digest_of, refusals, texts_of

TAGS = ("methods", "theory", "position", "unsure")
MILLION = 10**6


def long_view(number, text, url):
    tag = TAGS[number % len(TAGS)]
    paper = Paper(
        id=10**14 + number,
        title=(text * 300)[:300],
        title_derived=True,
        abstract="Words.",
        authors=tuple(f"{(text * 60)[:60]} {k}" for k in range(200)),
        identifiers=Identifiers(url=f"{url}{number}"),
        topics=(),
        categories=(),
        sources=(text * 50,),
        first_seen=NOW,
        withdrawn=True,
        judgement=TagJudgement(
            tag=tag,
            secondary="theory",
            probabilities={"position": 0.3, "theory": 0.3, "methods": 0.4},
            reasons=(),
        ),
    )
    return PaperView(paper, tag, False, tuple(Member(k, (text * 32)[:32]) for k in range(50)))


def longest(papers, text, url, *, in_thread):
    views = [long_view(number, text, url) for number in range(papers)]
    digest = digest_of(views, claim=text * 1000, total=999_999, text=text)
    wanted = DigestFilter(tags=TAGS, topics=(text * 60,) * 30, query=(text * 300)[:300])
    order = replace(digest.subscription.order, in_thread=in_thread, filter=wanted)
    reading = SourceReading(text * 200, NOW, date(2026, 9, 22), MILLION, MILLION)
    cover = SourceCoverage(
        reading, MILLION, MILLION, MILLION, MILLION, MILLION, announced=date(2026, 9, 22)
    )
    failed = PartOutcome(text * 100, "", text * 100, Outcome.FAILED, text * 500, NOW, NOW)
    reason = Reason(1, (text * 300)[:300], 99)
    return replace(
        digest,
        subscription=replace(digest.subscription, order=order),
        items=tuple(replace(item, reason=reason, late=True) for item in digest.items),
        coverage=(cover,) * 30,
        asked=(failed,) * 30,
        revised=tuple(
            RevisedPaper(view, Revision(view.paper.id, 99, date(2026, 9, 22), withdrawn=True))
            for view in views[:20]
        ),
        withdrawn=99,
        ordering=Ordering((), learnt_from=99_999, voted=99_999),
    )


@pytest.mark.parametrize("in_thread", [False, True])
@pytest.mark.parametrize("link", [20, 150])
@pytest.mark.parametrize("text", ["a", "*", "𝔘", "\u202e[x](y) ", "@everyone ", "אב "])
def test_the_longest_digest_can_be_sent(text, link, in_thread):
    url = "https://e.org/".ljust(link, "a")
    for papers in (0, 4, 60):
        digest = longest(papers, text, url, in_thread=in_thread)
        messages = [digest_message(part) for part in digest.parts()]
        assert [refusals(message) for message in messages] == [[]] * len(messages)
        foot = texts_of(messages[0 if in_thread else -1])
        assert "more sources" in foot
        assert "see `/listing sources list`" in foot
