"""Our search beside scikit-learn, bm25s, tantivy and SQLite FTS5, on the same papers and queries.

`uv run --group bench python -m tests.benchmarks.search [--papers N] [--each N] [--engines …]`, or
`pytest -m benchmark -s tests/benchmarks/search.py` for a small run of ours alone. Timed is what
/search calls, `SearchIndex.search`; its filters and snippets are timed as an engine of their own.

Each engine first answers other queries of the same kinds, so that everything which a running bot
keeps in memory is there and no query has been asked before; words repeat as they do in the papers
that the queries are made of. Ours is also timed from a cold start and on the same queries asked
again. Two clocks are read: the wall's, and
the processor's for the thread that asks, which other work on the machine disturbs less. Ratios are
of the second one.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import tempfile
import time
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from data.index import SearchFilters, SearchIndex
from tests.benchmarks.engines import (
    Bm25s,
    Engine,
    Fts5,
    Ours,
    OursInFull,
    SparseVectors,
    Tantivy,
    TantivyTop,
    Vectors,
)
from tests.benchmarks.papers import SEED, Asked, Papers, queries
from tests.conftest import SHARED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ENGINES = ("tantivy", "bm25s", "fts5", "sklearn")
_ADDED = 1_000


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of one engine's queries: medians and 95th percentiles by both clocks."""

    wall: float
    wall_p95: float
    thread: float
    thread_p95: float

    @classmethod
    def of(cls, took: Sequence[tuple[float, float]]) -> Times:
        """From (wall, thread) seconds of each query."""
        wall, thread = (sorted(1000 * each[clock] for each in took) for clock in (0, 1))
        return cls(statistics.median(wall), _high(wall), statistics.median(thread), _high(thread))


def _high(ordered: Sequence[float]) -> float:
    return ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]


def timed(engine: Engine, warming: Iterable[Asked], asked: Iterable[Asked]) -> dict[str, Times]:
    """Times by class of query, and "all words" for words and titles together."""
    for each in warming:
        if each.kind in engine.kinds:
            engine.search(each)
    took: dict[str, list[tuple[float, float]]] = {}
    gc.collect()
    for each in asked:
        if each.kind not in engine.kinds:
            continue
        wall, thread = time.perf_counter(), time.thread_time()
        engine.search(each)
        pair = (time.perf_counter() - wall, time.thread_time() - thread)
        took.setdefault(each.kind, []).append(pair)
        if each.kind in Vectors.kinds:
            took.setdefault("all words", []).append(pair)
        took.setdefault("all", []).append(pair)
    return {kind: Times.of(pairs) for kind, pairs in sorted(took.items())}


def table(results: dict[str, dict[str, Times]]) -> str:
    """All results, each with the ratio of our time to the engine's (below 1: we are quicker)."""
    ours = results[Ours.name]
    rows = [
        f"{'engine':34} {'queries':13} {'median':>8} {'p95':>8} {'thread':>8} {'p95':>8}"
        f"  ours / its: median, p95"
    ]
    for name, kinds in results.items():
        for kind, times in kinds.items():
            ratio = ""
            if name != Ours.name and kind in ours:
                median = ours[kind].thread / max(times.thread, 1e-6)
                ratio = f"  {median:.2f}, {ours[kind].thread_p95 / max(times.thread_p95, 1e-6):.2f}"
            rows.append(
                f"{name:34} {kind:13} {times.wall:8.3f} {times.wall_p95:8.3f}"
                f" {times.thread:8.3f} {times.thread_p95:8.3f}{ratio}"
            )
    return "\n".join(rows)


def growth(papers: Papers, folder: Path) -> tuple[SearchIndex, list[str]]:
    """Builds our index on disk; its size, how long it takes to open, and what more papers cost."""
    building = SearchIndex(folder, background=False)
    start = time.thread_time()
    building.add(papers)
    building.settle()
    built = time.thread_time() - start
    building.save("benchmark")
    building.close()
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    start = time.perf_counter()
    index = SearchIndex(folder, background=False)
    opened = time.perf_counter() - start
    later = Papers(SHARED, papers.count + _ADDED)
    fresh = [paper for paper in later if paper.id > papers.count]
    start = time.thread_time()
    index.add(fresh)
    index.save("benchmark")
    added = time.thread_time() - start
    index.remove([paper.id for paper in fresh])
    index.close()
    return SearchIndex(folder, background=False), [
        f"built in {built:.1f} s of processor time, {size / papers.count:.0f} bytes a paper",
        f"opens in {1000 * opened:.0f} ms",
        f"{len(fresh):,} papers more: {added:.2f} s, 1/{built / max(added, 1e-9):.0f} of a rebuild",
    ]


def others(names: Sequence[str]) -> list[Engine]:
    """The other engines, by the names on the command line."""
    made: list[Engine] = []
    if "tantivy" in names:
        made.append(Tantivy())
    if "bm25s" in names:
        made.append(Bm25s())
    if "fts5" in names:
        made.append(Fts5())
    if "sklearn" in names:
        made += [SparseVectors(), Vectors()]
    return made


def run(count: int, each: int, names: Sequence[str], folder: Path) -> str:
    """Builds and times everything; the report as text."""
    papers = Papers(SHARED, count)
    warming, asked = queries(papers.real, each, SEED + 1), queries(papers.real, each)
    index, report = growth(papers, folder / f"index-{count}")
    opened = f"{Ours.name}, just opened"
    results = {opened: timed(Ours(index), (), asked)}
    index.close()
    index = SearchIndex(folder / f"index-{count}", background=False)
    results[Ours.name] = timed(Ours(index), warming, asked)
    results[f"{Ours.name}, asked again"] = timed(Ours(index), (), asked)
    filters = SearchFilters(tag="methods", since=date(2016, 1, 1))
    abstracts = {paper.id: paper.abstract for paper in papers}
    results[OursInFull.name] = timed(OursInFull(index, filters, abstracts), warming, asked)
    del abstracts
    index.close()
    for engine in others(names):
        start = time.perf_counter()
        engine.build(papers)
        report.append(f"{engine.name} built in {time.perf_counter() - start:.1f} s")
        results[engine.name] = timed(engine, warming, asked)
        if isinstance(engine, Tantivy):
            top = TantivyTop(engine)
            results[top.name] = timed(top, warming, asked)
    head = f"{count:,} papers, {len(asked)} queries (milliseconds)"
    return "\n".join([head, table(results), *report])


@pytest.mark.benchmark
def test_our_search_is_timed_over_some_thousand_papers(shared: Path, tmp_path: Path) -> None:
    report = run(3_000, 20, (), tmp_path)
    print("\n" + report)  # noqa: T201 - printing is what it is for
    assert "whole title" in report


def main() -> None:
    """Prints the report for the sizes and engines that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--papers", type=int, nargs="+", default=[100_000])
    parser.add_argument("--each", type=int, default=200, help="queries of each class")
    parser.add_argument("--engines", nargs="*", choices=ENGINES, default=list(ENGINES))
    options = parser.parse_args()
    for count in options.papers:
        with tempfile.TemporaryDirectory() as folder:
            print(run(count, options.each, options.engines, Path(folder)), flush=True)  # noqa: T201 - as above


if __name__ == "__main__":
    main()
