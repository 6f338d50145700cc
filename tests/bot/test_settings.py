"""Settings come from the environment or a `.env` file, and `.env.example` lists all of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

from bot.settings import Settings, default_home

EXAMPLE = Path(__file__).parents[2] / ".env.example"
PREFIX = "PAPERTRIAGE_"


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty working folder, and an environment without settings."""
    for name in Settings.model_fields:
        monkeypatch.delenv(PREFIX + name.upper(), raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def example_lines() -> list[tuple[str, str, str]]:
    """The example's settings: the comment above, the name, the value."""
    found = []
    comment: list[str] = []
    for line in EXAMPLE.read_text("utf-8").splitlines():
        if line.startswith("#"):
            comment.append(line.lstrip("# "))
        elif "=" in line:
            name, _, value = line.partition("=")
            found.append((" ".join(comment), name, value))
            comment = []
        else:
            comment = []
    return found


def test_the_example_lists_every_setting_and_no_other() -> None:
    names = [name for _, name, _ in example_lines()]
    assert names == [PREFIX + name.upper() for name in Settings.model_fields]


def test_every_setting_in_the_example_has_a_sentence() -> None:
    for comment, name, _ in example_lines():
        assert re.search(r"\w+ \w+.*[.;]", comment), f"{name} has no sentence"


def test_the_example_loads_to_the_defaults(folder: Path) -> None:
    (folder / ".env").write_bytes(EXAMPLE.read_bytes())
    assert Settings() == Settings(_env_file=None)
    assert Settings().home == default_home()
    assert Settings().discord_token is None


def test_the_values_in_the_example_are_read(folder: Path) -> None:
    changed = EXAMPLE.read_text("utf-8").replace("LEVEL=INFO", "LEVEL=DEBUG")
    (folder / ".env").write_text(changed.replace("_HOME=", "_HOME=library"), "utf-8")
    assert Settings().log_level == "DEBUG"
    assert Settings().home == Path("library")


def test_the_environment_is_stronger_than_the_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / ".env").write_text(f"{PREFIX}LOG_FORMAT=json\n", "utf-8")
    assert Settings().log_format == "json"
    monkeypatch.setenv(f"{PREFIX}LOG_FORMAT", "text")
    assert Settings().log_format == "text"


def test_what_else_stands_in_the_file_does_no_harm(folder: Path) -> None:
    (folder / ".env").write_text("SOMETHING_ELSE=1\n", "utf-8")
    assert Settings() == Settings(_env_file=None)


def test_the_token_does_not_show_where_settings_are_printed() -> None:
    settings = Settings(discord_token=SecretStr("very-secret"))
    assert "very-secret" not in f"{settings!r} {settings} {settings.model_dump()}"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("LOG_LEVEL", "LOUD"),
        ("LOG_FORMAT", "xml"),
        ("FETCH_TIMEOUT_SECONDS", "0"),
        ("FETCH_TIMEOUT_SECONDS", "301"),
        ("FETCH_LIMIT_MEGABYTES", "many"),
        ("FETCH_LIMIT_MEGABYTES", "501"),
    ],
)
def test_a_value_that_makes_no_sense_is_refused(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PREFIX + name, value)
    with pytest.raises(ValidationError, match=name.lower()):
        Settings()


def test_everything_that_the_bot_writes_is_under_its_home(folder: Path) -> None:
    settings = Settings(home=folder)
    assert settings.library_file == folder / "library.db"
    assert settings.index_folder == folder / "index"
