"""Group the rows of an embedding, and place new rows.

Rows are scaled to unit length first, so that a node counts by its direction among the eigenvectors and not by its degree
of membership; K-means then runs from several starts. One start is drawn from nobody's dice: the K rows that a pivoted QR
decomposition of the embedding picks, which lie in K different clusters if the clusters are well apart (Damle, Minden, Ying,
"Simple, direct and efficient multi-way spectral clustering", 2019).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import qr
from sklearn.cluster import KMeans

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Assignment:
    """Labels in order of falling cluster size, the centres in the space of unit rows, and the squared distances' sum."""

    labels: npt.NDArray[np.int64]
    centers: Array
    inertia: float


def assign(embedding: Array, n_clusters: int, *, n_init: int = 20, rng: np.random.Generator) -> Assignment:
    """Cluster the rows of ``embedding`` by K-means on unit rows.

    Parameters
    ----------
    embedding : array of shape (N, K)
        With orthonormal columns.
    n_clusters : int
        Number of groups.
    n_init : int, default=20
        Random starts (k-means++) beside the one from the pivoted QR decomposition; the lowest inertia wins.
    rng : numpy.random.Generator
        Draws the random starts.
    """
    rows = unit_rows(embedding)
    seed = int(rng.integers(2**31 - 1))
    candidates = [KMeans(n_clusters, init=rows[_pivots(embedding, n_clusters)], n_init=1).fit(rows)]
    if n_init:
        candidates.append(KMeans(n_clusters, n_init=n_init, random_state=seed).fit(rows))
    best = min(candidates, key=lambda candidate: float(candidate.inertia_))
    sizes = np.bincount(best.labels_, minlength=n_clusters)
    # Largest first; clusters of equal size in the order of their centres, which no permutation of the nodes changes.
    order = np.lexsort([*best.cluster_centers_.round(6).T[::-1], -sizes])
    new_label = np.empty(n_clusters, dtype=np.int64)
    new_label[order] = np.arange(n_clusters)
    return Assignment(new_label[best.labels_], best.cluster_centers_[order], float(best.inertia_))


def nearest_center(embedding: Array, centers: Array) -> npt.NDArray[np.int64]:
    """Label each row of ``embedding`` by the centre nearest to its unit row."""
    products = unit_rows(embedding) @ centers.T
    return np.argmin((centers**2).sum(axis=1) - 2 * products, axis=1).astype(np.int64)


def unit_rows(matrix: Array) -> Array:
    """Scale each row to length 1; a zero row stays."""
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return matrix / np.where(lengths > 0, lengths, 1.0)


def _pivots(embedding: Array, n_clusters: int) -> npt.NDArray[Any]:
    pivots: npt.NDArray[Any] = qr(embedding.T, mode="r", pivoting=True)[1]
    return pivots[:n_clusters]
