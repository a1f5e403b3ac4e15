"""Values of dense features as evidence: clusters are Gaussian, each with a covariance of its own.

    node i for cluster c:   ( ln p(x_i | the others of c) − ln p(x_i | all others) ) / d

in nats per feature, with d the number of features. p is the posterior predictive distribution of a Gaussian whose covariance
is drawn to the one that all clusters share, a multivariate t [1]_: it knows how little a small cluster says of its form, and
forgives outliers. Nearest neighbours alone cannot tell a cluster from any other piece of a cloud; this can, where clusters are
round or elongated, and it does not care in which units the features are. Information is that of the Gaussians' entropies,

    I(z) = ( ln |S| − Σ_c p_c ln |S_c| ) / 2 d.

References
----------
.. [1] K. P. Murphy, "Conjugate Bayesian analysis of the Gaussian distribution", technical report, 2007, equation 258.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from scipy.special import gammaln
from sklearn.utils.extmath import randomized_svd

from orthonet.evidence.coarse_gaussian import ROUNDING, CoarseGaussian
from orthonet.graph.features import Features

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]
Moments: TypeAlias = tuple[Array, Array, Array]
"""Sum of weights, mean and scatter of each cluster."""

OBSERVATIONS = 4.0
"""Observations that all features together count for: they repeat each other, and are never quite Gaussian."""
MOST_DIMENSIONS = 30
"""Leading singular vectors that more features are reduced to,"""
NODES_PER_DIMENSION = 2
"""or fewer, so that a cluster of mean size has at least so many nodes for each."""
COMMON_VALUE = 0.25
"""Share of nodes with the same value from which on a column is a category or a count, not a continuous number."""
CONTINUOUS_COLUMNS = 0.5
"""Share of the columns that must be continuous: else the few that are do not speak for the features."""
SAMPLE = 10_000
"""Nodes that are looked at to tell continuous columns from others."""
BLOCK = 4096
"""Nodes whose distances to all clusters are computed at once."""
CENTER_WEIGHT = 0.1
"""Nodes that the mean of all counts for in the mean of a cluster: so few that only empty clusters feel it."""


class GaussianSource:
    """Dense features of the nodes as evidence.

    Parameters
    ----------
    values : array of shape (N, d)
        With d well below the number of nodes in a cluster.
    name : str
    observations : float, default=4
        That all features together count for.
    node_weights : array of shape (N,), optional
        How often each node counts; once by default.
    joint : bool, default=False
        Whether it shows together what other sources show in parts.
    """

    ends = 1
    averages = ""

    def __init__(
        self,
        values: Array,
        name: str,
        observations: float = OBSERVATIONS,
        *,
        node_weights: Array | None = None,
        joint: bool = False,
    ) -> None:
        self.name, self.observations, self.joint = name, observations, joint
        self._values = values
        self._weights = np.ones(len(values)) if node_weights is None else node_weights
        self._alike = node_weights is None
        together = np.zeros(len(values), dtype=np.int64)
        moments = sizes, means, scatters = self._moments(together, 1)
        self._covariance, self._center = scatters[0] / sizes[0], means[0]
        self._without_clusters = self._log_predictive(moments, together)[:, 0]

    @classmethod
    def from_features(cls, features: Features, n_clusters: int, name: str, *, joint: bool = False) -> Self | None:
        """Return the continuous columns as a source; None if they are too few to speak for the features."""
        if issparse(features):
            return None
        table = np.asarray(features, dtype=np.float64)
        some = table[:: max(1, len(table) // SAMPLE)]
        continuous = are_continuous(some)
        continuous &= table.std(axis=0) > 0
        if continuous.mean() < CONTINUOUS_COLUMNS:
            return None
        return cls.from_columns(table[:, continuous], n_clusters, name, joint=joint)

    @classmethod
    def from_columns(
        cls, columns: Array, n_clusters: int, name: str, observations: float = OBSERVATIONS, *, joint: bool = False
    ) -> Self:
        """Return continuous columns, none of them constant, as a source; many are reduced to their leading directions."""
        columns = (columns - columns.mean(axis=0)) / columns.std(axis=0)
        size = int(min(MOST_DIMENSIONS, max(1, len(columns) // (NODES_PER_DIMENSION * n_clusters))))
        kept = 1.0
        if columns.shape[1] > size:
            # In single precision, which takes half the time: values are known to few digits.
            left, lengths, _ = randomized_svd(columns.astype(np.float32), size, random_state=0)
            kept = float((lengths**2).sum() / columns.size)  # of the variance: what was left out does not speak
            columns = (left * lengths).astype(np.float64)
        return cls(columns, name, observations * kept, joint=joint)

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self._values)

    @property
    def n_observed(self) -> npt.NDArray[np.integer]:
        """1 for each node: each has values."""
        return np.ones(len(self._values), dtype=np.int64)

    def information(self, labels: Labels, n_clusters: int) -> float:
        """Return I of the partition, in nats per observation."""
        clusters = self.coarse(labels, n_clusters)
        clusters.place(np.arange(n_clusters), n_clusters)
        return clusters.information()

    def node_scores(self, labels: Labels, n_clusters: int, *, leave_out: bool = True) -> Array:
        """Return what the values say for each node and cluster, in nats, N x K."""
        return self._scores(self._moments(labels, n_clusters), labels, leave_out=leave_out)

    def own_scores(self, labels: Labels, n_clusters: int) -> Array:
        """Return what the values say for each node's own cluster, in nats: a part of `node_scores`."""
        clusters = self._predictive(self._moments(labels, n_clusters))
        found = clusters.left_out(clusters.distances(self._values, labels), labels, self._weights)
        return (found - self._without_clusters) * (self.observations / self._values.shape[1])

    def _scores(self, moments: Moments, labels: Labels, nodes: Any = slice(None), leave_out: bool = True) -> Array:
        """Return the scores of some nodes, all of which have ``labels``, from the moments of the clusters."""
        found = self._log_predictive(moments, labels[nodes], nodes, leave_out)
        found -= self._without_clusters[nodes, None]
        found *= self.observations / self._values.shape[1]
        return found

    def scores_that_matter(self, labels: Labels, n_clusters: int, said: Array, weight: float) -> Array:
        """Return ``weight`` times the scores of nodes for their own clusters, and for those that may beat these.

        No value is likelier in a cluster than its mean. So where even that would not make up for what the other sources said,
        a distance is not measured, and the score is that of a typical member, which would not make up for it either.

        Parameters
        ----------
        labels : array of shape (N,)
        n_clusters : int
        said : array of shape (N, K)
            By all other sources, with their weights.
        weight : float
        """
        clusters, each = self._predictive(self._moments(labels, n_clusters)), np.arange(len(labels))
        scale, base = weight * self.observations / self._values.shape[1], self._without_clusters
        own = clusters.distances(self._values, labels)
        at_own = (clusters.left_out(own, labels, self._weights) - base) * scale
        counts = np.maximum(np.bincount(labels, minlength=n_clusters), 1)
        typical = clusters.log_density(np.bincount(labels, own, minlength=n_clusters) / counts)
        at_mean = clusters.log_density(np.zeros(n_clusters))
        to_beat = said[each, labels] + at_own + base * scale
        matters = said + at_mean * scale > to_beat[:, None]
        matters[each, labels] = False
        found: Array = typical * scale - (base * scale)[:, None]
        nodes, others = np.divmod(np.flatnonzero(matters), n_clusters)
        distances = clusters.distances(self._values[nodes], others)
        found[nodes, others] = (clusters.log_density(distances, others) - base[nodes]) * scale
        found[each, labels] = at_own
        return found

    def coarse(self, cells: Labels, n_cells: int) -> CoarseGaussian:
        """Return the moments of cells of nodes."""
        sizes, means, scatters = self._moments(cells, n_cells)
        return CoarseGaussian(sizes, means, scatters)

    def reweighted(self, rng: np.random.Generator, node_weights: Array) -> Self:
        """Return the values with nodes counted by their weights."""
        return type(self)(self._values, self.name, self.observations, node_weights=node_weights, joint=self.joint)

    def _n_counted(self) -> int:
        """Return how many nodes the moments are those of."""
        return len(self._values)

    def _moments(self, labels: Labels, n_clusters: int) -> Moments:
        """Return for each cluster the sum of weights, the mean, and the scatter about it."""
        sizes = np.bincount(labels, self._weights, minlength=n_clusters).astype(np.float64, copy=False)
        means = np.zeros((n_clusters, self._values.shape[1]))
        scatters = np.zeros((n_clusters, self._values.shape[1], self._values.shape[1]))
        order, ends = _by_cluster(labels, n_clusters)
        values = self._values[order]
        weighted = values if self._alike else values * self._weights[order, None]
        some = np.flatnonzero(np.diff(ends))
        counted = np.maximum(sizes[some, None], np.finfo(np.float64).tiny)
        means[some] = np.add.reduceat(weighted, np.array(ends)[some]) / counted
        centered = values - means[labels[order]]
        for cluster in some.tolist():
            ours = slice(ends[cluster], ends[cluster + 1])
            np.matmul(weighted[ours].T, centered[ours], out=scatters[cluster])
        return sizes, means, scatters

    def _log_predictive(
        self, moments: Moments, labels: Labels, nodes: Any = slice(None), leave_out: bool = True
    ) -> Array:
        """Return ln p(x_i | the nodes of c but i) of nodes, all by default, with their labels, and every cluster."""
        clusters = self._predictive(moments)
        distances = _squared_distances(self._values[nodes], clusters.means, clusters.inverses)
        found = clusters.log_density(distances)
        if leave_out:
            each = np.arange(len(distances))
            found[each, labels] = clusters.left_out(distances[each, labels], labels, self._weights[nodes])
        return found

    def _predictive(self, moments: Moments) -> Predictive:
        """Return the posterior predictive distribution of each cluster."""
        sizes, means, scatters = moments
        n_features = means.shape[1]
        prior_weight = n_features + 1.0  # what the shared covariance counts for: as many nodes as it has dimensions
        shared = _regularized(scatters.sum(axis=0) / sizes.sum(), self._covariance, self._n_counted())
        center = self._center
        weights = CENTER_WEIGHT + sizes
        offsets = means - center
        scatters = prior_weight * shared + scatters
        scatters += (CENTER_WEIGHT * sizes / weights)[:, None, None] * offsets[:, :, None] * offsets[:, None, :]
        means = (CENTER_WEIGHT * center + sizes[:, None] * means) / weights[:, None]
        triangles = np.linalg.cholesky(scatters)
        volumes = 2 * np.log(np.diagonal(triangles, axis1=1, axis2=2)).sum(axis=1)
        return Predictive(sizes, means, np.linalg.inv(triangles), volumes, weights, prior_weight + sizes + 2.0)


