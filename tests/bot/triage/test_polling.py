"""Asking a source: every outcome told apart, and no paper lost or announced too soon."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from aiohttp import web

from data.sources import Outcome
from data.store.sql import rows
from tests.bot.triage.asking import API, FEED, MONDAY, TUESDAY, WEDNESDAY, World
from tests.data.sources.web import api, rss


async def test_a_first_reading_learns_what_is_there_and_announces_nothing(world: World) -> None:
    world.web.pages |= {FEED: rss(MONDAY, range(1, 4)), API: api(range(3, 7))}
    found = await world.add()
    assert (found["cs.LG"].outcome, found["cs.LG"].new) == (Outcome.ANNOUNCED, 3)
    assert (found["look-back"].read, found["look-back"].new) == (4, 3)
    assert await world.papers() == 6
    assert await world.news() == []
    paper = await world.services.library.find("2606.00003")
    assert paper.announced == MONDAY
    assert paper.judgement is not None, "it is tagged"
    assert await world.services.library.suggest("A study numbered 5")


async def test_the_next_announcement_is_news_with_its_date_and_counts(world: World) -> None:
    world.web.pages[FEED] = rss(MONDAY, range(1, 4))
    await world.add()
    world.at(TUESDAY, 8)
    world.web.pages[FEED] = rss(TUESDAY, range(3, 8))
    found = (await world.poll())["cs.LG"]
    assert (found.outcome, found.day) == (Outcome.ANNOUNCED, TUESDAY)
    assert (found.read, found.new, found.late) == (5, 4, 0)
    assert await world.news() == ["4", "5", "6", "7"]


async def test_polling_twice_adds_nothing(world: World) -> None:
    world.web.pages[FEED] = rss(MONDAY, range(1, 4))
    await world.add()
    again = (await world.poll())["cs.LG"]
    assert (again.outcome, again.new) == (Outcome.UNCHANGED, 0)
    assert await world.papers() == 3
    sightings = await world.services.library.store.read(
        lambda db: rows(db, "SELECT count(*) AS n FROM sightings")[0]["n"]
    )
    assert sightings == 3


async def test_a_weekend_feed_without_entries_is_empty(world: World) -> None:
    world.web.pages[FEED] = rss(MONDAY, (1, 2))
    await world.add()
    saturday = date(2026, 6, 6)
    world.at(saturday, 8)
    world.web.pages[FEED] = rss(saturday, ())
    found = (await world.poll())["cs.LG"]
    assert (found.outcome, found.day, found.read) == (Outcome.EMPTY, saturday, 0)


async def test_the_batch_before_under_a_new_date_is_stale_and_closes_nothing(world: World) -> None:
    world.web.pages[FEED] = rss(MONDAY, (1, 2))
    await world.add()
    world.at(TUESDAY, 8)
    world.web.pages[FEED] = rss(TUESDAY, (1, 2))
    assert (await world.poll())["cs.LG"].outcome is Outcome.STALE
    paper = await world.services.library.find("2606.00001")
    assert paper.announced == MONDAY
    world.at(TUESDAY, 12)
    world.web.pages[FEED] = rss(TUESDAY, (3, 4))
    late = (await world.poll())["cs.LG"]
    assert (late.outcome, late.day, late.new) == (Outcome.ANNOUNCED, TUESDAY, 2)
    assert await world.news() == ["3", "4"]


async def test_the_batch_before_stays_stale_after_an_empty_day(world: World) -> None:
    friday, saturday, monday = date(2026, 6, 5), date(2026, 6, 6), date(2026, 6, 8)
    world.at(friday, 8)
    world.web.pages[FEED] = rss(friday, (1, 2))
    await world.add()
    for day, numbers, outcome in (
        (saturday, (), Outcome.EMPTY),
        (monday, (1, 2), Outcome.STALE),
        (monday, (3,), Outcome.ANNOUNCED),
    ):
        world.at(day, 8)
        world.web.pages[FEED] = rss(day, numbers)
        assert (await world.poll())["cs.LG"].outcome is outcome


async def test_a_feed_made_anew_without_a_new_date_is_stale(world: World) -> None:
    world.web.pages[FEED] = rss(MONDAY, (1, 2))
    await world.add()
    world.at(TUESDAY, 8)
    world.web.pages[FEED] = rss(MONDAY, (1, 2), built=datetime(2026, 6, 2, 4, tzinfo=UTC))
    assert (await world.poll())["cs.LG"].outcome is Outcome.STALE


async def test_before_the_source_is_made_anew_the_day_is_not_announced_yet(world: World) -> None:
    world.web.pages[FEED] = rss(MONDAY, (1, 2))
    await world.add()
    world.at(TUESDAY, 2)  # Monday, 22:00 in the feed's own calendar
    assert (await world.poll())["cs.LG"].outcome is Outcome.UNCHANGED
    world.at(TUESDAY, 6)
    waiting = (await world.poll())["cs.LG"]
    assert waiting.outcome is Outcome.NOT_YET
    assert "2026-06-02" in waiting.sentence
    world.at(WEDNESDAY, 6)
    assert (await world.poll())["cs.LG"].outcome is Outcome.STALE, "a whole day went by"
    world.web.pages[FEED] = rss(WEDNESDAY, (3,))
    assert (await world.poll())["cs.LG"].outcome is Outcome.ANNOUNCED


async def test_a_source_that_names_no_rhythm_is_never_late(world: World) -> None:
    world.web.pages[FEED] = rss(MONDAY, (1, 2), skip="")
    await world.add()
    world.at(date(2026, 6, 25), 8)
    assert (await world.poll())["cs.LG"].outcome is Outcome.UNCHANGED


async def test_a_late_announcement_is_news_and_marked_late(world: World) -> None:
    world.web.pages[FEED] = rss(MONDAY, (1, 2))
    await world.add()
    world.at(TUESDAY, 8)
    world.web.pages[FEED] = rss(TUESDAY, (3, 4))
    await world.poll()
    world.at(TUESDAY, 11)
    world.web.pages[FEED] = rss(TUESDAY, (3, 4, 5))
    straggler = (await world.poll())["cs.LG"]
    assert (straggler.outcome, straggler.new, straggler.late) == (Outcome.ANNOUNCED, 1, 1)
    assert await world.news() == ["3", "4", "5"]


async def test_a_new_batch_under_the_date_before_is_taken_too(world: World) -> None:
    world.web.pages[FEED] = rss(MONDAY, range(1, 21))
    await world.add()
    world.at(TUESDAY, 8)
    world.web.pages[FEED] = rss(MONDAY, (30, 31))
    assert (await world.poll())["cs.LG"].new == 2
    assert await world.news() == ["30", "31"]


async def test_an_announcement_on_a_day_that_was_empty_comes_after_all(world: World) -> None:
    world.web.pages[FEED] = rss(MONDAY, (1,))
    await world.add()
    world.at(TUESDAY, 8)
    world.web.pages[FEED] = rss(TUESDAY, ())
    assert (await world.poll())["cs.LG"].outcome is Outcome.EMPTY
    world.web.pages[FEED] = rss(TUESDAY, (2,))
    assert (await world.poll())["cs.LG"].outcome is Outcome.ANNOUNCED
    assert await world.news() == ["2"]


async def test_categories_have_outcomes_of_their_own(world: World) -> None:
    world.web.pages |= {FEED: rss(MONDAY, (1, 2)), "/rss/stat.ML": rss(MONDAY, (2, 3))}
    await world.add("cs.LG, stat.ML")
    world.at(TUESDAY, 8)
    world.web.pages |= {FEED: rss(TUESDAY, (1, 2)), "/rss/stat.ML": rss(TUESDAY, (4,))}
    found = await world.poll()
    assert found["cs.LG"].outcome is Outcome.STALE
    assert found["stat.ML"].outcome is Outcome.ANNOUNCED


async def test_what_an_outage_missed_is_found_by_looking_back(world: World) -> None:
    world.web.pages |= {FEED: rss(MONDAY, (1,)), API: api((1,))}
    await world.add()
    for days in range(1, 9):
        world.at(MONDAY + timedelta(days=days), 8)
        world.web.pages |= {
            FEED: lambda _: web.Response(status=503),
            API: lambda _: web.Response(status=500),
        }
        assert {one.outcome for one in (await world.poll()).values()} == {Outcome.FAILED}
    after = MONDAY + timedelta(days=9)
    world.at(after, 8)
    world.web.pages |= {FEED: rss(after, (9, 10)), API: api(range(1, 11))}
    found = await world.poll()
    assert found["cs.LG"].new == 2
    assert (found["look-back"].new, found["look-back"].late) == (7, 7)
    asked = world.web.asked[-1].query["search_query"]
    assert asked == "(cat:cs.LG) AND submittedDate:[202605270000 TO 202606102359]"
    assert sorted(map(int, await world.news())) == list(range(2, 11))


async def test_looking_back_is_done_once_a_day_by_itself(world: World) -> None:
    world.web.pages[FEED] = rss(MONDAY, (1,))
    await world.add()
    for _ in range(10):
        world.clock.advance(minutes=30)
        await world.sources.poll_due()
    assert world.web.times(API) == 1
    world.clock.advance(hours=20)
    await world.sources.poll_due()
    assert world.web.times(API) == 2
