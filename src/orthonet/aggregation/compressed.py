"""Means of large Laplacians in a small basis: no N x N array, whatever the mean.

    L ≈ V M(VᵀL_1V, …, VᵀL_SV) Vᵀ + c (I − VVᵀ)

V (N x p) spans the r lowest eigenvectors of every layer and, about, of the arithmetic mean; what M and c are, and what is done
for layers that lack nodes, is in `orthonet.aggregation.mean_in_basis`.

*Grow*: the basis grows until the K lowest eigenvectors no longer turn, neither from one r to the next (2K, 3K, then half as
much again each time) nor when the K vectors found so far, smoothed by each layer, join the basis (one step of subspace
iteration with every layer).

*Known*: where eigenvectors of the layers are known (the search for clusters has found some), they are the basis, each smoothed
by its layer, and at most 300 directions of their span, those that most layers share first.

*Judge*: a basis suffices if the vectors no longer turn in it, if the layers hardly lead out of it (`MeanInBasis.leak`), and if
neither its limit nor the number of components of a layer hides directions from it; else there is a warning. These tests do not
see how far the mean is from the exact one where layers lack nodes (mean cosines of 0.57 to 0.997 were measured where two of
three layers lack 10 to 50 % of the nodes), so ``info["settled"]`` is False there. Where the K-th and the next eigenvalue are
nearly equal, the K-dimensional subspace is a matter of rounding for either mean; ``info["gap"]`` is small and
``info["settled"]`` False then, but there is no warning: the clusters need not care.

Time O(nnz r + N p² + p³), memory O(N p).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from orthonet.aggregation.arithmetic import arithmetic
from orthonet.aggregation.mean_in_basis import MeanInBasis, SmallMean, orthonormal
from orthonet.aggregation.missing_nodes import fill_missing_nodes
from orthonet.aggregation.null_vectors import component_vectors
from orthonet.aggregation.problem import AggregationProblem
from orthonet.linalg.chebyshev import in_single_precision
from orthonet.linalg.eigen import PROBE_ABOVE, EigenPairs, smallest_eigenpairs
from orthonet.linalg.factorizations import symmetric_part
from orthonet.linalg.low_rank import IdentityPlusLowRank
from orthonet.linalg.multigrid import Multigrid, largest_eigenvalue_bound, smoothed
from orthonet.support.checks import check_integer
from orthonet.support.memory import check_memory
from orthonet.support.progress import Report, progress
from orthonet.support.sentences import Argument, Sentence
from orthonet.support.warn import warn_user

Array = npt.NDArray[np.float64]

MAX_BASIS = 1500
"""Vectors of the basis at most by default: eigenvectors of dense matrices of this size take about a second."""
VECTORS_PER_CLUSTER = 3
"""Lowest eigenvectors of each layer to start with, per vector that is wanted of the mean,"""
GROWTH = 1.5
"""and by which factor their number grows from one round to the next."""
COPIES = 3
"""Of the basis that are in memory at once."""
SETTLED = 0.005
"""The basis suffices when the mean cosine between successive K-dimensional subspaces is within this of 1."""
LEAKING = 0.04
"""Largest leak of a basis that suffices. The estimate is cautious: where it was half of this, exact and compressed subspaces
agreed to a mean cosine of 0.999; where it was twice, to 0.985."""
KNOWN_BASIS, SMOOTHINGS = 300, 4
"""Vectors at most of a basis that is made of known eigenvectors, or 3K; and the degree of the polynomial that smooths them."""
MAX_ROUNDS, MAX_PARTIAL_ROUNDS = 6, 3
"""Rounds of a growing basis, fewer if some layer lacks nodes: that case is not settled by a larger one."""
MAX_FILTERED_ROUNDS = 2
"""Rounds above 50,000 nodes where more vectors show nothing new,"""
NO_MORE_TO_SEE = ("chebyshev", "known")
"""which is so for solvers that serve where few eigenvalues lie below the bulk of the spectrum, or where all vectors found are
indicators of components."""
EIGEN_TOL, EIGEN_RTOL, EIGEN_MAX_ITER = 3e-3, 0.05, 20
"""Residual of the eigenvectors that make the basis, and iterations for it: their span matters, not their last digits."""
MAX_PRODUCTS = 150
"""Products with a layer at most, per vector, where filtering finds its eigenvectors."""
SUBSPACE_ITERATIONS = 3
"""Rounds of subspace iteration that bring the layers' eigenvectors near those of the arithmetic mean."""
DISTINCT = 0.03
"""Relative gap between the K-th eigenvalue and the next, below which it is not settled which vectors are the K lowest: the
eigenvalues of the compressed mean are good to some per cent."""
FIRST_COMPLETIONS, COMPLETIONS = 2, 30
"""Times that layers which lack nodes are completed by the mean at most; the first few show whether the basis suffices."""


