"""Means of large Laplacians in a small basis: no N x N array, whatever the mean.

    L ≈ V M(VᵀL_1V, …, VᵀL_SV) Vᵀ + c (I − VVᵀ)

V (N x p) spans the r lowest eigenvectors of every layer and, about, of the arithmetic mean, and M is the mean of small dense
matrices. c is the geometric mean of the layers' average eigenvalues outside V. The basis grows until the K lowest
eigenvectors no longer turn, neither from one r to the next (2K, 3K, then half as much again each time) nor when the K
vectors found so far, smoothed by each layer, join the basis (one step of subspace iteration with every layer).

A layer that lacks nodes agrees with the arithmetic mean about them at first. The geometric mean M then knows better: it is also
the plain geometric mean of the layers completed by its own regression of the missing nodes (Ā) on those held (A),

    A'_s = M + E (L_s − M_AA) Eᵀ,      E = [I; M_ĀA M_AA⁻¹],

which is what minimising Σ_s w_s d(M_AA, L_s)² comes to. In the basis all of these are p x p. The tests of the basis do not see
how far this is from the exact mean (mean cosines of 0.57 to 0.997 were measured where two of three layers lack 10 to 50 % of
the nodes), so ``info["settled"]`` is False there.

Where the K-th and the next eigenvalue are nearly equal, the K-dimensional subspace is a matter of rounding for either mean;
``info["gap"]`` tells, and ``info["settled"]`` is False then, but there is no warning: the clusters need not care.

Time O(nnz r + N p² + p³), memory O(N p).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh
from scipy.sparse import csr_array, diags_array
from scipy.sparse.csgraph import connected_components

from orthonet.aggregation.arithmetic import arithmetic
from orthonet.aggregation.problem import AggregationProblem
from orthonet.linalg.eigen import lowest_of_dense, smallest_eigenpairs
from orthonet.linalg.low_rank import IdentityPlusLowRank
from orthonet.linalg.multigrid import Multigrid, largest_eigenvalue_bound, smoothed
from orthonet.support.checks import check_integer
from orthonet.support.optional import is_installed
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
MAX_ROUNDS, MAX_PARTIAL_ROUNDS = 6, 3
"""Rounds of a growing basis, fewer if some layer lacks nodes: that case is not settled by a larger one."""
EIGEN_TOL, EIGEN_RTOL = 3e-3, 0.05
"""Residual of the eigenvectors that make the basis: their span matters, not their last digits."""


DISTINCT = 0.03
"""Relative gap between the K-th eigenvalue and the next, below which it is not settled which vectors are the K lowest: the
eigenvalues of the compressed mean are good to some per cent."""
FIRST_REFILLS, REFILLS = 2, 30
REFILLED = 1e-4
"""Completing the layers that lack nodes ends when the mean changes by less than this, relatively, or after so many times; the
first few are enough to see whether the basis suffices."""


def compress(
    problem: AggregationProblem,
    small_mean: SmallMean,
    *,
    refill: bool = False,
    max_basis: int | None = None,
    verbose: bool | None = None,
) -> tuple[IdentityPlusLowRank, dict[str, Any]]:
    """Return the mean in a basis that suffices for the lowest eigenvectors, and how it was found.

    Parameters
    ----------
    problem : AggregationProblem
        What to merge; its ``n_components`` lowest eigenvectors are what the basis must hold.
    small_mean : callable
        The mean of small dense matrices.
    refill : bool, default=False
        Complete the layers that lack nodes by the mean itself, which is right for the geometric mean.
    max_basis : int, optional
        Largest p, at least K; half of N, but no more than 1500 (or 2K + 1 if that is more), by default.
    verbose : bool, optional
        Progress bar: after two seconds on a terminal (None), always or never.
    """
    n_nodes, k = problem.n_nodes, problem.n_components
    if max_basis is None:
        max_basis = max(min(1500, n_nodes // 2), 2 * k + 1)
    limit = check_integer(max_basis, "max_basis", minimum=k)
    mean = arithmetic(problem)[0]
    filled = _filled(problem, mean)
    sources = [_Source(matrix, null) for matrix, null in zip(filled, problem.null_vectors, strict=True)]
    width = min(3 * k, n_nodes)
    max_rounds = MAX_ROUNDS if problem.complete else MAX_PARTIAL_ROUNDS
    with progress("compressed mean", max_rounds * len(sources), verbose) as report:

        def lowest(done: int) -> list[Array]:
            blocks = []
            for source in sources:
                blocks.append(source.lowest(width, problem.rng))
                report(done + len(blocks), f"{width} vectors a layer")
            return [*blocks, _lowest_from(_orthonormal(blocks, limit), mean, width)]

        def mean_in(basis: Array, refills: int = FIRST_REFILLS) -> _InBasis:
            return _InBasis.of(basis, filled, problem, small_mean, refills if refill and not problem.complete else 0)

        blocks = lowest(0)
        # The first k vectors of each block are a smaller basis for nothing: compare with that.
        previous = mean_in(_orthonormal([block[:, :k] for block in blocks], limit)).lowest(k)
        for rounds in range(1, max_rounds + 1):
            basis = _orthonormal(blocks, limit)
            current = mean_in(basis).lowest(k)
            # What each layer makes of the vectors found so far must not turn them either.
            found = mean_in(_orthonormal([basis, *(smoothed(layer, current) for layer in filled)], limit))
            checked = found.lowest(k)
            change = 1.0 - min(_mean_cosine(previous, current), _mean_cosine(current, checked))
            full = limit <= found.basis.shape[1] < n_nodes
            if change < SETTLED or full or rounds == max_rounds:
                break
            previous = checked
            width = min(int(1.5 * width), n_nodes)
            blocks = lowest(rounds * len(sources))
        if refill and not problem.complete:
            found = mean_in(found.basis, REFILLS)
            checked = found.lowest(k)
    leak = _leak(filled, found, checked, problem.weights)
    gap = found.gap(k)
    # Half of the space that no longer turns suffices, although more vectors wait; a smaller basis that is cut off need not.
    cut_off = full and found.basis.shape[1] < n_nodes // 2
    # Of more pieces than that a layer has null directions that no basis has seen, and nothing above tells of them.
    crowded = max(source.n_pieces for source in sources) > width
    enough = change < SETTLED and leak < LEAKING and not cut_off and not crowded
    if not enough:
        warn_user(
            f"the compressed mean did not settle: with {found.basis.shape[1]} vectors its {k} lowest eigenvectors still turn "
            f"(mean cosine {1 - change:.3f}, leak {leak:.3f}); the layers have more low directions than that (many components, "
            "uneven weights, or noise). Pass solver='exact' if there are few enough nodes, or a larger epsilon"
        )
    update = IdentityPlusLowRank(found.outside, found.basis, found.core - found.outside * np.eye(len(found.core)))
    return update, {
        "solver": "compressed",
        "n_components": k,
        "basis": found.basis.shape[1],
        "subspace_change": change,
        "leak": leak,
        "gap": gap,
        "settled": enough and problem.complete and gap >= DISTINCT,
        "rounds": rounds,
    }


@dataclass(frozen=True)
class _Source:
    """A matrix whose lowest eigenvectors go into the basis; its coarse forms are made once."""

    matrix: csr_array
    null_vector: Array

    @cached_property
    def n_pieces(self) -> int:
        return int(connected_components(self.matrix, directed=False, return_labels=False))

    @cached_property
    def multigrid(self) -> Multigrid | None:
        if not is_installed("pyamg"):
            return None
        return Multigrid.of(self.matrix, self.null_vector / np.linalg.norm(self.null_vector))

    def lowest(self, width: int, rng: np.random.Generator) -> Array:
        """Return the ``width`` lowest eigenvectors."""
        known = component_vectors(self.matrix, self.null_vector, width)
        return smallest_eigenpairs(
            self.matrix, width, rng, known=known, multigrid=self.multigrid, tol=EIGEN_TOL, rtol=EIGEN_RTOL, max_iter=20
        ).vectors


def _lowest_from(basis: Array, matrix: csr_array, width: int) -> Array:
    """Return about the ``width`` lowest eigenvectors of the arithmetic mean, by subspace iteration from those of the layers.

    A union of layers has no coarse form that multigrid could use, but its smooth vectors are smooth over each layer.
    """
    for _ in range(3):
        values, rotation = eigh(_symmetric(basis.T @ (matrix @ basis)), check_finite=False)
        kept = basis @ rotation[:, :width]
        cut = float(values[min(width, len(values)) - 1]) / largest_eigenvalue_bound(matrix)
        basis = np.linalg.qr(smoothed(matrix, kept, cut=cut))[0]
    return basis


@dataclass(frozen=True)
class _InBasis:
    """The mean in a basis: V core Vᵀ + outside (I − VVᵀ)."""

    basis: Array
    core: Array
    outside: float
    averages: Sequence[float]
    """Average eigenvalue of each layer outside the basis."""

    @classmethod
    def of(
        cls,
        basis: Array,
        layers: Sequence[csr_array],
        problem: AggregationProblem,
        small_mean: SmallMean,
        refills: int,
    ) -> Self:
        """Take the mean of the layers seen in the basis."""
        small = [_symmetric(basis.T @ (layer @ basis)) for layer in layers]
        averages = [_average_outside(layer, one) for layer, one in zip(layers, small, strict=True)]
        outside = float(np.exp(problem.weights @ np.log(averages)))
        core = _symmetric(small_mean(small, problem.weights))
        if refills:
            partial = [s for s, mask in enumerate(problem.present) if not mask.all()]
            held = [basis[problem.present[s]] for s in partial]
            grams = [part.T @ part for part in held]
            own = [_symmetric(basis.T @ (problem.laplacians[s] @ basis)) for s in partial]
            for _ in range(refills):
                for index, s in enumerate(partial):
                    small[s] = _completed(own[index], grams[index], core, outside)
                before, core = core, _symmetric(small_mean(small, problem.weights))
                if np.linalg.norm(core - before) < REFILLED * np.linalg.norm(core):
                    break
        return cls(basis, core, outside, averages)

    def lowest(self, k: int) -> Array:
        """Return the ``k`` lowest eigenvectors."""
        return self.basis @ lowest_of_dense(self.core, k)[1]

    def gap(self, k: int) -> float:
        """Return by how much eigenvalue k + 1 lies above eigenvalue k, relatively."""
        values = np.append(eigh(self.core, eigvals_only=True, check_finite=False), self.outside)
        return float(1 - values[k - 1] / values[k])


def _average_outside(layer: csr_array, small: Array) -> float:
    """Return a layer's average eigenvalue outside the basis in which it is ``small``; a bound of all, if nothing is outside."""
    trace, left = layer.diagonal().sum(), layer.shape[0] - len(small)
    if left == 0:
        return largest_eigenvalue_bound(layer)
    return max(float(trace - np.trace(small)) / left, 1e-12 * float(trace) / layer.shape[0])


