"""What a fit works on: the graph whose layers are merged, and what the nets see of each node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
import torch
from scipy.sparse import csr_array, eye_array, issparse

from orthonet.embedding.networks import Ensemble
from orthonet.embedding.tensors import as_tensor
from orthonet.graph.features import Features, FeatureScaler, FeatureScaling
from orthonet.graph.knn import knn_layer
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.graph.smoothing import averaging_matrix, smooth
from orthonet.support.checks import check_weights

FEATURE_LAYER = "features"
VIEW_SHARE, RELATION_SHARE = 0.2, 0.5
"""Weight of the layer of all features together: a fixed share, so that repeating a layer changes nothing. It says most where
the other layers were not made from the same features."""
RELATION_HOPS = 2
"""How often features are averaged over relations before that layer is built of them."""


@dataclass(frozen=True)
class FitTask:
    """A graph, and how its nodes come to the nets."""

    graph: MultilayerGraph
    """As it was given."""
    merged_graph: MultilayerGraph
    """The same with the layer that is built from the features, if there is one."""
    weights: npt.NDArray[np.float64]
    """Of the layers of ``merged_graph``."""
    inputs: Features
    """What the nets see, after ``scale``."""
    scale: Callable[[Any], Any]
    scaler: FeatureScaler | None
    averaging: csr_array | None
    """For nets that average over neighbours."""

    @classmethod
    def of(
        cls,
        graph: MultilayerGraph,
        name: str,
        *,
        scaling: FeatureScaling,
        smoothing: int,
        n_neighbors: int,
        share: float | Literal["auto"],
        layer_weights: npt.ArrayLike | None,
        averaging: bool,
    ) -> Self:
        """Prepare a graph; one without features gives each node a one-hot vector."""
        weights = check_weights(layer_weights, graph.n_layers)
        share = _auto_share(graph) if share == "auto" else share
        hops = RELATION_HOPS if share and not graph.layers_from_features else 0
        around = averaging_matrix(graph, weights) if averaging or smoothing or hops else None
        for_net = around if averaging else None
        if graph.features is None:
            if share:
                raise ValueError(f"feature_layer={share!r}, but the graph has no features to build that layer from")
            if smoothing:
                raise ValueError(f"smoothing={smoothing}, but the graph has no features to smooth")
            one_hot = eye_array(graph.n_nodes, format="csr")
            return cls(graph, graph, weights, csr_array(one_hot), _as_it_is, None, for_net)
        scaler = FeatureScaler.fit(graph.features, scaling, name)
        inputs: Features = graph.features
        scale: Callable[[Any], Any] = scaler.transform
        if smoothing and around is not None:
            inputs, scale = smooth(graph.features, scaler, around, smoothing), _as_it_is
        if not share:
            return cls(graph, graph, weights, inputs, scale, scaler, for_net)
        # Only the layer is built from averages: the nets see a node's own features, so that new nodes need no edges.
        seen = (
            smooth(graph.features, scaler, around, hops) if around is not None and hops > smoothing else scale(inputs)
        )
        layer = knn_layer(seen, min(n_neighbors, graph.n_nodes - 1), name=name)
        called = FEATURE_LAYER
        while called in graph.layer_names:
            called += " (all)"
        merged = MultilayerGraph(
            [*graph.layers, layer],
            layer_names=[*graph.layer_names, called],
            present=[*graph.present, None],
        )
        return cls(graph, merged, np.append((1 - share) * weights, share), inputs, scale, scaler, for_net)

    @classmethod
    def of_features(
        cls, features: Features, *, scaling: FeatureScaling, n_neighbors: int, smoothing: int, averaging: bool, **_: Any
    ) -> Self:
        """Build the one layer from the features alone."""
        scaler = FeatureScaler.fit(features, scaling, "X")
        layer = knn_layer(scaler.transform(features), min(n_neighbors, features.shape[0] - 1), name="X")
        graph = MultilayerGraph([layer], features, [FEATURE_LAYER], layers_from_features=True)
        return cls.of(
            graph,
            "X",
            scaling=scaling,
            smoothing=smoothing,
            n_neighbors=n_neighbors,
            share=0.0,
            layer_weights=None,
            averaging=averaging,
        )


def _auto_share(graph: MultilayerGraph) -> float:
    if graph.features is None or isinstance(graph.features, np.memmap):
        return 0.0
    if not graph.layers_from_features:
        return RELATION_SHARE
    return 0.0 if issparse(graph.features) else VIEW_SHARE


def check_module(network: Ensemble, inputs: Features, n_outputs: int) -> None:
    """Try a module that the user made on two nodes."""
    parameters = list(network.parameters())
    if not parameters:
        raise ValueError("network is a module without parameters; there is nothing to train")
    rows = inputs[:2]
    network.eval()  # so that it learns nothing from them
    try:
        with torch.no_grad():
            outputs = network(as_tensor(rows, parameters[0].dtype))
    except (RuntimeError, TypeError, ValueError, IndexError) as error:
        raise ValueError(f"network fails on features of shape {rows.shape}: {error}") from error
    if outputs.shape != (rows.shape[0], n_outputs):
        raise ValueError(
            f"network maps {rows.shape[0]} nodes to an array of shape {tuple(outputs.shape)}; it must have n_clusters="
            f"{n_outputs} outputs a node"
        )


def _as_it_is(rows: Any) -> Any:
    return rows
