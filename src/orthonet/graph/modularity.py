"""How far each layer of a graph agrees with a partition of its nodes into clusters.

With W the symmetric weights of a layer, d its degrees, 2m = Σ d and c(i) the cluster of node i:

    within share   Σ_{c(i)=c(j)} W_ij / 2m                  of the edge weight, what joins nodes of one cluster
    by chance      Σ_k (Σ_{c(i)=k} d_i / 2m)²               the same, if the ends of the edges were shuffled
    modularity     within share − by chance

All functions are pure; labels are 0 … K − 1, and a cluster may be empty.

References
----------
.. [1] M. Newman, M. Girvan, `"Finding and evaluating community structure in networks"
       <https://doi.org/10.1103/PhysRevE.69.026113>`_, Physical Review E 69, 2004.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from orthonet.graph.multilayer import MultilayerGraph

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Agreement:
    """One layer against the clusters; NaN where there is nothing to measure."""

    name: str
    modularity: float
    within_share: float
    by_chance: float
    density_within: float
    density_between: float


def cluster_sizes(labels: Labels, n_clusters: int) -> npt.NDArray[np.int64]:
    """Count the nodes of each cluster."""
    return np.bincount(labels, minlength=n_clusters).astype(np.int64)


def block_weights(layer: csr_array, labels: Labels, n_clusters: int) -> Array:
    """Return the K x K sums of edge weight between clusters: Hᵀ W H, so an edge within a cluster counts twice."""
    inside = membership(labels, n_clusters)
    return np.asarray((inside.T @ (layer @ inside)).toarray(), dtype=np.float64)


def modularity(layer: csr_array, labels: Labels, n_clusters: int) -> float:
    """Return the modularity of the clusters in one layer; NaN if it has no edges."""
    within, chance = _shares(block_weights(layer, labels, n_clusters))
    return within - chance


def block_densities(
    layer: csr_array, labels: Labels, n_clusters: int, present: npt.NDArray[np.bool_] | None = None
) -> Array:
    """Return for each pair of clusters which share of their pairs of nodes is joined; NaN where there is no pair.

    Nodes that are missing from the layer (``present`` is False) form no pairs.
    """
    joined, pairs = _joined_and_pairs(layer, labels, n_clusters, present)
    return np.divide(joined, pairs, out=np.full_like(joined, np.nan), where=pairs > 0)


def layer_agreement(graph: MultilayerGraph, labels: Labels, n_clusters: int) -> tuple[Agreement, ...]:
    """Measure how far each layer agrees with the clusters."""
    found = []
    for name, layer, present in zip(graph.layer_names, graph.layers, graph.present, strict=True):
        within, chance = _shares(block_weights(layer, labels, n_clusters))
        joined, pairs = _joined_and_pairs(layer, labels, n_clusters, present)
        same = np.eye(n_clusters, dtype=bool)
        found.append(
            Agreement(
                name,
                within - chance,
                within,
                chance,
                _ratio(joined[same].sum(), pairs[same].sum()),
                _ratio(joined[~same].sum(), pairs[~same].sum()),
            )
        )
    return tuple(found)


def membership(labels: Labels, n_clusters: int) -> csr_array:
    """Return H of shape (N, K), sparse: 1 where the node is in the cluster."""
    n_nodes = len(labels)
    return csr_array((np.ones(n_nodes), labels, np.arange(n_nodes + 1)), shape=(n_nodes, n_clusters))


def _shares(weights: Array) -> tuple[float, float]:
    total = float(weights.sum())
    if total <= 0:
        return float("nan"), float("nan")
    return float(np.trace(weights)) / total, float(((weights.sum(axis=1) / total) ** 2).sum())


def _joined_and_pairs(
    layer: csr_array, labels: Labels, n_clusters: int, present: npt.NDArray[np.bool_] | None
) -> tuple[Array, Array]:
    """Count ordered pairs of different nodes between clusters: those that are joined, and all."""
    joined = block_weights(
        csr_array(((layer.data != 0).astype(np.float64), layer.indices, layer.indptr), shape=layer.shape),
        labels,
        n_clusters,
    )
    there = labels if present is None else labels[present]
    sizes = np.bincount(there, minlength=n_clusters).astype(np.float64)
    return joined, np.outer(sizes, sizes) - np.diag(sizes)


def _ratio(part: float, whole: float) -> float:
    return float(part) / float(whole) if whole > 0 else float("nan")
