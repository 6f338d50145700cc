"""A small hand-written library for the tests of the index."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from data.index import IndexDocument, SearchIndex

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def paper(
    number: int,
    title: str = "",
    abstract: str = "",
    *,
    derived: bool = False,
    authors: Sequence[str] = (),
    topics: Sequence[str] = (),
    categories: Sequence[str] = (),
    venue: str | None = None,
    sources: Sequence[str] = ("arxiv",),
    tag: str | None = None,
    day: date = date(2026, 2, 3),
    identifiers: Sequence[tuple[str, str]] = (),
) -> IndexDocument:
    """A paper with only what a test cares about."""
    return IndexDocument(
        id=number,
        title=title,
        title_derived=derived,
        abstract=abstract,
        authors=tuple(authors),
        topics=tuple(topics),
        categories=tuple(categories),
        venue=venue,
        sources=tuple(sources),
        tag=tag,
        day=day,
        identifiers=tuple(identifiers),
    )


def index_of(*papers: IndexDocument) -> SearchIndex:
    """An index in memory with some papers."""
    index = SearchIndex(background=False)
    index.add(papers)
    return index


def found(index: SearchIndex, query: str, **options: object) -> list[int]:
    """The ids that a query finds, best first."""
    return [hit.id for hit in index.search(query, limit=50, **options).hits]  # type: ignore[arg-type]


def titled(*titles: str) -> SearchIndex:
    """An index of papers numbered from 1 that have titles alone."""
    return index_of(*(paper(number, title) for number, title in enumerate(titles, 1)))


_SUBJECTS = ("bandits", "kernels", "transformers", "graphs", "diffusion", "auctions", "proteins")
_VERBS = ("learning", "bounding", "sampling", "pruning", "aligning", "explaining", "quantising")
_MANNERS = ("with feedback", "under noise", "at scale", "without labels", "in context", "on device")


def invented(count: int, seed: int = 1) -> list[IndexDocument]:
    """Papers put together by chance from a small vocabulary, the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311 - test data, no secret
    papers: list[IndexDocument] = []
    for number in range(1, count + 1):
        sentences = [
            f"We study {chance.choice(_VERBS)} {chance.choice(_SUBJECTS)} "
            f"{chance.choice(_MANNERS)} and method {chance.randrange(40)}."
            for _ in range(chance.randrange(1, 6))
        ]
        papers.append(
            paper(
                number,
                f"{chance.choice(_VERBS).capitalize()} {chance.choice(_SUBJECTS)} "
                f"{chance.choice(_MANNERS)}",
                " ".join(sentences),
                authors=[f"Ada {chance.choice('ABCDEFG')}er", "Grace Hill"],
                topics=[chance.choice(("Theory", "Vision", "Language"))],
                sources=[chance.choice(("arxiv", "page"))],
                tag=chance.choice(("theory", "methods", "position")),
                day=date(2024 + number % 3, 1 + number % 12, 1 + number % 28),
                identifiers=[("arxiv", f"24{number % 12 + 1:02d}.{number:05d}")],
            )
        )
    return papers


def renamed(papers: Iterable[IndexDocument], title: str) -> list[IndexDocument]:
    """The same papers under another title."""
    return [replace(each, title=title) for each in papers]


QUERIES = (
    "learning bandits with feedback",
    "kernels",
    "diffusion -pruning",
    '"graphs under noise"',
    "transformers OR auctions",
    "title:proteins sampling",
    "author:Hill aligning",
    "explaining quantised graphs at scale without labels under noise with feedback",
    "year:2025 sampling",
    "quantis*",
)
"""Queries of every kind over `invented` papers."""
