"""Several layers as one table of edges: their scores by few passes over all edges, not by a dozen for each layer.

The edges of the layers stand below each other, those to clusters beside each other: a row for each node, with K numbers for
each layer, of which one product makes scores. Edges to clusters, edges between clusters and logarithms are counted for all
layers at once; the equations are those of `orthonet.evidence.sources.LayerSource`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from orthonet.evidence.cluster_tables import row_sums
from orthonet.evidence.sources import SPARSE, UNSEEN, Labels, LayerSource

Array = npt.NDArray[np.float64]
Nodes = npt.NDArray[np.intp]

EXACT_BITS = 52
"""Binary digits of a sum of all edge weights that are counted: as many as a number has."""
UPDATE = 4
"""Edges per edge of a node that moved from which on counts are brought up to date: to take an edge away and to add it costs
about twice what counting it does, and it must be found first."""


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
        weights = np.concatenate([one.data for one in edges])
        # Sums of multiples of one small number are exact: what moves take away and add leaves no rounding behind.
        smallest = 2.0 ** (np.ceil(np.log2(max(float(weights.sum()), 1.0))) - EXACT_BITS)
        self._edge_weights = np.rint(weights / smallest) * smallest
        self._first_places = np.repeat(self._row_places(self._n_nodes), self._lengths)
        self._degrees = np.stack([one._degrees for one in sources], axis=1).ravel()
        self._totals = np.array([one._total for one in sources])
        self._per_edge = np.array([weight * one._per_edge for weight, one in layers])
        self._layer_of = np.repeat(np.arange(self._n_layers), n_clusters)  # of each column,
        self._cluster_of = np.tile(np.arange(n_clusters), self._n_layers)

    def counts(self, labels: Labels) -> Array:
        """Return the edge weight from each node to each cluster: a row for each node, with K numbers for each layer."""
        places = self._first_places + labels.astype(np.min_scalar_type(self._k))[self._ends]
        size = self._n_nodes * self._n_layers * self._k
        found = np.bincount(places, self._edge_weights, minlength=size)
        return found.astype(np.float64, copy=False).reshape(self._n_nodes, -1)

    def counts_after(self, counted: Array, before: Labels, labels: Labels) -> Array:
        """Return the same from the counts ``before`` some nodes moved; those are changed in place if they serve."""
        moved = np.flatnonzero(before != labels)
        places, ends, lengths = self.edges_of(moved)
        if len(places) * UPDATE > len(self._ends):
            return self.counts(labels)
        firsts = np.repeat(np.arange(0, self._n_layers * self._k, self._k), len(moved))
        into = ends * counted.shape[1]
        weights, flat = self._edge_weights[places], counted.ravel()
        np.subtract.at(flat, into + np.repeat(firsts + np.tile(before[moved], self._n_layers), lengths), weights)
        np.add.at(flat, into + np.repeat(firsts + np.tile(labels[moved], self._n_layers), lengths), weights)
        return counted

    def scores(self, labels: Labels, counted: Array | None = None) -> tuple[Array, Array, Array]:
        """Return the scores of all nodes, N x K; what an edge says, S K x K; and δ of `orthonet.evidence.steady_scores`.

        Parameters
        ----------
        labels : array of shape (N,)
        counted : array of shape (N, S K), optional
            The `counts` of these labels, if they are known.
        """
        n_layers, n_nodes, k = self._n_layers, self._n_nodes, self._k
        counted = self.counts(labels) if counted is None else counted
        # Most nodes have edges to few clusters, and an entry that is zero says nothing.
        places = np.flatnonzero(counted.ravel() != 0)  # of booleans, which numpy finds ten times as fast
        edges, nodes = counted.ravel().take(places), places // (n_layers * k)
        starts = np.searchsorted(places, np.arange(0, counted.size + 1, n_layers * k))
        columns = places - nodes * (n_layers * k)
        layers = self._layer_of.take(columns)
        own = layers * k + labels.take(nodes)
        pairs = own * k + self._cluster_of.take(columns)
        blocks = np.bincount(pairs, edges, minlength=n_layers * k * k).reshape(n_layers, k, k)
        shares = blocks.sum(axis=2)
        relative = shares / self._totals[:, None]
        ratios = np.log((blocks + UNSEEN) / (shares[:, :, None] * relative[:, None, :] + UNSEEN))
        ratios = (ratios * self._per_edge[:, None, None]).transpose(0, 2, 1).reshape(n_layers * k, k)
        few = len(edges) * SPARSE <= counted.size
        scores: Array = (csr_array((edges, columns, starts), shape=counted.shape) if few else counted) @ ratios

        others = np.maximum(blocks.ravel().take(pairs) - edges, 0.0) + UNSEEN
        rest = np.maximum(shares.ravel().take(own) - self._degrees.take(nodes * n_layers + layers), 0.0)
        others /= rest * relative.ravel().take(columns) + UNSEEN
        nats = np.log(others, out=others) * edges * self._per_edge.take(layers)
        left_out = row_sums(nats, starts)
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
