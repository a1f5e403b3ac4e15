"""Columns of text and Parquet files through polars: no Python step for each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from orthonet.files.errors import FileError
from orthonet.files.isolation import ReaderError, asked
from orthonet.files.options import Ids
from orthonet.files.source import Source
from orthonet.files.tables.cells import LONGEST_INTEGER, MISSING, comma_hint, ids_of
from orthonet.files.tables.layout import SAMPLE_ROWS, Layout
from orthonet.files.tables.numbering import Codes, number_hashes, number_integers
from orthonet.support.optional import require

UNPACKED, SPARE_SECONDS = 16, 5
"""For the limits of reading: how many times its size a Parquet file's content is taken to be, and the time of a small one."""
INTEGER = rf"^(?:0|-?[1-9][0-9]{{0,{LONGEST_INTEGER - 1}}})$"


@dataclass
class PolarsColumns:
    """Columns of a polars frame, called by their numbers."""

    path: Path
    frame: Any
    typed: bool
    """Whether the file says which columns are numbers (Parquet), so that digits in text are text."""

    def codes(self, columns: Sequence[int], ids: Ids = "auto") -> tuple[npt.NDArray[Any], list[Codes]]:
        """See `columns.Columns`."""
        pl = _polars()
        series = [self.frame[str(column)] for column in columns]
        if ids == "auto":
            whole = all(one.dtype.is_integer() for one in series) if self.typed else _look_whole(series)
            integers = _integers(series) if whole else None
            if integers is not None:
                return _integer_codes(integers)
        texts = [one if one.dtype == pl.String else one.cast(pl.String) for one in series]
        return _text_codes(texts, "text" if self.typed else ids)

    def numbers(self, column: int, what: str) -> npt.NDArray[np.float64]:
        """See `columns.Columns`."""
        pl = _polars()
        series = self.frame[str(column)]
        if series.dtype == pl.Boolean or series.dtype.is_numeric():
            return _with_holes(series.cast(pl.Float64))
        kept = series.cast(pl.String)
        kept = kept.set(kept.is_in(sorted(MISSING)), None)
        values = kept.cast(pl.Float64, strict=False)
        wrong = (values.is_null() | values.is_nan()) & kept.is_not_null()
        if wrong.any():
            row = int(wrong.arg_max() or 0)
            raise FileError(
                self.path, f"{what} must be a number, got {kept[row]!r}{comma_hint(kept[row])}", row=row + 1
            )
        return _with_holes(values)

    def is_numeric(self, column: int) -> bool:
        """See `columns.Columns`."""
        pl = _polars()
        series = self.frame[str(column)]
        if series.dtype == pl.Boolean or series.dtype.is_numeric():
            return True
        if self.typed or series.dtype != pl.String:
            return False
        entries = series.filter(series.is_not_null() & ~series.is_in(sorted(MISSING)))
        values = entries.cast(pl.Float64, strict=False)
        return len(entries) > 0 and values.null_count() == 0 and not values.is_nan().any()

    def texts(self, column: int) -> npt.NDArray[np.str_]:
        """See `columns.Columns`."""
        entries = self.frame[str(column)].cast(_polars().String).fill_null("")
        return np.array(["" if text in MISSING else text for text in entries.to_list()], dtype=str)


def read_text_file(source: Source, layout: Layout, text: Sequence[int], numeric: Sequence[int]) -> PolarsColumns | None:
    """Read columns of a delimited file, or return None where only the slower reader finds what is wrong."""
    with source.unpacked() as plain:
        frame = _scan(plain, layout, (*text, *numeric), numeric)
        if numeric and (frame is None or any(frame[str(column)].is_nan().any() for column in numeric)):
            frame = _scan(
                plain, layout, (*text, *numeric), ()
            )  # `numbers` knows which words stand for a missing number
    return None if frame is None else PolarsColumns(source.path, frame, typed=False)


def _scan(path: Path, layout: Layout, columns: Sequence[int], numeric: Sequence[int]) -> Any:
    pl = _polars()
    try:
        scanned = pl.scan_csv(
            path,
            has_header=False,
            skip_lines=layout.n_skipped + (layout.heading is not None),
            separator=layout.delimiter,
            schema={str(column): pl.Float64 if column in numeric else pl.String for column in range(layout.n_columns)},
            glob=False,
        )
        # All columns first: polars does not see that a row has too many cells where it may skip some.
        return scanned.collect().select([str(column) for column in columns])
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        return None


def parquet_names(path: Path) -> list[str]:
    """Return the names of the columns of a Parquet file."""
    return list(_scanned(path, lambda frame: frame.collect_schema().names()))


def parquet_layout(path: Path) -> Layout:
    """Return the names and the first rows of a Parquet file as those of a text file."""
    first = _scanned(path, lambda frame: frame.head(SAMPLE_ROWS).collect())
    rows = tuple(tuple("" if cell is None else str(cell) for cell in row) for row in first.rows())
    return Layout(",", 0, tuple(first.columns), rows, first.width, regular=True)


