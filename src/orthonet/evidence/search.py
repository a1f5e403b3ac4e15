"""The search for the partition that all sources support: propose → weigh the sources → mend → recombine → anneal → choose.

Cheap methods propose partitions. Each source is weighed by how far the others corroborate it. The proposals are mended, the
parts on which the best of them differ are recombined, the best is annealed, and the most supported partition is chosen. Where
three or more proposals have led to the same best partition, costly proposals are not made and nothing is annealed. Of few nodes
all proposals are made at once: weights hang on where the search for what each source shows begins, and it costs little there.
They are made again, with other starts of K-means, as long as that finds more support, so that labels hang less on the seed; and
the best partition is shaken instead of annealed. Other proposals, such as the net's, may join later.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from orthonet.evidence.annealing import annealed
from orthonet.evidence.corroboration import NO_AGREEMENT, corroboration, weights_of
from orthonet.evidence.feature_source import FeatureSource
from orthonet.evidence.graph_sources import FEATURE_NEIGHBORS, averaged_source, has_surroundings, on_disk, sources_of
from orthonet.evidence.mending import SHAKEN_UP_TO, Partition, shaken
from orthonet.evidence.proposals.filtered import filtered_rows
from orthonet.evidence.proposals.inputs import ProposalInputs, reduced, unit_rows
from orthonet.evidence.proposals.registry import MIDDLE_STRENGTH, SPECTRAL_UP_TO, merged_down, propose
from orthonet.evidence.racing import race
from orthonet.evidence.recombination import recombine
from orthonet.evidence.sameness import agreement, distinct, is_gain, is_same
from orthonet.evidence.silent_nodes import place_silent_nodes
from orthonet.evidence.sources import Labels, LayerSource, Source, support
from orthonet.graph.features import FeatureScaler, are_words
from orthonet.graph.knn import knn_layer
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.progress import Report

Array = npt.NDArray[np.float64]

SETTLED = 3
"""Proposals that must lead to the same best partition for the costly ones to be left out."""
SAME_START = 0.9
"""Normalised mutual information from which on two proposals are the same start."""
MADE_AGAIN = 3
"""Times, at most, that all proposals are made again of few nodes."""
SEARCH_STEPS = 3
"""That are reported."""


@dataclass
class Search:
    """The state of one search.

    Attributes
    ----------
    inputs : ProposalInputs
    sources : list of Source
    weights : array of shape (sources,)
        How much each source counts.
    corroboration : array of shape (sources,)
        How far the others' partition explains each source, 0 to 1.
    partitions : list of Partition
        All that were found, most supported first.
    proposed : dict of str to labels
        What was proposed first under each name, before mending.
    annealed : bool
        Whether annealing found clearly more support than what had been proposed.
    recombined : list of Partition
        From which cells have been moved, of many nodes.
    """

    inputs: ProposalInputs
    sources: list[Source]
    weights: Array
    corroboration: Array
    partitions: list[Partition]
    proposed: dict[str, Labels]
    annealed: bool = False
    recombined: list[Partition] = field(default_factory=list, repr=False)

    @property
    def best(self) -> Partition:
        """The most supported partition."""
        return self.partitions[0]

    @property
    def chosen(self) -> Partition:
        """The most supported partition, with nodes of which nothing is known placed, too."""
        labels = place_silent_nodes(self.sources, self.best.labels, self.inputs.n_clusters, self.weights)
        return self.best if labels is self.best.labels else replace(self.best, labels=labels)

    @property
    def cannot_judge(self) -> bool:
        """Whether all sources are neighbours by features, in groups that corroborate nothing of each other.

        Any smooth cut through a cloud explains the neighbours in it; only that groups agree tells a cluster from a cut.
        """
        groups = np.array([not source.joint for source in self.sources])
        by_neighbours = not self.inputs.relations and all(
            isinstance(one, LayerSource | FeatureSource) for one in self.sources
        )
        return bool(by_neighbours and groups.sum() > 1 and self.corroboration[groups].max() < NO_AGREEMENT)

    def as_proposed(self, name: str) -> Partition:
        """Return what was proposed under a name, before mending."""
        labels = self.proposed[name]
        return Partition(labels, support(self.sources, labels, self.inputs.n_clusters, self.weights), name)

    @property
    def source_names(self) -> tuple[str, ...]:
        """Names of the sources."""
        return tuple(source.name for source in self.sources)

    def add(self, proposals: Iterable[tuple[str, Labels]]) -> None:
        """Mend further proposals, and recombine them with what is known."""
        mended = self._mended(proposals)
        if mended:
            self.add_partitions(mended)

    def add_partitions(self, mended: Sequence[Partition]) -> None:
        """Recombine partitions that are mended already with what is known."""
        found = [*self.partitions, *mended]
        self.partitions = recombine(
            self.sources, found, self.inputs.n_clusters, self.inputs.rng, self.weights, tried=self.recombined
        )

    def add_embedding(self, name: str, embedding: Array) -> None:
        """Let an embedding, such as the net's, propose: by K-means on its rows, and by more centres merged down."""
        rows = unit_rows(embedding)
        proposals = [(name, self.inputs.kmeans(rows))]
        merged = merged_down(self.inputs, rows, self.weights)
        if merged is not None:
            proposals.append((f"{name}, merged", merged))
        self.add(proposals)

    def _mended(self, proposals: Iterable[tuple[str, Labels]]) -> list[Partition]:
        starts = dict(proposals)
        for name, labels in starts.items():
            self.proposed.setdefault(name, labels)
        k, rng = self.inputs.n_clusters, self.inputs.rng
        known = self.best.support if self.partitions else -np.inf
        return race(self.sources, starts.items(), k, rng, self.weights, to_beat=known)


