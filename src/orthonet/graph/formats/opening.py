"""Open a file that may be packed with gzip, and refuse what is no file, no text, or far larger than it looks."""

from __future__ import annotations

import gzip
import io
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import IO, Any
from zipfile import BadZipFile, ZipFile

UNPACKED_LIMIT, UNPACKED_RATIO = 2**26, 200
"""A packed file that grows beyond both these bytes and this many times its own size is refused as a bomb."""

GZIP, ZIP, PARQUET = b"\x1f\x8b", b"PK\x03\x04", b"PAR1"


def check_file(path: str | PathLike[str]) -> Path:
    """Return the path of a file that is there and holds something, or raise an error that names it."""
    file = Path(path).expanduser()
    if file.is_dir():
        raise IsADirectoryError(f"{path} is a directory, not a file; name the file, or a list of files, one a layer")
    if not file.exists():
        raise FileNotFoundError(f"{path}: there is no such file")
    if not file.is_file():
        # A pipe can be read only once, but the format is found by looking first; and one without a writer is never opened.
        kind = "pipe" if file.is_fifo() or file.is_socket() else "device"
        raise ValueError(f"{path} is a {kind}, not a file; write it to a file first")
    if file.stat().st_size == 0:
        raise ValueError(f"{path} is empty (0 bytes)")
    return file


def opening_bytes(path: Path, count: int = 4) -> bytes:
    """Return the first bytes of a file, as they are on the disk."""
    with path.open("rb") as file:
        return file.read(count)


def open_bytes(path: str | PathLike[str]) -> IO[bytes]:
    """Open for reading, unpacking gzip whatever the file is called."""
    file = Path(path).expanduser()
    if opening_bytes(file, 2) == GZIP:
        return io.BufferedReader(_Unpacked(file))
    return file.open("rb")


def text_lines(path: str | PathLike[str]) -> Iterator[tuple[int, str]]:
    """Yield the number, from 1, and the text of each line that is not blank."""
    for number, line in enumerate(raw_lines(path), start=1):
        if line.strip():
            yield number, line.strip()


def raw_lines(path: str | PathLike[str], *, newline: str | None = None) -> Iterator[str]:
    """Yield the lines of a text file in UTF-8, with or without a byte order mark."""
    try:
        with io.TextIOWrapper(open_bytes(path), encoding="utf-8-sig", newline=newline) as file:
            yield from file
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not a text file in UTF-8 ({error.reason} in line {_wrong_line(path)})") from error


def _wrong_line(path: str | PathLike[str]) -> int:
    with open_bytes(path) as file:
        return next((number for number, line in enumerate(file, start=1) if not _is_utf8(line)), 1)


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """Give the path of the file without its gzip packing, in a temporary file where it has one."""
    if opening_bytes(path, 2) != GZIP:
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="orthonet-") as folder:
        plain = Path(folder) / "unpacked"
        with open_bytes(path) as source, plain.open("wb") as target:
            shutil.copyfileobj(source, target, 2**20)
        yield plain


def check_zip(path: Path) -> None:
    """Refuse a damaged archive, and one that unpacks to far more than it holds."""
    try:
        with ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
    except PermissionError:
        raise
    except (BadZipFile, NotImplementedError, ValueError, EOFError, OSError) as error:
        raise ValueError(f"{path} is cut or damaged: {error}") from error
    check_no_document(path)
    check_unpacked(path, size)


def check_no_document(path: Path) -> None:
    """Refuse what an office program saved, which is a zip archive inside."""
    try:
        with ZipFile(path) as archive:
            names = archive.namelist()
    except (BadZipFile, NotImplementedError, ValueError, EOFError, OSError):
        return
    if "[Content_Types].xml" in names and not any(name.startswith(("word/", "ppt/")) for name in names):
        raise ValueError(f"{path} is an Excel workbook; save it as CSV")
    if "[Content_Types].xml" in names or {"mimetype", "content.xml"} <= set(names):
        raise ValueError(f"{path} is a document of an office program; save its table as CSV")


def check_unpacked(path: Path, size: int, advice: str = "unpack it first") -> None:
    """Refuse a packed file that unpacks to this many bytes, if that is far more than it holds."""
    if size > UNPACKED_LIMIT and size > UNPACKED_RATIO * path.stat().st_size:
        raise ValueError(
            f"{path} unpacks to {size:,} bytes or more, over {UNPACKED_RATIO} times its own size; if that is right, {advice}"
        )


class _Unpacked(io.RawIOBase):
    """The content of a gzip file, as long as it stays within the limits."""

    def __init__(self, path: Path) -> None:
        self._path, self._size = path, 0
        self._file = gzip.GzipFile(path, "rb")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            chunk = self._file.read(len(buffer))
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ValueError(f"{self._path} is cut or damaged: {error}") from error
        self._size += len(chunk)
        check_unpacked(self._path, self._size)
        buffer[: len(chunk)] = chunk
        return len(chunk)

    def close(self) -> None:
        self._file.close()
        super().close()
