"""Fetching listings from the network, from addresses that people gave and nobody vouched for."""

from data.fetch.errors import (
    AddressRefusedError,
    FetchError,
    StatusError,
    TooLargeError,
    TooSlowError,
    UnreachableError,
)
from data.fetch.fetcher import Fetched, Fetcher
from data.fetch.pages import listing_url

__all__ = [
    "AddressRefusedError",
    "FetchError",
    "Fetched",
    "Fetcher",
    "StatusError",
    "TooLargeError",
    "TooSlowError",
    "UnreachableError",
    "listing_url",
]
