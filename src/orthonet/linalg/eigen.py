"""Smallest eigenpairs of a symmetric positive semi-definite matrix: the one place where a solver is chosen.

The ladder, by size and structure:

    dense      LAPACK, for a dense matrix, a small one, or a large share of the spectrum
    low rank   the eigenvectors of the small core, for a `LowRankUpdate` of the identity
    lobpcg     LOBPCG with an algebraic multigrid preconditioner (extra ``large``), which does not slow down as gaps shrink
    lanczos    ARPACK on c I − A, whose largest eigenvalues are the smallest of A, where there is no multigrid

Eigenvectors that are known beforehand (those of eigenvalue zero, from the connected components of a graph) are taken as
they are, and the solver works in their complement: a multiplicity that would trouble it is settled exactly.

References
----------
.. [1] A. Knyazev, "Toward the optimal preconditioned eigensolver: LOBPCG", 2001.
.. [2] R. Lehoucq, D. Sorensen, C. Yang, "ARPACK users' guide", 1998.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh, qr
from scipy.sparse import csr_array, csr_matrix, eye_array, issparse
from scipy.sparse.linalg import LinearOperator, eigsh, lobpcg

from orthonet.linalg.lowrank import LowRankUpdate
from orthonet.support.checks import check_choice
from orthonet.support.optional import is_installed, require

Array = npt.NDArray[np.floating[Any]]
Solver = Literal["auto", "dense", "lobpcg", "lanczos"]

DENSE_UP_TO = 1500
"""Below this size LAPACK is as fast as the others and knows no convergence."""


@dataclass(frozen=True)
class EigenPairs:
    """Smallest eigenvalues, ascending; their orthonormal vectors; ‖A v − λ v‖ of each; and who found them."""

    values: npt.NDArray[np.float64]
    vectors: npt.NDArray[np.float64]
    residuals: npt.NDArray[np.float64]
    solver: str


def smallest_eigenpairs(
    matrix: Array | csr_array | LowRankUpdate,
    k: int,
    rng: np.random.Generator,
    *,
    solver: Solver = "auto",
    known: Array | None = None,
    start: Array | None = None,
    tol: float = 1e-7,
    max_iter: int = 200,
) -> EigenPairs:
    """Return the ``k`` smallest eigenpairs.

    Parameters
    ----------
    matrix : array, sparse array or LowRankUpdate of shape (n, n)
        Symmetric positive semi-definite.
    k : int
        How many; 1 <= k <= n.
    rng : numpy.random.Generator
        Draws start vectors.
    solver : {"auto", "dense", "lobpcg", "lanczos"}, default="auto"
        See the module.
    known : array of shape (n, c), optional
        Orthonormal eigenvectors of the smallest eigenvalue, if they are known; the first min(k, c) are among the result.
    start : array of shape (n, m), optional
        Where LOBPCG starts: a guess of the eigenvectors.
    tol : float, default=1e-7
        Residual ‖A v − λ v‖ at which LOBPCG stops, relative to a bound of the largest eigenvalue.
    max_iter : int, default=200
        Iterations of LOBPCG at most. The residuals tell what was reached.

    Returns
    -------
    EigenPairs
        The largest entry of each vector is positive.
    """
    check_choice(solver, "solver", get_args(Solver))
    n = matrix.shape[0]
    if isinstance(matrix, LowRankUpdate) and isinstance(matrix.base, float) and k <= matrix.core.shape[0]:
        values, small = eigh(matrix.core, subset_by_index=(0, k - 1), check_finite=False)
        return _in_order(matrix, values + matrix.base, matrix.basis @ small, "low rank")
    if solver == "dense" or (solver == "auto" and (isinstance(matrix, np.ndarray) or n <= DENSE_UP_TO or k > n // 5)):
        dense = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
        values, vectors = eigh(dense, subset_by_index=(0, k - 1), check_finite=False)
        return _in_order(matrix, values, vectors, "dense")
    if known is not None and known.shape[1] >= k:
        vectors = known[:, :k]
        return _in_order(matrix, np.einsum("ij,ij->j", vectors, matrix @ vectors), vectors, "known")
    if solver != "auto":
        return _iterate(matrix, k, solver, known, start, rng, tol, max_iter)
    if issparse(matrix) and is_installed("pyamg"):
        found = _iterate(matrix, k, "lobpcg", known, start, rng, tol, max_iter)
        if found.residuals.max() <= 2 * tol * _top(matrix):
            return found
    # No multigrid, or one that does not help (random graphs have no coarse form): the slow and sure way.
    return _iterate(matrix, k, "lanczos", known, start, rng, tol, max_iter)


def _iterate(
    matrix: csr_array | LowRankUpdate,
    k: int,
    solver: str,
    known: Array | None,
    start: Array | None,
    rng: np.random.Generator,
    tol: float,
    max_iter: int,
) -> EigenPairs:
    find = _lobpcg if solver == "lobpcg" else _lanczos
    wanted = k - (0 if known is None else known.shape[1])
    vectors = find(matrix, wanted, known, start, rng, tol, max_iter)
    if known is not None:
        vectors = np.hstack([known, vectors])
    # Rayleigh-Ritz: orthonormal to rounding, and in order.
    vectors = np.linalg.qr(vectors)[0]
    values, rotation = np.linalg.eigh(vectors.T @ (matrix @ vectors))
    return _in_order(matrix, values[:k], (vectors @ rotation)[:, :k], solver)


def _lobpcg(
    matrix: csr_array,
    k: int,
    known: Array | None,
    start: Array | None,
    rng: np.random.Generator,
    tol: float,
    max_iter: int,
) -> Array:
    """LOBPCG on a block somewhat wider than asked for, so that the last wanted vectors have a gap above them."""
    n = matrix.shape[0]
    pyamg = require("pyamg", extra="large", purpose="LOBPCG with a multigrid preconditioner")
    block = rng.standard_normal((n, k + max(3, k // 4)))
    if start is not None:
        given = min(start.shape[1], block.shape[1])
        block[:, :given] = start[:, :given]
    if known is not None:
        block -= known @ (known.T @ block)
    block = qr(block, mode="economic")[0]
    shifted = csr_array(matrix + 1e-8 * _top(matrix) * eye_array(n))
    near_null = None if known is None else np.ascontiguousarray(known[:, :1])
    smoother = ("gauss_seidel", {"sweep": "symmetric"})
    hierarchy = pyamg.smoothed_aggregation_solver(
        _as_csr_matrix(shifted), B=near_null, presmoother=smoother, postsmoother=smoother, max_coarse=500, keep=False
    )
    preconditioner = hierarchy.aspreconditioner()
    while True:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # what was not reached is told by the residuals
                return lobpcg(
                    matrix, block, M=preconditioner, Y=known, tol=tol * _top(matrix), maxiter=max_iter, largest=False
                )[1]
        except (ValueError, np.linalg.LinAlgError):
            # Near rounding the block becomes dependent; less is asked for, and the residuals tell.
            if tol > 1e-2:
                return block
            tol *= 100


def _lanczos(
    matrix: csr_array | LowRankUpdate,
    k: int,
    known: Array | None,
    start: Array | None,
    rng: np.random.Generator,
    tol: float,
    max_iter: int,
) -> Array:
    """Lanczos on c I − A, with known eigenvectors moved to the other end of the spectrum."""
    n = matrix.shape[0]
    top = _top(matrix)

    def flipped(block: Array) -> Array:
        image = top * block - matrix @ block
        return image if known is None else image - top * (known @ (known.T @ block))

    operator = LinearOperator((n, n), matvec=flipped, matmat=flipped, dtype=np.float64)
    _, vectors = eigsh(operator, k=k, which="LA", v0=rng.standard_normal(n), ncv=min(n, max(2 * k + 20, 60)))
    return vectors


def _top(matrix: csr_array | LowRankUpdate) -> float:
    """Return a bound of the largest eigenvalue (Gershgorin's, for the sparse part)."""
    if isinstance(matrix, LowRankUpdate):
        plain = abs(matrix.base) if isinstance(matrix.base, float) else _top(matrix.base)
        return plain + float(np.linalg.norm(matrix.core, 2)) * float(np.linalg.norm(matrix.basis, 2)) ** 2
    return float(abs(matrix).sum(axis=1).max())


def _in_order(matrix: Any, values: Array, vectors: Array, solver: str) -> EigenPairs:
    order = np.argsort(values, kind="stable")
    values, vectors = values[order], vectors[:, order]
    peaks = np.abs(vectors).argmax(axis=0)
    vectors = vectors * np.sign(vectors[peaks, np.arange(len(values))])
    residuals = np.linalg.norm(matrix @ vectors - vectors * values, axis=0)
    return EigenPairs(values.astype(np.float64), vectors.astype(np.float64), residuals.astype(np.float64), solver)


def _as_csr_matrix(matrix: csr_array) -> csr_matrix:
    """Return what pyamg knows."""
    return csr_matrix((matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)
