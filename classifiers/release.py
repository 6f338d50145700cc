"""Builds the tagger that ships: `python -m classifiers.release LABELS LISTINGS DIRECTORY`.

LABELS is a file that `papertriage train` reads too. LISTINGS is a file of JSON lines with title and
abstract, among them the papers that were read and labelled by hand (`readings`); the others show
which words go together (`semantics`).
"""

import json
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from classifiers.labels import lines_of, read_labels
from classifiers.readings import corrected, papers_read
from classifiers.training import train


def main(arguments: Sequence[str]) -> int:
    """Trains and writes the model; 2 when the arguments are not three paths."""
    if len(arguments) != 3:
        sys.stderr.write("Usage: python -m classifiers.release LABELS LISTINGS DIRECTORY\n")
        return 2
    labels, listings, directory = map(Path, arguments)
    labelled = read_labels(labels).papers
    known = {paper.abstract for paper in labelled}
    listed = [paper for paper in _listed(listings) if paper[1] not in known]
    read = papers_read(listed)
    labelled_texts = {paper.abstract for paper in read}
    manifest = train(
        [*corrected(labelled), *read],
        directory,
        today=datetime.now(tz=UTC).date(),
        unlabelled=[paper for paper in listed if paper[1] not in labelled_texts],
    )
    for name, score in manifest.scores.items():
        sys.stdout.write(f"{name}: {score}\n")
    return 0


def _listed(path: Path) -> Iterator[tuple[str, str]]:
    for _, line in lines_of(path):
        paper = cast("dict[str, str]", json.loads(line))
        yield paper["title"], paper["abstract"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
