"""Numbers that a table of features lacks: filled with the mean of their column, or refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from orthonet.graph.features import block_rows
from orthonet.support.text import counted

MissingFeatures = Literal["mean", "refuse"]
TOLD_COLUMNS = 3
"""Columns with missing values that are told one by one."""


def fill_missing(
    features: npt.NDArray[np.floating[Any]],
    missing: MissingFeatures,
    *,
    file: str,
    row: Callable[[int], str],
    column: Callable[[int], str],
    keep_empty_rows: bool = False,
) -> tuple[npt.NDArray[np.floating[Any]], list[str]]:
    """Return features without NaN, and notes of what was filled; infinite numbers are an error.

    Parameters
    ----------
    features : array of shape (N, M)
        A memory map that lacks nothing stays one.
    missing : {"mean", "refuse"}
    file : str
        How notes call the file.
    row, column : callable
        How errors call a row, together with its file, and a column.
    keep_empty_rows : bool
        Whether rows of only NaN stay so: nodes that a view lacks.
    """
    holes = np.zeros(features.shape[1], dtype=np.int64)
    n_kept, size = 0, block_rows(features)
    for start in range(0, len(features), size):
        block = np.asarray(features[start : start + size])
        if np.isfinite(block).all():
            continue
        infinite = np.isinf(block)
        if infinite.any():
            first, where = np.unravel_index(int(infinite.argmax()), block.shape)
            raise ValueError(f"{row(start + int(first))}: {column(int(where))} holds an infinite number")
        empty = np.isnan(block)
        kept = empty.all(axis=1) & keep_empty_rows
        empty[kept] = False
        n_kept += int(kept.sum())
        if missing == "refuse" and empty.any():
            first, where = np.unravel_index(int(empty.argmax()), block.shape)
            raise ValueError(
                f"{row(start + int(first))}: {column(int(where))} has no value; pass missing_features='mean' to fill it"
            )
        holes += empty.sum(axis=0)
    notes = [f"{file}: {counted(n_kept, 'row')} without any number: nodes that this view lacks"] if n_kept else []
    if not holes.any():
        return features, notes
    columns = np.flatnonzero(holes).tolist()
    filled = np.array(features)
    if n_kept:
        filled = filled[~np.isnan(filled).all(axis=1)]
    for index in columns:
        values = filled[:, index]
        lacking = np.isnan(values)
        if lacking.all():
            raise ValueError(f"{file}: {column(index)} has no value in any row; leave it out")
        values[lacking] = _mean(values[~lacking])
    if n_kept:
        whole = np.array(features)
        whole[~np.isnan(whole).all(axis=1)] = filled
        filled = whole
    if len(columns) > TOLD_COLUMNS:
        return filled, [
            *notes,
            f"{file}: {counted(int(holes.sum()), 'missing value')} in {len(columns):,} columns filled with the mean",
        ]
    notes += [
        f"{file}: {column(one)}: {counted(int(holes[one]), 'missing value')} filled with the mean" for one in columns
    ]
    return filled, notes


def _mean(values: npt.NDArray[np.floating[Any]]) -> Any:
    with np.errstate(over="ignore"):
        mean = values.mean()
    return mean if np.isfinite(mean) else (values / len(values)).sum()
