"""K-means on rows of which each process holds its own: the first finds centres in a sample, and all place their rows."""

from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from orthonet.evidence.proposals.inputs import SAMPLE, STARTS, n_starts
from orthonet.evidence.sources import Labels
from orthonet.partitioned.rows import Rows

Array = npt.NDArray[np.float64]


def kmeans_labels(rows: Rows, own: Array, n_clusters: int, rng: np.random.Generator, n_init: int = STARTS) -> Labels:
    """Return the nearest centre of each own row.

    Parameters
    ----------
    rows : Rows
    own : array of shape (n, m)
    n_clusters : int
    rng : numpy.random.Generator
        The same in all processes.
    n_init : int, default=10
        Starts; fewer for many rows.
    """
    nodes, seed = rows.sample(SAMPLE, rng), int(rng.integers(2**31 - 1))
    seen = rows.at(own, nodes)

    def centers() -> Array:
        starts = n_starts(n_init, n_clusters * len(seen))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct rows than centres: mending goes on
            return KMeans(n_clusters, n_init=starts, random_state=seed).fit(seen).cluster_centers_

    return nearest(own, rows.by_first(centers))


def nearest(own: Array, centers: Array) -> Labels:
    """Return the nearest centre of each row."""
    return np.argmin((centers**2).sum(axis=1) - 2 * (own @ centers.T), axis=1).astype(np.int64)
