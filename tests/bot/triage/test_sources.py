"""Standing sources by name: added, due, paused, removed, told of."""

from __future__ import annotations

from datetime import timedelta

import pytest
from aiohttp import web

from bot.triage.errors import Refused
from bot.triage.polling import Poller, told_together
from data.sources import Outcome
from tests.bot.triage.asking import API, FEED, MONDAY, TUESDAY, World
from tests.data.sources.web import rss


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
    real = Poller.poll

    async def unlucky(self: Poller, source: object, **how: bool) -> object:
        if source.id == 1:  # type: ignore[attr-defined]
            raise RuntimeError("a fault of ours")
        return await real(self, source, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(Poller, "poll", unlucky)
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


async def test_channels_that_failed_for_one_reason_are_told_in_one_line(world: World) -> None:
    world.web.pages |= {"/rss/stat.ML": rss(MONDAY, (2,))}
    for path in (FEED, "/rss/cs.CL", API):
        world.web.pages[path] = lambda _: web.Response(status=410)
    await world.sources.add("cs.LG, stat.ML, cs.CL", by="ada")
    report = await world.sources.poll("#1")
    assert (report.failed, report.unread) == (True, False)
    assert [channels for channels, _ in told_together(report.outcomes)] == [
        ("cs.LG", "cs.CL", "look-back"),
        ("stat.ML",),
    ]
    (state,) = await world.sources.list()
    assert report.next_poll == state.source.next_poll == world.clock.now() + timedelta(minutes=5)
    world.web.pages["/rss/stat.ML"] = lambda _: web.Response(status=410)
    assert (await world.sources.poll("#1")).unread
