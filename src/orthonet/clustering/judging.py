"""Judge: which partition the layers and the features support, how sure each label is, and who says so.

The search (`orthonet.evidence.search`) begins before the nets are trained: it weighs the layers that are then aggregated.
When the embedding is there it joins the search as one more proposal, the best partition is chosen, and its probabilities
are tempered on resampled data. Labels that were found otherwise (``assign_labels="kmeans"``) are explained by the same
sources.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from orthonet.clustering.assignment import Assignment, assignment_of
from orthonet.clustering.group_evidence import membership_arrays, reordered
from orthonet.clustering.node_evidence import NodeEvidence, node_evidence
from orthonet.evidence.confidence import tempered_probabilities
from orthonet.evidence.corroboration import NO_AGREEMENT, corroboration
from orthonet.evidence.feature_source import FeatureSource
from orthonet.evidence.search import Search
from orthonet.evidence.sources import Labels, LayerSource, Source, node_scores
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.memory import check_memory
from orthonet.support.sentences import Argument
from orthonet.support.warn import warn_user

Array = npt.NDArray[np.float64]

SCORES, COPIES = 8, 4
"""Tables of scores of all nodes and clusters that evidence has in memory at once, and copies of the edges."""
NETWORK = "network"
"""The paper's proposal: the clusters of the net's embedding."""


@dataclass(frozen=True)
class Judgement:
    """Labels, and what the sources say of them.

    Attributes
    ----------
    assignment : Assignment
        Labels in order of falling cluster size, and their centres in the embedding.
    source_names : tuple of str
    probabilities : array of shape (N, K)
    temperature : float
        Nats of evidence that count as one.
    stability : float
        Share of nodes that keep their cluster when the data is resampled.
    nodes : NodeEvidence
        What each source says of each node.
    corroboration : array of shape (sources,)
    edge_evidence : array of shape (S, K, K)
        Nats that an edge of a layer to a node of cluster b, of weight 1, says for cluster a; one of weight w says √w times as
        much.
    memberships : dict of str to array
        What the groups of two-mode relations say, see `membership_arrays`.
    """

    assignment: Assignment
    source_names: tuple[str, ...]
    probabilities: Array
    temperature: float
    stability: float
    nodes: NodeEvidence
    corroboration: Array
    edge_evidence: Array
    memberships: dict[str, Array]


def judge(search: Search, embedding: Array, normalize: bool, rng: np.random.Generator) -> Judgement:
    """Choose the partition that all sources support, the net's among them, and temper its probabilities.

    Where evidence cannot tell clusters from cuts, the choice is the net's own, as in the paper. The rows of the embedding are
    those of the graph of the search.
    """
    search.add_embedding(NETWORK, embedding)
    chosen = search.as_proposed(NETWORK) if search.cannot_judge else search.chosen
    k, sources, weights = search.inputs.n_clusters, search.sources, search.weights
    own = node_scores(sources, chosen.labels, k, weights)[np.arange(len(embedding)), chosen.labels]
    by_cluster = np.bincount(chosen.labels, own, minlength=k) / np.maximum(np.bincount(chosen.labels, minlength=k), 1)
    assignment = assignment_of(embedding, chosen.labels, by_cluster, normalize)
    proposed = list(search.proposed.values())
    tempered = tempered_probabilities(
        sources, assignment.labels, proposed, k, rng, weights, search.corroboration, anneal=search.annealed
    )
    _warn_of_disagreement(search)
    return Judgement(
        assignment,
        search.source_names,
        tempered.probabilities,
        tempered.temperature,
        tempered.stability,
        node_evidence(sources, assignment.labels, k, weights),
        search.corroboration,
        edge_evidence_of(search.inputs.layers, sources, assignment.labels, k, weights),
        membership_arrays(sources, assignment.labels, k, weights),
    )


def check_memory_of_evidence(graph: MultilayerGraph, n_clusters: int) -> None:
    """Refuse a search that needs more memory than there is."""
    entries = sum(layer.nnz for layer in graph.layers) + sum(one.incidence.nnz for one in graph.two_mode.values())
    check_memory(
        8.0 * (SCORES * graph.n_nodes * n_clusters + COPIES * entries),
        f"evidence on {graph.n_nodes:,} nodes and {n_clusters:,} clusters",
        "pass ",
        Argument("assign_labels", "kmeans"),
        " and ",
        Argument("layer_weights", None),
    )


def with_sorted_relations(graph: MultilayerGraph) -> MultilayerGraph:
    """Return the graph with its relations by their number of edges (memberships), then by name."""
    layers = sorted(range(graph.n_layers), key=lambda index: (graph.layers[index].nnz, graph.layer_names[index]))
    return graph.with_layers(
        {graph.layer_names[index]: graph.layers[index] for index in layers},
        present=[graph.present[index] for index in layers],
        two_mode=dict(sorted(graph.two_mode.items(), key=lambda item: (item[1].incidence.nnz, item[0]))),
    )


def known_vectors(search: Search, layer_names: Sequence[str]) -> list[Array] | None:
    """Return the eigenvectors of some layers, and of their mean, that a search has found; None if none.

    A layer that the search did not look at alone gets those of the mean.
    """
    known, n_relations = search.inputs.known_vectors, search.inputs.n_relations
    if "mean" not in known:
        return None
    numbers = {name: number for number, name in enumerate(search.source_names[:n_relations])}
    found = [known.get(numbers.get(name, n_relations), known["mean"]) for name in layer_names]
    return [*found, known["mean"]]


def with_given_relations(judgement: Judgement, graph: MultilayerGraph) -> Judgement:
    """Return a judgement of a graph whose relations were sorted, with the relations as they were given."""
    names = judgement.source_names
    layers = [names.index(name) for name in graph.layer_names]
    relations = [names.index(name) for name in graph.relation_names]
    sources = [*relations, *range(len(relations), len(names))]
    return replace(
        judgement,
        source_names=tuple(names[source] for source in sources),
        nodes=judgement.nodes.of_sources(sources),
        corroboration=judgement.corroboration[sources],
        edge_evidence=judgement.edge_evidence[layers],
        memberships=reordered(judgement.memberships, [one - graph.n_layers for one in relations[graph.n_layers :]]),
    )


def explain_assignment(
    graph: MultilayerGraph,
    sources: list[Source],
    assignment: Assignment,
    probabilities: Array,
    rng: np.random.Generator,
) -> Judgement:
    """Return what the sources say of labels that were found by other means."""
    k = len(assignment.centers)
    alike = np.ones(len(sources))
    return Judgement(
        assignment,
        tuple(source.name for source in sources),
        probabilities,
        1.0,
        1.0,
        node_evidence(sources, assignment.labels, k, alike),
        corroboration(sources, [assignment.labels], k, rng),
        edge_evidence_of(graph.layers, sources, assignment.labels, k, alike),
        membership_arrays(sources, assignment.labels, k, alike),
    )


def edge_evidence_of(
    layers: Sequence[csr_array], sources: list[Source], labels: Labels, n_clusters: int, weights: Array
) -> Array:
    """Return the evidence of one edge of each layer."""
    parts = []
    for index, layer in enumerate(layers):
        source = sources[index]
        if isinstance(source, FeatureSource):
            source = source.neighbours
        if not isinstance(source, LayerSource):  # a dense layer, whose source knows it by its landmarks
            source = LayerSource(np.sqrt(layer), source.name, source.observations)
        parts.append(weights[index] * source.log_ratios(labels, n_clusters) * source.per_unit_weight)
    return np.stack(parts) if parts else np.zeros((0, n_clusters, n_clusters))


def _warn_of_disagreement(search: Search) -> None:
    apart = [index for index, source in enumerate(search.sources) if not source.joint]
    found = search.corroboration[apart]
    if len(found) > 1 and found.max() < NO_AGREEMENT:
        names = ", ".join(repr(search.source_names[index]) for index in apart[:6]) + (", …" if len(apart) > 6 else "")
        warn_user(
            f"the sources ({names}) do not agree on anything: no partition found from the others explains more than "
            f"{found.max():.0%} of what one of them shows; these clusters rest on single sources, so look at each source alone"
        )
