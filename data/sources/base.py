"""What a standing source is: the parts it is asked for, and the answers it gives to each."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from data.fetch import Fetcher


class Kind(StrEnum):
    """The kinds of standing source, by the word that people use for them."""

    ARXIV = "arxiv"
    ARXIV_QUERY = "arxiv-query"
    FEED = "feed"
    HF_DAILY = "hf-daily"
    OPENREVIEW = "openreview"


class SpecError(ValueError):
    """What was given is no such source; the text is one sentence that says what to give."""


class SourceError(Exception):
    """A source answered, but with nothing that can be used; the text says so in one sentence."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the services are; tests put a server of their own in their place."""

    arxiv_feed: str = "https://rss.arxiv.org/rss"
    arxiv_api: str = "https://export.arxiv.org/api/query"
    hf_daily: str = "https://huggingface.co/api/daily_papers"
    openreview: str = "https://api2.openreview.net/notes"


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that a source is asked for.

    `key` is its name within the source, `channel` the word under which people see its outcomes
    (an arXiv category, "daily"). `day` is the announcement that is asked for by its date, `since`
    the first day of a window. It need not be asked again before `every` has passed.
    """

    key: str
    channel: str
    day: date | None = None
    since: date | None = None
    every: timedelta = timedelta(0)


@dataclass(frozen=True, slots=True)
class Validators:
    """What to ask with next time, so that the server may say that nothing changed."""

    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """One raw answer and where it came from."""

    url: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """Everything that a source said of one part.

    `count` is the number of entries in the pages, `total` how many the source says there are, and
    `whole` whether the text came to its end. `day` is the source's own date of the announcement
    and `built` the day on which it made the answer, both in its own calendar, which is `ahead` of
    UTC; None where it does not say. `skipped` are the weekdays (Monday 0) on which it says that
    it announces nothing. `steady` tells whether `count` can be compared with that of the answer
    before; a window of days cannot.
    """

    pages: tuple[Page, ...] = ()
    count: int = 0
    total: int | None = None
    whole: bool = True
    day: date | None = None
    built: date | None = None
    ahead: timedelta = timedelta(0)
    skipped: frozenset[int] = frozenset()
    steady: bool = True
    validators: Validators = Validators()
    not_modified: bool = False


class Source(Protocol):
    """One source: what it is asked for, and how.

    `format` names the listing reader of its answers; None leaves it to their content.
    """

    @property
    def format(self) -> str | None:
        """The listing format of the answers."""
        ...

    @property
    def interval(self) -> timedelta:
        """How long to leave it alone after a poll that went well."""
        ...

    def parts(self, now: datetime, read: Mapping[str, datetime]) -> tuple[Part, ...]:
        """What to ask for, in order. `read` says when each part, by key, was last read well."""
        ...

    async def fetch(self, fetcher: Fetcher, part: Part, known: Validators, now: datetime) -> Answer:
        """Asks for one part.

        Raises FetchError where no answer came, and SourceError where it cannot be used.
        """
        ...
