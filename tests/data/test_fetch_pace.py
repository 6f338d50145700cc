"""Fetching: when a server is asked again, and how often at most."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest
from aiohttp import web
from hypothesis import given, settings
from hypothesis import strategies as st

from data.fetch import (
    Fetcher,
    StatusError,
)
from data.fetch.pace import retry_after_seconds
from tests.data.test_fetch import FakeTime, fetching, scripted, serving
from tests.data.test_fetch_addresses import Names


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
async def test_passing_trouble_is_tried_again_after_growing_waits(status):
    bad = [web.Response(status=status) for _ in range(3)]
    async with fetching(scripted(*bad, web.Response(body=b"well"))) as (fetcher, base, time):
        assert (await fetcher.fetch(base)).body == b"well"
    assert time.slept == [2, 4, 8]


async def test_trouble_that_stays_is_told_after_the_last_try():
    bad = [web.Response(status=503) for _ in range(4)]
    async with fetching(scripted(*bad)) as (fetcher, base, time):
        with pytest.raises(StatusError, match="answered 503") as caught:
            await fetcher.fetch(f"{base}/list?key=abc")
    assert time.slept == [2, 4, 8]
    assert caught.value.passing
    assert "key=abc" not in str(caught.value)


async def test_retry_after_is_obeyed_as_seconds_and_as_a_date():
    async with fetching(
        scripted(
            web.Response(status=429, headers={"Retry-After": "17"}),
            web.Response(status=503, headers={"Retry-After": "Mon, 03 Mar 2025 12:00:40 GMT"}),
            web.Response(body=b"well"),
        )
    ) as (fetcher, base, time):
        assert (await fetcher.fetch(base)).body == b"well"
    assert time.slept == [17, 23]


async def test_a_server_that_wants_an_hour_is_left_alone_and_the_caller_told():
    answer = web.Response(status=429, headers={"Retry-After": "3600"})
    async with fetching(scripted(answer)) as (fetcher, base, time):
        with pytest.raises(StatusError, match="3600 seconds") as caught:
            await fetcher.fetch(base)
    assert time.slept == []
    assert caught.value.retry_after_seconds == 3600


@settings(deadline=None)
@given(st.text())
def test_any_retry_after_is_a_wait_or_nothing(header):
    wait = retry_after_seconds(header, datetime(2025, 3, 3, tzinfo=UTC))
    assert wait is None or wait >= 0


async def test_arxiv_gets_one_request_every_three_seconds_over_all_its_hosts():
    at: list[tuple[str, float]] = []
    inside = 0
    time = FakeTime()

    async def handler(request: web.Request) -> web.Response:
        nonlocal inside
        inside += 1
        assert inside == 1
        at.append((request.host.partition(":")[0], time.seconds))
        await asyncio.sleep(0)
        inside -= 1
        return web.Response(body=b"ok")

    hosts = ["export.arxiv.org", "arxiv.org", "rss.arxiv.org", "export.arxiv.org"]
    async with serving(handler) as server:
        names = Names(dict.fromkeys(hosts, "127.0.0.1"))
        async with Fetcher(
            allow_private=True, resolver=names, sleep=time.sleep, clock=time.clock
        ) as fetcher:
            await asyncio.gather(
                *(fetcher.fetch(f"http://{host}:{server.port}/") for host in hosts)
            )
    assert sorted(second for _, second in at) == [1000, 1003, 1006, 1009]
    assert {host for host, _ in at} == set(hosts)


async def test_other_hosts_are_not_slowed_by_arxiv():
    time = FakeTime()
    async with serving(scripted(*(web.Response() for _ in range(3)))) as server:
        names = Names({"notarxiv.org": "127.0.0.1"})
        async with Fetcher(
            allow_private=True, resolver=names, sleep=time.sleep, clock=time.clock
        ) as fetcher:
            for _ in range(3):
                await fetcher.fetch(f"http://notarxiv.org:{server.port}/")
    assert time.slept == []


async def test_when_arxiv_asks_for_peace_nobody_else_disturbs_it():
    at: list[float] = []
    time = FakeTime()

    async def handler(_: web.Request) -> web.Response:
        at.append(time.seconds)
        if len(at) == 1:
            return web.Response(status=503, headers={"Retry-After": "20"})
        return web.Response(body=b"ok")

    async with serving(handler) as server:
        names = Names({"export.arxiv.org": "127.0.0.1", "arxiv.org": "127.0.0.1"})
        async with Fetcher(
            allow_private=True, resolver=names, sleep=time.sleep, clock=time.clock, tries=1
        ) as fetcher:
            with pytest.raises(StatusError):
                await fetcher.fetch(f"http://export.arxiv.org:{server.port}/")
            await fetcher.fetch(f"http://arxiv.org:{server.port}/")
    assert at == [1000, 1020]