def read_parquet(source: Source, columns: Sequence[int]) -> PolarsColumns:
    """Read columns of a Parquet file."""
    path = source.path
    pl, names = _polars(), parquet_names(path)
    n_rows = int(_scanned(path, lambda frame: frame.select(pl.len()).collect().item()))
    source.check_unpacked(8 * n_rows * len(columns), "write it as a text file first")
    frame = _scanned(
        path,
        lambda frame: frame.select([pl.col(names[column]).alias(str(column)) for column in columns]).collect(),
    )
    for column in columns:
        dtype = frame[str(column)].dtype
        if dtype.is_nested() or dtype in (pl.Object, pl.Binary):
            raise FileError(path, f"column {names[column]!r} holds {dtype}, which is neither text nor numbers")
    return PolarsColumns(path, frame, typed=True)


def _scanned(path: Path, work: Any) -> Any:
    pl, about = _polars(), path.stat()
    _check_whole(path, about.st_size, about.st_mtime_ns, about.st_ino)
    try:
        return work(pl.scan_parquet(path, glob=False))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise FileError.about(path, f"is not a whole Parquet file: {str(error).splitlines()[0]}") from None


@lru_cache(64)
def _check_whole(path: Path, size: int, *version: int) -> None:
    """Have all of a Parquet file read in another process, once, before polars is let at it in this one."""
    try:
        asked({"path": str(path.resolve()), "sample_rows": SAMPLE_ROWS}, UNPACKED * size, SPARE_SECONDS)
    except ReaderError as error:
        raise FileError.about(path, f"is not a whole Parquet file: {error}") from None


def _polars() -> Any:
    return require("polars", extra="files", purpose="reading a Parquet file")


def _with_holes(series: Any) -> npt.NDArray[np.float64]:
    """Return numbers, NaN where one is missing."""
    return np.asarray((series.fill_null(np.nan) if series.null_count() else series).to_numpy(), dtype=np.float64)


def _look_whole(series: Sequence[Any]) -> bool:
    """Look at a few entries, to spare text the cost of a cast."""
    string = _polars().String
    return all(one.dtype == string and one.head(1000).drop_nulls().str.contains(INTEGER).all() for one in series)


def _integers(series: Sequence[Any]) -> list[Any] | None:
    """Return entries as integers, or None if that would lose one: a word, a number too long, or one written as 007, +1, -0."""
    pl = _polars()
    frame = pl.DataFrame({str(index): one for index, one in enumerate(series)})
    numbers = frame.select(pl.all().cast(pl.Int64, strict=False))
    if numbers.null_count().row(0) != frame.null_count().row(0):
        return None
    if series[0].dtype == pl.String:
        each = pl.all()
        padded = (each.str.starts_with("0") & (each.str.len_bytes() > 1)) | each.str.starts_with("-0")
        odd = padded | each.str.starts_with("+") | (each.str.len_bytes() > LONGEST_INTEGER)
        if any(frame.select(odd.any()).row(0)):
            return None
    return numbers.get_columns()


def _integer_codes(series: Sequence[Any]) -> tuple[npt.NDArray[Any], list[Codes]]:
    """Number integers in order of first appearance."""
    values = [one.fill_null(0).to_numpy() if one.null_count() else one.to_numpy() for one in series]
    found = number_integers(values, list(map(_present, series)))
    row, column = np.divmod(found.first, len(values))
    return np.choose(column, [one[row] for one in values]), found.codes


def _text_codes(series: Sequence[Any], ids: Ids) -> tuple[npt.NDArray[Any], list[Codes]]:
    """Number texts in order of first appearance: by their hashes, which is proved right at the end, else as categories."""
    entries = [one.set(one == "", None) if (one == "").any() else one for one in series]
    present = list(map(_present, entries))
    for keys in (_hashes, _categories):
        found = number_hashes(keys(entries), present)
        row, column = np.divmod(found.first, len(entries))
        texts = _polars().concat(entries).gather(column * len(entries[0]) + row)
        if all(map(_spells, entries, [texts] * len(entries), found.codes)):
            break
    return ids_of(texts.to_list(), ids), found.codes


def _present(series: Any) -> npt.NDArray[np.bool_]:
    return np.asarray(series.is_not_null().to_numpy()) if series.null_count() else np.ones(len(series), dtype=bool)


def _hashes(series: Sequence[Any]) -> list[npt.NDArray[np.uint64]]:
    return [one.hash().to_numpy() for one in series]


def _categories(series: Sequence[Any]) -> list[npt.NDArray[np.uint64]]:
    pl = _polars()
    category = pl.Categorical(pl.Categories.random())  # of its own, and gone with the table
    columns = [
        one.cast(category) for one in series
    ]  # all of them first: with the last column of a category its numbers go
    return [one.to_physical().fill_null(0).cast(pl.UInt64).to_numpy() for one in columns]


def _spells(series: Any, texts: Any, codes: Codes) -> bool:
    """Return whether the codes stand for the texts, all of them."""
    rows = None if not series.null_count() else np.flatnonzero(codes >= 0)
    entries, chosen = (series, codes) if rows is None else (series.gather(rows), codes[rows])
    return bool((texts.gather(chosen) == entries).all())
