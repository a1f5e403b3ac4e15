"""A sparse matrix with its rows and columns scaled: D A D without a sparse product.

The entries are multiplied where they stand, and the places of the entries are shared with the matrix that was given: a product
with diagonal matrices would build them anew, twice, at ten times the cost.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array

Array = npt.NDArray[np.float64]

BLOCK = 2**14
"""Rows that are scaled at once."""


def scaled_on_both_sides(matrix: csr_array, scale: Array, factor: float = 1.0) -> csr_array:
    """Return ``factor`` D A D, with D the diagonal matrix of ``scale``.

    Parameters
    ----------
    matrix : sparse array of shape (N, N)
        A; it and the result share their places, so neither must be changed where it stands.
    scale : array of shape (N,)
    factor : float, default=1.0
    """
    matrix = in_order_of_columns(matrix)
    data, starts = np.empty(matrix.nnz), matrix.indptr
    for first in range(0, matrix.shape[0], BLOCK):  # so that what is computed on the way stays in the cache
        rows = slice(first, min(first + BLOCK, matrix.shape[0]))
        entries = slice(starts[rows.start], starts[rows.stop])
        block = np.repeat(factor * scale[rows], np.diff(starts[rows.start : rows.stop + 1]))
        block *= matrix.data[entries]
        np.multiply(block, scale[matrix.indices[entries]], out=data[entries])
    return csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)


def in_order_of_columns(matrix: csr_array) -> csr_array:
    """Return the matrix itself if its columns are in order in each row, else a copy.

    Matrices that share their places must be so: SciPy puts others in order where they stand, with the entries of one of them.
    """
    return matrix if matrix.has_sorted_indices else matrix.sorted_indices()


def with_diagonal_added(matrix: csr_array, diagonal: Array) -> csr_array:
    """Return A + D, with D the diagonal matrix of ``diagonal``; quick where A has an entry at each place of its diagonal."""
    matrix = in_order_of_columns(matrix)
    n_rows = matrix.shape[0]
    rows = np.repeat(np.arange(n_rows, dtype=matrix.indices.dtype), np.diff(matrix.indptr))
    places = np.flatnonzero(rows == matrix.indices)
    if len(places) != n_rows:
        return csr_array(matrix + diags_array(diagonal))
    data = matrix.data.copy()
    data[places] += diagonal
    return csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
