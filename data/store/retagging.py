"""Judging the library again after the model changed, a batch at a time.

A paper's tag carries the model that gave it, so what is left to do can be asked of the store at any
time: a process that dies in between leaves the rest to the next. Functions take the open
`Database` and run on the store's thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data.store.papers import last_change
from data.store.sql import CHUNK, execute_many, marks, rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlite_utils import Database

    from data.records import TagJudgement


def judged_by_others(db: Database, model: str, limit: int) -> list[int]:
    """Papers whose tag is another model's, newest first of each model, at most so many."""
    found: list[int] = []
    # Two ranges of the index on the model: "<>" would read every tag, at each tick.
    for side in (">", "<"):
        found += [
            int(row["paper_id"])
            for row in rows(
                db,
                "SELECT t.paper_id FROM tags t JOIN papers p ON p.id = t.paper_id"
                f" WHERE t.model {side} ? AND p.merged_into IS NULL"
                " ORDER BY t.model DESC, t.paper_id DESC LIMIT ?",
                [model, limit - len(found)],
            )
        ]
    return found


def count_judged(db: Database, model: str) -> tuple[int, int]:
    """How many papers have this model's tag, and how many have one at all."""
    found = rows(
        db,
        "SELECT count(*) AS every, coalesce(sum(t.model = ?), 0) AS done FROM tags t"
        " JOIN papers p ON p.id = t.paper_id WHERE p.merged_into IS NULL",
        [model],
    )[0]
    return int(found["done"]), int(found["every"])


def tags_of(db: Database, ids: Iterable[int]) -> dict[int, str]:
    """The tagger's tag of each of these papers that has one."""
    wanted = list(ids)
    found: dict[int, str] = {}
    for start in range(0, len(wanted), CHUNK):
        chunk = wanted[start : start + CHUNK]
        for row in rows(
            db, f"SELECT paper_id, tag FROM tags WHERE paper_id IN ({marks(len(chunk))})", chunk
        ):
            found[int(row["paper_id"])] = str(row["tag"])
    return found


def newest_tagged(db: Database, limit: int) -> list[int]:
    """The newest papers that have a tag, at most so many."""
    return [
        int(row["paper_id"])
        for row in rows(
            db,
            "SELECT t.paper_id FROM tags t JOIN papers p ON p.id = t.paper_id"
            " WHERE p.merged_into IS NULL ORDER BY t.paper_id DESC LIMIT ?",
            [limit],
        )
    ]


def save_again(db: Database, judgements: Mapping[int, TagJudgement]) -> int:
    """Stores what a new model says of papers that had a tag; returns how many tags changed.

    Only papers whose tag changed get a new change number: the index holds nothing else of it.
    """
    before = tags_of(db, judgements)
    execute_many(
        db,
        "UPDATE tags SET tag = ?, secondary = ?, position = ?, theory = ?, methods = ?, model = ?"
        " WHERE paper_id = ?",
        [
            (
                judgement.tag,
                judgement.secondary,
                judgement.probabilities["position"],
                judgement.probabilities["theory"],
                judgement.probabilities["methods"],
                judgement.model,
                paper_id,
            )
            for paper_id, judgement in judgements.items()
        ],
    )
    changed = [
        paper_id
        for paper_id, judgement in judgements.items()
        if before.get(paper_id) not in (None, judgement.tag)
    ]
    number = last_change(db)
    execute_many(
        db,
        "UPDATE papers SET changed = ? WHERE id = ?",
        [(number + place, paper_id) for place, paper_id in enumerate(changed, start=1)],
    )
    return len(changed)
