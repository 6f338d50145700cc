"""Which paper of the library a record speaks of: by identifiers, by words, or none.

Every function takes the open `Database` and runs on the store's thread. What a batch of records
needs is asked for at once (`Known.of`); single papers are asked about only where that left a
doubt.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from data.identity import (
    abstract_fingerprint,
    author_key,
    bands_of,
    name_key,
    similarity,
    title_key,
    titles_alike,
)
from data.store.papers import resolve
from data.store.sql import marks, rows
from data.withdrawals import is_notice

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlite_utils import Database

    from data.records import Identifiers, PaperRecord
    from data.store.sql import Row

# Shared runs of three words, out of all. Copies of an abstract with edits, other TeX or a tenth
# cut off stay above it in 999 of 1,000 cases; two papers on one subject stay far below.
SAME_ABSTRACT: Final = 0.65
# Fewer words than this ("Withdrawn.", "See the full paper.") are shared by papers that differ.
FEWEST_WORDS: Final = 12
# A shorter text may be a formula that an author uses again, as for courses or proceedings, so it
# does not outlive another title. Only 20 of the 30,073 papers of the corpus have a shorter one.
FEWEST_WORDS_RETITLED: Final = 40
# Below this, two abstracts under one title by one first author tell of two versions of the work.
OTHER_ABSTRACT: Final = 0.2
OTHER_VERSION: Final = "the same title and first author, another abstract"
# SQLite takes 32,766 variables in a statement.
_MOST_VALUES: Final = 16_000


@dataclass(frozen=True, slots=True)
class Likeness:
    """A paper that a record without its identifiers speaks of, and by what it was told.

    Where `same` is False it is another version of the work, with an abstract of its own.
    """

    paper_id: int
    reason: str
    same: bool = True


@dataclass(frozen=True, slots=True)
class Signature:
    """What a record is recognised by where it has no identifier.

    `fingerprint` and `bands` are empty where the abstract is too short to tell a paper.
    """

    fingerprint: str | None
    bands: tuple[int, ...]
    title_key: str

    @classmethod
    def of(cls, record: PaperRecord) -> Signature:
        """The signature of one record."""
        return cls.of_all([record])[0]

    @classmethod
    def of_all(cls, records: Sequence[PaperRecord]) -> list[Signature]:
        """The signatures of records, in order."""
        whole = [_is_whole(record.abstract) for record in records]
        bands = bands_of([r.abstract if w else "" for r, w in zip(records, whole, strict=True)])
        return [
            cls(
                (abstract_fingerprint(record.abstract) or None) if long else None,
                keys,
                title_key(record.title) if record.title else "",
            )
            for record, long, keys in zip(records, whole, bands, strict=True)
        ]


def _is_whole(abstract: str) -> bool:
    """Whether an abstract tells its paper from others: long enough, and no mere notice."""
    return _has_words(abstract, FEWEST_WORDS) and not is_notice(abstract)


def _has_words(text: str, count: int) -> bool:
    return len(text.split(None, count - 1)) >= count


Ids = defaultdict[str, list[int]]


def _ids() -> Ids:
    return defaultdict(list)


@dataclass(frozen=True, slots=True)
class Known:
    """The numbers that may have to do with the records of a batch.

    An entry says where to look and no more: papers change while the batch is stored, so a
    number found here by words is confirmed against its row. `note` adds what the batch brings.
    """

    owners: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    texts: Ids = field(default_factory=_ids)
    bands: dict[int, tuple[int, ...]] = field(default_factory=dict[int, tuple[int, ...]])
    titles: Ids = field(default_factory=_ids)

    @classmethod
    def of(
        cls, db: Database, records: Sequence[PaperRecord], signatures: Sequence[Signature]
    ) -> Known:
        """What the library knows of these records now."""
        known = cls()
        values: defaultdict[str, list[str]] = defaultdict(list)
        for record in records:
            for scheme, value in record.identifiers.pairs():
                values[scheme].append(value)
        for scheme, wanted in values.items():
            for row in _found(db, "identifiers", "value", wanted, also=("scheme", scheme)):
                known.owners[scheme, str(row["value"])] = int(row["paper_id"])
        for row in _found(db, "papers", "fingerprint", (s.fingerprint for s in signatures)):
            known.texts[str(row["fingerprint"])].append(int(row["id"]))
        for row in _found(db, "papers", "title_key", (s.title_key for s in signatures)):
            known.titles[str(row["title_key"])].append(int(row["id"]))
        for row in _found(db, "abstract_bands", "band", (b for s in signatures for b in s.bands)):
            known._note_band(int(row["band"]), int(row["paper_id"]))
        return known

    def note(self, paper_id: int, identifiers: Identifiers, signature: Signature) -> None:
        """Adds a paper that was put in, or what one became."""
        for pair in identifiers.pairs():
            self.owners.setdefault(pair, paper_id)
        if signature.fingerprint is not None:
            self.texts[signature.fingerprint].append(paper_id)
        if self.bands.keys().isdisjoint(signature.bands):
            self.bands.update(dict.fromkeys(signature.bands, (paper_id,)))
        else:
            for band in signature.bands:
                self._note_band(band, paper_id)
        if signature.title_key:
            self.titles[signature.title_key].append(paper_id)

    def _note_band(self, band: int, paper_id: int) -> None:
        self.bands[band] = (*self.bands.get(band, ()), paper_id)

    def owners_of(self, identifiers: Identifiers) -> list[int]:
        """The numbers that have one of these identifiers, that of the strongest first."""
        found = (self.owners.get(pair) for pair in identifiers.pairs())
        return list(dict.fromkeys(owner for owner in found if owner is not None))

    def is_alone(self, signature: Signature) -> bool:
        """Whether nothing in the library can be what has this signature."""
        return (
            signature.fingerprint not in self.texts
            and signature.title_key not in self.titles
            and self.bands.keys().isdisjoint(signature.bands)
        )


def _found(
    db: Database,
    table: str,
    column: str,
    values: Iterable[str | int | None],
    *,
    also: tuple[str, str] | None = None,
) -> Iterator[Row]:
    """The rows of a table where a column has one of the values; empty values are passed over."""
    owner = "id" if table == "papers" else "paper_id"
    clause, extra = (f"{also[0]} = ? AND ", [also[1]]) if also else ("", [])
    wanted = sorted({value for value in values if value})  # in the order of the index
    for start in range(0, len(wanted), _MOST_VALUES):
        chunk = wanted[start : start + _MOST_VALUES]
        yield from rows(
            db,
            f"SELECT {column}, {owner} FROM {table} WHERE {clause}{column} IN"
            f" ({marks(len(chunk))}) ORDER BY {owner}",
            [*extra, *chunk],
        )


def confirmed_owners(
    db: Database, record: PaperRecord, known: Known, owners: Sequence[int]
) -> list[int]:
    """Those of the papers with one of a record's identifiers that can be what it speaks of.

    An arXiv id or a forum stands for one work. An address may be that of a whole list or journal,
    and a DOI that of a volume: where nothing else agrees, they tell of other works.
    """
    certain = {
        known.owners.get(pair) for pair in record.identifiers.pairs() if pair[0] in _ONE_WORK
    }
    return [one for one in owners if one in certain or not _is_stranger(db, one, record)]


_ONE_WORK: Final = frozenset({"arxiv", "openreview"})


def _is_stranger(db: Database, owner: int, record: PaperRecord) -> bool:
    """Whether a paper has only an address or a DOI in common with a record."""
    known = _identifiers_of(db, owner)
    shared = {scheme for scheme, value in record.identifiers.pairs() if (scheme, value) in known}
    if not shared or shared & _ONE_WORK:
        return False
    papers = rows(
        db,
        "SELECT title, title_derived, abstract FROM papers WHERE root_id = ?",
        [resolve(db, owner)],
    )
    abstracts = [str(paper["abstract"]) for paper in papers if paper["abstract"]]
    titles = [str(paper["title"]) for paper in papers if not paper["title_derived"]]
    if any(similarity(record.abstract, other) >= SAME_ABSTRACT for other in abstracts):
        return False
    title = record.title
    if title and any(title_key(title) == title_key(other) for other in titles):
        return False
    if "doi" in shared:
        alike = not title or not titles or any(titles_alike(title, other) for other in titles)
        return not alike and (
            _is_same_author(db, owner, record) is False
            or ids_disagree(db, owner, record.identifiers)
        )
    if any(_abstracts_differ(record.abstract, other) for other in abstracts):
        return True
    if not title or not titles:
        return False
    return not any(titles_alike(title, other) for other in titles)


def _identifiers_of(db: Database, paper_id: int) -> set[tuple[str, str]]:
    """The identifiers of a paper and of all that were merged with it, as (scheme, value)."""
    return {
        (str(row["scheme"]), str(row["value"]))
        for row in rows(
            db,
            "SELECT i.scheme, i.value FROM identifiers i JOIN papers p ON p.id = i.paper_id"
            " WHERE p.root_id = ?",
            [resolve(db, paper_id)],
        )
    }


def match(
    db: Database, record: PaperRecord, signature: Signature, known: Known
) -> tuple[Likeness, ...]:
    """The paper that a record speaks of by its words; else other versions of it, if any.

    The abstract decides where the titles agree or one is missing; an abstract that is word for
    word the same, and not short, also outlives a new title by the same first author. Else title
    and first author together do, unless both abstracts are there and differ: then the two are
    only related. Two ids of one scheme that differ always keep two papers apart.
    """
    retitled = _has_words(record.abstract, FEWEST_WORDS_RETITLED)
    for paper_id, same_text in _alike(db, record.abstract, signature, known):
        if not ids_disagree(db, paper_id, record.identifiers) and (
            _titles_agree(db, paper_id, signature)
            or (same_text and retitled and _is_same_author(db, paper_id, record))
        ):
            return (Likeness(paper_id, "the same abstract"),)
    related: list[Likeness] = []
    for paper_id, abstract in _namesakes(db, record, signature, known):
        if _abstracts_differ(record.abstract, abstract):
            related.append(Likeness(paper_id, OTHER_VERSION, same=False))
        elif not ids_disagree(db, paper_id, record.identifiers):
            return (Likeness(paper_id, "the same title and first author"),)
    return tuple(related)


def _namesakes(
    db: Database, record: PaperRecord, signature: Signature, known: Known
) -> Iterator[tuple[int, str]]:
    """Papers with the record's title and first author, and their abstracts."""
    candidates = known.titles.get(signature.title_key, ()) if record.authors else ()
    for found in rows(
        db,
        f"SELECT id, abstract FROM papers WHERE id IN ({marks(len(candidates))})"
        " AND title_key = ? AND title_derived = 0 ORDER BY id",
        [*candidates, signature.title_key],
    ):
        if _is_same_author(db, int(found["id"]), record):
            yield int(found["id"]), str(found["abstract"])


