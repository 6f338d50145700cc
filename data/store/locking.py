"""One process at a time: a lock beside the library that its holder's end releases by itself."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from data.store.connection import StoreError

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

# Windows lets nobody read what is locked, so the lock stands far behind the text.
_FAR: Final = 1 << 30


class TakenError(StoreError):
    """Another process holds the lock; the text names it and says what to do."""


@contextmanager
def held_alone(path: Path, *, what: str) -> Generator[None]:
    """Holds the lock file `path` while the block runs, with the process's number in it.

    The system releases it however the process ends. `what` is what the holder does, for the
    sentence that another one gets. Raises TakenError where it is held, by this process or by
    another, and StoreError where the file cannot be made.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise StoreError(
            f"Cannot make {path}: {error.strerror or error}. "
            "Set PAPERTRIAGE_HOME to a folder that can be written."
        ) from error
    try:
        try:
            _lock(handle)
        except OSError:
            holder = _text(path)
            named = f" (process {holder.decode().strip()})" if holder.strip().isdigit() else ""
            raise TakenError(
                f"Another papertriage{named} {what} on the library in {path.parent}, so this one "
                "stops: two of them would post every digest twice. Stop the other first, or set "
                "PAPERTRIAGE_HOME to another folder."
            ) from None
        os.ftruncate(handle, 0)
        os.lseek(handle, 0, os.SEEK_SET)
        os.write(handle, f"{os.getpid()}\n".encode())
        yield
    finally:
        os.close(handle)


def _lock(handle: int) -> None:
    """Takes the lock at once. Raises OSError where somebody holds it."""
    if sys.platform == "win32":
        import msvcrt

        os.lseek(handle, _FAR, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _text(path: Path) -> bytes:
    try:
        return path.read_bytes()[:20]
    except OSError:
        return b""
