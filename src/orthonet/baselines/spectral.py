"""Spectral clustering of one layer, of the aggregated layers, or of one graph of all features: no net.

Eigenvectors of the K smallest eigenvalues of the Laplacian, rows scaled to unit length, K-means.

References
----------
.. [1] A. Ng, M. Jordan, Y. Weiss, `"On spectral clustering: analysis and an algorithm"
       <https://papers.nips.cc/paper/2092-on-spectral-clustering-analysis-and-an-algorithm>`_, NIPS 2001.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from scipy.sparse import issparse

from orthonet.aggregation import aggregate
from orthonet.baselines.aggregated_spectral import AggregatedSpectralClustering
from orthonet.baselines.inputs import as_features, as_graph
from orthonet.graph.features import FeatureScaling
from orthonet.graph.laplacian import LaplacianKind
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.graph.operators import AggregatedLaplacian
from orthonet.support.checks import check_choice


class SpectralClustering(AggregatedSpectralClustering):
    """Spectral clustering on a multilayer graph, or on features.

    Parameters
    ----------
    n_clusters : int, default=8
    graph : {"layers", "features"}, default="layers"
        What is clustered: the layers, or one nearest-neighbour graph of all features side by side, whatever the layers.
    aggregation : str, default="arithmetic"
        How the layers are aggregated, see `orthonet.aggregate`.
    layer : str, optional
        Name of the only layer to use.
    n_neighbors : int, default=10
        Of the graph of all features, as are the next two; see `MultilayerGraph.from_views`.
    weights : {"self-tuning", "gaussian", "reciprocal", "binary", "cosine"}, default="self-tuning"
    feature_scaling : {"auto", "standard", "unit", "none"}, default="auto"
        "auto" standardises dense columns and scales sparse rows to unit length. Rows of unit length are compared by their
        cosine, others by their Euclidean distance.
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
    aggregation_ : dict
        How the layers were aggregated, see `orthonet.aggregate`.

    See Also
    --------
    orthonet.aggregate : The Laplacian of several layers.
    sklearn.cluster.SpectralClustering : The same for one graph or affinity matrix.

    Examples
    --------
    >>> from orthonet import baselines, datasets
    >>> data = datasets.make_multilayer_gaussians(n_nodes=80, random_state=0)
    >>> baselines.SpectralClustering(data.n_clusters, random_state=0).fit(data.graph).labels_.shape
    (80,)
    >>> baselines.SpectralClustering(data.n_clusters, graph="features", random_state=0).fit(data.graph.features).labels_.shape
    (80,)
    """

    unit_rows = True

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        graph: Literal["layers", "features"] = "layers",
        aggregation: str = "arithmetic",
        layer: str | None = None,
        n_neighbors: int = 10,
        weights: str = "self-tuning",
        feature_scaling: FeatureScaling = "auto",
        laplacian: LaplacianKind = "joint",
        epsilon: float = 1e-3,
        n_init: int = 20,
        random_state: Any = None,
        verbose: bool | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.graph = graph
        self.aggregation = aggregation
        self.layer = layer
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.feature_scaling = feature_scaling
        self.laplacian = laplacian
        self.epsilon = epsilon
        self.n_init = n_init
        self.random_state = random_state
        self.verbose = verbose

    def _graph(self, X: Any, layers: Sequence[Any] | None) -> MultilayerGraph:
        check_choice(self.graph, "graph", ("layers", "features"))
        if self.graph == "layers":
            return as_graph(X, layers)
        if self.layer is not None:
            raise ValueError(f"layer={self.layer!r} names a layer, but graph='features' uses none; pass one of the two")
        features = as_features(X)
        by_direction = self.feature_scaling == "unit" or (self.feature_scaling == "auto" and issparse(features))
        return MultilayerGraph.from_views(
            {"features": features},
            self.n_neighbors,
            self.weights,
            "cosine" if by_direction or self.weights == "cosine" else "euclidean",
            feature_scaling=self.feature_scaling,
        )

    def _aggregate(self, graph: MultilayerGraph) -> AggregatedLaplacian:
        weights = None
        if self.layer is not None:
            check_choice(self.layer, "layer", graph.layer_names)
            weights = [float(name == self.layer) for name in graph.layer_names]
        return aggregate(
            graph,
            self.aggregation,
            n_components=self.n_clusters,
            layer_weights=weights,
            laplacian=self.laplacian,
            epsilon=self.epsilon,
            verbose=self.verbose,
        )
