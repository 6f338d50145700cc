"""Drafts, changed orders and troubles on disk, and a library from before them."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

from sqlite_utils import Database

from data.store import digests, subscribing
from data.store.connection import Store
from data.store.digests import DigestFilter, SubscriptionOrder
from data.store.migrations import MIGRATIONS
from data.store.subscribing import TELLING, Draft, Trouble

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 6, 1, 8, tzinfo=UTC)
ORDER = SubscriptionOrder(
    channel_id=500,
    at=time(9, 30),
    zone="Asia/Kolkata",
    days=frozenset({0, 2}),
    filter=DigestFilter(("theory",), ("Bandits", "Graphs; large"), 'regret -"upper bound"'),
    maximum=7,
    quiet_line=False,
    in_thread=True,
)


async def test_a_library_from_before_threads_keeps_its_orders_and_knows_where_it_posted(
    tmp_path: Path,
) -> None:
    path = tmp_path / "library.db"
    old = Database(path)
    MIGRATIONS.apply(old, stop_before="m010_subscribing")
    old.execute(
        "INSERT INTO papers (id, root_id, title, title_derived, title_key, abstract, first_seen,"
        " changed) VALUES (1, 1, 'On Otters', 0, 'onotters', 'Short.',"
        " '2026-01-01T00:00:00+00:00', 1)"
    )
    old.execute(
        "INSERT INTO subscriptions (id, guild_id, channel_id, created_by, created_at, after_paper,"
        " local_time, zone, days, tags, topics, query, maximum, problem) VALUES (1, 100, 500, 1,"
        " '2026-01-01T00:00:00.000000+00:00', 0, '09:00', 'UTC', '[0]', '[]', '[]', '', 5, 'Shut.')"
    )
    for day, state, message in (("2026-01-05", "sent", 77), ("2026-01-12", "planned", None)):
        old.execute(
            "INSERT INTO slots (subscription_id, local_date, due_at, planned_at, state,"
            " after_paper, upto_paper, total, parts) VALUES (1, ?, '2026-01-05T09:00:00+00:00',"
            " '2026-01-05T09:00:00+00:00', ?, 0, 1, 1, 1)",
            [day, state],
        )
        old.execute(
            "INSERT INTO slot_parts (subscription_id, local_date, part, message_id)"
            " VALUES (1, ?, 0, ?)",
            [day, message],
        )
    old.execute(
        "INSERT INTO posted (subscription_id, paper_id, local_date, part, place, posted_at)"
        " VALUES (1, 1, '2026-01-05', 0, 0, '2026-01-05T09:00:01.000000+00:00')"
    )
    old.conn.commit()
    old.close()
    store = Store(path)
    await store.open()
    [kept] = await store.read(digests.subscriptions, 100)
    assert (kept.order.quiet_line, kept.order.in_thread) == (True, False)
    assert (kept.timed_at, kept.problem) == (kept.created_at, "Shut.")
    waiting = await store.read(digests.open_slot, 1)
    assert waiting is not None
    assert (waiting.channel_id, waiting.in_thread) == (None, False)
    moved = SubscriptionOrder(900, time(9), "UTC", frozenset({0}), DigestFilter(), 5)
    await store.write(subscribing.change_order, 100, 1, moved, now=NOW)
    [posting] = await store.read(digests.postings_of, 100, 1)
    assert (posting.channel_id, posting.message_id) == (500, 77)
    await store.close()


async def test_a_draft_is_read_as_it_was_written(store: Store) -> None:
    draft = Draft("key", 100, 1, None, ORDER, as_manager=False)
    await store.write(subscribing.keep_draft, draft, NOW)
    assert await store.read(subscribing.draft_of, 100, 1, "key") == draft
    number = await store.write(subscribing.save_draft, draft, now=NOW, after=3)
    assert await store.write(subscribing.save_draft, draft, now=NOW, after=4) == number
    [made] = await store.read(digests.subscriptions, 100)
    assert (made.order, made.after) == (ORDER, 3)


async def test_a_problem_is_told_by_one_at_a_time_until_somebody_heard_of_it(store: Store) -> None:
    number = await store.write(digests.add_subscription, 100, ORDER, created_by=1, now=NOW, after=0)
    assert await store.write(subscribing.claim_untold, 100, NOW) == []
    assert await store.write(subscribing.set_problem, number, "Shut.")
    assert not await store.write(subscribing.set_problem, number, "Shut.")
    trouble = Trouble(number, 100, 500, "Shut.")
    assert await store.write(subscribing.claim_untold, 100, NOW) == [trouble]
    assert await store.write(subscribing.claim_untold, 100, NOW) == []
    await store.write(subscribing.not_told, trouble)
    assert await store.write(subscribing.claim_untold, 100, NOW) == [trouble]
    # Who claimed it died before telling anybody.
    later = NOW + TELLING + timedelta(seconds=1)
    assert await store.write(subscribing.claim_untold, 100, later) == [trouble]
    await store.write(subscribing.told, trouble, later)
    assert not await store.read(subscribing.has_untold, 100)
    await store.write(subscribing.set_problem, number, "Gone.")
    await store.write(subscribing.told, trouble, later)
    assert await store.read(subscribing.has_untold, 100)
