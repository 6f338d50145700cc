"""Standing sources: every outcome told apart, nothing lost, nothing announced that was there."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING

import pytest
from aiohttp import web

from bot.triage.errors import Refused
from bot.triage.schedule import EVERY_DAY
from bot.triage.sources import Sources
from data.fetch import Fetcher
from data.records import Refusal
from data.sources import Outcome, Reading
from data.store import ledger
from data.store import sources as source_rows
from data.store.digests import DigestFilter, SubscriptionOrder
from data.store.sql import rows
from tests.data.sources.web import Web, api, daily, notes, rss, served

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.triage.services import Services
    from data.store.sources import PartOutcome
    from tests.conftest import HandClock

MONDAY, TUESDAY, WEDNESDAY = date(2026, 6, 1), date(2026, 6, 2), date(2026, 6, 3)
FEED, API = "/rss/cs.LG", "/api/query"


class ProcessKilledError(BaseException):
    """Stands for the end of the process: nothing of ours catches it."""


@dataclass
class World:
    """Sources over a library, a clock set by hand, and a web that a test fills."""

    sources: Sources
    services: Services
    clock: HandClock
    web: Web
    slept: list[float]

    async def poll(self, name: str = "#1") -> dict[str, PartOutcome]:
        """Asks a source for everything; its outcomes by channel."""
        return {one.channel: one for one in (await self.sources.poll(name)).outcomes}

    async def add(self, text: str = "cs.LG", **choices: str) -> dict[str, PartOutcome]:
        """Adds a source and reads it for the first time."""
        source = await self.sources.add(text, by="ada", **choices)
        return await self.poll(f"#{source.id}")

    async def papers(self) -> int:
        return await self.services.library.store.read(ledger.last_paper)

    async def news(self, after: int = 0, upto: int | None = None) -> list[str]:
        """The titles' numbers of what a new subscription's digest would hold."""
        store = self.services.library.store
        ids = await store.read(ledger.unposted, 0, after=after, upto=upto or await self.papers())
        found = await self.services.library.papers(ids)
        return [paper.title.removeprefix("A study numbered ") for paper in found.values()]

    def at(self, day: date, hour: int, minute: int = 0) -> None:
        self.clock.moment = datetime(day.year, day.month, day.day, hour, minute, tzinfo=UTC)


@asynccontextmanager
async def world_of(services: Services, clock: HandClock) -> AsyncIterator[World]:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async with (
        served() as fake,
        Fetcher(allow_private=True, spacing={}, sleep=sleep, now=clock.now) as fetcher,
    ):
        sources = Sources(services.library, services.tagging, fetcher, fake.addresses)
        fake.pages[API] = api(())
        yield World(sources, services, clock, fake, slept)


@pytest.fixture
async def world(services: Services, clock: HandClock) -> AsyncIterator[World]:
    async with world_of(services, clock) as made:
        yield made


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


async def test_a_failure_is_told_and_asked_again_after_longer_and_longer(world: World) -> None:
    world.web.pages[FEED] = rss(MONDAY, (1,))
    await world.add()
    world.web.pages[FEED] = lambda _: web.Response(status=410)
    world.clock.advance(hours=1)
    start = world.clock.moment
    times: list[int] = []
    for minute in range(70):
        world.clock.moment = start + timedelta(minutes=minute)
        if await world.sources.poll_due():
            times.append(minute)
    assert times == [0, 5, 15, 35]
    (state,) = await world.sources.list()
    (channel,) = [one for one in state.channels if one.channel == "cs.LG"]
    assert channel.outcome is Outcome.FAILED
    assert "gone for good" in channel.sentence
    assert channel.times == 4
    assert state.source.failures == 4


async def test_an_unknown_category_is_named(world: World) -> None:
    found = await world.add("cs.QQ")
    assert found["cs.QQ"].outcome is Outcome.FAILED
    assert "arXiv has no feed for cs.QQ" in found["cs.QQ"].sentence


async def test_a_page_that_is_no_feed_is_a_failure(world: World) -> None:
    world.web.pages[FEED] = b"<html><body>We are moving house.</body></html>"
    found = (await world.add())["cs.LG"]
    assert (found.outcome, "no feed" in found.sentence) == (Outcome.FAILED, True)


async def test_an_error_that_a_feed_tells_is_a_failure_and_no_quiet_day(world: World) -> None:
    world.web.pages["/tea.xml"] = (
        b"<rss version='2.0'><channel><title>Error 500</title><description>The kettle is empty"
        b"</description></channel></rss>"
    )
    found = (await world.add(f"{world.web.base}/tea.xml"))["feed"]
    assert (found.outcome, "The kettle is empty" in found.sentence) == (Outcome.FAILED, True)


async def test_an_answer_that_its_reader_refuses_is_a_failure_though_it_counts_no_entries(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.web.pages[FEED] = rss(MONDAY, ())
    refused = Reading(refused=(Refusal("feed", "file", "it is a bill for tea"),))
    monkeypatch.setattr("bot.triage.sources.read_pages", lambda *_: refused)
    found = (await world.add())["cs.LG"]
    assert found.outcome is Outcome.FAILED
    assert "could not be read (it is a bill for tea)" in found.sentence


async def test_a_server_that_asks_for_peace_gets_it(world: World) -> None:
    world.web.pages |= {FEED: rss(MONDAY, (1,)), "/rss/stat.ML": rss(MONDAY, (2,))}
    await world.add("cs.LG, stat.ML")
    world.clock.advance(hours=1)
    world.web.pages[FEED] = lambda _: web.Response(status=429, headers={"Retry-After": "7200"})
    asked = world.web.times("/rss/stat.ML")
    (report,) = await world.sources.poll_due()
    assert [one.outcome for one in report.outcomes] == [Outcome.FAILED]
    assert world.web.times("/rss/stat.ML") == asked, "the rest waits as well"
    world.web.pages[FEED] = rss(MONDAY, (1, 3))
    world.clock.advance(minutes=119)
    assert await world.sources.poll_due() == []
    world.clock.advance(minutes=1)
    (report,) = await world.sources.poll_due()
    assert report.new == 1
    assert world.slept == []


async def test_a_short_wait_that_the_server_names_is_kept_at_once(world: World) -> None:
    world.web.pages[FEED] = [
        web.Response(status=429, headers={"Retry-After": "7"}),
        rss(MONDAY, (1,)),
    ]
    assert (await world.add())["cs.LG"].outcome is Outcome.ANNOUNCED
    assert world.slept == [7.0]


async def test_an_answer_that_did_not_change_is_not_sent_again(world: World) -> None:
    def conditional(request: web.Request) -> web.Response:
        if request.headers.get("If-None-Match") == '"monday"':
            return web.Response(status=304)
        body = rss(MONDAY, (1, 2))
        return web.Response(body=body, headers={"ETag": '"monday"'})

    world.web.pages[FEED] = conditional
    await world.add()
    world.clock.advance(minutes=30)
    same = (await world.poll())["cs.LG"]
    assert (same.outcome, same.day, same.read) == (Outcome.UNCHANGED, MONDAY, 0)
    world.at(TUESDAY, 8)
    assert (await world.poll())["cs.LG"].outcome is Outcome.NOT_YET
    assert world.web.asked[-2].headers["If-None-Match"] == '"monday"'


async def test_a_batch_that_shrinks_replaces_nothing_until_it_is_repeated(world: World) -> None:
    world.web.pages[FEED] = rss(MONDAY, range(1, 21))
    await world.add()
    world.clock.advance(minutes=30)
    world.web.pages[FEED] = rss(MONDAY, (1, 2, 50), kind="replace")
    (report,) = await world.sources.poll_due()
    assert report.outcomes[0].outcome is Outcome.SHRUNK
    assert report.outcomes[0].new == 1, "what is new in it is not lost"
    assert "from 20 entries to 3" in report.outcomes[0].sentence
    kinds = await world.services.library.store.read(
        lambda db: rows(db, "SELECT count(*) AS n FROM sightings WHERE announce_type = 'replace'")
    )
    assert kinds[0]["n"] == 1, "known papers were left as they are"
    world.clock.advance(minutes=10)
    (report,) = await world.sources.poll_due()
    assert report.outcomes[0].outcome is Outcome.SHRUNK, "it was asked again soon"
    world.clock.advance(minutes=10)
    (report,) = await world.sources.poll_due()
    assert report.outcomes[0].outcome is Outcome.UNCHANGED, "three times the same is believed"


async def test_a_batch_that_vanishes_is_not_taken_for_an_empty_day(world: World) -> None:
    world.web.pages[FEED] = rss(MONDAY, range(1, 21))
    await world.add()
    world.web.pages[FEED] = rss(MONDAY, ())
    assert (await world.poll())["cs.LG"].outcome is Outcome.SHRUNK
    world.web.pages[FEED] = rss(MONDAY, range(1, 21))
    assert (await world.poll())["cs.LG"].outcome is Outcome.UNCHANGED


async def test_a_feed_that_breaks_off_is_asked_again(world: World) -> None:
    world.web.pages[FEED] = rss(MONDAY, (1,))
    await world.add()
    world.at(TUESDAY, 8)
    whole = rss(TUESDAY, range(2, 12))
    world.web.pages[FEED] = whole[: len(whole) // 2]
    cut = (await world.poll())["cs.LG"]
    assert cut.outcome is Outcome.SHRUNK
    assert 0 < cut.new < 10
    world.web.pages[FEED] = whole
    rest = (await world.poll())["cs.LG"]
    assert (rest.outcome, rest.day) == (Outcome.ANNOUNCED, TUESDAY)
    assert cut.new + rest.new == 10


async def test_a_short_page_of_the_api_is_asked_for_again(world: World) -> None:
    world.web.pages[API] = [
        api(range(1, 150), total=250),
        api(range(1, 201), total=250),
        api((), total=250),
        api(range(201, 251), total=250),
    ]
    found = (await world.add("cat:cs.LG AND all:otters"))["query"]
    assert (found.outcome, found.read, found.new) == (Outcome.ANNOUNCED, 250, 250)
    assert [request.query["start"] for request in world.web.asked] == ["0", "0", "200", "200"]


async def test_pages_that_stay_short_are_recorded_as_such(world: World) -> None:
    world.web.pages[API] = api(range(1, 6), total=9)
    found = (await world.add("cat:cs.LG"))["query"]
    assert (found.outcome, found.new) == (Outcome.SHRUNK, 5)
    assert world.web.times(API) == 3
    assert "5 of the 9" in found.sentence


async def test_a_query_that_arxiv_refuses_fails_with_its_words(world: World) -> None:
    text = (
        "<feed><entry><id>http://arxiv.org/api/errors#x</id><title>Error</title>"
        "<summary>incorrect id format for abc</summary></entry></feed>"
    )
    world.web.pages[API] = lambda _: web.Response(status=400, text=text)
    found = (await world.add("id:abc"))["query"]
    assert found.outcome is Outcome.FAILED
    assert "incorrect id format for abc" in found.sentence


@pytest.mark.parametrize("place", ["read", "store"])
async def test_a_process_killed_between_fetching_and_storing_loses_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    world.web.pages[FEED] = rss(MONDAY, (1,))
    await world.add()
    world.at(TUESDAY, 8)
    world.web.pages[FEED] = lambda request: (
        web.Response(status=304)
        if request.headers.get("If-None-Match") == '"tuesday"'
        else web.Response(body=rss(TUESDAY, (2, 3)), headers={"ETag": '"tuesday"'})
    )

    def killed(*_: object, **__: object) -> None:
        raise ProcessKilledError

    target = {
        "read": "bot.triage.sources.read_pages",
        "store": "data.store.sources.note_outcome",
    }[place]
    with monkeypatch.context() as patched:
        patched.setattr(target, killed)
        with pytest.raises(ProcessKilledError):
            await world.poll()
    assert await world.papers() == 1
    again = Sources(
        world.services.library, world.services.tagging, world.sources._fetcher, world.web.addresses
    )
    found = {one.channel: one for one in (await again.poll("#1")).outcomes}
    assert (found["cs.LG"].outcome, found["cs.LG"].new) == (Outcome.ANNOUNCED, 2)
    assert await world.news() == ["2", "3"]


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
        from data.sources import Reading

        return Reading()

    with monkeypatch.context() as patched:
        patched.setattr("bot.triage.sources.read_pages", broken)
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


async def test_due_sources_are_asked_once_however_often_one_calls(world: World) -> None:
    world.web.pages[FEED] = rss(MONDAY, (1,))
    await world.sources.add("cs.LG", by="ada")
    first = await world.sources.poll_due()
    assert len(first) == 1
    for _ in range(29):
        world.clock.advance(minutes=1)
        assert await world.sources.poll_due() == []
    assert world.web.times(FEED) == 1
    world.clock.advance(minutes=1)
    assert len(await world.sources.poll_due()) == 1


async def test_one_source_that_breaks_does_not_stop_the_next(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.web.pages |= {FEED: rss(MONDAY, (1,)), "/rss/stat.ML": rss(MONDAY, (2,))}
    await world.sources.add("cs.LG", by="ada")
    await world.sources.add("stat.ML", by="ada")
    real = Sources._poll

    async def unlucky(self: Sources, source: object, **how: bool) -> object:
        if source.id == 1:  # type: ignore[attr-defined]
            raise RuntimeError("a fault of ours")
        return await real(self, source, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(Sources, "_poll", unlucky)
    (report,) = await world.sources.poll_due()
    assert report.source.name == "arXiv stat.ML"
    assert await world.sources.poll_due() == []


async def test_sources_are_paused_resumed_and_removed_by_name(world: World) -> None:
    world.web.pages[FEED] = rss(MONDAY, (1,))
    await world.add()
    await world.sources.pause("arxiv", paused=True)
    world.clock.advance(days=2)
    assert await world.sources.poll_due() == []
    await world.sources.pause("ARXIV CS.LG", paused=False)
    assert len(await world.sources.poll_due()) == 1
    await world.sources.remove("#1")
    assert await world.sources.list() == []
    assert await world.papers() == 1
    with pytest.raises(Refused, match="no sources yet"):
        await world.sources.poll("#1")
    await world.sources.add("cs.LG", by="ben")


@pytest.mark.parametrize(
    ("text", "choices", "sentence"),
    [
        ("cs.LG", {}, "a source already"),
        ("stat.ML", {"name": "arxiv cs.lg"}, "Another source is called"),
        ("stat.ML", {"name": "x" * 81}, "between 1 and 80"),
        ("stat.ML", {"kind": "journal"}, "no kind of source"),
        ("cs.LG, otters", {"kind": "arxiv"}, "“otters” is no arXiv category"),
        ("what is new?", {}, "That is no source"),
    ],
)
async def test_what_is_no_source_is_refused_with_a_sentence(
    world: World, text: str, choices: dict[str, str], sentence: str
) -> None:
    await world.sources.add("cs.LG", by="ada")
    with pytest.raises(Refused, match=sentence):
        await world.sources.add(text, by="ada", **choices)


async def test_outcomes_since_a_moment_can_be_asked_for_by_a_digest(world: World) -> None:
    world.web.pages[FEED] = rss(MONDAY, (1,))
    await world.add()
    world.at(TUESDAY, 8)
    since = world.clock.now()
    world.web.pages[FEED] = rss(TUESDAY, (2,))
    await world.poll()
    told = [
        (one.source, one.channel, one.outcome, one.day, one.new)
        for one in await world.sources.outcomes(since)
    ]
    assert sorted(told) == [
        ("arXiv cs.LG", "cs.LG", Outcome.ANNOUNCED, TUESDAY, 1),
        ("arXiv cs.LG", "look-back", Outcome.EMPTY, None, 0),
    ]
