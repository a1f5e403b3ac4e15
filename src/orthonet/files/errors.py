"""What is wrong with a file: an error that carries the file, the row and the argument, and says them in a sentence."""

from __future__ import annotations

import csv
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from tokenize import TokenError
from typing import Any
from zipfile import BadZipFile

from scipy.io.matlab import MatReadError

from orthonet.support.sentences import Argument, Sentence
from orthonet.support.text import LONGEST_MESSAGE, sentence, shortened, visible

PARSER_ERRORS = (
    AttributeError,
    BadZipFile,
    EOFError,
    IndexError,
    KeyError,
    MatReadError,
    MemoryError,  # a heading that promises more numbers than any memory holds
    NotImplementedError,
    OSError,  # a position in an archive beyond its end
    OverflowError,
    RuntimeError,  # an archive with a password
    SyntaxError,  # a dtype that numpy takes for Python
    TokenError,
    TypeError,
    ValueError,
    csv.Error,
    zlib.error,
)
"""What the parsers of numpy, scipy and Python raise on files that are cut off, or are something else."""

LINE_ENDS = {ord("\n"): r"\n", ord("\t"): r"\t"}
"""What `visible` leaves as it is, but a sentence cannot hold."""


@dataclass(frozen=True)
class Place:
    """A place in a file.

    Attributes
    ----------
    path : path
    row : int or None
        Counted from 1; None for the file as a whole.
    unit : str
        What ``row`` counts: rows of a table (without its heading), lines, entries, nodes or edges.
    detail : str
        Where else something is, such as the row and column of a matrix.
    """

    path: str | PathLike[str]
    row: int | None = None
    unit: str = "row"
    detail: str = ""

    def __str__(self) -> str:
        row = "" if self.row is None else f", {self.unit} {self.row}"
        return f"{self.path}{row}" + (f": {self.detail}" if self.detail else "")


class FileError(ValueError):
    """Something in a file is not as it must be.

    Attributes
    ----------
    path : Path
    row : int or None
        The row, line or entry, counted from 1.
    argument : str or None
        The argument that this is about, or that helps.
    reason : Sentence
        What is wrong, without the place. ``str(error)`` is the whole sentence.
    """

    def __init__(
        self, place: Place | str | PathLike[str], *reason: str | Argument, row: int | None = None, unit: str = "row"
    ) -> None:
        where = place if isinstance(place, Place) else Place(place, row, unit)
        self._keep(where, Sentence(*reason), ": ")

    @classmethod
    def about(cls, path: str | PathLike[str], *predicate: str | Argument) -> FileError:
        """Return an error whose sentence has the file as its subject: ``edges.csv has no edges``."""
        error = cls.__new__(cls)
        error._keep(Place(path), Sentence(*predicate), " ")
        return error

    def _keep(self, place: Place, reason: Sentence, between: str) -> None:
        self.path, self.row, self.reason = Path(place.path), place.row, reason
        self.argument = next((part.name for part in reason.parts if isinstance(part, Argument)), None)
        self._made_of = place, reason, between
        self.args = (Sentence(sentence(place), between, *_readable(reason)),)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, self._made_of


@contextmanager
def naming_file(path: str | PathLike[str]) -> Iterator[None]:
    """Turn any error about what is in a file into one that names the file."""
    try:
        yield
    except FileError:
        raise
    except (ValueError, csv.Error) as error:
        said = error.args[0] if error.args and isinstance(error.args[0], Sentence) else str(error)
        raise FileError(path, said) from error
    except OSError as error:
        shown = visible(str(path)).translate(LINE_ENDS)
        if shown in str(error):
            raise
        raise OSError(f"{shown}: {sentence(error)}") from error


@contextmanager
def reading(path: Path, what: str) -> Iterator[None]:
    """Turn whatever a parser makes of a damaged file into an error that names the file and what it should be."""
    try:
        yield
    except (PermissionError, FileError):
        raise
    except PARSER_ERRORS as error:
        raise FileError.about(path, f"is not {what}, or is damaged ({one_line(error)})") from error


def one_line(error: BaseException) -> str:
    """Return an error in one line; some have no text, and that of a missing key is only its name."""
    text = sentence(error)
    return f"it has no {text}" if isinstance(error, KeyError) else text or "it is damaged"


def _readable(reason: Sentence) -> list[str | Argument]:
    """Return the parts of a reason with nothing in them that cannot be seen, and none too long to be read."""
    return [
        part if isinstance(part, Argument) else shortened(visible(part).translate(LINE_ENDS), LONGEST_MESSAGE)
        for part in reason.parts
    ]


def _restored(place: Place, reason: Sentence, between: str) -> FileError:
    error = FileError.__new__(FileError)
    error._keep(place, reason, between)
    return error
