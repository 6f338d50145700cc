"""The store's owner: one thread, whole transactions, an orderly end."""

from __future__ import annotations

import asyncio
import sqlite3
from typing import TYPE_CHECKING

import pytest
from sqlite_utils import Database

from data.store.connection import Store, StoreError
from data.store.meta import recall, remember
from data.store.migrations import MIGRATIONS
from data.store.sql import execute, rows

if TYPE_CHECKING:
    from pathlib import Path


async def test_a_write_is_on_disk_when_it_returns(store: Store) -> None:
    await store.write(remember, "colour", "blue")
    other = sqlite3.connect(store.path)
    assert other.execute("SELECT value FROM meta WHERE key = 'colour'").fetchone() == ("blue",)
    other.close()


async def test_a_write_that_fails_leaves_nothing_behind(store: Store) -> None:
    def half(db: Database) -> None:
        remember(db, "colour", "red")
        raise RuntimeError("the process was unlucky")

    with pytest.raises(RuntimeError):
        await store.write(half)
    assert await store.read(recall, "colour") is None


async def test_closing_waits_for_what_was_asked_and_may_come_twice(tmp_path: Path) -> None:
    store = Store(tmp_path / "library.db")
    await store.open()
    writes = [asyncio.ensure_future(store.write(remember, str(n), "x")) for n in range(20)]
    await asyncio.sleep(0)
    await store.close()
    await store.close()
    await asyncio.gather(*writes)
    other = sqlite3.connect(tmp_path / "library.db")
    assert other.execute("SELECT count(*) FROM meta WHERE value = 'x'").fetchone() == (20,)
    other.close()


async def test_a_cancelled_caller_does_not_tear_its_write(store: Store) -> None:
    task = asyncio.create_task(store.write(remember, "kept", "yes"))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await store.read(recall, "kept") == "yes"


async def test_after_closing_the_answer_is_a_sentence(tmp_path: Path) -> None:
    store = Store(tmp_path / "library.db")
    await store.open()
    await store.close()
    with pytest.raises(StoreError, match="closed"):
        await store.read(recall, "anything")


async def test_foreign_keys_and_wal_are_on(store: Store) -> None:
    assert (await store.read(lambda db: rows(db, "PRAGMA foreign_keys")))[0]["foreign_keys"] == 1
    mode = await store.read(lambda db: rows(db, "PRAGMA journal_mode"))
    assert mode[0]["journal_mode"] == "wal"
    with pytest.raises(sqlite3.IntegrityError):
        await store.write(
            lambda db: execute(db, "INSERT INTO topics (paper_id, topic) VALUES (99, 'x')")
        )


async def test_two_processes_write_in_turn(store: Store, tmp_path: Path) -> None:
    other = Store(tmp_path / "library.db")
    await other.open()
    try:
        await asyncio.gather(
            *(store.write(remember, f"a{n}", "x") for n in range(25)),
            *(other.write(remember, f"b{n}", "x") for n in range(25)),
        )
        count = await store.read(
            lambda db: rows(db, "SELECT count(*) AS n FROM meta WHERE value = 'x'")[0]["n"]
        )
        assert count == 50
    finally:
        await other.close()


async def test_a_file_that_is_no_database_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    path.write_bytes(b"this is a shopping list, not a database" * 100)
    store = Store(path)
    with pytest.raises(StoreError, match=r"Restore a backup|cannot be opened"):
        await store.open()
    await store.close()
    assert path.read_bytes().startswith(b"this is a shopping list")


async def test_a_library_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    store = Store(tmp_path / "library.db")
    await store.open()
    await store.write(
        lambda db: execute(
            db,
            "INSERT INTO _sqlite_migrations (migration_set, name, applied_at)"
            " VALUES ('papertriage', 'm999_later', 'then')",
        )
    )
    await store.close()
    with pytest.raises(StoreError, match="newer papertriage"):
        await Store(tmp_path / "library.db").open()


@pytest.mark.parametrize("stop", ["m002_servers", "m003_digests"])
async def test_a_library_of_each_schema_before_is_brought_up_with_its_papers(
    tmp_path: Path, stop: str
) -> None:
    path = tmp_path / "library.db"
    old = Database(path)
    MIGRATIONS.apply(old, stop_before=stop)
    old.execute(
        "INSERT INTO papers (title, title_derived, title_key, abstract, first_seen, changed)"
        " VALUES ('An old paper', 0, 'an old paper', 'Text.', '2026-01-01T00:00:00+00:00', 1)"
    )
    old.conn.commit()
    old.close()
    store = Store(path)
    await store.open()
    found = await store.read(lambda db: rows(db, "SELECT title FROM papers"))
    tables = await store.read(lambda db: set(db.table_names()))
    await store.close()
    assert found == [{"title": "An old paper"}]
    assert {"votes", "subscriptions", "posted"} <= tables


async def test_a_full_disk_is_told_in_a_sentence_and_what_was_stored_is_kept(
    tmp_path: Path,
) -> None:
    store = Store(tmp_path / "library.db")
    await store.open()
    try:
        await store.write(lambda db: db.execute("CREATE TABLE teas (name TEXT)"))
        await store.write(lambda db: db.execute("INSERT INTO teas VALUES ('green')"))
        await store.read(lambda db: db.execute("PRAGMA max_page_count = 1").fetchall())
        with pytest.raises(StoreError, match="the disk is full"):
            await store.write(
                lambda db: db.execute("INSERT INTO teas VALUES (?)", ["black" * 100_000])
            )
        found = await store.read(lambda db: db.execute("SELECT name FROM teas").fetchall())
        assert found == [("green",)]
    finally:
        await store.close()
