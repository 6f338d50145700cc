"""All kinds of source in one place: telling them apart, checking them, making them."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from data.sources.arxiv import (
    ArxivCategories,
    ArxivQuery,
    categories_of_feed,
    is_query,
    normal_categories,
    normal_query,
)
from data.sources.base import Addresses, Kind, Source, SpecError
from data.sources.daily import HfDaily, is_daily, normal_daily
from data.sources.feeds import AnyFeed, normal_feed
from data.sources.venue import Venue, normal_venue

_LONGEST_NAME: Final = 60


def named_kind(word: str) -> Kind:
    """The kind of that name. Raises SpecError where there is none."""
    try:
        return Kind(word.strip().lower())
    except ValueError:
        raise SpecError(
            f"There is no kind of source “{word}”: use one of {', '.join(Kind)}."
        ) from None


def guess_kind(text: str) -> Kind:
    """The kind of source that a text speaks of: an address, categories, a venue, a query.

    Raises SpecError where it looks like none of them.
    """
    words = text.strip()
    if is_daily(words):
        return Kind.HF_DAILY
    if words.startswith(("http://", "https://")):
        return _kind_of_address(words)
    if is_query(words):
        return Kind.ARXIV_QUERY
    for kind, check in ((Kind.ARXIV, normal_categories), (Kind.OPENREVIEW, normal_venue)):
        try:
            check(words)
        except SpecError:
            continue
        return kind
    raise SpecError(
        "That is no source: give arXiv categories (cs.LG, stat.ML), an arXiv query (cat:cs.CL AND "
        "all:agents), the address of a feed, hf-daily, or an OpenReview venue "
        "(ICLR.cc/2026/Conference)."
    )


def _kind_of_address(url: str) -> Kind:
    try:
        parts = urlsplit(url)
    except ValueError:
        return Kind.FEED
    if categories_of_feed(url):
        return Kind.ARXIV
    if parts.path.rstrip("/") == "/api/query" and (parts.hostname or "").endswith("arxiv.org"):
        return Kind.ARXIV_QUERY
    if (parts.hostname or "").endswith("openreview.net"):
        return Kind.OPENREVIEW
    return Kind.FEED


def normal_spec(kind: Kind, text: str) -> str:
    """What was given, checked and in the form that is kept.

    Raises SpecError, whose text says what to give instead.
    """
    match kind:
        case Kind.ARXIV:
            return normal_categories(categories_of_feed(text.strip()) or text)
        case Kind.ARXIV_QUERY:
            return normal_query(text)
        case Kind.FEED:
            return normal_feed(text)
        case Kind.HF_DAILY:
            return normal_daily(text)
        case Kind.OPENREVIEW:
            return normal_venue(text)


def make_source(kind: Kind, spec: str, addresses: Addresses) -> Source:
    """The source of a kind for a spec in its normal form."""
    match kind:
        case Kind.ARXIV:
            return ArxivCategories(tuple(spec.split(", ")), addresses)
        case Kind.ARXIV_QUERY:
            return ArxivQuery(spec, addresses)
        case Kind.FEED:
            return AnyFeed(spec)
        case Kind.HF_DAILY:
            return HfDaily(addresses)
        case Kind.OPENREVIEW:
            return Venue(spec, addresses)


def default_name(kind: Kind, spec: str) -> str:
    """What a source is called when nobody names it."""
    match kind:
        case Kind.ARXIV:
            name = f"arXiv {spec}"
        case Kind.ARXIV_QUERY:
            name = f"arXiv query {spec}"
        case Kind.FEED:
            parts = urlsplit(spec)
            name = f"{(parts.hostname or '').removeprefix('www.')}{parts.path.rstrip('/')}"
        case Kind.HF_DAILY:
            name = "HF Daily Papers"
        case Kind.OPENREVIEW:
            name = f"OpenReview {spec}"
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
