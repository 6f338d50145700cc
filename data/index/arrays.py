"""Array types, and the file that holds a set of arrays with checksums."""

from __future__ import annotations

import json
import mmap
import os
import zlib
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Bytes = NDArray[np.uint8]
Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
UInt64s = NDArray[np.uint64]
Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Mask = NDArray[np.bool_]
AnyArray = NDArray[Any]

_MAGIC: Final = b"PTINDEX1"
_ALIGN: Final = 64


def runs(starts: AnyArray, counts: AnyArray) -> AnyArray:
    """The numbers from each start on, as many as counted, one run after the other.

    They are of the type of `starts`.
    """
    ends = np.cumsum(counts, dtype=starts.dtype)
    numbers = np.repeat(starts - (ends - counts), counts)
    numbers += np.arange(len(numbers), dtype=starts.dtype)
    return numbers


class DamagedError(ValueError):
    """A file of the index is not what was written; the index has to be rebuilt."""


def write_arrays(path: Path, arrays: Mapping[str, AnyArray], about: Mapping[str, object]) -> int:
    """Writes arrays to a new file, durably, and returns the file's checksum.

    The file is complete on disk (flushed to the device) when this returns.
    """
    table: dict[str, dict[str, object]] = {}
    offset = 0
    blocks: list[bytes] = []
    for name, array in arrays.items():
        block = np.ascontiguousarray(array).tobytes()
        block += bytes(-len(block) % _ALIGN)
        table[name] = {
            "type": array.dtype.str,
            "shape": list(array.shape),
            "at": offset,
            "bytes": len(block),
            "crc": zlib.crc32(block),
        }
        blocks.append(block)
        offset += len(block)
    header = json.dumps({"about": dict(about), "arrays": table, "size": offset}).encode()
    start = _MAGIC + len(header).to_bytes(4, "little") + zlib.crc32(header).to_bytes(4, "little")
    with path.open("wb") as file:
        file.write(start + header)
        file.write(bytes(-(len(start) + len(header)) % _ALIGN))
        for block in blocks:
            file.write(block)
        file.flush()
        os.fsync(file.fileno())
    return zlib.crc32(header)


class ArrayFile:
    """Arrays of one file, mapped into memory read-only."""

    def __init__(self, path: Path) -> None:
        try:
            with path.open("rb") as file:
                self.map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as problem:
            raise DamagedError(f"{path.name} cannot be read: {problem}") from problem
        self._name = path.name
        self.size = len(self.map)
        head = self.map[:16]
        size = int.from_bytes(head[8:12], "little")
        header = self.map[16 : 16 + size]
        if head[:8] != _MAGIC or zlib.crc32(header) != int.from_bytes(head[12:16], "little"):
            raise DamagedError(f"{path.name} has a damaged header")
        self.checksum = zlib.crc32(header)
        decoded = cast("dict[str, Any]", json.loads(header))
        self.about = cast("dict[str, Any]", decoded["about"])
        self._table = cast("dict[str, dict[str, Any]]", decoded["arrays"])
        self._start = 16 + size + (-(16 + size) % _ALIGN)
        if any(self.map[16 + size : self._start]):
            raise DamagedError(f"{path.name} has a damaged header")
        if len(self.map) != self._start + cast("int", decoded["size"]):
            raise DamagedError(f"{path.name} is cut short")

    def arrays(self) -> dict[str, AnyArray]:
        """All arrays, as views of the file."""
        found: dict[str, AnyArray] = {}
        for name, entry in self._table.items():
            shape = cast("list[int]", entry["shape"])
            kind = np.dtype(cast("str", entry["type"]))
            count = int(np.prod(shape)) if shape else 1
            at = self._start + cast("int", entry["at"])
            found[name] = np.frombuffer(self.map, kind, count, at).reshape(shape)
        return found

    def verify(self) -> None:
        """Reads everything and compares checksums; raises DamagedError where they differ."""
        view = memoryview(self.map)
        for name, entry in self._table.items():
            begin = self._start + cast("int", entry["at"])
            if zlib.crc32(view[begin : begin + cast("int", entry["bytes"])]) != entry["crc"]:
                raise DamagedError(f"{self._name}: {name} is damaged")
