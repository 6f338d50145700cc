"""The tagger on disk: one skops file of plain arrays, and a manifest that says what it is.

The file holds no estimator and no code. Writing it takes skops; reading it takes a few lines that
accept a dictionary of text and NumPy arrays and refuse all else, because importing skops pulls in
the whole of scikit-learn and takes longer than everything else the tagger does.
"""

import hashlib
import io
import json
import math
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from importlib.metadata import version
from pathlib import Path
from typing import Final, cast

import numpy as np

from classifiers.contribution import TYPES
from classifiers.features import Vectoriser, Vocabulary
from classifiers.linear import Doubles, Floats, Model

MODEL_FILE: Final = "tagger.skops"
MANIFEST_FILE: Final = "manifest.json"
FORMAT: Final = 1

# The range of pyproject.toml.
_LEAST_SCIKIT: Final = (1, 8)
_NOT_YET_SCIKIT: Final = (2, 0)

_AGAIN: Final = "train anew with `papertriage train`"


class ModelRefused(Exception):  # noqa: N818 - it names what happened, as the caller reads it
    """A model directory cannot be used; the message is one sentence that says what to do."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What is known about a trained tagger.

    `trained_on` is a date; `scores` are those on held-out papers, by name; `threshold` is the
    probability below which a paper is unsure, `secondary_threshold` that from which a second type
    is named; `natural_mix` the shares of the types for which the probabilities are meant.
    """

    format: int
    model_id: str
    trained_on: str
    scikit_learn: str
    labels: tuple[str, ...]
    training_set: str
    training_counts: dict[str, int]
    scores: dict[str, float]
    threshold: float
    secondary_threshold: float
    natural_mix: dict[str, float]


def save(directory: Path, model: Model, manifest: Manifest) -> Manifest:
    """Writes a model and its manifest into a directory, made if need be.

    The returned manifest carries the model id, which is taken from the file that was written.
    """
    from skops import io as skops_io

    directory.mkdir(parents=True, exist_ok=True)
    vocabulary = model.vectoriser.vocabulary
    payload = {
        "words": "\n".join(vocabulary.words),
        "pairs": vocabulary.pairs,
        "triples": vocabulary.triples,
        "weights": model.weights,
        "intercepts": model.intercepts,
    }
    written = skops_io.dumps(payload, compression=zipfile.ZIP_DEFLATED, compresslevel=9)
    complete = replace(manifest, model_id=_model_id(written))
    (directory / MODEL_FILE).write_bytes(written)
    text = json.dumps(asdict(complete), indent=2, ensure_ascii=False)
    (directory / MANIFEST_FILE).write_text(f"{text}\n", encoding="utf-8")
    return complete


def load(directory: Path) -> tuple[Model, Manifest]:
    """The model of a directory and its manifest.

    Raises `ModelRefused` when a file is missing or damaged, when the two do not belong together,
    when the file holds other types than text and arrays, or when it was made for other software.
    """
    manifest = _load_manifest(directory / MANIFEST_FILE)
    _check_software(directory, manifest)
    path = directory / MODEL_FILE
    try:
        written = path.read_bytes()
    except OSError as error:
        raise ModelRefused(
            f"The model file {path} cannot be read; copy it there or {_AGAIN}."
        ) from error
    if _model_id(written) != manifest.model_id:
        raise ModelRefused(
            f"The model file {path} is not the one that its manifest describes; copy both files "
            f"again or {_AGAIN}."
        )
    return _unpack(path, _read_payload(path, written)), manifest


def scikit_learn_version() -> str:
    """The installed version of scikit-learn, without importing it."""
    return version("scikit-learn")


