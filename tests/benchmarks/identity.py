"""How surely one work becomes one paper: pairs built from ../shared, through the whole path.

Run `python -m tests.benchmarks.identity`, or `pytest -m benchmark -s tests/benchmarks/identity.py`.
A sample of the corpus is the library. Each probe is one record, stored and rolled back: a paper
of the library as another source would give it (it should join that paper), or a paper that the
library lacks, the likest ones first (it should join none). Ids are dropped, or everything would
be told by them. Precision is the share of joins that were right, recall that of the known papers
joined.
"""

from __future__ import annotations

import gzip
import json
import random
import re
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from data.listings import open_listing
from data.listings.fields import make_record
from data.records import Identifiers, PaperRecord
from data.store.connection import open_database, writing
from data.store.recording import Provenance, store_record, store_records
from data.store.sql import execute
from tests.conftest import SHARED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlite_utils import Database

NOW = datetime(2026, 6, 1, tzinfo=UTC)
LIBRARY = 5_000
EACH_WAY = 300
SEED = 3
Probe = tuple[str, PaperRecord, int | None]


def _cut(text: str, dice: random.Random) -> str:
    words = text.split()
    return " ".join(words[: len(words) - int(len(words) * dice.uniform(0.02, 0.1))])


def _hyphenated(text: str, dice: random.Random) -> str:
    def broken(match: re.Match[str]) -> str:
        at = dice.randint(3, len(match[0]) - 3)
        return f"{match[0][:at]}- {match[0][at:]}" if dice.random() < 0.2 else match[0]

    return re.sub(r"[a-z]{7,}", broken, text)


