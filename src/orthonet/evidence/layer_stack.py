"""Several layers as one table of edges: their scores by few passes over all edges, not by a dozen for each layer.

The edges of the layers stand below each other, those to clusters beside each other: a row for each node, with K numbers for
each layer, of which one product makes scores. Edges to clusters, edges between clusters and logarithms are counted for all
layers at once; the equations are those of `orthonet.evidence.sources.LayerSource`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from orthonet.evidence.cluster_tables import entries_of, sparse_table
from orthonet.evidence.sources import SPARSE, UNSEEN, Labels, LayerSource

Array = npt.NDArray[np.float64]
Nodes = npt.NDArray[np.intp]


class LayerStack:
    """Layers with weights.

    Parameters
    ----------
    layers : sequence of (weight, LayerSource)
        At least one.
    n_clusters : int
    """

    def __init__(self, layers: Sequence[tuple[float, LayerSource]], n_clusters: int) -> None:
        sources = [layer for _, layer in layers]
        self._n_layers, self._n_nodes, self._k = len(layers), sources[0].n_nodes, n_clusters
        edges = [one._edges for one in sources]
        before = np.cumsum([0, *(one.nnz for one in edges)])
        self._starts = np.concatenate([one.indptr[:-1] + n for one, n in zip(edges, before, strict=False)])
        self._lengths = np.concatenate([np.diff(one.indptr) for one in edges])
        self._ends = np.concatenate([one.indices for one in edges])
        self._edge_weights = np.concatenate([one.data for one in edges])
        self._first_places = np.repeat(self._row_places(self._n_nodes), self._lengths)
        self._degrees = np.stack([one._degrees for one in sources], axis=1).ravel()
        self._totals = np.array([one._total for one in sources])
        self._per_edge = np.array([weight * one._per_edge for weight, one in layers])

    def scores(self, labels: Labels) -> tuple[Array, Array, Array]:
        """Return the scores of all nodes, N x K; what an edge says, S K x K; and δ of `orthonet.evidence.steady_scores`."""
        n_layers, n_nodes, k = self._n_layers, self._n_nodes, self._k
        places = self._first_places + labels.astype(np.min_scalar_type(k))[self._ends]
        found = np.bincount(places, self._edge_weights, minlength=n_layers * n_nodes * k)
        counted: Array = found.astype(np.float64, copy=False)
        rows, clusters, edges = entries_of(counted.reshape(-1, k))
        nodes = rows // n_layers
        layers, own = rows - nodes * n_layers, labels[nodes]
        pairs = (layers * k + own) * k + clusters
        blocks = np.bincount(pairs, edges, minlength=n_layers * k * k).reshape(n_layers, k, k)
        shares = blocks.sum(axis=2)
        expected = shares[:, :, None] * shares[:, None, :] / self._totals[:, None, None]
        ratios = np.log((blocks + UNSEEN) / (expected + UNSEEN)) * self._per_edge[:, None, None]
        ratios = ratios.transpose(0, 2, 1).reshape(n_layers * k, k)
        few = len(edges) * SPARSE <= counted.size
        # Most nodes have edges to few clusters, and an entry that is zero says nothing.
        shape = (n_nodes, n_layers * k)
        table = sparse_table((nodes, layers * k + clusters, edges), shape) if few else counted.reshape(shape)
        scores: Array = table @ ratios

        others = np.maximum(blocks.ravel()[pairs] - edges, 0.0) + UNSEEN
        rest = np.maximum(shares.ravel()[layers * k + own] - self._degrees[rows], 0.0)
        expected_of = rest * shares.ravel()[layers * k + clusters] / self._totals[layers] + UNSEEN
        nats = edges * np.log(others / expected_of) * self._per_edge[layers]
        left_out = np.bincount(nodes, nats, minlength=n_nodes)
        each = np.arange(n_nodes)
        with_itself = scores[each, labels]
        scores[each, labels] = left_out
        return scores, ratios, left_out - with_itself

    def _row_places(self, n_rows: int) -> Nodes:
        """Return where the K numbers of each layer and node begin in a table of so many nodes, layer by layer."""
        width = self._n_layers * self._k
        return (np.arange(0, width, self._k)[:, None] + np.arange(0, n_rows * width, width)).ravel()

    def edges_of(self, nodes: Nodes) -> tuple[Nodes, npt.NDArray[np.integer], npt.NDArray[np.integer]]:
        """Return where the edges of some nodes are, layer by layer; their other ends; and how many each node has."""
        rows = (np.arange(0, self._n_layers * self._n_nodes, self._n_nodes)[:, None] + nodes).ravel()
        lengths = self._lengths[rows]
        places = np.repeat(self._starts[rows] - (np.cumsum(lengths) - lengths), lengths)
        places += np.arange(len(places))
        return places, self._ends[places], lengths

    def to_clusters(self, labels: Labels, nodes: Nodes) -> Array:
        """Return the edge weight from some nodes to each cluster, K numbers for each layer."""
        places, ends, lengths = self.edges_of(nodes)
        into = np.repeat(self._row_places(len(nodes)), lengths)
        into += labels[ends]
        counted = np.bincount(into, self._edge_weights[places], minlength=len(lengths) * self._k)
        return counted.astype(np.float64, copy=False).reshape(len(nodes), self._n_layers * self._k)
