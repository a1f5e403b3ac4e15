"""Sources of evidence of which each process holds the rows of its own nodes.

What a source knows of clusters are small sums, P_ab over edges (K x K) or P_cf over words (K x M): each process counts its own
rows, and the counts are added up. With them it scores its own nodes as `orthonet.evidence.sources` does; of other nodes it
needs the clusters of those that its edges lead to, a byte or two each. Labels are those of own nodes, everywhere.
"""

from __future__ import annotations

from typing import Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array

from orthonet.evidence.cluster_tables import Entries, square_roots
from orthonet.evidence.memberships import MembershipSource
from orthonet.evidence.observations import effective_observations
from orthonet.evidence.sources import Labels, LayerSource, WordSource
from orthonet.graph.words import rarity_of
from orthonet.partitioned.closure import layer_closure, word_closure
from orthonet.partitioned.halo import Halo
from orthonet.partitioned.rows import Rows

Array = npt.NDArray[np.float64]


class RowLayerSource(LayerSource):
    """Edges of a layer as evidence, from own rows.

    Parameters
    ----------
    halo : Halo
    adjacency : sparse array of shape (n, n + halo)
        See `Halo.local`.
    name : str
    observations : float
        Independent observations per node.
    joint : bool, default=False
    """

    def __init__(
        self, halo: Halo, adjacency: csr_array, name: str, observations: float, *, joint: bool = False
    ) -> None:
        entries, total = (float(one[0]) for one in halo.rows.sum(adjacency.nnz, adjacency.sum()))
        self.per_unit_weight = entries / total if total > 0 else 1.0
        self._edges = csr_array(adjacency * self.per_unit_weight)
        self._degrees = np.asarray(self._edges.sum(axis=1)).ravel()
        self._total = max(halo.rows.total(float(self._degrees.sum())), 1.0)
        self._per_edge = observations * halo.rows.n_nodes / self._total
        self.name, self.observations, self.joint = name, observations, joint
        self._halo = halo

    @classmethod
    def of(cls, halo: Halo, adjacency: csr_array, name: str, rng: np.random.Generator) -> Self:
        """Return a layer as a source, its observations by the design effect; an edge counts by the root of its weight."""
        closure = layer_closure(halo, adjacency, rng)
        own = effective_observations(np.diff(adjacency.indptr), closure)
        observations = halo.rows.total(float(own.sum())) / halo.rows.n_nodes
        roots = csr_array((np.sqrt(adjacency.data), adjacency.indices, adjacency.indptr), shape=adjacency.shape)
        return cls(halo, roots, name, observations)

    def reweighted(self, rng: np.random.Generator, node_weights: Array) -> Self:
        """Return the layer with each edge counted by the geometric mean of the weights of its nodes."""
        roots = np.sqrt(node_weights)
        scaled = csr_array(diags_array(roots) @ self._edges @ diags_array(self._halo.extended(roots)))
        return type(self)(self._halo, scaled, self.name, self.observations, joint=self.joint)

    def _neighbours(self, labels: Labels, n_clusters: int, edges: csr_array | None = None) -> Array:
        """Return the edge weight from each own node to each cluster."""
        return super()._neighbours(self._halo.labels(labels, n_clusters), n_clusters, edges)

    def _blocks(self, entries: Entries, labels: Labels, n_clusters: int) -> Array:
        """Return the edge weight between clusters, over all processes."""
        return self._halo.rows.sum(super()._blocks(entries, labels, n_clusters))[0]


class RowWordSource(WordSource):
    """Words (or any counts) of own nodes as evidence.

    Parameters
    ----------
    rows : Rows
    words : sparse array of shape (n, M)
        Weighted counts.
    name : str
    observations : float
        Independent observations per node, on average.
    joint : bool, default=False
    """

    def __init__(self, rows: Rows, words: csr_array, name: str, observations: float, *, joint: bool = False) -> None:
        entries, total = (float(one[0]) for one in rows.sum(words.nnz, words.sum()))
        self._words = csr_array(words * (entries / total)) if total > 0 else words
        self._lengths = np.asarray(self._words.sum(axis=1)).ravel()
        by_word, own = rows.sum(np.asarray(self._words.sum(axis=0)).ravel(), self._lengths.sum())
        self._total = max(float(own[0]), 1.0)
        self._shares = by_word / self._total
        self._per_word = observations * rows.n_nodes / self._total
        self.name, self.observations, self.joint = name, observations, joint
        self._rows = rows

    @classmethod
    def of(cls, rows: Rows, counts: csr_array, name: str, rng: np.random.Generator, *, joint: bool = False) -> Self:
        """Return a table of counts as a source, each node's observations by the design effect."""
        source, _ = cls._counted(rows, counts, name, word_closure(rows, counts, rng), joint)
        return source

    @classmethod
    def _counted(
        cls, rows: Rows, counts: csr_array, name: str, closure: float, joint: bool = False
    ) -> tuple[Self, Array]:
        """Return the source, and the inverse document frequencies of its words."""
        (with_word,) = rows.sum(np.bincount(counts.indices, minlength=counts.shape[1]))
        rarity = rarity_of(with_word, rows.n_nodes)
        observations = effective_observations(np.diff(counts.indptr), closure)
        weighted = csr_array(counts @ diags_array(rarity))
        lengths = np.asarray(weighted.sum(axis=1)).ravel()
        weighted = csr_array(diags_array(observations / np.where(lengths > 0, lengths, 1.0)) @ weighted)
        mean = rows.total(float(observations.sum())) / rows.n_nodes
        return cls(rows, weighted, name, mean, joint=joint), rarity

    def reweighted(self, rng: np.random.Generator, node_weights: Array) -> Self:
        """Return the words with nodes counted by their weights, and words by random ones, the same in all processes."""
        by_word = diags_array(rng.exponential(size=self._words.shape[1]))
        weighted = csr_array(diags_array(node_weights) @ self._words @ by_word)
        return type(self)(self._rows, weighted, self.name, self.observations, joint=self.joint)

    def _in_clusters(self, labels: Labels, n_clusters: int) -> Array:
        return self._rows.sum(super()._in_clusters(labels, n_clusters))[0]


class RowMembershipSource(RowWordSource, MembershipSource):
    """Memberships of own nodes in groups as evidence; groups of a single member, in all processes, are left out."""

    @classmethod
    def of(cls, rows: Rows, counts: csr_array, name: str, rng: np.random.Generator, *, joint: bool = False) -> Self:
        """Return a two-mode relation as a source; a node in no shared group makes no observation."""
        (members,) = rows.sum(np.bincount(counts.indices, minlength=counts.shape[1]))
        groups = np.flatnonzero(members > 1)
        shared = square_roots(csr_array(counts[:, groups]))
        closure = word_closure(rows, shared, rng)
        source, rarity = cls._counted(rows, shared, name, closure, joint)
        source.closure, source.rarity = closure, np.zeros(counts.shape[1])
        source.rarity[groups] = rarity
        return source
