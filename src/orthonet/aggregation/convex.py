"""Convex combination of the Laplacians, with the layer weights that make the clusters most reliable (MIMOSA).

    L_v = C^{-1/2} (Σ_s v_s L_s) C^{-1/2},      v = argmin_v  t̂_v / t̂_LB,      v_s >= 0,  Σ_s v_s = 1

Spectral clustering of L_v into K clusters of n_1 … n_K nodes gives the noise level and a lower bound of its critical value,

    t̂_v  = max_{k≠l}  W_kl / (n_k n_l),      t̂_LB = min_k  S_{2:K}(L_k) / ((K − 1) n_max),

where W_kl is the weight of the edges between clusters k and l (linear in v: the mean over the layers with weights v), L_k the
combinatorial Laplacian of the edges inside cluster k, and S_{2:K} the sum of its 2nd to K-th smallest eigenvalues. Below the
critical value the eigenvectors separate the clusters, above they cannot: the clusters are reliable if t̂_v < t̂_LB.
Taking the largest noise between two clusters is the paper's model of non-identical noise. Its iteration over K and its
statistical tests are left out: K is given. Edge weights are those that the Laplacians show, −L_ij, normalised or not.

The weights are tried on a grid over the simplex for up to three layers, else at its corners, between the best of these, and
by steps of falling length from the best so far. Time that of K eigenvectors for each trial, memory O(nnz + N K).

References
----------
.. [1] P.-Y. Chen, A. Hero, `"Multilayer spectral graph clustering via convex layer aggregation: theory and
       algorithms" <https://arxiv.org/abs/1708.02620>`_, IEEE Transactions on Signal and Information Processing over
       Networks, 2017.
.. [2] A. Damle, V. Minden, L. Ying, `"Simple, direct and efficient multi-way spectral clustering"
       <https://doi.org/10.1093/imaiai/iay008>`_, 2019 (the start of K-means).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import qr
from scipy.sparse import csr_array, diags_array
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from orthonet.aggregation.arithmetic import arithmetic
from orthonet.aggregation.null_vectors import component_vectors
from orthonet.aggregation.problem import AggregationProblem
from orthonet.linalg.eigen import smallest_eigenpairs
from orthonet.support.checks import check_integer
from orthonet.support.progress import Report, progress

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.integer[Any]]

GRID_UP_TO = 3
"""Layers up to which the simplex is searched by a grid."""
BEST_CORNERS = 4
"""Of more layers, how many of the best are combined in pairs and stepped towards."""
KEPT_SHARE = 0.05
"""Share of the given weights that is kept if some layer lacks nodes, so that every node is in a layer with a weight > 0."""
BETTER = 1e-9
"""Relative difference of two ratios above which one is better, and not only by rounding."""
EIGEN_TOL = 1e-4
"""Residual of the eigenvectors that are clustered, relative to the largest eigenvalue."""


def convex(
    problem: AggregationProblem, *, solver: str = "auto", n_steps: int = 5, verbose: bool | None = None
) -> tuple[csr_array, dict[str, Any]]:
    """Return the sparse combination with the most reliable weights, and how reliable they are.

    Parameters
    ----------
    problem : AggregationProblem
        What to aggregate; its ``n_components`` is K. Its weights multiply those that are tried, and win if nothing is better.
    solver : {"auto", "exact", "compressed"}, default="auto"
        Without effect: the combination is sparse.
    n_steps : int, default=5
        How finely weights are searched: intervals on each edge of the simplex for two or three layers (6 or 21 trials),
        rounds of ever smaller steps for more (S + 7 + 4 ``n_steps`` trials at most).
    verbose : bool, optional
        Progress bar: after two seconds on a terminal (None), always or never.

    Returns
    -------
    matrix : sparse array of shape (N, N)
    info : dict
        The chosen ``layer_weights`` of all layers of the graph, ``noise`` t̂_v, ``critical`` t̂_LB, ``reliable``, and the
        number of ``candidates`` tried.
    """
    check_integer(n_steps, "n_steps", minimum=1)
    with progress("convex combination", _most_candidates(len(problem.weights), n_steps), verbose) as report:
        search = _Search(problem, report)
        search.run(n_steps)
    best = search.best
    weights = np.zeros(len(problem.layer_weights))
    weights[problem.layer_weights > 0] = best.weights
    return arithmetic(replace(problem, weights=best.weights))[0], {
        "solver": "exact",
        "layer_weights": weights.tolist(),
        "noise": best.noise,
        "critical": best.critical,
        "reliable": best.noise < best.critical,
        "candidates": len(search.tried),
    }


def phase_transition(
    laplacian: csr_array, labels: Labels, n_clusters: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Return the noise level t̂ of a clustering and the lower bound t̂_LB of its critical value.

    Parameters
    ----------
    laplacian : sparse array of shape (N, N)
        Only its off-diagonal entries are looked at: edge weights with a minus sign.
    labels : array of shape (N,)
        The cluster of each node, from 0. Clusters without nodes are ignored; one of n_k < K nodes has but n_k eigenvalues
        to sum, one of a single node none, so that nothing is reliable beside it.
    n_clusters : int
        K; with K = 1 there is nothing to confuse: no noise, and no bound.
    rng : numpy.random.Generator
        Draws start vectors for large clusters.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> from orthonet.aggregation.convex import phase_transition
    >>> two_pairs = -np.array([[0, 3, 1, 0], [3, 0, 0, 0], [1, 0, 0, 2], [0, 0, 2, 0.0]])
    >>> phase_transition(csr_array(two_pairs), np.array([0, 0, 1, 1]), 2, np.random.default_rng(0))
    (0.25, 2.0)
    """
    if n_clusters == 1:
        return 0.0, np.inf
    weights = csr_array(diags_array(laplacian.diagonal()) - laplacian)
    sizes = np.bincount(labels, minlength=n_clusters)
    indicator = csr_array((np.ones(len(labels)), (np.arange(len(labels)), labels)), shape=(len(labels), len(sizes)))
    between = (indicator.T @ weights @ indicator).toarray() / np.maximum(np.outer(sizes, sizes), 1)
    np.fill_diagonal(between, 0.0)
    sums = []
    for cluster in np.flatnonzero(sizes):
        members = np.flatnonzero(labels == cluster)
        inside = csr_array(weights[members][:, members])
        degrees = np.asarray(inside.sum(axis=1)).ravel()
        sums.append(_sum_of_eigenvalues(csr_array(diags_array(degrees) - inside), n_clusters, rng))
    return float(between.max()), min(sums) / ((n_clusters - 1) * int(sizes.max()))


