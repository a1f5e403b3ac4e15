"""Similarity network fusion, by snfpy, and spectral clustering of the fused network.

    P_s ← S_s (Σ_{r≠s} P_r / (S − 1)) S_sᵀ,      t times,      then the mean of the P_s

P_s is the similarity of view s, scaled by rows, and S_s what is left of it when each node keeps its k nearest only. From views
the similarity is a Gaussian of the squared distance d_ij, of width μ σ_ij, σ_ij the mean of d_ij and of the mean d of i and of
j to their k nearest; from layers it is the edge weight, and each node is as similar to itself as to its most similar neighbour.

Dense: time O(t S N³), memory O(S N²). Needs the extra ``rivals``. snfpy 0.2.2, its last, calls scikit-learn's ``check_array``
with an argument that has another name in scikit-learn 1.8; we load a copy of its module and give it the new name.

References
----------
.. [1] B. Wang, A. Mezlini, F. Demir, M. Fiume, Z. Tu, M. Brudno, B. Haibe-Kains, A. Goldenberg, `"Similarity network
       fusion for aggregating data types on a genomic scale" <https://doi.org/10.1038/nmeth.2810>`_, Nature Methods,
       2014.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from types import ModuleType
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import spectral_clustering
from sklearn.utils import check_array

from orthonet.baselines.inputs import as_dense_views, as_graph, check_dense_size
from orthonet.graph.features import FeatureScaling
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.checks import check_integer, check_number, random_generator
from orthonet.support.optional import require
from orthonet.support.progress import progress

Array = npt.NDArray[np.float64]

AT_MOST = 5000
"""Nodes up to which fusion is tried: 6 views of as many take an hour."""


class SNF(ClusterMixin, BaseEstimator):
    """Similarity network fusion [1]_, by snfpy, and spectral clustering.

    Parameters
    ----------
    n_clusters : int, default=8
    n_neighbors : int, default=20
        k; the authors' value, as are the next two.
    mu : float, default=0.5
        Width of the similarity of two nodes, from views.
    n_iterations : int, default=20
        t, the rounds of fusion.
    feature_scaling : {"auto", "standard", "unit", "none"}, default="auto"
        Scaling of a view before distances are taken: "auto" standardises dense columns, as snfpy does, and scales sparse
        rows to unit length.
    random_state : int, Generator, RandomState or None, default=None
    verbose : bool, optional
        Progress bar: after two seconds on a terminal (None, the default), always or never.

    Attributes
    ----------
    labels_ : array of shape (N,)

    References
    ----------
    .. [1] B. Wang, A. Mezlini, F. Demir, M. Fiume, Z. Tu, M. Brudno, B. Haibe-Kains, A. Goldenberg, `"Similarity
           network fusion for aggregating data types on a genomic scale" <https://doi.org/10.1038/nmeth.2810>`_,
           Nature Methods, 2014.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_neighbors: int = 20,
        mu: float = 0.5,
        n_iterations: int = 20,
        feature_scaling: FeatureScaling = "auto",
        random_state: Any = None,
        verbose: bool | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.mu = mu
        self.n_iterations = n_iterations
        self.feature_scaling = feature_scaling
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any = None, y: Any = None, *, layers: Sequence[Any] | None = None, views: Any = None) -> Self:
        """Fuse ``views``, or without them the layers of a `MultilayerGraph` or ``layers``, and cluster the nodes.

        Parameters
        ----------
        X : MultilayerGraph, optional
            Looked at only without ``views``.
        y : ignored
        layers : sequence of matrices of shape (N, N), optional
        views : sequence of arrays of shape (N, M_s), or mapping of names to them, optional
            At least two feature groups.
        """
        check_number(self.mu, "mu", above=0)
        check_integer(self.n_iterations, "n_iterations", minimum=1)
        graph, scaled = None, []
        if views is not None:
            scaled = as_dense_views(views, self.feature_scaling, minimum=2)
            n_nodes = len(scaled[0])
        else:
            graph = as_graph(X, layers)
            n_nodes = graph.n_nodes
            _check_layers(graph)
        check_dense_size(n_nodes, AT_MOST, "SNF", "Use SCML or PLM")
        check_integer(self.n_clusters, "n_clusters", minimum=2, maximum=n_nodes - 1)
        check_integer(self.n_neighbors, "n_neighbors", minimum=1, maximum=n_nodes - 1)
        snf = _snf()
        seed = int(random_generator(self.random_state).integers(2**31 - 1))
        with progress("similarity network fusion", 3, self.verbose) as report:
            if graph is None:
                likeness = [snf.make_affinity(view, K=self.n_neighbors, mu=self.mu, normalize=False) for view in scaled]
            else:
                likeness = [_similarity(layer) for layer in graph.layers]
            report(1, "similarities")
            fused = snf.snf(*likeness, K=self.n_neighbors, t=self.n_iterations)
            report(2, "fused")
            self.labels_ = spectral_clustering(fused, n_clusters=self.n_clusters, random_state=seed).astype(np.int64)
            report(3, "clusters")
        return self


def _check_layers(graph: MultilayerGraph) -> None:
    if graph.n_layers < 2:
        raise ValueError("SNF fuses two layers or more, got 1; for one, use SpectralClustering")
    missing = sum(int((~mask).sum()) for mask in graph.present)
    if missing:
        raise ValueError(f"SNF needs every node in every layer, but {missing} are missing from one or another")


def _similarity(layer: csr_array) -> Array:
    """Return the edge weights, dense, with a diagonal as large as each node's largest; 1 if a node has no edge."""
    dense: Array = layer.toarray()
    largest = dense.max(axis=1)
    np.fill_diagonal(dense, np.where(largest > 0, largest, 1.0))
    return dense


def _snf() -> ModuleType:
    """Return a copy of the module ``snf.compute`` of our own, so that nobody else's is changed."""
    require("snf", extra="rivals", purpose="SNF")
    found = importlib.util.find_spec("snf.compute")
    if found is None or found.loader is None:
        raise ImportError("SNF needs snfpy 0.2.2, but the package 'snf' that is installed has no module 'compute'")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    module.check_array = _check_array  # type: ignore[attr-defined]
    return module


def _check_array(array: Any, *, force_all_finite: bool = True, **more: Any) -> Any:
    """scikit-learn's, with the old name of one argument."""
    return check_array(array, ensure_all_finite=force_all_finite, **more)
