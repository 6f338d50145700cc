"""Fetching: what comes back from a server on this machine, and what stops an answer."""

from __future__ import annotations

import asyncio
import gzip
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from data.fetch import (
    AddressRefusedError,
    Fetcher,
    FetchError,
    StatusError,
    UnreachableError,
)
from tests.data.test_fetch_addresses import Names

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class FakeTime:
    """A clock that only moves when somebody sleeps, and remembers how long."""

    def __init__(self) -> None:
        self.seconds = 1000.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.seconds

    def now(self) -> datetime:
        return datetime(2025, 3, 3, 12, tzinfo=UTC) + timedelta(seconds=self.seconds - 1000)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.seconds += seconds
        await asyncio.sleep(0)


@asynccontextmanager
async def serving(handler: Handler):
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handler)
    server = TestServer(app, host="127.0.0.1")
    await server.start_server()
    try:
        yield server
    finally:
        await server.close()


@asynccontextmanager
async def fetching(handler: Handler, **settings):
    """A server with this handler, its address, a fetcher that may reach it, and its clock."""
    time = FakeTime()
    defaults = {
        "allow_private": True,
        "sleep": time.sleep,
        "clock": time.clock,
        "now": time.now,
        "resolver": Names(),
    }
    async with serving(handler) as server, Fetcher(**(defaults | settings)) as fetcher:
        yield fetcher, f"http://127.0.0.1:{server.port}", time


def scripted(*answers: web.Response) -> Handler:
    """Gives the answers one after the other, and fails a test that asks for more."""
    left = list(answers)

    async def handler(_: web.Request) -> web.StreamResponse:
        return left.pop(0)

    return handler


async def test_an_answer_comes_with_all_that_a_reader_and_the_next_poll_need():
    seen: list[web.Request] = []

    async def handler(request: web.Request) -> web.Response:
        seen.append(request)
        return web.Response(
            body=b"<rss/>",
            headers={
                "Content-Type": "application/rss+xml; charset=utf-8",
                "ETag": '"a1"',
                "Last-Modified": "Mon, 03 Mar 2025 05:00:00 GMT",
                "Set-Cookie": "tracker=1",
            },
        )

    async with fetching(handler, user_agent="papertriage/0.1") as (fetcher, base, _):
        got = await fetcher.fetch(f"{base}/feed#top")
        await fetcher.fetch(f"{base}/feed")
    assert got.body == b"<rss/>"
    assert (got.status, got.not_modified) == (200, False)
    assert got.url == got.final_url == f"{base}/feed"
    assert got.content_type == "application/rss+xml; charset=utf-8"
    assert (got.etag, got.last_modified) == ('"a1"', "Mon, 03 Mar 2025 05:00:00 GMT")
    assert seen[0].headers["User-Agent"] == "papertriage/0.1"
    assert "Cookie" not in seen[1].headers


async def test_an_unchanged_listing_is_not_sent_again():
    seen: list[web.Request] = []

    async def handler(request: web.Request) -> web.Response:
        seen.append(request)
        return web.Response(status=304)

    async with fetching(handler) as (fetcher, base, _):
        got = await fetcher.fetch(base, etag='"a1"', last_modified="Mon, 03 Mar 2025 05:00:00 GMT")
    assert got.not_modified
    assert got.body == b""
    assert (got.etag, got.last_modified) == ('"a1"', "Mon, 03 Mar 2025 05:00:00 GMT")
    assert seen[0].headers["If-None-Match"] == '"a1"'
    assert seen[0].headers["If-Modified-Since"] == "Mon, 03 Mar 2025 05:00:00 GMT"


async def test_an_etag_that_would_break_the_next_request_is_neither_kept_nor_sent():
    seen: list[web.Request] = []

    async def handler(request: web.Request) -> web.Response:
        seen.append(request)
        return web.Response(body=b"x", headers={"ETag": '"' + "a" * 2000 + '"'})

    async with fetching(handler) as (fetcher, base, _):
        got = await fetcher.fetch(base, etag='"a"\r\nX-Evil: 1')
    assert got.etag is None
    assert "If-None-Match" not in seen[0].headers
    assert "X-Evil" not in seen[0].headers


