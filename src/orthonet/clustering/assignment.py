"""Group the rows of an embedding, and place new rows.

Rows are scaled to unit length first, so that a node counts by its direction among the eigenvectors and not by its degree
of membership; K-means then runs from several starts. One start is drawn from nobody's dice: the K rows that a pivoted QR
decomposition of the embedding picks, which lie in K different clusters if the clusters are well apart (Damle, Minden, Ying,
"Simple, direct and efficient multi-way spectral clustering", 2019).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import qr
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from orthonet.graph.features import Features
from orthonet.support.warn import warn_user

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Assignment:
    """Labels in order of falling cluster size, and the centres in the space of unit rows."""

    labels: npt.NDArray[np.int64]
    centers: Array


def assign(
    embedding: Array,
    n_clusters: int,
    *,
    n_init: int = 20,
    rng: np.random.Generator,
    order: npt.NDArray[np.intp] | None = None,
) -> Assignment:
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
    order : array of shape (N,), optional
        The order in which K-means sees the rows. One that depends on the nodes and not on their numbering
        (`canonical_order`) makes random starts fall on the same nodes however they are numbered.
    """
    order = np.arange(len(embedding)) if order is None else order
    ordered = embedding[order]
    rows = unit_rows(ordered)
    seed = int(rng.integers(2**31 - 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # told below, in words of ours
        candidates = [KMeans(n_clusters, init=rows[_pivots(ordered, n_clusters)], n_init=1).fit(rows)]
        if n_init:
            candidates.append(KMeans(n_clusters, n_init=n_init, random_state=seed).fit(rows))
    best = min(candidates, key=lambda candidate: float(candidate.inertia_))
    sizes = np.bincount(best.labels_, minlength=n_clusters)
    if not sizes.all():
        warn_user(
            f"only {np.count_nonzero(sizes)} of {n_clusters} groups could be told apart; ask for fewer, or give features or "
            "layers that tell more nodes apart"
        )
    # Largest first; clusters of equal size in the order of their centres.
    ranking = np.lexsort([*best.cluster_centers_.round(6).T[::-1], -sizes])
    new_label = np.empty(n_clusters, dtype=np.int64)
    new_label[ranking] = np.arange(n_clusters)
    labels = np.empty(len(rows), dtype=np.int64)
    labels[order] = new_label[best.labels_]
    return Assignment(labels, best.cluster_centers_[ranking])


def nearest_center(embedding: Array, centers: Array) -> npt.NDArray[np.int64]:
    """Label each row of ``embedding`` by the centre nearest to its unit row."""
    products = unit_rows(embedding) @ centers.T
    return np.argmin((centers**2).sum(axis=1) - 2 * products, axis=1).astype(np.int64)


def canonical_order(features: Features) -> npt.NDArray[np.intp]:
    """Order nodes by the bytes of their features, which is the same order whatever their numbering."""
    if not isinstance(features, np.ndarray):
        starts = zip(features.indptr[:-1], features.indptr[1:], strict=True)
        rows = [features.indices[a:b].tobytes() + features.data[a:b].tobytes() for a, b in starts]
        return np.array(sorted(range(len(rows)), key=rows.__getitem__), dtype=np.intp)
    contiguous = np.ascontiguousarray(features)
    as_bytes = contiguous.view(np.dtype((np.void, contiguous.dtype.itemsize * contiguous.shape[1]))).ravel()
    return np.argsort(as_bytes, kind="stable")


def unit_rows(matrix: Array) -> Array:
    """Scale each row to length 1; a zero row stays."""
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return matrix / np.where(lengths > 0, lengths, 1.0)


def _pivots(embedding: Array, n_clusters: int) -> npt.NDArray[Any]:
    pivots: npt.NDArray[Any] = qr(embedding.T, mode="r", pivoting=True)[1]
    return pivots[:n_clusters]