@dataclass(frozen=True)
class _Candidate:
    """Layer weights and what came of them."""

    weights: Array
    noise: float
    critical: float

    @property
    def ratio(self) -> float:
        """t̂ / t̂_LB: reliable below 1."""
        return self.noise / self.critical if self.critical > 0 else np.inf


class _Search:
    """Tries layer weights and remembers the best."""

    def __init__(self, problem: AggregationProblem, report: Report) -> None:
        self.problem = problem
        self.report = report
        self.tried: dict[tuple[float, ...], _Candidate] = {}
        self.vectors: Array | None = None
        self.best = self.attempt(np.full(len(problem.weights), 1.0 / len(problem.weights)))

    def run(self, n_steps: int) -> None:
        n_layers = len(self.problem.weights)
        if n_layers == 1 or self.problem.n_components == 1:
            return
        if n_layers <= GRID_UP_TO:
            for point in sorted(_grid(n_layers, n_steps), key=lambda point: float(np.ptp(point))):
                self.attempt(point)
            return
        corners = np.eye(n_layers)
        ratios = [self.attempt(corner).ratio for corner in corners]
        good = corners[np.argsort(ratios, kind="stable")[:BEST_CORNERS]]
        for first, second in combinations(good, 2):
            self.attempt((first + second) / 2)
        for step in 0.5 ** np.arange(1, n_steps + 1):
            for corner in good:
                self.attempt_weights((1 - step) * self.best.weights + step * self.scaled(corner))

    def scaled(self, point: Array) -> Array:
        """Multiply a point of the simplex by the given weights, and see that every node is in a layer that counts."""
        given = self.problem.weights
        weights = point * given / (point @ given)
        return weights if self.problem.complete else (1 - KEPT_SHARE) * weights + KEPT_SHARE * given

    def attempt(self, point: Array) -> _Candidate:
        return self.attempt_weights(self.scaled(point))

    def attempt_weights(self, weights: Array) -> _Candidate:
        key = tuple(weights.round(9).tolist())
        if key not in self.tried:
            candidate = self.tried[key] = self.evaluate(weights)
            # What is better by rounding only is not better: of equals the first stays, which the given weights are.
            if len(self.tried) == 1 or candidate.ratio < (1 - BETTER) * self.best.ratio:
                self.best = candidate
            self.report(len(self.tried), f"noise / critical noise {self.best.ratio:.3g}")
        return self.tried[key]

    def evaluate(self, weights: Array) -> _Candidate:
        problem = replace(self.problem, weights=weights)
        matrix = arithmetic(problem)[0]
        known = component_vectors(matrix, np.sqrt(problem.node_weights) * problem.null_vectors[0], problem.n_components)
        self.vectors = smallest_eigenpairs(
            matrix, problem.n_components, problem.rng, known=known, start=self.vectors, tol=EIGEN_TOL
        ).vectors
        labels = _clusters(self.vectors)
        return _Candidate(weights, *phase_transition(matrix, labels, problem.n_components, problem.rng))


def _most_candidates(n_layers: int, n_steps: int) -> int:
    if n_layers <= GRID_UP_TO:
        return 1 + sum(1 for _ in _grid(n_layers, n_steps))
    return n_layers + 1 + BEST_CORNERS * (BEST_CORNERS - 1) // 2 + BEST_CORNERS * n_steps


def _grid(n_layers: int, n_steps: int) -> Iterator[Array]:
    """Yield the points of the simplex whose coordinates are multiples of 1 / n_steps."""
    for bars in combinations(range(n_steps + n_layers - 1), n_layers - 1):
        yield (np.diff([-1, *bars, n_steps + n_layers - 1]) - 1) / n_steps


def _clusters(vectors: Array) -> Labels:
    """K-means on unit rows from the K rows that a pivoted QR decomposition picks: nothing random, in any order of the nodes."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = vectors / np.where(lengths > 0, lengths, 1.0)
    n_clusters = vectors.shape[1]
    pivots = qr(vectors.T, mode="r", pivoting=True)[1][:n_clusters]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # clusters without nodes are ignored by the criterion
        return KMeans(n_clusters, init=rows[pivots], n_init=1).fit(rows).labels_


def _sum_of_eigenvalues(laplacian: csr_array, n_clusters: int, rng: np.random.Generator) -> float:
    """Sum of the 2nd to K-th smallest eigenvalues, of those that there are."""
    wanted = min(n_clusters, laplacian.shape[0])
    known = component_vectors(laplacian, np.ones(laplacian.shape[0]), wanted)
    values = smallest_eigenpairs(laplacian, wanted, rng, known=known, tol=EIGEN_TOL).values
    return float(np.maximum(values[1:], 0.0).sum())
