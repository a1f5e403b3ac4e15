"""Null vectors of a Laplacian, which are known without solving anything: one for each connected component."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

Array = npt.NDArray[np.float64]

SAME_QUOTIENT = 1.01
"""Rayleigh quotients within this factor of the smallest are that of a null vector: the shift, the same for all components."""
NULL_RESIDUAL = 1e-8
"""Residual, relative to the largest entry of the matrix, up to which a vector is taken for an eigenvector."""


def component_vectors(matrix: csr_array, null_vector: Array, at_most: int) -> Array | None:
    """Return orthonormal null vectors of a Laplacian, one for each of its largest connected components.

    Parameters
    ----------
    matrix : sparse array of shape (N, N)
        A Laplacian, or one shifted by a multiple of the identity.
    null_vector : array of shape (N,)
        What it annihilates (before the shift): the constant, or the square roots of the degrees.
    at_most : int
        Number of vectors at most; the largest components come first.

    Returns
    -------
    array of shape (N, c), or None if there is no such vector
    """
    _, labels = connected_components(matrix, directed=False)
    mass = np.bincount(labels, weights=null_vector**2)
    image = matrix @ null_vector
    rough = np.bincount(labels, weights=null_vector * image)
    sizes = np.bincount(labels)
    unit = abs(matrix).max()
    with np.errstate(invalid="ignore", divide="ignore"):
        quotient = np.where(mass > 0, rough / mass, np.inf)
    null = np.flatnonzero(quotient <= SAME_QUOTIENT * quotient.min() + 1e-12 * unit)
    chosen = null[np.argsort(-sizes[null], kind="stable")][:at_most]
    vectors = np.zeros((len(labels), len(chosen)))
    for column, component in enumerate(chosen):
        members = labels == component
        vectors[members, column] = null_vector[members] / np.sqrt(mass[component])
    off = np.linalg.norm(matrix @ vectors - vectors * quotient[chosen], axis=0)
    exact = off <= NULL_RESIDUAL * unit
    return vectors[:, exact] if exact.any() else None
