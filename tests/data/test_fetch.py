"""Fetching: what comes back from a server on this machine, and what stops an answer."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from hypothesis import given, settings
from hypothesis import strategies as st

from data.fetch import (
    AddressRefusedError,
    Fetcher,
    FetchError,
    StatusError,
    TooLargeError,
    TooSlowError,
    UnreachableError,
    listing_url,
)
from data.fetch.decoding import Decoder
from data.fetch.pace import retry_after_seconds
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


async def test_an_answer_over_the_limit_is_refused_by_its_own_word():
    async def handler(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "1001"})
        await response.prepare(request)
        return response

    async with fetching(handler, max_bytes=1000) as (fetcher, base, _):
        with pytest.raises(TooLargeError, match="larger than"):
            await fetcher.fetch(base)


async def test_an_answer_without_a_length_stops_at_the_limit():
    sent = 0

    async def handler(request: web.Request) -> web.StreamResponse:
        nonlocal sent
        response = web.StreamResponse()
        response.enable_chunked_encoding()
        await response.prepare(request)
        for _ in range(1000):
            await response.write(b"x" * 100_000)
            sent += 100_000
        return response

    async with fetching(handler, max_bytes=200_000) as (fetcher, base, _):
        with pytest.raises(TooLargeError):
            await fetcher.fetch(base)
    assert sent < 50_000_000


async def test_an_answer_of_exactly_the_limit_is_fine():
    async def handler(_: web.Request) -> web.Response:
        return web.Response(body=b"x" * 1000)

    async with fetching(handler, max_bytes=1000) as (fetcher, base, _):
        assert len((await fetcher.fetch(base)).body) == 1000
    assert Fetcher()._max_bytes == 20_000_000
    assert Fetcher()._max_seconds == 30


def packed(body: bytes, encoding: str) -> web.Response:
    return web.Response(body=body, headers={"Content-Encoding": encoding})


def bare_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


TEXT = b"Collusion among language models. " * 9000


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (gzip.compress(TEXT), "gzip"),
        (gzip.compress(TEXT), "X-Gzip"),
        (gzip.compress(TEXT[:70_000]) + gzip.compress(TEXT[70_000:]) + b"\0" * 100, "gzip"),
        (zlib.compress(TEXT), "deflate"),
        (bare_deflate(TEXT), "deflate"),
        (TEXT, "identity"),
    ],
)
async def test_compressed_answers_are_unpacked(body, encoding):
    async with fetching(scripted(packed(body, encoding))) as (fetcher, base, _):
        assert (await fetcher.fetch(base)).body == TEXT


@pytest.mark.parametrize(
    ("encoding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)]
)
async def test_a_compression_bomb_stops_at_the_limit(encoding, pack, monkeypatch):
    unpacked = 0
    feed = Decoder.feed

    def counted(self, chunk):
        nonlocal unpacked
        for piece in feed(self, chunk):
            unpacked += len(piece)
            yield piece

    monkeypatch.setattr(Decoder, "feed", counted)
    bomb = pack(bytes(50_000_000))
    assert len(bomb) < 100_000
    async with fetching(scripted(packed(bomb, encoding)), max_bytes=1_000_000) as (
        fetcher,
        base,
        _,
    ):
        with pytest.raises(TooLargeError, match="larger than 1 MB"):
            await fetcher.fetch(base)
    assert unpacked <= 1_000_000 + 65_536


@settings(deadline=None)
@given(
    st.lists(st.binary(max_size=300), min_size=1, max_size=4),
    st.integers(min_value=1, max_value=50),
    st.sampled_from([1, 70_000]),
)
def test_unpacking_gives_the_bytes_back_however_they_are_cut(parts, cut, repeat):
    whole = b"".join(part * repeat for part in parts)
    data = b"".join(gzip.compress(part * repeat) for part in parts)
    decoder = Decoder("gzip")
    pieces = [
        piece for at in range(0, len(data), cut) for piece in decoder.feed(data[at : at + cut])
    ]
    decoder.finish()
    assert b"".join(pieces) == whole
    assert all(len(piece) <= 65_536 for piece in pieces)


@settings(deadline=None)
@given(st.binary(min_size=1), st.sampled_from(["gzip", "deflate"]))
def test_unpacking_rubbish_ends_in_a_plain_error_or_in_bytes(rubbish, encoding):
    decoder = Decoder(encoding)
    pieces: list[bytes] = []
    trouble = "is damaged"
    try:
        pieces.extend(decoder.feed(rubbish))
        decoder.finish()
    except ValueError as error:
        trouble = str(error)
    assert trouble.startswith(("is damaged", "stopped in the middle", "is packed"))
    assert all(0 < len(piece) <= 65_536 for piece in pieces)


async def test_damaged_data_is_asked_for_again_and_then_told():
    cut = gzip.compress(TEXT)[:-20]
    async with fetching(scripted(packed(cut, "gzip"), packed(gzip.compress(TEXT), "gzip"))) as (
        fetcher,
        base,
        _,
    ):
        assert (await fetcher.fetch(base)).body == TEXT
    async with fetching(scripted(packed(cut, "gzip")), tries=1) as (fetcher, base, _):
        with pytest.raises(UnreachableError, match="stopped in the middle"):
            await fetcher.fetch(base)


async def test_a_packing_that_was_not_asked_for_is_refused_at_once():
    async with fetching(scripted(packed(b"x", "br"))) as (fetcher, base, time):
        with pytest.raises(UnreachableError, match="'br'"):
            await fetcher.fetch(base)
    assert time.slept == []


async def test_a_thousand_empty_members_do_not_keep_the_machine_busy():
    many = gzip.compress(b"") * 1500
    async with fetching(scripted(packed(many, "gzip")), tries=1) as (fetcher, base, _):
        with pytest.raises(UnreachableError, match="more than 1000 pieces"):
            await fetcher.fetch(base)


async def test_a_server_that_says_nothing_costs_no_more_than_the_time_allowed():
    release = asyncio.Event()

    async def handler(_: web.Request) -> web.Response:
        await release.wait()
        return web.Response()

    async with fetching(handler, max_seconds=0.05) as (fetcher, base, time):
        with pytest.raises(TooSlowError, match=r"longer than 0\.05 seconds"):
            await fetcher.fetch(base)
        release.set()
    assert time.slept == []


async def test_a_server_that_drips_its_answer_is_cut_off_as_well():
    gone = asyncio.Event()

    async def handler(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b"x")
        await gone.wait()
        return response

    async with fetching(handler, max_seconds=0.05) as (fetcher, base, _):
        with pytest.raises(TooSlowError):
            await fetcher.fetch(base)
        gone.set()


async def test_all_tries_and_redirects_share_one_time_limit():
    gone = asyncio.Event()
    asked = 0

    async def handler(_: web.Request) -> web.Response:
        nonlocal asked
        asked += 1
        await asyncio.wait([asyncio.ensure_future(gone.wait())], timeout=0.06)
        return web.Response(status=503)

    async with fetching(handler, max_seconds=0.1, tries=10, longest_wait_seconds=9999) as (
        fetcher,
        base,
        _,
    ):
        with pytest.raises(TooSlowError):
            await fetcher.fetch(base)
        gone.set()
    assert asked <= 2


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


async def test_closing_twice_is_fine_and_a_closed_fetcher_says_so():
    fetcher = Fetcher()
    await fetcher.close()
    await fetcher.close()
    with pytest.raises(RuntimeError, match="closed"):
        await fetcher.fetch("https://example.org/")


@pytest.mark.parametrize(
    ("page", "listing"),
    [
        ("https://arxiv.org/abs/2501.00001", "2501.00001"),
        ("http://www.arxiv.org/abs/2501.00001v3/", "2501.00001"),
        ("https://arxiv.org/pdf/2501.00001v2.pdf", "2501.00001"),
        ("https://export.arxiv.org/html/0704.0001", "0704.0001"),
        ("https://arxiv.org/abs/hep-th/9901001v2", "hep-th/9901001"),
        ("https://arxiv.org/abs/math.GT/0309136", "math.GT/0309136"),
        ("https://doi.org/10.48550/arXiv.2501.00001", "2501.00001"),
    ],
)
def test_an_arxiv_page_becomes_a_question_to_the_api(page, listing):
    assert listing_url(page) == f"https://export.arxiv.org/api/query?id_list={listing}"


@pytest.mark.parametrize(
    "page",
    [
        "https://openreview.net/forum?id=aBc-_12xyZ",
        "https://openreview.net/forum?noteId=zzz&id=aBc-_12xyZ#discussion",
        "https://openreview.net/pdf?id=aBc-_12xyZ",
    ],
)
def test_an_openreview_forum_becomes_a_question_for_its_note(page):
    assert listing_url(page) == "https://api2.openreview.net/notes?id=aBc-_12xyZ"


@pytest.mark.parametrize(
    "url",
    [
        "https://rss.arxiv.org/rss/cs.LG",
        "https://arxiv.org/list/cs.LG/new",
        "https://arxiv.org.evil.example/abs/2501.00001",
        "https://evil.example/arxiv.org/abs/2501.00001",
        "https://openreview.net/group?id=ICLR.cc/2025/Conference",
        "https://openreview.net/forum?id=a%26b%3Dc",
        "https://doi.org/10.1000/xyz",
        "ftp://arxiv.org/abs/2501.00001",
        "http://[::1",
        "hello",
    ],
)
def test_every_other_address_stays_as_it_was(url):
    assert listing_url(url) == url


@settings(deadline=None)
@given(st.text())
def test_no_text_upsets_the_listing_address(text):
    assert listing_url(text) == text
