"""Figure 4: the synthetic clouds, one panel per layer; nodes of one cluster share a colour and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from orthonet.comparison.pictures import draw_layers
from orthonet.datasets import Dataset, make_multilayer_gaussians
from orthonet.paper.scores import NOT_MEASURED, Records, whole
from orthonet.paper.workers import Task

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NODES, LAYERS, CLUSTERS, NEIGHBORS = 100, 3, 4, 5
"""N, S and K of the paper's figure, and the neighbours of each node in a layer."""
SEED = 1
"""Of the clouds."""


def tasks(quick: bool) -> list[Task]:
    """Return the one draw."""
    return [Task("clouds", measure, (SEED,))]


def measure(seed: int) -> dict[str, Any]:
    """Return the size of the set."""
    graph = clouds(seed).graph
    return {"seed": seed, "edges": [int(layer.nnz // 2) for layer in graph.layers]}


def clouds(seed: int) -> Dataset:
    """Return the paper's N = 100 nodes, S = 3 layers, K = 4 clusters in d = 2 dimensions."""
    return make_multilayer_gaussians(NODES, LAYERS, CLUSTERS, 2, n_neighbors=NEIGHBORS, random_state=seed)


def render(records: Records) -> str:
    """Return a sentence."""
    record = whole(records, "edges")
    if record is None:
        return NOT_MEASURED
    edges = ", ".join(map(str, record["edges"]))
    return f"N = {NODES}, K = {CLUSTERS}, S = {LAYERS}, d = 2, {NEIGHBORS} neighbours, seed {record['seed']}: {edges} edges.\n"


def draw(records: Records) -> Figure | None:
    """Draw each cloud with its edges."""
    record = whole(records, "edges")
    if record is None:
        return None
    data = clouds(record["seed"])
    positions = np.split(np.asarray(data.graph.features), LAYERS, axis=1)
    return draw_layers(data.graph, positions, data.labels, "Synthetic clouds, coloured by cluster")
