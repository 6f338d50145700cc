"""A model that does not fit is refused in one sentence that says what to do."""

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from classifiers import ModelRefused, Tagger
from classifiers.artefact import MANIFEST_FILE, MODEL_FILE


@pytest.fixture
def copied(trained: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(trained, tmp_path / "model"))


def _edit(directory: Path, change: Callable[[dict[str, object]], object]) -> None:
    path = directory / MANIFEST_FILE
    manifest = json.loads(path.read_text(encoding="utf-8"))
    change(manifest)
    path.write_text(json.dumps(manifest), encoding="utf-8")


def _replace_model(directory: Path, written: bytes) -> None:
    import hashlib

    (directory / MODEL_FILE).write_bytes(written)
    _edit(directory, lambda m: m.update(model_id=hashlib.sha256(written).hexdigest()[:12]))


def _refusal(directory: Path) -> str:
    with pytest.raises(ModelRefused) as refused:
        Tagger.load(directory)
    sentence = str(refused.value)
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert "papertriage train" in sentence
    return sentence


def test_an_untouched_copy_is_loaded(copied: Path) -> None:
    assert Tagger.load(copied).card.labels == ("position", "theory", "methods")


@pytest.mark.parametrize("number", ["1.2.0", "2.1.0", "next"])
def test_a_model_of_another_scikit_learn_is_refused(copied: Path, number: str) -> None:
    _edit(copied, lambda m: m.update(scikit_learn=number))
    assert f"made with scikit-learn {number}" in _refusal(copied)


def test_a_running_scikit_learn_out_of_range_is_refused(
    copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("classifiers.artefact.version", lambda _: "1.7.2")
    assert "run with scikit-learn 1.7.2" in _refusal(copied)


def test_other_labels_are_refused(copied: Path) -> None:
    _edit(copied, lambda m: m.update(labels=["good", "bad"]))
    assert "tells good, bad apart" in _refusal(copied)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), "0.8", True])
def test_a_threshold_that_is_no_number_is_refused(copied: Path, number: object) -> None:
    _edit(copied, lambda m: m.update(threshold=number))
    assert "malformed" in _refusal(copied)


def test_another_format_is_refused(copied: Path) -> None:
    _edit(copied, lambda m: m.update(format=99))
    assert "format 99" in _refusal(copied)


def test_a_model_that_the_manifest_does_not_describe_is_refused(copied: Path) -> None:
    with (copied / MODEL_FILE).open("ab") as file:
        file.write(b" ")
    assert "not the one that its manifest describes" in _refusal(copied)


@pytest.mark.parametrize("name", [MODEL_FILE, MANIFEST_FILE])
def test_a_missing_file_is_named(copied: Path, name: str) -> None:
    (copied / name).unlink()
    assert name in _refusal(copied)


@pytest.mark.parametrize("field", ["threshold", "scores", "labels", "model_id"])
def test_a_manifest_that_lacks_a_field_is_refused(copied: Path, field: str) -> None:
    _edit(copied, lambda m: m.pop(field))
    assert "missing or malformed" in _refusal(copied)


@pytest.mark.parametrize("written", ["", "[]", "{}", "null", '{"format": "one"}'])
def test_a_manifest_that_is_none_is_refused(copied: Path, written: str) -> None:
    (copied / MANIFEST_FILE).write_text(written, encoding="utf-8")
    assert MANIFEST_FILE in _refusal(copied)


def test_a_file_that_holds_more_than_text_and_numbers_is_refused(copied: Path) -> None:
    from skops import io

    _replace_model(copied, io.dumps({"words": "a", "weights": zipfile.Path}))
    assert "more than text and numbers" in _refusal(copied)


@pytest.mark.parametrize("written", [b"", b"no zip", b"PK\x03\x04 broken"])
def test_a_damaged_file_is_refused(copied: Path, written: bytes) -> None:
    _replace_model(copied, written)
    assert "damaged" in _refusal(copied)


def test_parts_that_do_not_fit_together_are_refused(copied: Path) -> None:
    from skops import io

    empty = np.zeros(0, dtype=np.int64)
    parts = {"words": ".\na", "pairs": empty, "triples": empty, "intercepts": np.zeros(3)}
    _replace_model(copied, io.dumps({**parts, "weights": np.zeros((3, 3))}))
    assert "do not fit together" in _refusal(copied)
    _replace_model(copied, io.dumps(parts))
    assert "lacks a part" in _refusal(copied)


def test_skops_itself_finds_nothing_to_distrust_and_reads_the_same(copied: Path) -> None:
    from skops import io

    path = copied / MODEL_FILE
    assert io.get_untrusted_types(file=path) == []
    payload = io.load(path, trusted=[])
    ours = Tagger.load(copied)
    assert payload["words"].split("\n")[0] == "."
    assert np.array_equal(payload["weights"], ours._model.weights)
