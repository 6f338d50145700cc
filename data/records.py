"""The values that cross layers: what a listing says of a paper, and what the library knows of it.

All of them are frozen and hold plain Python values; every datetime is aware and in UTC.
"""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

TagName = Literal["position", "theory", "methods", "unsure"]
TAG_NAMES: Final[tuple[TagName, ...]] = ("position", "theory", "methods", "unsure")


class AnnounceType(StrEnum):
    """How a listing announces a paper, in arXiv's words."""

    NEW = "new"
    CROSS_LIST = "cross"
    REPLACEMENT = "replace"
    REPLACEMENT_CROSS_LIST = "replace-cross"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True)
class Period:
    """A year, or a month of a year (1 to 12): as much of a date as a source gave.

    As text it is "2026" or "2026-03", the beginning of an ISO date.
    """

    year: int
    month: int | None = None

    def __str__(self) -> str:
        return f"{self.year:04}" if self.month is None else f"{self.year:04}-{self.month:02}"

    @classmethod
    def of(cls, text: str) -> Period:
        """The period that its text names. Raises ValueError for any other text."""
        year, _, month = text.partition("-")
        return cls(int(year), int(month) if month else None)

    @property
    def first_day(self) -> date:
        """The day with which it begins."""
        return date(self.year, self.month or 1, 1)

    @property
    def last_day(self) -> date:
        """The day with which it ends."""
        month = self.month or 12
        return date(self.year, month, monthrange(self.year, month)[1])


@dataclass(frozen=True, slots=True)
class Identifiers:
    """The names under which a work is known elsewhere, each in its normal form.

    `arxiv` is the base id without a version, `doi` is lower case without a resolver prefix,
    `openreview` is the forum id, `url` is any other page of the paper.
    """

    arxiv: str | None = None
    doi: str | None = None
    openreview: str | None = None
    url: str | None = None

    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The identifiers that are there, as (scheme, value), strongest first."""
        named = (
            ("arxiv", self.arxiv),
            ("doi", self.doi),
            ("openreview", self.openreview),
            ("url", self.url),
        )
        return tuple((scheme, value) for scheme, value in named if value)


@dataclass(frozen=True, slots=True)
class PaperRecord:
    """One mention of a paper in one listing, as a reader understood it.

    `abstract` is empty where the listing has none; `title` is None where it has none.
    `position` says where in the file the record stands, in words a person can follow
    ("line 12", "entry 3"). `published_in` is the year or month of publication where the listing
    names no day; it is None beside `published`. `announced` is the day on which the source
    announced the paper, in the source's own calendar; None where the listing does not say.
    `title_source` and `abstract_source` are the texts with the TeX and HTML that the listing had;
    None where the plain text is the same. A record with neither title nor abstract is a notice:
    it only names the paper that its source took back.
    """

    position: str
    title: str | None = None
    abstract: str = ""
    authors: tuple[str, ...] = ()
    identifiers: Identifiers = field(default_factory=Identifiers)
    topics: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    venue: str | None = None
    comment: str | None = None
    published: datetime | None = None
    published_in: Period | None = None
    updated: datetime | None = None
    announced: date | None = None
    version: int | None = None
    announce_type: AnnounceType = AnnounceType.NEW
    title_source: str | None = None
    abstract_source: str | None = None

    @property
    def is_notice(self) -> bool:
        """Whether the record describes no paper and only says that one was withdrawn."""
        return self.title is None and not self.abstract


@dataclass(frozen=True, slots=True)
class Refusal:
    """One record, or one whole file, that could not be used, and why."""

    file: str
    position: str
    reason: str


@dataclass(frozen=True, slots=True)
class TagJudgement:
    """What the tagger said of a paper: one tag, at most one secondary, and why.

    `probabilities` maps position, theory and methods to numbers that add up to one. `reasons`
    are (phrase, weight) pairs, strongest first; a positive weight speaks for `tag`. They are
    worked out when somebody asks, and empty until then.
    """

    tag: TagName
    secondary: TagName | None
    probabilities: Mapping[str, float]
    reasons: tuple[tuple[str, float], ...] = ()
    model: str = ""


def own_text(title: str, abstract: str, *, derived: bool) -> tuple[str, str]:
    """Title and abstract to judge; no title where it was derived, since it repeats the abstract."""
    return "" if derived else title, abstract


@dataclass(frozen=True, slots=True)
class Paper:
    """One work of the library, put together from all its sightings.

    `title` is never empty: where no listing gave one it is derived from the abstract, and
    `title_derived` says so. `id` is the number by which people name the paper. `published_in` is
    what a bibliography says, and may be later than `published`, the day of a preprint.
    """

    id: int
    title: str
    title_derived: bool
    abstract: str
    authors: tuple[str, ...]
    identifiers: Identifiers
    topics: tuple[str, ...]
    categories: tuple[str, ...]
    sources: tuple[str, ...]
    first_seen: datetime
    venue: str | None = None
    comment: str | None = None
    published: datetime | None = None
    published_in: Period | None = None
    updated: datetime | None = None
    announced: date | None = None
    withdrawn: bool = False
    judgement: TagJudgement | None = None

    @property
    def day(self) -> date:
        """The day the paper counts for: announced, else published, else first seen (UTC).

        The last says only how new the paper is to the library, and is no date of it (`dated`). Of
        a year or month of publication it is the day nearest to the first sight of the paper, so
        that it is found under its year; no source named that day, so it is never shown.
        """
        if self.named_day is not None:
            return self.named_day
        seen, period = self.first_seen.date(), self.published_in
        return max(period.first_day, min(seen, period.last_day)) if period else seen

    @property
    def named_day(self) -> date | None:
        """The day that a source named: announced, else published (UTC); None where none did."""
        return self.announced or (self.published.date() if self.published else None)

    @property
    def dated(self) -> bool:
        """Whether any source told when the paper was announced or published."""
        return bool(self.named_day or self.published_in)

    @property
    def link(self) -> str | None:
        """The best public address of the paper, or None."""
        ids = self.identifiers
        if ids.arxiv:
            return f"https://arxiv.org/abs/{ids.arxiv}"
        if ids.openreview:
            return f"https://openreview.net/forum?id={ids.openreview}"
        if ids.doi:
            return f"https://doi.org/{ids.doi}"
        return ids.url


@dataclass(frozen=True, slots=True)
class Sighting:
    """One mention of a paper in one listing, as the store keeps it."""

    paper_id: int
    source: str
    listing: str
    position: str
    fetched: datetime
    announced: date | None
    version: int | None
    announce_type: AnnounceType
