"""What parsers raise on files that are cut off, or are something else, and how that is told."""

from __future__ import annotations

import csv
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import BadZipFile

from scipy.io.matlab import MatReadError

DAMAGE = (
    KeyError,
    ValueError,
    TypeError,
    IndexError,
    EOFError,
    NotImplementedError,
    OSError,
    MemoryError,
    MatReadError,
    BadZipFile,
    zlib.error,
    csv.Error,
    OverflowError,
)


@contextmanager
def reading(file: Path, what: str) -> Iterator[None]:
    """Turn whatever a parser makes of a damaged file into a ValueError that names the file and what it should be."""
    try:
        yield
    except PermissionError:
        raise
    except DAMAGE as error:
        told = " ".join(str(error).split())
        raise ValueError(f"{file} is not {what}, or is damaged ({told})") from error
