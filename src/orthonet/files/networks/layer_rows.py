"""The rows of a layer: from edges one by one, and from adjacency matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import coo_array, csr_array, issparse

from orthonet.files.errors import FileError, Place
from orthonet.files.network import LayerRows, NetworkPart
from orthonet.files.source import Source
from orthonet.files.tables.arrays import MOST_UNSAID_NODES, shape_of
from orthonet.graph.edge_list import EdgeList, Merge


class EdgeRow(NamedTuple):
    """One edge as a file has it: its ends by number or position, its weight and its place.

    ``directed`` is None where the format does not say whether the edge has a direction.
    """

    source: int
    target: int
    weight: float
    place: Place
    directed: bool | None = None


def layer_of_rows(
    rows: Sequence[EdgeRow],
    position: Mapping[int, int] | None = None,
    *,
    dropped: Mapping[str, int] | None = None,
    merge: Merge = "sum",
) -> LayerRows:
    """Return the rows of a layer as columns; ``position`` turns the numbers of its ends into positions.

    A layer with a row that has a direction is directed; rows that surely have none count both ways.
    """
    source = np.array([row.source if position is None else position[row.source] for row in rows], dtype=np.int64)
    target = np.array([row.target if position is None else position[row.target] for row in rows], dtype=np.int64)
    weight = np.array([row.weight for row in rows], dtype=np.float64)
    two_way = np.array([row.directed is False for row in rows], dtype=bool)
    directed = any(row.directed for row in rows)
    edges = EdgeList(source, target, weight, directed, two_way if two_way.any() else None)
    return LayerRows(edges, lambda row: rows[row].place, merge, dropped or {})


def part_of_matrix(matrix: Any, source: Source) -> NetworkPart:
    """Return a square matrix as a network of one layer, called by the file."""
    rows, n_nodes = rows_of_matrix(matrix, source)
    return NetworkPart(source.path, None, n_nodes, {source.name: rows})


def rows_of_matrix(matrix: Any, source: Source, name: str = "the matrix") -> tuple[LayerRows, int]:
    """Return the entries of a square matrix, those above the diagonal if it is symmetric, and the number of nodes."""
    if getattr(matrix, "ndim", 0) != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] == 0:
        shape = shape_of(matrix) if hasattr(matrix, "shape") else ""
        raise FileError(source.path, f"{name} must be square (nodes x nodes), got shape {shape}")
    n_stored = matrix.nnz if issparse(matrix) else matrix.size
    if matrix.shape[0] > max(MOST_UNSAID_NODES, 100 * n_stored):
        raise FileError(source.path, f"{name} has {matrix.shape[0]:,} rows, but only {n_stored:,} entries")
    if matrix.dtype.kind not in "biuf":
        raise FileError(source.path, f"{name} must hold real numbers, got dtype {matrix.dtype}")
    entries = coo_array(matrix.astype(np.float64))
    stored = csr_array(entries)
    if issparse(matrix):
        stored.sum_duplicates()
    symmetric = (stored != csr_array(stored.T)).nnz == 0
    row, column, weight = entries.row.astype(np.int64), entries.col.astype(np.int64), entries.data
    if symmetric:
        above = row <= column
        row, column, weight = row[above], column[above], weight[above]

    def place(index: int) -> Place:
        return Place(source.path, detail=f"{name}, row {row[index]}, column {column[index]}")

    return LayerRows(EdgeList(row, column, weight, directed=not symmetric), place), int(matrix.shape[0])
