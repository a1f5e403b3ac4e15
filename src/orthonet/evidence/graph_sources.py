"""What a graph gives evidence by: its layers, its two-mode relations, its features, and all of them together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from orthonet.evidence.feature_source import FeatureSource
from orthonet.evidence.feature_values import values_of
from orthonet.evidence.gaussian import GaussianSource
from orthonet.evidence.memberships import MembershipSource
from orthonet.evidence.sources import LayerSource, Source, WordSource
from orthonet.graph.features import BLOCK_BYTES, Features, are_words
from orthonet.graph.knn import knn_layer
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.graph.words import as_counts

Array = npt.NDArray[np.float64]

FEATURE_NEIGHBORS = 10
"""Neighbours in the layer that dense features speak through."""
DENSE = 0.25
"""Share of all pairs of nodes from which on a layer's edges are not rare events."""
MANY_EDGES = 100
"""Edges per node that such a layer has at least: fewer say little about who is joined to whom."""
LANDMARKS = 512
"""Nodes that the others are known by in such a layer."""
WORDS = "words"
"""Name of the source of words."""
FEATURES = "features"
"""Name of the source of dense features: that of their layer."""
AVERAGED = "averaged words"
"""Name of the source of words averaged over the relations."""


def sources_of(
    graph: MultilayerGraph, feature_layer: csr_array | None, n_clusters: int, rng: np.random.Generator
) -> list[Source]:
    """Return what a graph gives evidence by: each layer, each two-mode relation, and the features.

    Words speak for themselves, dense features through their own layer and by their values. Beside layers made from groups of
    the features they are a joint source: clusters that overlap in each group may be apart in all together. A single layer made
    from the features is a copy of them: its source is the words, or neighbours and values together.
    """
    sources: list[Source] = [
        source_of_layer(layer, name, rng) for layer, name in zip(graph.layers, graph.layer_names, strict=True)
    ]
    sources += [MembershipSource.from_relation(relation, name, rng) for name, relation in graph.two_mode.items()]
    given, joint, names = graph.features, graph.layers_from_features, graph.relation_names
    own_layer = joint and len(names) == 1
    if given is not None and not on_disk(given) and are_words(given):
        name = names[0] if own_layer else _unused(WORDS, names)
        words = WordSource.from_counts(as_counts(given), name, rng, joint=joint and not own_layer)
        return [words] if own_layer else [*sources, words]
    if own_layer and isinstance(sources[0], LayerSource):
        return [_with_values(sources[0], given, n_clusters)]
    if feature_layer is not None and not own_layer:
        layer = LayerSource.from_layer(feature_layer, _unused(FEATURES, names), rng, joint=joint)
        sources.append(_with_values(layer, given, n_clusters))
    return sources


def averaged_source(
    averaged: Array, sources: Sequence[Source], n_clusters: int, rng: np.random.Generator
) -> Source | None:
    """Return words averaged over the relations as a joint source: neighbours by them, and their values.

    A document of few words and few citations is known by those of its surroundings. Words speak one by one and citations of
    the next document only: this is what they say together. (Dense features speak together anyway, by their neighbours.)

    Parameters
    ----------
    averaged : array of shape (N, M)
        See `orthonet.evidence.proposals.filtered`.
    sources : sequence of Source
        All others, the words last.
    n_clusters : int
    rng : numpy.random.Generator

    Returns
    -------
    Source or None
        None where most nodes have neither words nor edges.
    """
    name = _unused(AVERAGED, [source.name for source in sources])
    values = GaussianSource.from_features(averaged, n_clusters, name, joint=True)
    if values is None:
        return None
    layer = knn_layer(averaged, min(FEATURE_NEIGHBORS, len(averaged) - 1))
    return FeatureSource(LayerSource.from_layer(layer, name, rng, joint=True), [values], averages=sources[-1].name)


def _with_values(neighbours: LayerSource, features: Features | None, n_clusters: int) -> Source:
    """Let the values of the features speak beside their neighbours, or alone if all are categories.

    How many values two nodes share is a poor distance: neighbours by it say less than the values themselves.
    """
    if features is None or on_disk(features):
        return neighbours
    values = values_of(features, n_clusters, neighbours.name, joint=neighbours.joint)
    if values.only_categories:
        return values.parts[0]
    return FeatureSource(neighbours, values.parts) if values.parts else neighbours


def source_of_layer(layer: csr_array, name: str, rng: np.random.Generator) -> Source:
    """Return a layer as a source: its edges, or, if it joins more than a quarter of all pairs, who is joined to whom.

    The block model takes edges for rare events. Where they are not (projections of memberships, such as all authors of a
    conference), a node is better known by which nodes it is joined to, as a document is by its words; a sample of them
    says it all.
    """
    if not is_dense(layer):
        return LayerSource.from_layer(layer, name, rng)
    n_nodes = layer.shape[0]
    landmarks = np.sort(rng.choice(n_nodes, min(LANDMARKS, n_nodes), replace=False))
    return WordSource.from_counts(as_counts(layer[:, landmarks]), name, rng)


def has_surroundings(graph: MultilayerGraph) -> bool:
    """Tell whether no relation joins most pairs: an average over such a one would be an average over everybody."""
    by_groups = (relation.incidence for relation in graph.two_mode.values())
    n_pairs = [float((np.bincount(one.indices).astype(np.float64) ** 2).sum()) for one in by_groups]
    return not any(map(is_dense, graph.layers)) and not any(_are_many(n, graph.n_nodes) for n in n_pairs)


def is_dense(layer: csr_array) -> bool:
    """Tell whether a layer joins so many pairs that an edge is no rare event."""
    return _are_many(layer.nnz, layer.shape[0])


def _are_many(n_pairs: float, n_nodes: int) -> bool:
    return n_pairs > max(DENSE * n_nodes, MANY_EDGES) * n_nodes


def on_disk(features: Features) -> bool:
    """Tell whether features are a memory map too large to be in memory as a whole: the search then does without them."""
    return isinstance(features, np.memmap) and features.nbytes > BLOCK_BYTES


def _unused(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name += " (all)"
    return name
