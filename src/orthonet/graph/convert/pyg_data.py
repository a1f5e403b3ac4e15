"""To and from PyTorch Geometric: ``Data`` whose edge types are layers, ``HeteroData`` whose relations are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, issparse

from orthonet.graph.convert.assembly import Layer, assemble, checked_weights
from orthonet.graph.edge_list import EdgeList
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.graph.two_mode import refuse_two_mode
from orthonet.graph.validation import Symmetrize
from orthonet.support.optional import require
from orthonet.support.warn import warn_user

WEIGHT, TYPE, FEATURES = "edge_weight", "edge_type", "x"


def from_pyg(
    data: Any,
    *,
    layer: str = TYPE,
    weight: str | None = WEIGHT,
    features: str | None = FEATURES,
    layer_names: Sequence[str] | None = None,
    node_ids: Any = None,
    node_type: str | None = None,
    symmetrize: Symmetrize | None = None,
) -> MultilayerGraph:
    """Return the multilayer graph of a PyTorch Geometric ``Data`` or ``HeteroData``.

    Labels ``y`` are not looked at. Pairs named more than once in a layer add up, as ``coalesce`` does; self-loops are
    dropped and counted in `MultilayerGraph.summary`.

    Parameters
    ----------
    data : Data or HeteroData
        ``edge_index`` names an undirected edge both ways, as is the rule there.
    layer : str, default="edge_type"
        Of ``Data``: the integers that name an edge's layer; without that attribute there is one layer. The layers of
        ``HeteroData`` are its relations.
    weight : str or None, default="edge_weight"
        The attribute with the weights, of shape (E,) or (E, 1); without it, or with None, all are 1.
    features : str or None, default="x"
        The attribute with the features; a graph without it has none.
    layer_names : sequence of str, optional
        Name of each edge type; by default ``data.layer_names``, as `to_pyg` writes it, or "layer 0", "layer 1", …
    node_ids : sequence of N ids, optional
        By default those that `to_pyg` wrote, or 0 … N − 1.
    node_type : str, optional
        Of ``HeteroData`` with several types of nodes: the one to use. Relations with other types are left out, with a warning.
    symmetrize : {"mean", "max", "min"}, optional
        How to make directed layers symmetric; without it they are an error.
    """
    if hasattr(data, "edge_types") and hasattr(data, "node_types"):
        nodes, parts = _relations(data, node_type)
        names = list(parts) if layer_names is None else list(layer_names)
        if len(names) != len(parts):
            raise ValueError(
                f"layer_names holds {len(names)} names, but the relations are {', '.join(map(repr, parts))}"
            )
    elif hasattr(data, "edge_index"):
        nodes, parts, names = data, {"data": data}, []
    else:
        raise TypeError(f"data must be a torch_geometric Data or HeteroData, got {type(data).__name__}")
    matrix = None if features is None else _numbers(nodes.get(features) if hasattr(nodes, "get") else nodes[features])
    if matrix is None and features not in (None, FEATURES):
        raise ValueError(f"data has no attribute {features!r}; it has {', '.join(map(repr, nodes.keys()))}")
    n_nodes = int(nodes.num_nodes) if matrix is None else len(matrix) if not issparse(matrix) else matrix.shape[0]
    found = nodes.get("node_ids")
    ids = node_ids if node_ids is not None else range(n_nodes) if found is None else _listed(found)
    every = [_edges(one, key, n_nodes, weight) for key, one in parts.items()]
    if names:
        groups = [replace(one, name=str(name)) for name, one in zip(names, every, strict=True)]
    else:
        groups = _by_type(every[0], data, layer, layer_names)
    return assemble(
        _with_present(groups, nodes.get("present")), ids, matrix, nodes.get("feature_names"), symmetrize=symmetrize
    )


def to_pyg(graph: MultilayerGraph) -> Any:
    """Return a ``Data`` with ``edge_index`` (both ways), ``edge_weight``, ``edge_type``, and ``x`` if there are features.

    Beside these it has ``layer_names`` and ``node_ids`` (lists), ``feature_names`` if there are any, and, where nodes are
    missing from layers, ``present``, of shape (N, S). Numbers keep their type, float64 as a rule: ``data.x.float()`` for a
    net. `from_pyg` reads it back.
    """
    refuse_two_mode(graph, "PyTorch Geometric data")
    torch, pyg = _packages()
    coordinates = [layer.tocoo() for layer in graph.layers]
    data = pyg.Data(
        edge_index=torch.from_numpy(np.hstack([np.vstack([one.row, one.col]) for one in coordinates]).astype(np.int64)),
        edge_weight=torch.from_numpy(np.concatenate([one.data for one in coordinates])),
        edge_type=torch.from_numpy(np.repeat(np.arange(graph.n_layers), [one.nnz for one in coordinates])),
        num_nodes=graph.n_nodes,
        layer_names=list(graph.layer_names),
    )
    _describe_nodes(data, graph, torch)
    return data


def to_pyg_hetero(graph: MultilayerGraph, node_type: str = "node") -> Any:
    """Return a ``HeteroData`` with one type of nodes and one relation per layer; otherwise as `to_pyg`."""
    refuse_two_mode(graph, "PyTorch Geometric data")
    torch, pyg = _packages()
    data = pyg.HeteroData()
    data[node_type].num_nodes = graph.n_nodes
    _describe_nodes(data[node_type], graph, torch)
    for name, layer in zip(graph.layer_names, graph.layers, strict=True):
        one = layer.tocoo()
        relation = data[node_type, name, node_type]
        relation.edge_index = torch.from_numpy(np.vstack([one.row, one.col]).astype(np.int64))
        relation.edge_weight = torch.from_numpy(one.data.copy())
    return data


def _packages() -> tuple[Any, Any]:
    purpose = "a PyTorch Geometric graph"
    return require("torch", extra="pyg", purpose=purpose), require("torch_geometric.data", extra="pyg", purpose=purpose)


def _describe_nodes(store: Any, graph: MultilayerGraph, torch: Any) -> None:
    store.node_ids = graph.node_ids.tolist()
    features: Any = graph.features
    if features is not None and issparse(features):
        entries = features.tocoo()
        where = torch.from_numpy(np.vstack([entries.row, entries.col]).astype(np.int64))
        values = torch.from_numpy(entries.data.copy())
        store.x = torch.sparse_coo_tensor(where, values, size=features.shape, check_invariants=True).coalesce()
    elif features is not None:
        store.x = torch.from_numpy(np.array(features))
    if graph.feature_names is not None:
        store.feature_names = list(graph.feature_names)
    if not np.all(graph.present):
        store.present = torch.from_numpy(np.column_stack(graph.present))


def _relations(data: Any, node_type: str | None) -> tuple[Any, dict[str, Any]]:
    types = list(data.node_types)
    if node_type is None and len(types) == 1:
        node_type = types[0]
    if node_type not in types:
        raise ValueError(f"node_type must be one of {', '.join(map(repr, types))}, got {node_type!r}")
    ours = [kind for kind in data.edge_types if kind[0] == kind[2] == node_type]
    if not ours:
        known = ", ".join(map(str, data.edge_types)) or "none"
        raise ValueError(f"no relation joins nodes of type {node_type!r} with each other; there are {known}")
    others = [kind for kind in data.edge_types if kind not in ours]
    if others:
        warn_user(
            f"{len(others)} of {len(data.edge_types)} relations are not between nodes of type {node_type!r} and are left out: "
            + ", ".join(map(str, others))
        )
    return data[node_type], {kind[1]: data[kind] for kind in ours}


def _edges(store: Any, key: str, n_nodes: int, weight: str | None) -> Layer:
    """Return the edges of a store as one layer."""
    index = store.get("edge_index")
    if index is None:
        raise ValueError(f"{key} has no edge_index; add one, e.g. from adj_t")
    pairs = index.detach().cpu().numpy()
    if pairs.ndim != 2 or pairs.shape[0] != 2 or pairs.dtype.kind not in "iu":
        raise ValueError(
            f"edge_index of {key} must be integers of shape (2, E), got {pairs.dtype} of shape {pairs.shape}"
        )
    if pairs.size and (pairs.min() < 0 or pairs.max() >= n_nodes):
        column = int(((pairs < 0) | (pairs >= n_nodes)).any(axis=0).argmax())
        raise ValueError(
            f"edge_index of {key} names the nodes {pairs[:, column].tolist()} in column {column}, but there are {n_nodes} nodes"
        )
    given = None if weight is None else store.get(weight)
    if given is None:
        if weight not in (None, WEIGHT):
            raise ValueError(f"{key} has no attribute {weight!r}; it has {', '.join(map(repr, store.keys()))}")
        values = np.ones(pairs.shape[1])
    else:
        values = given.detach().cpu().numpy()
        if values.shape not in ((pairs.shape[1],), (pairs.shape[1], 1)):
            raise ValueError(
                f"{weight} of {key} must hold one number for each of {pairs.shape[1]} edges, got {values.shape}"
            )
    weights = checked_weights(
        values.ravel(), lambda at: f"{key}: edge {at}, from {int(pairs[0, at])} to {int(pairs[1, at])},"
    )
    source, target = pairs.astype(np.intp)
    return Layer(key, EdgeList(source, target, weights, directed=True), np.ones(n_nodes, dtype=bool))


def _by_type(whole: Layer, data: Any, layer: str, layer_names: Sequence[str] | None) -> list[Layer]:
    kinds = data.get(layer)
    if kinds is None:
        if layer != TYPE:
            raise ValueError(f"data has no attribute {layer!r}; it has {', '.join(map(repr, data.keys()))}")
        which = np.zeros(len(whole.edges), dtype=np.int64)
    else:
        which = kinds.detach().cpu().numpy()
    if which.shape != whole.edges.source.shape or which.dtype.kind not in "iu":
        raise ValueError(
            f"{layer} must hold an integer for each of {len(whole.edges)} edges, got {which.dtype} of shape {which.shape}"
        )
    types = np.unique(which).tolist()
    names = layer_names if layer_names is not None else data.get("layer_names")
    if names is not None and types and (types[0] < 0 or types[-1] >= len(names)):
        raise ValueError(f"layer_names holds {len(names)} names, but {layer} goes from {types[0]} to {types[-1]}")
    found = []
    for kind in types:
        name = f"layer {kind}" if names is None else str(names[kind])
        found.append(Layer(name, whole.edges.select(which == kind), whole.present))
    return found


def _with_present(layers: list[Layer], present: Any) -> list[Layer]:
    """Return the layers with the nodes present in each, where `to_pyg` wrote that."""
    if present is None:
        return layers
    masks = present.detach().cpu().numpy()
    if masks.dtype != bool or masks.shape != (len(layers[0].present), len(layers)):
        raise ValueError(
            f"data.present must be booleans of shape ({len(layers[0].present)}, {len(layers)}), nodes by layers, got "
            f"{masks.dtype} of shape {masks.shape}"
        )
    return [replace(one, present=mask) for one, mask in zip(layers, masks.T, strict=True)]


def _numbers(tensor: Any) -> npt.NDArray[Any] | csr_array | None:
    """Return a tensor, dense or sparse, as an array of its own."""
    if tensor is None or isinstance(tensor, np.ndarray) or issparse(tensor):
        return tensor
    plain = tensor.detach().cpu()
    if str(plain.layout) == "torch.strided":
        matrix = plain.numpy()
        return matrix.reshape(-1, 1) if matrix.ndim == 1 else matrix
    entries = plain.to_sparse_coo().coalesce()
    return csr_array((entries.values().numpy(), tuple(entries.indices().numpy())), shape=tuple(entries.shape))


def _listed(ids: Any) -> list[Any]:
    return ids.tolist() if hasattr(ids, "tolist") else list(ids)
