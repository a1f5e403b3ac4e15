"""Smallest eigenpairs of a symmetric positive semi-definite matrix: the one place where a solver is chosen.

The ladder, by size and structure:

    dense      LAPACK, for a dense matrix, a small one, or a large share of the spectrum (whatever was asked for)
    low rank   the eigenvectors of the small core, for an `IdentityPlusLowRank`
    lobpcg     coarsen, solve, refine, then LOBPCG with an algebraic multigrid preconditioner (extra ``large``), which does
               not slow down as gaps shrink
    chebyshev  filtered subspace iteration, for more than 50,000 nodes where a probe of some dozen products shows that the
               spectrum suits: block models, expanders, stars (see `orthonet.linalg.chebyshev`)
    lanczos    ARPACK on c I − A, whose largest eigenvalues are the smallest of A, where there is no multigrid

Above 50,000 nodes each of the last three has a limit on its work, and ``converged`` says whether it sufficed.

Eigenvectors that are known beforehand (those of eigenvalue zero, from the connected components of a graph) are taken as
they are, and the solver works in their complement: a multiplicity that would trouble it is settled exactly.

References
----------
.. [1] A. Knyazev, `"Toward the optimal preconditioned eigensolver: LOBPCG"
       <https://doi.org/10.1137/S1064827500366124>`_, 2001.
.. [2] R. Lehoucq, D. Sorensen, C. Yang, `"ARPACK users' guide" <https://doi.org/10.1137/1.9780898719628>`_, 1998.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.linalg import LinAlgError, eigh, qr
from scipy.sparse import csr_array, issparse
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, lobpcg

from orthonet.linalg.chebyshev import AT_REST, DEFAULT_PRODUCTS, ChebyshevFilter, block_width, upper_bound
from orthonet.linalg.factorizations import orthonormal_columns
from orthonet.linalg.low_rank import IdentityPlusLowRank, LowRankUpdate
from orthonet.linalg.matrix_sum import MatrixSum, flipped
from orthonet.linalg.multigrid import Multigrid, largest_eigenvalue_bound
from orthonet.support.checks import check_choice, check_integer
from orthonet.support.optional import is_installed

Array = npt.NDArray[np.floating[Any]]
Solver = Literal["auto", "dense", "lobpcg", "chebyshev", "lanczos"]

DENSE_UP_TO = 1500
"""Below this size LAPACK is as fast as the others and knows no convergence."""
DENSE_SHARE = 20
"""So is it where more than one in so many eigenvectors is wanted,"""
DENSE_AT_MOST = 12_000
"""but a larger sparse matrix is never made dense."""
PROBE_ABOVE = 50_000
"""Rows above which a probe chooses the solver: below, any of them is fast enough, and multigrid is taken where it serves."""
SINGLE_PRECISION_TOL = 1e-4
"""Tolerance from which on polynomials of the matrix, and vectors that are clustered, are computed in single precision."""
LANCZOS_RESTARTS = 30
"""Restarts of Lanczos at most above that size."""
LARGE_TOL = 3e-3
"""Residual of eigenvectors that are clustered afterwards, above that size, relative to the largest eigenvalue."""
LARGE_RESTARTS = 100
"""Restarts of Lanczos for them at most, where filtering does not suit: a union of neighbour graphs needs some dozen."""
LARGE_PRODUCTS = 200
"""Products with the matrix for them at most, per vector."""


@dataclass(frozen=True)
class EigenPairs:
    """Smallest eigenvalues, ascending; their orthonormal vectors; ‖A v − λ v‖ of each; and the solver that found them."""

    values: npt.NDArray[np.float64]
    vectors: npt.NDArray[np.float64]
    residuals: npt.NDArray[np.float64]
    solver: str
    converged: bool = True
    """Whether the residuals are those asked for; False where a limit on work came first."""


def smallest_eigenpairs(
    matrix: Array | csr_array | LowRankUpdate,
    k: int,
    rng: np.random.Generator,
    *,
    solver: Solver = "auto",
    known: Array | None = None,
    start: Array | None = None,
    multigrid: Callable[[], Multigrid] | None = None,
    tol: float = 1e-7,
    rtol: float = 0.0,
    max_iter: int = 200,
    max_products: int = DEFAULT_PRODUCTS,
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
    solver : {"auto", "dense", "lobpcg", "chebyshev", "lanczos"}, default="auto"
        See the module. LOBPCG needs a sparse matrix.
    known : array of shape (n, c), optional
        Orthonormal eigenvectors of the smallest eigenvalue, if they are known; the first min(k, c) are among the result.
    start : array of shape (n, m), optional
        Where LOBPCG starts: a guess of the eigenvectors. By default it comes from the coarse forms of the matrix.
    multigrid : function without arguments, optional
        Returns the coarse forms of the matrix, if the caller keeps them; called only where they are needed.
    tol : float, default=1e-7
        Residual ‖A v − λ v‖ at which LOBPCG and filtering stop, relative to a bound of the largest eigenvalue.
    rtol : float, default=0
        The same, relative to the k-th eigenvalue: whichever is reached first.
    max_iter : int, default=200
        Iterations of LOBPCG at most. The residuals show what was reached.
    max_products : int, default=400
        Products with the matrix at most, per vector, of Chebyshev-filtered subspace iteration.

    Returns
    -------
    EigenPairs
        The largest entry of each vector is positive.
    """
    check_choice(solver, "solver", get_args(Solver))
    n = matrix.shape[0]
    check_integer(k, "k", minimum=1, maximum=n)
    if solver == "lobpcg" and not issparse(matrix):
        raise ValueError(
            f"solver='lobpcg' coarsens a sparse matrix, but matrix has type {type(matrix).__name__}; pass solver='auto'"
        )
    if isinstance(matrix, IdentityPlusLowRank) and k <= matrix.core.shape[0]:
        values, small = lowest_of_dense(matrix.core, k)
        if values[-1] <= 0:  # else the complement of the basis, of eigenvalue ``outside``, comes before some of these
            return _in_order(matrix, values + matrix.outside, matrix.basis @ small, "low rank")
    fits = isinstance(matrix, np.ndarray) or n <= DENSE_AT_MOST
    many = isinstance(matrix, np.ndarray) or n <= DENSE_UP_TO or k > n // DENSE_SHARE
    crowded = 5 * block_width(k) > n  # SciPy's LOBPCG does without
    if solver == "dense" or (fits and ((solver == "auto" and many) or crowded)):
        values, vectors = lowest_of_dense(matrix if isinstance(matrix, np.ndarray) else matrix.toarray(), k)
        return _in_order(matrix, values, vectors, "dense")
    if known is not None and known.shape[1] >= k:
        vectors = known[:, :k]
        return _in_order(matrix, np.einsum("ij,ij->j", vectors, matrix @ vectors), vectors, "known")
    task = _Task(matrix, k - (0 if known is None else known.shape[1]), known, rng, tol, rtol, max_iter)
    if solver == "auto" and n > PROBE_ABOVE and not crowded:
        return _chosen_by_probe(task, start, multigrid, max_products)
    if solver == "lanczos" or crowded:
        return _completed(task, _lanczos(task), "lanczos")
    if solver == "chebyshev":
        return _chebyshev(task, task.filter(), max_products)
    if solver == "lobpcg" or (issparse(matrix) and is_installed("pyamg")):
        found = _completed(task, _lobpcg(task, start, multigrid), "lobpcg")
        if solver == "lobpcg" or found.converged:
            return found
    # No multigrid, or one that does not help (random graphs have no coarse form): the slow and sure way.
    return _completed(task, _lanczos(task), "lanczos")


