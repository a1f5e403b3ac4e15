"""Gaussian information of clusters of cells: by their moments, so that a move costs a determinant for each cluster.

    I = ( ln |S + ε S| − Σ_c p_c ln |S_c + ε S| ) / 2 d,      ε = d / N

with S the covariance of all nodes and S_c that of a cluster. A little of S keeps small clusters from having no volume at all;
since ln |·| is concave, joining two clusters never raises I.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from orthonet.evidence.coarse import one_after_another

Array = npt.NDArray[np.float64]

ROUNDING = 1e-9
"""Share of the mean variance that is added in all directions, so that a feature which others give away has some."""


class CoarseGaussian:
    """Values of cells: their sizes, means, and scatters about these.

    Parameters
    ----------
    sizes : array of shape (cells,)
    means : array of shape (cells, d)
    scatters : array of shape (cells, d, d)
    """

    def __init__(self, sizes: Array, means: Array, scatters: Array) -> None:
        self._n_features = means.shape[1]
        self._total = max(float(sizes.sum()), 1.0)
        # Sums of x and of x xᵀ add up, whatever the cells are joined to; about a common centre they lose no digits.
        centered = means - (sizes @ means) / self._total
        self._sizes, self._sums = sizes, sizes[:, None] * centered
        self._squares = scatters + sizes[:, None, None] * centered[:, :, None] * centered[:, None, :]
        whole = self._squares.sum(axis=0) / self._total
        floor = ROUNDING * max(float(np.trace(whole)) / self._n_features, np.finfo(np.float64).tiny)
        self._little = self._n_features / self._total * whole + floor * np.eye(self._n_features)

    def place(self, clusters: npt.NDArray[np.int64], n_clusters: int) -> None:
        """Put each cell into a cluster."""
        in_sizes = np.bincount(clusters, self._sizes, minlength=n_clusters)
        self._in_sizes: Array = in_sizes.astype(np.float64, copy=False)
        self._in_sums = np.zeros((n_clusters, self._n_features))
        self._in_squares = np.zeros((n_clusters, self._n_features, self._n_features))
        np.add.at(self._in_sums, clusters, self._sums)
        np.add.at(self._in_squares, clusters, self._squares)
        self._terms = self._entropies(self._in_sizes, self._in_sums, self._in_squares)

    def information(self) -> float:
        """Return I of the clusters, in nats per observation."""
        moments = (self._sizes, self._sums, self._squares)
        whole = self._entropies(*(moment.sum(axis=0, keepdims=True) for moment in moments))
        return float(whole[0] - self._terms.sum())

    def joining_losses(self, cluster: int, others: Any = slice(None)) -> Array:
        """Return how much I falls when ``cluster`` is joined with each of the others, all by default."""
        joined = self._entropies(
            self._in_sizes[others] + self._in_sizes[cluster],
            self._in_sums[others] + self._in_sums[cluster],
            self._in_squares[others] + self._in_squares[cluster],
        )
        return joined - self._terms[others] - self._terms[cluster]

    def all_joining_losses(self) -> Array:
        """Return how much I falls when each two clusters are joined, clusters x clusters."""
        return one_after_another(self.joining_losses, len(self._terms))

    def join(self, kept: int, emptied: int) -> None:
        """Put all cells of the second cluster into the first."""
        for moments in (self._in_sizes, self._in_sums, self._in_squares):
            moments[kept] += moments[emptied]
            moments[emptied] = 0.0
        self._refresh(kept, emptied)

    def moving_gains(self, cell: int, cluster: int) -> Array:
        """Return how much I rises when ``cell`` moves from ``cluster``, where it is, to each cluster."""
        size, total, square = self._sizes[cell], self._sums[cell], self._squares[cell]
        rest = self._entropies(
            (self._in_sizes[cluster] - size)[None],
            (self._in_sums[cluster] - total)[None],
            (self._in_squares[cluster] - square)[None],
        )[0]
        joined = self._entropies(self._in_sizes + size, self._in_sums + total, self._in_squares + square)
        gains = (self._terms[cluster] - rest) + (self._terms - joined)
        gains[cluster] = 0.0
        return gains

    def move(self, cell: int, cluster: int, new_cluster: int) -> None:
        """Move a cell."""
        for sign, changed in ((-1.0, cluster), (1.0, new_cluster)):
            self._in_sizes[changed] = max(self._in_sizes[changed] + sign * self._sizes[cell], 0.0)
            self._in_sums[changed] += sign * self._sums[cell]
            self._in_squares[changed] += sign * self._squares[cell]
        self._refresh(cluster, new_cluster)

    def _refresh(self, *clusters: int) -> None:
        some = list(clusters)
        self._terms[some] = self._entropies(self._in_sizes[some], self._in_sums[some], self._in_squares[some])

    def _entropies(self, sizes: Array, sums: Array, squares: Array) -> Array:
        """Return p_c ln |S_c + ε S| / 2 d of clusters with these moments."""
        some = np.where(sizes > 0, sizes, 1.0)[:, None]
        means = sums / some
        covariances = squares / some[:, :, None]
        covariances -= means[:, :, None] * means[:, None, :]
        covariances += self._little
        return np.where(sizes > 0, sizes * _log_volumes(covariances), 0.0) / (2 * self._n_features * self._total)


def _log_volumes(matrices: Array) -> Array:
    """Return ln |·| of each: by Cholesky factors, which take half the time, where rounding leaves all of them positive."""
    try:
        diagonals = np.diagonal(np.linalg.cholesky(matrices), axis1=1, axis2=2)
    except np.linalg.LinAlgError:
        return np.linalg.slogdet(matrices)[1]
    return 2 * np.log(diagonals).sum(axis=1)
