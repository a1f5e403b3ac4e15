"""Scores of the nodes whose neighbours moved, between looks at all nodes.

What a source says of a node hangs on the clusters of its neighbours, and on numbers about all nodes: edges between clusters,
their words, the moments of their Gaussians. A move changes the former at once, but the latter by one node in a cluster. So a
look at all nodes counts everything, and until the next one only edges are counted anew, of the nodes that are asked for:

    score of node i for cluster c  =  Σ_b k_ib ln( P_cb / (r_c r_b) )  +  δ_i [c = z_i]  +  what words and values said,

with k_ib its edges to clusters as they are now, and all else as it was at the last look, when it was in cluster z_i: δ_i takes
its own edges out of P there. Leaving a node out of what is said of it thus needs nothing new when it moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Self

import numpy as np
import numpy.typing as npt

from orthonet.evidence.feature_source import FeatureSource
from orthonet.evidence.gaussian import GaussianSource
from orthonet.evidence.layer_stack import LayerStack
from orthonet.evidence.sources import Labels, LayerSource, Source

Array = npt.NDArray[np.float64]
Nodes = npt.NDArray[np.intp]


class SteadyScores:
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
        layers: list[tuple[float, LayerSource]] = []
        self._others: list[tuple[float, Source | GaussianSource]] = []
        for weight, source in zip(given.tolist(), sources, strict=True):
            if weight <= 0:
                continue
            if isinstance(source, FeatureSource):
                layers.append((weight * source._scale, source.neighbours))
                self._others += [(weight * source._scale, part) for part in source.values]
            elif isinstance(source, LayerSource):
                layers.append((weight, source))
            else:
                self._others.append((weight, source))
        self._others.sort(
            key=lambda other: isinstance(other[1], GaussianSource)
        )  # of values not all is asked, see `look`
        self._layers = LayerStack(layers, n_clusters) if layers else None
        self._counted: Array | None = None  # edges to clusters at the last look,
        self._labels: Labels = np.zeros(self._n_nodes, dtype=np.int64)  # of these labels

    def for_another(self) -> Self:
        """Return the same scores for another partition that is looked at at the same time."""
        another = copy(self)
        another._counted = None
        return another

    @property
    def has_edges(self) -> bool:
        """Whether some source joins nodes by edges."""
        return self._layers is not None

    def look(self, labels: Labels) -> Array:
        """Count everything for a partition, and return the scores of all nodes, N x K; those by values where they matter.

        ``labels`` are kept for the next look, which counts the edges of those that differ: they must not be changed in place.
        """
        total = np.zeros((self._n_nodes, self._k))
        if self._layers is not None:
            if self._counted is None:
                self._counted = self._layers.counts(labels)
            else:
                self._counted = self._layers.counts_after(self._counted, self._labels, labels)
            total, self._ratios, self._own = self._layers.scores(labels, self._counted)
        self._labels = labels
        self._said = np.zeros_like(total)  # by words and values
        for weight, source in self._others:
            if isinstance(source, GaussianSource) and source is self._others[-1][1]:
                found = source.scores_that_matter(labels, self._k, total, weight)
            else:
                found = weight * source.node_scores(labels, self._k)
            self._said += found
            total += found
        return total

    def scores(self, labels: Labels, nodes: Nodes) -> Array:
        """Return the scores of some nodes, by their neighbours' labels as they are now."""
        total: Array = self._said[nodes]
        if self._layers is not None:
            total += self._layers.to_clusters(labels, nodes) @ self._ratios
            total[np.arange(len(nodes)), self._labels[nodes]] += self._own[nodes]
        return total

    def neighbours(self, nodes: Nodes) -> npt.NDArray[np.bool_]:
        """Tell which nodes are joined to some of these."""
        joined = np.zeros(self._n_nodes, dtype=bool)
        if self._layers is not None:
            joined[self._layers.edges_of(nodes)[1]] = True
        return joined
