"""Scores of some nodes only, under a partition that changes node by node.

What a source says of a node hangs on few numbers about all nodes: P, the edges between clusters, or the words of clusters, or
the moments of Gaussians. These are counted once and kept up to date. With Z the indicator of the clusters and D the rows of it
that a move changes, Z' = Z + D,

    Z'ᵀAZ' = ZᵀAZ + (DᵀAZ)ᵀ + DᵀAZ',

so that a move costs the edges of the nodes that move, and a score the edges of the nodes that are asked for. The counts are
sums over nodes: where rows are shared among processes, each adds up its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from orthonet.evidence.cluster_tables import entries_of, indicator
from orthonet.evidence.feature_source import FeatureSource
from orthonet.evidence.gaussian import GaussianSource
from orthonet.evidence.sources import Labels, LayerSource, Source, WordSource

Array = npt.NDArray[np.float64]
Nodes = npt.NDArray[np.intp]


class LocalScores(Protocol):
    """One source, and the numbers about a partition that its scores hang on."""

    def begin(self, labels: Labels) -> Array:
        """Count for a partition, and return the scores of all nodes, N x K."""

    def begin_from(self, labels: Labels, nodes: Nodes) -> Array:
        """Count for a partition by what some nodes, drawn at random, show; return their scores."""

    def scores(self, labels: Labels, nodes: Nodes) -> Array:
        """Return the scores of some nodes; ``labels`` are those of all."""

    def move(self, nodes: Nodes, before: Labels, after: Labels) -> Nodes | None:
        """Count some nodes anew, from the labels of all before and after; return the nodes that are joined to them, if any."""


class LocalLayer:
    """Scores of a layer."""

    def __init__(self, source: LayerSource, n_clusters: int) -> None:
        self._source, self._k = source, n_clusters
        self._blocks = np.zeros((n_clusters, n_clusters))

    def begin(self, labels: Labels) -> Array:
        """Count the edges between clusters, and return all scores."""
        source = self._source
        neighbours = source._neighbours(labels, self._k)
        entries = entries_of(neighbours)
        self._blocks = source._blocks(entries, labels, self._k)
        return source._scores(neighbours, entries, self._blocks, labels, source._degrees)

    def begin_from(self, labels: Labels, nodes: Nodes) -> Array:
        """Estimate the edges between clusters from those of some nodes, and return the scores of these."""
        source, own = self._source, labels[nodes]
        neighbours = source._neighbours(labels, self._k, csr_array(source._edges[nodes]))
        entries = entries_of(neighbours)
        seen = source._blocks(entries, own, self._k)
        self._blocks = (seen + seen.T) * (source._total / max(2 * seen.sum(), 1.0))
        return source._scores(neighbours, entries, self._blocks, own, source._degrees[nodes])

    def scores(self, labels: Labels, nodes: Nodes) -> Array:
        """Return the scores of some nodes."""
        source = self._source
        neighbours = source._neighbours(labels, self._k, csr_array(source._edges[nodes]))
        return source._scores(neighbours, entries_of(neighbours), self._blocks, labels[nodes], source._degrees[nodes])

    def move(self, nodes: Nodes, before: Labels, after: Labels) -> Nodes | None:
        """Count the edges of some nodes anew, and return their neighbours."""
        rows = csr_array(self._source._edges[nodes])
        change = (indicator(after[nodes], self._k) - indicator(before[nodes], self._k)).T
        was, now = (change @ self._source._neighbours(labels, self._k, rows) for labels in (before, after))
        self._blocks = np.maximum(self._blocks + was.T + now, 0.0)  # which rounding may undercut
        neighbours: Nodes = rows.indices
        return neighbours


class LocalWords:
    """Scores of words or of memberships, which join nodes only through what their clusters have in common."""

    def __init__(self, source: WordSource, n_clusters: int) -> None:
        self._source, self._k = source, n_clusters
        self._in_clusters = np.zeros((n_clusters, 0))

    def begin(self, labels: Labels) -> Array:
        """Count the words of the clusters, and return all scores."""
        source = self._source
        self._in_clusters = source._in_clusters(labels, self._k)
        return source._scores(source._words, self._in_clusters, labels, source._lengths)

    def begin_from(self, labels: Labels, nodes: Nodes) -> Array:
        """Count the words of the clusters, of which some nodes would show too few, and return the scores of these."""
        self._in_clusters = self._source._in_clusters(labels, self._k)
        return self.scores(labels, nodes)

    def scores(self, labels: Labels, nodes: Nodes) -> Array:
        """Return the scores of some nodes."""
        source = self._source
        return source._scores(csr_array(source._words[nodes]), self._in_clusters, labels[nodes], source._lengths[nodes])

    def move(self, nodes: Nodes, before: Labels, after: Labels) -> Nodes | None:
        """Count the words of some nodes anew."""
        change = (indicator(after[nodes], self._k) - indicator(before[nodes], self._k)).T
        changed = csr_array(change @ csr_array(self._source._words[nodes])).tocoo()
        np.add.at(self._in_clusters, (changed.row, changed.col), changed.data)
        np.maximum(self._in_clusters, 0.0, out=self._in_clusters)
        return None


class LocalValues:
    """Scores of the values of features."""

    def __init__(self, source: GaussianSource, n_clusters: int) -> None:
        self._source, self._k = source, n_clusters
        self._moments = source._moments(np.zeros(source.n_nodes, dtype=np.int64), n_clusters)

    def begin(self, labels: Labels) -> Array:
        """Take the moments of the clusters, and return all scores."""
        self._moments = self._source._moments(labels, self._k)
        return self._source._scores(self._moments, labels)

    def begin_from(self, labels: Labels, nodes: Nodes) -> Array:
        """Take the moments of the clusters, and return the scores of some nodes."""
        self._moments = self._source._moments(labels, self._k)
        return self.scores(labels, nodes)

    def scores(self, labels: Labels, nodes: Nodes) -> Array:
        """Return the scores of some nodes."""
        return self._source._scores(self._moments, labels, nodes)

    def move(self, nodes: Nodes, before: Labels, after: Labels) -> Nodes | None:
        """Take the moments anew, which costs no more than to look at all values once."""
        self._moments = self._source._moments(after, self._k)
        return None


class LocalFeatures:
    """Scores of neighbours by features and of their values together."""

    def __init__(self, source: FeatureSource, n_clusters: int) -> None:
        self._scale = source._scale
        self._neighbours = LocalLayer(source.neighbours, n_clusters)
        self._values = [local_scores(part, n_clusters) for part in source.values]

    def begin(self, labels: Labels) -> Array:
        """Count for both, and return all scores."""
        return self._together(self._neighbours.begin(labels), [part.begin(labels) for part in self._values])

    def begin_from(self, labels: Labels, nodes: Nodes) -> Array:
        """Count for both by what some nodes show, and return the scores of these."""
        by_values = [part.begin_from(labels, nodes) for part in self._values]
        return self._together(self._neighbours.begin_from(labels, nodes), by_values)

    def scores(self, labels: Labels, nodes: Nodes) -> Array:
        """Return the scores of some nodes."""
        by_values = [part.scores(labels, nodes) for part in self._values]
        return self._together(self._neighbours.scores(labels, nodes), by_values)

    def move(self, nodes: Nodes, before: Labels, after: Labels) -> Nodes | None:
        """Count some nodes anew for both, and return their neighbours."""
        for part in self._values:
            part.move(nodes, before, after)
        return self._neighbours.move(nodes, before, after)

    def _together(self, scores: Array, by_values: Sequence[Array]) -> Array:
        for found in by_values:
            scores += found
        scores *= self._scale
        return scores


class LocalSum:
    """Weighted scores of several sources; those of weight 0 are left out.

    Parameters
    ----------
    sources : sequence of Source
    n_clusters : int
    weights : array of shape (sources,), optional
        1 by default.
    """

    def __init__(self, sources: Sequence[Source], n_clusters: int, weights: npt.ArrayLike | None = None) -> None:
        given = np.ones(len(sources)) if weights is None else np.asarray(weights, dtype=np.float64)
        self._k, self._n_nodes = n_clusters, sources[0].n_nodes
        self._parts = [
            (float(weight), local_scores(source, n_clusters))
            for weight, source in zip(given, sources, strict=True)
            if weight > 0
        ]

    def begin(self, labels: Labels) -> Array:
        """Count for a partition, and return the scores of all nodes, N x K."""
        total = np.zeros((self._n_nodes, self._k))
        for weight, part in self._parts:
            found = part.begin(labels)
            found *= weight
            total += found
        return total

    def scores(self, labels: Labels, nodes: Nodes) -> Array:
        """Return the scores of some nodes."""
        total = np.zeros((len(nodes), self._k))
        for weight, part in self._parts:
            found = part.scores(labels, nodes)
            found *= weight
            total += found
        return total

    def move(self, nodes: Nodes, before: Labels, after: Labels) -> npt.NDArray[np.bool_]:
        """Count some nodes anew, and tell which nodes are joined to them."""
        touched = np.zeros(self._n_nodes, dtype=bool)
        for _, part in self._parts:
            joined = part.move(nodes, before, after)
            if joined is not None:
                touched[joined] = True
        return touched


def local_scores(source: Source | GaussianSource, n_clusters: int) -> LocalScores:
    """Return the local scores of a source."""
    if isinstance(source, FeatureSource):
        return LocalFeatures(source, n_clusters)
    if isinstance(source, LayerSource):
        return LocalLayer(source, n_clusters)
    if isinstance(source, WordSource):
        return LocalWords(source, n_clusters)
    if isinstance(source, GaussianSource):
        return LocalValues(source, n_clusters)
    raise TypeError(f"source {source.name!r} of type {type(source).__name__} has no local scores")
