"""Smallest eigenpairs of a symmetric positive semi-definite matrix: the one place where a solver is chosen.

Dense LAPACK for a dense matrix, a small one, or a large share of the spectrum; else Lanczos (ARPACK) on c I − A, whose
largest eigenvalues are the smallest of A and which Lanczos finds without factorising anything.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh
from scipy.sparse import csr_array, eye_array
from scipy.sparse.linalg import eigsh

Array = npt.NDArray[np.floating[Any]]

DENSE_UP_TO = 1500
"""Below this size LAPACK is as fast as Lanczos and knows no convergence."""


def smallest_eigenpairs(
    matrix: Array | csr_array, k: int, rng: np.random.Generator
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the ``k`` smallest eigenvalues, ascending, and their eigenvectors.

    Parameters
    ----------
    matrix : array or sparse array of shape (n, n)
        Symmetric positive semi-definite.
    k : int
        How many; 1 <= k <= n.
    rng : numpy.random.Generator
        Gives Lanczos its start vector.

    Returns
    -------
    values : array of shape (k,)
    vectors : array of shape (n, k)
        Orthonormal; the largest entry of each is positive.
    """
    n = matrix.shape[0]
    if isinstance(matrix, np.ndarray) or n <= DENSE_UP_TO or k > n // 5:
        dense = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
        values, vectors = eigh(dense, subset_by_index=(0, k - 1), check_finite=False)
    else:
        top = float(abs(matrix).sum(axis=1).max())  # Gershgorin: no eigenvalue is larger
        flipped = top * eye_array(n, format="csr") - matrix
        start = rng.standard_normal(n)
        reversed_values, vectors = eigsh(flipped, k=k, which="LA", v0=start, ncv=min(n, max(2 * k + 20, 60)))
        values = top - reversed_values
    order = np.argsort(values)
    vectors = vectors[:, order]
    peaks = np.abs(vectors).argmax(axis=0)
    signs = np.sign(vectors[peaks, np.arange(k)])
    return np.maximum(values[order], 0.0).astype(np.float64), (vectors * signs).astype(np.float64)