def lowest_of_dense(matrix: Array, k: int) -> tuple[Array, Array]:
    """Return the ``k`` smallest eigenvalues of a symmetric array, ascending, and their vectors."""
    try:
        return eigh(matrix, subset_by_index=(0, k - 1), check_finite=False)
    except LinAlgError:  # LAPACK's fast way gives up where one eigenvalue comes dozens of times
        values, vectors = eigh(matrix, driver="evd", check_finite=False)
        return values[:k], vectors[:, :k]


@dataclass(frozen=True)
class _Task:
    """What an iterative solver is to find: ``k`` eigenvectors of the matrix beside the known ones."""

    matrix: csr_array | LowRankUpdate
    k: int
    known: Array | None
    rng: np.random.Generator
    tol: float
    rtol: float
    max_iter: int

    def goal(self, largest_value: float) -> float:
        """Return the residual that suffices."""
        return max(self.tol * self._top_bound, self.rtol * largest_value)

    @cached_property
    def _top_bound(self) -> float:
        return _top(self.matrix)

    def filter(self, start: Array | None = None) -> ChebyshevFilter:
        """Return a Chebyshev filter for this task, in single precision where that suffices."""
        rough = self.tol >= SINGLE_PRECISION_TOL
        return ChebyshevFilter(self.matrix, self.k, self.rng, known=self.known, single_precision=rough, start=start)


