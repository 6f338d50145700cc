"""Which model tags: the one that ships (or was chosen), or one that learnt corrections.

A retrained model lives in a folder of its own under `PAPERTRIAGE_HOME/model`, named by its id. The
file `current` there names the one in use and is replaced in one step, so a process that dies leaves
either the old or the new; `previous` names the one before, which is kept, and `held` one that waits
for an admin. What cannot be used is passed over with a sentence, never with silence.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from classifiers import Tagger

LOG = structlog.get_logger()

CURRENT: Final = "current"
PREVIOUS: Final = "previous"
HELD: Final = "held"
BASE_FILE: Final = "base.json"

_WORKSHOP: Final = ".new-"


class Models:
    """The models of one installation.

    `shipped` loads the tagger of the folder `shipped_folder`, and raises ModelRefused where that
    cannot be done. `folder` is where retrained models live, None where there is no such place;
    `chosen` is a model folder that the settings name instead of the shipped one.
    """

    def __init__(
        self,
        shipped: Callable[[], Tagger],
        shipped_folder: Path,
        folder: Path | None = None,
        chosen: Path | None = None,
    ) -> None:
        self._shipped = shipped
        self._shipped_folder = shipped_folder
        self._folder = folder
        self._chosen = chosen
        self.trouble: str | None = None
        self.retrained = False

    def load(self) -> Tagger:
        """The tagger to use now. Raises ModelRefused only where even the shipped one is unusable.

        A retrained model that is damaged, or was made from another base, is passed over for the
        base; a chosen base that is unusable, for the one that ships. Each is logged, and `trouble`
        says it; `retrained` says whether the tagger learnt corrections.
        """
        base, self.trouble = self._base()
        self.retrained = False
        tagger, refused = self._retrained_model(CURRENT, base)
        if tagger is not None:
            self.retrained = True
            return tagger
        if refused is not None:
            self.trouble = f"The retrained model is not used: {refused}"
            LOG.warning("model.passed_over", reason=self.trouble)
        return base

    def load_base(self) -> Tagger:
        """The tagger from which a retraining starts; raises ModelRefused as `load` does."""
        return self._base()[0]

    def base_folder(self) -> Path:
        """The folder from which a retraining starts."""
        if self._chosen is not None and _tried(self._chosen)[0] is not None:
            return self._chosen
        return self._shipped_folder

    def current(self) -> str | None:
        """The id of the retrained model in use, or None."""
        return self._named(CURRENT)

    def held(self) -> str | None:
        """The id of the retrained model that waits for an admin, or None."""
        return self._named(HELD)

    def unusable(self, state: str) -> str | None:
        """Why the current or the held model could not tag; None where it could, or is none."""
        return self._retrained_model(state, self.load_base())[1]

    def can_keep(self) -> bool:
        """Whether there is a place for retrained models."""
        return self._folder is not None

    @contextmanager
    def workshop(self) -> Generator[Path]:
        """An empty folder in which a model is made; what stays in it at the end is thrown away."""
        folder = self._home()
        folder.mkdir(parents=True, exist_ok=True)
        # One process retrains at a time, so these were left by one that was killed.
        for left in folder.glob(f"{_WORKSHOP}*"):
            shutil.rmtree(left, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix=_WORKSHOP, dir=folder) as made:
            yield Path(made) / "model"

    def keep(self, made: Path, name: str, *, base: str, lessons: str, state: str) -> None:
        """Takes a model out of the workshop and makes it the current or the held one.

        `base` is the id of the model it was made from, `lessons` names what it learnt.
        """
        told = {"base": base, "lessons": lessons}
        (made / BASE_FILE).write_text(json.dumps(told), encoding="utf-8")
        target = self._place(name)
        if target.exists():
            shutil.rmtree(target)
        made.replace(target)
        if state == CURRENT:
            self._forget(HELD)
        self._name(state, name)

    def learnt(self, state: str) -> str:
        """What the current or the held model had learnt, as `keep` was told; "" without one."""
        name = self._named(state)
        return self._told(name, "lessons") or "" if name else ""

    def accept(self) -> str | None:
        """Puts the held model in place; returns its id, or None where there is none."""
        name = self.held()
        if name is not None:
            self._name(CURRENT, name)
            self._forget(HELD)
        return name

    def discard(self) -> str | None:
        """Forgets the held model; returns its id, or None where there was none."""
        name = self.held()
        if name is not None:
            self._forget(HELD)
            self._tidy()
        return name

    def back_to_base(self) -> None:
        """Uses the base again; the retrained model is kept as the previous one."""
        name = self.current()
        if name is not None:
            self._write(PREVIOUS, name)
            self._forget(CURRENT)

    def _base(self) -> tuple[Tagger, str | None]:
        if self._chosen is None:
            return self._shipped(), None
        tagger, refused = _tried(self._chosen)
        if tagger is not None:
            return tagger, None
        sentence = f"The model that PAPERTRIAGE_MODEL names is not used: {refused}"
        LOG.warning("model.passed_over", reason=sentence)
        return self._shipped(), sentence

    def _retrained_model(self, state: str, base: Tagger) -> tuple[Tagger | None, str | None]:
        """The tagger that a state names, or None and why there is none to use, if one is named."""
        name = self._named(state)
        if name is None:
            return None, self._unread(state)
        refused = self._mismatch(name, base.card.model_id)
        return (None, refused) if refused else _tried(self._place(name))

    def _unread(self, state: str) -> str | None:
        """What is wrong with the file of a state that names no model; None where it is not there.

        Whatever stands in its place counts: a file that a crash or a copy left empty, or a folder.
        """
        if self._folder is None or not self._folder.exists():
            return None
        if self._folder.is_dir() and not (self._folder / state).exists():
            return None
        return f"{self._folder / state} names no model; 'papertriage train' makes it anew."

    def _mismatch(self, name: str, base: str) -> str | None:
        made_from = self._told(name, "base")
        if made_from is None:
            path = self._place(name) / BASE_FILE
            return f"{path} cannot be read; 'papertriage train' makes the model anew."
        if made_from != base:
            return "it was made from another model; 'papertriage train' makes it anew."
        return None

    def _told(self, name: str, what: str) -> str | None:
        try:
            text = (self._place(name) / BASE_FILE).read_text(encoding="utf-8")
            return str(json.loads(text)[what])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _name(self, state: str, name: str) -> None:
        if state == CURRENT:
            before = self.current()
            if before is not None and before != name:
                self._write(PREVIOUS, before)
        self._write(state, name)
        self._tidy()

    def _write(self, state: str, name: str) -> None:
        path = self._home() / state
        fresh = path.with_name(f"{state}.writing")
        with fresh.open("w", encoding="ascii") as file:
            file.write(name)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)

    def _forget(self, state: str) -> None:
        (self._home() / state).unlink(missing_ok=True)

    def _named(self, state: str) -> str | None:
        if self._folder is None:
            return None
        try:
            name = (self._folder / state).read_text(encoding="utf-8").strip()
        except (OSError, ValueError):
            return None
        # A name is a model id; anything else could lead out of the folder.
        return name if name.isalnum() else None

    def _tidy(self) -> None:
        kept = {self._named(state) for state in (CURRENT, PREVIOUS, HELD)}
        for path in self._home().iterdir():
            if path.is_dir() and path.name not in kept and not path.name.startswith("."):
                shutil.rmtree(path, ignore_errors=True)

    def _place(self, name: str) -> Path:
        return self._home() / name

    def _home(self) -> Path:
        assert self._folder is not None  # noqa: S101 - asked with can_keep() before
        return self._folder


def _tried(folder: Path) -> tuple[Tagger | None, str | None]:
    """The tagger of a folder, or None and why it cannot be used."""
    from classifiers import ModelRefused, Tagger

    try:
        return Tagger.load(folder), None
    except ModelRefused as error:
        return None, str(error)
