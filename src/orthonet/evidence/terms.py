"""Terms of evidence: what single words, groups and features say for a node's cluster, and which of them define a cluster.

    word or group f of node i       k_if ( ln P_cf / (p_c p_f)  −  ln P_rf / (p_r p_f) ),       c its cluster, r its runner-up
    dense feature f of node i       (μ_cf − μ_rf) (x_if − (μ_cf + μ_rf) / 2) / σ_f²

The terms of words and of groups add up to what their source says of the node. Dense features speak through their nearest
neighbours, which no single feature makes: each is shown as if it were alone and normal, with mean μ in each cluster and σ its
deviation within clusters, and these terms add up to nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, issparse

from orthonet.evidence.cluster_tables import indicator
from orthonet.evidence.sources import Labels, WordSource
from orthonet.graph.features import BLOCK_BYTES, Features

Array = npt.NDArray[np.float64]

OF_NODE = 5
"""Terms that are kept of each node: those that say most, for its cluster or against it."""
OF_CLUSTER = 20
"""Terms that are kept of each cluster."""
NO_TERM = -1
"""Stands where a node or a cluster has fewer."""
ROUNDING = 1e-12
"""Deviation, relative to the largest value, below which a feature is constant."""
DIGITS = 12
"""Of a mean, relative to the largest value: less is rounding."""
NARROWEST = 1e-3
"""Deviation within clusters, relative to that over all nodes, below which a feature is not believed to be so narrow."""


@dataclass(frozen=True)
class Terms:
    """The terms that say most of each node, and of each cluster, the strongest first.

    Attributes
    ----------
    of_nodes : array of shape (N, 5)
        Columns of the words, groups or features; -1 where there are no more.
    node_nats : array of shape (N, 5)
        What each says for the node's cluster against its runner-up.
    node_values : array of shape (N, 5)
        What the node has of it, as it was given.
    of_clusters : array of shape (K, 20)
    cluster_nats : array of shape (K, 20)
        What each says for the cluster, as a mean over its nodes.
    inside, outside : arrays of shape (K, 20)
        Share of the nodes inside and outside the cluster that have the word or are in the group; means of a dense feature.
    """

    of_nodes: npt.NDArray[np.int64]
    node_nats: Array
    node_values: Array
    of_clusters: npt.NDArray[np.int64]
    cluster_nats: Array
    inside: Array
    outside: Array

    def at(self, places: npt.NDArray[np.integer]) -> Terms:
        """Return the same terms under other numbers: ``places`` has the new one of each column."""
        nodes, clusters = (
            np.where(one == NO_TERM, NO_TERM, places[np.maximum(one, 0)]) for one in (self.of_nodes, self.of_clusters)
        )
        return replace(self, of_nodes=nodes, of_clusters=clusters)


def no_terms(n_nodes: int, n_clusters: int) -> Terms:
    """Return what there is without words, groups and features."""
    nodes, clusters = np.zeros((n_nodes, OF_NODE)), np.zeros((n_clusters, OF_CLUSTER))
    nothing, none = np.full(nodes.shape, NO_TERM, dtype=np.int64), np.full(clusters.shape, NO_TERM, dtype=np.int64)
    return Terms(nothing, nodes, nodes, none, clusters, clusters, clusters)


def word_terms(
    source: WordSource, counts: csr_array, labels: Labels, runner_up: Labels, n_clusters: int, weight: float = 1.0
) -> Terms:
    """Return the terms of words, or of groups.

    Parameters
    ----------
    source : WordSource
    counts : sparse array of shape (N, M)
        The words as they were given.
    labels, runner_up : arrays of shape (N,)
        Cluster of each node, and the one that comes next.
    n_clusters : int
    weight : float, default=1.0
        How much the source counts.
    """
    differences = source.node_terms(labels, runner_up, n_clusters)
    rows = np.repeat(np.arange(len(labels)), np.diff(differences.indptr))
    of_nodes, node_nats = _strongest(rows, differences.indices, weight * differences.data, len(labels), OF_NODE)
    values = entries_of(counts, of_nodes)
    sizes = np.bincount(labels, minlength=n_clusters)
    says = weight * source.cluster_terms(labels, n_clusters) / np.maximum(sizes, 1)[:, None]
    present = csr_array((np.ones(counts.nnz), counts.indices, counts.indptr), shape=counts.shape)
    with_word = np.asarray((indicator(labels, n_clusters).T @ present).todense(), dtype=np.float64)
    return Terms(of_nodes, node_nats, values, *_of_clusters(says, *_in_and_out(with_word, sizes)))


def feature_terms(features: Features, labels: Labels, runner_up: Labels, n_clusters: int) -> Terms:
    """Return the terms of dense features, in blocks of rows, so that a memory map never is in memory as a whole."""
    sizes = np.bincount(labels, minlength=n_clusters)
    n_nodes, n_features = features.shape
    largest = np.max([np.abs(rows).max(axis=0) for _, rows in _blocks(features)], axis=0)
    unit = np.where(largest > 0, largest, 1.0)  # so that no square overflows or vanishes
    overall = sum(((rows / unit).sum(axis=0) for _, rows in _blocks(features)), np.zeros(n_features)) / n_nodes
    sums, squares = np.zeros((n_clusters, n_features)), np.zeros(n_features)
    for nodes, rows in _blocks(features):
        centred = rows / unit - overall  # so that a large common offset costs no digits
        sums += indicator(labels[nodes], n_clusters).T @ centred
        squares += (centred**2).sum(axis=0)
    means = sums / np.maximum(sizes, 1)[:, None]
    within = np.maximum(squares - (sums * means).sum(axis=0), NARROWEST**2 * squares) / n_nodes
    varies = squares > n_nodes * ROUNDING**2
    precision = np.where(varies, 1.0 / np.where(varies, within, 1.0), 0.0)
    of_nodes, nats = np.full((n_nodes, OF_NODE), NO_TERM, dtype=np.int64), np.zeros((n_nodes, OF_NODE))
    values = np.zeros((n_nodes, OF_NODE))
    kept = min(OF_NODE, n_features)
    for nodes, rows in _blocks(features):
        own, other = means[labels[nodes]], means[runner_up[nodes]]
        says = (own - other) * (rows / unit - overall - (own + other) / 2) * precision
        best = _largest(np.abs(says), kept)
        of_nodes[nodes, :kept], nats[nodes, :kept] = best, np.take_along_axis(says, best, axis=1)
        values[nodes, :kept] = np.take_along_axis(rows, best, axis=1)
    inside, outside = _in_and_out(sums, sizes)
    says = np.where(sizes[:, None] > 0, (inside - outside) ** 2 / 2 * precision, 0.0)
    shown = (np.round(means + overall, DIGITS) * unit for means in (inside, outside))
    return Terms(of_nodes, nats, values, *_of_clusters(says, *shown))


def combined(parts: list[Terms], n_nodes: int, n_clusters: int) -> Terms:
    """Return the strongest of several kinds of terms."""
    if not parts:
        return no_terms(n_nodes, n_clusters)
    of_nodes, nats = np.hstack([one.of_nodes for one in parts]), np.hstack([one.node_nats for one in parts])
    best = np.argsort(-np.where(of_nodes == NO_TERM, -1.0, np.abs(nats)), axis=1, kind="stable")[:, :OF_NODE]
    of_clusters = np.hstack([one.of_clusters for one in parts])
    says = np.hstack([one.cluster_nats for one in parts])
    top = np.argsort(-np.where(of_clusters == NO_TERM, -1.0, says), axis=1, kind="stable")[:, :OF_CLUSTER]
    return Terms(
        np.take_along_axis(of_nodes, best, axis=1),
        np.take_along_axis(nats, best, axis=1),
        np.take_along_axis(np.hstack([one.node_values for one in parts]), best, axis=1),
        np.take_along_axis(of_clusters, top, axis=1),
        np.take_along_axis(says, top, axis=1),
        np.take_along_axis(np.hstack([one.inside for one in parts]), top, axis=1),
        np.take_along_axis(np.hstack([one.outside for one in parts]), top, axis=1),
    )


def _blocks(features: Features) -> Iterator[tuple[slice, Array]]:
    size = max(1, BLOCK_BYTES // (64 * features.shape[1]))  # of which several copies are made
    for start in range(0, features.shape[0], size):
        rows: Any = features[start : start + size]
        dense = rows.toarray() if issparse(rows) else rows
        yield slice(start, start + len(dense)), np.asarray(dense, dtype=np.float64)


def _strongest(
    rows: npt.NDArray[np.intp], columns: npt.NDArray[np.integer], values: Array, n_rows: int, most: int
) -> tuple[npt.NDArray[np.int64], Array]:
    """Return the columns and the values of the largest entries of each row, whatever their sign."""
    order = np.lexsort([columns, -np.abs(values), rows])
    starts = np.searchsorted(rows[order], np.arange(n_rows))
    rank = np.arange(len(rows)) - starts[rows[order]]
    kept = order[rank < most]
    places = rows[kept], rank[rank < most]
    found, nats = np.full((n_rows, most), NO_TERM, dtype=np.int64), np.zeros((n_rows, most))
    found[places], nats[places] = columns[kept], values[kept]
    return found, nats


def _largest(values: Array, most: int) -> npt.NDArray[np.intp]:
    """Return the columns of the largest of the entries, from 0 on, of each row, the first of equal ones first; changes them."""
    found, each = np.empty((len(values), most), dtype=np.intp), np.arange(len(values))
    for rank in range(most):  # a few looks at all entries take less time than to sort them
        found[:, rank] = values.argmax(axis=1)
        values[each, found[:, rank]] = -1.0
    return found


def entries_of(matrix: csr_array, columns: npt.NDArray[np.int64]) -> Array:
    """Return the entries of each row in some columns, 0 where a column is none."""
    rows = np.repeat(np.arange(len(columns)), columns.shape[1])
    found = np.asarray(matrix[rows, np.maximum(columns, 0).ravel()]).reshape(columns.shape)
    return np.where(columns == NO_TERM, 0.0, found)


def _in_and_out(sums: Array, sizes: npt.NDArray[np.integer]) -> tuple[Array, Array]:
    """Return means inside and outside each cluster from the sums inside; 0 where there are no nodes."""
    outside = (sizes.sum() - sizes)[:, None]
    return sums / np.maximum(sizes, 1)[:, None], (sums.sum(axis=0) - sums) / np.maximum(outside, 1)


def _of_clusters(says: Array, inside: Array, outside: Array) -> tuple[npt.NDArray[np.int64], Array, Array, Array]:
    """Return the terms that say most for each cluster; those that say nothing for it are left out."""
    n_clusters, kept = len(says), min(OF_CLUSTER, says.shape[1])
    best = np.argsort(-says, axis=1, kind="stable")[:, :kept]
    found = np.full((n_clusters, OF_CLUSTER), NO_TERM, dtype=np.int64)
    values = [np.zeros((n_clusters, OF_CLUSTER)) for _ in range(3)]
    nats = np.take_along_axis(says, best, axis=1)
    speaks = nats > 0
    found[:, :kept] = np.where(speaks, best, NO_TERM)
    for kept_values, given in zip(values, (says, inside, outside), strict=True):
        kept_values[:, :kept] = np.where(speaks, np.take_along_axis(given, best, axis=1), 0.0)
    return found, values[0], values[1], values[2]
