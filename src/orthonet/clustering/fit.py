"""One fit, from data to result: prepare → aggregate → learn → assign.

    prepare     which layers are aggregated, with which weights, and what the nets see of each node
    aggregate   one Laplacian L of all layers
    learn       nets that map the features to the lowest eigenvectors of L, and the embedding that they give
    assign      the clusters of the rows of that embedding

`fit` takes these steps in this order, and each step is one of the functions below it. Under ``torchrun`` every process goes
this way with the same data; the first one aggregates and assigns for all, and all train together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import torch
from scipy.sparse import csr_array, eye_array, issparse

from orthonet.aggregation import aggregate
from orthonet.clustering.assignment import SAMPLE, Assignment, assign, canonical_order, soft_assignment
from orthonet.clustering.inputs import FitInput
from orthonet.clustering.parameters import Network, Parameters
from orthonet.clustering.result import FitResult
from orthonet.embedding.checkpoints import Checkpoints
from orthonet.embedding.devices import choose_device, choose_dtype, sum_dtype
from orthonet.embedding.embedder import Embedder
from orthonet.embedding.laplacians import as_low_rank, laplacian_rows
from orthonet.embedding.networks import Ensemble, build_ensemble, check_module
from orthonet.embedding.nodes import Nodes
from orthonet.embedding.orthogonal import embedding_map
from orthonet.embedding.processes import Processes
from orthonet.embedding.tensors import as_tensor
from orthonet.embedding.training import train
from orthonet.embedding.training_result import TrainingResult
from orthonet.graph.features import Features, FeatureScaler
from orthonet.graph.knn import knn_layer
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.graph.smoothing import averaging_matrix, smooth
from orthonet.support.checks import check_weights, random_generator
from orthonet.support.warn import warn_user

Array = npt.NDArray[np.float64]

FEATURE_LAYER = "features"
"""Name of the layer that is built from all features together."""
VIEW_SHARE, RELATION_SHARE = 0.2, 0.5
"""Weight of that layer beside layers that were made from the same features, and beside relations, where it says more: a
fixed share, so that repeating a layer changes nothing."""
RELATION_HOPS = 2
"""How often features are averaged over relations before that layer is built from them."""
FULL_BATCH_UP_TO, AUTO_BATCH = 50_000, 4096
"""Nodes up to which ``batch_size="auto"`` takes all in each step, and how many it takes of more."""
NOT_IN_FINGERPRINT = {"checkpoint_dir", "distributed", "device", "n_jobs"}
"""Options of training that may change between a run that was interrupted and the one that goes on with it."""


def fit(source: FitInput, parameters: Parameters, processes: Processes) -> FitResult:
    """Fit, and return what was found.

    Parameters
    ----------
    source : FitInput
        A graph, or features alone.
    parameters : Parameters
        Already checked, see `check_parameters`.
    processes : Processes
        Those that train together.
    """
    run = Run.start(source.n_nodes, parameters, processes)
    prepared = prepare(source, parameters)
    network = new_network(prepared.inputs, run)  # before the long work: a net of the wrong form fails here
    checkpoints = open_checkpoints(prepared, run)
    laplacian, report = aggregate_layers(prepared, run, checkpoints)
    learned = learn(network, prepared, laplacian, run, checkpoints)
    assigned = assign_clusters(learned.embedding, prepared.graph, run)
    probabilities = soft_assignment(
        learned.embedding, assigned.centers, assigned.spread, parameters.assign_labels.normalize_rows
    )
    layer_names = prepared.layers.layer_names
    return FitResult(
        parameters=parameters,
        arrays={
            "labels": assigned.labels,
            "embedding": learned.embedding,
            "cluster_centers": assigned.centers,
            "spread": np.array(assigned.spread),
            "probabilities": probabilities,
            "layer_weights": np.array([report["layer_weights"][name] for name in layer_names]),
        },
        embedder=learned.embedder,
        layer_names=layer_names,
        feature_names=source.feature_names,
        n_features=0 if prepared.scaler is None else int(prepared.inputs.shape[1]),
        aggregation=report,
        history={
            "loss": np.array(learned.training.losses),
            "turn": np.array(learned.training.turns),
            "agreement": np.array(learned.agreement),
            "bytes_per_step": np.array(learned.training.bytes_per_step),
        },
        complete=not learned.training.interrupted,
    )


@dataclass(frozen=True)
class Run:
    """What all steps of one fit need."""

    parameters: Parameters
    processes: Processes
    batch_size: int | None
    """How many nodes a training step sees, None for all."""
    seed: int
    """Of the initial weights and of the batches, the same in all processes."""
    rng: np.random.Generator

    @classmethod
    def start(cls, n_nodes: int, parameters: Parameters, processes: Processes) -> Self:
        """Compare the parameters with the number of nodes, and draw the seed."""
        k = parameters.n_clusters
        if k > n_nodes:
            raise ValueError(f"n_clusters={k} is more than the {n_nodes} nodes there are")
        if processes.size > n_nodes:
            raise ValueError(f"{processes.size} processes are more than the {n_nodes} nodes they would share")
        batch_size = _batch_size(n_nodes, parameters, processes)
        drawn = int(random_generator(parameters.random_state).integers(2**63 - 1))
        rng = random_generator(processes.from_first(drawn))
        return cls(parameters, processes, batch_size, int(rng.integers(2**63 - 1)), rng)


def _batch_size(n_nodes: int, parameters: Parameters, processes: Processes) -> int | None:
    size = parameters.training.batch_size
    if size == "auto":
        size = None if n_nodes <= FULL_BATCH_UP_TO else AUTO_BATCH
    if size is not None and size >= n_nodes:
        size = None
    if averages_over_graph(parameters) and (size is not None or processes.size > 1):
        where = "distributed=False" if processes.size > 1 else "batch_size=None"
        raise ValueError(
            "network='gcn' averages over neighbours, which a batch, or the share of one process, does not contain; pass "
            f"training.{where}, or smooth the features once instead: smoothing=2"
        )
    return size


# Prepare


@dataclass(frozen=True)
class Prepared:
    """The data of a fit, ready for the aggregation and the nets."""

    graph: MultilayerGraph
    """As it was given; or with one layer, if features were given alone."""
    layers: MultilayerGraph
    """The layers to aggregate: those of ``graph``, and the one that is built from the features, if there is one."""
    layer_weights: Array
    """Of ``layers``."""
    inputs: Features
    """What the nets see, after ``scale``."""
    scale: Callable[[Any], Any]
    scaler: FeatureScaler | None
    """None if there are no features: the nets then see one-hot vectors."""
    averaging: csr_array | None
    """For nets that average over neighbours."""


def prepare(source: FitInput, parameters: Parameters) -> Prepared:
    """Scale and smooth the features, and build the layer of all of them together."""
    graph, share, weights = source.data, parameters.feature_layer, parameters.layer_weights
    if not isinstance(graph, MultilayerGraph):
        graph, share, weights = _graph_of_features(graph, parameters), 0.0, None
    weights = check_weights(weights, graph.n_layers)
    share = _auto_share(graph) if share == "auto" else share
    hops = RELATION_HOPS if share and not graph.layers_from_features else 0
    smoothing, gcn = parameters.smoothing, averages_over_graph(parameters)
    averaging = averaging_matrix(graph, weights) if gcn or smoothing or hops else None
    for_net = averaging if gcn else None
    if graph.features is None:
        if share:
            raise ValueError(f"feature_layer={share!r}, but the graph has no features to build that layer from")
        if smoothing:
            raise ValueError(f"smoothing={smoothing}, but the graph has no features to smooth")
        one_hot = csr_array(eye_array(graph.n_nodes, format="csr"))
        return Prepared(graph, graph, weights, one_hot, _as_it_is, None, for_net)
    scaler = FeatureScaler.fit(graph.features, parameters.feature_scaling, source.name)
    inputs: Features = graph.features
    scale: Callable[[Any], Any] = scaler.transform
    if smoothing and averaging is not None:
        inputs, scale = smooth(graph.features, scaler, averaging, smoothing), _as_it_is
    layers = graph
    if share:
        # Only the layer is built from averages: the nets see a node's own features, so that new nodes need no edges.
        averaged = averaging is not None and hops > smoothing
        seen = smooth(graph.features, scaler, averaging, hops) if averaged else scale(inputs)
        own = knn_layer(seen, min(parameters.n_neighbors, graph.n_nodes - 1), name=source.name)
        layers, weights = _with_layer(graph, own), np.append((1 - share) * weights, share)
    return Prepared(graph, layers, weights, inputs, scale, scaler, for_net)


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
    return MultilayerGraph(
        [*graph.layers, layer], layer_names=[*graph.layer_names, name], present=[*graph.present, None]
    )


def _as_it_is(rows: Any) -> Any:
    return rows


# Aggregate


def aggregate_layers(prepared: Prepared, run: Run, checkpoints: Checkpoints | None) -> tuple[Any, dict[str, Any]]:
    """Return the aggregated Laplacian, None in all processes but the first, and what is reported of it."""
    parameters, processes = run.parameters, run.processes
    if not processes.first:
        return None, processes.from_first(None)
    stored = None if checkpoints is None else checkpoints.load_laplacian()
    if stored is not None:
        return stored[0], processes.from_first(stored[1])
    aggregated = aggregate(
        prepared.layers,
        **parameters.aggregation,
        n_components=parameters.n_clusters,
        layer_weights=prepared.layer_weights,
        laplacian=parameters.laplacian,
        epsilon=parameters.epsilon,
        verbose=parameters.verbose,
    )
    matrix, report = aggregated.matrix, dict(aggregated.info)
    if run.batch_size is not None:
        # A generator of its own: a resumed run, which draws nothing here, must go on with the same numbers.
        matrix = as_low_rank(matrix, parameters.n_clusters, random_generator(run.seed))
    if checkpoints is not None:
        checkpoints.save_laplacian(matrix, report)
    return matrix, processes.from_first(report)


def open_checkpoints(prepared: Prepared, run: Run) -> Checkpoints | None:
    """Open the folder that keeps the state of this run, if one is named; only the first process writes there."""
    parameters = run.parameters
    folder = parameters.training.checkpoint_dir
    if folder is None or not run.processes.first:
        return None
    settings = {field.name: getattr(parameters, field.name) for field in fields(parameters)}
    training = settings.pop("training")
    settings |= {f.name: getattr(training, f.name) for f in fields(training) if f.name not in NOT_IN_FINGERPRINT}
    # Without a seed the fits differ by chance alone, and any of them may go on with another's state.
    chance = None if settings.pop("random_state") is None else run.seed
    del settings["verbose"]
    layers = prepared.layers
    parts = [sorted((name, repr(value)) for name, value in settings.items()), chance, prepared.inputs]
    return Checkpoints.at(folder, *parts, *layers.layers, *layers.present)


# Learn


@dataclass(frozen=True)
class Learned:
    """Trained nets, and the embedding of the nodes."""

    embedder: Embedder
    embedding: Array
    training: TrainingResult
    agreement: float
    """How far the nets agree, at most 1."""


def new_network(inputs: Features, run: Run) -> Ensemble:
    """Return the nets that are to be trained, with initial weights."""
    k, form = run.parameters.n_clusters, run.parameters.network
    if not isinstance(form, Network):
        network = build_ensemble(form, (), 1, None)
        check_module(network, inputs, k)
        return network
    sizes = (int(inputs.shape[1]), *form.hidden_layers, k)
    if form.kind != "linear" and k > sizes[-2] + 1:
        wanted = (*form.hidden_layers[:-1], k)
        raise ValueError(
            f"n_clusters={k} outputs cannot be independent after a layer of {sizes[-2]} units; pass "
            f"network.hidden_layers={wanted}"
        )
    generator = torch.Generator("cpu").manual_seed(run.seed)
    return build_ensemble(form.kind, sizes, run.parameters.training.n_networks, generator, form.activation)


def learn(network: Ensemble, prepared: Prepared, laplacian: Any, run: Run, checkpoints: Checkpoints | None) -> Learned:
    """Train the nets on the aggregated Laplacian, and turn their outputs into one orthonormal embedding."""
    k, n_nodes, how, processes = (
        run.parameters.n_clusters,
        prepared.graph.n_nodes,
        run.parameters.training,
        run.processes,
    )
    device = choose_device(how.device)
    dtype = choose_dtype(how.dtype, device)
    rows = laplacian_rows(laplacian, processes, n_nodes, device, sum_dtype(device))
    neighbours = None if prepared.averaging is None else as_tensor(prepared.averaging, dtype).to(device)
    network.to(device=device, dtype=dtype).use_graph(neighbours)
    nodes = Nodes(prepared.inputs, prepared.scale, processes.share(n_nodes), device, dtype)
    training = train(
        network,
        nodes,
        rows,
        k,
        learning_rate=how.learning_rate,
        max_iter=how.max_iter,
        tol=how.tol,
        batch_size=run.batch_size,
        seed=run.seed % 2**31,
        processes=processes,
        checkpoints=checkpoints,
        verbose=run.parameters.verbose,
    )
    if training.interrupted:
        warn_user(
            f"training was interrupted after {len(training.losses)} of {how.max_iter} steps; the model is incomplete"
        )
    network.use_graph(None)
    embedder = Embedder(network, prepared.scaler, k)
    outputs = embedder.outputs(nodes, prepared.averaging)
    found = embedding_map(outputs, rows, k, processes)
    if found.rank < k:
        warn_user(
            f"the net's outputs span {found.rank} of {k} dimensions: there are too few different feature vectors "
            "for so many clusters; ask for fewer, or give more features"
        )
    embedder.to_embedding = found.matrix.numpy()
    embedding = processes.gather(outputs @ found.matrix, n_nodes).numpy()
    return Learned(embedder, embedding, training, found.agreement)


# Assign


def assign_clusters(embedding: Array, graph: MultilayerGraph, run: Run) -> Assignment:
    """Cluster the rows of the embedding, in an order that does not depend on how the nodes are numbered."""
    if not run.processes.first:
        return run.processes.from_first(None)
    how, features = run.parameters.assign_labels, graph.features
    return run.processes.from_first(
        assign(
            embedding,
            run.parameters.n_clusters,
            method=how.method,
            normalize=how.normalize_rows,
            n_init=how.n_init,
            rng=run.rng,
            order=canonical_order(features) if features is not None and graph.n_nodes <= SAMPLE else None,
        )
    )
