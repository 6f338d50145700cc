"""arXiv as a source: the daily feed of categories with a look back, and any query of the API.

The feed of a category holds one announcement and says of which day; it has entries of all announce
types. What it held on a day when nobody asked is gone, so once a day the API is asked for what was
submitted over the last days (https://info.arxiv.org/help/rss.html and api/user-manual.html).
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs, urlencode, urlsplit

from data.fetch import StatusError
from data.sources.base import Addresses, Answer, Page, Part, SourceError, SpecError, Validators
from data.sources.feeds import feed_answer
from data.sources.paging import Slice, all_slices

if TYPE_CHECKING:
    from collections.abc import Mapping

    from data.fetch import Fetcher

LOOK_BACK: Final = "look-back"
MOST_CATEGORIES: Final = 30
_LONGEST_QUERY: Final = 1_000
_PAGE: Final = 200
_MOST: Final = 10_000
_ONCE_A_DAY: Final = timedelta(hours=20)
_FARTHEST: Final = timedelta(days=60)
_WITH_SUBJECTS: Final = frozenset(
    ["astro-ph", "cond-mat", "cs", "econ", "eess", "math", "nlin", "physics", "q-bio", "q-fin"]
) | {"stat"}
_ARCHIVES: Final = _WITH_SUBJECTS | {
    "gr-qc",
    "hep-ex",
    "hep-lat",
    "hep-ph",
    "hep-th",
    "math-ph",
    "nucl-ex",
    "nucl-th",
    "quant-ph",
}
_CATEGORY: Final = re.compile(r"([a-z-]+)(?:\.([a-z]{2}|[a-z]+(?:-[a-z]+)*))?", re.IGNORECASE)
_FIELD: Final = re.compile(r"\b(?:ti|au|abs|co|jr|cat|rn|id|all|submittedDate):")
_TOTAL: Final = re.compile(r"<(?:[\w.-]+:)?totalResults[^>]*>\s*(\d+)\s*<")
_ENTRY: Final = re.compile(r"<entry[\s>]")
_ERROR: Final = re.compile(
    r"<id>\s*https?://arxiv\.org/api/errors.*?<summary[^>]*>(.*?)</summary>", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class ArxivCategories:
    """The daily announcements of some categories.

    Each category's feed is asked for alone, since one may be late or stale while another is not,
    and a feed of several ends at 2,000 entries.
    """

    categories: tuple[str, ...]
    addresses: Addresses
    format: str | None = None
    interval: timedelta = timedelta(minutes=30)
    days_back: int = 5

    def parts(self, now: datetime, read: Mapping[str, datetime]) -> tuple[Part, ...]:
        """Every category, then the look back, which begins before the oldest good reading."""
        known = [read[key] for key in (*self.categories, LOOK_BACK) if key in read]
        since = max(min(known, default=now), now - _FARTHEST) - timedelta(days=self.days_back)
        feeds = tuple(Part(category, category) for category in self.categories)
        return (*feeds, Part(LOOK_BACK, LOOK_BACK, since=since.date(), every=_ONCE_A_DAY))

    async def fetch(self, fetcher: Fetcher, part: Part, known: Validators, now: datetime) -> Answer:
        """One category's feed, or the look back over all of them."""
        if part.key == LOOK_BACK:
            wanted = " OR ".join(_asked(category) for category in self.categories)
            return await ask_api(fetcher, self.addresses.arxiv_api, wanted, part, now)
        url = f"{self.addresses.arxiv_feed}/{part.key}"
        try:
            fetched = await fetcher.fetch(url, etag=known.etag, last_modified=known.last_modified)
        except StatusError as error:
            if error.status in {400, 404}:
                raise SourceError(
                    f"arXiv has no feed for {part.key} (it answered {error.status}): check the "
                    "category at arxiv.org/category_taxonomy."
                ) from None
            raise
        return feed_answer(fetched)


@dataclass(frozen=True, slots=True)
class ArxivQuery:
    """A query of arXiv's API, over what was submitted in the last days."""

    query: str
    addresses: Addresses
    format: str | None = "arxiv-api"
    interval: timedelta = timedelta(hours=6)
    days_back: int = 14

    def parts(self, now: datetime, read: Mapping[str, datetime]) -> tuple[Part, ...]:
        """One window that begins two weeks before the last good reading."""
        since = max(read.get("query", now), now - _FARTHEST) - timedelta(days=self.days_back)
        return (Part("query", "query", since=since.date()),)

    async def fetch(
        self,
        fetcher: Fetcher,
        part: Part,
        known: Validators,
        now: datetime,
    ) -> Answer:
        """What the query finds in the window."""
        return await ask_api(fetcher, self.addresses.arxiv_api, self.query, part, now)


