"""Judge a fit of shards: the clusters, how sure each label is, who says so, and what places new nodes; for own nodes.

See `orthonet.clustering.judging` and `orthonet.clustering.placement`, which do the same with all nodes at hand.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, issparse

from orthonet.clustering.assignment import (
    SAMPLE,
    Assignment,
    assign,
    nearest_center,
    soft_assignment,
    unit_rows,
    warn_of_empty_clusters,
)
from orthonet.clustering.group_evidence import membership_arrays
from orthonet.clustering.judging import NETWORK, Judgement
from orthonet.clustering.node_evidence import node_evidence
from orthonet.clustering.parameters import LabelAssignment
from orthonet.clustering.placement import SAMPLE as HEAD_SAMPLE
from orthonet.clustering.placement import SAMPLE_BYTES, Head, train_head
from orthonet.clustering.shards.preparation import RowInputs
from orthonet.evidence.corroboration import corroboration
from orthonet.evidence.sources import Labels, Source, node_scores
from orthonet.partitioned.confidence import tempered_rows
from orthonet.partitioned.mending import RowMending
from orthonet.partitioned.rows import Rows
from orthonet.partitioned.search import RowSearch
from orthonet.partitioned.sources import RowLayerSource

Array = npt.NDArray[np.float64]


def judge_rows(
    search: RowSearch, layers: list[RowLayerSource], own: Array, normalize: bool, rng: np.random.Generator
) -> Judgement:
    """Choose the partition that all sources support, the net's among them, and temper its probabilities.

    Parameters
    ----------
    search : RowSearch
    layers : list of RowLayerSource
        Of the given layers, for what one edge says.
    own : array of shape (n, K)
        Own rows of the net's embedding.
    normalize : bool
        Whether these are scaled to unit length.
    rng : numpy.random.Generator
        The same in all processes.
    """
    search.add_embedding(NETWORK, own)
    chosen = search.as_proposed(NETWORK) if search.cannot_judge else search.best
    k, rows = search.n_clusters, search.rows
    scores = node_scores(search.sources, chosen.labels, k, search.weights)[np.arange(len(own)), chosen.labels]
    said, sizes = rows.sum(np.bincount(chosen.labels, scores, minlength=k), np.bincount(chosen.labels, minlength=k))
    assignment = _in_order(rows, own, chosen.labels, normalize, -(said / np.maximum(sizes, 1)).round(6))
    tempered = tempered_rows(search, assignment.labels, rng)
    return Judgement(
        assignment,
        search.source_names,
        tempered.probabilities,
        tempered.temperature,
        tempered.stability,
        node_evidence(search.sources, assignment.labels, k, search.weights),
        search.corroboration,
        _edge_evidence(layers, search.sources, assignment.labels, k, search.weights),
        membership_arrays(search.sources, assignment.labels, k, search.weights),
    )


def assign_rows(
    rows: Rows,
    sources: list[Source],
    layers: list[RowLayerSource],
    own: Array,
    how: LabelAssignment,
    rng: np.random.Generator,
) -> Judgement:
    """Cluster the rows of the embedding alone, by a sample of them, and explain the labels by the sources."""
    if how.method == "evidence":
        raise ValueError("evidence is not found in the embedding alone")
    method, k = how.method, own.shape[1]
    nodes, seed = rows.sample(SAMPLE, rng), int(rng.integers(2**63 - 1))
    seen = rows.at(own, nodes)
    centers = rows.by_first(
        lambda: (
            assign(
                seen, k, method=method, normalize=how.normalize_rows, n_init=how.n_init, rng=np.random.default_rng(seed)
            ).centers
        )
    )
    assignment = _in_order(rows, own, nearest_center(own, centers, how.normalize_rows), how.normalize_rows)
    labels, alike, mending = assignment.labels, np.ones(len(sources)), RowMending(rows)
    return Judgement(
        assignment,
        tuple(source.name for source in sources),
        soft_assignment(own, assignment.centers, assignment.spread, how.normalize_rows),
        1.0,
        1.0,
        node_evidence(sources, labels, k, alike),
        corroboration(sources, [labels], k, rng, mend=mending.mend, support=mending.support_by),
        _edge_evidence(layers, sources, labels, k, alike),
        membership_arrays(sources, labels, k, alike),
    )


def place_rows(
    rows: Rows, inputs: RowInputs, own: Array, labels: Labels, n_clusters: int, rng: np.random.Generator
) -> Head:
    """Train what places new nodes by their features, on a sample that all processes give to the first."""
    features = inputs.inputs
    at_most = int(min(HEAD_SAMPLE, max(100, SAMPLE_BYTES // (8 * features.shape[1]))))
    nodes, seed = rows.sample(at_most, rng), int(rng.integers(2**63 - 1))
    mine = nodes[(nodes >= rows.start) & (nodes < rows.stop)] - rows.start
    seen, embedded, named = _sampled(rows, features, nodes, mine), rows.at(own, nodes), rows.at(labels[:, None], nodes)
    given: Any = csr_array(seen) if issparse(features) else seen

    def trained() -> Head:
        known = named[:, 0].astype(np.int64)
        return train_head(given, inputs.scale, embedded, known, n_clusters, np.random.default_rng(seed))

    return rows.by_first(trained)


def _sampled(rows: Rows, features: Any, nodes: npt.NDArray[np.int64], mine: npt.NDArray[np.int64]) -> Array:
    """Return the features of some nodes, dense, to all processes."""
    found = np.zeros((len(nodes), features.shape[1]))
    some = features[mine]
    found[np.searchsorted(nodes, mine + rows.start)] = some.toarray() if issparse(some) else some
    return rows.sum(found)[0].reshape(found.shape)


def _in_order(rows: Rows, own: Array, labels: Labels, normalize: bool, *further: Array) -> Assignment:
    """Number clusters by falling size, those of equal size by further keys, and at last by their first nodes."""
    k = own.shape[1]
    seen = unit_rows(own) if normalize else own
    sums = np.zeros((k, k))
    np.add.at(sums, labels, seen)
    sums, sizes, whole = rows.sum(sums, np.bincount(labels, minlength=k), seen.sum(axis=0))
    centers = np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1)[:, None], whole / rows.n_nodes)
    warn_of_empty_clusters(sizes)
    firsts = np.full(k, rows.n_nodes)
    np.minimum.at(firsts, labels, np.arange(rows.start, rows.stop))
    ranking = np.lexsort([-rows.largest(-firsts), *further, -sizes])
    new_label = np.empty(k, dtype=np.int64)
    new_label[ranking] = np.arange(k)
    labels, centers = new_label[labels], centers[ranking]
    spread = rows.total(float(((seen - centers[labels]) ** 2).sum())) / rows.n_nodes
    return Assignment(labels, centers, spread)


def _edge_evidence(
    layers: list[RowLayerSource], sources: list[Source], labels: Labels, n_clusters: int, weights: Array
) -> Array:
    """Return the evidence of one edge of each layer."""
    by_name = dict(zip((source.name for source in sources), weights.tolist(), strict=True))
    parts = [
        by_name.get(layer.name, 1.0) * layer.log_ratios(labels, n_clusters) * layer.per_unit_weight for layer in layers
    ]
    return np.stack(parts) if parts else np.zeros((0, n_clusters, n_clusters))
