"""Sources of evidence: each says, in nats, how well a partition explains what it observed of the nodes.

A layer is explained by the degree-corrected block model [1]_: its information is the mutual information between the
clusters at the two ends of a random edge, with a full K x K matrix, so that a layer which cannot tell two clusters apart
does not punish those who do. Words (and any table of counts) are explained by naive Bayes: the mutual information between
clusters and words.

    layer   I(z) = Σ_ab P_ab ln( P_ab / (r_a r_b) )         node i for cluster c:   Σ_b k_ib ln( P_cb / (r_c r_b) )
    words   I(z) = Σ_cf P_cf ln( P_cf / (p_c p_f) )         node i for cluster c:   Σ_f k_if ln( P_cf / (p_c p_f) )

with P the shares of edge weight (words) between clusters, k_i the node's own edges (words). Both are per observation; how
many independent observations a node has is said by `orthonet.evidence.observations`. A node's own edges and words are left
out of P where its present cluster is judged, else each node would vouch for where it is (an edge still counts from its
other end).

References
----------
.. [1] B. Karrer, M. E. J. Newman, "Stochastic blockmodels and community structure in networks", Physical Review E 83, 2011.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array

from orthonet.evidence.cluster_tables import Entries, entries_of, row_sums, sparse_table, square_roots
from orthonet.evidence.coarse import CoarseLayers, CoarseSource, CoarseWords, layer_information, word_information
from orthonet.evidence.observations import effective_observations, layer_closure, word_closure
from orthonet.graph.words import inverse_document_frequencies
from orthonet.linalg.scaling import in_order_of_columns, scaled_on_both_sides

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

UNSEEN = 1.0
"""Observations added to what was counted and to what was expected, so that what was never seen is unlikely, not impossible."""
BLOCK = 2**14
"""Nodes whose edges are counted at once."""
SPARSE = 16
"""Entries per entry that is not zero from which on a sparse product is faster than a dense one."""


class Source(Protocol):
    """One source of evidence about N nodes."""

    name: str
    observations: float
    """Independent observations per node."""
    ends: int
    """How many nodes share an observation: 2 for an edge, 1 for a word."""
    joint: bool
    """Whether it shows together what other sources show in parts, as all features do beside layers made from groups of them."""
    averages: str
    """Name of the source whose features it averages over the relations; empty for all other sources."""

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""

    @property
    def n_observed(self) -> npt.NDArray[np.integer]:
        """Edges or words of each node."""

    def information(self, labels: Labels, n_clusters: int) -> float:
        """Return I of the partition, in nats per observation."""

    def node_scores(self, labels: Labels, n_clusters: int, *, leave_out: bool = True) -> Array:
        """Return what the source says for each node and cluster, in nats, N x K."""

    def own_scores(self, labels: Labels, n_clusters: int) -> Array:
        """Return what the source says for each node's own cluster, in nats: a part of `node_scores`."""

    def coarse(self, cells: Labels, n_cells: int) -> CoarseSource:
        """Return the same source with cells of nodes for nodes."""

    def reweighted(self, rng: np.random.Generator, node_weights: Array) -> Self:
        """Return the source with nodes (and words) counted by random weights, for resampling."""


