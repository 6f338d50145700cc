"""The index on disk: immutable segment files, and one manifest that says which of them count.

A new state is written in this order: new segment files, each flushed to the device; the new
manifest beside the old one; then the new manifest takes the old one's name, which is the moment
the new state begins. Files that no manifest names are left-overs and are cleared away. So a crash
between any two writes leaves the state before or the state after.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import zlib
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import numpy as np

from data.index.arrays import DamagedError
from data.index.segment import Segment
from data.index.snapshot import Part

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from data.index.arrays import Mask

_MANIFEST: Final = "index.json"
_FORMAT: Final = 2
_VERIFIED_AT_ONCE: Final = 256 * 2**20
"""Bytes that are compared with their checksums on opening; a larger index is checked beside."""


class Opened(NamedTuple):
    """What a directory held: `unverified` files are whole but not yet compared in full."""

    parts: list[Part]
    stamp: str | None
    unverified: bool


class IndexDirectory:
    """Reads and writes the states of one index."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._names: dict[int, tuple[str, int]] = {}
        self._next = 1

    def load(self) -> Opened:
        """The last complete state; raises DamagedError where anything of it is not as written."""
        self._path.mkdir(parents=True, exist_ok=True)
        path = self._path / _MANIFEST
        if not path.exists():
            self._clear()
            return Opened([], None, unverified=False)
        manifest = _unsealed(path)
        if manifest.get("format") != _FORMAT:
            raise DamagedError("the index was written by another version of the program")
        parts: list[Part] = []
        names: dict[int, tuple[str, int]] = {}
        for entry in cast("list[dict[str, Any]]", manifest["segments"]):
            name, checksum = cast("str", entry["file"]), cast("int", entry["checksum"])
            try:
                segment = Segment.open(self._path / name)
            except OSError as problem:
                raise DamagedError(f"{name} cannot be read ({problem.strerror})") from problem
            if segment.file is None or segment.file.checksum != checksum:
                raise DamagedError(f"{name} is not the file that belongs here")
            parts.append(Part(segment, _alive(entry["dead"], len(segment))))
            names[id(segment)] = name, checksum
        size = sum(part.segment.file.size for part in parts if part.segment.file is not None)
        if size <= _VERIFIED_AT_ONCE:
            verify(parts)
        self._names = names
        self._next = cast("int", manifest["next"])
        self._clear()
        return Opened(parts, cast("str | None", manifest["stamp"]), size > _VERIFIED_AT_ONCE)

    def store(self, parts: Sequence[Part], stamp: str | None) -> None:
        """Makes a state durable; where the disk refuses (OSError), the old state stays."""
        self._path.mkdir(parents=True, exist_ok=True)
        names: dict[int, tuple[str, int]] = {}
        entries: list[dict[str, object]] = []
        for segment, alive in parts:
            known = self._names.get(id(segment))
            # Another process on the same index clears away what its own manifest does not name.
            if known is None or not (self._path / known[0]).exists():
                # Whatever else stands under a name, such as the rest of a damaged index, is left.
                while (self._path / f"segment-{self._next:06d}.pti").exists():
                    self._next += 1
                name = f"segment-{self._next:06d}.pti"
                self._next += 1
                known = name, segment.write(self._path / name)
            names[id(segment)] = known
            entries.append({"file": known[0], "checksum": known[1], "dead": _dead(alive)})
        body = json.dumps(
            {"format": _FORMAT, "stamp": stamp, "next": self._next, "segments": entries}
        )
        temporary = self._path / f"{_MANIFEST}.new"
        with temporary.open("w", encoding="utf-8") as file:
            file.write(json.dumps({"checksum": zlib.crc32(body.encode()), "body": body}))
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(self._path / _MANIFEST)
        _flush_folder(self._path)
        self._names = names
        self._clear()

    def _clear(self) -> None:
        """Deletes segment files that no manifest names. One still mapped elsewhere may stay."""
        named = {name for name, _ in self._names.values()}
        for stray in self._path.glob("segment-*.pti"):
            if stray.name not in named:
                with contextlib.suppress(OSError):
                    stray.unlink()


def verify(parts: Sequence[Part]) -> None:
    """Compares all files with their checksums; raises DamagedError at the first difference."""
    for part in parts:
        if part.segment.file is not None:
            part.segment.file.verify()


def _unsealed(path: Path) -> dict[str, Any]:
    try:
        sealed = cast("dict[str, Any]", json.loads(path.read_text("utf-8")))
        body = cast("str", sealed["body"])
        whole = zlib.crc32(body.encode()) == sealed["checksum"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
        raise DamagedError(f"{path.name} cannot be read: {problem}") from problem
    if not whole:
        raise DamagedError(f"{path.name} is damaged")
    return cast("dict[str, Any]", json.loads(body))


def _dead(alive: Mask | None) -> str | None:
    if alive is None:
        return None
    return base64.b64encode(zlib.compress(np.packbits(~alive).tobytes())).decode()


def _alive(dead: str | None, size: int) -> Mask | None:
    if dead is None:
        return None
    bits = np.frombuffer(zlib.decompress(base64.b64decode(dead)), np.uint8)
    return ~np.unpackbits(bits, count=size).astype(np.bool_)


def _flush_folder(path: Path) -> None:
    """Makes the renaming itself durable, where the system lets a folder be flushed."""
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
