"""What Discord takes of a layout, and papers of every kind to put into one."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING

from discord import ui
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from bot.triage.cards import LinkedPaper, PaperCard, PaperStory
from bot.triage.digest import Digest, DigestItem
from bot.triage.library import PaperView
from bot.triage.receipts import SourceCoverage
from bot.triage.search import Hit, SearchPage, SearchRequest
from bot.triage.voting import QueueItem, QueuePage
from data.index import Snippet
from data.records import AnnounceType, Identifiers, Paper, Sighting, TagJudgement
from data.store.corrections import Correction
from data.store.digests import (
    DigestFilter,
    Posting,
    Slot,
    SlotState,
    SourceReading,
    Subscription,
    SubscriptionOrder,
)
from data.store.servers import Member, QueueEntry, QueueEvent, QueueState

if TYPE_CHECKING:
    from collections.abc import Iterable

# Papers are large and layouts are built several times until they fit.
quickly = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

NOW = datetime(2026, 6, 2, 9, 0, tzinfo=UTC)


def refusals(view: ui.LayoutView) -> list[str]:
    """Everything for which Discord would refuse the layout."""
    items = list(view.walk_children())
    found: list[str] = []
    if len(items) > 40:
        found.append(f"{len(items)} components")
    texts = [item.content for item in items if isinstance(item, ui.TextDisplay)]
    characters = sum(len(text.encode("utf-16-le")) // 2 for text in texts)
    if characters > 4000:
        found.append(f"{characters} characters")
    found += ["an empty text" for text in texts if not text.strip()]
    plain = [getattr(item, "item", item) for item in items]
    ids = Counter(item.custom_id for item in plain if getattr(item, "custom_id", None))
    found += [f"id {name} twice" for name, times in ids.items() if times > 1]
    found += [f"id of {len(name)}" for name in ids if len(name) > 100]
    for item in plain:
        if isinstance(item, ui.Button):
            found += _between("label", item.label, 1, 80)
            found += ["address"] if item.url and len(item.url) > 512 else []
        if isinstance(item, ui.Select):
            found += [] if 1 <= len(item.options) <= 25 else [f"{len(item.options)} options"]
            values = Counter(option.value for option in item.options)
            found += [f"value {value} twice" for value, times in values.items() if times > 1]
            for option in item.options:
                found += _between("option", option.label, 1, 100)
                found += _between("description", option.description or "x", 1, 100)
        if isinstance(item, ui.ActionRow):
            width = sum(child.width for child in item.children)
            found += [] if item.children and width <= 5 else [f"a row of width {width}"]
    return found


def _between(what: str, text: str | None, least: int, most: int) -> list[str]:
    length = len((text or "").encode("utf-16-le")) // 2
    blank = not (text or "").strip()
    return [] if least <= length <= most and not blank else [f"{what} of {length}: {text!r}"]


def texts_of(view: ui.LayoutView) -> str:
    """All text of a layout."""
    return "\n".join(
        item.content for item in view.walk_children() if isinstance(item, ui.TextDisplay)
    )


# Long, blank, full of Markdown, of astral and of invisible characters, of lone surrogates.
anything = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        [
            "",
            " ",
            "\u200b",
            "*" * 2500,
            "\\" * 2500,
            "𝔘" * 2500,
            "[x](https://evil.example) " * 200,
            "https://example.org/" + "a_b" * 900,
            "word " * 600,
            "@everyone <@123> <#1> <t:1:R>",
            "# heading\n- item\n> quote\n1. one",
            "\ud800 lone",
            "```" * 700,
        ]
    ),
)
names = st.lists(anything, max_size=6).map(tuple)
many_names = st.one_of(names, st.just(tuple(f"Ada Byron {n}" for n in range(120))))
addresses = st.sampled_from(
    [
        None,
        "https://example.org/a b(c)",
        "javascript:alert(1)",
        "http://[",
        "https://e.org/" + "a" * 600,
    ]
)
members = st.builds(Member, st.integers(1, 9), anything)
judgements = st.one_of(
    st.none(),
    st.builds(
        TagJudgement,
        tag=st.sampled_from(["position", "theory", "methods", "unsure"]),
        secondary=st.sampled_from([None, "theory"]),
        probabilities=st.just({"position": 0.0, "theory": 1.0, "methods": 0.0}),
        reasons=st.lists(st.tuples(anything, st.sampled_from([1.0, -1.0, 0.0])), max_size=12).map(
            tuple
        ),
    ),
)


@st.composite
def papers(draw: st.DrawFn, number: int = 1) -> Paper:
    """A paper with any text in any place."""
    return Paper(
        id=number,
        title=draw(anything),
        title_derived=draw(st.booleans()),
        abstract=draw(anything),
        authors=draw(many_names),
        identifiers=Identifiers(
            arxiv=draw(st.sampled_from([None, "2606.00001"])),
            doi=draw(st.one_of(st.none(), anything)),
            url=draw(addresses),
        ),
        topics=draw(names),
        categories=draw(names),
        sources=draw(names),
        first_seen=NOW,
        venue=draw(st.one_of(st.none(), anything)),
        announced=draw(st.sampled_from([None, date(2026, 6, 2)])),
        withdrawn=draw(st.booleans()),
        judgement=draw(judgements),
    )


@st.composite
def views(draw: st.DrawFn, number: int = 1) -> PaperView:
    """A paper as some server sees it."""
    paper = draw(papers(number))
    corrected = draw(st.booleans())
    tag = "theory" if corrected else (paper.judgement.tag if paper.judgement else None)
    voters = draw(st.lists(members, max_size=5).map(tuple))
    return PaperView(paper, tag, corrected, voters)


@st.composite
def many_views(draw: st.DrawFn, most: int) -> list[PaperView]:
    """Up to `most` papers with different numbers."""
    return [draw(views(10**9 + number)) for number in range(draw(st.integers(0, most)))]


@st.composite
def search_pages(draw: st.DrawFn) -> SearchPage:
    """A page of results, or of none."""
    found = draw(many_views(5))
    passage = draw(anything)
    spans = tuple((start, start + 3) for start in range(0, min(len(passage), 60), 7))
    return SearchPage(
        request=SearchRequest(query=draw(anything)),
        key=draw(st.sampled_from(["", "0123456789ab"])),
        read_as=draw(anything),
        notes=draw(names),
        suggestions=draw(names),
        total=len(found),
        page=draw(st.sampled_from([0, 2])),
        pages=3,
        hits=tuple(Hit(view, 1.0, Snippet(passage, spans)) for view in found),
    )


entries = st.builds(
    QueueEntry,
    paper_id=st.just(1),
    state=st.sampled_from(QueueState),
    reader=st.one_of(st.none(), members),
    queued_at=st.just(NOW),
    changed_at=st.just(NOW),
    voters=st.lists(members, max_size=5).map(tuple),
)


@st.composite
def queue_pages(draw: st.DrawFn) -> QueuePage:
    """A page of the queue."""
    found = draw(many_views(5))
    return QueuePage(
        items=tuple(QueueItem(draw(entries), view) for view in found),
        counts=dict.fromkeys(QueueState, 3),
        page=1,
        pages=3,
        now=NOW,
    )


@st.composite
def stories(draw: st.DrawFn) -> PaperStory:
    """A paper with a long history."""
    sighting = Sighting(
        paper_id=1,
        source=draw(anything),
        listing=draw(anything),
        position=draw(anything),
        fetched=NOW,
        announced=date(2026, 6, 2),
        version=2,
        announce_type=AnnounceType.NEW,
    )
    member = draw(members)
    times = draw(st.sampled_from([0, 1, 60]))
    card = PaperCard(
        view=draw(views()),
        entry=draw(st.one_of(st.none(), entries)),
        corrections=(
            Correction(member, "theory", "methods", NOW),
            Correction(Member(77, draw(anything)), "position", "theory", NOW),
        )
        * times,
        sightings=(sighting,) * times,
        postings=(Posting(1, 10**18, date(2026, 6, 2), 10**18, NOW),) * times,
        now=NOW,
        linked=(LinkedPaper(draw(views()).paper, draw(anything), NOW),) * min(times, 5),
    )
    return PaperStory(card, (QueueEvent(member, "claimed", NOW),) * times)


def subscription(**changes: object) -> Subscription:
    """A standing order for every morning."""
    wanted = DigestFilter(
        tags=("theory",),
        topics=(str(changes.get("topic", "")),),
        query=str(changes.get("query", "")),
    )
    return Subscription(
        id=10**6,
        guild_id=1,
        order=SubscriptionOrder(
            channel_id=10**18,
            at=time(9, 0),
            zone="America/Argentina/Buenos_Aires",
            days=frozenset(range(5)),
            filter=wanted,
            maximum=18,
        ),
        created_by=1,
        created_at=NOW,
        after=0,
        paused=bool(changes.get("paused", False)),
        problem=str(changes["problem"]) if "problem" in changes else None,
    )


def digest_of(
    found: Iterable[PaperView], *, claim: str = "", total: int | None = None, text: str = ""
) -> Digest:
    """A digest of these papers."""
    items = tuple(DigestItem(view, claim) for view in found)
    return Digest(
        subscription=subscription(query=text, topic=text),
        slot=Slot(
            subscription_id=10**6,
            local_date=date(2026, 6, 2),
            due_at=NOW,
            planned_at=NOW,
            state=SlotState.PLANNED,
            after=0,
            upto=99,
            total=len(items) if total is None else total,
            parts=1,
        ),
        items=items,
        days=(date(2026, 5, 30), date(2026, 6, 2)),
        counts=dict(Counter(item.view.tag or "unsure" for item in items)),
        coverage=tuple(
            SourceCoverage(SourceReading(text or "arXiv", NOW, date(2026, 6, 2), 214, 143), 143, 22)
            for _ in range(9)
        ),
    )