class LayerSource:
    """Edges of a layer as evidence.

    Parameters
    ----------
    adjacency : sparse array of shape (N, N)
        Symmetric; its unit does not matter.
    name : str
    observations : float
        Independent observations per node.
    joint : bool, default=False
        Whether it shows together what other sources show in parts.

    Attributes
    ----------
    per_unit_weight : float
        Edges that an edge of weight 1 counts for.
    """

    ends = 2
    averages = ""

    def __init__(self, adjacency: csr_array, name: str, observations: float, *, joint: bool = False) -> None:
        total = float(adjacency.sum())
        # The mean entry is 1, so that counts are counts of edges whatever the unit of the weights.
        self.per_unit_weight = adjacency.nnz / total if total > 0 else 1.0
        adjacency = in_order_of_columns(adjacency)
        parts = (adjacency.data * self.per_unit_weight, adjacency.indices, adjacency.indptr)
        self._edges = csr_array(parts, shape=adjacency.shape)
        self._degrees = np.asarray(self._edges.sum(axis=1)).ravel()
        self._total = max(float(self._degrees.sum()), 1.0)
        self._per_edge = observations * adjacency.shape[0] / self._total
        self.name, self.observations, self.joint = name, observations, joint

    @classmethod
    def from_layer(cls, adjacency: csr_array, name: str, rng: np.random.Generator, *, joint: bool = False) -> Self:
        """Return a layer as a source, its observations by the design effect; a node without edges makes none.

        An edge counts by the square root of its weight, which evens out the variance of counts: else a few heavy edges,
        such as those between near duplicates, would speak for all.
        """
        observations = effective_observations(np.diff(adjacency.indptr), layer_closure(adjacency, rng))
        roots = square_roots(in_order_of_columns(adjacency))
        return cls(roots, name, float(observations.mean()), joint=joint)

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return int(self._edges.shape[0])

    @property
    def n_observed(self) -> npt.NDArray[np.integer]:
        """Edges of each node."""
        return np.diff(self._edges.indptr)

    def information(self, labels: Labels, n_clusters: int) -> float:
        """Return I of the partition, in nats per observation."""
        return layer_information(self._blocks_of(labels, n_clusters) / self._total)

    def node_scores(self, labels: Labels, n_clusters: int, *, leave_out: bool = True) -> Array:
        """Return what the layer says for each node and cluster, in nats, N x K."""
        neighbours = self._neighbours(labels, n_clusters)
        entries = entries_of(neighbours)
        blocks = self._blocks(entries, labels, n_clusters)
        return self._scores(neighbours, entries, blocks, labels, self._degrees, leave_out)

    def _scores(
        self, neighbours: Array, entries: Entries, blocks: Array, labels: Labels, degrees: Array, leave_out: bool = True
    ) -> Array:
        """Return the scores of nodes from their edges to each cluster, with ``blocks`` the edges between clusters."""
        # Most nodes have edges to few clusters, and an entry that is zero says nothing.
        ratios = self._log_ratios(blocks) * self._per_edge
        few = len(entries[2]) * SPARSE <= neighbours.size
        scores: Array = (sparse_table(entries, neighbours.shape) if few else neighbours) @ ratios.T
        if leave_out:
            scores[np.arange(len(labels)), labels] = self._left_out(entries, blocks, labels, degrees)
        return scores

    def _left_out(self, entries: Entries, blocks: Array, labels: Labels, degrees: Array) -> Array:
        """Return the scores of nodes for their own clusters, without their own edges."""
        nodes, clusters, edges = entries
        shares, own = blocks.sum(axis=1), labels[nodes]
        others = np.maximum(blocks[own, clusters] - edges, 0.0) + UNSEEN
        expected = np.maximum(shares[own] - degrees[nodes], 0.0) * shares[clusters] / self._total + UNSEEN
        said = np.bincount(nodes, edges * np.log(others / expected), minlength=len(labels))
        return said * self._per_edge

    def own_scores(self, labels: Labels, n_clusters: int) -> Array:
        """Return what the layer says for each node's own cluster, in nats: a part of `node_scores`."""
        entries = entries_of(self._neighbours(labels, n_clusters))
        return self._left_out(entries, self._blocks(entries, labels, n_clusters), labels, self._degrees)

    def log_ratios(self, labels: Labels, n_clusters: int) -> Array:
        """Return ln( P_ab / (r_a r_b) ) times the observations that an edge counts for: the evidence of one edge, K x K."""
        return self._log_ratios(self._blocks_of(labels, n_clusters)) * self._per_edge

    def coarse(self, cells: Labels, n_cells: int) -> CoarseLayers:
        """Return the same layer between cells of nodes."""
        return CoarseLayers.of(self._blocks_of(cells, n_cells) / self._total)

    def reweighted(self, rng: np.random.Generator, node_weights: Array) -> Self:
        """Return the layer with each edge counted by the geometric mean of the weights of its nodes."""
        edges = scaled_on_both_sides(self._edges, np.sqrt(node_weights))
        return type(self)(edges, self.name, self.observations, joint=self.joint)

    def _neighbours(self, labels: Labels, n_clusters: int, edges: csr_array | None = None) -> Array:
        """Return the edge weight from each node, or by some rows of the edges, to each cluster.

        That is edges times `indicator`, but without the K − 1 zeros.
        """
        edges = self._edges if edges is None else edges
        n_nodes = edges.shape[0]
        narrow, starts = labels.astype(np.min_scalar_type(n_clusters)), edges.indptr  # so that they stay in the cache
        counted = np.empty((n_nodes, n_clusters))
        for first in range(0, n_nodes, BLOCK):  # as do the places of some rows
            stop = min(first + BLOCK, n_nodes)
            entries, size = slice(starts[first], starts[stop]), (stop - first) * n_clusters
            places = np.repeat(np.arange(0, size, n_clusters), np.diff(starts[first : stop + 1]))
            places += narrow[edges.indices[entries]]
            found = np.bincount(places, weights=edges.data[entries], minlength=size)
            counted[first:stop] = found.reshape(stop - first, n_clusters)
        return counted

    def _blocks(self, entries: Entries, labels: Labels, n_clusters: int) -> Array:
        """Return the edge weight between clusters."""
        nodes, clusters, edges = entries
        counted = np.bincount(labels[nodes] * n_clusters + clusters, edges, minlength=n_clusters**2)
        return counted.reshape(n_clusters, n_clusters).astype(np.float64, copy=False)

    def _blocks_of(self, labels: Labels, n_clusters: int) -> Array:
        return self._blocks(entries_of(self._neighbours(labels, n_clusters)), labels, n_clusters)

    def _log_ratios(self, blocks: Array) -> Array:
        shares = blocks.sum(axis=1)
        return np.log((blocks + UNSEEN) / (np.outer(shares, shares) / self._total + UNSEEN))


