"""The rules of the house that a machine can check."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("bot", "classifiers", "data")
SOURCES = sorted(path for name in PACKAGES for path in (ROOT / name).rglob("*.py"))
EVERYTHING = [*SOURCES, *sorted((ROOT / "tests").rglob("*.py"))]
LONGEST_MODULE = 450

pytestmark = pytest.mark.filterwarnings("default")


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_imports_point_down() -> None:
    done = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", SOURCES, ids=named)
def test_every_module_says_what_it_is_for(path: Path) -> None:
    text = path.read_text("utf-8")
    assert not text.strip() or text.startswith('"""'), "a module begins with its docstring"


@pytest.mark.parametrize("path", SOURCES, ids=named)
def test_no_module_grows_too_long(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= LONGEST_MODULE, "split it"


@pytest.mark.parametrize("path", EVERYTHING, ids=named)
def test_an_exception_from_a_check_names_its_rule_and_its_reason(path: Path) -> None:
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        for mark in re.finditer(r"#\s*(noqa|pyright: ignore)\b(.*)", line):
            if mark[1] == "noqa":
                assert re.match(r":\s*[A-Z]+\d+(, ?[A-Z]+\d+)*\s+-\s+\S", mark[2]), (
                    f"{named(path)}:{number} needs a rule and a reason: {line.strip()}"
                )
            else:
                assert re.match(r"\[\w+(, ?\w+)*\]\s+-\s+\S", mark[2]), (
                    f"{named(path)}:{number} needs a rule and a reason: {line.strip()}"
                )


@pytest.mark.parametrize("path", SOURCES, ids=named)
def test_nothing_is_left_unfinished(path: Path) -> None:
    found = re.findall(r"\b(?:TODO|FIXME|XXX|NotImplementedError)\b", path.read_text("utf-8"))
    assert found == []


def test_only_the_command_line_and_the_demo_write_to_the_terminal() -> None:
    allowed = ("bot/cli/", "bot/demo/")
    printing = [
        named(path)
        for path in SOURCES
        if re.search(r"^\s*print\(", path.read_text("utf-8"), re.MULTILINE)
    ]
    assert [path for path in printing if not path.startswith(allowed)] == []


def test_no_cancellation_is_swallowed() -> None:
    for path in SOURCES:
        caught = re.findall(
            r"except\s*(?:BaseException|\(.*BaseException.*\))?:", path.read_text("utf-8")
        )
        assert caught == [], named(path)


def test_at_the_root_stand_only_the_agreed_folders() -> None:
    done = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip("this is no git checkout")
    folders = {line.split("/")[0] for line in done.stdout.splitlines() if "/" in line}
    assert folders <= {*PACKAGES, "tests", "docs", ".ci", ".github"}
    assert "uv.lock" not in done.stdout.split()


def test_no_path_of_a_machine_stands_in_the_files() -> None:
    for path in EVERYTHING:
        if path != Path(__file__):
            assert not re.search(r"(?<![\w/.])/(?:home|root|Users)/\w", path.read_text("utf-8")), (
                named(path)
            )


def test_the_constraints_pin_every_dependency_by_name_and_version_only() -> None:
    lines = [
        line
        for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()
        if not line.startswith("#")
    ]
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[\w.]+", line)] == []
    pinned = {_normal(line.split("==")[0]) for line in lines}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    groups = project["dependency-groups"].values()
    wanted = [*project["project"]["dependencies"], *(name for group in groups for name in group)]
    names = {_normal(re.match(r"[\w.-]+", requirement)[0]) for requirement in wanted}  # type: ignore[index]
    assert names - pinned == set()


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
