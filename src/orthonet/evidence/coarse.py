"""Information of clusters of *cells*: sets of nodes that stay together, so that a move costs the number of cells, not of nodes.

With P_ab the share of a layer's edge weight between clusters a and b, and P_cf the share of word f in cluster c,

    I = Σ_ab P_ab ln( P_ab / (r_a r_b) ),      I = Σ_cf P_cf ln( P_cf / (p_c p_f) )

are sums of x ln x over the shares: joining two clusters, or moving a cell, changes a few rows and columns of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt
from scipy.special import entr

Array = npt.NDArray[np.float64]

FEW = 200
"""Numbers up to which one call takes less time than several quicker ones."""


class CoarseSource(Protocol):
    """What a source knows of cells, and of the clusters they are in at the moment."""

    def place(self, clusters: npt.NDArray[np.int64], n_clusters: int) -> None:
        """Put each cell into a cluster."""

    def information(self) -> float:
        """Return I of the clusters, in nats per observation."""

    def joining_losses(self, cluster: int, others: Any = slice(None)) -> Array:
        """Return how much I falls when ``cluster`` is joined with each of the others, all by default."""

    def all_joining_losses(self) -> Array:
        """Return how much I falls when each two clusters are joined, clusters x clusters."""

    def join(self, kept: int, emptied: int) -> None:
        """Put all cells of the second cluster into the first."""

    def moving_gains(self, cell: int, cluster: int) -> Array:
        """Return how much I rises when ``cell`` moves from ``cluster``, where it is, to each cluster."""

    def move(self, cell: int, cluster: int, new_cluster: int) -> None:
        """Move a cell."""


class CoarseLayers:
    """Layers between cells, all of them counted at once.

    Parameters
    ----------
    between : array of shape (S, cells, cells)
        Shares of the edge weight of each layer from cell to cell.
    worths : array of shape (S,)
        What a nat per observation of each layer is worth.
    """

    def __init__(self, between: Array, worths: npt.ArrayLike) -> None:
        self._between, self._worths = between, np.asarray(worths, dtype=np.float64)

    @classmethod
    def of(cls, between: Array) -> Self:
        """Return one layer."""
        return cls(between[None], [1.0])

    @classmethod
    def together(cls, parts: Sequence[tuple[float, CoarseLayers]]) -> Self:
        """Return the layers of several, each worth so much more."""
        worths = np.concatenate([worth * part._worths for worth, part in parts])
        return cls(np.concatenate([part._between for _, part in parts]), worths)

    def place(self, clusters: npt.NDArray[np.int64], n_clusters: int) -> None:
        """Put each cell into a cluster."""
        self._to_clusters = np.stack([_sum_columns(one, clusters, n_clusters) for one in self._between])
        blocks = [_sum_columns(one.T, clusters, n_clusters).T for one in self._to_clusters]
        self._blocks = np.ascontiguousarray(np.stack(blocks))
        self._terms = x_ln_x(self._blocks)
        self._shares, self._row_terms = self._blocks.sum(axis=2), self._terms.sum(axis=2)

    def _recount(self, changed: list[int]) -> None:
        """Bring up to date what is kept of the blocks, of which the rows and columns of some clusters have changed."""
        before = self._terms[:, :, changed].sum(axis=2)
        self._terms[:, changed] = x_ln_x(self._blocks[:, changed])
        self._terms[:, :, changed] = self._terms[:, changed].transpose(0, 2, 1)
        self._row_terms += self._terms[:, :, changed].sum(axis=2) - before
        self._row_terms[:, changed] = self._terms[:, changed].sum(axis=2)
        self._shares[:, changed] = self._blocks[:, changed].sum(axis=2)

    def information(self) -> float:
        """Return I of the clusters, in nats per observation, times what each layer is worth."""
        return float(sum(self._worths * [layer_information(blocks) for blocks in self._blocks]))

    def joining_losses(self, cluster: int, others: Any = slice(None)) -> Array:
        """Return how much I falls when ``cluster`` is joined with each of the others, all by default."""
        row, some = self._blocks[:, cluster], np.flatnonzero(self._blocks[:, cluster].any(axis=0))
        # `take` keeps layers apart in memory.
        rows = self._blocks if isinstance(others, slice) else self._blocks.take(others, axis=1)
        both = rows.take(some, axis=2)
        both += row[:, None, some]
        touched = np.zeros(self._blocks.shape[1])
        touched[some] = 1.0
        apart = (self._terms @ touched)[:, others] + self._row_terms[:, cluster, None]
        inside = np.diagonal(self._blocks, axis1=1, axis2=2)
        return self._worths @ _joining_losses(
            x_ln_x(both) @ np.ones(len(some)) - apart,
            row[:, others],
            (inside[:, cluster, None], inside[:, others]),
            (self._shares[:, cluster, None], self._shares[:, others]),
        )

    def all_joining_losses(self) -> Array:
        """Return how much I falls when each two clusters are joined, clusters x clusters."""
        lost = np.zeros(self._blocks.shape[1:])
        for worth, blocks, terms, shares in zip(self._worths, self._blocks, self._terms, self._shares, strict=True):
            gained = np.zeros_like(blocks)
            for edges, term in zip(blocks.T, terms.T, strict=True):
                some = np.flatnonzero(edges)  # most clusters have no edges to most
                both = x_ln_x(edges[some, None] + edges[some])
                gained[some[:, None], some] += both - term[some, None] - term[some]
            inside = np.diagonal(blocks)
            lost += worth * _joining_losses(gained, blocks, (inside[:, None], inside), (shares[:, None], shares))
        return lost

    def join(self, kept: int, emptied: int) -> None:
        """Put all cells of the second cluster into the first."""
        for matrices in (self._blocks, self._to_clusters):
            matrices[:, :, kept] += matrices[:, :, emptied]
            matrices[:, :, emptied] = 0.0
        self._blocks[:, kept] += self._blocks[:, emptied]
        self._blocks[:, emptied] = 0.0
        self._recount([kept, emptied])

    def moving_gains(self, cell: int, cluster: int) -> Array:
        """Return how much I rises when ``cell`` moves from ``cluster``, where it is, to each cluster."""
        own, to_others, degree = self._edges_of(cell, cluster)
        some = np.flatnonzero(to_others.any(axis=0))  # terms of clusters that the cell has no edges to stay as they are
        edges, rest, here = to_others[:, some], self._blocks.take(some, axis=2), some == cluster
        rest[:, cluster] -= edges
        rest[:, :, here] -= to_others[:, :, None]
        rest[:, cluster, here] -= own[:, None]
        np.maximum(rest, 0.0, out=rest)
        diagonal = np.diagonal(self._blocks, axis1=1, axis2=2).copy()
        diagonal[:, cluster] = np.maximum(diagonal[:, cluster] - 2 * to_others[:, cluster] - own, 0.0)
        shares = self._shares.copy()  # wherever the cell is, its edges end in the others' clusters
        shares[:, cluster] = np.maximum(shares[:, cluster] - degree, 0.0)
        totals = 2 * (x_ln_x(rest + edges[:, None]) - x_ln_x(rest)).sum(axis=2)
        inside = diagonal + to_others
        totals += x_ln_x(diagonal) - 2 * x_ln_x(inside) + x_ln_x(inside + to_others + own[:, None])
        totals -= 2 * (x_ln_x(shares + degree[:, None]) - x_ln_x(shares))
        gains: Array = self._worths @ totals
        return gains - gains[cluster]

    def move(self, cell: int, cluster: int, new_cluster: int) -> None:
        """Move a cell."""
        own, to_others, _ = self._edges_of(cell, cluster)
        for changed, sign in ((cluster, -1.0), (new_cluster, 1.0)):
            self._blocks[:, changed] += sign * to_others
            self._blocks[:, :, changed] += sign * to_others
            self._blocks[:, changed, changed] += sign * own
        np.maximum(self._blocks, 0.0, out=self._blocks)  # rounding
        left = self._to_clusters[:, :, cluster] - self._between[:, :, cell]
        self._to_clusters[:, :, cluster] = np.maximum(left, 0.0)
        self._to_clusters[:, :, new_cluster] += self._between[:, :, cell]
        self._recount([cluster, new_cluster])

    def _edges_of(self, cell: int, cluster: int) -> tuple[Array, Array, Array]:
        """Return the edges within a cell of ``cluster``, from it to the other cells of each cluster, and from it at all."""
        own: Array = self._between[:, cell, cell]
        to_others: Array = self._to_clusters[:, cell].copy()
        degree: Array = to_others.sum(axis=1)
        to_others[:, cluster] = np.maximum(to_others[:, cluster] - own, 0.0)
        return own, to_others, degree


class CoarseWords:
    """Words of cells: ``in_cells[i, f]`` is the share of all occurrences that word f has in cell i."""

    def __init__(self, in_cells: Array) -> None:
        self._in_cells = in_cells

    def place(self, clusters: npt.NDArray[np.int64], n_clusters: int) -> None:
        """Put each cell into a cluster."""
        self._in_clusters = _sum_columns(self._in_cells.T, clusters, n_clusters).T

    def information(self) -> float:
        """Return I of the clusters, in nats per observation."""
        return word_information(self._in_clusters)

    def joining_losses(self, cluster: int, others: Any = slice(None)) -> Array:
        """Return how much I falls when ``cluster`` is joined with each of the others, all by default."""
        words, own = self._in_clusters[others], self._in_clusters[cluster]
        shares, share = words.sum(axis=1), own.sum()
        terms, term = x_ln_x(words).sum(axis=1), x_ln_x(own).sum()
        by_words = terms + term - x_ln_x(words + own).sum(axis=1)
        by_sizes = x_ln_x(shares) + x_ln_x(share) - x_ln_x(shares + share)
        return by_words - by_sizes

    def all_joining_losses(self) -> Array:
        """Return how much I falls when each two clusters are joined, clusters x clusters."""
        return one_after_another(self.joining_losses, len(self._in_clusters))

    def join(self, kept: int, emptied: int) -> None:
        """Put all cells of the second cluster into the first."""
        self._in_clusters[kept] += self._in_clusters[emptied]
        self._in_clusters[emptied] = 0.0

    def moving_gains(self, cell: int, cluster: int) -> Array:
        """Return how much I rises when ``cell`` moves from ``cluster``, where it is, to each cluster."""
        present = np.flatnonzero(self._in_cells[cell])
        own = self._in_cells[cell, present]
        total = own.sum()
        rest = self._in_clusters[:, present]
        shares = self._in_clusters.sum(axis=1)
        rest[cluster] = np.maximum(rest[cluster] - own, 0.0)
        shares[cluster] = max(shares[cluster] - total, 0.0)
        totals = (x_ln_x(rest + own) - x_ln_x(rest)).sum(axis=1) - (x_ln_x(shares + total) - x_ln_x(shares))
        return totals - totals[cluster]

    def move(self, cell: int, cluster: int, new_cluster: int) -> None:
        """Move a cell."""
        self._in_clusters[cluster] = np.maximum(self._in_clusters[cluster] - self._in_cells[cell], 0.0)
        self._in_clusters[new_cluster] += self._in_cells[cell]


def one_after_another(joining_losses: Callable[[int, npt.NDArray[np.intp]], Array], n_clusters: int) -> Array:
    """Return what joining each two clusters loses, from what joining one with others does; each pair is looked at once."""
    lost = np.zeros((n_clusters, n_clusters))
    for cluster in range(n_clusters - 1):
        others = np.arange(cluster + 1, n_clusters)
        lost[cluster, others] = lost[others, cluster] = joining_losses(cluster, others)
    return lost


def layer_information(blocks: Array) -> float:
    """Return Σ_ab P_ab ln( P_ab / (r_a r_b) ) of the shares P of edge weight between clusters."""
    return float(x_ln_x(blocks).sum() - 2 * x_ln_x(blocks.sum(axis=1)).sum())


def word_information(words: Array) -> float:
    """Return Σ_cf P_cf ln( P_cf / (p_c p_f) ) of the shares P of words in clusters."""
    return float(x_ln_x(words).sum() - x_ln_x(words.sum(axis=1)).sum() - x_ln_x(words.sum(axis=0)).sum())


def x_ln_x(x: npt.ArrayLike) -> Array:
    """Return x ln x, 0 at 0."""
    if np.size(x) < FEW:
        return -entr(x)
    found: Array = np.maximum(x, np.finfo(np.float64).tiny)
    np.log(found, out=found)  # of many numbers, numpy takes logarithms three times as fast
    np.multiply(found, x, out=found)
    return found


def _joining_losses(gained: Array, between: Array, inside: tuple[Array, Array], shares: tuple[Array, Array]) -> Array:
    """Return how much I falls when pairs of clusters a and b of a layer are joined.

    With f(x) = x ln x, ``gained`` is Σ_c f(P_ac + P_bc) − f(P_ac) − f(P_bc) over all clusters c, as if only rows were joined.
    Columns gain as much, and the four shares within a pair become one.
    """
    first, second = inside
    one_end = x_ln_x(between + first) + x_ln_x(between + second) - x_ln_x(between)
    both_ends = x_ln_x(first + second + 2 * between) + x_ln_x(first) + x_ln_x(second)
    degrees = x_ln_x(shares[0]) + x_ln_x(shares[1]) - x_ln_x(shares[0] + shares[1])
    return 2 * (one_end - gained - degrees) - both_ends


def _sum_columns(matrix: Array, clusters: npt.NDArray[np.int64], n_clusters: int) -> Array:
    """Add up the columns of each cluster."""
    summed = np.zeros((matrix.shape[0], n_clusters))
    np.add.at(summed.T, clusters, matrix.T)
    return summed
