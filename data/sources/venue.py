"""A venue on OpenReview as a source: the notes that carry its id, of API version 2.

The API gives at most 1,000 notes a page, by `offset` and `limit`, and says with `count` how many
there are. Venues change status by moving papers to other ids (".../Withdrawn_Submission").
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, cast
from urllib.parse import parse_qs, urlencode, urlsplit

from data.sources.base import Addresses, Answer, Page, Part, SourceError, SpecError, Validators
from data.sources.paging import Slice, all_slices

if TYPE_CHECKING:
    from collections.abc import Mapping

    from data.fetch import Fetcher

_PAGE: Final = 1_000
_MOST: Final = 50_000
_VENUE: Final = re.compile(r"[\w.-]+(?:/[\w.-]+)+")


@dataclass(frozen=True, slots=True)
class Venue:
    """All papers of a venue that the public may see."""

    venue: str
    addresses: Addresses
    format: str | None = "openreview"
    interval: timedelta = timedelta(hours=12)

    def parts(self, now: datetime, read: Mapping[str, datetime]) -> tuple[Part, ...]:
        """The venue is one part."""
        return (Part("venue", "venue"),)

    async def fetch(
        self,
        fetcher: Fetcher,
        part: Part,
        known: Validators,
        now: datetime,
    ) -> Answer:
        """All notes of the venue, whenever they were made."""

        async def ask(start: int) -> Slice:
            asked = {
                "content.venueid": self.venue,
                "limit": _PAGE,
                "offset": start,
                "sort": "number:asc",
            }
            url = f"{self.addresses.openreview}?{urlencode(asked)}"
            body = (await fetcher.fetch(url)).body
            notes, total = _notes(body)
            return Slice(Page(url, body), notes, total if total is not None else start + notes)

        found = await all_slices(ask, size=_PAGE, most=_MOST)
        return Answer(pages=found.pages, count=found.count, total=found.total)


def _notes(body: bytes) -> tuple[int, int | None]:
    try:
        document = cast("object", json.loads(body))
    except ValueError:
        document = None
    answer = cast("dict[str, object]", document) if isinstance(document, dict) else {}
    notes, count = answer.get("notes"), answer.get("count")
    if not isinstance(notes, list):
        raise SourceError(
            "OpenReview answered with something that is no list of notes; it is asked again later."
        )
    return len(cast("list[object]", notes)), count if isinstance(count, int) else None


def normal_venue(text: str) -> str:
    """A venue's id, also out of the address of its page.

    Raises SpecError where it has not the form of one.
    """
    venue = text.strip().strip("/")
    if venue.startswith(("http://", "https://")):
        asked = parse_qs(urlsplit(venue).query)
        venue = asked.get("id", asked.get("content.venueid", [""]))[0]
    if not _VENUE.fullmatch(venue):
        raise SpecError(
            "Give the venue's id as it stands in its OpenReview address, such as "
            "ICLR.cc/2026/Conference."
        )
    return venue
