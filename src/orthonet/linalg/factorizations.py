"""Factorisations of SPD matrices that say in plain words when a matrix is not positive definite."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from scipy.linalg import LinAlgError, cholesky, eigh, solve_triangular

Array = npt.NDArray[np.floating[Any]]
Number = TypeVar("Number", bound=np.floating[Any])

DEPENDENT = 1e-6
"""Pivot of a Cholesky factor, relative to the largest, below which columns are too dependent for it."""


def positive_eigh(matrix: Array, overwrite: bool = False) -> tuple[Array, Array]:
    """Return the eigenvalues of an SPD matrix, ascending, and its eigenvectors; ``overwrite`` may spoil the matrix."""
    values, vectors = eigh(matrix, driver="evd", overwrite_a=overwrite, check_finite=False)
    check_positive(values)
    return values, vectors


def check_positive(values: Array) -> None:
    """Raise if the first of ascending eigenvalues is not positive."""
    if not values[0] > 0:
        raise ValueError(
            f"a matrix is not positive definite (smallest eigenvalue {values[0]:.3g}); add a small multiple of the "
            "identity, e.g. epsilon=1e-3"
        )


def cholesky_factor(matrix: Array, name: str, step: float | None = None) -> Array:
    """Return the lower triangular C with A = C Cᵀ; an error calls A ``name``, and suspects the ``step`` that led to it."""
    try:
        return cholesky(matrix, lower=True, check_finite=False)
    except LinAlgError as error:
        advice = "add a small multiple of the identity, e.g. epsilon=1e-3"
        if step is not None:
            advice = f"step={step:g} may be too long (step='auto' adapts it), or {advice}"
        raise ValueError(f"{name} is not positive definite; {advice}") from error


def is_positive_definite(matrix: Array) -> bool:
    """Return whether a symmetric matrix has a Cholesky factor."""
    try:
        cholesky(matrix, lower=True, check_finite=False)
    except LinAlgError:
        return False
    return True


def whitened(matrix: Array, factor: Array) -> Array:
    """Return C⁻¹ A C⁻ᵀ for a lower triangular C."""
    half = solve_triangular(factor, matrix, lower=True, check_finite=False)
    return solve_triangular(factor, half.T, lower=True, overwrite_b=True, check_finite=False)


def symmetric_part(matrix: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """Return (A + Aᵀ) / 2, which takes away the asymmetry that rounding leaves."""
    return (0.5 * (matrix + matrix.T)).astype(matrix.dtype, copy=False)


def orthonormal_columns(block: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """Return an orthonormal basis of the span of the columns.

    Cholesky factors of the Gram matrix, twice, are an order of magnitude faster for tall blocks than Householder's way, which
    is taken where the columns are nearly dependent.
    """
    try:
        for _ in range(2):
            lower = np.linalg.cholesky(block.T @ block)
            if np.diag(lower).min() < DEPENDENT * np.diag(lower).max():
                return np.linalg.qr(block)[0]
            block = block @ solve_triangular(lower, np.eye(len(lower)), lower=True, check_finite=False).T
    except np.linalg.LinAlgError:
        return np.linalg.qr(block)[0]
    return block
