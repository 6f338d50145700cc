"""Two papertriages on one library: the second says so, and the first one's end frees the way."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from data.store.connection import StoreError
from data.store.locking import TakenError, held_alone
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

HOLDER = """
import sys, pathlib
from data.store.locking import held_alone
with held_alone(pathlib.Path(sys.argv[1]), what="runs"):
    print("held", flush=True)
    sys.stdin.read()
"""


def refused(lock: Path, kind: type[StoreError] = TakenError) -> str:
    """What one is told who can't hold the lock."""
    with pytest.raises(kind) as caught, held_alone(lock, what="runs"):
        pytest.fail("two hold it")
    return str(caught.value)


def test_the_second_is_told_who_runs_and_what_to_do(tmp_path: Path) -> None:
    lock = tmp_path / "home" / "run.lock"
    with held_alone(lock, what="runs"):
        said = refused(lock)
    assert f"(process {os.getpid()}) runs" in said
    assert "Stop the other" in said
    with held_alone(lock, what="runs"):
        assert lock.read_text() == f"{os.getpid()}\n"


def test_a_process_that_is_killed_releases_the_lock(tmp_path: Path) -> None:
    lock = tmp_path / "run.lock"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(lock)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == b"held"
        assert f"process {holder.pid}" in refused(lock)
    finally:
        holder.kill()
        holder.communicate()
    with held_alone(lock, what="runs"):
        assert lock.read_text().strip() == str(os.getpid())


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "PAPERTRIAGE_HOME" in refused(tmp_path / "file" / "run.lock", StoreError)
