"""The few calls that every table's module makes, with types that sqlite-utils leaves open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

    from sqlite_utils import Database

Row = dict[str, Any]

# SQLite's default limit on variables is 32,766; this keeps statements short as well.
CHUNK = 500


def rows(db: Database, sql: str, params: Sequence[object] | Mapping[str, object] = ()) -> list[Row]:
    """All rows of a query, as dictionaries."""
    # Database.query guards against writes with a savepoint for each call, which costs more than
    # the small look-ups that a reading makes by the thousand.
    cursor = db.conn.execute(sql, params)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]


def pairs(db: Database, sql: str, params: Sequence[object] = ()) -> list[tuple[int, str]]:
    """All rows of a query for a number and a text, many times as fast as `rows`."""
    return db.conn.execute(sql, params).fetchall()


def execute(
    db: Database, sql: str, params: Sequence[object] | Mapping[str, object] = ()
) -> sqlite3.Cursor:
    """Runs one statement inside the transaction that is open."""
    # sqlite3 takes a sequence for "?" and a mapping for ":name"; sqlite-utils types neither.
    given = cast("Any", params)
    return db.execute(sql, given)  # pyright: ignore[reportUnknownMemberType] - its parameters are untyped


def execute_many(db: Database, sql: str, params: Iterable[Sequence[object]]) -> None:
    """Runs one statement for each row of parameters."""
    db.conn.executemany(sql, params)


def marks(count: int) -> str:
    """As many question marks as there are values: "?, ?, ?"."""
    return ", ".join("?" * count)
