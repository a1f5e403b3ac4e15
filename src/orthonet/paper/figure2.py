"""Three layers of two complementary blocks, aggregated by three means (the paper's Figure 2), and how firmly each stands.

The paper's figure gives no weights, so this example is made anew, after its text. Nine nodes form three blocks. Each layer
shows one of them apart from the other two, which it blends; edges (2, 7), (7, 8), (0, 8) and (6, 8) are the critical ones:
(0, 8) is heavy but in one layer, (7, 8) is light but in two. The example was searched for: most graphs of this kind are
clustered correctly by all three means.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.cluster import contingency_matrix

from orthonet.aggregation import aggregate
from orthonet.baselines import SpectralClustering
from orthonet.clustering.assignment import assign
from orthonet.graph.laplacian import LaplacianKind
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.graph.operators import AggregatedLaplacian
from orthonet.paper.scores import NOT_MEASURED, Records, table, whole
from orthonet.paper.workers import Task
from orthonet.support.drawing import MUTED, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLOCKS = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2])
"""The cluster that each of the nine nodes belongs to."""
CRITICAL_EDGES = ((2, 7), (7, 8), (0, 8), (6, 8))
"""Edges whose weights decide which of the means finds the blocks."""
MEANS: dict[str, dict[str, Any]] = {
    "arithmetic": {},
    "projection": {"n_components": 3},
    "geometric": {"solver": "exact", "tol": 1e-8},
}
KINDS: tuple[LaplacianKind, ...] = ("joint", "combinatorial")
"""Laplacians that are aggregated: ours and the paper's."""
FACTORS = (0.7, 1.4)
"""Between what the critical weights are multiplied, to see how firmly a mean finds the blocks."""
DRAWS = 200
"""How many times."""
SEED = 0
REST = 3
"""Name of a found cluster that matches no block, in `PALETTE`."""
PALETTE = np.array([MUTED[0], MUTED[3], MUTED[2], MUTED[9]])
"""Colours of the three blocks and of the rest."""

Edges = Mapping[tuple[int, int], float]
Labels = npt.NDArray[np.int64]

LAYERS: dict[str, Edges] = {
    "layer 0: {0, 1, 2}": {
        # its block
        (0, 1): 0.5,
        (0, 2): 0.5,
        (1, 2): 0.5,
        # the other two, blended
        (5, 6): 1.0,
        (5, 7): 1.0,
        (3, 8): 0.5,
        (4, 8): 0.5,
        (6, 8): 0.5,
        (4, 5): 0.2,
        (7, 8): 0.2,
        # a weak bridge from the block to the rest
        (0, 4): 0.1,
    },
    "layer 1: {3, 4, 5}": {
        (3, 4): 0.5,
        (3, 5): 0.5,
        (4, 5): 1.0,
        (0, 8): 1.0,
        (2, 6): 1.0,
        (0, 1): 0.5,
        (1, 6): 0.5,
        (2, 7): 0.5,
        (0, 2): 0.2,
        (4, 7): 0.1,
    },
    "layer 2: {6, 7, 8}": {
        (6, 7): 1.0,
        (6, 8): 0.5,
        (7, 8): 0.2,
        (2, 5): 1.0,
        (0, 4): 0.5,
        (3, 5): 0.5,
        (0, 1): 0.2,
        (0, 5): 0.2,
        (4, 5): 0.2,
        (5, 6): 0.1,
    },
}


def complementary_layers() -> MultilayerGraph:
    """Return the example: nine nodes, three layers, each of a block and its complement."""
    return _graph(LAYERS)


def perturbed(rng: np.random.Generator) -> MultilayerGraph:
    """Return the example with every critical edge, in every layer that has it, times a factor drawn from `FACTORS`."""
    return _graph(
        {
            name: {edge: w * rng.uniform(*FACTORS) if edge in CRITICAL_EDGES else w for edge, w in edges.items()}
            for name, edges in LAYERS.items()
        }
    )


