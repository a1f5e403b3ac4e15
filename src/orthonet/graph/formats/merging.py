"""Rows of a layer that name the same pair of nodes: one edge, with the sum or the largest of their weights."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from orthonet.graph.formats.network_file import Edges

Merge = Literal["sum", "max"]


def merged_pairs(
    source: npt.NDArray[Any],
    target: npt.NDArray[Any],
    weight: npt.NDArray[np.float64],
    n_nodes: int,
    directed: bool,
    merge: Merge,
) -> Edges:
    """Merge the rows that name the same pair."""
    index_type = np.int32 if n_nodes <= np.iinfo(np.int32).max else np.int64
    source, target = source.astype(index_type, copy=False), target.astype(index_type, copy=False)
    if not directed:
        source, target = np.minimum(source, target), np.maximum(source, target)
    if merge == "sum":
        matrix = csr_array((weight, (source, target)), shape=(n_nodes, n_nodes))
        matrix.sum_duplicates()
        source = np.repeat(np.arange(n_nodes, dtype=matrix.indices.dtype), np.diff(matrix.indptr))
        return Edges(source, matrix.indices, matrix.data, directed, merged=True)
    order = np.lexsort((weight, target, source))
    source, target, weight = source[order], target[order], weight[order]
    last = np.ones(len(source), dtype=bool)
    last[:-1] = (np.diff(source) != 0) | (np.diff(target) != 0)
    return Edges(source[last], target[last], weight[last], directed, merged=True)


def n_different_rows(source: npt.NDArray[Any], target: npt.NDArray[Any], two_way: npt.NDArray[np.bool_]) -> int:
    """Count rows that differ; two without direction are the same either way round."""
    low, high = np.minimum(source, target), np.maximum(source, target)
    ends = np.where(two_way, low, source), np.where(two_way, high, target), two_way
    return len(np.unique(np.stack(ends), axis=1).T)
