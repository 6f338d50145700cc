"""Fetching: addresses that people may not send the bot to, however they are spelled."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING

import pytest
from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.test_utils import TestServer
from hypothesis import given, settings
from hypothesis import strategies as st

from data.fetch import AddressRefusedError, Fetcher, FetchError, UnreachableError
from data.fetch.addresses import checked_url, is_public, open_socket

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from ipaddress import IPv4Address


class Names(AbstractResolver):
    """A name server with a fixed list; a name with several addresses gives them in turn."""

    def __init__(self, known: Mapping[str, str | Sequence[str]] | None = None) -> None:
        self._known = {
            name: [where] if isinstance(where, str) else list(where)
            for name, where in (known or {}).items()
        }
        self.asked: list[str] = []

    async def resolve(self, host, port=0, family=socket.AF_INET) -> list[ResolveResult]:
        self.asked.append(host)
        answers = self._known.get(host)
        if not answers:
            raise OSError(f"no such name: {host}")
        where = answers.pop(0) if len(answers) > 1 else answers[0]
        return [
            ResolveResult(
                hostname=host,
                host=where,
                port=port,
                family=socket.AF_INET6 if ":" in where else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
        ]

    async def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def connections(monkeypatch) -> list[str]:
    """The addresses that were connected to; only this machine can be reached."""
    made: list[str] = []
    loop_class = asyncio.SelectorEventLoop
    connect = loop_class.sock_connect

    async def recorded(self, sock, address):
        made.append(address[0])
        if address[0] != "127.0.0.1":
            raise OSError("no network in tests")
        return await connect(self, sock, address)

    monkeypatch.setattr(loop_class, "sock_connect", recorded)
    return made


@pytest.fixture
async def secret():
    """A server on this machine that must not be reached from outside, and counts who did."""
    served: list[str] = []

    async def handler(request: web.Request) -> web.Response:
        served.append(request.host)
        target = request.query.get("to")
        if target:
            return web.Response(status=302, headers={"Location": target})
        return web.Response(body=b"secret")

    app = web.Application()
    app.router.add_get("/", handler)
    server = TestServer(app, host="127.0.0.1")
    await server.start_server()
    yield server, served
    await server.close()


PRIVATE = [
    "0.0.0.0",  # noqa: S104 - an address to refuse, nothing listens there
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "100.127.255.254",
    "127.0.0.1",
    "127.255.255.255",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.7",
    "203.0.113.9",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::8.8.8.8",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:8.8.8.8",
    "64:ff9b::7f00:1",
    "64:ff9b::10.0.0.1",
    "64:ff9b:1::808:808",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:808:808::1",
    "3fff::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "localhost",
    "",
    "127.1",
    "0x7f000001",
]


@pytest.mark.parametrize("address", PRIVATE)
def test_no_socket_is_made_for_an_address_that_is_not_public(address):
    assert not is_public(address)
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with pytest.raises(OSError, match="not a public address"):
        open_socket((family, socket.SOCK_STREAM, 0, "", (address, 80)))


@pytest.mark.parametrize(
    "address",
    ["1.1.1.1", "100.63.255.255", "100.128.0.1", "172.32.0.1", "2606:4700::1", "64:ff9b::808:808"],
)
def test_public_addresses_may_be_opened(address):
    assert is_public(address)
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    open_socket((family, socket.SOCK_STREAM, 0, "", (address, 80))).close()


@settings(deadline=None)
@given(st.ip_addresses(v=4))
def test_an_ipv4_address_is_no_more_public_for_being_wrapped(address: IPv4Address):
    number = int(address)
    high, low = number >> 16, number & 0xFFFF
    assert not is_public(f"::ffff:{address}")
    assert not is_public(f"2002:{high:x}:{low:x}::1")
    assert is_public(f"64:ff9b::{high:x}:{low:x}") == is_public(str(address))


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.0.0.1",
        "0177.0.0.1",
        "017700000001",
        "127.1",
        "127.0.1",
        "0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::127.0.0.1]",
        "[2002:7f00:1::]",
        "localhost",
        "LOCALHOST.",
        "127.0.0.1.",
        "①②⑦.⓪.⓪.①",
        "127。0。0。1",
    ],
)
async def test_this_machine_is_refused_in_every_spelling(host, secret, connections):
    server, served = secret
    async with Fetcher(tries=1) as fetcher:
        with pytest.raises(FetchError):
            await fetcher.fetch(f"http://{host}:{server.port}/")
    assert served == []
    assert connections == []


async def test_a_name_that_leads_to_this_machine_is_refused_without_telling_where(
    secret, connections
):
    server, served = secret
    names = Names({"innocent.example": "127.0.0.1"})
    async with Fetcher(resolver=names) as fetcher:
        with pytest.raises(AddressRefusedError, match="private or reserved") as caught:
            await fetcher.fetch(f"http://innocent.example:{server.port}/")
    assert "127.0.0.1" not in str(caught.value)
    assert served == connections == []


async def test_a_name_that_changes_its_address_between_two_requests_is_refused(secret, connections):
    server, served = secret
    names = Names({"rebinding.example": ["93.184.215.14", "127.0.0.1"]})
    async with Fetcher(resolver=names) as fetcher:
        with pytest.raises(UnreachableError):
            await fetcher.fetch(f"http://rebinding.example:{server.port}/")
        with pytest.raises(AddressRefusedError):
            await fetcher.fetch(f"http://rebinding.example:{server.port}/")
    assert connections == ["93.184.215.14"]
    assert served == []


@pytest.mark.parametrize("target", ["http://127.0.0.1:{port}/", "http://inner.example:{port}/"])
async def test_a_redirect_to_this_machine_is_refused(target, secret, connections):
    server, served = secret
    names = Names({"local.example": "127.0.0.1", "inner.example": "127.0.0.1"})
    async with Fetcher(resolver=names, allow_hosts={"local.example"}) as fetcher:
        where = target.format(port=server.port)
        with pytest.raises(AddressRefusedError):
            await fetcher.fetch(f"http://local.example:{server.port}/?to={where}")
    assert len(served) == len(connections) == 1


async def test_hosts_on_the_list_are_reached_and_others_are_not(secret):
    server, _ = secret
    allowed = {"Feeds.lan", f"127.0.0.1:{server.port}"}
    names = Names({"feeds.lan": "127.0.0.1"})
    async with Fetcher(resolver=names, allow_hosts=allowed) as fetcher:
        assert (await fetcher.fetch(f"http://feeds.lan:{server.port}/")).body == b"secret"
        assert (await fetcher.fetch(f"http://127.0.0.1:{server.port}/")).body == b"secret"
    async with Fetcher(resolver=names, allow_hosts={"127.0.0.1:1"}) as fetcher:
        with pytest.raises(AddressRefusedError):
            await fetcher.fetch(f"http://127.0.0.1:{server.port}/")


async def test_requests_side_by_side_do_not_lend_each_other_their_permission(secret):
    server, served = secret
    names = Names({"feeds.lan": "127.0.0.1", "evil.example": "127.0.0.1"})
    async with Fetcher(resolver=names, allow_hosts={"feeds.lan"}) as fetcher:
        results = await asyncio.gather(
            *(
                fetcher.fetch(f"http://{host}:{server.port}/")
                for host in ["feeds.lan", "evil.example"] * 4
            ),
            return_exceptions=True,
        )
    assert [isinstance(result, AddressRefusedError) for result in results] == [False, True] * 4
    assert len(served) == 4


async def test_a_proxy_from_the_environment_is_not_used(secret, monkeypatch):
    server, served = secret
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{server.port}")
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{server.port}")
    async with Fetcher(resolver=Names(), allow_private=True) as fetcher:
        with pytest.raises(UnreachableError, match="no server by the name"):
            await fetcher.fetch("http://feeds.example/")
    assert served == []


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("file:///etc/passwd", "Only http and https"),
        ("gopher://example.org/", "Only http and https"),
        ("javascript:alert(1)", "Only http and https"),
        ("data:text/plain,hello", "Only http and https"),
        ("example.org/feed", "Only http and https"),
        ("//example.org/feed", "Only http and https"),
        ("", "Only http and https"),
        ("https://", "names no server|no web address"),
        ("http:///path", "names no server|no web address"),
        ("http://user@example.org/", "user name or password"),
        ("http://user:pass@example.org/", "user name or password"),
        ("http://good.example\\@evil.example/", "backslash"),
        ("http://example.org/a b", "blank"),
        ("http://example.org/\r\nX: 1", "control character"),
        ("http://example.org:99999/", "no web address"),
        ("http://a..b/", "no web address"),
        ("http://" + "a" * 64 + ".org/", "no web address"),
        ("http://example.org:0/", "names no server"),
        ("http://[::1/", "no web address"),
        ("http://example.org/" + "a" * 5000, "longer than 4000"),
    ],
)
async def test_an_address_of_the_wrong_form_is_refused_before_anything_is_sent(
    url, reason, connections
):
    names = Names()
    async with Fetcher(resolver=names, allow_private=True) as fetcher:
        with pytest.raises(AddressRefusedError, match=reason) as caught:
            await fetcher.fetch(url)
    assert "pass" not in str(caught.value).replace("password", "")
    assert names.asked == connections == []


@settings(deadline=None)
@given(st.text() | st.text().map(lambda text: f"http://{text}"))
def test_any_text_is_an_http_address_or_refused_in_a_sentence(text):
    url, refusal = None, "."
    try:
        url = checked_url(text)
    except AddressRefusedError as error:
        refusal = str(error)
    assert refusal.endswith(".")
    if url is not None:
        assert url.scheme in {"http", "https"}
        assert url.host
        assert url.user is None
        assert url.password is None
