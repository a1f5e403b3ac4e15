"""The edges of one layer as columns: positions of both ends among the nodes, and weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, triu

Merge = Literal["sum", "max"]
"""What the weights of several rows for one pair of nodes become."""


@dataclass(frozen=True, eq=False)
class EdgeList:
    """The edges of one layer, one per row.

    Attributes
    ----------
    source, target : arrays of int
        Positions of both ends among the nodes.
    weight : array of float
        NaN where a file has no weight in a row.
    directed : bool
        Whether the direction counts.
    two_way : array of bool, or None
        In a directed list, the rows that have no direction: they count both ways.
    merged : bool
        Whether the rows are sorted by source and target, no pair of nodes occurs twice (nor the other way round, if the
        direction does not count: the source then comes before the target), none is a loop and all weights are > 0.
    """

    source: npt.NDArray[np.integer[Any]]
    target: npt.NDArray[np.integer[Any]]
    weight: npt.NDArray[np.float64]
    directed: bool = False
    two_way: npt.NDArray[np.bool_] | None = None
    merged: bool = False

    @classmethod
    def of_layer(cls, layer: csr_array) -> Self:
        """Return each edge of a symmetric layer once, the source before the target."""
        half = triu(layer, k=1).tocoo()
        order = np.lexsort((half.col, half.row))
        return cls(half.row[order].astype(np.int64), half.col[order].astype(np.int64), half.data[order], merged=True)

    def __len__(self) -> int:
        return len(self.source)

    def select(self, rows: Any) -> Self:
        """Return some of the rows: a mask, positions or a slice."""
        two_way = None if self.two_way is None else self.two_way[rows]
        return replace(
            self, source=self.source[rows], target=self.target[rows], weight=self.weight[rows], two_way=two_way
        )

    def tuples(self) -> list[tuple[int, int, float]]:
        """Return the rows as (source, target, weight)."""
        return list(zip(self.source.tolist(), self.target.tolist(), self.weight.tolist(), strict=True))

    def n_pairs(self) -> int:
        """Count the rows that differ; two rows without direction are the same either way round."""
        two_way = np.full(len(self), not self.directed) if self.two_way is None else self.two_way
        low, high = np.minimum(self.source, self.target), np.maximum(self.source, self.target)
        ends = np.where(two_way, low, self.source), np.where(two_way, high, self.target), two_way
        return len(np.unique(np.stack(ends), axis=1).T)

    def merge(self, n_nodes: int, merge: Merge) -> Self:
        """Return one row per pair of nodes; there must be no loops and no weights of 0."""
        index_type = np.int32 if n_nodes <= np.iinfo(np.int32).max else np.int64
        source: npt.NDArray[np.integer[Any]] = self.source.astype(index_type, copy=False)
        target: npt.NDArray[np.integer[Any]] = self.target.astype(index_type, copy=False)
        weight = self.weight
        if self.directed and self.two_way is not None:
            both = self.two_way
            source, target = np.concatenate([source, target[both]]), np.concatenate([target, source[both]])
            weight = np.concatenate([weight, weight[both]])
        elif not self.directed:
            source, target = np.minimum(source, target), np.maximum(source, target)
        if merge == "sum":
            matrix = csr_array((weight, (source, target)), shape=(n_nodes, n_nodes))
            matrix.sum_duplicates()
            source = np.repeat(np.arange(n_nodes, dtype=matrix.indices.dtype), np.diff(matrix.indptr))
            target, weight = matrix.indices, matrix.data
        else:
            order = np.lexsort((weight, target, source))
            source, target, weight = source[order], target[order], weight[order]
            last = np.ones(len(source), dtype=bool)
            last[:-1] = (np.diff(source) != 0) | (np.diff(target) != 0)
            source, target, weight = source[last], target[last], weight[last]
        return replace(self, source=source, target=target, weight=weight, two_way=None, merged=True)

    def adjacency(self, n_nodes: int, merge: Merge = "sum") -> csr_array:
        """Return the N x N weights, source by row; several rows for one pair become their sum or the largest of them."""
        if not self.merged and merge == "max":
            return self.merge(n_nodes, merge).adjacency(n_nodes)
        shape = (n_nodes, n_nodes)
        if self.merged:
            starts = np.zeros(n_nodes + 1, dtype=self.target.dtype)
            np.cumsum(np.bincount(self.source, minlength=n_nodes), out=starts[1:])
            matrix = csr_array((self.weight, self.target, starts), shape=shape)
        else:
            matrix = csr_array((self.weight, (self.source, self.target)), shape=shape)
            matrix.sum_duplicates()
        return matrix if self.directed else csr_array(matrix + csr_array(matrix.T))
