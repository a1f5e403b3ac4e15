"""For GMC: which nodes may join which in one view, and how strongly the view alone and the unified graph U join them.

A view of features lists for each node i its k + 1 nearest others, d_ij the squared distance, ascending [1]_:

    s_ij = (d_{i,k+1} − d_ij) / Σ_{h<=k} (d_{i,k+1} − d_ih)                                                  to start from
    s_ij = max(0, (c_{i,k+1} − c_ij) / Σ_{h<=k} (c_{i,k+1} − c_ih)),   c_ij = d_ij − 2 w u_ij                after U and w

A view that is a graph has no distances, only its weights scaled to rows of sum 1, s⁰. With d_ij = −2 s⁰_ij the problem behind
those formulas, min Σ_j d_ij s_ij + ‖s_i‖² + w ‖s_i − u_i‖² on the simplex, keeps s⁰ where w = 0, and else is solved by

    s_i = the point of the simplex nearest to (s⁰_i + w u_i) / (1 + w), among the neighbours of i

All of them are numbers on one sparse `Pattern`, the pairs that are neighbours in any view.

References
----------
.. [1] H. Wang, Y. Yang, B. Liu, `"GMC: graph-based multi-view clustering"
       <https://doi.org/10.1109/TKDE.2019.2903810>`_, IEEE TKDE 32(6), 2020, equations 8, 15 and 16.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, issparse
from sklearn.neighbors import NearestNeighbors

from orthonet.graph.features import Features

Array = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

BLOCK_ENTRIES = 2**23
"""Distances of sparse features that are in memory at the same time: 64 MB of them."""


@dataclass(frozen=True)
class Pattern:
    """Pairs (row, column) of nodes in order; numbers on them make a sparse matrix."""

    n_nodes: int
    rows: Places
    columns: Places

    @classmethod
    def union(cls, n_nodes: int, pairs: Sequence[tuple[Places, Places]]) -> Self:
        """Return every pair that is in any of the lists, once."""
        keys = np.unique(np.concatenate([rows * n_nodes + columns for rows, columns in pairs]))
        return cls(n_nodes, keys // n_nodes, keys % n_nodes)

    @cached_property
    def _keys(self) -> Places:
        return self.rows * self.n_nodes + self.columns

    def places(self, rows: Places, columns: Places) -> Places:
        """Return where the pairs stand; those that are not here stand after the last."""
        keys = rows * self.n_nodes + columns
        found = np.searchsorted(self._keys, keys)
        inside = found < len(self._keys)
        inside[inside] = self._keys[found[inside]] == keys[inside]
        return np.where(inside, found, len(self._keys))

    def matrix(self, values: Array) -> csr_array:
        """Return the sparse matrix of numbers on the pairs, without the zeros."""
        made = csr_array((values, (self.rows, self.columns)), shape=(self.n_nodes, self.n_nodes))
        made.eliminate_zeros()
        return made


class View(Protocol):
    """One view: its pairs, and its similarities on a pattern that has them."""

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""

    def pairs(self) -> tuple[Places, Places]:
        """Return the rows and columns of the pairs that may be joined."""

    def alone(self, pattern: Pattern) -> Array:
        """Return the similarities that the view itself gives."""

    def drawn_to(self, unified: Array, weight: float, pattern: Pattern) -> Array:
        """Return the similarities, drawn to the unified graph with weight w."""


@dataclass(frozen=True)
class FeatureView:
    """The k + 1 nearest others of each node, ascending, and their squared distances: (N, k + 1) each."""

    neighbours: Places
    distances: Array

    @classmethod
    def of(cls, features: Features, n_neighbors: int, *, normalize: bool = True) -> Self:
        """Search the neighbours among the rows of ``features``, each row z-scored over its features first.

        Rows of one or two features would collapse to a point or two by that (the authors' code fails there), so they are left
        as they are. A node is never its own neighbour; in the authors' code it is where another node has the same features.
        """
        normalize = normalize and features.shape[1] > 2
        if issparse(features):
            return cls(*_sparse_neighbours(features, n_neighbors + 1, normalize))
        points = _z_scored_rows(features) if normalize else features
        distances, neighbours = NearestNeighbors(n_neighbors=n_neighbors + 1).fit(points).kneighbors()
        return cls(neighbours.astype(np.int64), np.asarray(distances, dtype=np.float64) ** 2)

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.neighbours)

    def pairs(self) -> tuple[Places, Places]:
        """Return each node with its k nearest; the last of the list only sets the scale."""
        return self._rows[:, :-1].ravel(), self.neighbours[:, :-1].ravel()

    def alone(self, pattern: Pattern) -> Array:
        """Return the similarity-induced graph."""
        return self._joined(self.distances, pattern)

    def drawn_to(self, unified: Array, weight: float, pattern: Pattern) -> Array:
        """Return the similarities after U and w."""
        drawn = np.append(unified, 0.0)[pattern.places(self._rows, self.neighbours)]
        return self._joined(self.distances - 2 * weight * drawn, pattern)

    @property
    def _rows(self) -> Places:
        return np.broadcast_to(np.arange(len(self.neighbours))[:, None], self.neighbours.shape)

    def _joined(self, costs: Array, pattern: Pattern) -> Array:
        nearer = costs[:, -1:] - costs[:, :-1]
        total = nearer.sum(axis=1, keepdims=True)
        # Where all are equally far, 0/0 in the formula, they count equally.
        flat = np.abs(total) <= np.finfo(np.float64).eps * np.abs(costs).max(axis=1, keepdims=True)
        similar = np.where(flat, 1 / nearer.shape[1], np.maximum(nearer / np.where(flat, 1.0, total), 0.0))
        values = np.zeros(len(pattern.rows))
        rows, columns = self.pairs()
        values[pattern.places(rows, columns)] = similar.ravel()
        return values


@dataclass(frozen=True)
class LayerView:
    """The pairs of a graph and their weights, scaled to rows of sum 1."""

    n_nodes: int
    rows: Places
    columns: Places
    weights: Array

    @classmethod
    def of(cls, layer: csr_array) -> Self:
        """Take the weights of a layer; self-loops say nothing about clusters and are left out."""
        entries = layer.tocoo()
        kept = (entries.data > 0) & (entries.row != entries.col)
        rows, columns = entries.row[kept].astype(np.int64), entries.col[kept].astype(np.int64)
        weights = entries.data[kept].astype(np.float64)
        sums = np.bincount(rows, weights, minlength=layer.shape[0])
        return cls(layer.shape[0], rows, columns, weights / sums[rows])

    def pairs(self) -> tuple[Places, Places]:
        """Return the edges, both ways."""
        return self.rows, self.columns

    def alone(self, pattern: Pattern) -> Array:
        """Return the scaled weights."""
        return self._on(pattern, self.weights)

    def drawn_to(self, unified: Array, weight: float, pattern: Pattern) -> Array:
        """Return the similarities after U and w."""
        drawn = unified[pattern.places(self.rows, self.columns)]
        nearest = nearest_on_simplex((self.weights + weight * drawn) / (1 + weight), self.rows, self.n_nodes)
        return self._on(pattern, nearest)

    def _on(self, pattern: Pattern, numbers: Array) -> Array:
        values = np.zeros(len(pattern.rows))
        values[pattern.places(self.rows, self.columns)] = numbers
        return values


def nearest_on_simplex(values: Array, rows: Places, n_rows: int) -> Array:
    """Return the nearest numbers >= 0 that sum to 1 in each row, for all rows at once.

    They are max(values − t, 0) with a threshold t for each row, found by leaving out what lies below the threshold of the rest
    until nothing does (C. Michelot, 1986): at most as many rounds as a row has numbers, in practice a handful.

    Parameters
    ----------
    values : array of shape (n,)
    rows : array of shape (n,)
        Which row each belongs to, in any order; a row may have none.
    n_rows : int
    """
    top = np.full(n_rows, -np.inf)
    np.maximum.at(top, rows, values)
    below = values - top[rows]
    kept = below > -1
    while True:
        counts = np.maximum(np.bincount(rows[kept], minlength=n_rows), 1)
        thresholds = (np.bincount(rows[kept], below[kept], minlength=n_rows) - 1) / counts
        still = kept & (below > thresholds[rows])
        if np.array_equal(still, kept):
            return np.where(kept, below - thresholds[rows], 0.0)
        kept = still


def _z_scored_rows(features: npt.NDArray[Any]) -> npt.NDArray[Any]:
    centred = features - features.mean(axis=1, keepdims=True)
    deviation = features.std(axis=1, ddof=1, keepdims=True)
    return centred / np.where(deviation > 0, deviation, 1.0)


def _sparse_neighbours(features: csr_array, n_neighbors: int, normalize: bool) -> tuple[Places, Array]:
    """Search among sparse rows without making them dense: z-scored or not, distances follow from their products."""
    n_nodes, n_features = features.shape
    squares = np.asarray((features * features).sum(axis=1), dtype=np.float64).ravel()
    mean, deviation = np.zeros(n_nodes), np.ones(n_nodes)
    if normalize:
        mean = np.asarray(features.mean(axis=1), dtype=np.float64).ravel()
        squares = np.maximum(squares - n_features * mean**2, 0.0)
        deviation = np.sqrt(squares / (n_features - 1))
        deviation[deviation == 0] = 1.0
        squares = squares / deviation**2
    neighbours = np.empty((n_nodes, n_neighbors), dtype=np.int64)
    distances = np.empty((n_nodes, n_neighbors))
    size = max(1, BLOCK_ENTRIES // n_nodes)
    for start in range(0, n_nodes, size):
        rows = np.arange(start, min(start + size, n_nodes))
        products = (features[rows] @ features.T).toarray() - n_features * np.outer(mean[rows], mean)
        far = np.maximum(squares[rows, None] + squares - 2 * products / np.outer(deviation[rows], deviation), 0.0)
        far[np.arange(len(rows)), rows] = np.inf
        nearest = np.argpartition(far, n_neighbors - 1, axis=1)[:, :n_neighbors]
        order = np.argsort(np.take_along_axis(far, nearest, axis=1), axis=1, kind="stable")
        neighbours[rows] = np.take_along_axis(nearest, order, axis=1)
        distances[rows] = np.take_along_axis(far, neighbours[rows], axis=1)
    return neighbours, distances