def _chosen_by_probe(
    task: _Task, start: Array | None, multigrid: Callable[[], Multigrid] | None, max_products: int
) -> EigenPairs:
    """Filter a random block a few times, and go on with what suits the matrix; of two that fail, the better one counts."""
    filtering = task.filter()
    if filtering.probe():
        return _chebyshev(task, filtering, max_products)
    found = []
    if issparse(task.matrix) and is_installed("pyamg"):
        found.append(_completed(task, _lobpcg(task, start, multigrid), "lobpcg"))
        if found[0].converged:
            return found[0]
    found.append(_completed(task, _limited_lanczos(task, filtering), "lanczos"))
    return min(found, key=lambda one: float(one.residuals.max()))


def _chebyshev(task: _Task, filtering: ChebyshevFilter, max_products: int) -> EigenPairs:
    found = filtering.run(task.goal, max(AT_REST, task.rtol), max_products)
    return replace(_completed(task, found.vectors, "chebyshev"), converged=found.reached)


def _completed(task: _Task, vectors: Array, solver: str) -> EigenPairs:
    """Join the known vectors and those found by Rayleigh-Ritz: orthonormal to rounding, and in order."""
    wanted = task.k
    if task.known is not None:
        wanted += task.known.shape[1]
        vectors = np.hstack([task.known, vectors])
    vectors = orthonormal_columns(vectors) if len(vectors) > PROBE_ABOVE else np.linalg.qr(vectors)[0]
    values, rotation = np.linalg.eigh(vectors.T @ (task.matrix @ vectors))
    found = _in_order(task.matrix, values[:wanted], (vectors @ rotation)[:, :wanted], solver)
    return replace(found, converged=bool(found.residuals.max() <= 2 * task.goal(float(found.values[-1]))))


def _lobpcg(task: _Task, start: Array | None, kept: Callable[[], Multigrid] | None) -> Array:
    """LOBPCG on a block somewhat wider than asked for, so that the last wanted vectors have a gap above them."""
    matrix, known = task.matrix, task.known
    multigrid = Multigrid.of(matrix, None if known is None else known.sum(axis=1)) if kept is None else kept()
    width = block_width(task.k)
    n_known = 0 if known is None else known.shape[1]
    block = multigrid.rough_eigenvectors(width + n_known) if start is None else start[:, : width + n_known]
    block = np.hstack([block, task.rng.standard_normal((matrix.shape[0], max(0, width + n_known - block.shape[1])))])
    if known is not None:
        block = block - known @ (known.T @ block)
    # Where the guess contains the known vectors, little but rounding is left of them: pivoting puts that last.
    block = qr(block, mode="economic", pivoting=n_known > 0)[0][:, :width]
    goal = task.goal(float(np.linalg.eigvalsh(block.T @ (matrix @ block))[task.k - 1]))
    top = _top(matrix)
    goal = max(goal, 1e-15 * top)
    while True:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what was not reached shows in the residuals
                return lobpcg(
                    matrix,
                    block,
                    M=multigrid.preconditioner(),
                    Y=known,
                    tol=goal,
                    maxiter=task.max_iter,
                    largest=False,
                )[1]
        except (ValueError, LinAlgError):
            # Near rounding the block becomes dependent; less is asked for, and the residuals show it.
            if goal >= 1e-2 * top:
                return block
            goal *= 100


def _limited_lanczos(task: _Task, probed: ChebyshevFilter) -> Array:
    """Lanczos with a limit on its restarts; what it has not found is filled up by the block of a probe."""
    goal = task.goal(float(probed.state.values[task.k - 1]))
    try:
        return _lanczos(task, tol=goal / _top(task.matrix), max_restarts=LANCZOS_RESTARTS)
    except ArpackNoConvergence as failed:
        return np.hstack([failed.eigenvectors, probed.state.vectors])


