"""What a server's interest is learnt from, and weekly notes that come once."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from sqlite_utils import Database

from data.store import interests, ledger
from data.store.connection import Store
from data.store.digests import Slot, SlotState
from data.store.migrations import MIGRATIONS
from data.store.sql import execute, rows

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import HandClock

PAPER = (
    "INSERT INTO papers (title, title_derived, title_key, abstract, first_seen, changed, root_id,"
    " categories) VALUES (?, ?, 'key', 'Text.', '2026-05-20T00:00:00+00:00', 1, ?, '[\"cs.LG\"]')"
)

SUBSCRIPTION = (
    "INSERT INTO subscriptions (guild_id, channel_id, created_by, created_at, after_paper,"
    " local_time, zone, days, tags, topics, query, maximum) VALUES (1, 2, 3,"
    " '2026-05-01T00:00:00+00:00', 0, '09:00', 'UTC', '[0]', '[]', '[]', '', 18)"
)
SLOT = (
    "INSERT INTO slots (subscription_id, local_date, due_at, planned_at, state, after_paper,"
    " upto_paper, total, parts) VALUES (1, '2026-05-20', '2026-05-20T09:00:00+00:00',"
    " '2026-05-20T09:00:01+00:00', 'sent', 0, 1, 1, 1)"
)


async def test_a_note_is_planned_until_it_is_settled_once_for_each_server(
    store: Store, clock: HandClock
) -> None:
    planned_at = clock.now()
    new = interests.PlannedNote(5, planned_at, begun=False)
    assert await store.write(interests.plan_note, 1, "2026-W23", 5, planned_at) == new
    clock.advance(minutes=1)
    again = await store.write(interests.plan_note, 1, "2026-W23", 6, clock.now())
    assert again == interests.PlannedNote(5, planned_at, begun=True)
    await store.write(interests.settle_note, 1, "2026-W23", clock.now())
    plans = [
        await store.write(interests.plan_note, server, week, 5, clock.now())
        for server, week in ((1, "2026-W23"), (2, "2026-W23"), (1, "2026-W24"))
    ]
    assert [plan is not None for plan in plans] == [False, True, True]


async def test_a_derived_title_teaches_nothing_and_fields_come_along(store: Store) -> None:
    await store.write(execute, PAPER, ["A title", 0, 1])
    await store.write(execute, PAPER, ["A heading of ours", 1, 2])
    found = await store.read(interests.known_texts, [1, 2, 3])
    assert [(known.paper_id, known.title) for known in found] == [(1, "A title"), (2, "")]
    assert found[0].fields == ("cs.LG",)
    assert await store.read(interests.newest, 1) == [2]


async def test_only_votes_since_the_moment_count_and_only_those_that_stand(
    store: Store, clock: HandClock
) -> None:
    for number in (1, 2, 3):
        await store.write(execute, PAPER, [f"Paper {number}", 0, number])
    vote = "INSERT INTO votes (guild_id, paper_id, user_id, active, changed_at) VALUES (?,?,1,?,?)"
    long_ago = "2026-05-01T00:00:00.000000+00:00"
    today = "2026-06-01T07:00:00.000000+00:00"
    for values in ((9, 1, 1, today), (9, 2, 1, long_ago), (9, 3, 0, today), (8, 3, 1, today)):
        await store.write(execute, vote, values)
    since = clock.now() - timedelta(days=7)
    assert await store.read(interests.voted_between, 9, since, clock.now()) == [1]
    assert await store.read(interests.voted_between, 9, since, since) == []


async def test_a_library_of_the_schema_before_keeps_its_votes(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    old = Database(path)
    MIGRATIONS.apply(old, stop_before="m011_hindsights")
    execute(old, PAPER, ["An old paper", 0, 1])
    execute(old, "INSERT INTO votes VALUES (1, 1, 5, 1, '2026-05-20T00:00:00+00:00')")
    execute(old, SUBSCRIPTION)
    execute(old, SLOT)
    old.conn.commit()
    old.close()
    store = Store(path)
    await store.open()
    assert await store.read(rows, "SELECT count(*) AS n FROM votes") == [{"n": 1}]
    assert await store.read(rows, "SELECT * FROM hindsights") == []
    assert await store.read(rows, "SELECT learnt_from FROM slots") == [{"learnt_from": None}]
    await store.close()


async def test_a_week_that_was_claimed_at_the_schema_before_gets_no_second_note(
    tmp_path: Path, clock: HandClock
) -> None:
    path = tmp_path / "library.db"
    old = Database(path)
    MIGRATIONS.apply(old, stop_before="m012_weekly_notes")
    execute(old, "INSERT INTO hindsights VALUES (1, '2026-W22', '2026-05-25T09:00:00+00:00')")
    old.conn.commit()
    old.close()
    store = Store(path)
    await store.open()
    for week, planned in (("2026-W22", False), ("2026-W23", True)):
        plan = await store.write(interests.plan_note, 1, week, 5, clock.now())
        assert (plan is not None) is planned, week
    await store.close()


@pytest.mark.parametrize("before", ["m012_weekly_notes", "m013_learnt_orders"])
@pytest.mark.parametrize("without", [True, False])
async def test_a_library_whose_slots_knew_nothing_of_what_was_learnt_can_be_planned_in(
    tmp_path: Path, clock: HandClock, before: str, *, without: bool
) -> None:
    """m011 had run in some libraries when it got the column `learnt_from`."""
    path = tmp_path / "library.db"
    old = Database(path)
    MIGRATIONS.apply(old, stop_before=before)
    execute(old, SUBSCRIPTION)
    execute(old, SLOT)
    if without:
        execute(old, "ALTER TABLE slots DROP COLUMN learnt_from")
    old.conn.commit()
    old.close()
    store = Store(path)
    await store.open()
    now = clock.now()
    slot = Slot(1, now.date(), now, now, SlotState.PLANNED, 1, 1, 0, 1, learnt_from=7)
    assert await store.write(ledger.plan_slot, slot, [[]])
    found = await store.read(rows, "SELECT learnt_from FROM slots ORDER BY local_date")
    assert [row["learnt_from"] for row in found] == [None, 7]
    await store.close()
