"""What the loaders of published relations share: graphs of equally long parts, and tables of text."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy.typing as npt

from orthonet.files.errors import FileError
from orthonet.graph.multilayer import MultilayerGraph


def relation_graph(
    file: Path,
    layers: Mapping[str, Any],
    features: Any,
    labels: npt.NDArray[Any],
    two_mode: Mapping[str, Any] | None = None,
) -> MultilayerGraph:
    """Return the graph of relations, features (or None) and labels that came from one place and must be of one length."""
    sizes = {name: layer.shape for name, layer in {**layers, **(two_mode or {})}.items()}
    if features is not None:
        sizes["features"] = features.shape
    for name, shape in sizes.items():
        if shape[0] != len(labels):
            raise FileError(file, f"{name!r} has {shape[0]} rows, but there are {len(labels)} labels")
    return MultilayerGraph(layers, features, two_mode=two_mode)


def table_rows(lines: Iterable[str], columns: Sequence[str], delimiter: str = ",") -> Iterator[dict[str, str]]:
    """Yield the wanted columns of a text table with a heading, row by row; a cell that is not there is empty."""
    rows = csv.DictReader(lines, delimiter=delimiter, restval="")
    missing = [name for name in columns if name not in (rows.fieldnames or ())]
    if missing:
        raise ValueError(f"it has no column {missing[0]!r}")
    for row in rows:
        yield {name: row[name].strip() for name in columns}