class WordSource:
    """Words (or any counts) of the nodes as evidence.

    Parameters
    ----------
    words : sparse array of shape (N, M)
        Non-negative; rarer words count more (inverse document frequency).
    name : str
    observations : float
        Independent observations per node, on average; a node with more words has more.
    joint : bool, default=False
        Whether it shows together what other sources show in parts.
    """

    ends = 1
    averages = ""

    def __init__(self, words: csr_array, name: str, observations: float, *, joint: bool = False) -> None:
        total = float(words.sum())
        self._words = csr_array(words * (words.nnz / total)) if total > 0 else words
        self._lengths = np.asarray(self._words.sum(axis=1)).ravel()
        self._total = max(float(self._lengths.sum()), 1.0)
        self._shares = np.asarray(self._words.sum(axis=0)).ravel() / self._total
        self._per_word = observations * words.shape[0] / self._total
        self.name, self.observations, self.joint = name, observations, joint

    @classmethod
    def from_counts(cls, counts: csr_array, name: str, rng: np.random.Generator, *, joint: bool = False) -> Self:
        """Return a table of counts as a source, each node's observations by the design effect: long texts repeat themselves."""
        return cls.with_closure(counts, name, word_closure(counts, rng), joint=joint)

    @classmethod
    def with_closure(cls, counts: csr_array, name: str, closure: float, *, joint: bool = False) -> Self:
        """Return a table of counts as a source, by the chance that two words of a node come together elsewhere too."""
        observations = effective_observations(np.diff(counts.indptr), closure)
        weighted = csr_array(counts @ diags_array(inverse_document_frequencies(counts)))
        lengths = np.asarray(weighted.sum(axis=1)).ravel()
        weighted = csr_array(diags_array(observations / np.where(lengths > 0, lengths, 1.0)) @ weighted)
        return cls(weighted, name, float(observations.mean()), joint=joint)

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return int(self._words.shape[0])

    @property
    def n_observed(self) -> npt.NDArray[np.integer]:
        """Words of each node."""
        return np.diff(self._words.indptr)

    def information(self, labels: Labels, n_clusters: int) -> float:
        """Return I of the partition, in nats per observation."""
        return word_information(self._in_clusters(labels, n_clusters) / self._total)

    def node_scores(self, labels: Labels, n_clusters: int, *, leave_out: bool = True) -> Array:
        """Return what the words say for each node and cluster, in nats, N x K."""
        return self._scores(self._words, self._in_clusters(labels, n_clusters), labels, self._lengths, leave_out)

    def _scores(
        self, rows: csr_array, in_clusters: Array, labels: Labels, lengths: Array, leave_out: bool = True
    ) -> Array:
        """Return the scores of nodes from their words, with ``in_clusters`` the words of all nodes of each cluster."""
        sizes = in_clusters.sum(axis=1)
        ratios = np.log((in_clusters + UNSEEN) / (np.outer(sizes, self._shares) + UNSEEN))
        scores: Array = rows @ ratios.T
        if leave_out:
            per_node, words, counts = np.diff(rows.indptr), rows.indices, rows.data
            places = np.repeat(labels * in_clusters.shape[1], per_node) + words
            others = np.maximum(in_clusters.ravel().take(places) - counts, 0.0)  # one index is sooner read than two
            others += UNSEEN
            left = np.maximum(sizes[labels] - lengths, 0.0)
            others /= np.repeat(left, per_node) * self._shares.take(words) + UNSEEN
            scores[np.arange(len(labels)), labels] = row_sums(counts * np.log(others, out=others), rows.indptr)
        return scores * self._per_word

    def own_scores(self, labels: Labels, n_clusters: int) -> Array:
        """Return what the words say for each node's own cluster, in nats."""
        return self.node_scores(labels, n_clusters)[np.arange(len(labels)), labels]

    def log_ratios(self, labels: Labels, n_clusters: int) -> Array:
        """Return ln( P_cf / (p_c p_f) ) times the observations that a word counts for: the evidence of one word, K x M."""
        in_clusters = self._in_clusters(labels, n_clusters)
        expected = np.outer(in_clusters.sum(axis=1), self._shares)
        return np.log((in_clusters + UNSEEN) / (expected + UNSEEN)) * self._per_word

    def node_terms(self, labels: Labels, rivals: Labels, n_clusters: int) -> csr_array:
        """Return what each word of each node says for its cluster against a rival, in nats, N x M.

        A row adds up to the difference of the node's two scores.
        """
        in_clusters = self._in_clusters(labels, n_clusters)
        sizes = in_clusters.sum(axis=1)
        nodes = np.repeat(np.arange(self.n_nodes), np.diff(self._words.indptr))
        words, counts, own, other = self._words.indices, self._words.data, labels[nodes], rivals[nodes]
        left = np.maximum(in_clusters[own, words] - counts, 0.0) + UNSEEN
        expected = np.maximum(sizes[own] - self._lengths[nodes], 0.0) * self._shares[words] + UNSEEN
        rival = (in_clusters[other, words] + UNSEEN) / (sizes[other] * self._shares[words] + UNSEEN)
        nats = self._per_word * counts * (np.log(left / expected) - np.log(rival))
        return csr_array((nats, words, self._words.indptr), shape=self._words.shape)

    def cluster_terms(self, labels: Labels, n_clusters: int) -> Array:
        """Return what each word says for each cluster, in nats, over all words of its nodes, K x M."""
        return self._in_clusters(labels, n_clusters) * self.log_ratios(labels, n_clusters)

    def coarse(self, cells: Labels, n_cells: int) -> CoarseWords:
        """Return the words of cells of nodes."""
        return CoarseWords(self._in_clusters(cells, n_cells) / self._total)

    def reweighted(self, rng: np.random.Generator, node_weights: Array) -> Self:
        """Return the words with nodes counted by their weights, and words by random ones."""
        by_word = diags_array(rng.exponential(size=self._words.shape[1]))
        weighted = csr_array(diags_array(node_weights) @ self._words @ by_word)
        return type(self)(weighted, self.name, self.observations, joint=self.joint)

    def _in_clusters(self, labels: Labels, n_clusters: int) -> Array:
        rows, n_words = self._words, self._words.shape[1]
        places = np.repeat(labels * n_words, np.diff(rows.indptr)) + rows.indices
        counted = np.bincount(places, rows.data, minlength=n_clusters * n_words)
        return counted.astype(np.float64, copy=False).reshape(n_clusters, n_words)


