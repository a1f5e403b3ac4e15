"""A layer's adjacency as a small picture: nodes put in order, and counted together in bins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, reverse_cuthill_mckee

Array = npt.NDArray[np.float64]
Order = npt.NDArray[np.intp]

MAX_BINS = 300
"""Bins per side: more cannot be distinguished on a screen."""
MOVES = 30


def node_order(labels: npt.NDArray[Any], score: npt.NDArray[Any] | None = None) -> Order:
    """Order nodes by label, and within a label from the highest score to the lowest."""
    return np.lexsort([np.zeros(len(labels)) if score is None else -score, labels])


def neighbour_order(layers: Sequence[csr_array]) -> Order:
    """Order nodes so that those joined in any layer come near each other, the largest connected component first.

    Nodes start on a line, at their places in the reverse Cuthill–McKee order of the union of the layers, and move 30 times half
    the way to the mean of their neighbours: groups draw together long before all nodes meet.
    """
    union = csr_array(sum((_joined(layer) for layer in layers[1:]), _joined(layers[0])))
    components = connected_components(union, directed=False)[1]
    sizes = np.bincount(components)
    degrees = np.asarray(union.sum(axis=1)).ravel()
    total = np.maximum(np.bincount(components, degrees), 1)
    place = np.empty(len(components))
    place[reverse_cuthill_mckee(union, symmetric_mode=True)] = np.linspace(-1, 1, len(components))
    for _ in range(MOVES):
        place = (place + union @ place / np.maximum(degrees, 1)) / 2
        # Where they would meet in the end is taken away, lest what still parts them drowns in rounding.
        place -= (np.bincount(components, degrees * place) / total)[components]
    return np.lexsort([place, components, -sizes[components]])


def bins(order: Order, max_bins: int = MAX_BINS) -> npt.NDArray[np.int64]:
    """Return the bin of each node when nodes stand in ``order``: at most ``max_bins``, which differ by at most one node."""
    n_nodes = len(order)
    bin_of = np.empty(n_nodes, dtype=np.int64)
    bin_of[order] = np.arange(n_nodes) * min(n_nodes, max_bins) // n_nodes
    return bin_of


def binned_adjacency(layer: csr_array, order: Order, max_bins: int = MAX_BINS) -> Array:
    """Return the adjacency with rows and columns in ``order``, in at most ``max_bins`` bins a side.

    A cell is the share of its pairs of nodes that is joined; bins differ by at most one node.
    """
    bin_of = bins(order, max_bins)
    n_bins = min(len(order), max_bins)
    entries = layer.tocoo()
    kept = entries.data != 0
    cells = bin_of[entries.row[kept]] * n_bins + bin_of[entries.col[kept]]
    joined = np.bincount(cells, minlength=n_bins**2).reshape(n_bins, n_bins)
    counts = np.bincount(bin_of, minlength=n_bins)
    pairs = np.outer(counts, counts) - np.diag(counts)
    return joined / np.maximum(pairs, 1)


def _joined(layer: csr_array) -> csr_array:
    return csr_array(((layer.data != 0).astype(np.float64), layer.indices, layer.indptr), shape=layer.shape)
