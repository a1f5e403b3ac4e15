"""What the loaders of published relations share: graphs of equally long parts, tables of text, one coding of categories."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from orthonet.files.errors import FileError
from orthonet.graph.multilayer import MultilayerGraph


def relation_graph(file: Path, layers: Mapping[str, Any], features: Any, labels: npt.NDArray[Any]) -> MultilayerGraph:
    """Return the graph of relations, features and labels that came from one place and must be of one length."""
    sizes = {name: layer.shape for name, layer in layers.items()} | {"features": features.shape}
    for name, shape in sizes.items():
        if shape[0] != len(labels):
            raise FileError(file, f"{name!r} has {shape[0]} rows, but there are {len(labels)} labels")
    return MultilayerGraph(layers, features)


def one_hot(values: npt.ArrayLike) -> tuple[npt.NDArray[np.float64], npt.NDArray[Any]]:
    """Return a column of 0 and 1 for each distinct value, and the values; NaN and "" are none and have no column."""
    column = np.asarray(values)
    known = column != "" if column.dtype.kind == "U" else ~np.isnan(column)
    categories = np.unique(column[known])
    return (column[:, None] == categories).astype(np.float64), categories


def table_rows(lines: Iterable[str], columns: Sequence[str], delimiter: str = ",") -> Iterator[dict[str, str]]:
    """Yield the wanted columns of a text table with a heading, row by row; a cell that is not there is empty."""
    rows = csv.DictReader(lines, delimiter=delimiter, restval="")
    missing = [name for name in columns if name not in (rows.fieldnames or ())]
    if missing:
        raise ValueError(f"it has no column {missing[0]!r}")
    for row in rows:
        yield {name: row[name].strip() for name in columns}
