"""Leiden on a multiplex network, by leidenalg: the clusters of the highest modularity, summed over the layers.

    Q = Σ_s w_s Q_s,      Q_s = 1/(2 m_s) Σ_ij (A_ij − d_i d_j / (2 m_s)) [c_i = c_j]

A_ij are the edge weights of layer s, d_i its degrees and 2 m_s their sum. The number of clusters comes out, and cannot be asked
for. Needs the extra ``rivals``.

References
----------
.. [1] V. Traag, L. Waltman, N. J. van Eck, `"From Louvain to Leiden: guaranteeing well-connected communities"
       <https://doi.org/10.1038/s41598-019-41695-z>`_, Scientific Reports, 2019; its code, leidenalg.
.. [2] P. Mucha, T. Richardson, K. Macon, M. Porter, J.-P. Onnela, `"Community structure in time-dependent,
       multiscale, and multiplex networks" <https://doi.org/10.1126/science.1184819>`_, Science, 2010.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, triu
from sklearn.base import BaseEstimator, ClusterMixin

from orthonet.baselines.inputs import as_graph
from orthonet.support.checks import check_integer, random_generator
from orthonet.support.optional import require
from orthonet.support.progress import progress


class Leiden(ClusterMixin, BaseEstimator):
    """Multiplex modularity, by leidenalg [1]_.

    Parameters
    ----------
    n_iterations : int, default=2
        Rounds of the optimiser, each from the clusters of the last; leidenalg's default. −1 goes on until nothing improves.
    layer_weights : sequence of S numbers, optional
        How much the modularity of each layer counts, 1 by default.
    random_state : int, Generator, RandomState or None, default=None
    verbose : bool, optional
        Progress bar: after two seconds on a terminal (None, the default), always or never.

    Attributes
    ----------
    labels_ : array of shape (N,)
        In order of falling cluster size.
    n_clusters_ : int
        The number of clusters found.
    modularity_ : array of shape (S,)
        Of the clusters, in each layer.

    References
    ----------
    .. [1] V. Traag, L. Waltman, N. J. van Eck, `"From Louvain to Leiden: guaranteeing well-connected communities"
           <https://doi.org/10.1038/s41598-019-41695-z>`_, Scientific Reports, 2019; its code, leidenalg.
    """

    def __init__(
        self,
        *,
        n_iterations: int = 2,
        layer_weights: Sequence[float] | None = None,
        random_state: Any = None,
        verbose: bool | None = None,
    ) -> None:
        self.n_iterations = n_iterations
        self.layer_weights = layer_weights
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, *, layers: Sequence[Any] | None = None, views: Any = None) -> Self:
        """Cluster the nodes of a `MultilayerGraph`, or of ``layers``; ``views`` are accepted and ignored."""
        graph = as_graph(X, layers)
        if self.n_iterations != -1:
            check_integer(self.n_iterations, "n_iterations", minimum=1)
        weights = _layer_weights(self.layer_weights, graph.n_layers)
        leidenalg = require("leidenalg", extra="rivals", purpose="Leiden")
        optimiser = leidenalg.Optimiser()
        optimiser.set_rng_seed(int(random_generator(self.random_state).integers(2**31 - 1)))
        partitions = []
        with progress("Leiden", graph.n_layers + 1, self.verbose) as report:
            for index, layer in enumerate(graph.layers):
                edges = _as_igraph(layer)
                partitions.append(leidenalg.ModularityVertexPartition(edges, weights="weight"))
                report(index + 1, f"layer {index + 1}")
            optimiser.optimise_partition_multiplex(partitions, layer_weights=weights, n_iterations=self.n_iterations)
            report(graph.n_layers + 1, "clusters")
        self.labels_ = _largest_first(np.asarray(partitions[0].membership, dtype=np.int64))
        self.n_clusters_ = int(self.labels_.max()) + 1
        self.modularity_ = np.array([float(one.quality()) for one in partitions])
        return self


def _layer_weights(given: Sequence[float] | None, n_layers: int) -> list[float]:
    if given is None:
        return [1.0] * n_layers
    weights = np.asarray(given, dtype=np.float64)
    if weights.shape != (n_layers,) or not np.isfinite(weights).all():
        raise ValueError(f"layer_weights must have one finite number for each of the {n_layers} layers, got {given!r}")
    return weights.tolist()


def _as_igraph(layer: csr_array) -> Any:
    """Return an igraph graph with each edge once and its weight in the attribute "weight"."""
    igraph = require("igraph", extra="rivals", purpose="Leiden")
    upper = triu(layer, k=1, format="coo")
    edges = np.ascontiguousarray(np.column_stack([upper.row, upper.col]), dtype=np.int64)
    graph = igraph.Graph(n=layer.shape[0], edges=edges)
    graph.es["weight"] = upper.data.tolist()
    return graph


def _largest_first(labels: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Number clusters by falling size; of equal ones the first seen comes first."""
    _, first, inverse, sizes = np.unique(labels, return_index=True, return_inverse=True, return_counts=True)
    rank = np.empty(len(sizes), dtype=np.int64)
    rank[np.lexsort([first, -sizes])] = np.arange(len(sizes))
    return rank[inverse]
