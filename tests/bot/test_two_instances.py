"""A second bot on the same library says so and stands down; the shell works beside the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from data.store.locking import held_alone
from tests.bot.test_cli import Shell
from tests.bot.triage.conftest import PAPERS

if TYPE_CHECKING:
    from pathlib import Path

SETTING = "PAPERTRIAGE_DISCORD_TOKEN"


@pytest.fixture
def shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Shell:
    return Shell(tmp_path, monkeypatch, capsys)


def test_a_second_bot_says_that_one_runs_and_stands_down(shell: Shell, tmp_path: Path) -> None:
    with held_alone(tmp_path / "home" / "run.lock", what="runs"):
        done = shell("run", **{SETTING: "a.b.c"})
    assert done.returncode == 2
    assert "Another papertriage" in done.stderr
    assert "Stop the other first" in done.stderr
    assert done.stderr.count("\n") == 1


def test_reading_and_searching_go_on_beside_a_running_bot(shell: Shell, tmp_path: Path) -> None:
    page = tmp_path / "page.txt"
    page.write_text("Saved page\n\n" + "\n\n".join(PAPERS), encoding="utf-8")
    with held_alone(tmp_path / "home" / "run.lock", what="runs"):
        assert shell("ingest", page).returncode == 0
        found = shell("search", "bandits")
    assert found.returncode == 0
    assert "bandits" in found.stdout