def _edited(text: str, dice: random.Random) -> str:
    """One word in thirty changed, as between two versions of an abstract."""
    words = text.split()
    for _ in range(max(1, len(words) // 30)):
        words[dice.randrange(len(words))] = dice.choice(("indeed", "novel", "shown", "the"))
    return " ".join(words)


def _without_macros(text: str) -> str:
    return re.sub(r"\\[A-Za-z]+|[${}\\^_]", "", text)


def _without_formulas(text: str) -> str:
    return re.sub(r"\$[^$]{1,200}\$", "", text)


def _reversed(name: str) -> str:
    given, _, family = name.rpartition(" ")
    return f"{family}, {given}" if given else name


def _initials(name: str) -> str:
    *given, family = name.split()
    return " ".join([*(f"{part[0]}." for part in given), family])


Paper = dict[str, object]


def ways(dice: random.Random) -> dict[str, Callable[[Paper], PaperRecord]]:
    """How other sources give a paper of the library, by name."""

    def made(paper: Paper, text: str, *, titled: bool = True, **other: object) -> PaperRecord:
        fields = {
            "position": "1",
            "title": str(paper["title"]) if titled else None,
            "authors": list(paper["authors"]) if titled else (),
            **other,
        }
        return make_record(abstract=text, **fields)

    def text(paper: Paper) -> str:
        return str(paper["abstract"])

    def names(paper: Paper) -> list[str]:
        return list(paper["authors"])

    return {
        "abstract alone": lambda p: made(p, text(p), titled=False),
        "abstract alone, broken words": lambda p: made(p, _hyphenated(text(p), dice), titled=False),
        "abstract alone, cut": lambda p: made(p, _cut(text(p), dice), titled=False),
        "abstract alone, edited": lambda p: made(p, _edited(text(p), dice), titled=False),
        "abstract alone, macros lost": lambda p: made(p, _without_macros(text(p)), titled=False),
        "abstract alone, formulas lost": lambda p: made(
            p, _without_formulas(text(p)), titled=False
        ),
        "lower case": lambda p: made(p, text(p).lower(), title=str(p["title"]).lower()),
        "edited": lambda p: made(p, _edited(text(p), dice)),
        "new title": lambda p: made(p, text(p), title=f"Revisited: {p['title']}"),
        "citation, family name first": lambda p: made(
            p, "", title=f"{str(p['title']).title()}.", authors=[_reversed(n) for n in names(p)]
        ),
        "citation, initials": lambda p: made(p, "", authors=[_initials(n) for n in names(p)]),
        "arXiv's DOI": lambda p: made(
            p, "", title="A Title of the Draft", doi=f"https://doi.org/10.48550/ARXIV.{p['id']}"
        ),
        "arXiv's address": lambda p: made(p, "", url=f"http://arxiv.org/pdf/{p['id']}v2.pdf"),
    }


def traps(strangers: list[PaperRecord], own: list[PaperRecord]) -> Iterator[Probe]:
    """Records of works that the library lacks, with what could lead astray."""
    for record in strangers:
        yield "another paper", record, None
        yield "another abstract alone", PaperRecord("1", abstract=record.abstract), None
    for mine, other in zip(own, strangers, strict=False):
        yield "same title, other authors", replace(other, title=mine.title), None
        yield "same title and author, other abstract", replace(mine, abstract=other.abstract), None
        named = replace(mine, identifiers=Identifiers(), abstract=f"Part two. {mine.abstract}")
        yield "part two", replace(named, title=f"{mine.title}, Part II"), None
        yield "shared text", replace(other, abstract="This paper has been withdrawn."), None


def measure(home: Path) -> Tally:
    """What became of all probes, in a library that is made under `home`."""
    dice = random.Random(SEED)  # noqa: S311 - a sample that is the same each time
    with gzip.open(SHARED / "corpus" / "arxiv-daily.jsonl.gz", "rt", encoding="utf-8") as lines:
        corpus: list[Paper] = [json.loads(line) for line in lines]
    dice.shuffle(corpus)
    tally = Tally(Counter(), Counter(), Counter(), Counter())
    db = open_database(home / "library.db")
    known = corpus[:LIBRARY]
    others = _nearest(known, corpus[LIBRARY:], LIBRARY // 2)
    records = [_record(paper) for paper in known]
    with writing(db):
        stored = store_records(db, records, Provenance("arXiv", "corpus", NOW))
    numbers = {
        record.identifiers.arxiv: s.paper_id for record, s in zip(records, stored, strict=True)
    }
    probes: list[Probe] = []
    for name, given in ways(dice).items():
        probes += [
            (name, given(paper), numbers[str(paper["id"])])
            for paper in dice.sample(known, EACH_WAY)
        ]
    bare = [replace(_record(paper), identifiers=Identifiers()) for paper in others]
    own = [replace(record, identifiers=Identifiers()) for record in records[:EACH_WAY]]
    probes += traps(bare, own)
    probes += _elsewhere(db, numbers)
    for name, record, paper_id in probes:
        found = _joined(db, record)
        tally.asked[name] += 1
        tally.known[name] += paper_id is not None
        tally.right[name] += found is not None and found == paper_id
        tally.wrong[name] += found is not None and found != paper_id
    db.close()
    return tally


def _nearest(known: list[Paper], others: list[Paper], count: int) -> list[Paper]:
    """Of the papers that the library lacks, those most like one that it has (TF-IDF, cosine)."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectoriser = TfidfVectorizer(sublinear_tf=True, stop_words="english", dtype=np.float32)
    library = vectoriser.fit_transform(f"{p['title']} {p['abstract']}" for p in known).T
    likest: list[float] = []
    for start in range(0, len(others), 1_000):
        texts = [f"{p['title']} {p['abstract']}" for p in others[start : start + 1_000]]
        likest += (vectoriser.transform(texts) @ library).max(axis=1).toarray().ravel().tolist()
    order = np.argsort(np.negative(likest), kind="stable")
    return [others[place] for place in order[:count].tolist()]


def _record(paper: Paper) -> PaperRecord:
    return make_record(
        position="1",
        title=paper["title"],
        abstract=paper["abstract"],
        authors=list(paper["authors"]),
        arxiv=str(paper["id"]),
    )


def _elsewhere(db: Database, numbers: dict[str | None, int]) -> list[Probe]:
    """The same papers in files of other sources, told apart by ids that the probes lack."""
    feeds = SHARED / "listings" / "feeds"
    daily = _records(feeds / "hf_daily_papers" / "hf_daily_papers.json")
    probes = [("Daily Papers", r, numbers.get(r.identifiers.arxiv)) for r in daily]
    dump = _records(feeds / "paperlists_json" / "alt2025.json")
    with writing(db):
        stored = store_records(db, dump, Provenance("dump", "alt2025", NOW))
    forums = {r.identifiers.openreview: s.paper_id for r, s in zip(dump, stored, strict=True)}
    cited = _records(feeds / "bibtex" / "openreview_alt2025.bib")
    probes += [("BibTeX of a dump", r, forums.get(r.identifiers.openreview)) for r in cited]
    return [(name, replace(r, identifiers=Identifiers()), number) for name, r, number in probes]


def _records(path: Path) -> list[PaperRecord]:
    items = open_listing(path, name=path.name).items
    return [item for item in items if isinstance(item, PaperRecord)]


def _joined(db: Database, record: PaperRecord) -> int | None:
    """The paper of the library that a record joins, or None; nothing of it stays."""
    execute(db, "BEGIN IMMEDIATE")
    try:
        stored = store_record(db, record, Provenance("probe", "probe", NOW))
    finally:
        db.rollback()
    return None if stored.outcome == "new" else stored.paper_id


@dataclass(frozen=True, slots=True)
class Tally:
    """How many probes of each kind there were, how many had a paper, and what they joined."""

    asked: Counter[str]
    known: Counter[str]
    right: Counter[str]
    wrong: Counter[str]

    @property
    def precision(self) -> float:
        """The share of joins that were right."""
        return self.right.total() / (self.right.total() + self.wrong.total())

    @property
    def recall(self) -> float:
        """The share of the known papers that were joined."""
        return self.right.total() / self.known.total()

    def __str__(self) -> str:
        lines = [
            f"{name:38} {self.asked[name]:6} asked {self.known[name]:5} known"
            f" {self.right[name]:5} right {self.wrong[name]:3} wrong"
            for name in self.asked
        ]
        joins = self.right.total() + self.wrong.total()
        lines.append(f"precision {self.precision:.4f} of {joins:,} joins")
        lines.append(f"recall    {self.recall:.4f} of {self.known.total():,} known papers")
        return "\n".join(lines)


@pytest.mark.benchmark
@pytest.mark.usefixtures("shared")
def test_one_work_becomes_one_paper_and_two_stay_two(tmp_path: Path) -> None:
    tally = measure(tmp_path)
    print(f"\n{tally}")  # noqa: T201 - printing is what it is for
    assert tally.precision >= 0.999
    assert tally.recall >= 0.98


def main() -> None:
    """Prints the table."""
    with tempfile.TemporaryDirectory() as home:
        print(measure(Path(home)))  # noqa: T201 - as above


if __name__ == "__main__":
    main()
