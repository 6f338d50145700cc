"""The command line in odd surroundings: full disks, closed pipes, strange files and settings."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.bot.test_cli import ROOT, Shell, page, shell

__all__ = ["page", "shell"]


def run(*words: str, home: Path, **how: object) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PAPERTRIAGE_HOME": str(home)}
    return subprocess.run(  # type: ignore[call-overload]
        [sys.executable, "-m", "bot", *words],
        cwd=ROOT, env=environment, text=True, check=False,
        **({"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | how),
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
