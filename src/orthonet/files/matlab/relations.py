"""Relations between nodes in a Matlab file: N x N matrices beside the views, which are layers as they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from orthonet.files.errors import FileError
from orthonet.files.matlab.values import as_view
from orthonet.support.text import listed

NEARLY_ALL = 0.95
"""A relation that joins more than this share of all pairs, all with one weight, says nothing about clusters."""
NEARLY_THE_SAME = 0.99
"""Of two relations whose pairs overlap more than this (common / in either), the second repeats the first."""


def relations_of(
    squares: Mapping[str, Any], n_nodes: int, others: Iterable[str], path: Path
) -> tuple[dict[str, csr_array], tuple[str, ...]]:
    """Return the relations among square matrices by name, without self-loops, and notes of what was taken and what was not.

    Parameters
    ----------
    squares : mapping of names to matrices
        Variables that are neither views nor labels.
    n_nodes : int
        Rows and columns that a relation has.
    others : iterable of str
        Further variables, which are not read.
    path : Path
        The file, for the notes.
    """
    found: dict[str, csr_array] = {}
    left_out: list[str] = []
    for name, value in squares.items():
        relation = _weights(value, n_nodes, path, name)
        reason = relation if isinstance(relation, str) else _says_nothing(relation, found)
        if reason or isinstance(relation, str):
            left_out.append(f"{name} ({reason})")
        else:
            found[name] = relation
    left_out += list(others)
    notes = []
    if found:
        notes.append(f"{path}: relations, layers as they are: {listed(list(found), 20)}")
    if left_out:
        notes.append(f"{path}: not read: {listed(left_out, 20)}")
    return found, tuple(notes)


def _weights(value: Any, n_nodes: int, path: Path, name: str) -> csr_array | str:
    """Return a matrix as weights of edges, or why it cannot be that."""
    try:
        matrix = csr_array(as_view(value, path, name))
    except FileError:
        return "not a matrix of real numbers"
    if matrix.shape != (n_nodes, n_nodes):
        return f"{matrix.shape[0]} x {matrix.shape[1]}, but there are {n_nodes} nodes"
    if not np.isfinite(matrix.data).all() or (matrix.data < 0).any():
        return "weights must be finite and >= 0"
    matrix.setdiag(0)
    matrix.eliminate_zeros()
    return matrix if matrix.nnz else "no edges"


def _says_nothing(relation: csr_array, before: Mapping[str, csr_array]) -> str:
    """Return why a relation adds nothing to those before it, "" if it does add something."""
    n_pairs = relation.shape[0] * (relation.shape[0] - 1)
    if relation.nnz > NEARLY_ALL * n_pairs and np.ptp(relation.data) == 0:
        return f"joins {relation.nnz / n_pairs:.0%} of all pairs alike"
    pattern = relation.astype(bool)
    for name, other in before.items():
        common = pattern.multiply(other.astype(bool)).nnz
        if common > NEARLY_THE_SAME * (relation.nnz + other.nnz - common):
            return f"repeats {name}"
    return ""