def _completed(own: Array, gram: Array, core: Array, outside: float) -> Array:
    """VᵀA'V of a layer completed by the mean, see the module.

    ``own`` is V_AᵀL_sV_A, ``gram`` V_AᵀV_A, and the mean V core Vᵀ + outside (I − VVᵀ).
    The regression of the missing nodes on those held is V_Ā R V_Aᵀ with a small R, so VᵀE = (I + V_ĀᵀV_Ā R) V_Aᵀ.
    """
    one = np.eye(len(core))
    low = core - outside * one
    regression = np.linalg.solve((outside * one + gram @ low).T, low.T).T
    carried = one + (one - gram) @ regression
    mean_of_held = gram @ low @ gram + outside * gram
    return _symmetric(core + carried @ (own - mean_of_held) @ carried.T)


def component_vectors(matrix: csr_array, null_vector: Array, at_most: int) -> Array | None:
    """Return orthonormal null vectors of a Laplacian, one for each of its largest connected components."""
    _, labels = connected_components(matrix, directed=False)
    mass = np.bincount(labels, weights=null_vector**2)
    image = matrix @ null_vector
    rough = np.bincount(labels, weights=null_vector * image)
    sizes = np.bincount(labels)
    unit = abs(matrix).max()
    # What is left of a shifted Laplacian on a null vector is the shift, the same for all components.
    with np.errstate(invalid="ignore", divide="ignore"):
        quotient = np.where(mass > 0, rough / mass, np.inf)
    null = np.flatnonzero(quotient <= 1.01 * quotient.min() + 1e-12 * unit)
    chosen = null[np.argsort(-sizes[null], kind="stable")][:at_most]
    vectors = np.zeros((len(labels), len(chosen)))
    for column, component in enumerate(chosen):
        members = labels == component
        vectors[members, column] = null_vector[members] / np.sqrt(mass[component])
    off = np.linalg.norm(matrix @ vectors - vectors * quotient[chosen], axis=0)
    exact = off <= 1e-8 * unit
    return vectors[:, exact] if exact.any() else None


