"""Settings: from the environment or a `.env` file, each named PAPERTRIAGE_…."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import platformdirs
from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict


def default_home() -> Path:
    """The platform's folder for a user's data."""
    return Path(platformdirs.user_data_dir("papertriage", appauthor=False))


class Settings(BaseSettings):
    """What an installation can choose. Every field is described in `.env.example`."""

    model_config = SettingsConfigDict(
        env_prefix="PAPERTRIAGE_",
        env_file=".env",
        env_file_encoding="utf-8",
        extra="ignore",
        env_ignore_empty=True,
    )

    discord_token: SecretStr | None = Field(
        default=None, description="The bot's token; only `papertriage run` needs it."
    )
    home: Path = Field(
        default_factory=default_home, description="The folder for everything that the bot writes."
    )
    model: Path | None = Field(
        default=None, description="A trained model's folder; empty: the model that ships."
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="INFO", description="How much the log tells."
    )
    log_format: Literal["text", "json"] = Field(
        default="text", description="Lines for people, or one JSON object a line."
    )
    fetch_timeout_seconds: float = Field(
        default=30.0, gt=0, le=300, description="The longest that reading an address may take."
    )
    fetch_limit_megabytes: float = Field(
        default=20.0, gt=0, le=500, description="The largest answer that is read from an address."
    )

    @field_validator("home")
    @classmethod
    def _from_the_users_home(cls, value: Path) -> Path:
        # A shell puts the user's folder in the place of "~", but not in a .env file.
        return value.expanduser()

    @field_validator("log_level", mode="before")
    @classmethod
    def _in_capitals(cls, value: object) -> object:
        return value.upper() if isinstance(value, str) else value

    @property
    def library_file(self) -> Path:
        """The database."""
        return self.home / "library.db"

    @property
    def index_folder(self) -> Path:
        """The search index, which can always be made anew from the database."""
        return self.home / "index"

    @property
    def model_folder(self) -> Path:
        """The models that learnt corrections."""
        return self.home / "model"
