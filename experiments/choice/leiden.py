"""What Leiden would propose, where it is installed: communities at several resolutions, merged to K clusters."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np
from scipy.sparse import csr_array, csr_matrix, triu

from orthonet.evidence.merging import merge
from orthonet.evidence.search import Search
from orthonet.evidence.sources import Labels

RESOLUTIONS = (0.5, 1.0, 1.5, 3.0)
MOST_EDGES = 2_000_000
"""Layers with more edges are left out."""


def is_installed() -> bool:
    """Tell whether leidenalg is at hand."""
    return find_spec("leidenalg") is not None


def usable_layers(search: Search) -> list[csr_array]:
    """Return the layers, and the features' own beside relations, that are not too large."""
    layers = [layer for layer in search.inputs.layers if layer.shape[0] == layer.shape[1]]
    if search.inputs.relations and search.inputs.feature_layer is not None and layers:
        layers.append(search.inputs.feature_layer)
    return [layer for layer in layers if layer.nnz <= 2 * MOST_EDGES]


def propose(search: Search, seed: int) -> Iterator[tuple[str, Labels]]:
    """Yield Leiden's communities at each resolution that gives at least K of them, merged to K."""
    import igraph
    import leidenalg

    layers, k = usable_layers(search), search.inputs.n_clusters
    if not layers:
        return
    graphs = [
        igraph.Graph.Weighted_Adjacency(csr_matrix(triu(layer, k=1)), mode="upper", attr="weight") for layer in layers
    ]
    for resolution in RESOLUTIONS:
        optimiser = leidenalg.Optimiser()
        optimiser.set_rng_seed(seed)
        parts = [
            leidenalg.RBConfigurationVertexPartition(graph, weights="weight", resolution_parameter=resolution)
            for graph in graphs
        ]
        optimiser.optimise_partition_multiplex(parts, layer_weights=[1.0] * len(parts), n_iterations=2)
        communities = np.asarray(parts[0].membership, dtype=np.int64)
        if communities.max() + 1 >= k:
            yield f"Leiden {resolution:g}, merged", merge(search.sources, communities, k, search.weights)
