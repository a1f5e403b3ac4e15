"""What `OrthoNet` is given: data to fit, and new nodes to place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from orthonet.clustering.result import FitResult
from orthonet.embedding.embedder import Embedder
from orthonet.files.shards import Shards
from orthonet.graph.convert.recognition import graph_of
from orthonet.graph.features import Features, FeatureScaler, block_rows, check_features, is_float_map, spooled
from orthonet.graph.membership_layers import with_membership_layers
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.graph.smoothing import averaging_matrix, smooth

FeatureNames = tuple[str, ...] | None
Validated = Callable[[Any], tuple[Features, FeatureNames]]
"""`validated` for one estimator."""


@dataclass(frozen=True)
class FitInput:
    """The data of a fit.

    Attributes
    ----------
    data : MultilayerGraph, features or Shards
    name : str
        What messages call the features.
    feature_names : tuple of str or None
        If the features came with names.
    """

    data: MultilayerGraph | Features | Shards
    name: str
    feature_names: FeatureNames

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return self.data.n_nodes if isinstance(self.data, MultilayerGraph | Shards) else int(self.data.shape[0])

    @property
    def node_ids(self) -> npt.NDArray[Any]:
        """What the nodes are called: their positions, unless a graph says otherwise."""
        return self.data.node_ids if isinstance(self.data, MultilayerGraph) else np.arange(self.n_nodes)


def fit_input(X: Any, layers: Sequence[Any] | None, validate: Validated) -> FitInput:
    """Return what was passed to ``fit`` as a graph, or as features without layers, or as shards."""
    if isinstance(X, Shards):
        if layers is not None:
            raise ValueError("fit takes Shards alone, which have layers of their own")
        return FitInput(X, "features", X.manifest.feature_names)
    graph = graph_of(X)
    if isinstance(layers, MultilayerGraph) or (graph is not None and layers is not None):
        raise ValueError("fit takes a MultilayerGraph alone, or features with layers=[…], not both")
    if X is None and layers is None:
        raise ValueError("fit needs a MultilayerGraph, features X, or layers=; it got none of them")
    if graph is not None:
        return FitInput(graph, "features", graph.feature_names)
    if X is None:
        return FitInput(MultilayerGraph(layers), "features", None)  # type: ignore[arg-type]
    features, names = validate(X)
    if layers is None:
        return FitInput(features, "X", names)
    return FitInput(MultilayerGraph(layers, X if hasattr(X, "index") else features), "X", names)


@dataclass(frozen=True)
class NewNodes:
    """Nodes to place: what the nets see of them.

    Attributes
    ----------
    features : array or sparse array of shape (N, M)
    scaled : bool
        Whether the features are scaled already.
    averaging : sparse array of shape (N, N), or None
        For nets that average over neighbours.
    """

    features: Features
    scaled: bool
    averaging: Any

    def embedding(self, embedder: Embedder) -> npt.NDArray[np.float64]:
        """Return the rows that the nets map the nodes to."""
        return embedder.embed(self.features, self.averaging, scaled=self.scaled)

    def scaled_blocks(self, scaler: FeatureScaler) -> Iterator[Features]:
        """Yield the scaled features, some rows after others."""
        size = block_rows(self.features)
        for start in range(0, self.features.shape[0], size):
            rows = self.features[start : start + size]
            yield rows if self.scaled else scaler.transform(rows)


def new_nodes(X: Any, result: FitResult, validate: Validated) -> NewNodes:
    """Return what was passed to ``transform`` or ``predict``, features or a graph, once it fits the model."""
    smoothing, layer_weights = result.parameters.smoothing, result.parameters.layer_weights
    embedder = result.embedder
    if embedder.scaler is None:
        raise ValueError(
            "this model was fitted on layers without features, so it can place no new nodes by features; the labels of its own "
            "nodes are in labels_. Fit with features, or pass predict a graph with edges to known nodes, or memberships in "
            "known groups"
        )
    graph = graph_of(X)
    X = X if graph is None else graph
    averages = smoothing > 0 or embedder.needs_graph
    if not isinstance(X, MultilayerGraph):
        if averages:
            raise ValueError(
                "this model averages features over neighbours (smoothing or network='gcn'), so it needs their edges; pass "
                "a MultilayerGraph"
            )
        return NewNodes(validate(X)[0], False, None)
    if X.features is None:
        raise ValueError("the graph has no features, and this model places new nodes by their features")
    names, n_features = result.feature_names, X.features.shape[1]
    if n_features != result.n_features or (names and X.feature_names and names != X.feature_names):
        raise ValueError(
            f"the features of the graph ({n_features}) are not those that the model was fitted on "
            f"({result.n_features})" + (f": {', '.join(names)}" if names else "")
        )
    if not averages:
        return NewNodes(X.features, False, None)
    relations = with_membership_layers(X)
    same_layers = isinstance(layer_weights, np.ndarray) and len(layer_weights) == relations.n_layers
    averaging = averaging_matrix(relations, layer_weights if same_layers else None)
    if not smoothing:
        return NewNodes(X.features, False, averaging)
    return NewNodes(smooth(X.features, embedder.scaler, averaging, smoothing), True, averaging)


def validated(estimator: BaseEstimator, X: Any, *, reset: bool) -> tuple[Features, FeatureNames]:
    """Return features, and their names if they have some, after scikit-learn's validation.

    With ``reset`` the estimator remembers their number and names, else it compares them with those it remembers.
    """
    if X is None:
        raise ValueError("X is None; pass features, one row per node")
    if hasattr(X, "__next__"):
        X = spooled(X, "X")
    if is_float_map(X):  # scikit-learn's validation would make a plain array of it
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        checked = X
    else:
        checked = validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype=(np.float64, np.float32),
            ensure_all_finite=False,
            ensure_min_samples=2 if reset else 1,
        )
    names = getattr(estimator, "feature_names_in_", None)
    return check_features(checked, "X"), None if names is None else tuple(names)
