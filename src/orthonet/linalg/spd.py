"""Functions of symmetric positive definite (SPD) matrices, and their geometric mean.

    f(A) = U f(Λ) Uᵀ for A = U Λ Uᵀ,      d(A, B) = ‖Log(A^{-1/2} B A^{-1/2})‖_F,      M = argmin_M Σ_s w_s d(M, A_s)²

The iteration that finds M is in `orthonet.linalg.karcher`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh, eigvalsh

from orthonet.linalg.factorizations import positive_eigh
from orthonet.linalg.karcher import karcher_mean, warn_if_not_converged
from orthonet.support.checks import check_weights

Array = npt.NDArray[np.floating[Any]]

ASYMMETRY = 1e-5
"""Share of its largest entry by which a matrix may differ from its transpose: more than single precision rounds."""


def sqrt(matrix: Array) -> Array:
    """Principal square root of an SPD matrix."""
    return _apply(np.sqrt, matrix)


def log(matrix: Array) -> Array:
    """Principal logarithm of an SPD matrix."""
    return _apply(np.log, matrix)


def exp(matrix: Array) -> Array:
    """Exponential of a symmetric matrix."""
    values, vectors = eigh(matrix)
    return (vectors * np.exp(values)) @ vectors.T


def distance(first: Array, second: Array) -> float:
    """Riemannian distance ‖Log(A^{-1/2} B A^{-1/2})‖_F of two SPD matrices."""
    return float(np.linalg.norm(np.log(eigvalsh(second, first))))


def geometric_mean(
    matrices: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    *,
    step: float | Literal["auto"] = "auto",
    max_iter: int = 50,
    tol: float = 1e-9,
) -> Array:
    """Geometric mean of SPD matrices under the affine-invariant metric.

    Parameters
    ----------
    matrices : array of shape (S, n, n)
        Symmetric positive definite matrices; float32 input gives a float32 mean.
    weights : array of shape (S,), optional
        Non-negative; scaled to sum 1. Weight 0 is the same as leaving the matrix out.
    step : float or "auto", default="auto"
        Step along the *mean* of the logarithms; "auto" adapts it at every iteration.
    max_iter : int, default=50
        Iterations at most; a warning names the residual if they do not suffice.
    tol : float, default=1e-9
        Stop when the root mean square of the eigenvalues of T, the mean of the logarithms, falls below it.

    Returns
    -------
    array of shape (n, n)

    See Also
    --------
    orthonet.linalg.karcher.karcher_mean : The same for matrices that each lack some indices, with the residual.
    orthonet.aggregation.geometric.geometric : The same for the Laplacians of a multilayer graph.

    References
    ----------
    .. [1] H. Karcher, `"Riemannian center of mass and mollifier smoothing" <https://doi.org/10.1002/cpa.3160300502>`_,
           Communications on Pure and Applied Mathematics 30, 1977.
    .. [2] D. Bini, B. Iannazzo, `"Computing the Karcher mean of symmetric positive definite matrices"
           <https://doi.org/10.1016/j.laa.2011.08.052>`_, Linear Algebra and its Applications 438, 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from orthonet.linalg.spd import geometric_mean
    >>> geometric_mean([np.diag([1.0, 4.0]), np.diag([9.0, 4.0])]).round(6)
    array([[3., 0.],
           [0., 4.]])
    """
    stack = _check_stack(matrices)
    attainable = max(tol, 10 * float(np.finfo(stack.dtype).eps))
    result = karcher_mean(
        list(stack),
        check_weights(weights, len(stack), name="weights", of="matrices"),
        step=step,
        max_iter=max_iter,
        tol=attainable,
    )
    warn_if_not_converged(result, attainable)
    return result.matrix


def _apply(function: Callable[[Array], Array], matrix: Array) -> Array:
    """U f(Λ) Uᵀ for the eigendecomposition U Λ Uᵀ of an SPD matrix."""
    values, vectors = positive_eigh(matrix)
    return (vectors * function(values)) @ vectors.T


def _check_stack(matrices: npt.ArrayLike) -> Array:
    """Return the matrices as one array of shape (S, n, n), in single precision only if they came in it."""
    stack = np.asarray(matrices)
    if stack.ndim != 3 or stack.shape[1] != stack.shape[2] or 0 in stack.shape:
        raise ValueError(f"matrices must have shape (S, n, n) with S, n >= 1, got {stack.shape}")
    if stack.dtype.kind not in "biuf":
        raise ValueError(f"matrices must be of real numbers, got dtype {stack.dtype}")
    if not np.isfinite(stack).all():
        raise ValueError("matrices contain NaN or infinity")
    if stack.dtype != np.float32:
        stack = stack.astype(np.float64, copy=False)
    asymmetry = np.abs(stack - stack.transpose(0, 2, 1)).max(axis=(1, 2))
    crooked = np.flatnonzero(asymmetry > ASYMMETRY * np.abs(stack).max(axis=(1, 2)))
    if crooked.size:
        raise ValueError(
            f"matrices[{crooked[0]}] is not symmetric: entries differ by up to {asymmetry[crooked[0]]:.3g}"
        )
    return stack
