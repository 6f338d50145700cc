"""One HTTP client for every source: bounded in bytes and seconds, polite, and hard to mislead."""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Self

import aiohttp

from data.fetch.addresses import Opening, checked_url, host_of, open_socket, opening_now, shown
from data.fetch.decoding import Decoder
from data.fetch.errors import (
    AddressRefusedError,
    FetchError,
    TooLargeError,
    TooSlowError,
    UnreachableError,
    status_error,
    unreachable,
)
from data.fetch.pace import Pace, retry_after_seconds

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping

    from aiohttp.abc import AbstractResolver
    from yarl import URL

# https://info.arxiv.org/help/api/tou.html: one request every three seconds, one at a time,
# for all of arXiv's machines together.
ARXIV_SPACING: Final[Mapping[str, float]] = {"arxiv.org": 3.0}
_CHUNK: Final = 65_536
_LONGEST_VALIDATOR: Final = 500
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_NOT_MODIFIED: Final = 304


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Fetched:
    """One answer. `body` is unpacked and as the server sent it, in no particular charset.

    `content_type` is the whole header, or empty. With `not_modified` the body is empty and
    what was fetched before still holds. `etag` and `last_modified` are what to ask with next time.
    """

    url: str
    final_url: str
    status: int
    body: bytes
    content_type: str
    etag: str | None
    last_modified: str | None
    not_modified: bool


class _Budget:
    """The seconds that one fetch may still spend talking; waiting for its turn costs nothing."""

    def __init__(self, seconds: float) -> None:
        self._left = seconds

    @asynccontextmanager
    async def spend(self) -> AsyncGenerator[None]:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        try:
            async with asyncio.timeout(self._left):
                yield
        finally:
            self._left -= loop.time() - begun


