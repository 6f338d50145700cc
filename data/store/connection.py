"""The one owner of the database: an executor thread, behind async methods.

A sqlite-utils `Database` belongs to the thread that made it, so one worker thread makes it, uses
it and closes it; everybody else awaits `Store.read` and `Store.write`.
"""

from __future__ import annotations

import asyncio
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Concatenate, Final, ParamSpec, TypeVar

from sqlite_utils import Database

from data.store.migrations import MIGRATIONS
from data.store.sql import execute

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable
    from pathlib import Path

P = ParamSpec("P")
T = TypeVar("T")

BUSY_TIMEOUT_MS: Final = 10_000
CHECKPOINT_PAGES: Final = 8_000
CACHE_KIB: Final = 32 << 10
"""Pages kept in memory: SQLite's own 2 MB are too few for a large listing's keys."""
KNOWN_MIGRATIONS: Final = frozenset(
    migration.name for migration in MIGRATIONS.pending(Database(memory=True))
)


class StoreError(Exception):
    """The library's file cannot be used; the text says why and what to do."""


class Store:
    """The library's database at `path`, migrated and ready after `await open()`.

    `read` and `write` run a function on the owning thread, in the order they were called;
    `write` wraps it in one transaction that commits before it returns and rolls back on any
    error. `close` waits for what was asked before it, and may be called twice.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store")
        self._db: Database | None = None
        self._closing = False

    async def open(self) -> None:
        """Opens the file, makes it where it is missing, and applies pending migrations.

        Raises StoreError where the file is no library or cannot be written.
        """
        await self._submit(self._open)

    async def read(
        self, action: Callable[Concatenate[Database, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Runs `action(db, …)` on the owning thread and returns what it returns."""
        return await self._submit(lambda: action(self._ready(), *args, **kwargs))

    async def write(
        self, action: Callable[Concatenate[Database, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Runs `action(db, …)` in one transaction; what it changed is on disk on return.

        Raises StoreError where the disk is full; nothing of the transaction is kept then.
        """

        def transaction() -> T:
            db = self._ready()
            try:
                with writing(db):
                    return action(db, *args, **kwargs)
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_FULL:
                    raise
                raise StoreError(
                    "Nothing more can be written to the library: the disk is full. Make room and "
                    "try again; what was stored so far is kept."
                ) from error

        return await self._submit(transaction)

    async def close(self) -> None:
        """Finishes what was asked for, then closes the file. A second call does nothing."""
        if self._closing:
            return
        self._closing = True
        loop = asyncio.get_running_loop()
        await asyncio.shield(loop.run_in_executor(self._executor, self._close))
        self._executor.shutdown(wait=True)

    def _submit(self, call: Callable[[], T]) -> asyncio.Future[T]:
        if self._closing:
            raise StoreError("The library is closed; start papertriage again to use it.")
        # Shielded: a caller that is cancelled stops waiting, but what it asked for still happens
        # whole, in its place in the queue.
        loop = asyncio.get_running_loop()
        return asyncio.shield(loop.run_in_executor(self._executor, call))

    def _ready(self) -> Database:
        if self._db is None:
            raise StoreError("The library is not open yet; call open() first.")
        return self._db

    def _open(self) -> None:
        if self._db is not None:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            db = open_database(self.path)
        except OSError as error:
            raise StoreError(
                f"Cannot make {self.path}: {error.strerror or error}. "
                "Set PAPERTRIAGE_HOME to a folder that can be written."
            ) from error
        except sqlite3.DatabaseError as error:
            raise StoreError(
                f"{self.path} cannot be opened as a library ({error}). Restore a backup with "
                "'papertriage restore FILE', or set PAPERTRIAGE_HOME to another folder."
            ) from error
        self._db = db

    def _close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None


def open_database(path: Path) -> Database:
    """A migrated connection with WAL, foreign keys and full durability; for one thread.

    Raises sqlite3.DatabaseError where the file is no database, StoreError where it is too new.
    """
    db = Database(path)
    execute(db, f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    execute(db, "PRAGMA journal_mode = WAL")
    # FULL: a commit that was answered survives a power cut, not only a killed process.
    execute(db, "PRAGMA synchronous = FULL")
    execute(db, "PRAGMA foreign_keys = ON")
    execute(db, f"PRAGMA cache_size = -{CACHE_KIB}")
    # A large listing changes the same pages of keys in each batch: write them back less often.
    execute(db, f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
    with writing(db):
        unknown = unknown_migrations(done.name for done in MIGRATIONS.applied(db))
        if unknown:
            raise StoreError(
                f"{path} was written by a newer papertriage ({', '.join(unknown)}). "
                "Install that version or a later one."
            )
        if MIGRATIONS.pending(db):
            MIGRATIONS.apply(db)
    return db


def unknown_migrations(applied: Iterable[str]) -> list[str]:
    """Those of a library's migrations that only a newer papertriage knows."""
    return sorted(set(applied) - KNOWN_MIGRATIONS)


@contextmanager
def writing(db: Database) -> Generator[None]:
    """One transaction that takes the write lock at once.

    A plain BEGIN would take it at the first write, and fail without waiting where another
    process wrote since this one read.
    """
    execute(db, "BEGIN IMMEDIATE")
    try:
        yield
        db.commit()
    finally:
        db.rollback()  # does nothing after the commit


def to_text(moment: datetime) -> str:
    """An aware datetime as the store writes it: ISO 8601 in UTC, sortable as text."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def to_moment(text: str) -> datetime:
    """The aware UTC datetime that `to_text` wrote."""
    return datetime.fromisoformat(text)
