"""Means of large Laplacians in a small basis: no N x N array, whatever the mean.

    L ≈ V M(VᵀL_1V, …, VᵀL_SV) Vᵀ + c (I − VVᵀ)

V (N x p) spans the r lowest eigenvectors of every layer and of the arithmetic mean, and M is the mean of small dense
matrices. c is the geometric mean of the layers' average eigenvalues outside V. The basis grows until the K lowest
eigenvectors no longer turn, neither from one r to the next (2K, 3K, then half as much again each time) nor when the K
vectors found so far, smoothed by each layer, join the basis (one step of subspace iteration with every layer).

Time O(nnz r + N p² + p³), memory O(N p).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh
from scipy.sparse import csr_array, diags_array
from scipy.sparse.csgraph import connected_components

from orthonet.aggregation.arithmetic import arithmetic
from orthonet.aggregation.problem import AggregationProblem
from orthonet.linalg.eigen import smallest_eigenpairs
from orthonet.linalg.lowrank import LowRankUpdate
from orthonet.support.progress import progress
from orthonet.support.warn import warn_user

Array = npt.NDArray[np.float64]
SmallMean = Callable[[Sequence[Array], npt.NDArray[np.float64]], Array]
"""From p x p matrices and their weights to their mean."""

SETTLED = 0.005
"""The basis suffices when the mean cosine between successive K-dimensional subspaces is within this of 1."""
LEAKING = 0.04
"""Largest `_leak` of a basis that suffices. The estimate is cautious: where it was half of this, exact and compressed subspaces
agreed to a mean cosine of 0.999; where it was twice, to 0.985."""
MAX_ROUNDS = 6
EIGEN_TOL = 1e-3
"""Residual of the eigenvectors that make the basis: their span matters, not their last digits."""


def compress(
    problem: AggregationProblem, small_mean: SmallMean, *, max_basis: int | None = None, verbose: bool | None = None
) -> tuple[LowRankUpdate, dict[str, Any]]:
    """Return the mean in a basis that suffices for the lowest eigenvectors, and how it was found.

    Parameters
    ----------
    problem : AggregationProblem
        What to merge; its ``n_components`` lowest eigenvectors are what the basis must hold.
    small_mean : callable
        The mean of small dense matrices.
    max_basis : int, optional
        Largest p; half of N, but no more than 1500, by default.
    verbose : bool, optional
        Progress bar: after two seconds on a terminal (None), always or never.
    """
    n_nodes, k = problem.n_nodes, problem.n_components
    limit = max_basis or min(1500, max(n_nodes // 2, 2 * k + 1))
    mean = arithmetic(problem)[0]
    filled = [_filled(layer, mask, mean) for layer, mask in zip(problem.laplacians, problem.present, strict=True)]
    matrices = [*filled, mean]
    voices = np.sqrt(problem.weights @ np.array(problem.present, dtype=np.float64))  # see `arithmetic`
    null_vectors = [*problem.null_vectors, voices * problem.null_vectors[0]]
    width = min(3 * k, n_nodes - 1)
    with progress("compressed mean", MAX_ROUNDS * len(matrices), verbose) as report:
        blocks = _lowest(problem, matrices, null_vectors, width, None, report, 0)
        # The first k vectors of each block are a smaller basis for nothing: compare with that.
        previous = _lowest_of_mean(
            _orthonormal([block[:, :k] for block in blocks], limit), filled, problem, small_mean
        )[0]
        for rounds in range(1, MAX_ROUNDS + 1):
            basis = _orthonormal(blocks, limit)
            current = _lowest_of_mean(basis, filled, problem, small_mean)[0]
            # What each layer makes of the vectors found so far must not turn them either.
            basis = _orthonormal([basis, *(_smoothed(layer, current) for layer in filled)], limit)
            checked, core = _lowest_of_mean(basis, filled, problem, small_mean)
            change = 1.0 - min(_mean_cosine(previous, current), _mean_cosine(current, checked))
            if change < SETTLED or basis.shape[1] >= limit or rounds == MAX_ROUNDS:
                break
            previous = checked
            width = min(int(1.5 * width), n_nodes - 1)
            blocks = _lowest(problem, matrices, null_vectors, width, blocks, report, rounds * len(matrices))
    outside = _average_outside(filled, basis, problem.weights)
    leak = _leak(filled, basis, core, checked, outside, problem.weights)
    settled = change < SETTLED and leak < LEAKING and basis.shape[1] < limit
    if not settled:
        warn_user(
            f"the compressed mean did not settle: with {basis.shape[1]} vectors its {k} lowest eigenvectors still turn "
            f"(mean cosine {1 - change:.3f}, leak {leak:.3f}); the layers have more low directions than that (many components, "
            "uneven weights, or noise). Pass solver='exact' if there are few enough nodes, or a larger epsilon"
        )
    update = LowRankUpdate(outside, basis, core - outside * np.eye(len(core)))
    return update, {
        "solver": "compressed",
        "n_components": k,
        "basis": basis.shape[1],
        "subspace_change": change,
        "leak": leak,
        "settled": settled,
        "rounds": rounds,
    }


def _lowest(
    problem: AggregationProblem,
    matrices: Sequence[csr_array],
    null_vectors: Sequence[Array],
    width: int,
    start: Sequence[Array] | None,
    report: Callable[[int, str], None],
    done: int,
) -> list[Array]:
    """Return the ``width`` lowest eigenvectors of each matrix."""
    blocks = []
    for index, (matrix, null_vector) in enumerate(zip(matrices, null_vectors, strict=True)):
        known = component_vectors(matrix, null_vector, width)
        guess = None if start is None else start[index]
        found = smallest_eigenpairs(matrix, width, problem.rng, known=known, start=guess, tol=EIGEN_TOL, max_iter=20)
        blocks.append(found.vectors)
        report(done + index + 1, f"{width} vectors a layer")
    return blocks


def component_vectors(matrix: csr_array, null_vector: Array, at_most: int) -> Array | None:
    """Return orthonormal null vectors of a Laplacian, one for each of its largest connected components."""
    _, labels = connected_components(matrix, directed=False)
    mass = np.bincount(labels, weights=null_vector**2)
    image = matrix @ null_vector
    rough = np.bincount(labels, weights=null_vector * image)
    sizes = np.bincount(labels)
    # What is left of a shifted Laplacian on a null vector is the shift, the same for all components.
    with np.errstate(invalid="ignore", divide="ignore"):
        quotient = np.where(mass > 0, rough / mass, np.inf)
    null = np.flatnonzero(quotient <= 1.01 * quotient.min() + 1e-12)
    chosen = null[np.argsort(-sizes[null], kind="stable")][:at_most]
    vectors = np.zeros((len(labels), len(chosen)))
    for column, component in enumerate(chosen):
        members = labels == component
        vectors[members, column] = null_vector[members] / np.sqrt(mass[component])
    off = np.linalg.norm(matrix @ vectors - vectors * quotient[chosen], axis=0)
    exact = off < 1e-8 * (1 + abs(matrix).max())
    return vectors[:, exact] if exact.any() else None


def _lowest_of_mean(
    basis: Array, layers: Sequence[csr_array], problem: AggregationProblem, small_mean: SmallMean
) -> tuple[Array, Array]:
    small = [_symmetric(basis.T @ (layer @ basis)) for layer in layers]
    core = _symmetric(small_mean(small, problem.weights))
    vectors = eigh(core, subset_by_index=(0, problem.n_components - 1), check_finite=False)[1]
    return basis @ vectors, core


def _filled(layer: csr_array, present: npt.NDArray[np.bool_], mean: csr_array) -> csr_array:
    """Let a layer agree with the arithmetic mean about the nodes it does not hold.

    Edges of the mean that touch a missing node are added, with a diagonal that keeps the sum positive definite.
    """
    if present.all():
        return layer
    missing = diags_array((~present).astype(np.float64))
    held = diags_array(present.astype(np.float64))
    across = held @ mean @ missing
    weight = np.asarray(abs(across).sum(axis=1)).ravel()
    return csr_array(layer + missing @ mean @ missing + across + across.T + diags_array(weight))


def _smoothed(layer: csr_array, vectors: Array, degree: int = 8) -> Array:
    """Damp what is rough over a layer: Chebyshev polynomial of the layer, small on the upper nine tenths of its spectrum."""
    top = float(abs(layer).sum(axis=1).max())
    low, high = 0.1 * top, top
    centre, half = (high + low) / 2, (high - low) / 2
    before, now = vectors, (layer @ vectors - centre * vectors) / half
    for _ in range(degree - 1):
        before, now = now, 2 * (layer @ now - centre * now) / half - before
        scale = np.linalg.norm(now, axis=0)
        before, now = before / scale, now / scale
    return now


def _orthonormal(blocks: Sequence[Array], limit: int) -> Array:
    """Return an orthonormal basis of the span of the blocks, without the directions that are only rounding."""
    stacked = np.hstack(blocks)
    values, vectors = np.linalg.eigh(stacked.T @ stacked)
    keep = np.flatnonzero(values > 1e-8 * values[-1])[::-1][:limit]
    rough = stacked @ (vectors[:, keep] / np.sqrt(values[keep]))
    return np.linalg.qr(rough)[0]


def _average_outside(layers: Sequence[csr_array], basis: Array, weights: npt.NDArray[np.float64]) -> float:
    left = layers[0].shape[0] - basis.shape[1]
    averages = [
        (layer.diagonal().sum() - np.einsum("ij,ij->", basis, layer @ basis)) / max(left, 1) for layer in layers
    ]
    return float(np.exp(weights @ np.log(np.maximum(averages, 1e-12))))


def _leak(
    layers: Sequence[csr_array],
    basis: Array,
    core: Array,
    vectors: Array,
    outside: float,
    weights: npt.NDArray[np.float64],
) -> float:
    """Estimate 1 − the mean cosine that is lost because the layers lead out of the basis.

    A layer that maps a vector u of eigenvalue λ out of V by a residual ρ turns it by about ρ / (c − λ), to first order in
    the perturbation; the loss of cosine is half the square of that.
    """
    values = np.einsum("ij,ij->j", vectors, basis @ (core @ (basis.T @ vectors)))
    squared = np.zeros(len(values))
    for weight, layer in zip(weights, layers, strict=True):
        image = layer @ vectors
        squared += weight * np.linalg.norm(image - basis @ (basis.T @ image), axis=0) ** 2
    return float(np.mean(squared / np.maximum(outside - values, 1e-3 * outside) ** 2) / 2)


def _mean_cosine(first: Array, second: Array) -> float:
    return float(np.linalg.svd(first.T @ second, compute_uv=False).mean())


def _symmetric(matrix: Array) -> Array:
    return 0.5 * (matrix + matrix.T)
