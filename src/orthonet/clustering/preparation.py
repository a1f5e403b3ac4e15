"""Prepare: which layers are aggregated, with which weights to begin with, and what the nets see of each node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, eye_array, hstack, issparse
from sklearn.utils.extmath import randomized_svd

from orthonet.clustering.inputs import FitInput
from orthonet.clustering.net_options import Network
from orthonet.clustering.parameters import Parameters
from orthonet.embedding.laplacians import as_low_rank
from orthonet.embedding.processes import Processes
from orthonet.evidence.proposals.inputs import DIMENSIONS
from orthonet.evidence.proposals.memberships import scaled_incidence
from orthonet.graph.features import Features, FeatureScaler
from orthonet.graph.knn import knn_layer
from orthonet.graph.membership_layers import with_membership_layers
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.graph.smoothing import averaging_matrix, smooth
from orthonet.linalg.eigen import lowest_of_dense
from orthonet.support.checks import check_weights

Array = npt.NDArray[np.float64]

FEATURE_LAYER = "features"
"""Name of the layer that is built from all features together."""
VIEW_SHARE, RELATION_SHARE = 0.2, 0.5
"""Weight of that layer beside layers that were made from the same features, and beside relations, where it says more: a
fixed share, so that repeating a layer changes nothing."""
RELATION_HOPS = 2
"""How often features are averaged over relations before that layer is built from them."""
AUTO_INPUTS = 128
"""Inputs of a net at most: training then costs what the hidden layers cost."""

ONE_HOT_UP_TO = 50_000
"""Nodes up to which nets of a graph without features see one-hot vectors;"""
COORDINATES_PER_CLUSTER = 3
"""of more, so many spectral coordinates per cluster."""


@dataclass(frozen=True)
class Prepared:
    """The data of a fit, ready for the aggregation and the nets."""

    graph: MultilayerGraph
    """As it was given; or with one layer, if features were given alone."""
    layers: MultilayerGraph
    """The layers to aggregate: those of ``graph``, one per two-mode relation that joins nodes of like memberships, and the
    one that is built from the features, if there is one."""
    layer_weights: Array
    """Of ``layers``."""
    inputs: Features
    """What the nets see, after ``scale``."""
    scale: Callable[[Any], Any]
    scaler: FeatureScaler | None
    """None if there are no features: the nets then see memberships, one-hot vectors, or spectral coordinates of many nodes."""
    averaging: csr_array | None
    """For nets that average over neighbours."""
    basis: Array | None = None
    """M x m: what the nets are trained on is ``scale(inputs) @ basis``; None if it is all features."""
    n_coordinates: int = 0
    """Spectral coordinates per node that replace ``inputs`` after aggregation, see `with_coordinates`; 0 if nothing does."""

    @property
    def n_inputs(self) -> int:
        """Inputs of the nets while they are trained."""
        if self.n_coordinates:
            return self.n_coordinates
        return int(self.inputs.shape[1] if self.basis is None else self.basis.shape[1])

    @property
    def neighbours_by_features(self) -> csr_array | None:
        """The layer of nearest neighbours by all features as they are; None if there is none."""
        alone = self.graph.layers_from_features and not self.graph.two_mode
        built = alone and self.layers.n_layers > self.graph.n_layers
        as_they_are = isinstance(self.inputs, np.ndarray) and self.inputs.shape[1] <= DIMENSIONS
        return self.layers.layers[-1] if built and (as_they_are or self.basis_of_search is not None) else None

    @property
    def basis_of_search(self) -> Array | None:
        """The directions in which the search sees the features; None if it finds its own.

        They are those of ``basis``, where it is wide enough and the features are dense and as they were given.
        """
        serves = self.inputs is self.graph.features and isinstance(self.inputs, np.ndarray)
        return self.basis if serves and is_wide(self.basis) else None

    def reduced(self, rows: Any) -> Any:
        """Return some rows of ``inputs`` as the nets are trained on them."""
        scaled = self.scale(rows)
        return scaled if self.basis is None else np.asarray(scaled @ self.basis)


def prepare(source: FitInput, parameters: Parameters) -> Prepared:
    """Scale and smooth the features, and build the layer of all of them together."""
    graph: Any = source.data
    share, weights = parameters.feature_layer, given_weights(parameters)
    if not isinstance(graph, MultilayerGraph):
        graph, share, weights = _graph_of_features(graph, parameters), 0.0, None
    relations = with_membership_layers(graph)
    weights = check_weights(weights, relations.n_layers)
    share = _auto_share(graph) if share == "auto" else share
    hops = RELATION_HOPS if share and not graph.layers_from_features else 0
    smoothing, gcn = parameters.smoothing, averages_over_graph(parameters)
    averaging = averaging_matrix(relations, weights) if gcn or smoothing or hops else None
    for_net = averaging if gcn else None
    if graph.features is None:
        if share:
            raise ValueError(f"feature_layer={share!r}, but the graph has no features to build that layer from")
        if smoothing:
            raise ValueError(f"smoothing={smoothing}, but the graph has no features to smooth")
        coordinates = _n_coordinates(graph.n_nodes, parameters)
        coded = _one_hot(graph.n_nodes) if coordinates else _inputs_without_features(graph)
        return Prepared(graph, relations, weights, coded, _as_it_is, None, for_net, n_coordinates=coordinates)
    scaler = FeatureScaler.fit(graph.features, parameters.feature_scaling, source.name)
    inputs: Features = graph.features
    scale: Callable[[Any], Any] = scaler.transform
    if smoothing and averaging is not None:
        inputs, scale = smooth(graph.features, scaler, averaging, smoothing), _as_it_is
    basis = _input_basis(inputs, scale, parameters)
    layers = relations
    if share:
        # Only the layer is built from averages: unless asked to smooth, the nets see a node's own features, so that new nodes
        # need no edges.
        averaged = averaging is not None and hops > smoothing
        directions = basis if is_wide(basis) and not smoothing else None
        if averaging is not None and averaged:
            seen = smooth(graph.features, scaler, averaging, hops, directions)
        else:
            seen = scale(inputs) if directions is None else np.asarray(scale(inputs) @ directions)
        own = knn_layer(seen, min(parameters.n_neighbors, graph.n_nodes - 1), name=source.name)
        layers, weights = _with_layer(relations, own), np.append((1 - share) * weights, share)
    return Prepared(graph, layers, weights, inputs, scale, scaler, for_net, basis)


def is_wide(basis: Array | None) -> bool:
    """Tell whether the inputs of the nets are as many directions as neighbours are looked for in."""
    return basis is not None and basis.shape[1] >= DIMENSIONS


def _inputs_without_features(graph: MultilayerGraph) -> Features:
    """Return the leading singular vectors of the memberships if each node has some, else one-hot vectors.

    The former are fewer and tell what nodes have in common, the latter only which node it is.
    """
    if graph.two_mode:
        together = csr_array(hstack([scaled_incidence(relation.incidence) for relation in graph.two_mode.values()]))
        size = min(AUTO_INPUTS, min(together.shape) - 1)
        if size >= 1 and (np.diff(together.indptr) > 0).all():
            vectors, values, _ = randomized_svd(together, size, random_state=0)
            return np.ascontiguousarray(np.sqrt(graph.n_nodes) * vectors * (values / values[0]), dtype=np.float64)
    return _one_hot(graph.n_nodes)


def _one_hot(n_nodes: int) -> csr_array:
    return csr_array(eye_array(n_nodes, format="csr"))


def with_clusters(prepared: Prepared, parameters: Parameters) -> Prepared:
    """Return what is prepared for another number of clusters."""
    if not prepared.n_coordinates:
        return prepared
    return replace(prepared, n_coordinates=_n_coordinates(prepared.graph.n_nodes, parameters))


def with_coordinates(prepared: Prepared, laplacian: Any, processes: Processes) -> Prepared:
    """Let the nets of a large graph without features see the lowest eigenvectors of the aggregated Laplacian.

    One-hot vectors would give their first layer a weight for each node and unit, all of which every step moves.
    """
    if not prepared.n_coordinates:
        return prepared
    rows = None
    if processes.first:
        low_rank = as_low_rank(laplacian, prepared.n_coordinates // COORDINATES_PER_CLUSTER, np.random.default_rng(0))
        known = min(prepared.n_coordinates, len(low_rank.core))
        vectors = low_rank.basis @ lowest_of_dense(low_rank.core, known)[1]
        rows = np.zeros((prepared.graph.n_nodes, prepared.n_coordinates))
        rows[:, :known] = np.sqrt(len(vectors)) * vectors
    return replace(prepared, inputs=processes.from_first(rows))


def _n_coordinates(n_nodes: int, parameters: Parameters) -> int:
    net = parameters.network
    by_default = isinstance(net, Network) and net.kind == "mlp" and net.n_inputs == "auto"
    if n_nodes <= ONE_HOT_UP_TO or not by_default or parameters.assign_labels.method != "evidence":
        return 0
    return COORDINATES_PER_CLUSTER * parameters.n_clusters


def _input_basis(inputs: Features, scale: Callable[[Any], Any], parameters: Parameters) -> Array | None:
    """Return the leading right singular vectors of the features; None where the nets are trained on all of them.

    Hundreds of features are mostly copies of each other, and thousands of words are rarely seen: what a net learns of them
    it learns in their leading directions, at a fraction of the cost. Each process finds the same ones.
    """
    net = parameters.network
    if not isinstance(net, Network) or net.kind != "mlp" or isinstance(inputs, np.memmap):
        return None
    size = net.n_inputs
    if size == "auto":
        size = AUTO_INPUTS if parameters.assign_labels.method == "evidence" else None
    if size is None or min(inputs.shape) <= size:
        return None
    rows = scale(inputs).astype(np.float32)  # single precision, as the nets are
    return np.ascontiguousarray(randomized_svd(rows, size, random_state=0)[2].T, dtype=np.float64)


def given_weights(parameters: Parameters) -> Array | None:
    """Return the weights of the layers that were given, None where all start alike."""
    return parameters.layer_weights if isinstance(parameters.layer_weights, np.ndarray) else None


def averages_over_graph(parameters: Parameters) -> bool:
    """Whether the nets average over neighbours."""
    return isinstance(parameters.network, Network) and parameters.network.kind == "gcn"


def _graph_of_features(features: Features, parameters: Parameters) -> MultilayerGraph:
    """Return a graph with one layer, of nearest neighbours by all features."""
    scaler = FeatureScaler.fit(features, parameters.feature_scaling, "X")
    layer = knn_layer(scaler.transform(features), min(parameters.n_neighbors, features.shape[0] - 1), name="X")
    return MultilayerGraph([layer], features, [FEATURE_LAYER], layers_from_features=True)


def _auto_share(graph: MultilayerGraph) -> float:
    if graph.features is None or isinstance(graph.features, np.memmap):
        return 0.0
    if not graph.layers_from_features:
        return RELATION_SHARE
    return 0.0 if issparse(graph.features) else VIEW_SHARE


def _with_layer(graph: MultilayerGraph, layer: csr_array) -> MultilayerGraph:
    name = FEATURE_LAYER
    while name in graph.layer_names:
        name += " (all)"
    return graph.with_layer(name, layer)


def _as_it_is(rows: Any) -> Any:
    return rows
