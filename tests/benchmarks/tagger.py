"""How many abstracts a second the tagger judges on one core: `python -m tests.benchmarks.tagger`.

It reads the corpus in ../shared and counts process CPU time with one thread, of judging alone, with
reasons in their light form, and of all that `papertriage tag - --json` does for a line: reading
JSON, making its text plain, judging, and printing. Starting the program is not counted.
"""

import contextlib
import gzip
import io
import json
import os
import sys
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

# Read by the numeric libraries when they are first imported.
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

_CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "arxiv-daily.jsonl.gz"
_PAPERS = 5_000
_ROUNDS = 3


def main() -> None:
    """Prints abstracts a second, the best of three rounds of each."""
    from bot.bootstrap import load_tagger
    from bot.cli.library import tag

    papers = _papers()
    tagger = load_tagger()
    lines = "".join(f"{json.dumps({'title': t, 'abstract': a})}\n" for t, a in papers)

    def command() -> None:
        stand_in = io.TextIOWrapper(io.BytesIO(lines.encode()), encoding="utf-8")
        written = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        there = sys.stdin
        sys.stdin = stand_in
        try:
            with contextlib.redirect_stdout(written):
                tag("-", json=True)
        finally:
            sys.stdin = there

    _report("judging alone", lambda: tagger.judge(papers))
    _report("with light reasons", lambda: tagger.judge(papers, reasons=True, exact=False))
    _report("papertriage tag - --json", command)


def _papers() -> list[tuple[str, str]]:
    with gzip.open(_CORPUS, "rt", encoding="utf-8") as lines:
        read = (json.loads(line) for line in islice(lines, _PAPERS))
        return [(paper["title"], paper["abstract"]) for paper in read]


def _report(name: str, action: Callable[[], object]) -> None:
    took = []
    for _ in range(_ROUNDS):
        start = time.process_time()
        action()
        took.append(time.process_time() - start)
    sys.stdout.write(f"{name:26} {_PAPERS / min(took):8,.0f} abstracts a second\n")


if __name__ == "__main__":
    main()