def compress(
    problem: AggregationProblem,
    small_mean: SmallMean,
    *,
    complete_by_mean: bool = False,
    max_basis: int | None = None,
    verbose: bool | None = None,
) -> tuple[IdentityPlusLowRank, dict[str, Any]]:
    """Return the mean in a basis that suffices for the lowest eigenvectors, and how it was found.

    Parameters
    ----------
    problem : AggregationProblem
        What to aggregate; the basis must contain its ``n_components`` lowest eigenvectors.
    small_mean : callable
        The mean of small dense matrices.
    complete_by_mean : bool, default=False
        Complete the layers that lack nodes by the mean itself, which is right for the geometric mean.
    max_basis : int, optional
        Largest p, at least K; half of N, but no more than 1500 (or 2K + 1 if that is more), by default.
    verbose : bool, optional
        Progress bar: after two seconds on a terminal (None), always or never.
    """
    n_nodes, k = problem.n_nodes, problem.n_components
    if max_basis is None:
        max_basis = max(min(MAX_BASIS, n_nodes // 2), 2 * k + 1)
    limit = check_integer(max_basis, "max_basis", minimum=k)
    n_layers = len(problem.weights)
    check_memory(
        COPIES * 8.0 * n_nodes * min(limit, VECTORS_PER_CLUSTER * k * (n_layers + 1)),
        f"the compressed mean of {n_layers} layers of {n_nodes:,} nodes",
        "ask for fewer clusters, or pass ",
        Argument("aggregation", "arithmetic"),
    )
    growing = _Growing(problem, small_mean, complete_by_mean and not problem.complete, limit)
    if problem.starts:
        known = growing.from_starts()
        return known.update, {"solver": "compressed", "n_components": k} | _describe(growing, known)
    with progress("compressed mean", growing.max_rounds * len(growing.layers), verbose) as report:
        grown = growing.run(report)
    return grown.mean.update, {"solver": "compressed", "n_components": k} | _judge(growing, grown)


@dataclass(frozen=True)
class _Grown:
    """The mean in the last basis, and what was seen while the basis grew."""

    mean: MeanInBasis
    lowest: Array
    """Its K lowest eigenvectors."""
    change: float
    """By how much they still turned: 1 minus the mean cosine."""
    width: int
    """Eigenvectors of each layer in the basis."""
    full: bool
    """Whether the basis has reached its limit."""
    rounds: int


@dataclass(frozen=True)
class _Growing:
    """A basis that grows until it suffices."""

    problem: AggregationProblem
    small_mean: SmallMean
    complete_by_mean: bool
    limit: int

    def run(self, report: Report) -> _Grown:
        """Grow the basis until the K lowest eigenvectors of the mean no longer turn, it is full, or rounds are over."""
        n_nodes, k, limit = self.problem.n_nodes, self.problem.n_components, self.limit
        width = min(VECTORS_PER_CLUSTER * k, n_nodes)
        blocks = self._blocks(width, 0, report)
        # The first k vectors of each block are a smaller basis for nothing: compare with that.
        previous = self._mean_in(orthonormal([block[:, :k] for block in blocks], limit)).lowest(k)
        for rounds in range(1, self.max_rounds + 1):
            basis = orthonormal(blocks, limit)
            current = self._mean_in(basis).lowest(k)
            # What each layer makes of the vectors found so far must not turn them either.
            mean = self._mean_in(orthonormal([basis, *(smoothed(layer, current) for layer in self.layers)], limit))
            lowest = mean.lowest(k)
            change = 1.0 - min(_mean_cosine(previous, current), _mean_cosine(current, lowest))
            full = limit <= mean.basis.shape[1] < n_nodes
            if change < SETTLED or full or rounds >= self.max_rounds:
                break
            previous = lowest
            width = min(int(GROWTH * width), n_nodes)
            blocks = self._blocks(width, rounds * len(self.layers), report)
        if self.complete_by_mean:
            mean = self._mean_in(mean.basis, COMPLETIONS)
            lowest = mean.lowest(k)
        return _Grown(mean, lowest, change, width, full, rounds)

    @property
    def max_rounds(self) -> int:
        if self.problem.n_nodes > PROBE_ABOVE and all(source.solver in NO_MORE_TO_SEE for source in self.sources):
            return MAX_FILTERED_ROUNDS
        return MAX_ROUNDS if self.problem.complete else MAX_PARTIAL_ROUNDS

    @cached_property
    def arithmetic_mean(self) -> csr_array:
        return arithmetic(self.problem)[0]

    @cached_property
    def layers(self) -> list[csr_array]:
        if self.problem.complete:
            return list(self.problem.laplacians)
        return fill_missing_nodes(self.problem, self.arithmetic_mean)

    @cached_property
    def sources(self) -> list[_Source]:
        pairs = zip(self.layers, self.problem.null_vectors, strict=True)
        return [_Source(matrix, null_vector) for matrix, null_vector in pairs]

    def from_starts(self) -> MeanInBasis:
        """Return the mean in the basis of the known eigenvectors."""
        starts, k = self.problem.starts, self.problem.n_components
        if self.problem.n_nodes > PROBE_ABOVE:
            blocks = [smoothed_quickly(one, start) for one, start in zip(self.layers, starts[:-1], strict=True)]
            blocks.append(starts[-1])  # as it is: the mean would take as long to build as all layers to smooth with
        else:
            matrices = [*self.layers, self.arithmetic_mean]
            blocks = [smoothed(one, start, degree=SMOOTHINGS) for one, start in zip(matrices, starts, strict=True)]
        limit = min(self.limit, max(KNOWN_BASIS, VECTORS_PER_CLUSTER * k))
        return self._mean_in(orthonormal(blocks, limit), COMPLETIONS)

    def _blocks(self, width: int, done: int, report: Report) -> list[Array]:
        """Return the ``width`` lowest eigenvectors of each layer and, about, of the arithmetic mean."""
        blocks = []
        for source in self.sources:
            blocks.append(source.lowest(width, self.problem.rng))
            report(done + len(blocks), f"{width} vectors per layer")
        return [*blocks, self._lowest_of_mean(blocks, width)]

    def _lowest_of_mean(self, blocks: list[Array], width: int) -> Array:
        """Return about the ``width`` lowest eigenvectors of the arithmetic mean."""
        if len(blocks) > 1 and all(source.solver == "chebyshev" for source in self.sources):
            # Clusters that single layers do not show above their noise are not in the span of the layers' eigenvectors.
            return _find_lowest(self.arithmetic_mean, width, self.problem.rng).vectors
        return _lowest_from(orthonormal(blocks, self.limit), self.arithmetic_mean, width)

    def _mean_in(self, basis: Array, completions: int = FIRST_COMPLETIONS) -> MeanInBasis:
        times = completions if self.complete_by_mean else 0
        return MeanInBasis.of(basis, self.layers, self.problem, self.small_mean, times)


def smoothed_quickly(layer: csr_array, start: Array) -> Array:
    """Return the same as `smoothed`, in single precision: enough for a basis."""
    quick = smoothed(in_single_precision(layer), start.astype(np.float32), degree=SMOOTHINGS)
    return quick.astype(np.float64)


def _describe(growing: _Growing, mean: MeanInBasis) -> dict[str, Any]:
    """Return the measures of a basis that was known."""
    problem = growing.problem
    leak, gap = (
        mean.leak(growing.layers, mean.lowest(problem.n_components), problem.weights),
        mean.gap(problem.n_components),
    )
    return {
        "basis": mean.basis.shape[1],
        "leak": leak,
        "gap": gap,
        "settled": leak < LEAKING and problem.complete and gap >= DISTINCT,
        "rounds": 0,
        "eigensolvers": ["known"] * len(growing.layers),
    }


def _judge(growing: _Growing, grown: _Grown) -> dict[str, Any]:
    """Return the measures of a basis; warn if it does not suffice."""
    problem, mean = growing.problem, grown.mean
    k, size = problem.n_components, mean.basis.shape[1]
    leak = mean.leak(growing.layers, grown.lowest, problem.weights)
    gap = mean.gap(k)
    # Half of the space that no longer turns suffices, although more vectors wait; a smaller basis that is cut off need not.
    cut_off = grown.full and size < problem.n_nodes // 2
    # Of more components than that a layer has null directions that no basis has seen, and nothing above shows them.
    crowded = max(source.n_pieces for source in growing.sources) > grown.width
    enough = grown.change < SETTLED and leak < LEAKING and not cut_off and not crowded
    rough = sum(not source.converged for source in growing.sources)
    if rough and problem.n_nodes > PROBE_ABOVE:
        enough = False
        warn_user(
            Sentence(
                f"the eigenvectors of {rough} of {len(growing.sources)} layers did not converge within the limit on work (info "
                "'eigensolvers' names them); the compressed mean is made from what was reached. Ask for fewer clusters, or "
                "pass ",
                Argument("aggregation", "arithmetic"),
            )
        )
    elif not enough:
        warn_user(
            Sentence(
                f"the compressed mean did not settle: with {size} vectors its {k} lowest eigenvectors still turn "
                f"(mean cosine {1 - grown.change:.3f}, leak {leak:.3f}); the layers have more low directions than that (many "
                "components, uneven weights, or noise). Pass ",
                Argument("solver", "exact"),
                " if there are few enough nodes, or a larger ",
                Argument("epsilon"),
            )
        )
    return {
        "basis": size,
        "subspace_change": grown.change,
        "leak": leak,
        "gap": gap,
        "settled": enough and problem.complete and gap >= DISTINCT,
        "rounds": grown.rounds,
        "eigensolvers": [
            source.solver if source.converged else f"{source.solver}, not converged" for source in growing.sources
        ],
    }


@dataclass
class _Source:
    """A matrix whose lowest eigenvectors go into the basis; its coarse forms are made once."""

    matrix: csr_array
    null_vector: Array
    solver: str = ""
    """What found its eigenvectors,"""
    converged: bool = True
    """and whether its work sufficed."""

    @cached_property
    def n_pieces(self) -> int:
        return int(connected_components(self.matrix, directed=False, return_labels=False))

    @cached_property
    def _coarse_forms(self) -> Multigrid:
        return Multigrid.of(self.matrix, self.null_vector / np.linalg.norm(self.null_vector))

    def lowest(self, width: int, rng: np.random.Generator) -> Array:
        """Return the ``width`` lowest eigenvectors."""
        known = component_vectors(self.matrix, self.null_vector, width)
        found = _find_lowest(self.matrix, width, rng, known=known, multigrid=lambda: self._coarse_forms)
        self.solver, self.converged = found.solver, found.converged
        return found.vectors


def _find_lowest(matrix: csr_array, width: int, rng: np.random.Generator, **given: Any) -> EigenPairs:
    return smallest_eigenpairs(
        matrix, width, rng, tol=EIGEN_TOL, rtol=EIGEN_RTOL, max_iter=EIGEN_MAX_ITER, max_products=MAX_PRODUCTS, **given
    )


def _lowest_from(basis: Array, matrix: csr_array, width: int) -> Array:
    """Return about the ``width`` lowest eigenvectors of the arithmetic mean, by subspace iteration from those of the layers.

    A union of layers has no coarse form that multigrid could use, but its smooth vectors are smooth over each layer.
    """
    for _ in range(SUBSPACE_ITERATIONS):
        values, rotation = eigh(symmetric_part(basis.T @ (matrix @ basis)), check_finite=False)
        kept = basis @ rotation[:, :width]
        cut = float(values[min(width, len(values)) - 1]) / largest_eigenvalue_bound(matrix)
        basis = np.linalg.qr(smoothed(matrix, kept, cut=cut))[0]
    return basis


def _mean_cosine(first: Array, second: Array) -> float:
    return float(np.linalg.svd(first.T @ second, compute_uv=False).mean())
