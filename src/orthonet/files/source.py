"""The one place that opens files: their first bytes, looked at once, say what they are; their content comes unpacked."""

from __future__ import annotations

import gzip
import io
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import IO, Any, TypeAlias
from zipfile import BadZipFile, ZipFile

from orthonet.files.errors import LINE_ENDS, FileError, Place
from orthonet.support.memory import check_memory
from orthonet.support.text import one_line, visible

PathType: TypeAlias = str | PathLike[str]
UNPACKED_LIMIT, UNPACKED_RATIO = 2**26, 200
"""A packed file that unpacks to more than both these bytes and this many times its own size is refused as a bomb."""
HEAD_BYTES = 2**16
"""How much of a file is looked at to find out what it is; 200 rows of most tables."""
MEMORY_PER_BYTE = 6
"""Bytes of memory that a byte of a text or Parquet file takes at least while it is read: measured, up to 30 in some formats."""
LONGEST_LINE = 2**24
"""A table whose first line is longer than these bytes is not one."""

GZIP, ZIP, PARQUET, NUMPY, MATLAB = b"\x1f\x8b", b"PK\x03\x04", b"PAR1", b"\x93NUMPY", b"MATLAB"
HDF5 = b"\x89HDF\r\n\x1a\n"
MATRIX_MARKET = b"%%MatrixMarket"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, eq=False)
class Source:
    """A file that exists and is not empty.

    Attributes
    ----------
    path : Path
    start : bytes
        Its first bytes, as they are on the disk.
    head : bytes
        Its first `HEAD_BYTES`, unpacked; all of the first line, if that is longer.
    whole : bool
        Whether ``head`` is all there is.
    size : int
        Bytes on the disk.
    """

    path: Path
    start: bytes
    head: bytes
    whole: bool
    size: int

    @classmethod
    def of(cls, path: PathType | Source) -> Source:
        """Open a file, look at its first bytes and close it."""
        if isinstance(path, Source):
            return path
        file = check_file(path)
        size = file.stat().st_size
        with file.open("rb") as opened:
            start = opened.read(16)
            opened.seek(0)
            content = _unpacked(opened, file, size) if start.startswith(GZIP) else opened
            head = content.read(HEAD_BYTES)
            if not start.startswith((ZIP, PARQUET, NUMPY, MATLAB, HDF5)):
                head = _with_first_line(head, content)
            whole = not content.read(1)
        if not start.startswith(
            (ZIP, NUMPY, MATLAB, HDF5)
        ):  # whose arrays are looked at one by one, or stay on the disk
            instead = "free some memory, or convert the file to .npz where there is more"
            check_memory(MEMORY_PER_BYTE * size, f"reading {one_line(file.name)}", instead)
        return cls(file, start, head, whole, size)

    @property
    def name(self) -> str:
        """The file's name without its suffixes: what a layer or view is called that has no other name."""
        return self.path.name.split(".")[0]

    @property
    def suffix(self) -> str:
        """The last suffix that is not ``.gz``, in lower case."""
        suffixes = [suffix.lower() for suffix in self.path.suffixes if suffix.lower() != ".gz"]
        return suffixes[-1] if suffixes else ""

    @property
    def is_parquet(self) -> bool:
        """Whether it is a Parquet file."""
        return self.start.startswith(PARQUET)

    @property
    def is_zip(self) -> bool:
        """Whether it is a zip archive, as .npz files are."""
        return self.start.startswith(ZIP)

    @property
    def is_numpy(self) -> bool:
        """Whether it is an array as ``numpy.save`` writes it."""
        return self.start.startswith(NUMPY)

    @property
    def is_matlab(self) -> bool:
        """Whether it is a file of Matlab, by its first bytes or its name."""
        return self.path.suffix.lower() == ".mat" or self.start.startswith(MATLAB)

    @property
    def is_matrix_market(self) -> bool:
        """Whether it is a Matrix Market file."""
        return self.text_head.lower().startswith(MATRIX_MARKET.lower())

    @property
    def text_head(self) -> bytes:
        """The head without a byte order mark and blanks in front."""
        return self.head.removeprefix(BYTE_ORDER_MARK).lstrip()

    def open(self) -> IO[bytes]:
        """Open for reading, unpacked."""
        file = self.path.open("rb")
        return _unpacked(file, self.path, self.size) if self.start.startswith(GZIP) else file

    def lines(self, *, newline: str | None = None) -> Iterator[str]:
        """Yield the lines of a text file in UTF-8, with or without a byte order mark."""
        try:
            with io.TextIOWrapper(self.open(), encoding="utf-8-sig", newline=newline) as file:
                yield from file
        except UnicodeDecodeError as error:
            line = self._first_line_not_utf8()
            raise FileError.about(self.path, f"is not a text file in UTF-8 ({error.reason} in line {line})") from error

    def numbered_lines(self) -> Iterator[tuple[Place, str]]:
        """Yield the place and the text of each line that is not blank."""
        for number, line in enumerate(self.lines(), start=1):
            if line.strip():
                yield self.line(number), line.strip()

    def line(self, number: int) -> Place:
        """Return a line as the place of an error."""
        return Place(self.path, number, "line")

    @contextmanager
    def unpacked(self) -> Iterator[Path]:
        """Give the path of the file without its gzip packing, in a temporary file where it has one."""
        if not self.start.startswith(GZIP):
            yield self.path
            return
        with tempfile.TemporaryDirectory(prefix="orthonet-") as folder:
            plain = Path(folder) / "unpacked"
            with self.open() as packed, plain.open("wb") as target:
                shutil.copyfileobj(packed, target, 2**20)
            yield plain

    @contextmanager
    def archive(self) -> Iterator[IO[bytes]]:
        """Open a zip archive that is whole, is not an office document, and unpacks to no more than it should."""
        with self.open() as file:
            try:
                with ZipFile(file) as members:
                    names = members.namelist()
                    size = sum(member.file_size for member in members.infolist())
            except PermissionError:
                raise
            except (BadZipFile, NotImplementedError, ValueError, EOFError, OSError) as error:
                raise FileError.about(self.path, f"is cut or damaged: {error}") from error
            self._check_no_document(names)
            self.check_unpacked(size)
            file.seek(0)
            yield file

    def refuse_zip(self) -> None:
        """Refuse a zip archive where a text file is wanted; an office document is called by its name."""
        if not self.is_zip:
            return
        try:
            with ZipFile(self.path) as members:
                names = members.namelist()
        except (BadZipFile, NotImplementedError, ValueError, EOFError, OSError):
            names = []
        self._check_no_document(names)
        raise FileError.about(self.path, "is a zip archive; unpack it first")

    def check_unpacked(self, size: int, advice: str = "unpack it first") -> None:
        """Refuse a packed file that unpacks to this many bytes, if that is far more than its own size."""
        check_unpacked(self.path, self.size, size, advice)

    def _check_no_document(self, names: list[str]) -> None:
        if "[Content_Types].xml" in names and not any(name.startswith(("word/", "ppt/")) for name in names):
            raise FileError.about(self.path, "is an Excel workbook; save it as CSV")
        if "[Content_Types].xml" in names or {"mimetype", "content.xml"} <= set(names):
            raise FileError.about(self.path, "is a document of an office program; save its table as CSV")

    def _first_line_not_utf8(self) -> int:
        with self.open() as file:
            return next((number for number, line in enumerate(file, start=1) if not _is_utf8(line)), 1)