def layer_partition(graph: MultilayerGraph, layer: str, laplacian: LaplacianKind = "joint") -> Labels:
    """Return the two clusters of one layer."""
    clustering = SpectralClustering(2, layer=layer, laplacian=laplacian, random_state=0)
    labels: Labels = clustering.fit(graph).labels_
    return labels


def aggregated(graph: MultilayerGraph, mean: str, laplacian: LaplacianKind = "joint") -> AggregatedLaplacian:
    """Return one of the three means of the layers."""
    return aggregate(graph, mean, laplacian=laplacian, verbose=False, **MEANS[mean])


def mean_partition(graph: MultilayerGraph, mean: str, laplacian: LaplacianKind = "joint") -> Labels:
    """Return the three clusters of a mean of the layers."""
    embedding = aggregated(graph, mean, laplacian).smallest_eigenvectors(3)
    return assign(embedding, 3, n_init=20, rng=np.random.default_rng(0)).labels


def same_partition(first: npt.ArrayLike, second: npt.ArrayLike) -> bool:
    """Return whether two labellings are the same partition of the nodes, whatever the clusters are called."""
    return float(adjusted_rand_score(first, second)) == 1.0


def robustness(n_draws: int, seed: int, laplacian: LaplacianKind = "joint") -> dict[str, dict[str, int]]:
    """Count over perturbed examples how often a mean recovers the blocks, and how often its partition has changed."""
    rng = np.random.default_rng(seed)
    graph = complementary_layers()
    unperturbed = {mean: mean_partition(graph, mean, laplacian) for mean in MEANS}
    counts = {mean: {"recovered": 0, "changed": 0} for mean in MEANS}
    for _ in range(n_draws):
        graph = perturbed(rng)
        for mean, count in counts.items():
            labels = mean_partition(graph, mean, laplacian)
            count["recovered"] += same_partition(labels, BLOCKS)
            count["changed"] += not same_partition(labels, unperturbed[mean])
    return counts


def tasks(quick: bool) -> list[Task]:
    """Return the one measurement."""
    return [Task("the example", measure, (20 if quick else DRAWS, SEED))]


def render(records: Records) -> str:
    """Return a Markdown table: whether a mean is right, and how often it stays so when the critical edges change."""
    result = whole(records, *KINDS)
    if result is None:
        return NOT_MEASURED
    rows = []
    for kind in KINDS:
        for mean, counts in result[kind]["robustness"].items():
            ari = f"{result[kind]['adjusted_rand_index'][mean]:.2f}"
            rows.append(
                [kind, mean, ari, *(f"{counts[what]} of {result['draws']}" for what in ("recovered", "changed"))]
            )
    return table(["Laplacians", "mean", "ARI", "right when perturbed", "changed when perturbed"], rows)


def measure(n_draws: int, seed: int) -> dict[str, Any]:
    """Return everything that the text may claim, as plain data."""
    graph = complementary_layers()
    result: dict[str, Any] = {
        "layers": {name: [[*edge, w] for edge, w in sorted(edges.items())] for name, edges in LAYERS.items()},
        "critical_edges": [list(edge) for edge in CRITICAL_EDGES],
        "blocks": BLOCKS.tolist(),
        "epsilon": aggregated(graph, "geometric").info["epsilon"],
        "draws": n_draws,
        "factors": list(FACTORS),
        "seed": seed,
    }
    for kind in KINDS:
        partitions = {mean: mean_partition(graph, mean, kind) for mean in MEANS}
        result[kind] = {
            "partition_of_layers": {
                name: _first_seen(layer_partition(graph, name, kind)).tolist() for name in graph.layer_names
            },
            "partition_of_means": {mean: _first_seen(labels).tolist() for mean, labels in partitions.items()},
            "adjusted_rand_index": {
                mean: round(float(adjusted_rand_score(BLOCKS, labels)), 3) for mean, labels in partitions.items()
            },
            "robustness": robustness(n_draws, seed, kind),
        }
    return result


