"""The held-out papers of a model: numbers by which a retrained one is graded, never text.

Beside a model stand the features, the labels and the held-out scores of the papers on which it was
graded. The scores are those of five folds, each by a model that had not seen the paper. A model
that was changed by `classifiers.adapting` is graded by adding what the change adds to a score, so
old and new are compared on papers that neither has learnt.
"""

import io
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from classifiers.artefact import ModelRefused
from classifiers.contribution import TYPES
from classifiers.features import Present
from classifiers.linear import Doubles, Model
from classifiers.solver import Numbers

HELDOUT_FILE: Final = "heldout.npz"

_LOW: Final = 0xFFFF
_DIGITS: Final = 16

Fingerprints = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Papers kept for grading: their features, labels, (papers,), and scores, (papers, 3).

    `fingerprints` name their abstracts, so that a corrected paper that is among them is not learnt.
    """

    present: Present
    truth: Numbers
    scores: Doubles
    fingerprints: Fingerprints


def number_of(fingerprint: str) -> int:
    """A fingerprint of hexadecimal digits as the number that is kept."""
    return int(fingerprint, _DIGITS)


def save(directory: Path, model_id: str, papers: HeldOut) -> None:
    """Writes the held-out papers of a model beside it."""
    columns, starts = papers.present.columns, papers.present.starts
    gaps = np.diff(columns, prepend=0)
    # The first feature of a paper is counted from 0, not from the last one of the paper before.
    firsts = starts[:-1][np.diff(starts) > 0]
    gaps[firsts] = columns[firsts]
    written = io.BytesIO()
    np.savez_compressed(
        written,
        model_id=np.frombuffer(model_id.encode("ascii"), dtype=np.uint8),
        counts=np.diff(starts).astype(np.uint16),
        low=(gaps & _LOW).astype(np.uint16),
        high=(gaps >> _DIGITS).astype(np.uint16),
        truth=papers.truth.astype(np.uint8),
        scores=papers.scores.astype(np.float32),
        fingerprints=papers.fingerprints,
    )
    (directory / HELDOUT_FILE).write_bytes(written.getvalue())


def load(directory: Path, model: Model, model_id: str) -> HeldOut:
    """The held-out papers of a model. Raises `ModelRefused` where they are missing or damaged."""
    path = directory / HELDOUT_FILE
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
            parts: dict[str, NDArray[np.generic]] = {name: file[name] for name in file.files}
        of = parts["model_id"].tobytes().decode("ascii")
        counts = parts["counts"].astype(np.int64)
        gaps = parts["low"].astype(np.int64) | (parts["high"].astype(np.int64) << _DIGITS)
        truth = parts["truth"].astype(np.int64)
        scores = parts["scores"].astype(np.float64)
        fingerprints = parts["fingerprints"].astype(np.uint64)
    except (OSError, KeyError, ValueError, AttributeError, EOFError, zipfile.BadZipFile) as error:
        raise ModelRefused(
            f"The held-out papers {path} cannot be read; copy the model directory again or train "
            "anew with `papertriage train`."
        ) from error
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    fits = (
        of == model_id
        and len(gaps) == starts[-1]
        and scores.shape == (len(counts), len(TYPES))
        and len(truth) == len(fingerprints) == len(counts)
        and bool((truth < len(TYPES)).all())
    )
    columns = _columns(gaps, starts) if fits else gaps
    if not fits or (len(columns) and int(columns.max()) >= len(model.weights)):
        raise ModelRefused(
            f"The held-out papers {path} belong to another model; copy the model directory again "
            "or train anew with `papertriage train`."
        )
    return HeldOut(Present(starts, columns), truth, scores, fingerprints)


def _columns(gaps: Numbers, starts: Numbers) -> Numbers:
    running = np.cumsum(gaps)
    before = np.concatenate([np.zeros(1, np.int64), running])[starts[:-1]]
    return running - np.repeat(before, np.diff(starts))
