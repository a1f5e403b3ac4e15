"""The numbers behind the report: how the layers and the features relate to the clusters.

With W the symmetric weights of a layer, d its degrees, 2m = Σ d and c(i) the cluster of node i:

    within share   Σ_{c(i)=c(j)} W_ij / 2m                  of the edge weight, what joins nodes of one cluster
    by chance      Σ_k (Σ_{c(i)=k} d_i / 2m)²               the same, if the ends of the edges were shuffled
    modularity     within share − by chance                 (Newman & Girvan 2004)

All functions are pure; labels are 0 … K − 1, and a cluster may be empty.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, issparse

from orthonet.graph.features import Features, block_rows
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


@dataclass(frozen=True)
class Contrast:
    """A feature that sets a cluster apart from all other nodes."""

    feature: int
    difference: float
    """Mean in the cluster less mean outside, in standard deviations over all nodes."""
    mean_inside: float
    mean_outside: float


@dataclass(frozen=True)
class FeatureTable:
    """Means of each feature in each cluster, and its mean and standard deviation over all nodes."""

    sizes: npt.NDArray[np.int64]
    means: Array
    overall: Array
    deviation: Array

    @property
    def differences(self) -> Array:
        """Standardised mean difference of each cluster (row) to the others in each feature: 0 for a constant one."""
        outside = self.outside
        scale = np.where(self.deviation > 0, self.deviation, 1.0)
        found = np.where(self.deviation > 0, (self.means - outside) / scale, 0.0)
        return np.nan_to_num(found, nan=0.0)

    @property
    def outside(self) -> Array:
        """Mean of each feature over the nodes that are not in the cluster; NaN where there are none."""
        n_nodes = self.sizes.sum()
        others = (n_nodes - self.sizes)[:, None]
        # Seen from the overall mean, so that a large common offset costs no digits.
        shift = -np.nan_to_num(self.means - self.overall, nan=0.0) * self.sizes[:, None]
        return np.where(others > 0, self.overall + shift / np.maximum(others, 1), np.nan)

    @property
    def between_share(self) -> Array:
        """Share of each feature's variance that lies between the clusters (η²), 0 for a constant one."""
        gaps = np.nan_to_num(self.means - self.overall, nan=0.0) ** 2
        variance = np.where(self.deviation > 0, self.deviation, 1.0) ** 2
        share = (self.sizes @ gaps) / max(self.sizes.sum(), 1) / variance
        return np.where(self.deviation > 0, np.minimum(share, 1.0), 0.0)


def cluster_sizes(labels: Labels, n_clusters: int) -> npt.NDArray[np.int64]:
    """Count the nodes of each cluster."""
    return np.bincount(labels, minlength=n_clusters).astype(np.int64)


def block_weights(layer: csr_array, labels: Labels, n_clusters: int) -> Array:
    """Return the K x K sums of edge weight between clusters: Hᵀ W H, so an edge within a cluster counts twice."""
    inside = _indicator(labels, n_clusters)
    return np.asarray((inside.T @ (layer @ inside)).toarray(), dtype=np.float64)


def modularity(layer: csr_array, labels: Labels, n_clusters: int) -> float:
    """Return the modularity of the clusters in one layer; NaN if it has no edges."""
    within, chance = _shares(block_weights(layer, labels, n_clusters))
    return within - chance


def block_densities(
    layer: csr_array, labels: Labels, n_clusters: int, present: npt.NDArray[np.bool_] | None = None
) -> Array:
    """Return for each pair of clusters which share of their pairs of nodes is joined; NaN where there is no pair.

    Nodes that the layer does not hold (``present`` is False) form no pairs.
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


def feature_table(features: Features, labels: Labels, n_clusters: int) -> FeatureTable:
    """Average the features by cluster, in blocks of rows, so that a memory map never is in memory as a whole."""
    sizes = cluster_sizes(labels, n_clusters)
    n_nodes, n_features = features.shape
    overall = sum((_column_sums(rows) for rows, _ in _blocks(features, labels)), np.zeros(n_features)) / n_nodes
    centre = np.zeros(n_features) if issparse(features) else overall  # centring would fill a sparse matrix
    sums, squares = np.zeros((n_clusters, n_features)), np.zeros(n_features)
    for rows, own in _blocks(features, labels):
        seen = rows if issparse(rows) else np.asarray(rows, dtype=np.float64) - centre
        found = _indicator(own, n_clusters).T @ seen
        sums += found.toarray() if issparse(found) else found
        squares += _column_sums(seen**2)
    variance = np.maximum(squares / n_nodes - (overall - centre) ** 2, 0.0)
    # What rounding leaves of a constant column is not a deviation.
    precision = 1e-7 if issparse(features) else 1e-12
    noise = np.sqrt(variance) <= precision * np.sqrt(variance + overall**2)
    deviation = np.where(noise, 0.0, np.sqrt(variance))
    means = centre + np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1)[:, None], np.nan)
    means = np.where(np.abs(means) <= 1e-13 * (deviation + np.abs(overall)), 0.0, means)
    return FeatureTable(sizes, means, overall, deviation)


def feature_contrasts(table: FeatureTable, top: int = 5) -> list[list[Contrast]]:
    """Return for each cluster the ``top`` features with the largest standardised mean difference, largest first."""
    differences, outside = table.differences, table.outside
    found = []
    for cluster, row in enumerate(differences):
        largest = np.argsort(-np.abs(row), kind="stable")[:top]
        found.append(
            [
                Contrast(
                    int(feature),
                    float(row[feature]),
                    float(table.means[cluster, feature]),
                    float(outside[cluster, feature]),
                )
                for feature in largest
                if row[feature] != 0
            ]
        )
    return found


def telling_features(table: FeatureTable, limit: int = 20) -> npt.NDArray[np.intp]:
    """Return the features whose variance lies most between the clusters, most telling first; constant ones never."""
    share = table.between_share
    best = np.argsort(-share, kind="stable")[:limit]
    return best[table.deviation[best] > 0]


def _indicator(labels: Labels, n_clusters: int) -> csr_array:
    """H, N x K: 1 where the node is in the cluster."""
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
    held = labels if present is None else labels[present]
    sizes = np.bincount(held, minlength=n_clusters).astype(np.float64)
    return joined, np.outer(sizes, sizes) - np.diag(sizes)


def _ratio(part: float, whole: float) -> float:
    return float(part) / float(whole) if whole > 0 else float("nan")


def _blocks(features: Features, labels: Labels) -> Iterator[tuple[Features, Labels]]:
    size = block_rows(features)
    for start in range(0, features.shape[0], size):
        yield features[start : start + size], labels[start : start + size]


def _column_sums(rows: Features) -> Array:
    return np.asarray(rows.sum(axis=0), dtype=np.float64).ravel()