def _filled(problem: AggregationProblem, mean: csr_array) -> list[csr_array]:
    """Let each layer agree with the arithmetic mean about the nodes it does not hold.

    Edges of the mean that touch a missing node are added, with a diagonal that keeps the sum positive definite. That is
    what these edges add to the diagonal in variables in which a Laplacian's rows sum to 0: those divided by its null vector.
    """
    if problem.complete:
        return list(problem.laplacians)
    pull = _pull(problem)
    filled = []
    for layer, present in zip(problem.laplacians, problem.present, strict=True):
        if present.all():
            filled.append(layer)
            continue
        missing = diags_array((~present).astype(np.float64))
        held = diags_array(present.astype(np.float64))
        across = held @ mean @ missing
        weight = present * (pull @ (~present).astype(np.float64))
        filled.append(csr_array(layer + missing @ mean @ missing + across + across.T + diags_array(weight)))
    return filled


def _pull(problem: AggregationProblem) -> csr_array:
    """Return what each edge of the arithmetic mean adds to the diagonal at its first node."""
    total = csr_array((problem.n_nodes, problem.n_nodes))
    for weight, layer, null in zip(problem.weights, problem.laplacians, problem.null_vectors, strict=True):
        edges = abs(layer - diags_array(layer.diagonal()))
        at_first = weight / (problem.heard * np.where(null > 0, null, np.inf))
        total = total + diags_array(at_first) @ edges @ diags_array(null)
    return csr_array(total)