def _abstracts_differ(one: str, other: str) -> bool:
    """Whether both are whole abstracts with little in common: a workshop and a journal version."""
    if not _is_whole(one) or not _is_whole(other):
        return False
    return similarity(one, other) < OTHER_ABSTRACT


def _titles_agree(db: Database, paper_id: int, signature: Signature) -> bool:
    """Whether nothing in the titles tells the two apart: one has none, or they are the same.

    A paper has every title of its group: a page without one does not make it nameless.
    """
    if not signature.title_key:
        return True
    found = rows(
        db,
        "SELECT title_key FROM papers WHERE root_id = ? AND title_derived = 0",
        [resolve(db, paper_id)],
    )
    return not found or any(row["title_key"] == signature.title_key for row in found)


def _is_same_author(db: Database, paper_id: int, record: PaperRecord) -> bool | None:
    """Whether both name the same first author; None where one of them names nobody."""
    known = rows(db, "SELECT name FROM authors WHERE paper_id = ? AND place = 0", [paper_id])
    if not known or not record.authors:
        return None
    return _is_one_author(str(known[0]["name"]), record.authors[0])


def _is_one_author(one: str, other: str) -> bool:
    # Sources that take names apart put some of them together the wrong way round.
    return author_key(one) == author_key(other) or name_key(one) == name_key(other)


def _alike(
    db: Database, abstract: str, signature: Signature, known: Known
) -> Iterator[tuple[int, bool]]:
    """Papers whose abstract is the same text (True), then those where it is nearly so (False)."""
    if signature.fingerprint is None:
        return
    same = known.texts.get(signature.fingerprint, ())
    for found in rows(
        db,
        f"SELECT id FROM papers WHERE id IN ({marks(len(same))}) AND fingerprint = ? ORDER BY id",
        [*same, signature.fingerprint],
    ):
        yield int(found["id"]), True
    near = {paper_id for band in signature.bands for paper_id in known.bands.get(band, ())}
    for found in rows(
        db,
        f"SELECT id, abstract FROM papers WHERE id IN ({marks(len(near))}) ORDER BY id",
        list(near),
    ):
        if similarity(abstract, str(found["abstract"])) >= SAME_ABSTRACT:
            yield int(found["id"]), False


def ids_disagree(db: Database, paper_id: int, identifiers: Identifiers) -> bool:
    """Whether both have an id of one scheme and the ids differ: two works, however alike."""
    known = dict(_identifiers_of(db, paper_id))
    return any(
        scheme != "url" and known.get(scheme, value) != value
        for scheme, value in identifiers.pairs()
    )
