"""From cells to features: missing numbers filled with the mean of their column or refused, categories as zeros and ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from orthonet.files.errors import FileError, Place
from orthonet.files.options import Gaps
from orthonet.graph.features import block_rows
from orthonet.support.sentences import Argument
from orthonet.support.text import counted

Numbers = npt.NDArray[np.floating[Any]]
LISTED_COLUMNS = 3
"""So many columns with missing values have a note each; of more, one note gives the total."""
MOST_CATEGORIES = 1000
"""How many categories a column may have; one with more is rather a column of ids."""


def fill_missing(
    features: Numbers,
    missing: Gaps,
    *,
    path: Path,
    place: Callable[[int], Place],
    column: Callable[[int], str],
    keep_empty_rows: bool = False,
) -> tuple[Numbers, list[str]]:
    """Return features without NaN, unless these are to be kept, and notes of what was filled; infinite numbers are an error.

    Parameters
    ----------
    features : array of shape (N, M)
        A memory map without missing values stays one.
    missing : {"mean", "refuse", "keep"}
    path : Path
    place, column : callable
        Where a row is, and what a column is called, for errors.
    keep_empty_rows : bool
        Whether rows of only NaN stay so: nodes that are missing from a view.
    """
    holes, n_empty_rows = _count_holes(features, missing, place, column, keep_empty_rows)
    notes = []
    if n_empty_rows:
        notes = [f"{path}: {counted(n_empty_rows, 'row')} without any number: nodes that this view lacks"]
    if not holes.any() or missing == "keep":
        return features, notes
    filled = np.array(features)
    rows = ~np.isnan(filled).all(axis=1) if n_empty_rows else np.ones(len(filled), dtype=bool)
    columns = np.flatnonzero(holes).tolist()
    for index in columns:
        values = filled[rows, index]
        lacking = np.isnan(values)
        if lacking.all():
            raise FileError(path, f"{column(index)} has no value in any row; leave it out")
        values[lacking] = _mean(values[~lacking])
        filled[rows, index] = values
    if len(columns) > LISTED_COLUMNS:
        total = counted(int(holes.sum()), "missing value")
        return filled, [*notes, f"{path}: {total} in {len(columns):,} columns filled with the mean"]
    for index in columns:
        count = counted(int(holes[index]), "missing value")
        notes.append(f"{path}: {column(index)}: {count} filled with the mean")
    return filled, notes


def category_name(column: str, category: str) -> str:
    """Return the name of the feature that is 1 for nodes of a category: ``town=Bonn``."""
    return f"{column}={category}"


def category_features(
    texts: npt.NDArray[Any], column: str, path: Path
) -> tuple[tuple[str, ...], npt.NDArray[np.float64]]:
    """Return the names and the columns of zeros and ones of the categories, in alphabetical order.

    >>> names, columns = category_features(np.array(["Ulm", "Bonn", "", "Ulm"]), "town", Path("people.csv"))
    >>> names, columns.tolist()
    (('town=Bonn', 'town=Ulm'), [[0.0, 1.0], [1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])
    """
    n_values = len(np.unique(texts))
    if n_values > MOST_CATEGORIES:
        raise FileError(path, f"column {column!r} has {n_values:,} different values, too many for categories")
    columns, categories = one_hot(texts)
    return tuple(category_name(column, one) for one in categories.tolist()), columns


def one_hot(values: npt.ArrayLike) -> tuple[npt.NDArray[np.float64], npt.NDArray[Any]]:
    """Return a column of 0 and 1 for each distinct value, and the values; NaN and "" are none and have no column."""
    column = np.asarray(values)
    known = column != "" if column.dtype.kind == "U" else ~np.isnan(column)
    categories = np.unique(column[known])
    return (column[:, None] == categories).astype(np.float64), categories


def _count_holes(
    features: Numbers,
    missing: Gaps,
    place: Callable[[int], Place],
    column: Callable[[int], str],
    keep_empty_rows: bool,
) -> tuple[npt.NDArray[np.int64], int]:
    """Return the number of missing values per column, and of rows to keep empty; refuse what must be refused."""
    holes = np.zeros(features.shape[1], dtype=np.int64)
    n_empty_rows, size = 0, block_rows(features)
    for start in range(0, len(features), size):
        block = np.asarray(features[start : start + size])
        if np.isfinite(block).all():
            continue
        infinite = np.isinf(block)
        if infinite.any():
            row, index = np.unravel_index(int(infinite.argmax()), block.shape)
            raise FileError(place(start + int(row)), f"{column(int(index))} holds an infinite number")
        empty = np.isnan(block)
        kept = empty.all(axis=1) & keep_empty_rows
        empty[kept] = False
        n_empty_rows += int(kept.sum())
        if missing == "refuse" and empty.any():
            row, index = np.unravel_index(int(empty.argmax()), block.shape)
            raise FileError(
                place(start + int(row)),
                f"{column(int(index))} has no value; pass ",
                Argument("missing_features", "mean"),
                " to fill it",
            )
        holes += empty.sum(axis=0)
    return holes, n_empty_rows


def _mean(values: Numbers) -> Any:
    with np.errstate(over="ignore"):
        mean = values.mean()
    return mean if np.isfinite(mean) else (values / len(values)).sum()