def draw(records: Records) -> Figure | None:
    """Draw layers above, means below: edges the darker the heavier, nodes in the colours of their clusters."""
    result = whole(records, *KINDS)
    if result is None:
        return None
    graph = complementary_layers()
    figure = new_figure(10.5, 7.6)
    figure.get_layout_engine().set(h_pad=0.12, w_pad=0.1)  # type: ignore[union-attr, call-arg]
    above, below = figure.subplots(2, 3)
    for axis, name, layer in zip(above, graph.layer_names, graph.layers, strict=True):
        _draw_graph(axis, layer.toarray(), _named_by_block(layer_partition(graph, name)))
        axis.set_title(name, fontsize=11)
    counts = result["joint"]["robustness"]
    for axis, mean in zip(below, MEANS, strict=True):
        found = _named_by_block(mean_partition(graph, mean))
        wrong = np.flatnonzero(found != BLOCKS)
        _draw_graph(axis, np.maximum(-aggregated(graph, mean).to_dense(), 0.0), found, ringed=wrong)
        verdict = f"wrong at {' and '.join(map(str, wrong))}" if wrong.size else "right"
        axis.set_title(f"{mean} mean: {verdict}", fontsize=11, fontweight="normal" if wrong.size else "bold")
        axis.set_xlabel(
            f"critical edges times {FACTORS[0]} … {FACTORS[1]}:\nright in {counts[mean]['recovered']}, "
            f"changed in {counts[mean]['changed']} of {result['draws']} draws",
            fontsize=9,
        )
    figure.supxlabel("Edges: the darker, the heavier. Rings: the block that a misassigned node belongs to.", fontsize=9)
    return figure


def _graph(layers: Mapping[str, Edges]) -> MultilayerGraph:
    matrices = {}
    for name, edges in layers.items():
        matrix = np.zeros((len(BLOCKS), len(BLOCKS)))
        for (i, j), weight in edges.items():
            matrix[i, j] = matrix[j, i] = weight
        matrices[name] = matrix
    return MultilayerGraph(matrices)


def _first_seen(labels: Labels) -> Labels:
    """Number the clusters in the order of their first nodes."""
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[codes].astype(np.int64)


def _named_by_block(labels: Labels) -> Labels:
    """Call three clusters by the blocks they match best; of two, the smaller by its block and the larger `REST`."""
    counts = contingency_matrix(BLOCKS, labels)
    blocks, clusters = linear_sum_assignment(counts, maximize=True)
    names = np.full(counts.shape[1], REST)
    names[clusters] = blocks
    if counts.shape[1] == 2:
        names[counts.sum(axis=0).argmax()] = REST
    return names[np.unique(labels, return_inverse=True)[1]].astype(np.int64)


def _draw_graph(
    axis: Axes, weights: npt.NDArray[np.float64], clusters: Labels, ringed: npt.NDArray[np.intp] | tuple[()] = ()
) -> None:
    """Draw nodes on a circle, block by block, and rings in the colour of the true block around some of them."""
    angles = np.pi / 2 + np.deg2rad(120 * BLOCKS + 32 * (np.arange(len(BLOCKS)) % 3 - 1))
    where = np.stack([-np.cos(angles), np.sin(angles)], axis=1)
    shares = np.triu(weights, 1) / np.triu(weights, 1).max()
    for i, j in np.argwhere(shares > 0.01):
        share = shares[i, j]
        axis.plot(*where[[i, j]].T, color=str(0.9 * (1 - share)), linewidth=0.8 + 3.2 * share, zorder=1 + share)
    for node in ringed:
        axis.scatter(
            where[node, 0], where[node, 1], s=760, c="white", edgecolors=PALETTE[BLOCKS[node]], linewidths=3, zorder=3
        )
    axis.scatter(where[:, 0], where[:, 1], s=420, c=PALETTE[clusters], edgecolors="white", linewidths=1.5, zorder=4)
    for node, (x, y) in enumerate(where):
        colour = "black" if clusters[node] == REST else "white"
        axis.text(x, y, str(node), color=colour, ha="center", va="center", fontsize=11, zorder=5)
    axis.set(xlim=(-1.25, 1.25), ylim=(-1.0, 1.2), aspect="equal", xticks=[], yticks=[])
    axis.spines[:].set_visible(False)
