"""What the store keeps of standing sources, and which papers are news."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

from sqlite_utils import Database

from data.records import AnnounceType, Identifiers, PaperRecord
from data.sources import Kind, Memory, Outcome, Page, Validators
from data.store import ledger, sources
from data.store.connection import Store
from data.store.migrations import MIGRATIONS
from data.store.recording import Provenance
from data.store.sources import PartOutcome

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from data.store.sources import StandingSource

NOW = datetime(2026, 6, 1, 8, tzinfo=UTC)
FEED = Provenance("feed", "feed.xml", NOW)
OTHER = Provenance("other", "other.xml", NOW)


def record(number: int, **changes: object) -> PaperRecord:
    made = PaperRecord(
        position=f"entry {number}",
        title=f"Study {number}",
        identifiers=Identifiers(arxiv=f"2606.{number:05}"),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


async def put(
    store: Store, records: Sequence[PaperRecord], origin: Provenance = FEED, *, quiet: bool = False
) -> dict[str, int]:
    return dict(await store.write(sources.store_batch, records, origin, quiet=quiet))


async def news(store: Store, after: int, upto: int) -> list[int]:
    return await store.read(ledger.unposted, 0, after=after, upto=upto)


async def added(store: Store, name: str = "arXiv cs.LG", spec: str = "cs.LG") -> StandingSource:
    return await store.write(
        sources.add_source, name=name, kind=Kind.ARXIV, spec=spec, by="ada", now=NOW
    )


def outcome(**changes: object) -> PartOutcome:
    made = PartOutcome(
        source="arXiv cs.LG",
        part="cs.LG",
        channel="cs.LG",
        outcome=Outcome.UNCHANGED,
        sentence="The same.",
        first_at=NOW,
        last_at=NOW,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


async def test_a_library_of_the_schema_before_keeps_its_papers_as_news(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    old = Database(path)
    MIGRATIONS.apply(old, stop_before="m005_sources")
    old.execute(
        "INSERT INTO papers (title, title_derived, title_key, abstract, first_seen, changed,"
        " root_id) VALUES ('An old paper', 0, 'an old paper', 'Text.',"
        " '2026-01-01T00:00:00+00:00', 1, 1)"
    )
    old.conn.commit()
    old.close()
    store = Store(path)
    await store.open()
    assert await news(store, 0, 1) == [1]
    assert await store.read(sources.standing_sources) == []
    await store.close()


async def test_what_is_learnt_quietly_is_no_news_and_the_rest_is(store: Store) -> None:
    assert await put(store, [record(1), record(2)], quiet=True) == {"new": 2}
    assert await put(store, [record(2), record(3)]) == {"unchanged": 1, "new": 1}
    assert await news(store, 0, 3) == [3]


async def test_a_paper_that_was_news_stays_so_when_a_source_is_learnt(store: Store) -> None:
    await put(store, [record(1)])
    await put(store, [record(1), record(2)], OTHER, quiet=True)
    assert await news(store, 0, 2) == [1]


async def test_another_source_makes_a_learnt_paper_news_in_the_window_that_is_open(
    store: Store,
) -> None:
    await put(store, [record(1), record(2)], quiet=True)
    await put(store, [record(1), record(3)], OTHER)
    assert await news(store, 0, 2) == []
    assert await news(store, 2, 4) == [1, 3]


async def test_a_learnt_paper_is_news_at_once_though_no_other_paper_comes(store: Store) -> None:
    await put(store, [record(1)], quiet=True)
    await put(store, [record(1)], OTHER)
    assert await news(store, 0, 1) == []
    assert await store.read(ledger.last_paper) == 2
    assert await news(store, 1, 2) == [1]


async def test_a_replacement_makes_no_learnt_paper_news(store: Store) -> None:
    await put(store, [record(1)], quiet=True)
    revised = record(1, version=2, announce_type=AnnounceType.REPLACEMENT)
    await put(store, [revised, record(2)], OTHER)
    assert await news(store, 0, 2) == [2]


async def test_the_same_source_makes_a_learnt_paper_news_by_announcing_it(store: Store) -> None:
    await put(store, [record(1), record(2, announced=date(2026, 6, 1))], quiet=True)
    again = [record(n, announced=date(2026, 6, 2)) for n in (1, 2, 3)]
    await put(store, again)
    assert await news(store, 2, 4) == [1, 3]
    changed = record(4, comment="8 pages")
    await put(store, [record(4)], quiet=True)
    await put(store, [changed, record(5)])
    assert await news(store, 4, 6) == [6], "a source without dates only said more of it"


async def handed(store: Store, records: Sequence[PaperRecord], origin: Provenance = OTHER) -> None:
    await store.write(sources.store_handed, records, origin)


async def test_a_paper_that_a_person_hands_in_is_news_though_a_source_had_learnt_it(
    store: Store,
) -> None:
    await put(store, [record(1), record(2), record(3)], quiet=True)
    await handed(store, [record(1), record(4)])
    assert await news(store, 0, 3) == []
    assert await news(store, 3, 5) == [1, 4]
    await handed(store, [record(2)], FEED)
    assert await news(store, 5, 5) == [], "a slot that ends here is planned already"
    assert await news(store, 5, 6) == [2]


async def test_handing_in_a_replacement_or_the_same_again_makes_no_news(store: Store) -> None:
    await put(store, [record(1), record(2)], quiet=True)
    await handed(store, [record(1, version=2, announce_type=AnnounceType.REPLACEMENT)])
    await handed(store, [record(2)])
    await put(store, [record(3)])
    assert await news(store, 0, 4) == [2, 4]
    await handed(store, [record(2)])
    await put(store, [record(4)])
    assert await news(store, 4, 5) == [5]


async def test_what_is_remembered_of_a_part_comes_back_as_it_was(store: Store) -> None:
    source = await added(store)
    memory = Memory(
        day=date(2026, 6, 1),
        count=7,
        batch="abc",
        built=date(2026, 6, 2),
        ahead=timedelta(hours=-4),
        skipped=frozenset({5, 6}),
        validators=Validators('"tag"', "Mon, 01 Jun 2026 04:00:00 GMT"),
        shrunk=1,
        read=NOW,
    )
    await store.write(sources.remember, source.id, "cs.LG", Memory())
    await store.write(sources.remember, source.id, "stat.ML", memory)
    assert await store.read(sources.memories, source.id) == {"cs.LG": Memory(), "stat.ML": memory}


async def test_the_same_outcome_again_lengthens_the_one_before(store: Store) -> None:
    source = await added(store)
    later = NOW + timedelta(minutes=30)
    await store.write(sources.note_outcome, source.id, outcome())
    await store.write(sources.note_outcome, source.id, outcome(first_at=later, last_at=later))
    await store.write(sources.note_outcome, source.id, outcome(outcome=Outcome.STALE))
    found = await store.read(sources.outcomes, since=NOW)
    assert [(one.outcome, one.times, one.first_at, one.last_at) for one in found] == [
        (Outcome.UNCHANGED, 2, NOW, later),
        (Outcome.STALE, 1, NOW, NOW),
    ]


async def test_new_papers_always_have_an_outcome_of_their_own(store: Store) -> None:
    source = await added(store)
    brought = outcome(outcome=Outcome.ANNOUNCED, new=1)
    await store.write(sources.note_outcome, source.id, brought)
    await store.write(sources.note_outcome, source.id, brought)
    assert len(await store.read(sources.outcomes, since=NOW)) == 2


async def test_raw_answers_are_kept_for_some_days_and_each_once(store: Store) -> None:
    source = await added(store)
    pages = (Page("http://a.example/1", b"one"), Page("http://a.example/2", b"two"))
    for days in (0, 1):
        await store.write(
            sources.keep_answer,
            source.id,
            "cs.LG",
            pages,
            day=date(2026, 6, 1),
            now=NOW + timedelta(days=days),
        )
    (kept,) = await store.read(sources.kept_answers, source.id)
    assert (kept.pages, kept.day) == (pages, date(2026, 6, 1))
    await store.write(sources.prune, now=NOW + timedelta(days=5, hours=1))
    assert len(await store.read(sources.kept_answers, source.id)) == 1
    await store.write(sources.prune, now=NOW + timedelta(days=7))
    assert await store.read(sources.kept_answers, source.id) == []


async def test_removing_a_source_frees_its_name_and_its_spec(store: Store) -> None:
    first = await added(store)
    await store.write(sources.note_outcome, first.id, outcome())
    await store.write(sources.remove_source, first.id, now=NOW)
    second = await added(store)
    assert [one.id for one in await store.read(sources.standing_sources)] == [second.id]
    assert await store.read(sources.latest_outcomes, second.id) == []
    assert len(await store.read(sources.outcomes, since=NOW)) == 1
