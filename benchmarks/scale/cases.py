"""The graphs of the scale benchmark, by name and number of nodes, with the planted clusters where there are any."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array

from orthonet import MultilayerGraph, TwoMode, datasets

Labels = npt.NDArray[np.integer]

SIZES = (1000, 10_000, 100_000, 1_000_000)
N_LAYERS, N_CLUSTERS = 4, 5
SEED = 3
WITHIN, BETWEEN = 60, 5
"""Of the block models: a node has about a fifth of the first number of neighbours in its own cluster, per layer that shows it,
and four fifths of the second in the others."""
SEPARATION, N_NEIGHBORS, CLOUD_SEED = 2.5, 20, 1
"""Of the clouds, as in `datasets.make_multilayer_gaussians`; with this seed components overlap, so that some can be missed."""
MEMBERSHIPS, PER_GROUP, OWN = 8, 40, 0.7
"""Of the two-mode tables: groups of a node in each, nodes per group about, and the share of groups of the node's own cluster,
beside those that are drawn from all."""


@dataclass(frozen=True)
class Case:
    """A family of graphs, the sizes at which it is measured, and what it is in words."""

    make: Callable[[int], tuple[MultilayerGraph, Labels | None]]
    sizes: tuple[int, ...]
    words: str


def clouds(n_nodes: int) -> tuple[MultilayerGraph, Labels]:
    """Four neighbour graphs of Gaussian clouds, with features.

    As `datasets.make_multilayer_gaussians` draws them, but with the same components at all sizes: else what could be found
    at best would differ from one size to the next.
    """
    shapes, rng = np.random.default_rng(CLOUD_SEED), np.random.default_rng([CLOUD_SEED, n_nodes])
    labels = rng.permutation(np.arange(n_nodes) % N_CLUSTERS)
    found = []
    for _ in range(N_LAYERS):
        points = np.empty((n_nodes, 2))
        means = SEPARATION * shapes.standard_normal((N_CLUSTERS, 2))
        for cluster in range(N_CLUSTERS):
            axes = np.linalg.qr(shapes.standard_normal((2, 2)))[0]
            deviations, members = shapes.uniform(0.5, 1.5, 2), labels == cluster
            points[members] = means[cluster] + (rng.standard_normal((int(members.sum()), 2)) * deviations) @ axes.T
        found.append(points)
    return MultilayerGraph.from_views(found, N_NEIGHBORS, "reciprocal", feature_scaling="none"), labels


def blocks(n_nodes: int) -> tuple[MultilayerGraph, Labels]:
    """Four complementary layers of a block model, without features."""
    options = {"p_in": WITHIN / n_nodes, "p_out": BETWEEN / n_nodes, "n_features": 0}
    data = datasets.make_multilayer_sbm(n_nodes, N_LAYERS, N_CLUSTERS, **options, random_state=SEED)
    return data.graph, data.labels


def tables(n_nodes: int) -> tuple[MultilayerGraph, Labels]:
    """Four two-mode tables, of which each shows two of the clusters, without features."""
    rng = np.random.default_rng(SEED)
    labels = rng.permutation(np.arange(n_nodes) % N_CLUSTERS)
    n_groups = max(N_CLUSTERS, n_nodes * MEMBERSHIPS // PER_GROUP // N_CLUSTERS * N_CLUSTERS)
    two_mode = {}
    for index in range(N_LAYERS):
        nodes = np.repeat(np.arange(n_nodes), MEMBERSHIPS)
        groups = rng.integers(n_groups, size=len(nodes))
        shown = np.isin(labels[nodes], [index, index + 1]) & (rng.random(len(nodes)) < OWN)
        # Group g belongs to cluster g modulo K.
        groups[shown] += labels[nodes[shown]] - groups[shown] % N_CLUSTERS
        counts = coo_array((np.ones(len(nodes)), (nodes, groups)), shape=(n_nodes, n_groups))
        two_mode[f"table {index}"] = TwoMode(csr_array(counts))
    return MultilayerGraph(two_mode=two_mode), labels


def expanders(n_nodes: int) -> tuple[MultilayerGraph, Labels]:
    """Three layers of six random edges per node, half of them within planted blocks, without features."""
    rng = np.random.default_rng(SEED)
    labels = rng.permutation(np.arange(n_nodes) % N_CLUSTERS)
    members = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[members], np.arange(N_CLUSTERS + 1))
    layers = []
    for _ in range(3):
        first, second = rng.integers(n_nodes, size=(2, 6 * n_nodes))
        within = rng.random(len(first)) < 0.5
        own = labels[first[within]]
        second[within] = members[rng.integers(starts[own], starts[own + 1])]
        layers.append(_layer(first, second, n_nodes))
    return MultilayerGraph(layers), labels


def star(n_nodes: int) -> tuple[MultilayerGraph, None]:
    """One node joined to all others."""
    return MultilayerGraph([_layer(np.zeros(n_nodes - 1, dtype=int), np.arange(1, n_nodes), n_nodes)]), None


def path(n_nodes: int) -> tuple[MultilayerGraph, None]:
    """Each node joined to the next."""
    return MultilayerGraph([_layer(np.arange(n_nodes - 1), np.arange(1, n_nodes), n_nodes)]), None


def pairs(n_nodes: int) -> tuple[MultilayerGraph, None]:
    """Pieces of two."""
    return MultilayerGraph([_layer(np.arange(0, n_nodes, 2), np.arange(1, n_nodes, 2), n_nodes)]), None


def _layer(first: Labels, second: Labels, n_nodes: int) -> csr_array:
    kept = first != second
    edges = coo_array((np.ones(int(kept.sum())), (first[kept], second[kept])), shape=(n_nodes, n_nodes))
    layer = csr_array(edges + edges.T)
    layer.data[:] = 1.0
    return layer


CASES: dict[str, Case] = {
    "clouds": Case(clouds, SIZES, "Gaussian clouds: 4 neighbour graphs and their features"),
    "blocks": Case(blocks, SIZES, "block model: 4 complementary layers"),
    "tables": Case(tables, SIZES, "4 complementary two-mode tables"),
    "expanders": Case(expanders, (250_000,), "3 expanders of 1.5 million edges, planted blocks"),
    "star": Case(star, (100_000,), "star"),
    "path": Case(path, (100_000,), "path"),
    "pairs": Case(pairs, (100_000,), "50,000 pieces of two"),
}
