"""What can go wrong between us and a server, in sentences for the person who gave the address.

Every sentence names the address without its query, which may hold somebody's key, and without
numbers of a private network, which are nobody's business in a chat.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import aiohttp

if TYPE_CHECKING:
    from collections.abc import Mapping

_ADVICE: Final[Mapping[int, str]] = {
    400: "the server did not understand the question; check the address",
    401: "it wants a login, which papertriage has not; give a public address",
    403: "the server refuses programs or wants a login; give a public address",
    404: "nothing is there; check the address",
    410: "what was there is gone for good; remove the source or give its new address",
    429: "the server is asked too often; try again later",
}


class FetchError(Exception):
    """An address could not be fetched; the text is one or two sentences that say what to do.

    `passing` says that the same request may go well a moment later. `retry_after_seconds` is how
    long the server asked to be left alone, or None.
    """

    def __init__(
        self, sentence: str, *, passing: bool = False, retry_after_seconds: float | None = None
    ) -> None:
        super().__init__(sentence)
        self.passing = passing
        self.retry_after_seconds = retry_after_seconds


class AddressRefusedError(FetchError):
    """The address is one that papertriage never opens, or it leads to one."""


class TooLargeError(FetchError):
    """The answer, or what it unpacks to, is larger than allowed; nothing of it is kept."""


class TooSlowError(FetchError):
    """The answer did not come whole within the time allowed."""


class UnreachableError(FetchError):
    """There was no server, no connection, or no whole answer."""


class StatusError(FetchError):
    """The server answered with a status that is no success.

    `body` is the beginning of what it sent (at most 64 kB, unpacked): some sources, arXiv's API
    among them, say there what was wrong with the question.
    """

    def __init__(
        self, sentence: str, *, status: int, body: bytes, retry_after_seconds: float | None
    ) -> None:
        super().__init__(
            sentence,
            passing=status == 429 or status >= 500,
            retry_after_seconds=retry_after_seconds,
        )
        self.status = status
        self.body = body


def status_error(where: str, status: int, body: bytes, wait: float | None) -> StatusError:
    """What to say of a status that is no success; `wait` is the Retry-After in seconds."""
    advice = _ADVICE.get(status)
    if advice is None:
        advice = (
            "the server has trouble of its own; try again later"
            if status >= 500
            else "it gave no listing; check the address"
        )
    if wait and (status == 429 or status >= 500):
        advice += f" (it asks for {wait:.0f} seconds of peace)"
    return StatusError(
        f"{where} answered {status}: {advice}.",
        status=status,
        body=body,
        retry_after_seconds=wait,
    )


def unreachable(where: str, error: Exception) -> UnreachableError:
    """What to say of a failed connection; only one that broke off half-way is worth a new try."""
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return UnreachableError(
            f"There is no server by the name in {where}, or no network: check both."
        )
    if isinstance(error, aiohttp.ClientSSLError):
        return UnreachableError(
            f"{where} has no valid certificate, so its answer is not trusted: check the address."
        )
    if isinstance(error, aiohttp.ClientConnectorError):
        return UnreachableError(
            f"{where} accepts no connection: check the address and the network, try again later."
        )
    if isinstance(error, aiohttp.ClientResponseError):
        return UnreachableError(f"{where} gave an answer that is not HTTP: check the address.")
    return UnreachableError(
        f"{where} broke off before its answer was whole: try again later.", passing=True
    )
