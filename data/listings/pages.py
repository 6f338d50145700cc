"""Saved text pages of paper-search sites: blocks without marks, put together to papers.

A page is a site name, then per paper an optional "Area · Topic" line, an optional title, an
optional line of authors, an abstract, and an address before or after it, usually with blank lines
between. Which of the optional ones a page has is learnt from the page as a whole.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from data.listings.base import ListingError
from data.listings.blocks import (
    ABSTRACT_LABEL,
    AREAS,
    Block,
    Kind,
    blocks_of,
    is_one_unlabelled_name,
    looks_like_markup,
    reads_like_an_abstract,
    unlabelled,
)
from data.listings.fields import UnusableRecordError, make_record, split_authors
from data.records import Refusal
from data.text import ends_like_a_sentence, repair_hyphenation, vocabulary_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data.listings.base import Item
    from data.listings.source import Source

_LEAST_RESEARCH: Final = 0.5
_MOST_MARKUP: Final = 0.2
_LONGEST_AREA_WORDS: Final = 6


@dataclass(slots=True)
class _Group:
    """The blocks before an abstract, and the abstract; None where the file ends first."""

    before: list[Block] = field(default_factory=list[Block])
    abstract: Block | None = None


class PagesReader:
    """Reads the text of saved pages; the last resort among the formats, so its sniff is modest."""

    name = "pages"
    title = "saved text page of a paper-search site"

    def sniff(self, head: str) -> float:
        """Somewhat sure where most of the prose reads like abstracts."""
        return 0.2 if _is_page(_joined(list(blocks_of(head)))) else 0.0

    def read(self, source: Source) -> Iterator[Item]:
        """One record an abstract; topics and authors without an abstract are refused alone."""
        text = source.text()
        blocks = _joined(list(blocks_of(text)))
        groups = _groups(blocks)
        _find_short_titles(groups)
        if not any(group.abstract for group in groups):
            raise ListingError(
                f"{source.name} is no listing: no abstract stands in its {text.count(chr(10)) + 1} "
                "lines; save the page of papers as text again."
            )
        titled = _has_titles(groups)
        areas = _areas(blocks)
        words = vocabulary_of(text)
        count = 0
        for number, group in enumerate(groups):
            yield from self._group(source, group, titled, areas, words, first=number == 0)
            count += group.abstract is not None
        last = next(g.abstract for g in reversed(groups) if g.abstract)
        if groups[-1].abstract is last and not ends_like_a_sentence(last.text):
            source.notes.append(
                f"{source.name}: the last abstract, in line {last.line}, stops inside a sentence; "
                "the page may have been cut when it was saved."
            )

    def _group(
        self,
        source: Source,
        group: _Group,
        titled: bool,  # noqa: FBT001 - two facts of the page, passed on as they are
        areas: frozenset[str],
        words: frozenset[str],
        *,
        first: bool,
    ) -> Iterator[Item]:
        runs = _runs(group.before)
        for lost in runs[:-1] if group.abstract else runs:
            if any(b.kind in {Kind.TOPIC, Kind.AUTHORS, Kind.TITLE} for b in lost):
                shown = " / ".join(b.text for b in lost)[:80]
                yield Refusal(
                    file=source.name,
                    position=f"line {lost[0].line}",
                    reason=f'"{shown}" is followed by no abstract',
                )
        if group.abstract is None:
            return
        own = runs[-1] if runs else []
        topics, authors, ids = _named(own)
        title = None
        shorts = [b for b in own if b.kind is Kind.SHORT]
        for block in [b for b in shorts if b.text.lower() in areas]:
            topics.insert(0, block.text)
            shorts.remove(block)
        sure = [b for b in own if b.kind is Kind.TITLE]
        if sure:
            title = unlabelled(sure[-1].text)
        elif titled and shorts:
            title = shorts[-1].text
            if first and len(shorts) == 1 and len(title.split()) <= 2 and own[0] is shorts[0]:
                title = None  # the name of the site
        elif shorts and not first and _is_area(shorts[-1]):
            topics.append(shorts[-1].text)
        position = f"line {min(b.line for b in (*own, group.abstract))}"
        abstract = ABSTRACT_LABEL.sub("", group.abstract.text, count=1)
        try:
            yield make_record(
                position=position,
                title=repair_hyphenation(title, words) if title else None,
                abstract=repair_hyphenation(abstract, words),
                authors=authors,
                topics=topics,
                arxiv=ids,
                doi=ids,
                url=ids,
            )
        except UnusableRecordError as problem:
            yield Refusal(file=source.name, position=position, reason=str(problem))


def _is_page(blocks: list[Block]) -> bool:
    if not blocks:
        return False
    marked = sum(looks_like_markup(b.text) for b in blocks)
    if marked > _MOST_MARKUP * len(blocks):
        return False
    prose = [b for b in blocks if b.kind is Kind.PROSE]
    research = sum(reads_like_an_abstract(b.text) for b in prose)
    if not prose or research < _LEAST_RESEARCH * len(prose):
        return False
    short = sum(b.kind in {Kind.SHORT, Kind.FURNITURE} for b in blocks)
    return research * 4 >= short


def _joined(blocks: list[Block]) -> list[Block]:
    """The blocks with the pieces of one abstract put together again.

    A page break inside a sentence leaves a first half without a full stop and a second half that
    starts in lower case.
    """
    joined: list[Block] = []
    for block in blocks:
        last = joined[-1] if joined else None
        if (
            last is not None
            and last.kind is Kind.PROSE
            and block.kind in {Kind.PROSE, Kind.SHORT}
            and not ends_like_a_sentence(last.text)
            and block.text[:1].islower()
        ):
            joined[-1] = Block(last.line, f"{last.text} {block.text}", Kind.PROSE)
        else:
            joined.append(block)
    return joined


def _groups(blocks: list[Block]) -> list[_Group]:
    groups: list[_Group] = []
    current = _Group()
    for block in blocks:
        if block.kind is Kind.FURNITURE:
            continue
        if block.kind is Kind.PROSE:
            current.abstract = block
            groups.append(current)
            current = _Group()
        else:
            current.before.append(block)
    if current.before:
        groups.append(current)
    if _addresses_follow(groups):
        groups[0].before = [b for b in groups[0].before if b.kind is not Kind.IDENTIFIER]
        for paper, after in pairwise(groups):
            while after.before and after.before[0].kind is Kind.IDENTIFIER:
                paper.before.append(after.before.pop(0))
        if not groups[-1].before and groups[-1].abstract is None:
            groups.pop()
    return groups


def _addresses_follow(groups: list[_Group]) -> bool:
    """Whether the page puts addresses after abstracts: it ends with one and begins with none.

    Where it does both, the one that differs in its site from those between is the page's own.
    """
    if len(groups) < 2 or groups[-1].abstract or groups[-1].before[0].kind is not Kind.IDENTIFIER:
        return False
    first = {_site(b) for b in groups[0].before if b.kind is Kind.IDENTIFIER}
    between = {_site(b) for g in groups[1:-1] for b in g.before if b.kind is Kind.IDENTIFIER}
    return not first or (_site(groups[-1].before[0]) in between and not first & between)


def _site(address: Block) -> str:
    """The host of an address, or what stands for one."""
    return re.sub(r"^https?://(?:www\.)?", "", address.text.lower()).split("/")[0].split(":")[0]


def _find_short_titles(groups: list[_Group]) -> None:
    """Mark the titles that read like the name of one person.

    A line right above the authors is a title; so is a line alone above its abstract, where the
    page has no authors otherwise.
    """
    lone: list[_Group] = []
    titled = 0
    for group in groups:
        before = group.before
        for index, (block, below) in enumerate(pairwise(before)):
            if not is_one_unlabelled_name(block) or below.kind is not Kind.AUTHORS:
                continue
            above = before[index - 1].kind if index else None
            heading = group is groups[0] and index == 1 and not is_one_unlabelled_name(below)
            # below a title, one name above another is one author a line
            if heading or above not in {Kind.SHORT, Kind.TITLE}:
                before[index] = replace(block, kind=Kind.TITLE)
        kinds = [b.kind for b in before if b.kind is not Kind.IDENTIFIER]
        if group.abstract and kinds == [Kind.AUTHORS]:
            lone.append(group)
        titled += kinds == [Kind.SHORT]
    authors = [b for group in groups for b in group.before if b.kind is Kind.AUTHORS]
    if len(authors) == len(lone) <= max(1, titled) and all(map(is_one_unlabelled_name, authors)):
        for group in lone:
            group.before = [
                replace(b, kind=Kind.TITLE) if b.kind is Kind.AUTHORS else b for b in group.before
            ]
    _unmark_the_site(groups)


def _unmark_the_site(groups: list[_Group]) -> None:
    """Take the page's first line for the name of the site where it cannot be a title."""
    before = groups[0].before if groups else []
    later = [g for g in groups[1:] if g.abstract]
    untitled = bool(later) and not any(_title_like(g, first=False) for g in later)
    below = any(b.kind is Kind.AUTHORS for b in before[1:])
    if below and (
        is_one_unlabelled_name(before[0])
        or (
            untitled
            and before[0].kind is Kind.TITLE
            and unlabelled(before[0].text) == before[0].text
        )
    ):
        before[0] = replace(before[0], kind=Kind.SHORT)


