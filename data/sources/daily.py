"""Hugging Face Daily Papers as a source: one list a day, asked for by its date.

https://huggingface.co/docs/hub/api: `date` is the day of the list, `limit` (at most 100) and `p`
page through it. People add to a day's list until it is over, and at times after.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Final, cast
from urllib.parse import urlencode

from data.fetch import StatusError
from data.sources.base import Addresses, Answer, Page, Part, SourceError, SpecError, Validators

if TYPE_CHECKING:
    from collections.abc import Mapping

    from data.fetch import Fetcher

_PAGE: Final = 100
_MOST_PAGES: Final = 10
_FARTHEST: Final = 30
_CLOSED: Final = timedelta(hours=20)
_NAMES: Final = frozenset({"hf-daily", "hf daily papers", "hugging face daily papers"})


@dataclass(frozen=True, slots=True)
class HfDaily:
    """The lists of the last days."""

    addresses: Addresses
    format: str | None = "hf-daily"
    interval: timedelta = timedelta(hours=1)
    days_back: int = 6

    def parts(self, now: datetime, read: Mapping[str, datetime]) -> tuple[Part, ...]:
        """One part a day, oldest first: from before the last day that was read until today."""
        today = now.astimezone(UTC).date()
        last = max((date.fromisoformat(key) for key in read), default=today)
        gap = max(0, (today - last).days)
        first = today - timedelta(days=min(_FARTHEST, self.days_back + gap))
        days = [first + timedelta(days=n) for n in range((today - first).days + 1)]
        return tuple(
            Part(
                day.isoformat(),
                "daily",
                day=day,
                every=timedelta(0) if (today - day).days <= 1 else _CLOSED,
            )
            for day in days
        )

    async def fetch(self, fetcher: Fetcher, part: Part, known: Validators, now: datetime) -> Answer:
        """One day's list. For today, an answer that there is none is an empty one."""
        pages: list[Page] = []
        seen: set[str] = set()
        validators = Validators()
        for number in range(_MOST_PAGES):
            asked = {"date": part.key, "limit": _PAGE} | ({"p": number} if number else {})
            url = f"{self.addresses.hf_daily}?{urlencode(asked)}"
            first = known if number == 0 else Validators()
            try:
                fetched = await fetcher.fetch(
                    url, etag=first.etag, last_modified=first.last_modified
                )
            except StatusError as error:
                begun = part.day is not None and part.day >= now.astimezone(UTC).date()
                # A day that has no list yet is no fault of the question.
                if error.status in {400, 404} and begun and number == 0:
                    return Answer(day=part.day)
                raise
            if fetched.not_modified:
                return Answer(day=part.day, validators=known, not_modified=True)
            entries = _entries(fetched.body)
            fresh = {json.dumps(entry, sort_keys=True) for entry in entries} - seen
            if number and not fresh:
                break
            seen |= fresh
            pages.append(Page(url, fetched.body))
            validators = Validators(fetched.etag, fetched.last_modified)
            if len(entries) < _PAGE:
                break
        return Answer(
            pages=tuple(pages),
            count=len(seen),
            day=part.day,
            validators=validators if len(pages) == 1 else Validators(),
        )


def _entries(body: bytes) -> list[object]:
    try:
        document = cast("object", json.loads(body))
    except ValueError:
        document = None
    if not isinstance(document, list):
        raise SourceError(
            "Hugging Face answered with something that is no list of papers; it is asked again "
            "later."
        )
    return cast("list[object]", document)


def is_daily(text: str) -> bool:
    """Whether a text names Hugging Face Daily Papers, by a word for it or its address."""
    words = text.strip().casefold()
    return (
        words in _NAMES
        or re.match(r"https?://huggingface\.co/(api/daily_)?papers\b", words) is not None
    )


def normal_daily(text: str) -> str:
    """There is one such source, so nothing is chosen. Raises SpecError where something was."""
    if text.strip() and not is_daily(text):
        raise SpecError("Hugging Face Daily Papers come whole: leave the rest away.")
    return ""
