"""The tagger on disk: one skops file of plain arrays, and a manifest that says what it is.

The only module that knows skops. The file holds no code and no estimator, so a changed library
cannot change its meaning unseen; what it holds is checked against the manifest all the same.
"""

import hashlib
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from importlib.metadata import version
from pathlib import Path
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from classifiers.contribution import TYPES
from classifiers.features import Floats, Paper, TokenPaper, Vectoriser, Vocabulary

MODEL_FILE: Final = "tagger.skops"
MANIFEST_FILE: Final = "manifest.json"
FORMAT: Final = 1

# The oldest release on which the tagger was tried, and the first that it is not meant for; the same
# range as in pyproject.toml.
_LEAST_SCIKIT: Final = (1, 8)
_NOT_YET_SCIKIT: Final = (2, 0)


class ModelRefused(Exception):
    """A model directory cannot be used; the message is one sentence that says what to do."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What is known about a trained tagger.

    `scores` are those on held-out papers, by name; `threshold` is the probability below which a
    paper is unsure, `secondary_threshold` that from which a second type is named; `natural_mix`
    the shares of the types among the papers for which the probabilities are meant.
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


@dataclass(frozen=True, slots=True)
class Model:
    """The learnt numbers: `weights` is (3, features), `intercepts` (3,), types in order."""

    vectoriser: Vectoriser
    weights: Floats
    intercepts: NDArray[np.float64]

    def score(self, papers: Sequence[Paper]) -> NDArray[np.float64]:
        """The scores, (papers, 3), whose softmax is the probabilities."""
        return self._weigh(self.vectoriser.transform(papers))

    def score_tokens(self, papers: Sequence[TokenPaper]) -> NDArray[np.float64]:
        """The same for papers that were cut into tokens already."""
        return self._weigh(self.vectoriser.transform_tokens(papers))

    def _weigh(self, rows: sparse.csr_matrix) -> NDArray[np.float64]:
        return rows @ self.weights.T.astype(np.float64) + self.intercepts


def save(directory: Path, model: Model, manifest: Manifest) -> Manifest:
    """Writes a model and its manifest into a directory, made if need be.

    The returned manifest carries the model id, which is taken from the file that was written.
    """
    from skops import io

    directory.mkdir(parents=True, exist_ok=True)
    vocabulary = model.vectoriser.vocabulary
    payload = {
        "words": "\n".join(vocabulary.words),
        "pairs": vocabulary.pairs,
        "triples": vocabulary.triples,
        "inverse_frequencies": model.vectoriser.inverse_frequencies,
        "weights": model.weights,
        "intercepts": model.intercepts,
    }
    written = io.dumps(payload, compression=zipfile.ZIP_DEFLATED, compresslevel=9)
    complete = Manifest(**{**_shallow(manifest), "model_id": _model_id(written)})
    (directory / MODEL_FILE).write_bytes(written)
    text = json.dumps(asdict(complete), indent=2, ensure_ascii=False)
    (directory / MANIFEST_FILE).write_text(f"{text}\n", encoding="utf-8")
    return complete


def load(directory: Path) -> tuple[Model, Manifest]:
    """The model of a directory and its manifest.

    Raises `ModelRefused` when a file is missing or damaged, when the two do not belong together,
    when the file holds other types than plain arrays, or when it was made for other software.
    """
    manifest = _load_manifest(directory / MANIFEST_FILE)
    _check_software(directory, manifest)
    path = directory / MODEL_FILE
    try:
        written = path.read_bytes()
    except OSError as error:
        raise ModelRefused(
            f"The model file {path} cannot be read; train one with `papertriage train`."
        ) from error
    if _model_id(written) != manifest.model_id:
        raise ModelRefused(
            f"The model file {path} is not the one its manifest describes; copy both files again "
            "or train anew with `papertriage train`."
        )
    return _unpack(path, _trusted_payload(path, written)), manifest


def scikit_learn_version() -> str:
    """The installed version of scikit-learn, without importing it."""
    return version("scikit-learn")


def _load_manifest(path: Path) -> Manifest:
    try:
        read: object = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelRefused(
            f"The manifest {path} cannot be read; train a model with `papertriage train`."
        ) from error
    except ValueError as error:
        raise ModelRefused(
            f"The manifest {path} is not JSON; copy the model directory again or train anew with "
            "`papertriage train`."
        ) from error
    names = {field.name for field in fields(Manifest)}
    if not isinstance(read, dict) or not names <= set(cast("dict[str, object]", read)):
        raise ModelRefused(
            f"The manifest {path} lacks some of its fields; train anew with `papertriage train`."
        )
    found = cast("dict[str, object]", read)
    kept = {name: found[name] for name in names}
    kept["labels"] = tuple(cast("list[str]", kept["labels"]))
    return Manifest(**cast("dict[str, int]", kept))  # pyright: ignore[reportArgumentType] - JSON


def _check_software(directory: Path, manifest: Manifest) -> None:
    if manifest.format != FORMAT:
        raise ModelRefused(
            f"The model in {directory} has format {manifest.format} and this program reads format "
            f"{FORMAT}; train anew with `papertriage train`."
        )
    if manifest.labels != tuple(TYPES):
        raise ModelRefused(
            f"The model in {directory} tells {', '.join(manifest.labels)} apart, not "
            f"{', '.join(TYPES)}; train anew with `papertriage train`."
        )
    for which, number in (("made with", manifest.scikit_learn), ("run with", scikit_learn_version())):
        if not _LEAST_SCIKIT <= _release(number) < _NOT_YET_SCIKIT:
            raise ModelRefused(
                f"The model in {directory} is {which} scikit-learn {number} and needs 1.8 or later, "
                "below 2; install such a version or train anew with `papertriage train`."
            )


def _release(number: str) -> tuple[int, int]:
    parts = number.split(".")
    try:
        return int(parts[0]), int(parts[1])
    except (ValueError, IndexError):
        return (0, 0)


def _trusted_payload(path: Path, written: bytes) -> Mapping[str, object]:
    from skops import io

    try:
        foreign = cast("list[str]", io.get_untrusted_types(data=written))
        if foreign:
            raise ModelRefused(
                f"The model file {path} holds {foreign[0]}, which is more than plain numbers; "
                "do not use it, train anew with `papertriage train`."
            )
        payload: object = io.loads(written, trusted=[])
    except (ValueError, KeyError, TypeError, OSError, zipfile.BadZipFile) as error:
        raise ModelRefused(
            f"The model file {path} is damaged; copy it again or train anew with "
            "`papertriage train`."
        ) from error
    return cast("Mapping[str, object]", payload) if isinstance(payload, dict) else {}


def _unpack(path: Path, payload: Mapping[str, object]) -> Model:
    try:
        vocabulary = Vocabulary(
            tuple(cast("str", payload["words"]).split("\n")),
            np.asarray(payload["pairs"], dtype=np.int64),
            np.asarray(payload["triples"], dtype=np.int64),
        )
        inverse = np.asarray(payload["inverse_frequencies"], dtype=np.float32)
        weights = np.asarray(payload["weights"], dtype=np.float32)
        intercepts = np.asarray(payload["intercepts"], dtype=np.float64)
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise ModelRefused(
            f"The model file {path} lacks a part; train anew with `papertriage train`."
        ) from error
    width = 2 * vocabulary.block
    if inverse.shape != (width,) or weights.shape != (len(TYPES), width):
        raise ModelRefused(
            f"The parts of the model file {path} do not fit together; train anew with "
            "`papertriage train`."
        )
    return Model(Vectoriser(vocabulary, inverse), weights, intercepts)


def _model_id(written: bytes) -> str:
    return hashlib.sha256(written).hexdigest()[:12]


def _shallow(manifest: Manifest) -> dict[str, object]:
    return {field.name: getattr(manifest, field.name) for field in fields(manifest)}
