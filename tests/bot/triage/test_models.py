"""Which model is loaded: current, previous, held; and what happens to one that cannot be used."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from bot.bootstrap import load_tagger, shipped
from bot.triage.models import BASE_FILE, CURRENT, HELD, Models
from bot.triage.upkeep import check_installation

if TYPE_CHECKING:
    from pathlib import Path

BASE = json.loads((shipped("tagger") / "manifest.json").read_text("utf-8"))["model_id"]


@pytest.fixture
def models(tmp_path) -> Models:
    return Models(load_tagger, shipped("tagger"), tmp_path / "model")


def keep(models: Models, name: str, state: str = CURRENT, base: str = BASE) -> None:
    with models.workshop() as made:
        shutil.copytree(shipped("tagger"), made)
        models.keep(made, name, base=base, lessons="1=theory*1", state=state)


def kept(tmp_path: Path) -> set[str]:
    return {path.name for path in (tmp_path / "model").iterdir() if path.is_dir()}


def test_the_shipped_model_tags_until_one_is_put_in_place(models, tmp_path) -> None:
    assert models.load().card.model_id == BASE
    assert (models.retrained, models.trouble, models.current()) == (False, None, None)
    keep(models, "one")
    models.load()
    assert (models.retrained, models.trouble, models.current()) == (True, None, "one")
    assert models.learnt(CURRENT) == "1=theory*1"
    assert models.learnt(HELD) == ""


def test_the_model_before_is_kept_and_older_ones_go(models, tmp_path) -> None:
    for name in ("one", "two", "three"):
        keep(models, name)
    assert kept(tmp_path) == {"two", "three"}
    models.back_to_base()
    models.load()
    assert (models.current(), models.retrained) == (None, False)


def test_a_held_model_waits_and_tags_nothing(models, tmp_path) -> None:
    keep(models, "one")
    keep(models, "odd", HELD)
    assert (models.current(), models.held()) == ("one", "odd")
    assert models.accept() == "odd"
    assert (models.current(), models.held(), models.accept()) == ("odd", None, None)
    keep(models, "other", HELD)
    assert models.discard() == "other"
    assert models.discard() is None
    assert kept(tmp_path) == {"one", "odd"}


def test_a_newer_model_in_place_ends_the_waiting_of_a_held_one(models) -> None:
    keep(models, "odd", HELD)
    keep(models, "one")
    assert models.held() is None


def test_a_process_that_dies_while_it_makes_a_model_changes_nothing(models, tmp_path) -> None:
    keep(models, "one")

    def die() -> None:
        with models.workshop() as made:
            made.mkdir()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        die()
    (tmp_path / "model" / "current.writing").write_text("two")
    models.load()
    assert (models.current(), models.retrained) == ("one", True)


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda folder: (folder / "tagger.skops").write_bytes(b"x"), "its manifest describes"),
        (lambda folder: (folder / "manifest.json").write_text("{"), "is not JSON"),
        (lambda folder: (folder / BASE_FILE).unlink(), "cannot be read"),
        (shutil.rmtree, "cannot be read"),
    ],
)
def test_a_damaged_model_is_passed_over_with_a_sentence(models, tmp_path, damage, sentence) -> None:
    keep(models, "one")
    damage(tmp_path / "model" / "one")
    assert models.load().card.model_id == BASE
    assert models.retrained is False
    assert sentence in (models.trouble or "")


def test_a_model_of_another_base_is_passed_over(models) -> None:
    keep(models, "one", base="older")
    models.load()
    assert models.retrained is False
    assert "made from another model" in (models.trouble or "")


def test_a_pointer_never_leads_out_of_its_folder(models, tmp_path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / CURRENT).write_text("../elsewhere")
    models.load()
    assert (models.current(), models.retrained) == (None, False)


def test_a_chosen_model_is_the_base_and_falls_back_to_the_shipped_one(tmp_path) -> None:
    chosen = tmp_path / "mine"
    shutil.copytree(shipped("tagger"), chosen)
    models = Models(load_tagger, shipped("tagger"), tmp_path / "model", chosen)
    models.load()
    assert (models.trouble, models.base_folder()) == (None, chosen)
    (chosen / "tagger.skops").unlink()
    assert models.load().card.model_id == BASE
    assert "PAPERTRIAGE_MODEL" in (models.trouble or "")
    assert models.base_folder() == shipped("tagger")


def test_the_doctor_says_which_model_tags_and_what_is_wrong_with_another(models, tmp_path) -> None:
    def check():
        return check_installation(tmp_path / "library.db", tmp_path / "index", models)[-1]

    assert check().good
    keep(models, "one")
    assert "learnt corrections" in check().sentence
    (tmp_path / "model" / "one" / "manifest.json").unlink()
    found = check()
    assert not found.good
    assert f"{BASE} tags now" in found.sentence


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / CURRENT).write_text("../elsewhere"),
        lambda folder: (folder / CURRENT).write_bytes(b"\xff\xfe"),
        lambda folder: (folder / CURRENT).write_text(""),
        lambda folder: ((folder / CURRENT).unlink(), (folder / CURRENT).mkdir()),
        lambda folder: (shutil.rmtree(folder), folder.write_text("")),
    ],
)
def test_a_pointer_that_names_no_model_is_told(models, tmp_path, damage) -> None:
    keep(models, "one")
    damage(tmp_path / "model")
    assert models.load().card.model_id == BASE
    assert "names no model" in (models.trouble or "")
    assert "names no model" in (models.unusable(CURRENT) or "")


def test_a_folder_without_a_pointer_is_no_trouble(models, tmp_path) -> None:
    (tmp_path / "model").mkdir()
    models.load()
    assert (models.trouble, models.unusable(CURRENT), models.unusable(HELD)) == (None, None, None)


def test_what_a_killed_retraining_left_is_thrown_away(models, tmp_path) -> None:
    left = tmp_path / "model" / ".new-abc" / "model"
    left.mkdir(parents=True)
    (left / "tagger.skops").write_bytes(b"half")
    keep(models, "one")
    assert kept(tmp_path) == {"one"}
