"""How the features differ between clusters: means, standardised differences, and shares of variance.

All functions are pure; labels are 0 … K − 1, and a cluster may be empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from orthonet.graph.features import Features, block_rows
from orthonet.graph.modularity import cluster_sizes, membership

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.integer[Any]]

DENSE_PRECISION, SPARSE_PRECISION = 1e-12, 1e-7
"""Deviation, relative to the size of a feature, below which it is constant: sparse features are not centred first."""
ZERO_MEAN = 1e-13
"""Mean in a cluster, relative to a feature's deviation and mean over all nodes, below which it is rounding."""


@dataclass(frozen=True)
class Contrast:
    """A feature that sets a cluster apart from all other nodes."""

    feature: int
    difference: float
    """Mean in the cluster less mean outside, in standard deviations over all nodes."""
    mean_inside: float
    mean_outside: float
    is_word: bool = False
    """Whether all that is said of a node is that it has it, or not: the means are shares then."""


@dataclass(frozen=True)
class FeatureTable:
    """Means of each feature in each cluster, and its mean and standard deviation over all nodes."""

    sizes: npt.NDArray[np.int64]
    means: Array
    overall: Array
    deviation: Array
    binary: npt.NDArray[np.bool_]
    """Which features are 0 or 1 throughout."""

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


def feature_table(features: Features, labels: Labels, n_clusters: int) -> FeatureTable:
    """Average the features by cluster, in blocks of rows, so that a memory map never is in memory as a whole."""
    sizes = cluster_sizes(labels, n_clusters)
    n_nodes, n_features = features.shape
    overall = sum((_column_sums(rows) for rows, _ in _blocks(features, labels)), np.zeros(n_features)) / n_nodes
    centre = np.zeros(n_features) if issparse(features) else overall  # centring would fill a sparse matrix
    sums, squares = np.zeros((n_clusters, n_features)), np.zeros(n_features)
    binary = np.ones(n_features, dtype=bool)
    for rows, own in _blocks(features, labels):
        binary &= _is_binary(rows)
        seen = rows if issparse(rows) else np.asarray(rows, dtype=np.float64) - centre
        found = membership(own, n_clusters).T @ seen
        sums += found.toarray() if issparse(found) else found
        squares += _column_sums(seen**2)
    variance = np.maximum(squares / n_nodes - (overall - centre) ** 2, 0.0)
    # What rounding leaves of a constant column is not a deviation.
    precision = SPARSE_PRECISION if issparse(features) else DENSE_PRECISION
    noise = np.sqrt(variance) <= precision * np.sqrt(variance + overall**2)
    deviation = np.where(noise, 0.0, np.sqrt(variance))
    means = centre + np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1)[:, None], np.nan)
    means = np.where(np.abs(means) <= ZERO_MEAN * (deviation + np.abs(overall)), 0.0, means)
    return FeatureTable(sizes, means, overall, deviation, binary)


def feature_contrasts(table: FeatureTable, top: int = 5, without: Sequence[int] = ()) -> list[list[Contrast]]:
    """Return for each cluster the ``top`` features with the largest standardised mean difference, largest first.

    Features ``without`` which it should be are left out.
    """
    differences, outside = table.differences, table.outside
    differences[:, list(without)] = 0.0
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
                    bool(table.binary[feature]),
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


def _blocks(features: Features, labels: Labels) -> Iterator[tuple[Features, Labels]]:
    size = block_rows(features)
    for start in range(0, features.shape[0], size):
        yield features[start : start + size], labels[start : start + size]


def _column_sums(rows: Features) -> Array:
    return np.asarray(rows.sum(axis=0), dtype=np.float64).ravel()


def _is_binary(rows: Features) -> npt.NDArray[np.bool_]:
    if isinstance(rows, np.ndarray):
        return np.asarray(((rows == 0) | (rows == 1)).all(axis=0))
    other = np.zeros(rows.shape[1], dtype=bool)
    entries = rows.tocoo()
    other[entries.col[(entries.data != 0) & (entries.data != 1)]] = True
    return ~other