def information(
    sources: Sequence[Source], labels: Labels, n_clusters: int, weights: npt.ArrayLike | None = None
) -> float:
    """Return the information of a partition in all sources, in nats per node.

    Parameters
    ----------
    sources : sequence of Source
    labels : array of shape (N,)
        Clusters from 0 to K − 1.
    n_clusters : int
    weights : array of shape (sources,), optional
        How much each source counts; 1 by default, and 0 is as if it were not there.
    """
    parts = (
        weight * source.observations / source.ends * source.information(labels, n_clusters)
        for weight, source in _weighted(sources, weights)
    )
    return float(sum(parts))


def node_scores(
    sources: Sequence[Source], labels: Labels, n_clusters: int, weights: npt.ArrayLike | None = None
) -> Array:
    """Return what all sources together say for each node and cluster, in nats, N x K."""
    scores = np.zeros((len(labels), n_clusters))
    for weight, source in _weighted(sources, weights):
        scores += weight * source.node_scores(labels, n_clusters)
    return scores


def support(sources: Sequence[Source], labels: Labels, n_clusters: int, weights: npt.ArrayLike | None = None) -> float:
    """Return how well each node's cluster explains the node's own edges and words, itself left out: a mean over nodes, in nats.

    This is the pseudo-likelihood of the partition [1]_, against that of no clusters; partitions are compared by it.

    References
    ----------
    .. [1] J. Besag, "Statistical analysis of non-lattice data", The Statistician 24, 1975.
    """
    return own_support(node_scores(sources, labels, n_clusters, weights), labels)


def own_support(scores: Array, labels: Labels) -> float:
    """Return the mean over nodes of their scores for their own clusters."""
    return float(scores[np.arange(len(labels)), labels].mean())


def _weighted(sources: Sequence[Source], weights: npt.ArrayLike | None) -> Iterable[tuple[Any, Source]]:
    given = np.ones(len(sources)) if weights is None else np.asarray(weights, dtype=np.float64)
    return [(weight, source) for weight, source in zip(given, sources, strict=True) if weight > 0]