def _runs(before: list[Block]) -> list[list[Block]]:
    """The blocks before an abstract, cut where a second paper begins.

    A paper has one topic line and one line of authors; a second one of either means that the
    abstract of the first is missing.
    """
    runs: list[list[Block]] = []
    seen: set[Kind] = set()
    for block in before:
        again = block.kind in {Kind.TOPIC, Kind.AUTHORS} and block.kind in seen
        late_topic = block.kind in {Kind.TOPIC, Kind.TITLE} and Kind.AUTHORS in seen
        if not runs or again or late_topic:
            runs.append([])
            seen = set()
        runs[-1].append(block)
        seen.add(block.kind)
    return runs


def _named(blocks: list[Block]) -> tuple[list[str], list[str], str | None]:
    topics: list[str] = []
    authors: list[str] = []
    ids: list[str] = []
    for block in blocks:
        if block.kind is Kind.TOPIC:
            topics.append(unlabelled(block.text))
        elif block.kind is Kind.AUTHORS:
            authors.extend(split_authors(unlabelled(block.text)))
        elif block.kind is Kind.IDENTIFIER:
            ids.append(block.text)
    return topics, authors, ids[0] if ids else None


def _has_titles(groups: list[_Group]) -> bool:
    """Whether most papers of the page stand under a line that can only be a title."""
    rest = [g for g in groups if g.abstract]
    later = rest[1:]
    if later:
        return sum(_title_like(g, first=False) for g in later) > len(later) / 2
    return bool(rest) and _title_like(rest[0], first=True)


def _title_like(group: _Group, *, first: bool) -> bool:
    return any(
        b.kind is Kind.TITLE
        or (
            b.kind is Kind.SHORT
            and b.text.lower() not in AREAS
            and (len(b.text.split()) > 3 or not (first or _is_area(b)))
        )  # a site's name is short
        for b in group.before
    )


def _is_area(block: Block) -> bool:
    words = block.text.split()
    return len(words) <= _LONGEST_AREA_WORDS and block.text[-1] not in ".?!:"


def _areas(blocks: list[Block]) -> frozenset[str]:
    """The known areas and those that stand before a "·" elsewhere on the page."""
    found = {b.text.split("·")[0].strip().lower() for b in blocks if b.kind is Kind.TOPIC}
    return AREAS | frozenset(f for f in found if f)
