"""The command line in odd surroundings: full disks, closed pipes, strange files and settings."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from bot.cli import main
from tests.bot.test_cli import ROOT, Shell, page, shell

__all__ = ["page", "shell"]


def run(*words: str, home: Path, **how: object) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PAPERTRIAGE_HOME": str(home)}
    return subprocess.run(  # type: ignore[call-overload]
        [sys.executable, "-m", "bot", *words],
        cwd=ROOT, text=True, check=False,
        **({"env": environment, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | how),
    )  # fmt: skip


def test_the_version_is_told(shell: Shell) -> None:
    done = shell("--version")
    assert (done.returncode, done.stdout.split()[0]) == (0, "papertriage")


def test_a_path_that_is_too_long_is_refused_in_a_sentence(shell: Shell) -> None:
    done = shell("ingest", "a" * 5_000)
    assert done.returncode == 2
    assert "cannot be read: File name too long" in done.stderr
    assert len(done.stderr) < 300


def test_settings_in_another_encoding_are_named(shell: Shell) -> None:
    (shell.folder / ".env").write_bytes("PAPERTRIAGE_LOG_LEVEL=INFO\n".encode("utf-16"))
    done = shell("stats")
    assert done.returncode == 2
    assert ".env is not in UTF-8" in done.stderr


def test_a_tilde_in_the_settings_is_the_users_folder(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(shell.folder / "ada"))
    assert shell("stats", PAPERTRIAGE_HOME="~/papers").returncode == 0
    assert (shell.folder / "ada" / "papers" / "library.db").exists()
    assert not (shell.folder / "~").exists()


def test_a_file_in_the_place_of_the_index_is_named(shell: Shell, page: Path) -> None:
    (shell.folder / "home").mkdir()
    (shell.folder / "home" / "index").touch()
    done = shell("ingest", page)
    assert done.returncode == 2
    assert "Move aside what stands there" in done.stderr
    doctor = shell("doctor")
    assert doctor.returncode == 1
    assert "move aside what stands there" in doctor.stdout


def test_the_doctor_knows_a_library_of_a_newer_version(shell: Shell, page: Path) -> None:
    shell("ingest", page)
    with closing(sqlite3.connect(shell.folder / "home" / "library.db")) as library:
        library.execute(
            "INSERT INTO _sqlite_migrations (migration_set, name, applied_at)"
            " VALUES ('papertriage', 'm999_later', 'then')"
        )
        library.commit()
    done = shell("doctor")
    assert done.returncode == 1
    assert "was written by a newer papertriage (m999_later)" in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_a_full_disk_behind_the_output_is_a_sentence(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = run("stats", home=tmp_path, stdout=full)
    assert done.returncode == 2
    assert (
        done.stderr == "Nothing more can be written: the disk is full. Make room and try again.\n"
    )


def test_too_little_memory_is_a_sentence(monkeypatch, capsys) -> None:
    def exhausted(**_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("bot.cli.app", exhausted)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    (sentence,) = capsys.readouterr().err.splitlines()
    assert "What was stored is kept" in sentence


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    here, there = os.pipe()
    os.close(here)
    with os.fdopen(there, "w") as closed:
        done = run("stats", home=tmp_path, stdout=closed)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_demo_that_is_told_to_end_throws_its_library_away(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "bot", "demo", "--no-browser"],
        cwd=ROOT,
        env=os.environ | {"TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        text=True,
    ) as demo:
        assert demo.stdout is not None
        for line in demo.stdout:
            if "Ctrl-C" in line:
                break
        assert list(tmp_path.iterdir())
        demo.send_signal(signal.SIGTERM)
        demo.communicate(timeout=60)
    assert list(tmp_path.iterdir()) == []


def test_names_of_another_encoding_cost_nothing(tmp_path: Path) -> None:
    listing = tmp_path / "caf\udce9.jsonl"
    listing.write_text('{"title": "Otters", "abstract": "We study how otters sleep."}', "utf-8")
    done = run("ingest", str(listing), "--source", "caf\udce9", "--json", home=tmp_path / "home")
    assert done.returncode == 0, done.stderr
    told = run("why", "1", home=tmp_path / "home")
    assert "in caf?, caf?.jsonl" in told.stdout


@pytest.mark.parametrize("words", [(), ("sources",)])
def test_a_group_without_a_command_prints_its_whole_help(
    shell: Shell, words: tuple[str, ...]
) -> None:
    bare, asked = shell(*words), shell(*words, "--help")
    assert (bare.returncode, bare.stdout) == (2, asked.stdout)
    assert "Commands:" in bare.stdout


def test_a_table_of_long_paths_fits_a_narrow_terminal(tmp_path: Path, page: Path) -> None:
    folder = tmp_path / ("a" * 60)
    folder.mkdir()
    (folder / "first-listing.txt").write_bytes(page.read_bytes())
    (folder / "second-listing.txt").write_bytes(page.read_bytes())
    environment = os.environ | {"PAPERTRIAGE_HOME": str(tmp_path / "home"), "COLUMNS": "80"}
    done = run("ingest", str(folder), home=tmp_path / "home", env=environment)
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "first-listing.txt" in done.stdout
    assert "second-listing.txt" in done.stdout
    assert "merged" not in done.stdout  # nothing was


def test_a_format_that_is_not_there_is_a_sentence_without_a_table(shell: Shell, page: Path) -> None:
    done = shell("ingest", page, "--format", "scroll")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith('There is no format "scroll"')


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("search", "x", "--sort", "colour"), "Invalid value for '--sort': 'colour' is not one of"),
        (("search", "x", "--limit", "0"), "Invalid value for '--limit': it must be greater than"),
        (("rank", "no-corpus", "no-queries"), "There is no file no-corpus and none no-queries;"),
        (("why", "9999"), "I know no paper “9999”; search for it"),
    ],
)
def test_wrong_use_is_told_in_plain_words(shell: Shell, words: tuple[str, ...], said: str) -> None:
    done = shell(*words)
    assert done.returncode == 2
    assert done.stderr.startswith(said)


def test_a_wrong_option_leads_to_the_help_of_its_command(shell: Shell) -> None:
    assert "digest --help'" in shell("digest", "--dry-run", "--max", "61").stderr


def test_the_doctor_counts_a_merged_paper_once(shell: Shell, page: Path) -> None:
    shell("ingest", page)
    before = shell("doctor").stdout
    shell("merge", "1", "2")
    counts = [re.findall(r"(\d+) papers", said) for said in (before, shell("doctor").stdout)]
    assert counts[0][0] == counts[0][1]
    assert counts[1] == [str(int(counts[0][0]) - 1)] * 2


def test_a_search_tells_days_and_withdrawals_and_no_probability_of_being_unsure(
    shell: Shell,
) -> None:
    listing = [
        {"title": "Graphs One", "abstract": "We propose graphs.", "date": "2026-05-03"},
        {"title": "Graphs Two", "abstract": "Graphs.", "year": 2025, "comment": "withdrawn"},
        {"title": "Graphs Three", "abstract": "Graphs anew, and graphs again."},
    ]
    lines = "\n".join(json.dumps(paper) for paper in listing)
    shell("ingest", "-", stdin=lines)
    said = shell("search", "graphs").stdout.splitlines()
    small = {said[n].split(" ", 1)[1]: said[n + 1] for n in range(len(said)) if said[n][:1] == "#"}
    assert "2026-05-03" in small["Graphs One"]
    assert small["Graphs Two"].startswith("withdrawn · ")
    assert "2025" in small["Graphs Two"]
    assert "202" not in small["Graphs Three"]
    assert not [line for line in small.values() if re.search(r"unsure \d", line)]


def test_papers_that_wait_for_a_tag_are_counted_as_such(shell: Shell, page: Path) -> None:
    shell("ingest", page)
    with closing(sqlite3.connect(shell.folder / "home" / "library.db")) as library:
        library.execute("DELETE FROM tags WHERE paper_id = 1")
        library.commit()
    assert "1 untagged (the next ingest" in shell("stats").stdout
