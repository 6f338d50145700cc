"""Asking a source that fails, shrinks, breaks off, or wants to be left alone."""

from __future__ import annotations

from datetime import timedelta

import pytest
from aiohttp import web

from bot.triage.sources import Sources
from data.records import Refusal
from data.sources import Outcome, Reading
from data.store.sql import rows
from tests.bot.triage.asking import API, FEED, MONDAY, TUESDAY, World
from tests.data.sources.web import api, rss


class ProcessKilledError(BaseException):
    """Stands for the end of the process: nothing of ours catches it."""


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
    monkeypatch.setattr("bot.triage.polling.read_pages", lambda *_: refused)
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
        "read": "bot.triage.polling.read_pages",
        "store": "data.store.sources.note_outcome",
    }[place]
    with monkeypatch.context() as patched:
        patched.setattr(target, killed)
        with pytest.raises(ProcessKilledError):
            await world.poll()
    assert await world.papers() == 1
    again = Sources(
        world.services.library,
        world.services.tagging,
        world.sources._poller._fetcher,
        world.web.addresses,
    )
    found = {one.channel: one for one in (await again.poll("#1")).outcomes}
    assert (found["cs.LG"].outcome, found["cs.LG"].new) == (Outcome.ANNOUNCED, 2)
    assert await world.news() == ["2", "3"]
