"""The shell's corrections and trainings with odd names, ids and folders: one sentence each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.bot.test_cli import Shell, page, shell

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["page", "shell"]

ABSTRACTS = {
    "position": "We argue that the community should change how it reviews.",
    "theory": "We prove a matching lower bound for every learner.",
    "methods": "We train a network and evaluate it on three benchmarks.",
}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["queue", "--server", "9" * 30], "Invalid value for '--server'"),
        (["search", "pruning", "--server", "-5"], "Invalid value for '--server'"),
        (["correct", "1", "theory", "--server", "77"], "The library knows no server 77"),
        (["correct", "1", "theory", "--by", "\x1b\n"], "The name is empty"),
        (["correct", "1", "theory", "--by", "x" * 101], "more than 100 signs"),
    ],
)
def test_an_odd_server_or_name_is_one_sentence(
    shell: Shell, page: Path, words: list[str], sentence: str
) -> None:
    shell("ingest", page)
    done = shell(*words)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    # What was refused founded no server, so nobody has to choose one.
    assert shell("correct", "1", "theory").returncode == 0


def test_a_name_is_shown_without_what_a_terminal_would_obey(shell: Shell, page: Path) -> None:
    shell("ingest", page)
    done = shell("correct", "1", "theory", "--by", "a\nb\x1b[31m c")
    assert "(a b [31m c says theory)" in done.stdout


def test_a_folder_that_cannot_hold_a_model_is_named(shell: Shell, tmp_path: Path) -> None:
    labels = [
        {"title": f"Paper {number}", "abstract": f"{text} Case {number}.", "label": kind}
        for kind, text in ABSTRACTS.items()
        for number in range(4)
    ]
    file = tmp_path / "labels.jsonl"
    file.write_text("\n".join(map(json.dumps, labels)), "utf-8")
    (tmp_path / "taken").write_text("a file")
    done = shell("train", file, "--out", tmp_path / "taken")
    assert done.returncode == 2
    assert "cannot be written into" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    made = shell("train", file, "--out", tmp_path / "mine")
    assert f"evaluate LABELS --model {tmp_path / 'mine'}" in made.stdout


def test_why_a_text_could_not_be_judged_is_told(shell: Shell, tmp_path: Path) -> None:
    german = (
        "Wir zeigen, dass das Verfahren auf vier Datensätzen besser ist als der Stand der Technik, "
        "und beweisen die Konvergenz unter schwachen Annahmen an die Daten."
    )
    file = tmp_path / "paper.jsonl"
    file.write_text(json.dumps({"title": "Ein Verfahren", "abstract": german}), "utf-8")
    shell("ingest", file)
    sentence = "The abstract does not read like English prose."
    told = " ".join(shell("why", "1").stdout.split())
    assert f"tagged unsure (position 5%, theory 10%, methods 85%): {sentence}" in told
    assert sentence in " ".join(
        json.loads(shell("tag", file, "--json").stdout)["papers"][0]["reasons"][0]["text"].split()
    )
