"""What each source says of each node: for its cluster, for the runner-up, and what would be without it.

    evidence_is = score_is(own cluster) − score_is(runner-up),      the runner-up by all sources together

Left out, a source takes its scores of this node with it; all other nodes stay where they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from orthonet.evidence.graph_sources import on_disk
from orthonet.evidence.memberships import MembershipSource
from orthonet.evidence.sources import Labels, Source, WordSource
from orthonet.evidence.terms import Terms, combined, feature_terms, word_terms
from orthonet.graph.features import are_words
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.graph.words import as_counts

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class NodeEvidence:
    """What the sources say of each node.

    Attributes
    ----------
    own : array of shape (N, sources)
        Nats for the node's own cluster, against chance.
    evidence : array of shape (N, sources)
        The same against the runner-up.
    runner_up : array of shape (N,)
        The cluster that all sources together say most for, but for the node's own.
    without : array of shape (N, sources)
        The cluster that the other sources say most for, if a source is left out.
    """

    own: Array
    evidence: Array
    runner_up: Labels
    without: Labels

    def of_sources(self, sources: Sequence[int]) -> NodeEvidence:
        """Return the same of sources in another order."""
        return NodeEvidence(self.own[:, sources], self.evidence[:, sources], self.runner_up, self.without[:, sources])


def node_evidence(sources: Sequence[Source], labels: Labels, n_clusters: int, weights: Array) -> NodeEvidence:
    """Return what each source, counted by its weight, says of each node."""
    by_source = [
        weight * source.node_scores(labels, n_clusters) for source, weight in zip(sources, weights, strict=True)
    ]
    nodes = np.arange(len(labels))
    total = np.sum(by_source, axis=0)
    others = total.copy()
    others[nodes, labels] = -np.inf
    runner_up = others.argmax(axis=1).astype(np.int64)
    own = np.stack([scores[nodes, labels] for scores in by_source], axis=1)
    of_runner_up = np.stack([scores[nodes, runner_up] for scores in by_source], axis=1)
    without = np.stack([_winner(total - scores, labels) for scores in by_source], axis=1)
    return NodeEvidence(own, own - of_runner_up, runner_up, without)


def _winner(scores: Array, labels: Labels) -> Labels:
    """Return the cluster with the highest score; the own one where none is higher, but for rounding."""
    own = scores[np.arange(len(labels)), labels]
    best = scores.argmax(axis=1)
    return np.where(scores.max(axis=1) > own + 1e-9, best, labels).astype(np.int64)


def terms_of(
    graph: MultilayerGraph,
    sources: Sequence[Source],
    weights: Mapping[str, float],
    labels: Labels,
    runner_up: Labels,
    n_clusters: int,
) -> Terms:
    """Return the words, groups and features that say most of each node and each cluster.

    Features come first, then the groups of all two-mode relations, in the order of the graph. Features on disk, which are no
    source, are not looked at.

    Parameters
    ----------
    graph : MultilayerGraph
    sources : sequence of Source
        Of the same graph.
    weights : mapping of str to float
        How much each source counts, by its name.
    labels, runner_up : arrays of shape (N,)
    n_clusters : int
    """
    parts = []
    named = {source.name: source for source in sources if isinstance(source, WordSource)}

    def terms(source: WordSource, counts: csr_array) -> Terms:
        weight = weights[source.name]
        return word_terms(source, counts, labels, runner_up, n_clusters, weight)

    features, first = graph.features, 0 if graph.features is None else graph.features.shape[1]
    if features is not None and not on_disk(features):
        # A single layer that was made of words is a copy of them, and its source is the words.
        copies = graph.relation_names if graph.layers_from_features and len(graph.relation_names) == 1 else ()
        apart = [name for name in named if name in copies or name not in graph.relation_names]
        words = [named[name] for name in apart if are_words(features)]
        parts.append(
            terms(words[0], as_counts(features)) if words else feature_terms(features, labels, runner_up, n_clusters)
        )
    for name, relation in graph.two_mode.items():
        source = named.get(name)
        if isinstance(source, MembershipSource):
            groups = np.flatnonzero(source.rarity > 0)
            parts.append(terms(source, csr_array(relation.incidence[:, groups])).at(first + groups))
        first += relation.n_groups
    return combined(parts, graph.n_nodes, n_clusters)


def detail_arrays(nodes: NodeEvidence, terms: Terms) -> dict[str, npt.NDArray[Any]]:
    """Return what explanations are made of, by the names that it has in a fitted model."""
    return {
        "runner_up": nodes.runner_up,
        "own_evidence": nodes.own,
        "without": nodes.without,
        "node_terms": terms.of_nodes,
        "node_term_nats": terms.node_nats,
        "node_term_values": terms.node_values,
        "cluster_terms": terms.of_clusters,
        "cluster_term_nats": terms.cluster_nats,
        "cluster_term_inside": terms.inside,
        "cluster_term_outside": terms.outside,
    }
