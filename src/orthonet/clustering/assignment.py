"""Cluster the rows of an embedding, and place new rows.

Rows are scaled to unit length first, so that a node counts by its direction among the eigenvectors and not by its degree
of membership. Then one of

    kmeans       K-means from several starts: Ward's clusters, the rows that a pivoted QR decomposition picks, and random ones
    cluster_qr   the rows that the pivoted QR decomposition picks, each node with the one it is most alike
    discretize   the rotation that brings the embedding nearest to an indicator matrix

gives a partition and its centres, and every node joins its nearest centre; with these methods a new node is placed by the same
rule. How much nearer it is than the others tells how sure the label is.

See Also
--------
orthonet.clustering.embedding_partition : the last two, with their references.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.linalg import qr
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.exceptions import ConvergenceWarning

from orthonet.clustering.embedding_partition import cluster_qr, discretize
from orthonet.support.checks import check_choice
from orthonet.support.warn import warn_user

Array = npt.NDArray[np.float64]
EmbeddingMethod = Literal["kmeans", "cluster_qr", "discretize"]
EMBEDDING_METHODS: tuple[EmbeddingMethod, ...] = get_args(EmbeddingMethod)

SAMPLE = 50_000
"""Rows that the centres are sought among; with more, a random sample stands for all."""
WARD_SAMPLE = 3000
"""Rows, at most, that Ward's method starts K-means from: it compares all pairs."""


@dataclass(frozen=True)
class Assignment:
    """Labels in order of falling cluster size, the centres among the rows, and the spread of the rows about them."""

    labels: npt.NDArray[np.int64]
    centers: Array
    spread: float
    """Mean squared distance of the rows to their centres."""


def assign(
    embedding: Array,
    n_clusters: int,
    *,
    method: EmbeddingMethod = "kmeans",
    normalize: bool = True,
    n_init: int = 20,
    rng: np.random.Generator,
) -> Assignment:
    """Cluster the rows of ``embedding``.

    Parameters
    ----------
    embedding : array of shape (N, K)
        With orthonormal columns.
    n_clusters : int
        Number of clusters.
    method : {"kmeans", "cluster_qr", "discretize"}, default="kmeans"
        See the module.
    normalize : bool, default=True
        Whether rows are scaled to unit length.
    n_init : int, default=20
        Random starts (k-means++) of K-means beside the two others; the lowest inertia wins.
    rng : numpy.random.Generator
        Draws the random starts.
    """
    check_choice(method, "assign_labels", EMBEDDING_METHODS)
    seed = int(rng.integers(2**31 - 1))
    seen = embedding
    if len(embedding) > SAMPLE:
        seen = embedding[np.sort(np.random.default_rng(seed).choice(len(embedding), SAMPLE, replace=False))]
    rows = _rows(seen, normalize)
    if method == "kmeans":
        centers = _kmeans_centers(seen, rows, n_clusters, n_init, seed)
    else:
        found = cluster_qr(seen) if method == "cluster_qr" else discretize(seen, seed)
        centers = _means(rows, found, n_clusters)
    return _in_order(embedding, nearest_center(embedding, centers, normalize), centers, normalize)


def assignment_of(
    embedding: Array, labels: npt.NDArray[np.int64], support: Array, normalize: bool = True
) -> Assignment:
    """Return given labels in order of falling cluster size, with the means of their rows for centres.

    Of clusters of equal size the one whose nodes have more ``support``, of shape (K,), comes first.
    """
    centers = _means(_rows(embedding, normalize), labels, len(support))
    return _in_order(embedding, labels, centers, normalize, -support.round(6))


def _in_order(
    embedding: Array, labels: npt.NDArray[np.int64], centers: Array, normalize: bool, *before_centers: Array
) -> Assignment:
    """Number clusters by falling size, those of equal size by further keys, and at last in the order of their centres."""
    n_clusters = len(centers)
    sizes = np.bincount(labels, minlength=n_clusters)
    warn_of_empty_clusters(sizes)
    ranking = np.lexsort([*centers.round(6).T[::-1], *before_centers, -sizes])
    new_label = np.empty(n_clusters, dtype=np.int64)
    new_label[ranking] = np.arange(n_clusters)
    labels, centers = new_label[labels], centers[ranking]
    return Assignment(
        labels, centers, float(np.mean(((_rows(embedding, normalize) - centers[labels]) ** 2).sum(axis=1)))
    )


def warn_of_empty_clusters(sizes: npt.NDArray[Any]) -> None:
    """Say so where fewer clusters were found than asked for."""
    if not sizes.all():
        warn_user(
            f"only {np.count_nonzero(sizes)} of {len(sizes)} clusters could be told apart; ask for fewer, or give features or "
            "layers that tell more nodes apart"
        )


def nearest_center(embedding: Array, centers: Array, normalize: bool = True) -> npt.NDArray[np.int64]:
    """Label each row of ``embedding`` by the centre nearest to it."""
    return np.argmin(_distances(embedding, centers, normalize), axis=1).astype(np.int64)


def soft_assignment(embedding: Array, centers: Array, spread: float, normalize: bool = True) -> Array:
    """Return for each row and centre the probability exp(−d²/2σ²), scaled to sum 1; its largest is the nearest centre's.

    σ² is the mean squared distance of the nodes to their own centres.
    """
    exponents = -_distances(embedding, centers, normalize) / (2 * max(spread, 1e-12))
    weights = np.exp(exponents - exponents.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def unit_rows(matrix: Array) -> Array:
    """Scale each row to length 1; a zero row stays."""
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return matrix / np.where(lengths > 0, lengths, 1.0)


def _rows(embedding: Array, normalize: bool) -> Array:
    return unit_rows(embedding) if normalize else embedding


def _distances(embedding: Array, centers: Array, normalize: bool) -> Array:
    """Return the squared distance of each row to each centre."""
    rows = _rows(embedding, normalize)
    return (centers**2).sum(axis=1) - 2 * (rows @ centers.T) + (rows**2).sum(axis=1, keepdims=True)


def _kmeans_centers(embedding: Array, rows: Array, n_clusters: int, n_init: int, seed: int) -> Array:
    candidates = [KMeans(n_clusters, init=start, n_init=1) for start in _starts(embedding, rows, n_clusters)]
    if n_init:
        candidates.append(KMeans(n_clusters, n_init=n_init, random_state=seed))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer clusters than asked for: `assign` says so
        best = min((one.fit(rows) for one in candidates), key=lambda one: float(one.inertia_))
    return best.cluster_centers_


def _starts(embedding: Array, rows: Array, n_clusters: int) -> Iterator[Array]:
    """Yield centres to start from that do not depend on chance."""
    pivots: npt.NDArray[Any] = qr(embedding.T, mode="r", pivoting=True)[1]
    yield rows[pivots[:n_clusters]]
    some = rows[np.linspace(0, len(rows) - 1, min(len(rows), WARD_SAMPLE)).astype(np.intp)]
    if len(some) > n_clusters:
        yield _means(some, AgglomerativeClustering(n_clusters, linkage="ward").fit_predict(some), n_clusters)


def _means(rows: Array, labels: npt.NDArray[Any], n_clusters: int) -> Array:
    """Return the mean row of each cluster; of an empty one the mean of all."""
    sizes = np.bincount(labels, minlength=n_clusters)
    sums = np.zeros((n_clusters, rows.shape[1]))
    np.add.at(sums, labels, rows)
    return np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1)[:, None], rows.mean(axis=0))
