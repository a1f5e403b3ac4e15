"""What a report needs of a fitted model: an `OrthoNet`, fresh or loaded, or any estimator with ``labels_``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from orthonet.graph.multilayer import MultilayerGraph

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Labelling:
    """Labels that came from elsewhere, in the place of a fitted estimator.

    Attributes
    ----------
    labels_ : array of N integers from 0
    source : str
        Where they came from.
    names : sequence of str
        What each of them is called; numbers if not given.
    """

    labels_: npt.NDArray[np.int64]
    source: str = "labels"
    names: Sequence[str] = ()


@dataclass(frozen=True)
class Fitted:
    """A graph and what was found in it; None for what the method does not tell."""

    graph: MultilayerGraph
    model: Any
    labels: npt.NDArray[np.int64]
    n_clusters: int
    embedding: Array | None
    confidence: Array | None
    losses: Array
    turns: Array
    probabilities: Array | None = None
    evidence: Array | None = None
    """Nats of each source (column) for a node's own cluster against its runner-up."""
    attributes: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)
    """Columns about the nodes that are not features."""

    @classmethod
    def of(cls, graph: MultilayerGraph, model: Any, attributes: Mapping[str, npt.NDArray[Any]] | None = None) -> Self:
        """Take what there is, once it has been checked that it is about the same nodes."""
        if not isinstance(model, Labelling):
            check_is_fitted(model, "labels_")
        labels = np.asarray(model.labels_)
        if labels.shape != (graph.n_nodes,):
            raise ValueError(
                f"model labels {labels.size} nodes, but graph has {graph.n_nodes}; pass the graph it was fitted on"
            )
        if not np.issubdtype(labels.dtype, np.integer) or labels.min() < 0:
            raise ValueError(f"model.labels_ must be integers from 0, got {labels.min()!r} among them")
        wanted = getattr(model, "n_clusters_", getattr(model, "n_clusters", None))
        n_clusters = max(int(labels.max()) + 1, _whole(wanted))
        if isinstance(model, Labelling) and model.names and len(model.names) != n_clusters:
            raise ValueError(f"names has {len(model.names)} entries, but the labels go from 0 to {n_clusters - 1}")
        for name, column in (attributes or {}).items():
            if np.shape(column) != (graph.n_nodes,):
                raise ValueError(
                    f"attributes[{name!r}] has shape {np.shape(column)}, but graph has {graph.n_nodes} nodes"
                )
        embedding = _rows(model, "embedding_", graph.n_nodes, 2)
        evidence = _rows(model, "evidence_", graph.n_nodes, 2)
        history = getattr(model, "history_", None) or {}
        return cls(
            graph,
            model,
            labels.astype(np.int64),
            n_clusters,
            embedding,
            _rows(model, "confidence_", graph.n_nodes, 1),
            np.asarray(history.get("loss", ()), dtype=np.float64).ravel(),
            np.asarray(history.get("turn", ()), dtype=np.float64).ravel(),
            _rows(model, "probabilities_", graph.n_nodes, 2),
            evidence if evidence is not None and evidence.shape[1] else None,
            {str(name): np.asarray(column) for name, column in (attributes or {}).items()},
        )

    @cached_property
    def explanation(self) -> Any | None:
        """What defines each cluster, as `OrthoNet.explain_clusters` says it; None for other methods."""
        return self.model.explain_clusters() if hasattr(self.model, "explain_clusters") else None

    @cached_property
    def details(self) -> Mapping[str, npt.NDArray[Any]]:
        """What explanations are made of, see `orthonet.clustering.explanations.details_of`; nothing for other methods."""
        if self.explanation is None:
            return {}
        from orthonet.clustering.explanations import details_of

        return details_of(self.model)

    @property
    def sources(self) -> tuple[str, ...]:
        """Names of the sources of evidence."""
        if self.evidence is None:
            return ()
        return tuple(map(str, getattr(self.model, "source_names_", range(self.evidence.shape[1]))))

    @property
    def runner_up(self) -> npt.NDArray[np.int64] | None:
        """The cluster that comes next for each node; None where there is no other, or the method does not tell."""
        if "runner_up" in self.details:
            return self.details["runner_up"] if self.n_clusters > 1 else None
        if self.probabilities is None or self.probabilities.shape[1] < 2:
            return None
        others = self.probabilities.copy()
        others[np.arange(len(self.labels)), self.labels] = -np.inf
        return others.argmax(axis=1).astype(np.int64)

    @property
    def tol(self) -> float | None:
        """The turn of the embedding below which training stops, if the method has such a setting."""
        if is_orthonet(self.model):
            from orthonet.clustering.parameters import training_options

            return training_options(self.model.training).tol
        return getattr(self.model, "tol", None)

    @property
    def layer_weights(self) -> dict[str, float]:
        """How much each layer counted, by name, as far as the method says so."""
        weights = getattr(self.model, "layer_weights_", ())
        names = getattr(self.model, "layer_names_", self.graph.layer_names)
        if len(names) != len(weights):
            return {}
        return {str(name): float(weight) for name, weight in zip(names, weights, strict=True)}

    @property
    def method(self) -> str:
        """Name of the method, or where the labels came from."""
        return self.model.source if isinstance(self.model, Labelling) else type(self.model).__name__

    @property
    def cluster_names(self) -> tuple[str, ...]:
        """Names of the clusters: their own, or numbers."""
        named = isinstance(self.model, Labelling) and self.model.names
        return tuple(map(str, self.model.names if named else range(self.n_clusters)))

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the features: their own, or numbers."""
        if self.graph.features is None:
            return ()
        if self.graph.feature_names is not None:
            return tuple(map(str, self.graph.feature_names))
        return tuple(f"feature {index}" for index in range(self.graph.features.shape[1]))


def is_orthonet(model: Any) -> bool:
    """Say whether a model is an `OrthoNet`, without importing that class, which loads torch."""
    return any(one.__module__ == "orthonet.clustering.estimator" for one in type(model).__mro__)


def _rows(model: Any, name: str, n_nodes: int, n_dims: int) -> Array | None:
    found = getattr(model, name, None)
    if found is None:
        return None
    array = np.asarray(found, dtype=np.float64)
    if array.ndim != n_dims or len(array) != n_nodes:
        raise ValueError(f"model.{name} has shape {array.shape}, but graph has {n_nodes} nodes")
    return array


def _whole(value: Any) -> int:
    return int(value) if isinstance(value, int | np.integer) and not isinstance(value, bool) else 1
