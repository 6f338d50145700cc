"""The shell's corrections, trainings and grades, also with odd names, ids and folders."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import pytest

from tests.bot.test_cli import Shell, page, shell
from tests.classifiers.conftest import written_papers

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


def test_a_correction_from_the_shell_is_shown_everywhere_and_can_be_taken_back(
    shell: Shell, page: Path
) -> None:
    shell("ingest", page)
    done = shell("correct", "1", "theory", "--by", "ada")
    assert (done.returncode, done.stdout) == (
        0,
        "#1 is theory now, before methods (ada says theory).\n",
    )
    disagreed = shell("correct", "1", "position", "--by", "ben")
    assert "#1 is theory now" in disagreed.stdout
    assert "ada says theory; ben says position" in disagreed.stdout
    found = json.loads(shell("search", "pruning tag:theory", "--json").stdout)
    assert [result["tag"] for result in found["results"]] == ["theory"]
    assert shell("search", "pruning tag:theory", "--server", "7").stdout.startswith("No paper")
    story = shell("why", "1").stdout
    assert "ada corrected methods to theory" in story
    assert "ben corrected theory to position" in story
    assert "shown as theory" in story
    for name in ("ada", "ben"):
        assert shell("correct", "1", "withdraw", "--by", name).returncode == 0
    story = shell("why", "1").stdout
    assert "ada took back theory" in story
    assert "shown as" not in story


@pytest.mark.parametrize(
    "words",
    [
        ["correct", "1", "brilliant"],
        ["correct", "1", "withdraw"],
        ["correct", "99", "theory"],
        ["correct", "1", "theory", "--by", " "],
        ["train", "--accept"],
        ["train", "--discard"],
        ["train", "--accept", "--discard"],
        ["train", "labels.jsonl", "--accept"],
    ],
)
def test_a_wrong_correction_or_decision_is_one_sentence(
    shell: Shell, page: Path, words: list[str]
) -> None:
    shell("ingest", page)
    done = shell(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1


def test_retraining_from_the_shell_learns_tags_anew_and_says_so(shell: Shell, page: Path) -> None:
    nothing = shell("train")
    assert nothing.returncode == 0
    assert "no correction to learn from" in nothing.stdout
    shell("ingest", page)
    shell("correct", "2", "theory", "--by", "ada")
    assert "Learnt 1 corrected paper of 1 person." in shell("train").stdout
    shell("correct", "2", "theory", "--by", "ben")
    report = json.loads(shell("train", "--json").stdout)
    assert (report["outcome"], report["papers"], report["people"]) == ("in place", 1, 2)
    assert set(report["before"]) == {"position", "theory", "methods", "all"}
    stats = json.loads(shell("stats", "--json").stdout)
    assert stats["model"] == report["model"]
    learning = stats["learning"]
    assert (learning["retrained"], learning["judged"], learning["tagged"]) == (True, 3, 3)
    assert "learnt corrections" in shell("doctor").stdout
    assert "last retraining" in shell("stats").stdout
    assert (shell.folder / "home" / "model" / "current").read_text() == report["model"]


def test_a_model_of_ones_own_tags_and_a_wrong_one_is_named(shell: Shell, page: Path) -> None:
    shell("ingest", page)
    done = shell("doctor", PAPERTRIAGE_MODEL=str(shell.folder / "nowhere"))
    assert done.returncode == 1
    assert "PAPERTRIAGE_MODEL" in done.stdout
    mine = shell.folder / "mine"
    papers = "\n".join(json.dumps(asdict(paper)) for paper in written_papers())
    (shell.folder / "labels.jsonl").write_text(papers, "utf-8")
    made = json.loads(shell("train", "labels.jsonl", "--out", mine, "--json").stdout)
    stats = shell("stats", "--json", PAPERTRIAGE_MODEL=str(mine))
    assert json.loads(stats.stdout)["model"] == made["model_id"]


def test_evaluate_grades_json_lines_and_draws_the_pictures(shell: Shell) -> None:
    told = {
        "position": "We argue that reviewers and funders must change course, and call for a debate "
        "on the practice of the community. This matters to all of society.",
        "methods": "We propose a network for meshes. Experiments on four benchmarks show that it "
        "outperforms strong baselines by 3.2 points, and the code is available online.",
    }
    lines = [json.dumps({"title": "", "abstract": a, "label": name}) for name, a in told.items()]
    (shell.folder / "labels.jsonl").write_text("\n".join(lines), encoding="utf-8")
    done = shell("evaluate", "labels.jsonl", "--out", "pictures", "--json")
    assert done.returncode == 0
    grade = json.loads(done.stdout)
    assert grade["papers"] == 2
    assert {"types", "confusion", "calibration_error", "reliability", "coverage"} <= grade.keys()
    assert all((shell.folder / path).stat().st_size for path in grade["pictures"])
    table = shell("evaluate", "labels.jsonl").stdout
    assert "answering the surest" in table
    theory = next(line for line in table.splitlines() if "theory" in line)
    assert theory.split("│")[2:6] == [" 0      ", " –         ", " –      ", " –     "]
    assert "macro-F1 1.000 (of position and methods)" in table
