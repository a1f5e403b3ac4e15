"""Lowest eigenvectors of a matrix of which each process holds rows: Chebyshev-filtered subspace iteration.

As in `orthonet.linalg.chebyshev`, X ← orthonormal basis of p_m(A) X. Products are the operator's; what else a round needs of
all nodes are sums of small matrices,

    XᵀX and XᵀAX,      width x width,

from which the first process finds, for all, the map that makes the columns Ritz vectors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh

from orthonet.linalg.chebyshev import AT_REST, BOUND_STEPS, DEGREE, block_width, lanczos_bound
from orthonet.linalg.factorizations import symmetric_part
from orthonet.partitioned.operators import RowOperator
from orthonet.partitioned.rows import Rows

Array = npt.NDArray[np.float64]

TOL, MAX_PRODUCTS = 3e-3, 150
"""Residual that suffices, relative to the largest eigenvalue, and products with each vector at most: a basis, or clusters, are
made of these vectors, which do not need more digits."""
DEPENDENT = 1e-12
"""Squared length of a direction, relative to the longest, that is rounding."""


@dataclass(frozen=True, eq=False)
class RowVectors:
    """Own rows of the lowest eigenvectors.

    Attributes
    ----------
    values : array of shape (width,)
        Ritz values, ascending.
    vectors : array of shape (n, width)
        Orthonormal over all processes; the first ``k`` are the ones that were asked for.
    residual : float
        Largest ‖A v − λ v‖ of these, relative to a bound of the largest eigenvalue.
    products : int
        Products with each vector.
    converged : bool
    """

    values: Array
    vectors: Array
    residual: float
    products: int
    converged: bool


def lowest_vectors(
    operator: RowOperator,
    k: int,
    rng: np.random.Generator,
    *,
    start: Array | None = None,
    tol: float = TOL,
    max_products: int = MAX_PRODUCTS,
) -> RowVectors:
    """Return the ``k`` lowest eigenvectors, and a few beside them that are rougher.

    Parameters
    ----------
    operator : RowOperator
        Positive semi-definite.
    k : int
    rng : numpy.random.Generator
        The same in all processes.
    start : array of shape (n, m), optional
        Own rows of vectors to start from; random ones are added.
    tol : float, default=3e-3
        Residual that suffices, relative to a bound of the largest eigenvalue.
    max_products : int, default=150
        Products with each vector at most.
    """
    rows, rough = operator.rows, operator.in_single_precision()
    bound = upper_bound(operator, rng)
    width = min(block_width(k), rows.n_nodes)
    block = rows.uniform(rng, width) - 0.5
    if start is not None:
        block = np.hstack([start, block[:, : max(width - start.shape[1], 1)]])
    values, vectors, images = _ritz(operator, block)
    products, before = BOUND_STEPS + 1, np.inf
    while True:
        wanted = slice(0, min(k, len(values)))
        (squared,) = rows.sum(((images[:, wanted] - vectors[:, wanted] * values[wanted]) ** 2).sum(axis=0))
        residual = float(np.sqrt(squared.max())) / bound
        now = float(values[wanted].mean())
        at_rest = before - now < AT_REST * max(now - float(values[0]), tol * bound)
        reached = at_rest and residual <= tol
        if reached or products + DEGREE > max_products:
            return RowVectors(values, vectors, residual, products, reached)
        before, products = now, products + DEGREE
        values, vectors, images = _ritz(operator, _filtered(rough, vectors, images, float(values[-1]), bound))


def upper_bound(operator: RowOperator, rng: np.random.Generator) -> float:
    """Return a bound of the largest eigenvalue by a few steps of Lanczos."""
    rows = operator.rows

    def dot(first: npt.NDArray[Any], second: npt.NDArray[Any]) -> float:
        return rows.total(float(first @ second))

    return lanczos_bound(lambda vector: operator @ vector, rows.uniform(rng)[:, 0] - 0.5, dot, rows.n_nodes)


def orthonormal_rows(rows: Rows, block: Array, limit: int | None = None) -> Array:
    """Return own rows of an orthonormal basis of the span of the columns, most important directions first.

    Directions that are only rounding are left out, and those beyond a limit.
    """
    (gram,) = rows.sum(block.T @ block)
    block = block @ rows.by_first(lambda: _whitening(gram)[:, :limit])
    # Once more: rounding was that of the squared condition. What is nearly orthonormal is turned as little as can be.
    (left,) = rows.sum(block.T @ block)
    return block @ rows.by_first(lambda: _inverse_root(left))


def _filtered(operator: RowOperator, vectors: Array, images: Array, low: float, high: float) -> Array:
    """Damp what is above the largest Ritz value; columns come back with about unit length."""
    centre, half = np.float32((high + low) / 2), np.float32(max((high - low) / 2, 1e-12 * high))
    before = vectors.astype(np.float32)
    now = ((images - centre * vectors) / half).astype(np.float32)
    for _ in range(DEGREE - 1):
        image = operator @ now
        image -= centre * now
        image *= 2 / half
        image -= before
        before, now = now, image
    found = now.astype(np.float64)
    (squared,) = operator.rows.sum((found**2).sum(axis=0))
    return found / np.sqrt(np.maximum(squared, np.finfo(np.float64).tiny))


def _ritz(operator: RowOperator, block: Array) -> tuple[Array, Array, Array]:
    """Return Ritz values, own rows of the Ritz vectors, and of what the operator makes of them."""
    rows = operator.rows
    block = orthonormal_rows(rows, block)
    images = operator @ block
    (small,) = rows.sum(block.T @ images)
    values, rotation = rows.by_first(lambda: eigh(symmetric_part(small), check_finite=False))
    return values, block @ rotation, images @ rotation


def _whitening(gram: Array) -> Array:
    """Return T with Tᵀ G T = I, columns of falling importance, without directions that are only rounding."""
    values, vectors = eigh(symmetric_part(gram), check_finite=False)
    keep = np.flatnonzero(values > DEPENDENT * values[-1])[::-1]
    found: Array = vectors[:, keep] / np.sqrt(values[keep])
    return found


def _inverse_root(gram: Array) -> Array:
    values, vectors = eigh(symmetric_part(gram), check_finite=False)
    found: Array = (vectors / np.sqrt(values)) @ vectors.T
    return found
