"""What the methods that aggregate the layers first share: eigenvectors of one Laplacian, then K-means on their rows.

    L = aggregate(L_1, …, L_S),      Y = its eigenvectors of the K smallest eigenvalues,      K-means on the rows of Y

They differ in how they aggregate, and in whether the rows are scaled to unit length. K-means is that of `OrthoNet`, with its
two deterministic starts beside the random ones: a method is judged by its embedding, not by the luck of its K-means.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

from sklearn.base import BaseEstimator, ClusterMixin

from orthonet.baselines.inputs import as_graph
from orthonet.clustering.assignment import assign
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.graph.operators import AggregatedLaplacian
from orthonet.support.checks import check_integer, random_generator


class AggregatedSpectralClustering(ClusterMixin, BaseEstimator, ABC):
    """Spectral clustering of aggregated layers; a subclass says how they are aggregated."""

    unit_rows: ClassVar[bool]
    """Whether the rows of the embedding are scaled to unit length before K-means."""
    n_clusters: int
    n_init: int
    random_state: Any

    def fit(self, X: Any, y: Any = None, *, layers: Sequence[Any] | None = None, views: Any = None) -> Self:
        """Cluster the nodes of a `MultilayerGraph`, or of ``layers``; ``views`` are accepted and ignored."""
        graph = self._graph(X, layers)
        check_integer(self.n_clusters, "n_clusters", minimum=2, maximum=graph.n_nodes)
        check_integer(self.n_init, "n_init", minimum=0)
        rng = random_generator(self.random_state)
        aggregated = self._aggregate(graph)
        self.aggregation_ = dict(aggregated.info)
        self.embedding_ = aggregated.smallest_eigenvectors(self.n_clusters, random_state=int(rng.integers(2**31 - 1)))
        self.labels_ = assign(
            self.embedding_, self.n_clusters, normalize=self.unit_rows, n_init=self.n_init, rng=rng
        ).labels
        return self

    def _graph(self, X: Any, layers: Sequence[Any] | None) -> MultilayerGraph:
        return as_graph(X, layers)

    @abstractmethod
    def _aggregate(self, graph: MultilayerGraph) -> AggregatedLaplacian:
        """Return the aggregated Laplacian."""
