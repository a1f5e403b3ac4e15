"""Chebyshev-filtered subspace iteration: lowest eigenvectors of a matrix whose spectrum is dense only above them.

    X ← orthonormal basis of p_m(A) X,      p_m(λ) = T_m((2λ − b − a) / (b − a))

The Chebyshev polynomial T_m is at most 1 on [a, b] and grows fast below a. With a the largest Ritz value of the block and b
above all eigenvalues, each round turns a random block towards the lowest eigenvectors [1]_. Nothing but products with the
matrix is needed: no coarse form, which expanders and block models do not have. Neighbour graphs and paths do not suit: the
eigenvalues of a block then fall and fall, and how fast they fall is how `ChebyshevFilter.probe` tells one from the other.

References
----------
.. [1] Y. Zhou, Y. Saad, M. Tiago, J. Chelikowsky, `"Self-consistent-field calculations using Chebyshev-filtered subspace
       iteration" <https://doi.org/10.1016/j.jcp.2006.03.017>`_, Journal of Computational Physics 219, 2006.
.. [2] Y. Zhou, R.-C. Li, `"Bounding the spectrum of large Hermitian matrices"
       <https://doi.org/10.1016/j.laa.2010.06.034>`_, Linear Algebra and its Applications 435, 2011.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh, eigh_tridiagonal
from scipy.sparse import csr_array, issparse

from orthonet.linalg.factorizations import orthonormal_columns, symmetric_part
from orthonet.linalg.matrix_sum import MatrixSum

Array = npt.NDArray[np.floating[Any]]

DEGREE = 10
"""Of the polynomial of one round: enough to separate, too few to overflow or to lose columns to rounding."""
BOUND_STEPS = 12
"""Products for the bound of the largest eigenvalue."""
PROBE_ROUNDS = 4
"""Rounds after which the probe decides at the latest."""
STILL_FALLING = 0.1
"""Share by which a round lowers the Ritz values of an unsuitable matrix at least. Measured with 15 vectors in rounds three and
four: .09 and .009 on block models, .3 and .04 on neighbours in five dimensions; .6 and .4 in two, and on paths."""
AT_REST = 0.01
"""The same of a block that has arrived, unless a larger tolerance is given."""
LEAST_SPREAD = 1e-9
"""Distance of the Ritz values from the smallest eigenvalue, relative to the bound, that is more than rounding."""
DEFAULT_PRODUCTS = 400
"""Products with each vector of the block at most: 40 rounds."""


@dataclass(frozen=True)
class Filtered:
    """A block that was filtered.

    Attributes
    ----------
    values : array of shape (width,)
        Ritz values, ascending.
    vectors : array of shape (n, width)
        Orthonormal Ritz vectors.
    images : array of shape (n, width)
        The matrix times these.
    fall : float
        By which share the last round lowered the wanted Ritz values, as far as they are above the smallest eigenvalue.
    products : int
        Products with the matrix so far, per vector.
    reached : bool
        Whether the wanted vectors have the residual asked for, and their Ritz values have come to rest.
    """

    values: Array
    vectors: Array
    images: Array
    fall: float
    products: int
    reached: bool = False

    def residual(self, k: int) -> float:
        """Return the largest ‖A v − λ v‖ of the ``k`` lowest vectors."""
        return float(np.linalg.norm(self.images[:, :k] - self.vectors[:, :k] * self.values[:k], axis=0).max())


class ChebyshevFilter:
    """The ``k`` lowest eigenvectors of one matrix, by filtering a random block round by round.

    Parameters
    ----------
    matrix : array, sparse array or LowRankUpdate of shape (n, n)
        Symmetric positive semi-definite.
    k : int
        Eigenvectors wanted, beside the known ones.
    rng : numpy.random.Generator
    known : array of shape (n, c), optional
        Orthonormal eigenvectors of the smallest eigenvalue that are known; the block stays orthogonal to them.
    single_precision : bool, default=False
        Whether the polynomials, but not the Ritz values, are computed in single precision: nearly twice as fast, and enough for
        residuals of 1e-4 of the largest eigenvalue.
    start : array of shape (n, m), optional
        A guess of the wanted vectors, which the block begins with; it is filled up, or begun, with random vectors.
    """

    def __init__(
        self,
        matrix: Any,
        k: int,
        rng: np.random.Generator,
        *,
        known: Array | None = None,
        single_precision: bool = False,
        start: Array | None = None,
    ) -> None:
        self.matrix, self.k, self.known = matrix, k, known
        self.bound = upper_bound(matrix, rng)
        self._floor = None if known is None else float(np.einsum("ij,ij->j", known, matrix @ known).min())
        self._polynomial_of = in_single_precision(matrix) if single_precision else matrix
        width = block_width(k)
        block = np.zeros((matrix.shape[0], 0)) if start is None else start[:, :width]
        block = np.hstack([block, rng.standard_normal((matrix.shape[0], width - block.shape[1]))])
        self.state = self._rayleigh_ritz(block, None)

    def probe(self) -> bool:
        """Filter a few times, and tell whether the matrix suits: whether the Ritz values nearly come to rest."""
        for _ in range(PROBE_ROUNDS):
            self.state = self._round()
            if self.state.fall < STILL_FALLING:
                return True
        return False

    def run(
        self, goal: Callable[[float], float], rest: float = AT_REST, max_products: int = DEFAULT_PRODUCTS
    ) -> Filtered:
        """Filter until the lowest vectors have residuals within a goal, or the limit on work is reached.

        Parameters
        ----------
        goal : function of the k-th Ritz value
            Residual ‖A v − λ v‖ that suffices.
        rest : float, default=0.01
            Share by which the last round may still have lowered the Ritz values.
        max_products : int, default=400
            Products with the matrix at most, per vector of the block, those of the probe included. The result's ``reached``
            says whether they sufficed.
        """
        while True:
            state = self.state
            reached = state.fall < rest and state.residual(self.k) <= goal(float(state.values[self.k - 1]))
            if reached or state.products + DEGREE > max_products:
                return replace(state, reached=reached)
            self.state = self._round()

    def _round(self) -> Filtered:
        """Filter the block once: what is above its largest Ritz value is damped."""
        state, matrix = self.state, self._polynomial_of
        low, high = float(state.values[-1]), self.bound
        centre, half = (high + low) / 2, max((high - low) / 2, 1e-12 * high)
        before = state.vectors.astype(matrix.dtype, copy=False)
        now = ((state.images - centre * state.vectors) / half).astype(matrix.dtype, copy=False)
        centre, half = matrix.dtype.type(centre), matrix.dtype.type(half)
        for _ in range(DEGREE - 1):
            image = matrix @ now
            image -= centre * now
            image *= 2 / half
            image -= before
            before, now = now, image
        now = now.astype(np.float64, copy=False)
        return self._rayleigh_ritz(now / np.linalg.norm(now, axis=0), state)

    def _rayleigh_ritz(self, block: Array, before: Filtered | None) -> Filtered:
        if self.known is not None:
            block = block - self.known @ (self.known.T @ block)
        block = orthonormal_columns(block)
        if self.known is not None:  # once more: where little was left, rounding led back
            block = orthonormal_columns(block - self.known @ (self.known.T @ block))
        images = self.matrix @ block
        values, rotation = eigh(symmetric_part(block.T @ images), check_finite=False)
        found = Filtered(values, block @ rotation, images @ rotation, 1.0, BOUND_STEPS + 1)
        if before is None:
            return found
        was, now = float(before.values[: self.k].mean()), float(values[: self.k].mean())
        floor = float(values[0]) if self._floor is None else self._floor
        fall = (was - now) / max(was - floor, LEAST_SPREAD * self.bound)
        return replace(found, fall=fall, products=before.products + DEGREE)


def upper_bound(matrix: Any, rng: np.random.Generator) -> float:
    """Return a bound of the largest eigenvalue by a few steps of Lanczos [2]_, far below Gershgorin's where degrees differ."""
    n = matrix.shape[0]
    return lanczos_bound(lambda vector: matrix @ vector, rng.standard_normal(n), lambda a, b: float(a @ b), n)


