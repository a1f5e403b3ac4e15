"""To and from tables of pandas and polars: a table of edges, and one of nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from orthonet.graph.convert.assembly import names_of_features
from orthonet.graph.convert.node_attributes import chosen_features, feature_arrays, feature_columns
from orthonet.graph.edge_list import EdgeList
from orthonet.graph.ids import check_unique, id_array, row_labels
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.graph.two_mode import refuse_two_mode
from orthonet.support.optional import require

NODE = "node"


class Tables(NamedTuple):
    """A multilayer graph as tables; ``from_tables(*tables)`` reads it back.

    Attributes
    ----------
    edges : frame with columns source, target, layer, weight
        Each edge once.
    nodes : frame with a column node, and one a feature
        All nodes, in order.
    present : dict of layer names to ids
        The nodes present in each layer that lacks some.
    """

    edges: Any
    nodes: Any
    present: dict[str, list[Any]]


def from_tables(
    edges: Any,
    nodes: Any = None,
    present: Mapping[str, Sequence[Any]] | None = None,
    *,
    source: str = "source",
    target: str = "target",
    layer: str = "layer",
    weight: str = "weight",
    node: str = NODE,
    features: Any = "all",
    fill: float | None = None,
) -> MultilayerGraph:
    """Return the graph of a table of edges and a table of nodes: pandas, polars, or mappings of columns.

    Parameters
    ----------
    edges : table
        As for `MultilayerGraph.from_edges`: rows that name the same pair add up, whichever way round, self-loops are dropped.
    nodes : table, optional
        All nodes, in the order wanted: one without edges is isolated, an edge to one that is not there is an error. Without it
        the nodes are those that have edges.
    present : mapping of layer names to ids, optional
        The nodes present in a layer; all of them in a layer not named.
    source, target, layer, weight : str
        Columns of ``edges``.
    node : str, default="node"
        The column of ``nodes`` with the ids; a pandas frame without it may have them as its index.
    features : "all", "numeric", sequence of names, or None
        Columns of ``nodes`` to use: all others but the ids, which must be numbers; those that are, with a warning
        about the rest; those named; none.
    fill : float, optional
        Feature of a node whose cell is empty; without it that is an error.

    Examples
    --------
    >>> edges = {"source": ["ann", "bob"], "target": ["bob", "eve"], "layer": ["work", "lunch"]}
    >>> nodes = {"node": ["ann", "bob", "eve", "zoe"], "age": [31, 45, 28, 60], "role": ["a", "b", "a", "a"]}
    >>> graph = from_tables(edges, nodes, features=["age"])
    >>> graph.node_ids.tolist(), graph.feature_names
    (['ann', 'bob', 'eve', 'zoe'], ('age',))
    """
    edges = _collected(edges)
    columns: dict[str, Any] = {"source": source, "target": target, "layer": layer, "weight": weight}
    if nodes is None:
        if features is not None and not isinstance(features, str):
            raise ValueError("features names columns of nodes; pass that table too")
        return MultilayerGraph.from_edges(edges, present=present, **columns)
    nodes = _collected(nodes)
    ids, rest = _ids_and_columns(nodes, node)
    if isinstance(features, str) and not rest:
        features = None
    matrix, names = chosen_features(rest, features, ids.tolist(), fill=fill)
    names = names_of_features(matrix, names)
    return MultilayerGraph.from_edges(edges, matrix, ids, present=present, feature_names=names, **columns)


def to_pandas(graph: MultilayerGraph, model: Any = None) -> Tables:
    """Return the graph as pandas frames.

    Parameters
    ----------
    graph : MultilayerGraph
    model : OrthoNet or another estimator, optional
        Fitted on this graph: its clusters, and its confidence if it has one, are the columns ``cluster`` and ``confidence`` of
        the table of nodes.
    """
    pandas = require("pandas", extra="pandas", purpose="a pandas table")
    return _tables(graph, model, lambda columns: pandas.DataFrame(columns))


def to_polars(graph: MultilayerGraph, model: Any = None) -> Tables:
    """Return the graph as polars frames, with the clusters of a model if one is given; see `to_pandas`."""
    polars = require("polars", extra="polars", purpose="a polars table")
    return _tables(graph, model, lambda columns: polars.DataFrame(columns))


def _tables(graph: MultilayerGraph, model: Any, frame: Any) -> Tables:
    refuse_two_mode(graph, "tables of edges and nodes")
    lists = [EdgeList.of_layer(layer) for layer in graph.layers]
    ids = graph.node_ids
    found = {} if model is None else _found(graph, model)
    names = feature_columns(graph, reserved=(NODE, *found))
    table = {
        "source": _column(ids[np.concatenate([edges.source for edges in lists])]),
        "target": _column(ids[np.concatenate([edges.target for edges in lists])]),
        "layer": [name for name, edges in zip(graph.layer_names, lists, strict=True) for _ in range(len(edges))],
        "weight": np.concatenate([edges.weight for edges in lists]),
    }
    nodes = {NODE: _column(ids), **found, **dict(zip(names, feature_arrays(graph), strict=True))}
    present = {
        name: ids[mask].tolist() for name, mask in zip(graph.layer_names, graph.present, strict=True) if not mask.all()
    }
    return Tables(frame(table), frame(nodes), present)


def _found(graph: MultilayerGraph, model: Any) -> dict[str, Any]:
    """Return what a fitted model says about each node."""
    labels = getattr(model, "labels_", None)
    if labels is None:
        raise ValueError(f"model ({type(model).__name__}) has no labels_; fit it first")
    if len(labels) != graph.n_nodes:
        raise ValueError(f"model.labels_ is of {len(labels)} nodes, but the graph has {graph.n_nodes}")
    confidence = getattr(model, "confidence_", None)
    found = {"cluster": np.array(labels)}
    return found if confidence is None else {**found, "confidence": np.array(confidence)}


def _column(ids: Any) -> Any:
    return ids.copy() if ids.dtype.kind in "iuf" else ids.tolist()


def _collected(table: Any) -> Any:
    """Return a lazy frame of polars as a frame."""
    return table.collect() if hasattr(table, "collect") and hasattr(table, "columns") else table


def _ids_and_columns(nodes: Any, node: str) -> tuple[Any, dict[str, Any]]:
    known_columns = list(nodes.keys() if isinstance(nodes, Mapping) else getattr(nodes, "columns", ()))
    if not known_columns and not hasattr(nodes, "columns"):
        raise TypeError(f"nodes must be a table with columns, got {type(nodes).__name__}")
    labels = row_labels(nodes)
    if node in known_columns:
        ids = id_array(nodes[node], f"nodes[{node!r}]")
    elif labels is not None and (node == NODE or labels.name == node):
        ids = id_array(labels, "the index of nodes")
    else:
        raise ValueError(
            f"nodes has no column {node!r}; its columns are {', '.join(map(repr, known_columns))}: name yours with node="
        )
    check_unique(ids, f"nodes[{node!r}]")
    return ids, {str(name): nodes[name] for name in known_columns if name != node}