def _load_manifest(path: Path) -> Manifest:
    try:
        read: object = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelRefused(
            f"The manifest {path} cannot be read; copy it there or {_AGAIN}."
        ) from error
    except ValueError as error:
        raise ModelRefused(
            f"The manifest {path} is not JSON; copy the model directory again or {_AGAIN}."
        ) from error
    found = cast("dict[str, object]", read) if isinstance(read, dict) else {}
    try:
        return Manifest(
            format=int(_real(found["format"])),
            model_id=_text(found["model_id"]),
            trained_on=_text(found["trained_on"]),
            scikit_learn=_text(found["scikit_learn"]),
            labels=tuple(_text(label) for label in cast("list[object]", found["labels"])),
            training_set=_text(found["training_set"]),
            training_counts={n: int(c) for n, c in _reals(found["training_counts"]).items()},
            scores=_reals(found["scores"]),
            threshold=_real(found["threshold"]),
            secondary_threshold=_real(found["secondary_threshold"]),
            natural_mix=_reals(found["natural_mix"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        wanted = ", ".join(field.name for field in fields(Manifest))
        raise ModelRefused(
            f"The manifest {path} must hold {wanted}, and one of them is missing or malformed; "
            f"copy the model directory again or {_AGAIN}."
        ) from error


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _real(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(value)
    if not math.isfinite(value):  # JSON of Python's kind may say NaN, below which nothing is
        raise ValueError(value)
    return float(value)


def _reals(value: object) -> dict[str, float]:
    return {name: _real(number) for name, number in cast("dict[str, object]", value).items()}


def _check_software(directory: Path, manifest: Manifest) -> None:
    if manifest.format != FORMAT:
        raise ModelRefused(
            f"The model in {directory} has format {manifest.format} and this program reads format "
            f"{FORMAT}; {_AGAIN}."
        )
    if manifest.labels != tuple(TYPES):
        raise ModelRefused(
            f"The model in {directory} tells {', '.join(manifest.labels)} apart, not "
            f"{', '.join(TYPES)}; {_AGAIN}."
        )
    for how, number in (("made", manifest.scikit_learn), ("run", scikit_learn_version())):
        if not _LEAST_SCIKIT <= _release(number) < _NOT_YET_SCIKIT:
            raise ModelRefused(
                f"The model in {directory} is {how} with scikit-learn {number} and needs 1.8 or "
                f"later, below 2; install such a version or {_AGAIN}."
            )


def _release(number: str) -> tuple[int, int]:
    parts = number.split(".")
    try:
        return int(parts[0]), int(parts[1])
    except (ValueError, IndexError):
        return (0, 0)


def _read_payload(path: Path, written: bytes) -> Mapping[str, object]:
    """The dictionary of a skops file, whose schema may name text and arrays only."""
    try:
        with zipfile.ZipFile(io.BytesIO(written)) as archive:
            schema = cast("dict[str, object]", json.loads(archive.read("schema.json")))
            content = cast("dict[str, dict[str, object]]", schema["content"])
            return {name: _read_node(path, archive, node) for name, node in content.items()}
    except (KeyError, ValueError, TypeError, AttributeError, OSError, zipfile.BadZipFile) as error:
        raise ModelRefused(
            f"The model file {path} is damaged; copy it again or {_AGAIN}."
        ) from error


def _read_node(path: Path, archive: zipfile.ZipFile, node: dict[str, object]) -> object:
    kind = f"{node['__module__']}.{node['__class__']}"
    if kind == "builtins.str":
        return json.loads(_text(node["content"]))
    if kind == "numpy.ndarray" and node["type"] == "numpy":
        array = io.BytesIO(archive.read(_text(node["file"])))
        return cast("Doubles", np.load(array, allow_pickle=False))
    raise ModelRefused(
        f"The model file {path} holds {kind}, which is more than text and numbers; do not use it, "
        f"{_AGAIN}."
    )


def _unpack(path: Path, payload: Mapping[str, object]) -> Model:
    try:
        vocabulary = Vocabulary(
            tuple(_text(payload["words"]).split("\n")),
            np.asarray(payload["pairs"], dtype=np.int64),
            np.asarray(payload["triples"], dtype=np.int64),
        )
        weights: Floats = np.asarray(payload["weights"], dtype=np.float32)
        intercepts: Doubles = np.asarray(payload["intercepts"], dtype=np.float64)
    except (KeyError, ValueError, TypeError) as error:
        raise ModelRefused(f"The model file {path} lacks a part; {_AGAIN}.") from error
    shapes = weights.shape, intercepts.shape
    if shapes != ((2 * vocabulary.block, len(TYPES)), (len(TYPES),)):
        raise ModelRefused(f"The parts of the model file {path} do not fit together; {_AGAIN}.")
    return Model(Vectoriser(vocabulary), weights, intercepts)


def _model_id(written: bytes) -> str:
    return hashlib.sha256(written).hexdigest()[:12]