def lanczos_bound(
    times: Callable[[Array], Array], vector: Array, dot: Callable[[Array, Array], float], n: int
) -> float:
    """Return the bound for a matrix by its products and scalar products, which may be sums over the rows of processes."""
    vector = vector / np.sqrt(dot(vector, vector))
    before, beta = np.zeros_like(vector), 0.0
    diagonal: list[float] = []
    off: list[float] = []
    for _ in range(min(BOUND_STEPS, n)):
        image = times(vector) - beta * before
        diagonal.append(dot(vector, image))
        image -= diagonal[-1] * vector
        beta = float(np.sqrt(dot(image, image)))
        off.append(beta)
        if beta <= 1e-10 * max(abs(diagonal[0]), 1e-300):
            break
        before, vector = vector, image / beta
    top = float(eigh_tridiagonal(np.array(diagonal), np.array(off[:-1]), eigvals_only=True)[-1])
    return 1.01 * top + off[-1]


def block_width(k: int) -> int:
    """Return how many vectors a block has for ``k`` that are wanted: the last of these then have a gap above them."""
    return k + max(3, k // 4)


def in_single_precision(matrix: Any) -> Any:
    """Return a copy of a sparse matrix, or of a sum of such, in half the memory, for products that are faster."""
    if isinstance(matrix, MatrixSum):
        return matrix.in_single_precision()
    if not issparse(matrix):
        return matrix
    indices = np.int32 if matrix.nnz < 2**31 else np.int64
    parts = (matrix.data.astype(np.float32), matrix.indices.astype(indices), matrix.indptr.astype(indices))
    return csr_array(parts, shape=matrix.shape)