async def test_not_modified_without_having_asked_is_an_error_and_no_empty_listing():
    async with fetching(scripted(web.Response(status=304))) as (fetcher, base, _):
        with pytest.raises(StatusError, match="304"):
            await fetcher.fetch(base)


async def test_redirects_are_followed_and_the_final_address_is_told():
    async def handler(request: web.Request) -> web.Response:
        left = int(request.path.strip("/"))
        if left:
            return web.Response(status=302, headers={"Location": f"../{left - 1}"})
        return web.Response(body=b"there")

    async with fetching(handler) as (fetcher, base, _):
        got = await fetcher.fetch(f"{base}/5")
        assert (got.body, got.url, got.final_url) == (b"there", f"{base}/5", f"{base}/0")
        with pytest.raises(AddressRefusedError, match="more than 5 times"):
            await fetcher.fetch(f"{base}/6")


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("file:///etc/passwd", "Only http and https"),
        ("ftp://example.org/x", "Only http and https"),
        ("http://user:secret@example.org/", "user name or password"),
        ("http://exa mple.org/", "blank"),
        ("", "leads nowhere"),
    ],
)
async def test_a_redirect_to_what_nobody_may_give_is_refused(target, reason):
    answer = web.Response(status=301, headers={"Location": target})
    async with fetching(scripted(answer)) as (fetcher, base, _):
        with pytest.raises(FetchError, match=reason) as caught:
            await fetcher.fetch(base)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(("status", "advice"), [(404, "check the address"), (403, "login")])
async def test_a_refusal_is_told_at_once_with_what_the_server_said(status, advice):
    answer = web.Response(status=status, body=gzip.compress(b"<entry>incorrect id format</entry>"))
    answer.headers["Content-Encoding"] = "gzip"
    async with fetching(scripted(answer)) as (fetcher, base, time):
        with pytest.raises(StatusError, match=advice) as caught:
            await fetcher.fetch(base)
    assert caught.value.status == status
    assert caught.value.body == b"<entry>incorrect id format</entry>"
    assert not caught.value.passing
    assert time.slept == []


async def test_an_endless_error_page_is_cut():
    async with fetching(scripted(web.Response(status=404, body=b"x" * 300_000))) as (
        fetcher,
        base,
        _,
    ):
        with pytest.raises(StatusError) as caught:
            await fetcher.fetch(base)
    assert len(caught.value.body) == 65_536


async def test_a_connection_that_breaks_is_tried_again():
    asked = 0

    async def handler(request: web.Request) -> web.StreamResponse:
        nonlocal asked
        asked += 1
        if asked > 1:
            return web.Response(body=b"well")
        response = web.StreamResponse(headers={"Content-Length": "100"})
        await response.prepare(request)
        await response.write(b"half")
        assert request.transport is not None
        request.transport.abort()
        return response

    async with fetching(handler) as (fetcher, base, time):
        assert (await fetcher.fetch(base)).body == b"well"
    assert time.slept == [2]


async def test_no_server_and_no_name_are_told_apart():
    async with serving(scripted()) as server:
        port = server.port
    async with Fetcher(allow_private=True, resolver=Names()) as fetcher:
        with pytest.raises(UnreachableError, match="accepts no connection"):
            await fetcher.fetch(f"http://127.0.0.1:{port}/")
        with pytest.raises(UnreachableError, match="no server by the name"):
            await fetcher.fetch("http://nowhere.example/")


async def test_what_is_not_http_is_told():
    async def rude(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"220 mail ready\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(rude, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, Fetcher(allow_private=True, tries=1) as fetcher:
        with pytest.raises(UnreachableError, match="not HTTP"):
            await fetcher.fetch(f"http://127.0.0.1:{port}/")


async def test_closing_twice_is_fine_and_a_closed_fetcher_says_so():
    fetcher = Fetcher()
    await fetcher.close()
    await fetcher.close()
    with pytest.raises(RuntimeError, match="closed"):
        await fetcher.fetch("https://example.org/")