class Fetcher:
    """Fetches what people name, over one shared session; `async with` or `close()` ends it.

    Only public addresses are connected to. `allow_hosts` names hosts ("feeds.lan", or with a
    port, "127.0.0.1:8080") that may be private; `allow_private` lifts the rule for all.
    `max_bytes` bounds an answer both as sent and unpacked, `max_seconds` all its connections,
    redirects and tries together. A passing failure is tried again up to `tries` times in all,
    after `first_wait_seconds`, twice that, and so on, or as the server asks, unless it asks for
    more than `longest_wait_seconds`. `spacing` maps a domain to the seconds between two requests.
    A `resolver` stays the caller's to close.
    """

    def __init__(
        self,
        *,
        user_agent: str = "papertriage",
        allow_hosts: Collection[str] = (),
        allow_private: bool = False,
        resolver: AbstractResolver | None = None,
        max_bytes: int = 20_000_000,
        max_seconds: float = 30.0,
        max_redirects: int = 5,
        tries: int = 4,
        first_wait_seconds: float = 2.0,
        longest_wait_seconds: float = 60.0,
        spacing: Mapping[str, float] = ARXIV_SPACING,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = _utc_now,
    ) -> None:
        self._user_agent = user_agent
        self._allow_hosts = frozenset(host.lower() for host in allow_hosts)
        self._allow_private = allow_private
        self._resolver = resolver
        self._max_bytes = max_bytes
        self._max_seconds = max_seconds
        self._max_redirects = max_redirects
        self._tries = tries
        self._first_wait = first_wait_seconds
        self._longest_wait = longest_wait_seconds
        self._sleep = sleep
        self._now = now
        self._pace = Pace(spacing, clock=clock, sleep=sleep)
        self._session: aiohttp.ClientSession | None = None
        self._closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the session and its connections; safe to call twice."""
        self._closed = True
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def fetch(
        self, url: str, *, etag: str | None = None, last_modified: str | None = None
    ) -> Fetched:
        """The answer at an address, after at most five redirects.

        With `etag` or `last_modified` the server may say that nothing changed. Raises FetchError
        or one of its kinds, whose text can be shown as it is, and RuntimeError once closed.
        """
        start = checked_url(url)
        asked = {
            name: value
            for name, value in (("If-None-Match", etag), ("If-Modified-Since", last_modified))
            if value and _usable(value)
        }
        budget = _Budget(self._max_seconds)
        tried = 0
        while True:
            tried += 1
            try:
                return await self._follow(start, asked, budget)
            except FetchError as error:
                wait = self._wait_after(error, tried)
                if wait is None:
                    raise
            await self._sleep(wait)

    def _wait_after(self, error: FetchError, tried: int) -> float | None:
        """How long to wait before the next try, or None where there is none."""
        if not error.passing or tried >= self._tries:
            return None
        wait = self._first_wait * 2 ** (tried - 1)
        if error.retry_after_seconds is not None:
            wait = max(wait, error.retry_after_seconds)
        return wait if wait <= self._longest_wait else None

    async def _follow(self, start: URL, asked: Mapping[str, str], budget: _Budget) -> Fetched:
        url = start
        for _ in range(self._max_redirects + 1):
            host = host_of(url)
            async with self._pace.turn(host):
                try:
                    answer = await self._ask(url, asked, budget)
                except FetchError as error:
                    # Whoever else waits for this host is asked to leave it alone as well.
                    if error.retry_after_seconds:
                        self._pace.hold(host, min(error.retry_after_seconds, self._longest_wait))
                    raise
            if isinstance(answer, _Answer):
                return answer.fetched(start, url, asked)
            url = answer
        raise AddressRefusedError(
            f"{shown(start)} sends on to other addresses more than {self._max_redirects} times: "
            "give the address where it ends."
        )

    async def _ask(self, url: URL, asked: Mapping[str, str], budget: _Budget) -> _Answer | URL:
        """One request: an answer, or the address that it redirects to."""
        host = host_of(url)
        named = {host, f"{host}:{url.port}"}
        opening = Opening(self._allow_private or not self._allow_hosts.isdisjoint(named))
        token = opening_now.set(opening)
        where = shown(url)
        try:
            async with (
                budget.spend(),
                self._opened().get(url, headers=asked, allow_redirects=False) as response,
            ):
                if response.status in _REDIRECTS:
                    return _redirect(url, response)
                return await self._answer(where, response, asked)
        except TimeoutError:
            raise TooSlowError(
                f"{where} took longer than {self._max_seconds:g} seconds: try again later, or "
                "save it and give the file."
            ) from None
        except aiohttp.InvalidURL:
            raise AddressRefusedError(
                f"{where} spells its server in a way that is not accepted: give its name."
            ) from None
        except (aiohttp.ClientError, OSError) as error:
            if opening.refused:
                raise AddressRefusedError(
                    f"{where} leads to a private or reserved address, which is not fetched: give "
                    "a public one, or have the host put on the list of allowed hosts."
                ) from None
            raise unreachable(where, error) from error
        finally:
            opening_now.reset(token)

    def _opened(self) -> aiohttp.ClientSession:
        """The shared session, made at the first request because it belongs to a running loop."""
        if self._closed:
            raise RuntimeError("this Fetcher is closed")
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    resolver=self._resolver,
                    use_dns_cache=False,
                    socket_factory=open_socket,
                    limit_per_host=4,
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"User-Agent": self._user_agent, "Accept-Encoding": "gzip, deflate"},
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
                auto_decompress=False,
                trust_env=False,
            )
        return self._session

    async def _answer(
        self, where: str, response: aiohttp.ClientResponse, asked: Mapping[str, str]
    ) -> _Answer:
        status = response.status
        headers = response.headers
        if status == _NOT_MODIFIED and asked:
            body = b""
        elif 200 <= status < 300:
            body = await self._read(where, response)
        else:
            raise status_error(
                where,
                status,
                await self._beginning(where, response),
                retry_after_seconds(headers.get("Retry-After"), self._now()),
            )
        return _Answer(
            status,
            body,
            headers.get("Content-Type", ""),
            _validator(response, "ETag"),
            _validator(response, "Last-Modified"),
        )

    async def _read(self, where: str, response: aiohttp.ClientResponse) -> bytes:
        """The whole body, unpacked; both what is sent and what it unpacks to are counted."""
        too_large = TooLargeError(
            f"{where} is larger than {self._max_bytes / 1_000_000:g} MB: give a smaller listing, "
            "or save it and give the file."
        )
        if (response.content_length or 0) > self._max_bytes:
            raise too_large
        decoder = self._decoder(where, response)
        body = bytearray()
        sent = 0
        try:
            async for chunk in response.content.iter_chunked(_CHUNK):
                sent += len(chunk)
                for piece in decoder.feed(chunk):
                    body += piece
                    if max(sent, len(body)) > self._max_bytes:
                        raise too_large
                if sent > self._max_bytes:
                    raise too_large
            decoder.finish()
        except ValueError as error:
            raise UnreachableError(
                f"The answer of {where} {error}: try again later, or save it and give the file.",
                passing=True,
            ) from None
        return bytes(body)

    @staticmethod
    def _decoder(where: str, response: aiohttp.ClientResponse) -> Decoder:
        try:
            return Decoder(response.headers.get("Content-Encoding", ""))
        except ValueError as error:
            raise UnreachableError(
                f"The answer of {where} {error}: save it and give the file."
            ) from None

    async def _beginning(self, where: str, response: aiohttp.ClientResponse) -> bytes:
        """The first 64 kB of an error's body, or nothing where it cannot be read."""
        body = bytearray()
        try:
            decoder = Decoder(response.headers.get("Content-Encoding", ""))
            async for chunk in response.content.iter_chunked(_CHUNK):
                for piece in decoder.feed(chunk):
                    body += piece
                    if len(body) >= _CHUNK:
                        return bytes(body[:_CHUNK])
        except (ValueError, aiohttp.ClientError):
            return bytes(body[:_CHUNK])
        return bytes(body)


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    body: bytes
    content_type: str
    etag: str | None
    last_modified: str | None

    def fetched(self, start: URL, final: URL, asked: Mapping[str, str]) -> Fetched:
        same = self.status == _NOT_MODIFIED
        return Fetched(
            url=str(start),
            final_url=str(final),
            status=self.status,
            body=self.body,
            content_type=self.content_type,
            etag=self.etag or (asked.get("If-None-Match") if same else None),
            last_modified=self.last_modified or (asked.get("If-Modified-Since") if same else None),
            not_modified=same,
        )


def _usable(validator: str) -> bool:
    """Whether an ETag or a date can be sent back: servers have put anything there."""
    return len(validator) <= _LONGEST_VALIDATOR and validator.isascii() and validator.isprintable()


def _validator(response: aiohttp.ClientResponse, name: str) -> str | None:
    value = response.headers.get(name, "")
    return value if value and _usable(value) else None


def _redirect(url: URL, response: aiohttp.ClientResponse) -> URL:
    target = response.headers.get("Location", "").strip()
    if not target:
        raise UnreachableError(
            f"{shown(url)} answered with a redirect that leads nowhere: check the address."
        )
    try:
        return checked_url(target, base=url)
    except AddressRefusedError as error:
        raise AddressRefusedError(
            f"{shown(url)} sends on to an address that is not fetched. {error}"
        ) from None
