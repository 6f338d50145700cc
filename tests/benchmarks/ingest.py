"""How long a large listing takes, next to scikit-learn's TfidfVectorizer on the same texts.

Run `python -m tests.benchmarks.ingest [LISTING]`, or
`pytest -m benchmark -s tests/benchmarks/ingest.py`. It prints and never fails by the clock: what
counts is the ratio on a machine that is idle.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import resource
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bot.bootstrap import load_tagger
from bot.triage.clock import SystemClock
from bot.triage.ingest import Ingest, IngestReport, ListingInput
from bot.triage.library import Library
from bot.triage.tagging import Tagging
from data.index import SearchIndex
from data.store.connection import Store
from tests.conftest import SHARED

if TYPE_CHECKING:
    from collections.abc import Sequence

CORPUS = SHARED / "corpus" / "arxiv-daily.jsonl.gz"


@dataclass(frozen=True, slots=True)
class Timed:
    """One step: seconds, CPU seconds here and in child processes, and what it says of itself.

    `peak_megabytes` is the resident memory of this process at its highest so far, and that of the
    largest child.
    """

    name: str
    seconds: float
    cpu: float
    child_cpu: float
    note: str
    peak_megabytes: float


def vectorise(path: Path) -> Timed:
    """The yardstick: scikit-learn's TF-IDF matrix of every title and abstract."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    with gzip.open(path, "rt", encoding="utf-8") as lines:
        texts = [f"{paper['title']}\n{paper['abstract']}" for paper in map(json.loads, lines)]
    clock = _Clock()
    matrix = TfidfVectorizer(sublinear_tf=True).fit_transform(texts)
    return clock.stop("TfidfVectorizer", f"{matrix.shape[0]:,} papers")


async def ingest_twice(path: Path, home: Path) -> list[Timed]:
    """Reads the listing into an empty library, and then once more."""
    store = Store(home / "library.db")
    await store.open()
    try:
        library = Library(store, SearchIndex(home / "index"), SystemClock())
        ingest = Ingest(library, Tagging(library, load_tagger))
        steps: list[Timed] = []
        for name in ("first ingest", "second ingest"):
            clock = _Clock()
            report = await ingest.run([ListingInput(path.name, path)])
            steps.append(clock.stop(name, _counts(report)))
        return steps
    finally:
        await store.close()


def _counts(report: IngestReport) -> str:
    names = ("read", "new", "updated", "merged", "unchanged")
    return ", ".join(f"{report.total(name):,} {name}" for name in names)


class _Clock:
    """Measures from when it is made."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()
        self._children = _child_cpu()

    def stop(self, name: str, note: str) -> Timed:
        """What was measured."""
        return Timed(
            name,
            time.perf_counter() - self._wall,
            time.process_time() - self._cpu,
            _child_cpu() - self._children,
            note,
            _peak(resource.RUSAGE_SELF) + _peak(resource.RUSAGE_CHILDREN),
        )


def _child_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _peak(who: int) -> float:
    return resource.getrusage(who).ru_maxrss / (1_000_000 if sys.platform == "darwin" else 1_000)


def shown(steps: Sequence[Timed]) -> str:
    """The steps as a table, each with its ratio to the first."""
    return "\n".join(
        f"{step.name:16} {step.seconds:7.2f} s  {step.seconds / steps[0].seconds:5.2f} x  "
        f"CPU {step.cpu:6.2f} + {step.child_cpu:5.2f} s  {step.peak_megabytes:6.0f} MB  {step.note}"
        for step in steps
    )


@pytest.mark.benchmark
async def test_a_large_listing_is_read_at_a_small_multiple_of_vectorising_it(
    shared: Path, tmp_path: Path
) -> None:
    steps = await ingest_twice(shared / "corpus" / CORPUS.name, tmp_path)
    steps.insert(0, vectorise(shared / "corpus" / CORPUS.name))
    print("\n" + shown(steps))  # noqa: T201 - printing is what it is for
    assert "0 new" in steps[-1].note, "a second reading adds nothing"


def main() -> None:
    """Prints the table for one listing, the corpus where none is named."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else CORPUS
    with tempfile.TemporaryDirectory() as home:
        steps = asyncio.run(ingest_twice(path, Path(home)))
    steps.insert(0, vectorise(path))  # last, as its memory is none of the library's
    print(shown(steps))  # noqa: T201 - as above


if __name__ == "__main__":
    main()