@dataclass(frozen=True)
class Predictive:
    """Multivariate t distributions, one for each cluster.

    Attributes
    ----------
    sizes : array of shape (K,)
        Sum of the weights of the nodes in the cluster.
    means : array of shape (K, d)
    inverses : array of shape (K, d, d)
        Of the Cholesky factors of the scatters.
    volumes : array of shape (K,)
        Log-determinants of the scatters.
    weights, freedom : arrays of shape (K,)
        Nodes that the means are known by, and degrees of freedom, prior included.
    """

    sizes: Array
    means: Array
    inverses: Array
    volumes: Array
    weights: Array
    freedom: Array

    def log_density(self, distances: Array, clusters: Any = slice(None)) -> Array:
        """Return ln p at squared distances from the means of all clusters, or of those named for each distance."""
        n_features, spread = self.means.shape[1], (self.weights + 1.0) / self.weights
        at_mean = _log_t(np.zeros(len(self.means)), self.volumes, self.weights, self.freedom, n_features)
        steepness = -0.5 * (self.freedom + n_features)
        return at_mean[clusters] + steepness[clusters] * np.log1p(distances / spread[clusters])

    def left_out(self, distances: Array, clusters: Labels, node_weights: Array) -> Array:
        """Return ln p of nodes in their own clusters, without what they added to these."""
        left = np.minimum(node_weights, self.sizes[clusters])
        whole = self.weights[clusters]
        rest = whole - left
        shrunk = np.maximum(1 - left * whole / rest * distances, 1e-12)
        apart = (whole / rest) ** 2 * distances / shrunk
        volumes = self.volumes[clusters] + np.log(shrunk)
        return _log_t(apart, volumes, rest, self.freedom[clusters] - left, self.means.shape[1])

    def distances(self, values: Array, clusters: Labels) -> Array:
        """Return the squared distance of each row of values from the mean of the cluster that is named for it."""
        order, ends = _by_cluster(clusters, len(self.means))
        rows = (values - self.means[clusters])[order]
        turned, found = np.empty_like(rows), np.empty(len(values))
        for cluster, (first, stop) in enumerate(pairwise(ends)):
            if first < stop:
                np.matmul(rows[first:stop], self.inverses[cluster].T, out=turned[first:stop])
        found[order] = np.einsum("ij,ij->i", turned, turned)
        return found


