"""Fetching: how much, how well packed and how slow an answer may be."""

from __future__ import annotations

import asyncio
import gzip
import zlib

import pytest
from aiohttp import web
from hypothesis import given, settings
from hypothesis import strategies as st

from data.fetch import (
    Fetcher,
    TooLargeError,
    TooSlowError,
    UnreachableError,
)
from data.fetch.decoding import Decoder
from tests.data.test_fetch import fetching, scripted


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