def _orthonormal(blocks: Sequence[Array], limit: int) -> Array:
    """Return an orthonormal basis of the span of the blocks, without the directions that are only rounding."""
    stacked = np.hstack(blocks)
    values, vectors = np.linalg.eigh(stacked.T @ stacked)
    keep = np.flatnonzero(values > 1e-8 * values[-1])[::-1][:limit]
    rough = stacked @ (vectors[:, keep] / np.sqrt(values[keep]))
    return np.linalg.qr(rough)[0]


def _leak(layers: Sequence[csr_array], mean: _InBasis, vectors: Array, weights: npt.NDArray[np.float64]) -> float:
    """Estimate 1 − the mean cosine that is lost because the layers lead out of the basis.

    A layer that maps a vector u of eigenvalue λ out of V by a residual ρ turns it by about ρ / (c − λ), to first order in
    the perturbation; the loss of cosine is half the square of that. Layers count in units of their own average outside V.
    """
    basis, outside = mean.basis, mean.outside
    values = np.einsum("ij,ij->j", vectors, basis @ (mean.core @ (basis.T @ vectors)))
    squared = np.zeros(len(values))
    for weight, layer, average in zip(weights, layers, mean.averages, strict=True):
        image = (outside / average) * (layer @ vectors)
        squared += weight * np.linalg.norm(image - basis @ (basis.T @ image), axis=0) ** 2
    return float(np.mean(squared / np.maximum(outside - values, 1e-3 * outside) ** 2) / 2)


def _mean_cosine(first: Array, second: Array) -> float:
    return float(np.linalg.svd(first.T @ second, compute_uv=False).mean())


def _symmetric(matrix: Array) -> Array:
    return 0.5 * (matrix + matrix.T)
