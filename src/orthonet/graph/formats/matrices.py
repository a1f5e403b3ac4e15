"""Adjacency matrices as rows of a layer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array, issparse

from orthonet.graph.formats.part import Rows

BELIEVED = 10**6
"""Nodes that a file may promise without having as much to say about them."""


def rows_of_matrix(matrix: Any, path: Path, name: str = "the matrix") -> tuple[Rows, int]:
    """Return the entries of a square matrix, those above the diagonal if it is symmetric, and the number of nodes."""
    if getattr(matrix, "ndim", 0) != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] == 0:
        shape = " x ".join(map(str, getattr(matrix, "shape", ())))
        raise ValueError(f"{path}: {name} must be square (nodes x nodes), got shape {shape}")
    n_stored = matrix.nnz if issparse(matrix) else matrix.size
    if matrix.shape[0] > max(BELIEVED, 100 * n_stored):
        raise ValueError(f"{path}: {name} has {matrix.shape[0]:,} rows, but only {n_stored:,} entries")
    if matrix.dtype.kind not in "biuf":
        raise ValueError(f"{path}: {name} must hold real numbers, got dtype {matrix.dtype}")
    entries = coo_array(matrix.astype(np.float64))
    stored = csr_array(entries)
    if issparse(matrix):
        stored.sum_duplicates()
    symmetric = (stored != csr_array(stored.T)).nnz == 0
    row, column, weight = entries.row.astype(np.int64), entries.col.astype(np.int64), entries.data
    if symmetric:
        above = row <= column
        row, column, weight = row[above], column[above], weight[above]

    def where(index: int) -> str:
        return f"{path}: {name}, row {row[index]}, column {column[index]}"

    return Rows(row, column, weight, where, directed=not symmetric), int(matrix.shape[0])
