"""What the settings of a fit must be, and what they decide: the nets, the merged Laplacian, the batches, the checkpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from orthonet.aggregation import AGGREGATIONS, aggregate
from orthonet.clustering.assignment import ASSIGNMENT_METHODS
from orthonet.clustering.task import FitTask, check_module
from orthonet.embedding.checkpoints import Checkpoints
from orthonet.embedding.laplacians import as_low_rank
from orthonet.embedding.networks import ACTIVATIONS, NETWORK_KINDS, Ensemble, build_ensemble
from orthonet.embedding.processes import Processes
from orthonet.support.checks import check_choice, check_integer, check_number, random_generator

if TYPE_CHECKING:
    from orthonet.clustering.estimator import OrthoNet

FULL_BATCH_UP_TO, AUTO_BATCH = 50_000, 4096
NOT_OF_THE_RUN = ("checkpoint_dir", "distributed", "device", "n_jobs", "verbose", "random_state")
"""Parameters that may change between a run that was cut off and the one that goes on with it."""


def check_settings(model: OrthoNet) -> None:
    """Raise if a parameter is not what it should be, and name it."""
    check_integer(model.n_clusters, "n_clusters", minimum=2)
    check_choice(model.aggregation, "aggregation", AGGREGATIONS)
    check_integer(model.n_neighbors, "n_neighbors", minimum=1)
    check_integer(model.smoothing, "smoothing", minimum=0)
    check_number(model.learning_rate, "learning_rate", above=0)
    check_integer(model.max_steps, "max_steps", minimum=1)
    check_number(model.tol, "tol", at_least=0)
    check_integer(model.n_init, "n_init", minimum=1)
    check_choice(model.activation, "activation", ACTIVATIONS)
    check_choice(model.assign_labels, "assign_labels", ASSIGNMENT_METHODS)
    if model.feature_layer != "auto" and not 0 <= check_number(model.feature_layer, "feature_layer") < 1:
        raise ValueError(f"feature_layer must be 'auto', or at least 0 and below 1, got {model.feature_layer!r}")
    if model.batch_size not in ("auto", None):
        check_integer(model.batch_size, "batch_size", minimum=2)
    if not isinstance(model.network, torch.nn.Module):
        check_choice(model.network, "network", NETWORK_KINDS)
    try:
        sizes = list(model.hidden_layers)
    except TypeError:
        raise TypeError(f"hidden_layers must be a sequence of integers, got {model.hidden_layers!r}") from None
    for index, units in enumerate(sizes):
        check_integer(units, f"hidden_layers[{index}]", minimum=1)


def new_network(model: OrthoNet, task: FitTask, generator: torch.Generator) -> Ensemble:
    """Return the nets that are to be trained, with initial weights."""
    k = model.n_clusters
    sizes = (int(task.inputs.shape[1]), *model.hidden_layers, k)
    if isinstance(model.network, str) and model.network != "linear" and k > sizes[-2] + 1:
        raise ValueError(
            f"n_clusters={k} outputs cannot be independent after a layer of {sizes[-2]} units; pass "
            f"hidden_layers={(*model.hidden_layers[:-1], k)}"
        )
    network = build_ensemble(model.network, sizes, model.n_init, generator, model.activation)
    if isinstance(model.network, torch.nn.Module):
        check_module(network, task.inputs, k)
    return network


def merged_laplacian(
    model: OrthoNet, task: FitTask, checkpoints: Checkpoints | None, low_rank: bool, seed: int
) -> tuple[Any, dict[str, Any]]:
    """Return the merged Laplacian, and what was told of it."""
    stored = None if checkpoints is None else checkpoints.load_laplacian()
    if stored is not None:
        return stored
    merged = aggregate(
        task.merged_graph,
        method=model.aggregation,
        n_components=model.n_clusters,
        layer_weights=task.weights,
        laplacian=model.laplacian,
        epsilon=model.epsilon,
        verbose=model.verbose,
    )
    # A generator of its own: a resumed run, which draws nothing here, must go on with the same numbers.
    own = random_generator(seed)
    matrix = as_low_rank(merged.matrix, model.n_clusters, own) if low_rank else merged.matrix
    if checkpoints is not None:
        checkpoints.save_laplacian(matrix, dict(merged.info))
    return matrix, dict(merged.info)


def batch_size_of(model: OrthoNet, n_nodes: int, processes: Processes) -> int | None:
    """Return how many nodes a step sees, None for all of them."""
    if model.network == "gcn" and processes.size > 1:
        raise ValueError(
            "network='gcn' averages over neighbours, which other processes hold; pass distributed=False, or smooth the "
            "features once instead: smoothing=2"
        )
    size = model.batch_size
    if size == "auto":
        size = None if n_nodes <= FULL_BATCH_UP_TO else AUTO_BATCH
    if size is None or size >= n_nodes:
        return None
    if model.network == "gcn":
        raise ValueError(
            "network='gcn' averages over neighbours, which a batch does not hold; pass batch_size=None, or smooth the "
            "features once instead: smoothing=2"
        )
    return int(size)


def open_checkpoints(model: OrthoNet, task: FitTask, seed: int) -> Checkpoints:
    """Open the folder that keeps the state of this run."""
    settings = {name: value for name, value in model.get_params().items() if name not in NOT_OF_THE_RUN}
    shown = {name: value if isinstance(value, str | int | float) else repr(value) for name, value in settings.items()}
    # Without a seed the fits differ by chance alone, and any of them may go on with another's state.
    parts = [sorted(shown.items()), None if model.random_state is None else seed]
    graph = task.merged_graph
    return Checkpoints.at(str(model.checkpoint_dir), *parts, task.inputs, *graph.layers, *graph.present)
