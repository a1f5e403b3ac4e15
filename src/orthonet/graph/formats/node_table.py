"""Tables of nodes, one a row: an id, and numbers or text about it; delimited text and Parquet."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from orthonet.graph.formats.columns import Columns, read_columns
from orthonet.graph.formats.edge_list import column_named
from orthonet.graph.formats.layout import look_at
from orthonet.graph.formats.network_file import Column
from orthonet.graph.formats.opening import PARQUET, check_file, opening_bytes
from orthonet.graph.formats.options import ReadOptions
from orthonet.graph.ids import first_duplicate

MissingFeatures = Literal["mean", "refuse"]
ID_NAMES = frozenset(
    ["id", "ids", "node", "nodes", "nodeid", "node_id", "name", "actor", "actorid", "vertex", "label", "key"]
)


@dataclass(frozen=True)
class NodeTable:
    """The nodes of a network and what is known of them.

    Attributes
    ----------
    path : Path
    ids : array of shape (N,)
    features : array of shape (N, M), or None
        The columns of numbers.
    feature_names : tuple of str
    attributes : mapping of names to arrays of text
        The other columns.
    notes : tuple of str
    """

    path: Path
    ids: npt.NDArray[Any]
    features: npt.NDArray[np.float64] | None
    feature_names: tuple[str, ...]
    attributes: dict[str, Column]
    notes: tuple[str, ...]


def read_node_table(path: Any, options: ReadOptions, missing: MissingFeatures = "mean") -> NodeTable:
    """Read a table of nodes.

    The id is the column that the caller names, else one called id, node, name, …, else the first. Columns of numbers are
    features; a column with other text in it is an attribute.
    """
    file = check_file(path)
    if opening_bytes(file) == PARQUET:
        from orthonet.graph.formats.polars_columns import parquet_names, read_parquet

        names: Sequence[str] = parquet_names(file)
        columns: Columns = read_parquet(file, range(len(names)))
        id_column = _id_column(file, names, len(names), options)
    else:
        layout = look_at(file, _looks_like_heading, heading=options.heading)
        id_column = _id_column(file, layout.heading, layout.n_columns, options)
        names = layout.heading or [f"column {index}" for index in range(layout.n_columns)]
        columns = read_columns(file, layout, range(layout.n_columns))
    duplicate = first_duplicate(names)
    if duplicate is not None:
        raise ValueError(f"{file}: two columns are called {duplicate!r}")
    ids, (codes,) = columns.codes([id_column], options.ids)
    held = np.flatnonzero(codes >= 0)
    rest = [column for column in range(len(names)) if column != id_column]
    _check_ids(file, columns, rest, ids, codes)
    numeric = [column for column in rest if columns.is_numeric(column)]
    values = [columns.numbers(column, f"column {names[column]!r}")[held] for column in numeric]
    attributes: dict[str, Column] = {
        names[column]: columns.texts(column)[held] for column in rest if column not in numeric
    }
    notes = [f"{file}: columns of text, not features: {', '.join(map(repr, attributes))}"] if attributes else []
    filled = []
    for column, numbers in zip(numeric, values, strict=True):
        filled.append(_filled(numbers, names[column], file, held, missing, notes))
    features = np.column_stack(filled) if filled else None
    return NodeTable(file, ids, features, tuple(names[column] for column in numeric), attributes, tuple(notes))


def _looks_like_heading(cells: list[str]) -> bool:
    return any(_plain(cell) in ID_NAMES for cell in cells)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _id_column(path: Path, heading: Sequence[str] | None, n_columns: int, options: ReadOptions) -> int:
    if options.id_column is not None:
        return column_named(path, options.id_column, heading, n_columns, "id_column")
    named = [index for index, name in enumerate(heading or ()) if _plain(name) in ID_NAMES]
    return named[0] if named else 0


def _check_ids(path: Path, columns: Columns, rest: Sequence[int], ids: Any, codes: npt.NDArray[np.int64]) -> None:
    if not len(ids):
        raise ValueError(f"{path} names no nodes")
    empty = np.flatnonzero(codes < 0)
    told = [row for row in empty.tolist() if any(columns.texts(column)[row] for column in rest)] if len(empty) else []
    if told:
        raise ValueError(f"{path}, row {told[0] + 1}: no id")
    held = codes[codes >= 0]
    if len(held) > len(ids):
        seen = np.zeros(len(ids), dtype=bool)
        for row in np.flatnonzero(codes >= 0).tolist():
            if seen[codes[row]]:
                raise ValueError(f"{path}, row {row + 1}: node {ids.tolist()[codes[row]]!r} was named before")
            seen[codes[row]] = True


def _filled(
    numbers: npt.NDArray[np.float64],
    name: str,
    path: Path,
    rows: npt.NDArray[np.int64],
    missing: MissingFeatures,
    notes: list[str],
) -> npt.NDArray[np.float64]:
    """Return a column with its holes filled by its mean, or raise."""
    infinite, holes = np.isinf(numbers), np.isnan(numbers)
    if infinite.any():
        raise ValueError(f"{path}, row {rows[infinite.argmax()] + 1}: column {name!r} holds an infinite number")
    if not holes.any():
        return numbers
    if missing == "refuse" or holes.all():
        raise ValueError(
            f"{path}, row {rows[holes.argmax()] + 1}: column {name!r} has no value ({int(holes.sum()):,} rows have none)"
            + ("; pass missing_features='mean' to fill them" if not holes.all() else "; leave it out")
        )
    notes.append(f"{path}: column {name!r}: {int(holes.sum()):,} missing values filled with the mean")
    return np.where(holes, numbers[~holes].mean(), numbers)
