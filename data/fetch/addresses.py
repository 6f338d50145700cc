"""Which addresses may be opened: the form of the URL, and the number that is connected to.

The number is judged when the socket is made, after every look-up and for every redirect. No
spelling of an address (decimal, octal, hexadecimal, IPv6 around IPv4) and no name server that
changes its mind comes between the judgement and the connection.
"""

from __future__ import annotations

import errno
import re
import socket
from contextvars import ContextVar
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final

from yarl import URL

from data.fetch.errors import AddressRefusedError

LONGEST_URL: Final = 4000
_LONGEST_SHOWN: Final = 160
_BAD_CHARACTERS: Final = re.compile(r"[\x00-\x20\x7f-\xa0\\\u2028\u2029\ud800-\udfff]")

# What Python calls global and we don't: protocol assignments (Python's view of them changed from
# one patch release to the next), the old 6to4 relays, and the platform service of a large cloud,
# which answers any machine there with its secrets.
_REFUSED_4: Final = tuple(
    IPv4Network(block) for block in ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32")
)
# Only 2000::/3 is given out for use on the public internet; inside it these are not: Teredo and
# other protocol blocks, documentation (twice), and 6to4, which wraps any IPv4 address.
_PUBLIC_6: Final = IPv6Network("2000::/3")
_REFUSED_6: Final = tuple(
    IPv6Network(block) for block in ("2001::/23", "2001:db8::/32", "3fff::/20", "2002::/16")
)
# RFC 6052: what an IPv6-only network's own resolver answers for an IPv4 server.
_NAT64: Final = IPv6Network("64:ff9b::/96")


@dataclass(slots=True)
class Opening:
    """One request on its way: whether private addresses are fine, and whether one was refused."""

    private_allowed: bool
    refused: bool = False


opening_now: Final[ContextVar[Opening | None]] = ContextVar("opening_now", default=None)


def is_public(address: str) -> bool:
    """Whether an IP address, as a socket has it, belongs to the public internet.

    False for anything private, shared (CGNAT), loopback, link-local, multicast, reserved or
    unspecified, for IPv6 forms that wrap IPv4 (mapped, compatible, 6to4, Teredo), and for text
    that is no address. An address behind the well-known NAT64 prefix is judged by what it wraps.
    """
    try:
        number = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(number, IPv6Address) and number in _NAT64:
        number = IPv4Address(int(number) & 0xFFFFFFFF)
    if isinstance(number, IPv4Address):
        known = number.is_global and not (number.is_multicast or number.is_reserved)
        return known and not any(number in block for block in _REFUSED_4)
    return (
        number.is_global
        and number in _PUBLIC_6
        and not any(number in block for block in _REFUSED_6)
    )


def open_socket(addr_info: tuple[int, int, int, str, tuple[object, ...]]) -> socket.socket:
    """Makes the socket for one connection, as aiohttp's `socket_factory`.

    Raises OSError where the address is not public and the request at hand may not go there.
    """
    family, kind, protocol, _, where = addr_info
    opening = opening_now.get()
    if (opening is None or not opening.private_allowed) and not is_public(str(where[0])):
        if opening is not None:
            opening.refused = True
        raise OSError(errno.EACCES, "not a public address")
    return socket.socket(family=family, type=kind, proto=protocol)


def checked_url(text: str, *, base: URL | None = None) -> URL:
    """The URL, when its form is one that may be fetched; `base` resolves a redirect's target.

    Raises AddressRefusedError for any scheme but http and https, for credentials, for control
    characters and blanks, for a missing host, and for what is no URL.
    """
    if len(text) > LONGEST_URL:
        raise AddressRefusedError(
            f"That address is longer than {LONGEST_URL} characters: give a shorter one."
        )
    if _BAD_CHARACTERS.search(text):
        raise AddressRefusedError(
            "That address has a blank, a backslash or a control character in it: "
            "write those as %20, %5C and so on."
        )
    try:
        url = URL(text)
        if base is not None:
            url = base.join(url)
        host, credentials = url.host, "@" in url.raw_authority
        port = url.port
        # What no name server can be asked for, such as an empty or an endless label.
        (host or "").rstrip(".").encode("idna")
    except ValueError:  # UnicodeError is one
        raise AddressRefusedError(
            "That is no web address: give one such as https://example.org/feed.xml."
        ) from None
    if url.scheme not in {"http", "https"}:
        raise AddressRefusedError(
            "Only http and https addresses are fetched: give one that starts with https://."
        )
    if credentials:
        raise AddressRefusedError(
            f"{shown(url)} was given with a user name or password in it: "
            "give an address that needs none."
        )
    if not host or not port:
        raise AddressRefusedError(
            "That address names no server: give one such as https://example.org/feed.xml."
        )
    return url.with_fragment(None)


def shown(url: URL) -> str:
    """The URL as an error may show it: no credentials, no query, of bearable length."""
    bare = url.with_user(None).with_query(None).with_fragment(None) if url.host else url
    text = str(bare) + ("?…" if url.raw_query_string else "")
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"


def host_of(url: URL) -> str:
    """The URL's host for comparing: lower case, as IDNA has it, without the final dot."""
    return (url.raw_host or "").lower().rstrip(".")
