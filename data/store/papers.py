"""Papers in the store: reading them back, and the change sequence that others follow.

Every function takes the open `Database` and runs on the store's thread. Whoever changes a paper
gives it the next number of the library's change sequence (`papers.changed`), by which the search
index and other processes see what is new to them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from data.records import (
    TAG_NAMES,
    AnnounceType,
    Identifiers,
    Paper,
    Period,
    Sighting,
    TagJudgement,
    TagName,
    own_text,
)
from data.store.composing import compose
from data.store.connection import to_moment
from data.store.sql import CHUNK, Row, execute_many, marks, pairs, rows
from data.text import to_plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlite_utils import Database


def last_change(db: Database) -> int:
    """The highest number of the change sequence; 0 in an empty library."""
    return int(rows(db, "SELECT coalesce(max(changed), 0) AS n FROM papers")[0]["n"])


def library_id(db: Database) -> str:
    """The library's own name; a restored backup has a new one."""
    return str(rows(db, "SELECT value FROM meta WHERE key = 'library_id'")[0]["value"])


def resolve(db: Database, paper_id: int) -> int:
    """The paper that now stands for this number; the number itself where it is unknown."""
    found = rows(db, "SELECT root_id FROM papers WHERE id = ?", [paper_id])
    return int(found[0]["root_id"]) if found else paper_id


def save_judgements(db: Database, judgements: Mapping[int, TagJudgement]) -> dict[int, int]:
    """Stores what the tagger said, replacing what it said before; reasons are not kept.

    Returns the new change number of each paper.
    """
    number = last_change(db)
    changes = {paper_id: number + place for place, paper_id in enumerate(judgements, start=1)}
    execute_many(
        db,
        "INSERT OR REPLACE INTO tags (paper_id, tag, secondary, position, theory, methods,"
        " model) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (
                paper_id,
                judgement.tag,
                judgement.secondary,
                judgement.probabilities["position"],
                judgement.probabilities["theory"],
                judgement.probabilities["methods"],
                judgement.model,
            )
            for paper_id, judgement in judgements.items()
        ],
    )
    execute_many(
        db,
        "UPDATE papers SET changed = ? WHERE id = ?",
        [(change, paper_id) for paper_id, change in changes.items()],
    )
    return changes


def save_first_judgements(
    db: Database, fresh: Iterable[tuple[int, int]], judgements: Iterable[TagJudgement]
) -> dict[int, int]:
    """Stores what the tagger said of new papers, known by number and change number.

    Returns the new change number of those that nobody changed since; papers merged into others
    meanwhile are passed over.
    """
    new = list(fresh)
    standing = changes_of(db, [paper_id for paper_id, _ in new])
    said = {
        paper_id: judgement
        for (paper_id, _), judgement in zip(new, judgements, strict=True)
        if paper_id in standing
    }
    changes = save_judgements(db, said)
    return {
        paper_id: changes[paper_id] for paper_id, before in new if standing.get(paper_id) == before
    }


def changes_of(db: Database, ids: Iterable[int]) -> dict[int, int]:
    """The change number of those of these papers that stand."""
    wanted = list(ids)
    found: dict[int, int] = {}
    for start in range(0, len(wanted), CHUNK):
        chunk = wanted[start : start + CHUNK]
        for row in rows(
            db,
            f"SELECT id, changed FROM papers WHERE id IN ({marks(len(chunk))})"
            " AND merged_into IS NULL",
            chunk,
        ):
            found[int(row["id"])] = int(row["changed"])
    return found


def changed_since(db: Database, number: int) -> tuple[list[int], list[int]]:
    """Papers whose change number is above `number`: (those that stand, those merged away)."""
    found = rows(db, "SELECT id, merged_into FROM papers WHERE changed > ? ORDER BY id", [number])
    standing = [int(row["id"]) for row in found if row["merged_into"] is None]
    gone = [int(row["id"]) for row in found if row["merged_into"] is not None]
    return standing, gone


def tagged_since(db: Database, number: int) -> dict[int, int]:
    """Tagged papers that stand, with change numbers above `number`: the change number of each."""
    found = rows(
        db,
        "SELECT id, changed FROM papers WHERE changed > ? AND merged_into IS NULL"
        " AND id IN (SELECT paper_id FROM tags) ORDER BY id",
        [number],
    )
    return {int(row["id"]): int(row["changed"]) for row in found}


