"""What the papers of standing sources are to digests, and answers that are read again."""

from __future__ import annotations

from datetime import date, time
from typing import TYPE_CHECKING

from bot.triage.schedule import EVERY_DAY
from data.sources import Outcome, Reading
from data.store import sources as source_rows
from data.store.digests import DigestFilter, SubscriptionOrder
from tests.bot.triage.asking import API, FEED, MONDAY, TUESDAY, WEDNESDAY, World
from tests.data.sources.web import api, daily, notes, rss

if TYPE_CHECKING:
    import pytest


async def test_two_sources_with_the_same_paper_have_one_paper(world: World) -> None:
    world.web.pages |= {
        FEED: rss(MONDAY, (1, 2)),
        "/rss/stat.ML": rss(MONDAY, (2, 3), kind="cross"),
    }
    await world.add("cs.LG")
    found = await world.add("stat.ML")
    assert (found["stat.ML"].read, found["stat.ML"].new) == (2, 1)
    assert await world.papers() == 3
    paper = await world.services.library.find("2606.00002")
    assert paper.sources == ("arXiv cs.LG", "arXiv stat.ML")


async def test_a_paper_that_was_only_learnt_is_news_once_another_source_announces_it(
    world: World,
) -> None:
    world.web.pages |= {FEED: rss(MONDAY, (1,)), "/notes": lambda _: notes((7, 8))}
    await world.add("cs.LG")
    found = await world.add("Tea.cc/2026/Conference")
    assert (found["venue"].outcome, found["venue"].new) == (Outcome.ANNOUNCED, 2)
    assert await world.news() == []
    before = await world.papers()
    world.at(TUESDAY, 8)
    world.web.pages[FEED] = rss(TUESDAY, (7, 9))
    await world.poll("#1")
    assert await world.news(after=before) == ["7", "9"]
    assert await world.news(after=0, upto=before) == [], "a digest before it had none of them"


async def test_a_paper_that_was_learnt_before_its_announcement_is_news_with_it(
    world: World,
) -> None:
    world.web.pages |= {FEED: rss(MONDAY, (1,)), API: api((1, 2))}
    await world.add()
    world.at(TUESDAY, 8)
    world.web.pages[FEED] = rss(TUESDAY, (2, 3))
    await world.poll()
    assert await world.news() == ["2", "3"]


async def test_a_digest_holds_what_came_after_the_first_reading_only(world: World) -> None:
    world.web.pages[FEED] = rss(MONDAY, (1, 2, 3))
    subscription = await world.services.digests.subscribe(
        100,
        1,
        SubscriptionOrder(
            channel_id=5,
            at=time(9),
            zone="UTC",
            days=EVERY_DAY,
            filter=DigestFilter(),
            maximum=20,
        ),
    )
    await world.add()
    world.at(TUESDAY, 8)
    world.web.pages[FEED] = rss(TUESDAY, (4,))
    await world.poll()
    (preview,) = await world.services.digests.preview(100, subscription.order.channel_id)
    assert [item.view.paper.title for item in preview.items] == ["A study numbered 4"]


async def test_daily_papers_are_asked_for_day_by_day(world: World) -> None:
    lists = {"2026-05-29": (1, 2), "2026-05-31": (3,)}
    world.web.pages["/api/daily_papers"] = daily(lists)
    source = await world.sources.add("hf-daily", by="ada")
    report = await world.sources.poll(source.name)
    assert [(one.part, one.outcome) for one in report.outcomes] == [
        ("2026-05-26", Outcome.EMPTY),
        ("2026-05-27", Outcome.EMPTY),
        ("2026-05-28", Outcome.EMPTY),
        ("2026-05-29", Outcome.ANNOUNCED),
        ("2026-05-30", Outcome.EMPTY),
        ("2026-05-31", Outcome.ANNOUNCED),
        ("2026-06-01", Outcome.NOT_YET),
    ]
    assert await world.news() == []
    lists |= {"2026-06-01": (4,), "2026-05-31": (3, 5)}
    world.clock.advance(hours=2)
    (report,) = await world.sources.poll_due()
    assert [(one.part, one.outcome, one.new, one.late) for one in report.outcomes] == [
        ("2026-05-31", Outcome.ANNOUNCED, 1, 1),
        ("2026-06-01", Outcome.ANNOUNCED, 1, 0),
    ]
    assert await world.news() == ["5", "4"]
    (state,) = await world.sources.list()
    assert [(one.channel, one.part) for one in state.channels] == [("daily", "2026-06-01")]


async def test_days_that_were_missed_are_asked_for_after_an_outage(world: World) -> None:
    lists: dict[str, tuple[int, ...]] = {"2026-05-31": (1,)}
    world.web.pages["/api/daily_papers"] = daily(lists)
    await world.add("hf-daily")
    lists |= {"2026-06-04": (2,), "2026-06-20": (3,)}
    world.at(date(2026, 6, 21), 8)
    report = await world.sources.poll("#1")
    assert report.outcomes[0].part == "2026-05-26"
    assert report.new == 2
    assert await world.news() == ["2", "3"]


async def test_a_feed_of_any_kind_is_read_too(world: World) -> None:
    world.web.pages["/blog.xml"] = (
        b'<rss version="2.0"><channel><title>Lab notes</title><item><title>On kites</title>'
        b"<link>https://lab.example.org/kites</link></item></channel></rss>"
    )
    await world.add(f"{world.web.base}/blog.xml", name="Lab")
    world.at(TUESDAY, 8)
    same = (await world.poll("lab"))["feed"]
    assert same.outcome is Outcome.UNCHANGED
    assert (await world.services.library.find("On kites")).sources == ("Lab",)


async def test_a_raw_answer_is_kept_and_read_again_after_a_fix(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.web.pages[FEED] = rss(MONDAY, (1,))
    await world.add()
    world.at(TUESDAY, 8)
    world.web.pages[FEED] = rss(TUESDAY, (2, 3))

    def broken(*_: object, **__: object) -> object:

        return Reading()

    with monkeypatch.context() as patched:
        patched.setattr("bot.triage.polling.read_pages", broken)
        found = (await world.poll())["cs.LG"]
    assert found.outcome is Outcome.FAILED
    assert "kept for some days" in found.sentence
    world.web.pages[FEED] = rss(WEDNESDAY, (4,))
    world.at(WEDNESDAY, 8)
    assert await world.sources.reread("#1") == 2
    assert await world.news() == ["2", "3"]
    await world.poll()
    world.at(date(2026, 6, 20), 8)
    await world.sources.poll_due()
    kept = await world.services.library.store.read(source_rows.kept_answers, 1)
    assert {answer.fetched.date() for answer in kept} <= {date(2026, 6, 20)}


async def test_an_answer_that_says_nothing_new_is_not_kept_to_be_read_again(world: World) -> None:
    world.web.pages[FEED] = rss(MONDAY, (1, 2))
    await world.add()
    world.at(TUESDAY, 8)
    world.web.pages[FEED] = rss(TUESDAY, (1, 2))
    assert (await world.poll())["cs.LG"].outcome is Outcome.STALE
    assert await world.sources.reread("#1") == 0
    paper = await world.services.library.find("2606.00001")
    assert paper.announced == MONDAY
    kept = await world.services.library.store.read(source_rows.kept_answers, 1)
    assert [answer.day for answer in kept if answer.part == "cs.LG"] == [MONDAY]
