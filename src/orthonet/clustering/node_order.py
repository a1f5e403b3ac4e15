"""The order in which a fit takes the nodes, by what is known of them, and the units in which it takes the weights of edges.

So nothing hangs on how nodes were numbered, nor on the unit of weights, not even by rounding.

Random numbers are drawn for nodes in this order and fall on the same nodes however these are numbered; sums over nodes are
taken in it and round in the same way. What was found is put back into the order that was given, see `FitResult.as_given`.

Of many nodes with dense features, those with like features stand near each other. Products with a layer read, for each node,
the rows of its neighbours. Where these are near in memory they are in the cache; of a million nodes in random order they are
not, and a product takes two to three times as long. The leaves of a k-d tree, from left to right, keep like nodes together; the
tree is built from nodes in the order of their features.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.spatial import KDTree

from orthonet.clustering.assignment import SAMPLE
from orthonet.evidence.graph_sources import on_disk
from orthonet.graph.features import Features, rows_of
from orthonet.graph.multilayer import MultilayerGraph

Array = npt.NDArray[np.float64]
Order = npt.NDArray[np.intp]
Data = TypeVar("Data", MultilayerGraph, Features)

STEPS = 6
"""Of looking at the neighbours' neighbours, by which nodes of equal features are told apart."""
LEAF = 16
"""Nodes in a leaf."""
MOST_COLUMNS = 8
"""Features that are looked at: more would not split a million nodes any finer."""


def in_node_order(data: Data) -> tuple[Data, Order]:
    """Return the same data with its nodes in an order of their own, and the positions that they had.

    Features too large for memory are read in the order in which they are, so nodes that have such stay as they were given.

    Parameters
    ----------
    data : MultilayerGraph, or features of shape (N, M)
    """
    features = data.features if isinstance(data, MultilayerGraph) else data
    if features is not None and on_disk(features):
        return data, np.arange(len(features))
    order = node_order(data)
    return (data.subgraph(order) if isinstance(data, MultilayerGraph) else rows_of(data, order)), order


def in_own_units(graph: MultilayerGraph) -> tuple[MultilayerGraph, Array]:
    """Return the graph with the largest weight of each layer as its unit, and these units.

    To seven digits: else weights in another unit would round otherwise, and nodes between clusters move.
    """
    units = np.array([layer.data.max(initial=0.0) or 1.0 for layer in graph.layers])
    layers, tiny = {}, np.finfo(np.float32).tiny
    for name, layer, unit in zip(graph.layer_names, graph.layers, units, strict=True):
        weights = np.maximum((layer.data / unit).astype(np.float32), tiny).astype(np.float64)
        layers[name] = csr_array((weights, layer.indices, layer.indptr), shape=layer.shape)
    return graph.with_layers(layers), units


def node_order(data: MultilayerGraph | Features) -> Order:
    """Return positions of the nodes in an order of their own: by features, then by edges up to six steps away.

    Parameters
    ----------
    data : MultilayerGraph, or features of shape (N, M)
    """
    if not isinstance(data, MultilayerGraph):
        return _order_by_features(data)
    if data.n_nodes > SAMPLE and isinstance(data.features, np.ndarray):
        return spatial_order(data.features)
    by_edges = _order_by_edges(data)
    if data.features is None or data.n_nodes > SAMPLE:
        return by_edges
    # Nodes of equal features stay in the order of their edges.
    return by_edges[_order_by_features(data.features[by_edges])]


def _order_by_features(features: Features) -> Order:
    """Order nodes by the bytes of their features; many by the values of dense ones, so that like nodes are near each other."""
    if isinstance(features, np.ndarray) and features.shape[0] > SAMPLE:
        return spatial_order(features)
    if not isinstance(features, np.ndarray):
        starts = zip(features.indptr[:-1], features.indptr[1:], strict=True)
        rows = [features.indices[a:b].tobytes() + features.data[a:b].tobytes() for a, b in starts]
        return np.array(sorted(range(len(rows)), key=rows.__getitem__), dtype=np.intp)
    contiguous = np.ascontiguousarray(features)
    as_bytes = contiguous.view(np.dtype((np.void, contiguous.dtype.itemsize * contiguous.shape[1]))).ravel()
    return np.argsort(as_bytes, kind="stable")


def _order_by_edges(graph: MultilayerGraph) -> Order:
    layers = sorted(graph.layers, key=lambda layer: layer.nnz)
    incidences = sorted(
        (relation.incidence for relation in graph.two_mode.values()), key=lambda incidence: incidence.nnz
    )
    values, keys = np.ones(graph.n_nodes), []
    for _ in range(STEPS):
        # Different factors for different layers, and a function that is not linear, so that few nodes come out equal by chance.
        sums = [*(layer @ values for layer in layers), *(b @ (b.T @ values) for b in incidences)]
        ranked = (rank * np.log1p(_relative(one)) for rank, one in enumerate(sums, start=1))
        values = _relative(sum(ranked, np.zeros(graph.n_nodes)))
        keys.append(np.round(values, 9))
    return np.lexsort(keys)


def _relative(values: Array) -> Array:
    """Return values divided by the largest."""
    return values / max(values.max(), np.finfo(np.float64).tiny)


def spatial_order(features: npt.NDArray[np.floating]) -> Order:
    """Return positions of the nodes in the order of the leaves.

    Parameters
    ----------
    features : array of shape (N, M)
    """
    deviations = features.std(axis=0)
    columns = np.sort(np.argsort(-deviations, kind="stable")[:MOST_COLUMNS])
    seen = np.asarray(features[:, columns], dtype=np.float64)
    by_value = np.lexsort(seen.T[::-1])
    # Not balanced: where many nodes are equal a balanced tree takes long to build.
    tree = KDTree(seen[by_value], leafsize=LEAF, compact_nodes=False, balanced_tree=False)
    return by_value[tree.indices]
