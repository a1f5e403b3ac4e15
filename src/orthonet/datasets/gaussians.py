"""The paper's synthetic set: S point clouds that share only who belongs to which of K Gaussian components.

In each cloud (layer) every component has a mean and a covariance of its own, so components that overlap in one cloud lie
apart in another. Each cloud gives a nearest-neighbour layer; the clouds side by side are the features.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from orthonet.datasets.dataset import Dataset
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.checks import check_integer, check_number, random_generator


def make_multilayer_gaussians(
    n_nodes: int = 2000,
    n_layers: int = 4,
    n_clusters: int = 5,
    n_dims: int = 2,
    *,
    separation: float = 2.5,
    n_neighbors: int = 20,
    weights: str = "reciprocal",
    random_state: Any = None,
) -> Dataset:
    """Draw a synthetic multilayer network with node features.

    Parameters
    ----------
    n_nodes, n_layers, n_clusters, n_dims : int
        N, S, K, and the dimension of each cloud.
    separation : float, default=2.5
        Standard deviation of the components' means; their own standard deviations lie between 0.5 and 1.5.
    n_neighbors : int, default=20
        Neighbours in each layer, as in the paper (all other nodes if they are fewer).
    weights : str, default="reciprocal"
        As in the paper; see `MultilayerGraph.from_views`.
    random_state : int, Generator, RandomState or None, default=None

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from orthonet.datasets import make_multilayer_gaussians
    >>> data = make_multilayer_gaussians(n_nodes=100, n_layers=3, n_clusters=4, random_state=0)
    >>> data.graph.n_layers, data.graph.features.shape, data.n_clusters
    (3, (100, 6), 4)
    """
    check_integer(n_clusters, "n_clusters", minimum=1)
    check_integer(n_nodes, "n_nodes", minimum=max(2, n_clusters))
    check_integer(n_layers, "n_layers", minimum=1)
    check_integer(n_dims, "n_dims", minimum=1)
    check_integer(n_neighbors, "n_neighbors", minimum=1)
    check_number(separation, "separation", at_least=0)
    rng = random_generator(random_state)
    labels = rng.permutation(np.arange(n_nodes) % n_clusters)
    clouds = [_cloud(labels, n_clusters, n_dims, separation, rng) for _ in range(n_layers)]
    names = [f"cloud {index}" for index in range(n_layers)]
    graph = MultilayerGraph.from_views(
        clouds, min(n_neighbors, n_nodes - 1), weights, feature_scaling="none", layer_names=names
    )
    return Dataset(
        graph,
        labels,
        name="multilayer gaussians",
        source="generated, after the paper's synthetic set",
        license="none: generated",
        description=f"{n_layers} clouds of {n_clusters} Gaussian components in {n_dims} dimensions.",
        views=tuple(clouds),
    )


def _cloud(
    labels: np.ndarray[Any, Any], n_clusters: int, n_dims: int, separation: float, rng: np.random.Generator
) -> np.ndarray[Any, Any]:
    means = separation * rng.standard_normal((n_clusters, n_dims))
    points = np.empty((len(labels), n_dims))
    for component in range(n_clusters):
        members = labels == component
        axes = np.linalg.qr(rng.standard_normal((n_dims, n_dims)))[0]
        deviations = rng.uniform(0.5, 1.5, n_dims)
        points[members] = means[component] + (rng.standard_normal((members.sum(), n_dims)) * deviations) @ axes.T
    return points