def check_file(path: PathType) -> Path:
    """Return the path of a file that exists and is not empty, or raise an error that names it."""
    file, shown = Path(path).expanduser(), visible(str(path)).translate(LINE_ENDS)
    if file.is_dir():
        raise IsADirectoryError(f"{shown} is a directory, not a file; name the file, or a list of files, one per layer")
    if not file.exists():
        raise FileNotFoundError(f"{shown}: there is no such file")
    if not file.is_file():
        # A pipe can be read only once, but the format is found by looking first; and one without a writer is never opened.
        kind = "pipe" if file.is_fifo() or file.is_socket() else "device"
        raise FileError.about(path, f"is a {kind}, not a file; write it to a file first")
    if file.stat().st_size == 0:
        raise FileError.about(path, "is empty (0 bytes)")
    return file


def check_unpacked(path: Path, packed_size: int, size: int, advice: str) -> None:
    """Refuse a packed file that unpacks to ``size`` bytes, if that is far more than it has on the disk."""
    if size > UNPACKED_LIMIT and size > UNPACKED_RATIO * packed_size:
        raise FileError.about(
            path,
            f"unpacks to {size:,} bytes or more, over {UNPACKED_RATIO} times its own size; if that is right, {advice}",
        )


def _with_first_line(head: bytes, content: IO[bytes]) -> bytes:
    """Read on until the first line is whole, as far as `LONGEST_LINE`."""
    while b"\n" not in head and b"\r" not in head and len(head) < LONGEST_LINE and (more := content.read(2**20)):
        head += more
    return head


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _unpacked(file: IO[bytes], path: Path, size: int) -> IO[bytes]:
    return io.BufferedReader(_Unpacked(file, path, size))


class _Unpacked(io.RawIOBase):
    """The content of a gzip file, as long as it stays within the limits."""

    def __init__(self, file: IO[bytes], path: Path, packed_size: int) -> None:
        self._packed, self._path, self._packed_size, self._size = file, path, packed_size, 0
        self._file = gzip.GzipFile(fileobj=file, mode="rb")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            chunk = self._file.read(len(buffer))
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise FileError.about(self._path, f"is cut or damaged: {error}") from error
        self._size += len(chunk)
        check_unpacked(self._path, self._packed_size, self._size, "unpack it first")
        buffer[: len(chunk)] = chunk
        return len(chunk)

    def close(self) -> None:
        self._file.close()
        self._packed.close()
        super().close()