def _by_cluster(clusters: Labels, n_clusters: int) -> tuple[npt.NDArray[np.intp], list[int]]:
    """Return an order by clusters, and where each of them begins and ends in it."""
    ends = np.cumsum(np.bincount(clusters, minlength=n_clusters))
    narrow = clusters.astype(np.min_scalar_type(n_clusters))  # which numpy sorts by counting
    return np.argsort(narrow, kind="stable"), [0, *ends.tolist()]


def _squared_distances(values: Array, means: Array, inverses: Array) -> Array:
    """Return ‖L_c⁻¹ (x_i − m_c)‖² of every node and cluster, a block of nodes at a time."""
    n_clusters, n_features = means.shape
    turned = np.ascontiguousarray(inverses.transpose(2, 0, 1).reshape(n_features, n_clusters * n_features))
    at_means = (inverses @ means[:, :, None]).ravel()
    distances = np.empty((len(values), n_clusters))
    for start in range(0, len(values), BLOCK):
        block = values[start : start + BLOCK] @ turned
        block -= at_means
        np.square(block, out=block)
        distances[start : start + BLOCK] = block.reshape(len(block), n_clusters, n_features).sum(axis=2)
    return distances


def _log_t(distances: Array, volume: Any, weight: Any, freedom: Any, n_features: int) -> Array:
    """Return the logarithm of a multivariate t density.

    ``distances`` are squared, by the scatter whose log-determinant is ``volume``, from a mean of ``weight`` nodes.
    """
    spread = (weight + 1.0) / weight
    return (
        gammaln((freedom + n_features) / 2)
        - gammaln(freedom / 2)
        - 0.5 * (n_features * np.log(np.pi * spread) + volume)
        - 0.5 * (freedom + n_features) * np.log1p(distances / spread)
    )


def _regularized(within: Array, whole: Array, n_nodes: int) -> Array:
    """Draw the covariance within clusters to that of all nodes, the more the fewer nodes there are for each feature."""
    n_features = len(within)
    share = n_features / (n_nodes + n_features)
    rounding = ROUNDING * max(float(np.trace(whole)) / n_features, np.finfo(np.float64).tiny)
    return (1 - share) * within + share * whole + rounding * np.eye(n_features)


def are_continuous(some: Array) -> npt.NDArray[np.bool_]:
    """Tell which columns are continuous, by some of their rows: no value is common."""
    common = COMMON_VALUE * len(some)
    # Of a sorted column, a value that so many rows have stands at one of these places at least.
    step = max(1, int(np.ceil(common)))
    places = np.arange(step - 1, len(some), step)
    candidates = np.partition(some, places, axis=0)[places]
    counts = np.max([(some == values).sum(axis=0) for values in candidates], axis=0)
    return counts < common
