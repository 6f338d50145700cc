"""The ledger's schema: a library from before keeps its slots, and what they covered."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from sqlite_utils import Database

from data.store import digests, ledger, news
from data.store.connection import Store
from data.store.migrations import MIGRATIONS

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 6, 3, 9, tzinfo=UTC)


def filled(path: Path) -> None:
    """A library of the schema before, with two papers, a learnt one, and two slots."""
    old = Database(path)
    MIGRATIONS.apply(old, stop_before="m009_promise")
    papers = "INSERT INTO papers (title, title_derived, title_key, abstract, first_seen, changed,"
    papers += " root_id, news) VALUES (?, 0, ?, 'Text.', '2026-06-01T00:00:00+00:00', ?, ?, ?)"
    for number, news_number in ((1, None), (2, None), (3, 7)):
        old.execute(papers, [f"Paper {number}", f"paper {number}", number, number, news_number])
        old.execute(
            "INSERT INTO sightings (paper_id, source, listing, position, fetched, announce_type,"
            " digest) VALUES (?, 'feed', 'f', 'p', ?, 'new', ?)",
            [number, f"2026-06-0{number}T08:00:00.000000+00:00", f"d{number}"],
        )
    old.execute(
        "INSERT INTO subscriptions (guild_id, channel_id, created_by, created_at, after_paper,"
        " local_time, zone, days, tags, topics, query, maximum) VALUES (1, 2, 3,"
        " '2026-05-01T00:00:00.000000+00:00', 0, '09:00', 'UTC', '[0, 1, 2, 3, 4]', '[]', '[]',"
        " '', 18)"
    )
    for day, upto in (("2026-06-01", 1), ("2026-06-02", 2)):
        old.execute(
            "INSERT INTO slots (subscription_id, local_date, due_at, planned_at, state,"
            " after_paper, upto_paper, total, parts) VALUES (1, ?, ?, ?, 'sent', ?, ?, 1, 1)",
            [day, f"{day}T09:00:00.000000+00:00", f"{day}T09:00:01.000000+00:00", upto - 1, upto],
        )
        old.execute(
            "INSERT INTO posted (subscription_id, paper_id, local_date, part, place)"
            " VALUES (1, ?, ?, 0, 0)",
            [upto, day],
        )
    old.conn.commit()
    old.close()


async def test_a_library_of_the_schema_before_keeps_its_slots_in_their_order(
    tmp_path: Path,
) -> None:
    path = tmp_path / "library.db"
    filled(path)
    store = Store(path)
    await store.open()
    last = await store.read(digests.last_sent_slot, 1)
    assert last is not None
    assert (last.local_date, last.number, last.upto, last.upto_sighting) == (
        date(2026, 6, 2), 2, 2, 2,
    )  # fmt: skip
    # What was posted stays posted, and a number of news that was promised stays ahead.
    assert await store.read(ledger.last_paper) == 7
    assert await store.read(ledger.unposted, 1, after=0, upto=7) == [3]
    assert await store.read(ledger.unposted, 1, after=last.upto, upto=7) == [3]
    assert await store.write(news.renew, 1) == 8
    assert await store.read(ledger.unposted, 2, after=7, upto=8) == [1]
    await store.close()


async def test_a_slot_of_which_a_message_stands_is_not_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    filled(path)
    store = Store(path)
    await store.open()
    slot = digests.Slot(
        1, date(2026, 6, 3), NOW, NOW, digests.SlotState.PLANNED, after=2, upto=7, total=1, parts=1
    )
    assert await store.write(ledger.plan_slot, slot, [[3]])
    assert not await store.write(ledger.plan_slot, slot, [[3]]), "it was there already"
    assert await store.read(ledger.unposted, 1, after=2, upto=7) == []
    assert await store.write(ledger.unplan_slot, slot)
    assert await store.read(digests.slot_of, 1, slot.local_date) is None
    assert await store.read(ledger.unposted, 1, after=2, upto=7) == [3]
    assert await store.write(ledger.plan_slot, slot, [[3]])
    await store.write(digests.mark_part, slot, 0, (500, 99), NOW)
    assert not await store.write(ledger.unplan_slot, slot)
    assert await store.read(digests.slot_of, 1, slot.local_date) is not None
    await store.close()
