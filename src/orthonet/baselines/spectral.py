"""Spectral clustering of one layer, or of the merged layers: no features, no net.

Eigenvectors of the K smallest eigenvalues of the Laplacian, rows scaled to unit length, K-means.

References
----------
.. [1] A. Ng, M. Jordan, Y. Weiss, "On spectral clustering: analysis and an algorithm", NIPS 2001.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from sklearn.base import BaseEstimator, ClusterMixin

from orthonet.aggregation import aggregate
from orthonet.baselines.inputs import as_graph
from orthonet.clustering.assignment import assign
from orthonet.graph.laplacian import LaplacianKind
from orthonet.support.checks import check_choice, check_integer, random_generator


class SpectralClustering(ClusterMixin, BaseEstimator):
    """Spectral clustering on a multilayer graph.

    Parameters
    ----------
    n_clusters : int, default=8
    aggregation : str, default="arithmetic"
        How the layers are merged, see `orthonet.aggregate`.
    layer : str, optional
        Name of the only layer to use.
    laplacian : {"joint", "normalized", "combinatorial"}, default="joint"
    epsilon : float, default=1e-3
    n_init : int, default=20
    random_state : int, Generator, RandomState or None, default=None
    verbose : bool, optional
        Progress bar of the aggregation: after two seconds on a terminal (None, the default), always or never.

    Attributes
    ----------
    labels_ : array of shape (N,)
    embedding_ : array of shape (N, K)
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        aggregation: str = "arithmetic",
        layer: str | None = None,
        laplacian: LaplacianKind = "joint",
        epsilon: float = 1e-3,
        n_init: int = 20,
        random_state: Any = None,
        verbose: bool | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.aggregation = aggregation
        self.layer = layer
        self.laplacian = laplacian
        self.epsilon = epsilon
        self.n_init = n_init
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, layers: Sequence[Any] | None = None) -> Self:
        """Cluster the nodes of a `MultilayerGraph`, or of ``layers``."""
        graph = as_graph(X, layers)
        check_integer(self.n_clusters, "n_clusters", minimum=2, maximum=graph.n_nodes)
        rng = random_generator(self.random_state)
        weights = None
        if self.layer is not None:
            check_choice(self.layer, "layer", graph.layer_names)
            weights = [float(name == self.layer) for name in graph.layer_names]
        merged = aggregate(
            graph,
            self.aggregation,
            n_components=self.n_clusters,
            layer_weights=weights,
            laplacian=self.laplacian,
            epsilon=self.epsilon,
            verbose=self.verbose,
        )
        seed = int(rng.integers(2**31 - 1))
        self.embedding_ = merged.smallest_eigenvectors(self.n_clusters, random_state=seed)
        self.labels_ = assign(self.embedding_, self.n_clusters, n_init=self.n_init, rng=rng).labels
        return self
