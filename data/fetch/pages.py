"""From the page of one paper to the address that says the same for programs."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import parse_qs, urlsplit

_ARXIV_HOSTS: Final = frozenset({"arxiv.org", "www.arxiv.org", "export.arxiv.org"})
_OPENREVIEW_HOSTS: Final = frozenset({"openreview.net", "www.openreview.net"})
_DOI_HOSTS: Final = frozenset({"doi.org", "dx.doi.org", "www.doi.org"})
_ARXIV_ID: Final = r"(\d{4}\.\d{4,5}|[a-z]+(?:-[a-z]+)*(?:\.[a-z]{2})?/\d{7})(?:v\d+)?"
_ARXIV_PAGE: Final = re.compile(rf"/(?:abs|pdf|html|format)/{_ARXIV_ID}(?:\.pdf)?/?", re.IGNORECASE)
_ARXIV_DOI: Final = re.compile(rf"/10\.48550/arxiv\.{_ARXIV_ID}/?", re.IGNORECASE)
_OPENREVIEW_ID: Final = re.compile(r"[A-Za-z0-9_-]{6,40}")


def listing_url(url: str) -> str:
    """The address of the listing that holds just the paper whose page was given.

    arXiv's abs, pdf and html pages and arXiv's own DOIs become a query of the arXiv API for the
    newest version; an OpenReview forum or its PDF becomes a question to API version 2 for the
    note. Every other address comes back as it was. Never raises.
    """
    try:
        parts = urlsplit(url.strip())
        host = (parts.hostname or "").rstrip(".")
    except ValueError:
        return url
    if parts.scheme not in {"http", "https"} or "@" in parts.netloc:
        return url
    found = None
    if host in _ARXIV_HOSTS:
        found = _ARXIV_PAGE.fullmatch(parts.path)
    elif host in _DOI_HOSTS:
        found = _ARXIV_DOI.fullmatch(parts.path)
    if found:
        return f"https://export.arxiv.org/api/query?id_list={found[1]}"
    if host in _OPENREVIEW_HOSTS and parts.path.rstrip("/") in {"/forum", "/pdf"}:
        named = parse_qs(parts.query).get("id", [""])[0]
        if _OPENREVIEW_ID.fullmatch(named):
            return f"https://api2.openreview.net/notes?id={named}"
    return url
