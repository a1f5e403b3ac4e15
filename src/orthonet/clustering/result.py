"""What a fit found, as one object: `OrthoNet` shows it as its fitted attributes, and a saved model contains it.

A further fitted array needs one line in `ARRAYS`, and a value in `FitResult.arrays`: it is then an attribute of the estimator,
saved, loaded, and checked when it is loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from orthonet.clustering.group_evidence import GroupNames
from orthonet.clustering.parameters import Parameters
from orthonet.clustering.placement import Head
from orthonet.embedding.embedder import Embedder
from orthonet.evidence.cluster_numbers import ClusterNumbers

Array = npt.NDArray[Any]

ARRAYS: dict[str, tuple[tuple[str, ...], type[np.generic]]] = {
    "labels": (("nodes",), np.int64),
    "embedding": (("nodes", "clusters"), np.float64),
    "cluster_centers": (("clusters", "clusters"), np.float64),
    "spread": ((), np.float64),
    "probabilities": (("nodes", "clusters"), np.float64),
    "layer_weights": (("layers",), np.float64),
    "evidence": (("nodes", "sources"), np.float64),
    "corroboration": (("sources",), np.float64),
    "edge_evidence": (("given layers", "clusters", "clusters"), np.float64),
    "membership_evidence": (("clusters", "groups"), np.float64),
    "group_rarity": (("groups",), np.float64),
    "group_closure": (("two-mode relations",), np.float64),
    "group_counts": (("two-mode relations",), np.int64),
    "temperature": ((), np.float64),
    "stability": ((), np.float64),
}
"""The shape and the type of each fitted array; the attribute of the estimator has the same name with an underscore."""

DETAIL_ARRAYS: dict[str, tuple[tuple[str, ...], type[np.generic]]] = {
    "runner_up": (("nodes",), np.int64),
    "own_evidence": (("nodes", "sources"), np.float64),
    "without": (("nodes", "sources"), np.int64),
    "node_terms": (("nodes", "node terms"), np.int64),
    "node_term_nats": (("nodes", "node terms"), np.float64),
    "node_term_values": (("nodes", "node terms"), np.float64),
    "cluster_terms": (("clusters", "cluster terms"), np.int64),
    "cluster_term_nats": (("clusters", "cluster terms"), np.float64),
    "cluster_term_inside": (("clusters", "cluster terms"), np.float64),
    "cluster_term_outside": (("clusters", "cluster terms"), np.float64),
}
"""The same of what `OrthoNet.explain` shows, see `NodeEvidence` and `Terms`; the estimator has no attributes of these names."""

HEAD_ARRAYS: dict[str, tuple[tuple[str, ...], type[np.generic]]] = {
    "head_weights": (("clusters", "head inputs"), np.float64),
    "head_bias": (("clusters",), np.float64),
    "head_accuracy": ((), np.float64),
}
"""The same of the arrays that a model has only if it has a head."""


@dataclass(frozen=True, eq=False)
class FitResult:
    """What a fit found.

    Attributes
    ----------
    parameters : Parameters
        Of this fit.
    arrays : mapping of str to array
        By the names in `ARRAYS`.
    details : mapping of str to array
        By the names in `DETAIL_ARRAYS`.
    numbers : ClusterNumbers or None
        How the number of clusters was chosen; None if it was given.
    words : bool
        Whether the features are words or counts.
    embedder : Embedder
        The map from features to the embedding.
    layer_names : tuple of str
        Of the layers that were aggregated, the features' own layer included.
    source_names : tuple of str
        Of the sources of evidence: the layers, the two-mode relations, and words or features if they speak for themselves.
    node_ids : array of shape (N,)
        Of the nodes that were clustered, by which edges to them are recognised.
    groups : mapping of str to tuple of str or None
        Names of the groups of each two-mode relation, None if they have numbers only.
    head : Head or None
        What places new nodes by their features; None places them at the nearest centre.
    feature_names : tuple of str or None
        If the features came with names.
    n_features : int
        0 if there were no features.
    aggregation : mapping
        What the aggregation reports: method, solver, convergence, seconds.
    history : mapping of str to array
        How training went, see `OrthoNet`.
    complete : bool
        False if training was interrupted.
    planes : dict
        Coordinates of the nodes in pictures, by the number of nodes that are drawn; filled when they are first drawn.
    """

    parameters: Parameters
    arrays: Mapping[str, Array]
    details: Mapping[str, Array]
    numbers: ClusterNumbers | None
    words: bool
    embedder: Embedder
    layer_names: tuple[str, ...]
    source_names: tuple[str, ...]
    node_ids: Array
    groups: Mapping[str, GroupNames]
    head: Head | None
    feature_names: tuple[str, ...] | None
    n_features: int
    aggregation: Mapping[str, Any]
    history: Mapping[str, Array]
    complete: bool
    planes: dict[int, npt.NDArray[np.float64]] = field(default_factory=dict, repr=False)

    def as_given(self, order: npt.NDArray[np.intp], node_ids: npt.NDArray[Any], units: Array | None) -> FitResult:
        """Return the same with the nodes in the order in which they were given, and of layers in their own units.

        Parameters
        ----------
        order : array of shape (N,)
            Position of each node in the present order.
        node_ids : array of shape (N,)
        units : array, or None
            What the weights of each given layer had been divided by. An edge says as much as the square root of its weight, see
            `orthonet.evidence.sources`.
        """
        arrays = _of_nodes(self.arrays, ARRAYS, order)
        if units is not None:
            arrays["edge_evidence"] = arrays["edge_evidence"] / np.sqrt(units)[:, None, None]
        details = _of_nodes(self.details, DETAIL_ARRAYS, order)
        return replace(self, arrays=arrays, details=details, node_ids=node_ids, planes={})

    @property
    def n_clusters(self) -> int:
        """Number of clusters, empty ones included."""
        return len(self.arrays["cluster_centers"])

    @property
    def confidence(self) -> npt.NDArray[np.float64]:
        """The probability of each node's own label."""
        return self.arrays["probabilities"].max(axis=1)

    @property
    def term_names(self) -> tuple[str, ...]:
        """Names of what `DETAIL_ARRAYS` counts as terms: the features, then the groups of all two-mode relations."""
        names = self.feature_names or tuple(f"feature {column}" for column in range(self.n_features))
        counts = self.arrays["group_counts"].tolist()
        for (relation, groups), count in zip(self.groups.items(), counts, strict=True):
            names += tuple(f"{relation}: {group}" for group in (groups or range(count)))
        return names

    @property
    def n_iter(self) -> int:
        """Number of training steps that were taken."""
        return len(self.history["loss"])


def _of_nodes(arrays: Mapping[str, Array], table: Mapping[str, Any], order: npt.NDArray[np.intp]) -> dict[str, Array]:
    """Return arrays with their nodes, where they have such, in another order."""
    return {name: array[order] if table[name][0][:1] == ("nodes",) else array for name, array in arrays.items()}
