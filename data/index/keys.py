"""Keys under which exactly one paper should be found: identifiers, their URLs, whole titles."""

from __future__ import annotations

import hashlib
import re
from typing import Final

from data.index.analyzer import fold, words
from data.index.texts import plain

_ARXIV: Final = re.compile(
    r"(?:^|[/:\s])(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})(?:v\d+)?(?:\.pdf)?/?$",
    re.IGNORECASE,
)
_DOI: Final = re.compile(r"(10\.\d{4,9}/\S+)$", re.IGNORECASE)
_OPENREVIEW_URL: Final = re.compile(r"openreview\.net/\w+\?(?:.*&)?id=([\w-]+)", re.IGNORECASE)
_OPENREVIEW: Final = re.compile(r"(?=.*[A-Z0-9_])[A-Za-z0-9_-]{8,14}$")
_URL: Final = re.compile(r"(?:https?://|www\.)\S+$", re.IGNORECASE)
_SIMPLE: Final = re.compile(r"[A-Za-z0-9 ]*")
"""What needs no folding but to lower case."""


def identifier_key(scheme: str, value: str) -> int:
    """The key of an identifier; letter case matters to OpenReview only."""
    value = value.strip()
    if scheme == "url":
        value = re.sub(r"^(?:https?://)?(?:www\.)?", "", value, flags=re.IGNORECASE).rstrip("/")
        host, slash, rest = value.partition("/")
        value = host.lower() + slash + rest
    elif scheme != "openreview":
        value = value.lower()
    return _hash(f"{scheme}:{value}")


def title_key(title: str) -> int | None:
    """The key of a whole title, blind to case, accents and punctuation; None without words."""
    if _SIMPLE.fullmatch(title):
        folded = title.replace(" ", "").lower()
    else:
        folded = "".join(fold(word) for word in words(plain(title)))
        folded = "".join(letter for letter in folded if letter.isalnum())
    return _hash(f"title:{folded}") if folded else None


def keys_in(query: str) -> list[int]:
    """The identifier keys that `query` may mean when all of it is one identifier or URL."""
    if query.isalpha() and query.islower():
        return []  # every identifier has a digit, a capital or a sign
    query = query.strip().strip("<>()[]\"'").rstrip(".,;")
    if not query or len(query) > 400 or " " in query.strip():
        bare = re.sub(r"^(?:arxiv|doi|openreview)\s*:?\s+", "", query, flags=re.IGNORECASE)
        if bare == query or " " in bare:
            return []
        query = bare
    found: list[int] = []
    if match := _OPENREVIEW_URL.search(query):
        found.append(identifier_key("openreview", match[1]))
    if match := _ARXIV.search(query.partition("?")[0].partition("#")[0]):
        found.append(identifier_key("arxiv", match[1]))
    if match := re.search(r"arxiv\.(\d{4}\.\d{4,5})(?:v\d+)?$", query, re.IGNORECASE):
        found.append(identifier_key("arxiv", match[1]))
    if match := _DOI.search(query):
        found.append(identifier_key("doi", match[1]))
    if _URL.match(query):
        found.append(identifier_key("url", query))
    bare = re.sub(r"^openreview:", "", query, flags=re.IGNORECASE)
    if _OPENREVIEW.match(bare):
        found.append(identifier_key("openreview", bare))
    return found


def _hash(text: str) -> int:
    return int.from_bytes(
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).digest(), "little"
    )