def untagged(db: Database) -> list[int]:
    """Papers that the tagger has not seen."""
    return [
        int(row["id"])
        for row in rows(
            db,
            "SELECT id FROM papers WHERE merged_into IS NULL"
            " AND id NOT IN (SELECT paper_id FROM tags) ORDER BY id",
        )
    ]


def load_papers(db: Database, ids: Iterable[int]) -> dict[int, Paper]:
    """The papers of these numbers, by number, each put together from its whole group.

    Numbers that are not there, or that were merged into another, are left out.
    """
    wanted = list(dict.fromkeys(ids))
    papers: dict[int, Paper] = {}
    for start in range(0, len(wanted), CHUNK):
        papers |= _load_chunk(db, wanted[start : start + CHUNK])
    return {paper_id: papers[paper_id] for paper_id in wanted if paper_id in papers}


def load_texts(db: Database, ids: Iterable[int]) -> dict[int, tuple[str, str]]:
    """(title, abstract) of the papers of these numbers, "" for a title that is derived.

    Numbers that are not there, or that were merged into another, are left out.
    """
    wanted = list(dict.fromkeys(ids))
    texts: dict[int, tuple[str, str]] = {}
    groups: list[int] = []
    for start in range(0, len(wanted), CHUNK):
        chunk = wanted[start : start + CHUNK]
        for row in rows(
            db,
            "SELECT root_id, max(title_derived) AS derived, title, abstract, count(*) AS members"
            f" FROM papers WHERE root_id IN ({marks(len(chunk))}) GROUP BY root_id",
            chunk,
        ):
            if row["members"] > 1:
                groups.append(int(row["root_id"]))
            else:
                texts[int(row["root_id"])] = own_text(
                    row["title"], row["abstract"], derived=bool(row["derived"])
                )
    for paper in load_papers(db, groups).values():
        texts[paper.id] = own_text(paper.title, paper.abstract, derived=paper.title_derived)
    return {paper_id: texts[paper_id] for paper_id in wanted if paper_id in texts}


@dataclass(frozen=True, slots=True)
class SourceForms:
    """A paper's texts with the TeX and HTML of their listing.

    None where no listing had more than the plain text that the paper shows.
    """

    title: str | None
    abstract: str | None


def source_forms(db: Database, paper_id: int) -> SourceForms:
    """The forms in which listings gave the title and the abstract that the paper now shows.

    A form of another version of the text is none of the paper's.
    """
    root = resolve(db, paper_id)
    shown = load_papers(db, [root]).get(root)
    if shown is None:
        return SourceForms(None, None)
    found = rows(
        db,
        "SELECT s.title_source, s.abstract_source FROM sightings s JOIN papers p"
        " ON p.id = s.paper_id WHERE p.root_id = ? AND (s.title_source IS NOT NULL"
        " OR s.abstract_source IS NOT NULL) ORDER BY s.id DESC",
        [root],
    )

    def newest(column: str, text: str) -> str | None:
        forms = (str(row[column]) for row in found if row[column])
        return next((form for form in forms if to_plain(form) == text), None)

    return SourceForms(
        newest("title_source", shown.title), newest("abstract_source", shown.abstract)
    )


def load_alone(db: Database, paper_id: int) -> Paper:
    """One number's own row, without the rest of its group."""
    return _load_rows(db, [paper_id])[paper_id]


def _load_chunk(db: Database, roots: list[int]) -> dict[int, Paper]:
    groups: dict[int, list[int]] = defaultdict(list)
    for row in rows(
        db,
        f"SELECT id, root_id FROM papers WHERE root_id IN ({marks(len(roots))}) ORDER BY id",
        roots,
    ):
        groups[int(row["root_id"])].append(int(row["id"]))
    alone = _load_rows(db, [member for members in groups.values() for member in members])
    return {
        root: compose(root, [alone[member] for member in members])
        for root, members in groups.items()
    }


