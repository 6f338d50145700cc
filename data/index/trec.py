"""Ranks judged collections, so that anybody can grade the search with the usual tools.

Corpora and queries are JSON lines in the BEIR form (Thakur et al., 2021): documents with `_id`,
`title` and `text` (also `authors` and `keywords` where a collection has them), queries with `_id`
and `text`. The run is in TREC's form: query, Q0, document, rank, score, name of the run.
"""

from __future__ import annotations

import json
import math
import time
from datetime import date
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from data.index.documents import IndexDocument, SearchFilters
from data.index.index import SearchIndex
from data.index.search import plain_query

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

RUN_NAME: Final = "papertriage"
_NO_DAY: Final = date(1970, 1, 1)
_NO_FILTERS: Final = SearchFilters()


class Timing(NamedTuple):
    """How long the searches of a run took, each by itself, in milliseconds."""

    median: float
    p95: float
    maximum: float


class Run(NamedTuple):
    """A TREC run, what it took, and what of the files could not be taken as it was."""

    lines: list[str]
    timing: Timing
    notes: tuple[str, ...] = ()


def rank(corpus: Path, queries: Path, *, limit: int = 1000) -> Run:
    """Indexes a corpus in memory and ranks it for each query, at most `limit` documents each.

    Queries are statements of a need, not of our query language: signs in them mean nothing. A run
    has blanks between its fields and every document once a query, so blanks within an id become
    "_", and of entries with the same id the first counts; the notes say so.
    Raises ValueError with file and line where a line is not as it should be, OSError where a file
    cannot be read.
    """
    notes: list[str] = []
    names: list[str] = []

    def documents() -> Iterator[IndexDocument]:
        for number, (name, entry) in enumerate(_named(corpus, notes)):
            names.append(name)
            yield _document(number, entry)

    with_ids = [(name, str(entry.get("text") or "")) for name, entry in _named(queries, notes)]
    index = SearchIndex(background=False)
    index.add(documents())
    index.optimise()
    lines: list[str] = []
    took: list[float] = []
    for query_id, text in with_ids:
        before = time.perf_counter()
        result = index.answer(plain_query(text), _NO_FILTERS, limit=limit)
        took.append(1000 * (time.perf_counter() - before))
        lines += [
            f"{query_id} Q0 {names[hit.id]} {place} {_score(hit.score, place)} {RUN_NAME}"
            for place, hit in enumerate(result.hits, 1)
        ]
    return Run(lines, _timing(took), tuple(notes))


def _score(score: float, place: int) -> str:
    """A score that falls with every place: evaluation tools sort by it and break ties their way."""
    return f"{score - place * 1e-6:.7f}"


def _document(number: int, entry: Mapping[str, Any]) -> IndexDocument:
    keywords = _listed(entry.get("keywords"), ",;")
    return IndexDocument(
        id=number,
        title=str(entry.get("title") or ""),
        title_derived=False,
        abstract=str(entry.get("text") or ""),
        authors=_listed(entry.get("authors"), ";"),
        topics=keywords,
        categories=(),
        venue=None,
        sources=(),
        tag=None,
        day=_NO_DAY,
    )


def _listed(value: object, separators: str) -> tuple[str, ...]:
    if isinstance(value, list):
        pieces = [str(item) for item in cast("list[object]", value)]
    else:
        pieces = [str(value or "")]
        for separator in separators:
            pieces = [part for piece in pieces for part in piece.split(separator)]
    return tuple(piece.strip() for piece in pieces if piece.strip())


def _named(path: Path, notes: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The entries of a file by the ids that a run can hold; adds what was changed to `notes`."""
    seen: set[str] = set()
    blanks = repeated = 0
    for number, entry in _entries(path):
        given = entry["_id"]
        name = "_".join(str(given).split()) if isinstance(given, str | int) else ""
        if not name:
            raise ValueError(f"{path}, line {number}: an _id is a text or a number, and not empty")
        blanks += name != str(given)
        if name in seen:
            repeated += 1
            continue
        seen.add(name)
        yield name, entry
    if blanks:
        notes.append(f'{path}: blanks within ids are written as "_" ({blanks} of them).')
    if repeated:
        notes.append(f"{path}: of entries with the same id the first counts ({repeated} left out).")


def _entries(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                entry: object = json.loads(line.decode("utf-8-sig"))
            except (ValueError, RecursionError) as problem:
                raise ValueError(f"{path}, line {number}: not JSON ({problem})") from problem
            if not isinstance(entry, dict) or "_id" not in entry:
                raise ValueError(f"{path}, line {number}: an object with an _id is needed")
            yield number, cast("dict[str, Any]", entry)


def _timing(took: Sequence[float]) -> Timing:
    ordered = sorted(took) or [0.0]
    return Timing(
        ordered[len(ordered) // 2],
        ordered[max(0, math.ceil(0.95 * len(ordered)) - 1)],
        ordered[-1],
    )


def ndcg(ranked: Iterable[str], judged: Mapping[str, int], depth: int = 10) -> float:
    """Normalised discounted cumulative gain with gain 2^grade - 1 (Burges et al., ICML 2005).

    1 for an ideal order of the judged documents, 0 where none of the first `depth` is relevant.
    """
    gains = [
        (2 ** max(judged.get(document, 0), 0) - 1) / math.log2(place + 1)
        for place, document in zip(range(1, depth + 1), ranked, strict=False)
    ]
    grades = sorted((max(grade, 0) for grade in judged.values()), reverse=True)[:depth]
    ideal = sum((2**grade - 1) / math.log2(place + 1) for place, grade in enumerate(grades, 1))
    return sum(gains) / ideal if ideal else 0.0


def mean_ndcg(lines: Iterable[str], judgements: Path, depth: int = 10) -> float:
    """The mean nDCG of a run over the judged queries; `judgements` is a BEIR table (qrels.tsv).

    A judged query that the run lacks counts as 0.
    """
    judged: dict[str, dict[str, int]] = {}
    for line in judgements.read_text("utf-8").splitlines():
        query, document, grade = (*line.split("\t"), "", "")[:3]
        if grade.lstrip("-").isdigit():
            judged.setdefault(query, {})[document] = int(grade)
    ranked: dict[str, list[str]] = {}
    for line in lines:
        query, _, document, *_ = line.split(" ")
        ranked.setdefault(query, []).append(document)
    scores = [ndcg(ranked.get(query, []), grades, depth) for query, grades in judged.items()]
    return sum(scores) / len(scores) if scores else 0.0
