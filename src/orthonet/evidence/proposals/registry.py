"""Which partitions are proposed, in the order of their cost, each with its reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy.typing as npt

from orthonet.evidence.merging import merge
from orthonet.evidence.proposals import filtered, low_rank, spectral
from orthonet.evidence.proposals.inputs import Array, ProposalInputs
from orthonet.evidence.sources import Labels

FINER = 4
"""Centres per cluster of the proposals that are merged down: so many that a cluster of any shape is made of round ones."""
FEW_STARTS = 3
"""Of K-means with many centres, down to one where that takes long: what it misses, merging and mending correct."""
MOST_CENTERS = 200
"""So many at most, or twice the clusters: merging takes the cube of them."""
SMALLEST_CELL = 4
"""Nodes per centre at least."""
MIDDLE_STRENGTH = filtered.STRENGTHS[1]
"""Of averaging, where one must do."""
SPECTRAL_UP_TO = 50_000
"""Nodes up to which eigenvectors of single layers are computed; beyond, the mean, the features and the net propose."""
SPECTRUM_UP_TO = 40
"""Clusters up to which weights are sought by the spectrum, which takes dozens of eigenproblems,"""
SPECTRUM_LAYERS = 10
"""and layers."""


@dataclass(frozen=True)
class Proposal:
    """A way to a partition.

    Attributes
    ----------
    name : str
    reason : str
        Why it is among the proposals.
    applies : function of ProposalInputs
        Whether there is what it needs.
    partitions : function of ProposalInputs
        Yields names and labels.
    costly : bool
        Not run where several cheap ones already lead to one partition.
    """

    name: str
    reason: str
    applies: Callable[[ProposalInputs], bool]
    partitions: Callable[[ProposalInputs], Iterator[tuple[str, Labels]]]
    costly: bool = False


def propose(inputs: ProposalInputs, *, costly: bool) -> Iterator[tuple[str, Labels]]:
    """Yield the name and the labels of each proposal, either the cheap or the costly ones."""
    for proposal in PROPOSALS.values():
        if proposal.costly == costly and proposal.applies(inputs):
            yield from proposal.partitions(inputs)


def feature_rows(inputs: ProposalInputs) -> Array:
    """Return the features, of which rows of words have unit length already."""
    if inputs.features is None:
        raise ValueError("there are no features to cluster")
    return inputs.features


def _single(
    name: str, labels: Callable[[ProposalInputs], Labels]
) -> Callable[[ProposalInputs], Iterator[tuple[str, Labels]]]:
    def partitions(inputs: ProposalInputs) -> Iterator[tuple[str, Labels]]:
        yield name, labels(inputs)

    return partitions


def _each_layer(inputs: ProposalInputs) -> Iterator[tuple[str, Labels]]:
    for index in range(inputs.n_relations):
        yield f"layer {index}", inputs.kmeans(spectral.layer_rows(inputs, index))


def _filtered(inputs: ProposalInputs) -> Iterator[tuple[str, Labels]]:
    for strength in filtered.STRENGTHS if inputs.relations else (MIDDLE_STRENGTH,):
        yield f"filtered {strength}", filtered.filtered(inputs, strength)


def _merged(inputs: ProposalInputs) -> Iterator[tuple[str, Labels]]:
    for name, rows in EMBEDDINGS.items():
        if PROPOSALS[name].applies(inputs):
            labels = merged_down(inputs, rows(inputs))
            if labels is not None:
                yield f"{name}, merged", labels


def merged_down(inputs: ProposalInputs, rows: Array, weights: npt.ArrayLike | None = None) -> Labels | None:
    """Cluster rows by K-means with more centres than clusters, merged by what loses least; None if nodes are too few."""
    k = inputs.n_clusters
    finer = min(FINER * k, max(2 * k, MOST_CENTERS), inputs.n_nodes // SMALLEST_CELL)
    if finer <= k:
        return None
    return merge(inputs.sources, inputs.kmeans(rows, finer, FEW_STARTS, at_least=1), k, weights)


def _has_features(inputs: ProposalInputs) -> bool:
    return inputs.features is not None


def _has_feature_layer(inputs: ProposalInputs) -> bool:
    return inputs.feature_layer is not None


def _is_small(inputs: ProposalInputs) -> bool:
    return inputs.n_nodes <= SPECTRAL_UP_TO


def _several_layers(inputs: ProposalInputs) -> bool:
    return inputs.n_relations + _has_feature_layer(inputs) > 1 and _is_small(inputs)


def _spectrum_serves(inputs: ProposalInputs) -> bool:
    few = inputs.n_relations <= SPECTRUM_LAYERS and inputs.n_clusters <= min(SPECTRUM_UP_TO, inputs.n_nodes - 1)
    return few and _several_layers(inputs)


EMBEDDINGS: dict[str, Callable[[ProposalInputs], Array]] = {
    "mean": spectral.mean_rows,
    "mean with features": spectral.mean_with_features_rows,
    "filtered": lambda inputs: filtered.filtered_rows(inputs, MIDDLE_STRENGTH),
    "feature layer": spectral.feature_layer_rows,
    "features": feature_rows,
}
"""Rows that more centres than clusters are sought in; by the names of the proposals that use them too."""

PROPOSALS: dict[str, Proposal] = {
    proposal.name: proposal
    for proposal in (
        Proposal(
            "mean",
            "all layers alike: the first thing to try, and hard to beat where layers agree",
            lambda inputs: True,
            _single("mean", lambda inputs: inputs.kmeans(spectral.mean_rows(inputs))),
        ),
        Proposal(
            "features",
            "K-means on the features: where layers say little",
            _has_features,
            _single("features", lambda inputs: inputs.kmeans(feature_rows(inputs))),
        ),
        Proposal(
            "filtered",
            "features averaged over the relations: where both speak",
            _has_features,
            _filtered,
        ),
        Proposal(
            "low rank",
            "few topics of words or memberships: where documents are few, most directions are about one of them",
            low_rank.has_words,
            _single("low rank", lambda inputs: inputs.kmeans(low_rank.low_rank_rows(inputs))),
        ),
        Proposal(
            "mean with features",
            "layers and the features' own layer alike",
            lambda inputs: _has_feature_layer(inputs) and _is_small(inputs),
            _single("mean with features", lambda inputs: inputs.kmeans(spectral.mean_with_features_rows(inputs))),
        ),
        Proposal(
            "feature layer",
            "clusters of any shape among the features",
            lambda inputs: _has_feature_layer(inputs) and _is_small(inputs),
            _single("feature layer", lambda inputs: inputs.kmeans(spectral.feature_layer_rows(inputs))),
        ),
        Proposal(
            "each layer",
            "one layer that says it all should not be diluted",
            lambda inputs: inputs.n_relations > 1 and _is_small(inputs),
            _each_layer,
        ),
        Proposal(
            "projection",
            "layers that each see some of the clusters",
            _several_layers,
            _single("projection", spectral.projection),
        ),
        Proposal(
            "merged",
            "more centres than clusters, merged by what loses least: clusters of unequal size and any shape",
            lambda inputs: True,
            _merged,
            costly=True,
        ),
        Proposal(
            "spectrum",
            "layers of unequal worth: weights that make K parts stand out",
            _spectrum_serves,
            _single("spectrum", spectral.spectrum),
            costly=True,
        ),
    )
}
"""In the order of their cost. The paper's own way, the net, joins them when it is trained (`orthonet.clustering.fit`)."""
