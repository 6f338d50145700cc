"""Bytes of a listing made into text: compression, encodings, and files that are no text at all.

A source reads its file once for its encoding and then as often as a reader asks, in pieces, so
that a snapshot of several gigabytes never stands in memory whole.
"""

from __future__ import annotations

import codecs
import gzip
import io
import re
import tempfile
import weakref
import zlib
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO, Final, cast

from data.listings.base import ListingError

if TYPE_CHECKING:
    from collections.abc import Iterator

_CHUNK: Final = 1 << 20
_IN_MEMORY: Final = 32 << 20
HEAD_CHARACTERS: Final = 1 << 16
_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig", "UTF-8"),
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16"),
)
_MAGIC: Final = (
    (b"%PDF", "a PDF document; save the list of papers as text, or give the papers' feed"),
    (b"PK\x03\x04", "a ZIP archive or an Office document; unpack it, or export it as CSV"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3", "an SQLite database; export the table as CSV"),
    (b"BZh", "packed with bzip2; unpack it first"),
    (b"\xfd7zXZ", "packed with xz; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "packed with zstd; unpack it first"),
    (b"7z\xbc\xaf", "a 7z archive; unpack it first"),
)
_NOT_TEXT: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


class Source:
    """One listing's content: `name` for messages, `head` to look at, text on demand.

    `damage` says what went wrong below the text (an archive that breaks off), once known.
    """

    def __init__(
        self, content: Path | bytes | BinaryIO, name: str, *, max_bytes: int | None = None
    ) -> None:
        """Opens the content. Raises `ListingError` for what is missing, empty or no text.

        `max_bytes` bounds the unpacked size, for content that strangers gave.
        """
        self.name = name
        self.notes: list[str] = []
        self.damage: str | None = None
        self._max_bytes = max_bytes
        self._file: IO[bytes] = self._opened(content)
        if self._file is not content:
            # A listing may be dropped before its end; what was opened here must close then too.
            weakref.finalize(self, self._file.close)
        self._encoding, self._errors = self._find_encoding()
        self.head = self._read_head()

    def text(self) -> str:
        """The whole text, line ends as they are."""
        with self._reader(newline="") as lines:
            return lines.read()

    def lines(self) -> Iterator[tuple[int, str]]:
        """The lines with their numbers, from 1, without their ends; in pieces, not at once."""
        with self._reader(newline=None) as lines:
            for number, line in enumerate(lines, start=1):
                yield number, line.rstrip("\n")

    def stream(self) -> io.TextIOWrapper:
        """The text as a stream, line ends as they are; the caller closes it."""
        return self._reader(newline="")

    def binary(self) -> IO[bytes]:
        """The unpacked bytes from the start, for parsers that decode themselves."""
        self._file.seek(0)
        return self._file

    def _reader(self, *, newline: str | None) -> io.TextIOWrapper:
        self._file.seek(0)
        raw = _Borrowed(self._file)
        buffered = io.BufferedReader(raw, _CHUNK)
        return io.TextIOWrapper(
            buffered, encoding=self._encoding, errors=self._errors, newline=newline
        )

    def _read_head(self) -> str:
        with self._reader(newline="") as lines:
            return lines.read(HEAD_CHARACTERS)

    def _opened(self, content: Path | bytes | BinaryIO) -> IO[bytes]:
        file = self._raw(content)
        try:
            start = file.read(2)
            file.seek(0)
        except OSError as error:
            raise ListingError(
                f"{self.name} cannot be read: {error.strerror or error}; give a copy of it."
            ) from error
        if start != b"\x1f\x8b":
            return file
        with ExitStack() as opened:
            if file is not content:
                opened.enter_context(file)
            with ExitStack() as kept:
                spool = kept.enter_context(_spool())
                self._unpack(file, spool)
                kept.pop_all()
        return spool

    def _raw(self, content: Path | bytes | BinaryIO) -> IO[bytes]:
        if isinstance(content, bytes):
            return io.BytesIO(content)
        if isinstance(content, Path):
            if content.is_dir():
                raise ListingError(f"{self.name} is a folder; name the listing files in it.")
            try:
                return content.open("rb")
            except FileNotFoundError:
                raise ListingError(
                    f"{self.name} is not there; check the path of the listing."
                ) from None
            except OSError as error:
                raise ListingError(
                    f"{self.name} cannot be opened: {error.strerror or error}."
                ) from error
        if content.seekable():
            content.seek(0)
            return content
        spool = _spool()
        while chunk := content.read(_CHUNK):
            spool.write(chunk)
            self._check_size(spool.tell())
        spool.seek(0)
        return spool

    def _unpack(self, packed: IO[bytes], spool: IO[bytes]) -> None:
        with gzip.GzipFile(fileobj=packed) as unpacking:
            while True:
                try:
                    chunk = unpacking.read1(_CHUNK)
                except (EOFError, zlib.error, gzip.BadGzipFile):
                    self.damage = (
                        f"the packed file breaks off or is damaged after {spool.tell():,} bytes of "
                        "text; fetch it again to have the rest"
                    )
                    break
                if not chunk:
                    break
                spool.write(chunk)
                self._check_size(spool.tell())
        if not spool.tell() and self.damage:
            raise ListingError(f"{self.name} is packed with gzip and damaged; fetch it again.")
        spool.seek(0)

    def _check_size(self, size: int) -> None:
        if self._max_bytes is not None and size > self._max_bytes:
            raise ListingError(
                f"{self.name} is larger than {self._max_bytes >> 20} MB; give it in parts, or "
                "ingest it from the shell."
            )

    def _find_encoding(self) -> tuple[str, str]:
        start = self._file.read(1 << 16)
        if not start.strip(b"\x00 \t\r\n\xef\xbb\xbf") and not self._file.read(1):
            raise ListingError(f"{self.name} is empty; there is nothing to read in it.")
        self._check_size(self._size())
        for bom, codec, label in _BOMS:
            if start.startswith(bom):
                if codec != "utf-8-sig":
                    self.notes.append(f"{self.name} was read as {label}.")
                    return codec, "replace"
                return self._checked_utf8("utf-8-sig")
        wide = _utf16_without_bom(start)
        if wide:
            self.notes.append(f"{self.name} was read as UTF-16.")
            return wide, "replace"
        for magic, what in _MAGIC:
            if start.startswith(magic):
                raise ListingError(f"{self.name} is no listing: it is {what}.")
        bad = _NOT_TEXT.findall(start)
        if len(bad) > max(3, 0.02 * len(start)):
            raise ListingError(
                f"{self.name} is a binary file, not a listing; give a text file, a feed or an "
                "export."
            )
        return self._checked_utf8("utf-8")

    def _size(self) -> int:
        self._file.seek(0, io.SEEK_END)
        return self._file.tell()

    def _checked_utf8(self, codec: str) -> tuple[str, str]:
        """UTF-8 where the bytes are, else the likeliest older encoding, with a note on it."""
        self._file.seek(0)
        decoder = codecs.getincrementaldecoder("utf-8")()
        lines, done = 1, 0
        while chunk := self._file.read(_CHUNK):
            try:
                decoder.decode(chunk)
            except UnicodeDecodeError as error:
                # The decoder may hold bytes of the chunk before, so `start` can be off by three.
                line = lines + chunk.count(b"\n", 0, max(0, error.start))
                return self._older_encoding(codec, line)
            lines += chunk.count(b"\n")
            done += len(chunk)
        if decoder.getstate()[0]:
            self.damage = self.damage or (
                f"the file breaks off inside a character at its end, line {lines}; fetch it again "
                "to have the rest"
            )
            return codec, "ignore"
        return codec, "strict"

    def _older_encoding(self, codec: str, line: int) -> tuple[str, str]:
        self._file.seek(0)
        sample = self._file.read(4 << 20)
        proper, stray = _utf8_balance(sample)
        if proper > 4 * stray:
            self.notes.append(
                f"{self.name}: bytes that are not UTF-8, the first in line {line}, are shown as "
                "\ufffd."
            )
            return codec, "replace"
        encoding = _guess_legacy(sample)
        label = _LABELS.get(encoding, "Windows-1252")
        self.notes.append(
            f"{self.name} is not UTF-8 (line {line}) and was read as {label}; save it as UTF-8 if "
            "names look wrong."
        )
        return encoding, "replace"


class _Borrowed(io.RawIOBase):
    """A file that survives the closing of what reads through it."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__()
        self._borrowed = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast("bytearray", buffer)).cast("B")
        chunk = self._borrowed.read(len(view))
        view[: len(chunk)] = chunk
        return len(chunk)


def _spool() -> IO[bytes]:
    return tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)


def _utf16_without_bom(start: bytes) -> str | None:
    even, odd = start[0:4096:2], start[1:4096:2]
    if len(odd) < 8:
        return None
    if odd.count(0) > 0.6 * len(odd) and even.count(0) < 0.1 * len(even):
        return "utf-16-le"
    if even.count(0) > 0.6 * len(even) and odd.count(0) < 0.1 * len(odd):
        return "utf-16-be"
    return None


_UTF8_CHARACTER: Final = re.compile(
    rb"[\xc3-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|\xc2[\xa0-\xbf]"
)


def _utf8_balance(sample: bytes) -> tuple[int, int]:
    """How many characters beyond ASCII are proper UTF-8, and how many bytes are not."""
    proper = len(_UTF8_CHARACTER.findall(sample))
    rest = _UTF8_CHARACTER.sub(b"", sample)
    return proper, len(re.findall(rb"[\x80-\xff]", rest))


_LABELS: Final = {"gb18030": "GB 18030", "big5": "Big5", "cp932": "Shift JIS"}
_KANA: Final = re.compile("[\u3041-\u30fe]")
_TRADITIONAL: Final = re.compile(
    "[的一是在不了有和人這中大為上個國我以要他時來用們生到作地於出就分對成會可主發年動同工也能下過"
    "子說產種面而方後多定行學法所得經研究論文模型基數據題者摘標關鍵詞期刊與及其本]"
)
_SIMPLIFIED: Final = re.compile(
    "[的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过"
    "子说产种面而方后多定行学法所得经研究论文模型基数据题者摘标关键词期刊与及其本]"
)
_FAMILIAR_ENOUGH: Final = 0.08


def _familiar(sample: bytes, codec: str, signs: re.Pattern[str]) -> float:
    """Which share of the text beyond ASCII is signs that every such text has; 0 if it is none."""
    try:
        text = sample.decode(codec)
    except UnicodeDecodeError as error:
        if error.start < len(sample) - 4:
            return 0.0
        text = sample[: error.start].decode(codec)
    beyond = sum(not sign.isascii() for sign in text)
    return len(signs.findall(text)) / beyond if beyond else 0.0


def _guess_legacy(sample: bytes) -> str:
    """The likeliest of the encodings that lists are found in beside UTF-8.

    Kana tell Shift JIS, and everyday characters Big5 from GB 18030. Else it is GB 18030 where
    bytes beyond ASCII stand in pairs, Western European where they stand alone.
    """
    if _familiar(sample, "cp932", _KANA) > 2 * _FAMILIAR_ENOUGH:
        return "cp932"
    big5 = _familiar(sample, "big5", _TRADITIONAL)
    if big5 > max(_FAMILIAR_ENOUGH, 2 * _familiar(sample, "gb18030", _SIMPLIFIED)):
        return "big5"
    high = len(re.findall(rb"[\x80-\xff]", sample))
    paired = 2 * len(re.findall(rb"[\x81-\xfe][\x80-\xfe]", sample))
    if paired < 0.7 * high:
        return "cp1252" if not re.search(rb"[\x81\x8d\x8f\x90\x9d]", sample) else "latin-1"
    try:
        sample[: len(sample) // 2 * 2].decode("gb18030", errors="strict")
    except UnicodeDecodeError as error:
        if error.start < len(sample) - 8:
            return "cp1252"
    return "gb18030"