def _asked(category: str) -> str:
    return f"cat:{category}.*" if category in _WITH_SUBJECTS else f"cat:{category}"


async def ask_api(fetcher: Fetcher, address: str, query: str, part: Part, now: datetime) -> Answer:
    """All pages of what a query finds among the papers submitted since the part's first day.

    Raises SourceError with arXiv's own words where it refuses the query.
    """
    until = now.astimezone(UTC)
    search = query
    if part.since is not None and "submittedDate:" not in query:
        search = f"({query}) AND submittedDate:[{part.since:%Y%m%d}0000 TO {until:%Y%m%d}2359]"

    async def ask(start: int) -> Slice:
        asked = {
            "search_query": search,
            "start": start,
            "max_results": _PAGE,
            "sortBy": "submittedDate",
            "sortOrder": "descending",
        }
        url = f"{address}?{urlencode(asked)}"
        try:
            body = (await fetcher.fetch(url)).body
        except StatusError as error:
            _refuse(error.body.decode("utf-8", "replace"))
            raise
        text = body.decode("utf-8", "replace")
        _refuse(text)
        total = _TOTAL.search(text)
        if total is None:
            raise SourceError(
                "arXiv's API answered with something that is no list of results; it is asked again "
                "later."
            )
        return Slice(Page(url, body), len(_ENTRY.findall(text)), int(total[1]))

    found = await all_slices(ask, size=_PAGE, most=_MOST)
    return Answer(pages=found.pages, count=found.count, total=found.total, steady=False)


def _refuse(text: str) -> None:
    error = _ERROR.search(text)
    if error:
        said = " ".join(html.unescape(error[1]).split())[:200]
        raise SourceError(f"arXiv's API refuses the query: {said or 'it gave no reason'}.")


def normal_categories(text: str) -> str:
    """A list of categories in its normal form, "cs.LG, stat.ML".

    Raises SpecError that names the word which is no category.
    """
    words = [word for word in re.split(r"[\s,;+]+", text.strip()) if word]
    if not words:
        raise SpecError("Name at least one arXiv category, such as cs.LG, stat.ML.")
    found: list[str] = []
    for word in words:
        parts = _CATEGORY.fullmatch(word)
        archive = parts[1].lower() if parts else ""
        if parts is None or archive not in _ARCHIVES:
            raise SpecError(
                f"“{word[:40]}” is no arXiv category: write them as cs.LG, stat.ML; the list is at "
                "arxiv.org/category_taxonomy."
            )
        subject = parts[2]
        if subject:
            # Two letters are an acronym (cs.LG); longer ones are words (physics.soc-ph).
            archive += f".{subject.upper() if len(subject) == 2 else subject.lower()}"
        found.append(archive)
    categories = list(dict.fromkeys(found))
    if len(categories) > MOST_CATEGORIES:
        raise SpecError(
            f"That is {len(categories)} categories; one source takes {MOST_CATEGORIES}: make "
            "several."
        )
    return ", ".join(categories)


def normal_query(text: str) -> str:
    """A query of the API in its normal form; an address of the API gives its query.

    Raises SpecError where it is empty, too long, or its brackets or quotes don't close.
    """
    query = text.strip()
    if query.startswith(("http://", "https://")):
        query = parse_qs(urlsplit(query).query).get("search_query", [""])[0]
    query = " ".join(query.split())
    if not query:
        raise SpecError(
            'Give a query as arXiv\'s API takes it, such as cat:cs.CL AND all:"agents".'
        )
    if len(query) > _LONGEST_QUERY:
        raise SpecError(f"The query is longer than {_LONGEST_QUERY} characters: shorten it.")
    if query.count('"') % 2 or not _brackets_close(query):
        raise SpecError("The query's quotes or brackets don't close: check them.")
    return query if _FIELD.search(query) else f"all:{query}" if " " not in query else _all(query)


def _all(query: str) -> str:
    quoted = query.startswith('"') and query.endswith('"') and query.count('"') == 2
    return f"all:{query}" if quoted else " AND ".join(f"all:{word}" for word in query.split())


def _brackets_close(query: str) -> bool:
    depth = 0
    for character in query:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return False
    return depth == 0


def is_query(text: str) -> bool:
    """Whether a text has a field of the API's query language in it."""
    return _FIELD.search(text) is not None


def categories_of_feed(url: str) -> str | None:
    """The categories that an address of arXiv's own feeds names, or None."""
    parts = urlsplit(url)
    if parts.hostname in {"rss.arxiv.org", "export.arxiv.org", "arxiv.org"}:
        found = re.fullmatch(r"/(?:rss|atom)/([\w.+-]+)/?", parts.path)
        return found[1] if found else None
    return None