def _lanczos(task: _Task, *, tol: float = 0.0, max_restarts: int | None = None) -> Array:
    """Lanczos on c I − A, with known eigenvectors moved to the other end of the spectrum."""
    matrix, known = task.matrix, task.known
    n = matrix.shape[0]
    top = _top(matrix)

    def flipped(block: Array) -> Array:
        image = top * block - matrix @ block
        return image if known is None else image - top * (known @ (known.T @ block))

    operator = LinearOperator((n, n), matvec=flipped, matmat=flipped, dtype=np.float64)
    start = task.rng.standard_normal(n)
    n_kept = min(n, max(2 * task.k + 20, 60))
    return eigsh(operator, k=task.k, which="LA", v0=start, ncv=n_kept, tol=tol, maxiter=max_restarts)[1]


def _top(matrix: csr_array | LowRankUpdate) -> float:
    """Return a bound of the largest eigenvalue."""
    return largest_eigenvalue_bound(matrix) if issparse(matrix) else matrix.eigenvalue_bound()


def _in_order(matrix: Any, values: Array, vectors: Array, solver: str) -> EigenPairs:
    order = np.argsort(values, kind="stable")
    values, vectors = values[order], vectors[:, order]
    peaks = np.abs(vectors).argmax(axis=0)
    vectors = vectors * np.sign(vectors[peaks, np.arange(len(values))])
    residuals = np.linalg.norm(matrix @ vectors - vectors * values, axis=0)
    return EigenPairs(values.astype(np.float64), vectors.astype(np.float64), residuals.astype(np.float64), solver)


def largest_eigenvectors(
    matrix: csr_array | MatrixSum, k: int, rng: np.random.Generator, tol: float = 1e-4, start: Array | None = None
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the ``k`` largest eigenvalues of a sparse symmetric matrix, falling, and their vectors.

    For embeddings that are clustered afterwards: ``tol`` of Lanczos, relative to an eigenvalue, need not be small. Above 50,000
    nodes these are the smallest of c I − A, and a probe chooses the solver; it begins with ``start``, a guess of shape (n, m).
    """
    n = matrix.shape[0]
    if n > PROBE_ABOVE:
        found = _largest_by_filtering(matrix, k, rng, start)
        if found is not None:
            return found
    limit = LARGE_RESTARTS if n > PROBE_ABOVE else None
    if n <= DENSE_UP_TO or 5 * k > n:
        values, vectors = eigh(matrix.toarray(), subset_by_index=(n - k, n - 1), check_finite=False)
    else:
        try:
            start_vector = rng.standard_normal(n)
            quick = matrix
            if tol >= SINGLE_PRECISION_TOL and isinstance(matrix, csr_array):
                quick, start_vector = matrix.astype(np.float32), start_vector.astype(np.float32)
            values, vectors = eigsh(quick, k=k, which="LA", v0=start_vector, tol=tol, maxiter=limit)
            values = values.astype(np.float64)
            vectors = vectors if quick is matrix else np.linalg.qr(vectors.astype(np.float64))[0]
        except ArpackNoConvergence:  # gaps as small as those of a path, for which multigrid is
            top = upper_bound(matrix, rng)
            known = matrix.as_matrix() if isinstance(matrix, MatrixSum) else matrix
            low = _lowest_of_flipped(known, top, k, rng)
            values, vectors = top - low.values, low.vectors
    order = np.argsort(-values, kind="stable")
    values, vectors = values[order], vectors[:, order]
    peaks = np.abs(vectors).argmax(axis=0)
    return values, vectors * np.sign(vectors[peaks, np.arange(k)])


def _lowest_of_flipped(matrix: Any, top: float, k: int, rng: np.random.Generator) -> EigenPairs:
    """Return the smallest eigenpairs of c I − A; of an operator, which has no coarse form, what filtering reaches."""
    if issparse(matrix):
        return smallest_eigenpairs(flipped(matrix, top), k, rng, tol=LARGE_TOL)
    task = _Task(flipped(matrix, top), k, None, rng, LARGE_TOL, 0.0, 0)
    return _chebyshev(task, task.filter(), LARGE_PRODUCTS)


def _largest_by_filtering(
    matrix: csr_array | MatrixSum, k: int, rng: np.random.Generator, start: Array | None
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]] | None:
    """Return the largest eigenpairs as the smallest of c I − A, where a probe shows that filtering suits; else None."""
    top = upper_bound(matrix, rng)
    task = _Task(flipped(matrix, top), k, None, rng, LARGE_TOL, 0.0, 0)
    filtering = task.filter(start)
    if not filtering.probe():
        return None
    found = _chebyshev(task, filtering, LARGE_PRODUCTS)
    return top - found.values, found.vectors