def _load_rows(db: Database, ids: list[int]) -> dict[int, Paper]:
    places = marks(len(ids))

    def grouped(sql: str) -> dict[int, list[str]]:
        groups: dict[int, list[str]] = defaultdict(list)
        for paper_id, name in pairs(db, sql.format(places=places), ids):
            groups[paper_id].append(name)
        return groups

    authors = grouped(
        "SELECT paper_id, name FROM authors WHERE paper_id IN ({places}) ORDER BY place"
    )
    topics = grouped(
        "SELECT paper_id, topic FROM topics WHERE paper_id IN ({places}) ORDER BY topic"
    )
    sources = grouped(
        "SELECT paper_id, source FROM sightings WHERE paper_id IN ({places})"
        " GROUP BY paper_id, source ORDER BY min(id)"
    )
    identifiers: dict[int, dict[str, str]] = defaultdict(dict)
    for row in rows(
        db,
        f"SELECT paper_id, scheme, value FROM identifiers WHERE paper_id IN ({places})",
        ids,
    ):
        identifiers[int(row["paper_id"])].setdefault(str(row["scheme"]), str(row["value"]))
    found = rows(
        db,
        "SELECT p.*, t.tag, t.secondary, t.position, t.theory, t.methods, t.model"
        f" FROM papers p LEFT JOIN tags t ON t.paper_id = p.id WHERE p.id IN ({places})",
        ids,
    )
    return {
        int(row["id"]): _paper(
            row,
            authors=tuple(authors[int(row["id"])]),
            topics=tuple(topics[int(row["id"])]),
            sources=tuple(sources[int(row["id"])]),
            identifiers=Identifiers(**identifiers[int(row["id"])]),
        )
        for row in found
    }


def _paper(
    row: Row,
    *,
    authors: tuple[str, ...],
    topics: tuple[str, ...],
    sources: tuple[str, ...],
    identifiers: Identifiers,
) -> Paper:
    return Paper(
        id=int(row["id"]),
        title=row["title"],
        title_derived=bool(row["title_derived"]),
        abstract=row["abstract"],
        authors=authors,
        identifiers=identifiers,
        topics=topics,
        categories=tuple(json.loads(row["categories"])),
        sources=sources,
        first_seen=to_moment(row["first_seen"]),
        venue=row["venue"],
        comment=row["comment"],
        published=to_moment(row["published"]) if row["published"] else None,
        published_in=Period.of(row["published_in"]) if row["published_in"] else None,
        updated=to_moment(row["updated"]) if row["updated"] else None,
        announced=date.fromisoformat(row["announced"]) if row["announced"] else None,
        withdrawn=bool(row["withdrawn"]),
        judgement=_judgement(row),
    )


def _judgement(row: Row) -> TagJudgement | None:
    if row["tag"] is None:
        return None
    return TagJudgement(
        tag=_tag_name(row["tag"]),
        secondary=_tag_name(row["secondary"]) if row["secondary"] else None,
        probabilities={name: float(row[name]) for name in ("position", "theory", "methods")},
        model=row["model"],
    )


def _tag_name(text: str) -> TagName:
    for name in TAG_NAMES:
        if name == text:
            return name
    raise ValueError(f"unknown tag in the library: {text!r}")


def paper_by_identifier(db: Database, scheme: str, value: str) -> int | None:
    """The paper with this identifier in its normal form, or None."""
    found = rows(
        db, "SELECT paper_id FROM identifiers WHERE scheme = ? AND value = ?", [scheme, value]
    )
    return resolve(db, int(found[0]["paper_id"])) if found else None


def sightings_of(db: Database, paper_id: int) -> list[Sighting]:
    """Every mention of a paper, oldest first."""
    return [
        Sighting(
            paper_id=paper_id,
            source=row["source"],
            listing=row["listing"],
            position=row["position"],
            fetched=to_moment(row["fetched"]),
            announced=date.fromisoformat(row["announced"]) if row["announced"] else None,
            version=row["version"],
            announce_type=AnnounceType(row["announce_type"]),
        )
        for row in rows(
            db,
            "SELECT s.* FROM sightings s JOIN papers p ON p.id = s.paper_id"
            " WHERE p.root_id = ? ORDER BY s.id",
            [paper_id],
        )
    ]
