"""The columns of a table: ids as positions among those that occur, numbers as floats.

Text files are read by polars where it is installed. What it stumbles over, and everything without it, is read again row by
row, which is slow but says which row is wrong.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from orthonet.files.errors import FileError
from orthonet.files.options import Ids
from orthonet.files.source import Source
from orthonet.files.tables.cells import MISSING, comma_hint, ids_of, is_number
from orthonet.files.tables.layout import Layout
from orthonet.files.tables.numbering import Codes
from orthonet.support.optional import is_installed


class Columns(Protocol):
    """Some columns of a table; rows are counted from 1, the heading not among them."""

    def codes(self, columns: Sequence[int], ids: Ids = "auto") -> tuple[npt.NDArray[Any], list[Codes]]:
        """Return what occurs in the columns together, row by row as it first appears, and the position of each entry.

        An empty entry has position −1. With "auto" what occurs is an array of integers if all entries are written as such.
        """

    def numbers(self, column: int, what: str) -> npt.NDArray[np.float64]:
        """Return a column of numbers, NaN where one is missing; text is an error that names the row."""

    def is_numeric(self, column: int) -> bool:
        """Return whether a column holds at least one number and nothing that is not one."""

    def texts(self, column: int) -> npt.NDArray[np.str_]:
        """Return a column as text."""


@dataclass
class PlainColumns:
    """Columns as lists of text."""

    path: Path
    cells: dict[int, list[str]]
    n_rows: int

    def codes(self, columns: Sequence[int], ids: Ids = "auto") -> tuple[npt.NDArray[Any], list[Codes]]:
        """See `Columns`."""
        place: dict[str, int] = {"": -1}
        found = np.empty((self.n_rows, len(columns)), dtype=np.int64)
        for row, entries in enumerate(zip(*(self.cells[column] for column in columns), strict=True)):
            for index, entry in enumerate(entries):
                found[row, index] = place.setdefault(entry, len(place) - 1)
        del place[""]
        return ids_of(list(place), ids), [np.ascontiguousarray(found[:, index]) for index in range(len(columns))]

    def numbers(self, column: int, what: str) -> npt.NDArray[np.float64]:
        """See `Columns`."""
        values = np.full(self.n_rows, np.nan)
        for row, text in enumerate(self.cells[column]):
            if text not in MISSING:
                if not is_number(text):
                    raise FileError(self.path, f"{what} must be a number, got {text!r}{comma_hint(text)}", row=row + 1)
                values[row] = float(text)
        return values

    def is_numeric(self, column: int) -> bool:
        """See `Columns`."""
        texts = [text for text in self.cells[column] if text not in MISSING]
        return bool(texts) and all(map(is_number, texts))

    def texts(self, column: int) -> npt.NDArray[np.str_]:
        """See `Columns`."""
        return np.array(["" if text in MISSING else text for text in self.cells[column]], dtype=str)


def read_columns(source: Source, layout: Layout, text: Sequence[int], numeric: Sequence[int] = ()) -> Columns:
    """Read some columns of a text file, those of text and those of numbers."""
    if layout.regular and not layout.by_rows and is_installed("polars"):
        from orthonet.files.tables.polars_columns import read_text_file

        found = read_text_file(source, layout, text, numeric)
        if found is not None:
            return found
    return read_plain(source, layout, [*text, *numeric])


def read_plain(source: Source, layout: Layout, columns: Sequence[int]) -> PlainColumns:
    """Read some columns row by row."""
    cells: dict[int, list[str]] = {column: [] for column in columns}
    rows = layout.cells(islice(source.lines(newline=""), layout.n_skipped, None))
    number = 0 if layout.heading is None else -1
    try:
        for row in rows:
            number += 1
            if number < 1:
                continue
            if any(row[layout.n_columns :]):
                raise FileError(
                    source.path, f"{len(row)} cells, but the table has {layout.n_columns} columns", row=number
                )
            for column, texts in cells.items():
                texts.append(row[column] if column < len(row) else "")
    except csv.Error as error:
        raise FileError(source.path, str(error), row=max(number + 1, 1)) from error
    return PlainColumns(source.path, cells, max(number, 0))