def search_partitions(
    graph: MultilayerGraph,
    n_clusters: int,
    rng: np.random.Generator,
    *,
    scaler: FeatureScaler | None = None,
    feature_layer: csr_array | None = None,
    basis: Array | None = None,
    layer_weights: npt.ArrayLike | None = None,
    weigh: bool = True,
    report: Report | None = None,
) -> Search:
    """Search for the partition that the layers and the features of a graph support most.

    Parameters
    ----------
    graph : MultilayerGraph
    n_clusters : int
    rng : numpy.random.Generator
    scaler : FeatureScaler, optional
        Of dense features; standardisation by default.
    feature_layer : sparse array of shape (N, N), optional
        Nearest neighbours by all features, if they are known; 10 of each node by default.
    basis : array of shape (M, at least 128), optional
        Leading right singular vectors of the scaled features, if they are known and the features are no words.
    layer_weights : array of shape (S,), optional
        How much each layer counts, and each two-mode relation after them, of whatever sum; alike by default.
    weigh : bool, default=True
        Whether sources are weighed by how far the others corroborate them.
    report : function, optional
        Called as the search proceeds, see `orthonet.support.progress`.

    Returns
    -------
    Search
        Its ``best`` is the partition.
    """
    tell = report or (lambda done, what: None)
    features = None
    if graph.features is not None and not on_disk(graph.features):
        features = reduced(graph.features, scaler or FeatureScaler.fit(graph.features), rng, basis)
    if feature_layer is None and features is not None:
        feature_layer = knn_layer(features, min(FEATURE_NEIGHBORS, len(features) - 1))
    inputs = _inputs(graph, features, feature_layer, n_clusters, rng)
    sources = list(inputs.sources)
    few_nodes = graph.n_nodes <= SHAKEN_UP_TO
    tell(1, "proposals")
    first = dict(propose(inputs, costly=False))
    if few_nodes:
        first.update(propose(inputs, costly=True))
    found = corroboration(sources, list(first.values()), n_clusters, rng)
    weights = _given_weights(layer_weights, len(graph.relation_names), len(sources))
    if weigh:
        weights = weights * weights_of(sources, found)
    search = Search(inputs, sources, weights, found, [], {})
    tell(2, "mending")
    if few_nodes:
        _search_thoroughly(search, first)
    else:
        search.partitions = distinct(mended := search._mended(first.items()))
        best = [one for one in mended if is_same(search.best, one)]
        if _n_ways([first[one.origin] for one in best], search.best.labels) < SETTLED:
            tell(3, "further proposals")
            search.add(propose(inputs, costly=True))
            proposed = search.best
            search.partitions = distinct([annealed(sources, proposed, n_clusters, rng, weights), *search.partitions])
            search.annealed = is_gain(search.best, proposed)
    return search


def _search_thoroughly(search: Search, first: dict[str, Labels]) -> None:
    """Mend what was proposed of few nodes, and propose anew as long as that finds more; then shake the best."""
    inputs = search.inputs
    search.add(first.items())
    for _ in range(MADE_AGAIN):
        before = search.best
        search.add([*propose(inputs, costly=False), *propose(inputs, costly=True)])
        if not is_gain(search.best, before):
            break
    found = shaken(search.sources, search.best, inputs.n_clusters, inputs.rng, search.weights)
    search.add_partitions(found)


def _inputs(
    graph: MultilayerGraph,
    features: Array | None,
    feature_layer: csr_array | None,
    n_clusters: int,
    rng: np.random.Generator,
) -> ProposalInputs:
    """Return what proposals are made from, with all sources of evidence."""
    sources = sources_of(graph, feature_layer, n_clusters, rng)
    incidences = [relation.incidence for relation in graph.two_mode.values()]
    relations = bool(incidences) or not graph.layers_from_features
    words = graph.features is not None and features is not None and are_words(graph.features)
    inputs = ProposalInputs(
        graph.layers, features, feature_layer, relations, n_clusters, sources, rng, incidences, words
    )
    few_nodes = graph.n_nodes <= SPECTRAL_UP_TO
    if not (words and relations and few_nodes and has_surroundings(graph)):
        return inputs
    averaged = averaged_source(filtered_rows(inputs, MIDDLE_STRENGTH), sources, n_clusters, rng)
    return inputs if averaged is None else replace(inputs, sources=[*sources, averaged])


def _n_ways(starts: Sequence[Labels], end: Labels) -> int:
    """Count starts that led to one end: those near it, and those that are not near copies of another start."""
    near = [agreement(labels, end) >= SAME_START for labels in starts]
    ways: list[Labels] = []
    for labels in (start for start, is_near in zip(starts, near, strict=True) if not is_near):
        if all(agreement(labels, other) < SAME_START for other in ways):
            ways.append(labels)
    return sum(near) + len(ways)


def _given_weights(layer_weights: npt.ArrayLike | None, n_relations: int, n_sources: int) -> Array:
    weights = np.ones(n_sources)
    if layer_weights is not None:
        given = np.asarray(layer_weights, dtype=np.float64)
        weights[:n_relations] = given / max(given.mean(), np.finfo(np.float64).tiny)
    return weights
