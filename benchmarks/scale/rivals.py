"""Rivals of the scale benchmark, each as it comes with the number of clusters given, where it can be.

K-means     scikit-learn, on the standardised features, or on the two-mode tables side by side, sparse
spectral    scikit-learn, on one graph of the ten nearest neighbours by all features, or on the mean of the layers
Leiden      leidenalg, multiplex modularity of the layers; it finds the number of clusters itself
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from cases import N_CLUSTERS
from scipy.sparse import csr_array, hstack
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.preprocessing import StandardScaler

from orthonet import MultilayerGraph, baselines

Labels = npt.NDArray[np.integer]


def kmeans(graph: MultilayerGraph) -> Labels:
    """K-means with ten starts."""
    if graph.features is not None:
        rows = StandardScaler().fit_transform(graph.features)
    else:
        rows = csr_array(hstack([relation.incidence for relation in graph.two_mode.values()]))
    return KMeans(N_CLUSTERS, n_init=10, random_state=0).fit(rows).labels_


def spectral(graph: MultilayerGraph) -> Labels:
    """Spectral clustering of one graph."""
    if graph.features is not None:
        rows = StandardScaler().fit_transform(graph.features)
        model = SpectralClustering(N_CLUSTERS, affinity="nearest_neighbors", n_neighbors=10, random_state=0)
        return model.fit(rows).labels_
    mean = csr_array(sum(graph.layers[1:], start=graph.layers[0]) / graph.n_layers)
    return SpectralClustering(N_CLUSTERS, affinity="precomputed", random_state=0).fit(mean).labels_


def leiden(graph: MultilayerGraph) -> Labels:
    """Multiplex modularity."""
    return baselines.Leiden(random_state=0, verbose=False).fit(graph).labels_


RIVALS: dict[str, Callable[[MultilayerGraph], Labels]] = {"K-means": kmeans, "spectral": spectral, "Leiden": leiden}
CAN: dict[str, tuple[str, ...]] = {
    "clouds": ("K-means", "spectral", "Leiden"),
    "blocks": ("spectral", "Leiden"),
    "tables": ("K-means",),
}
"""Which of them takes what a case consists of."""
