"""Partitions that are read off an embedding directly: by a pivoted QR decomposition, or by a rotation towards indicators.

Both look for a rotation R of the embedding Y (N x K, orthonormal columns) after which each row has one large entry, whose
column is the node's cluster:

    cluster_qr   R = U Vᵀ of the singular value decomposition of the K rows of Y that a pivoted QR of Yᵀ picks [1]_
    discretize   min_{Z, R} ||Z − Ỹ R||, Z an indicator matrix and Ỹ the unit rows of Y, for one of the two at a time [2]_

See Also
--------
orthonet.clustering.assignment : uses them, and K-means.
sklearn.cluster.SpectralClustering : has the same two, but not for an embedding that is given.

References
----------
.. [1] A. Damle, V. Minden, L. Ying, "Simple, direct and efficient multi-way spectral clustering", Information and
       Inference, 2019, https://doi.org/10.1093/imaiai/iay008
.. [2] S. Yu, J. Shi, "Multiclass spectral clustering", ICCV 2003, https://doi.org/10.1109/ICCV.2003.1238361
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import qr
from scipy.sparse import csc_array
from sklearn.utils import check_random_state

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.integer[Any]]

MAX_ITER = 20
"""Rotations that `discretize` tries at most; it nearly always settles in fewer."""


def cluster_qr(embedding: Array) -> Labels:
    """Label each row by the most alike of the K rows that a pivoted QR decomposition picks.

    Parameters
    ----------
    embedding : array of shape (N, K)
    """
    n_clusters = embedding.shape[1]
    pivots = qr(embedding.T, mode="r", pivoting=True)[1][:n_clusters]
    left, _, right = np.linalg.svd(embedding[pivots].T)
    return np.abs(embedding @ (left @ right)).argmax(axis=1)


def discretize(embedding: Array, seed: int) -> Labels:
    """Label each row by the indicator matrix nearest to a rotation of the embedding.

    Parameters
    ----------
    embedding : array of shape (N, K)
    seed : int
        Draws the row that the first column of the rotation starts from.
    """
    n_nodes, n_clusters = embedding.shape
    rows = _unit_rows(embedding)
    rotation = _distant_rows(rows, check_random_state(seed).randint(n_nodes))
    objective = 0.0
    for _ in range(MAX_ITER + 1):
        labels: Labels = (rows @ rotation).argmax(axis=1)
        indicator = csc_array((np.ones(n_nodes), (np.arange(n_nodes), labels)), shape=(n_nodes, n_clusters))
        left, values, right = np.linalg.svd(indicator.T @ rows)
        before, objective = objective, 2.0 * (n_nodes - values.sum())
        if abs(objective - before) < np.finfo(np.float64).eps:
            break
        rotation = right.T @ left.T
    return labels


def _unit_rows(embedding: Array) -> Array:
    """Scale the columns to equal length, with the first entry of each below 0, and then the rows to length 1; 0 stays 0."""
    lengths = np.linalg.norm(embedding, axis=0)
    columns = (embedding / np.where(lengths > 0, lengths, 1.0)) * np.sqrt(len(embedding))
    columns = columns * np.where(columns[0] > 0, -1.0, 1.0)
    sizes = np.sqrt((columns**2).sum(axis=1))
    return columns / np.where(sizes > 0, sizes, 1.0)[:, None]


def _distant_rows(rows: Array, first: int) -> Array:
    """Return K rows as columns: the first, and then always the one least alike to those before."""
    chosen = rows[[first]].T
    likeness = np.zeros(len(rows))
    for _ in range(1, rows.shape[1]):
        likeness += np.abs(rows @ chosen[:, -1])
        chosen = np.column_stack([chosen, rows[likeness.argmin()]])
    return chosen
