"""Columns of text and Parquet files through polars: no Python step for each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from orthonet.graph.formats.columns import LONGEST_INTEGER, Codes, Ids, ids_of
from orthonet.graph.formats.layout import Layout
from orthonet.graph.formats.network_file import MISSING
from orthonet.graph.formats.opening import unpacked
from orthonet.support.optional import require

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
        texts = [one if one.dtype == pl.String else one.cast(pl.String) for one in series]
        written = not self.typed and all(map(_looks_whole, texts)) and _all_canonical(texts)
        if ids == "auto" and (written or all(one.dtype.is_integer() for one in series)):
            numbers = [one.cast(pl.Int64, strict=False) for one in series]
            if [one.null_count() for one in numbers] == [one.null_count() for one in series]:
                return _integer_codes(numbers)
        return _text_codes(texts, "text" if self.typed else ids)

    def numbers(self, column: int, what: str) -> npt.NDArray[np.float64]:
        """See `columns.Columns`."""
        pl = _polars()
        series = self.frame[str(column)]
        if series.dtype == pl.Boolean or series.dtype.is_numeric():
            return np.array(series.cast(pl.Float64).fill_null(np.nan).to_numpy(), dtype=np.float64)
        kept = series.cast(pl.String)
        kept = kept.set(kept.is_in(sorted(MISSING)), None)
        values = kept.cast(pl.Float64, strict=False)
        wrong = values.is_null() & kept.is_not_null()
        if wrong.any():
            row = int(wrong.arg_max() or 0)
            raise ValueError(f"{self.path}, row {row + 1}: {what} must be a number, got {kept[row]!r}")
        return np.array(values.fill_null(np.nan).to_numpy(), dtype=np.float64)

    def is_numeric(self, column: int) -> bool:
        """See `columns.Columns`."""
        pl = _polars()
        series = self.frame[str(column)]
        if series.dtype == pl.Boolean or series.dtype.is_numeric():
            return True
        if self.typed or series.dtype != pl.String:
            return False
        held = series.filter(series.is_not_null() & ~series.is_in(sorted(MISSING)))
        return len(held) > 0 and held.cast(pl.Float64, strict=False).null_count() == 0

    def texts(self, column: int) -> npt.NDArray[np.str_]:
        """See `columns.Columns`."""
        held = self.frame[str(column)].cast(_polars().String).fill_null("")
        return np.array(["" if text in MISSING else text for text in held.to_list()], dtype=str)


def read_text_file(path: Path, layout: Layout, text: Sequence[int], numeric: Sequence[int]) -> PolarsColumns | None:
    """Read columns of a delimited file, or return None where only a slower reader can tell what is wrong."""
    with unpacked(path) as plain:
        frame = _scan(plain, layout, (*text, *numeric), numeric)
        if frame is None and numeric:
            frame = _scan(plain, layout, (*text, *numeric), ())  # words for missing numbers are known to `numbers`
    return None if frame is None else PolarsColumns(path, frame, typed=False)


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


def read_parquet(path: Path, columns: Sequence[int]) -> PolarsColumns:
    """Read columns of a Parquet file."""
    pl, names = _polars(), parquet_names(path)
    frame = _scanned(
        path,
        lambda frame: frame.select([pl.col(names[column]).alias(str(column)) for column in columns]).collect(),
    )
    for column in columns:
        dtype = frame[str(column)].dtype
        if dtype.is_nested() or dtype in (pl.Object, pl.Binary):
            raise ValueError(f"{path}: column {names[column]!r} holds {dtype}, which is neither text nor numbers")
    return PolarsColumns(path, frame, typed=True)


def _scanned(path: Path, work: Any) -> Any:
    pl = _polars()
    try:
        return work(pl.scan_parquet(path, glob=False))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise ValueError(f"{path} is not a whole Parquet file: {str(error).splitlines()[0]}") from None


def _polars() -> Any:
    return require("polars", extra="files", purpose="reading a Parquet file")


def _looks_whole(series: Any) -> bool:
    """Look at a few entries, to spare text the cost of a cast."""
    return bool(series.head(1000).drop_nulls().str.contains(INTEGER).all())


def _all_canonical(texts: Sequence[Any]) -> bool:
    """Tell whether no integer is written in a way that would be lost: 007, +1, -0."""
    for one in texts:
        odd = (
            (one.str.starts_with("0") & (one.str.len_bytes() > 1))
            | one.str.starts_with("+")
            | one.str.starts_with("-0")
        )
        if odd.any():
            return False
    return True


def _integer_codes(series: Sequence[Any]) -> tuple[npt.NDArray[Any], list[Codes]]:
    """Number integers in order of first appearance: by a table where they lie close together, else by sorting."""
    pl = _polars()
    present = [one.is_not_null().to_numpy() for one in series]
    values = [one.fill_null(0).cast(pl.Int64).to_numpy() for one in series]
    if not any(mask.any() for mask in present):
        return np.empty(0, dtype=np.int64), [np.full(len(one), -1, dtype=np.int64) for one in values]
    low = min(int(one[mask].min()) for one, mask in zip(values, present, strict=True) if mask.any())
    high = max(int(one[mask].max()) for one, mask in zip(values, present, strict=True) if mask.any())
    n_entries = len(series) * len(values[0])
    if high - low <= 4 * n_entries + 1024:
        keys = [np.where(mask, one - low, 0) for one, mask in zip(values, present, strict=True)]
        labels = np.arange(low, high + 1)
    else:
        labels, inverse = np.unique(np.concatenate(values), return_inverse=True)
        keys = np.split(inverse.astype(np.int64), len(values))
    return _in_order(labels, keys, present)


def _text_codes(series: Sequence[Any], ids: Ids) -> tuple[npt.NDArray[Any], list[Codes]]:
    """Number texts in order of first appearance: by their hashes, which is proved right at the end, else as categories."""
    held = [one.set(one == "", None) if (one == "").any() else one for one in series]
    present = [one.is_not_null().to_numpy() for one in held]
    for number in (_by_hash, _by_category):
        keys = number(held)
        n_keys = 1 + max((int(column.max()) for column in keys if len(column)), default=-1)
        used, codes = _in_order(np.arange(n_keys), keys, present)
        texts = _first_texts(held, codes, len(used))
        if all(_spells(one, texts, column) for one, column in zip(held, codes, strict=True)):
            break
    return ids_of(texts.to_list(), ids), codes


def _by_hash(series: Sequence[Any]) -> list[Codes]:
    """Give equal hashes equal keys: each takes a place in a table, and those that lose theirs to another go to the next."""
    hashes = np.concatenate([one.hash().to_numpy() for one in series])
    keys = np.empty(len(hashes), dtype=np.int64)
    pending, first_key = np.arange(len(hashes)), 0
    while len(pending):
        bits = max(len(pending).bit_length(), 4)
        hashed = hashes[pending] * np.uint64(2 * first_key + 1)  # times an odd number: no two become equal
        place = (hashed >> np.uint64(64 - bits)).astype(np.int64)
        owner = np.zeros(2**bits, dtype=np.uint64)
        owner[place] = hashed
        won = owner[place] == hashed
        keys[pending[won]] = place[won] + first_key
        pending, first_key = pending[~won], first_key + 2**bits
    return np.split(keys, len(series))


def _by_category(series: Sequence[Any]) -> list[Codes]:
    pl = _polars()
    category = pl.Categorical(pl.Categories.random())  # of its own, and gone with the table
    return [one.cast(category).to_physical().fill_null(0).cast(pl.Int64).to_numpy() for one in series]


def _first_texts(series: Sequence[Any], codes: Sequence[Codes], count: int) -> Any:
    """Return one text for each code."""
    n_rows = len(series[0])
    row = np.zeros(count, dtype=np.int64)
    for index, column in enumerate(codes):
        rows = np.flatnonzero(column >= 0)
        row[column[rows]] = rows + index * n_rows
    return _polars().concat(list(series)).gather(row)


def _spells(series: Any, texts: Any, codes: Codes) -> bool:
    """Tell whether the codes stand for the texts, all of them."""
    rows = np.flatnonzero(codes >= 0)
    held = series if len(rows) == len(codes) else series.gather(rows)
    return bool((texts.gather(codes[rows]) == held).all())


def _in_order(
    labels: npt.NDArray[Any], keys: Sequence[Codes], present: Sequence[npt.NDArray[np.bool_]]
) -> tuple[npt.NDArray[Any], list[Codes]]:
    """Renumber keys by where they first appear, row by row."""
    n_columns, never = len(keys), np.iinfo(np.int64).max
    first = np.full(len(labels), never, dtype=np.int64)
    for index, (column, mask) in enumerate(zip(keys, present, strict=True)):
        seen = np.full(len(labels), never, dtype=np.int64)
        rows = np.arange(len(column), dtype=np.int64) if mask.all() else np.flatnonzero(mask)
        held = column if mask.all() else column[mask]
        seen[held[::-1]] = rows[::-1] * n_columns + index  # written backwards: the first row is written last
        np.minimum(first, seen, out=first)
    used = np.flatnonzero(first < never)
    order = used[np.argsort(first[used])]
    place = np.full(len(labels), -1, dtype=np.int64)
    place[order] = np.arange(len(order))
    codes = []
    for column, mask in zip(keys, present, strict=True):
        found = place[column] if len(labels) else np.full(len(column), -1, dtype=np.int64)
        codes.append(found if mask.all() else np.where(mask, found, -1))
    return labels[order], codes
