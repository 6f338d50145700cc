"""Looking after an installation: checking it, copying its library, putting a copy back."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bot.triage.errors import Refused
from data.index import SearchIndex
from data.store.connection import StoreError, open_database, unknown_migrations, writing
from data.store.migrations import new_library_id
from data.store.sql import execute, rows

if TYPE_CHECKING:
    from pathlib import Path

    from bot.triage.models import Models


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: whether it is good, and a sentence about it."""

    name: str
    good: bool
    sentence: str


def check_installation(library: Path, index: Path, models: Models) -> list[Check]:
    """Looks at the library, the index and the tagger, and never changes any of them."""
    return [_check_library(library), _check_index(library, index), _check_model(models)]


def _check_library(path: Path) -> Check:
    if not path.exists():
        return Check(
            "library", good=True, sentence=f"There is no library yet; {path} is made at first use."
        )
    try:
        with closing(_read_only(path)) as connection:
            result = str(connection.execute("PRAGMA quick_check").fetchone()[0])
            broken = connection.execute("PRAGMA foreign_key_check").fetchall()
            papers = connection.execute(
                "SELECT count(*) FROM papers WHERE merged_into IS NULL"
            ).fetchone()[0]
            newer = unknown_migrations(
                row[0] for row in connection.execute("SELECT name FROM _sqlite_migrations")
            )
    except sqlite3.DatabaseError as error:
        return Check(
            "library", good=False, sentence=f"{path} cannot be read ({error}); restore a backup."
        )
    if result != "ok" or broken:
        return Check(
            "library", good=False, sentence=f"{path} is damaged ({result}); restore a backup."
        )
    if newer:
        return Check(
            "library",
            good=False,
            sentence=f"{path} was written by a newer papertriage ({', '.join(newer)}); install "
            "that version or a later one.",
        )
    return Check("library", good=True, sentence=f"{path} is sound and holds {papers} papers.")


def _check_index(library: Path, folder: Path) -> Check:
    if not library.exists():
        return Check("index", good=True, sentence="There is nothing to index yet.")
    try:
        index = SearchIndex(folder)
    except OSError as error:
        return Check(
            "index",
            good=False,
            sentence=f"{folder} cannot be opened ({error.strerror}); move aside what stands there.",
        )
    try:
        with closing(_read_only(library)) as connection:
            name = connection.execute("SELECT value FROM meta WHERE key='library_id'").fetchone()[0]
            newest = connection.execute("SELECT coalesce(max(changed), 0) FROM papers").fetchone()
    except (sqlite3.DatabaseError, TypeError):
        return Check(
            "index",
            good=False,
            sentence="The library cannot be read, so the index cannot be checked.",
        )
    if index.stamp == f"{name}:{newest[0]}":
        return Check(
            "index",
            good=True,
            sentence=f"The index is level with the library ({len(index)} papers).",
        )
    return Check(
        "index",
        good=True,
        sentence="The index is behind the library and catches up at the next use.",
    )


def _check_model(models: Models) -> Check:
    from classifiers import ModelRefused

    try:
        card = models.load().card
    except ModelRefused as error:
        return Check("tagger", good=False, sentence=str(error))
    if models.trouble is not None:
        return Check("tagger", good=False, sentence=f"{models.trouble} {card.model_id} tags now.")
    learnt = " and learnt corrections" if models.retrained else ""
    held = (
        "" if models.held() is None else " A retrained one is held; see 'papertriage train --help'."
    )
    return Check(
        "tagger",
        good=True,
        sentence=f"The tagger {card.model_id} was trained on {card.trained_on}{learnt}.{held}",
    )


def _read_only(path: Path) -> sqlite3.Connection:
    # As an address, since a "#" or "?" in a folder's name would end the plain path.
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)


def back_up(library: Path, target: Path) -> None:
    """Copies the library, also while a bot uses it. Raises Refused where that cannot be done."""
    if not library.exists():
        raise Refused(f"There is no library at {library} to copy.")
    if target.exists():
        raise Refused(f"{target} is there already; choose another name.")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with (
            closing(_read_only(library)) as source,
            closing(sqlite3.connect(target)) as copy,
        ):
            source.backup(copy)
    except (OSError, sqlite3.DatabaseError) as error:
        target.unlink(missing_ok=True)
        raise Refused(f"The library could not be copied to {target}: {error}.") from error


def restore(backup: Path, library: Path) -> Path | None:
    """Puts a backup in the library's place; returns where the library before it is kept.

    Raises Refused where the backup is no library, or where a running bot holds the library.
    """
    if not backup.exists():
        raise Refused(f"There is no file {backup}.")
    library.parent.mkdir(parents=True, exist_ok=True)
    fresh = library.with_name(library.name + ".restoring")
    shutil.copyfile(backup, fresh)
    try:
        with closing(_read_only(fresh)) as copy:
            # An empty file would be made into an empty library.
            copy.execute("SELECT count(*) FROM papers").fetchone()
        db = open_database(fresh)
        with writing(db):
            new_library_id(db)
        sound = str(rows(db, "PRAGMA quick_check")[0]["quick_check"]) == "ok"
        execute(db, "PRAGMA wal_checkpoint(TRUNCATE)")
        db.close()
    except (sqlite3.DatabaseError, StoreError) as error:
        _forget(fresh)
        raise Refused(f"{backup} is no backup of a library ({error}).") from error
    if not sound:
        _forget(fresh)
        raise Refused(f"{backup} is damaged; use another backup.")
    kept = _set_aside(library) if library.exists() else None
    fresh.replace(library)
    return kept


def _set_aside(library: Path) -> Path:
    try:
        with closing(sqlite3.connect(library, timeout=1)) as connection:
            # Leaving WAL needs the file to itself, and puts everything into the one file.
            mode = connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0]
    except sqlite3.DatabaseError as error:
        if "locked" in str(error):
            raise Refused("The library is in use; stop the bot first.") from error
        mode = "delete"  # damaged: it is moved as it is
    if mode != "delete":
        raise Refused("The library is in use; stop the bot first.")
    kept = library.with_name(f"{library.name}.before-{datetime.now(UTC):%Y%m%d-%H%M%S}")
    library.replace(kept)
    for suffix in ("-wal", "-shm"):
        library.with_name(library.name + suffix).unlink(missing_ok=True)
    return kept


def _forget(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
