"""To and from networkx: one graph whose edges name their layer, or one graph per layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from orthonet.graph.convert.assembly import (
    MISSING_FROM,
    Absent,
    Layer,
    assemble,
    checked_weights,
    grouped,
    layers_missing,
    mask_of,
    named_graphs,
    positions_of,
    put_once,
    split_layers,
)
from orthonet.graph.convert.bipartite import SIDE, Bipartite, networkx_sides
from orthonet.graph.convert.node_attributes import chosen_features, feature_columns, feature_records
from orthonet.graph.edge_list import EdgeList
from orthonet.graph.ids import id_array
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.graph.two_mode import refuse_two_mode
from orthonet.graph.validation import Symmetrize
from orthonet.support.optional import require

LAYER, WEIGHT = "layer", "weight"
NO_LAYER = object()


def from_networkx(
    graphs: Any,
    *,
    layer: str = LAYER,
    keys: bool = False,
    weight: str | None = WEIGHT,
    features: Any = None,
    fill: float | None = None,
    node_ids: Any = None,
    absent: Absent = "missing",
    symmetrize: Symmetrize | None = None,
) -> MultilayerGraph:
    """Return the multilayer graph of a networkx graph, or of several.

    Parameters
    ----------
    graphs : Graph, DiGraph, MultiGraph or MultiDiGraph, or a sequence or mapping of them
        One graph whose edges name their layer, or one graph per layer. Parallel edges of a layer add up; self-loops are dropped
        and counted in `MultilayerGraph.summary`. A graph all of whose nodes have the attribute "bipartite", 0 for nodes and 1
        for groups, is a two-mode relation; it may stand beside layers.
    layer : str, default="layer"
        Of one graph: the edge attribute that names the layer. If no edge has it there is one layer. The list
        ``graph.graph["layers"]``, where there is one, gives their order.
    keys : bool, default=False
        Of one multigraph: take the keys of the edges for their layers instead.
    weight : str or None, default="weight"
        The edge attribute with the weight, 1 where an edge has none; None for 1 everywhere. An edge of weight 0 is left out.
    features : None, "all", "numeric", sequence of names, or array of shape (N, M)
        Node attributes to use as features, none by default: an attribute may be the answer that is looked for. "all" wants
        numbers everywhere, "numeric" leaves out attributes that are not, with a warning. An attribute that holds
        equally long lists of numbers becomes one column per entry.
    fill : float, optional
        Feature of a node that lacks the attribute; without it that is an error.
    node_ids : sequence, optional
        All nodes, in the order wanted; in order of first appearance by default.
    absent : {"missing", "isolated"}, default="missing"
        What a node is to a layer whose graph does not have it: "missing", the layer says nothing about it, or "isolated", it
        has no relations there. Graphs made from bare lists of edges know no isolated nodes: "isolated" suits them.
    symmetrize : {"mean", "max", "min"}, optional
        How to make directed layers symmetric; without it they are an error, unless both directions weigh the same.

    Examples
    --------
    >>> import networkx
    >>> work = networkx.Graph([("ann", "bob"), ("bob", "eve")])
    >>> lunch = networkx.Graph([("ann", "eve")])
    >>> graph = from_networkx({"work": work, "lunch": lunch})
    >>> graph.node_ids.tolist(), graph.layer_names, graph.present[1].tolist()
    (['ann', 'bob', 'eve'], ('work', 'lunch'), [True, False, True])
    """
    one = _is_graph(graphs)
    named = {"graph": graphs} if one else named_graphs(graphs, _is_graph, "a networkx")
    everything = named
    relations = {name: found for name, graph in named.items() if (found := _bipartite(str(name), graph, layer, weight))}
    named = {name: graph for name, graph in named.items() if name not in relations}
    ids = list(
        dict.fromkeys(node for name, graph in everything.items() for node in _own_nodes(relations.get(name), graph))
    )
    ids = ids if node_ids is None else id_array(node_ids, "node_ids").tolist()
    place = {node: position for position, node in enumerate(ids)}
    if one and named:
        layers = _layers_of_one(graphs, ids, place, layer, keys, weight)
    else:
        layers = [_layer(str(name), graph, place, weight) for name, graph in named.items()]
        if weight not in (None, WEIGHT):
            _check_weight_known([data for graph in named.values() for *_, data in graph.edges(data=True)], str(weight))
    matrix, names = chosen_features({} if features is None else _columns(everything, place), features, ids, fill=fill)
    memberships = {name: rows for found in relations.values() for name, rows in found.relations.items()}
    return assemble(layers, ids, matrix, names, absent=absent, symmetrize=symmetrize, two_mode=memberships)


def to_networkx(graph: MultilayerGraph) -> Any:
    """Return one networkx ``MultiGraph``.

    An edge has the name of its layer as key and as attribute "layer", and a "weight"; ``graph["layers"]`` lists the layers.
    A feature is a node attribute under its name ("feature 0", … without names); of sparse features only those that
    are not 0 are written. A node that is missing from layers has their names in "missing_from".
    `from_networkx` reads it all back, features with ``features="all"``, and ``fill=0.0`` if they are sparse.
    """
    networkx = require("networkx", extra="networkx", purpose="a networkx graph")
    refuse_two_mode(graph, "a networkx graph")
    names = feature_columns(graph)
    ids = graph.node_ids.tolist()
    result = networkx.MultiGraph(layers=list(graph.layer_names))
    for node, record, missing in zip(ids, feature_records(graph, names), layers_missing(graph), strict=True):
        result.add_node(node)
        result.nodes[node].update(record | ({MISSING_FROM: missing} if missing else {}))
    for name, adjacency in zip(graph.layer_names, graph.layers, strict=True):
        for source, target, value in EdgeList.of_layer(adjacency).tuples():
            result.add_edge(ids[source], ids[target], key=name, **{LAYER: name, WEIGHT: value})
    return result


def to_networkx_layers(graph: MultilayerGraph) -> dict[str, Any]:
    """Return one networkx ``Graph`` per layer, each with the nodes present in the layer, their features, and weighted edges.

    `from_networkx` reads it back; nodes keep their order if it is given ``node_ids=graph.node_ids``.
    """
    networkx = require("networkx", extra="networkx", purpose="a networkx graph")
    refuse_two_mode(graph, "a networkx graph")
    records = list(feature_records(graph, feature_columns(graph)))
    ids = graph.node_ids.tolist()
    found = {}
    for name, adjacency, present in zip(graph.layer_names, graph.layers, graph.present, strict=True):
        result = networkx.Graph(name=name)
        for position in np.flatnonzero(present).tolist():
            result.add_node(ids[position])
            result.nodes[ids[position]].update(records[position])
        edges = EdgeList.of_layer(adjacency).tuples()
        result.add_weighted_edges_from((ids[source], ids[target], value) for source, target, value in edges)
        found[name] = result
    return found


def _bipartite(name: str, graph: Any, layer: str, weight: str | None) -> Bipartite | None:
    """Return the memberships of a bipartite graph, None if it is not one."""
    sides = networkx_sides(graph)
    if sides is None:
        return None
    edges = list(graph.edges(data=True))
    kinds = [data.get(layer) for *_, data in edges]
    layers = kinds if edges and None not in kinds else None
    return Bipartite.of(
        name, sides, [edge[:2] for edge in edges], _weights([edge[2] for edge in edges], weight), layers
    )


def _own_nodes(relation: Bipartite | None, graph: Any) -> Any:
    return graph.nodes if relation is None else relation.nodes


def _is_graph(given: Any) -> bool:
    return hasattr(given, "is_multigraph") and hasattr(given, "adj")


def _layer(name: str, graph: Any, place: Mapping[Any, int], weight: str | None) -> Layer:
    edges = list(graph.edges(data=True))
    rows = EdgeList(
        positions_of((edge[0] for edge in edges), place, f"layer {name!r}"),
        positions_of((edge[1] for edge in edges), place, f"layer {name!r}"),
        checked_weights(_weights([edge[2] for edge in edges], weight), lambda at: _called(edges[at], name)),
        graph.is_directed(),
    )
    return Layer(name, rows, mask_of(positions_of(graph.nodes, place, f"layer {name!r}"), len(place)))


def _layers_of_one(
    graph: Any, ids: list[Any], place: Mapping[Any, int], layer: str, keys: bool, weight: str | None
) -> list[Layer]:
    if keys and not graph.is_multigraph():
        raise ValueError("keys=True needs a multigraph: the edges of a simple graph have no keys")
    edges = list(graph.edges(data=True, keys=True)) if keys else list(graph.edges(data=True))
    present = mask_of(positions_of(graph.nodes, place, "the graph"), len(ids))
    source = positions_of((edge[0] for edge in edges), place, "the graph")
    target = positions_of((edge[1] for edge in edges), place, "the graph")
    records = [edge[-1] for edge in edges]
    if weight not in (None, WEIGHT):
        _check_weight_known(records, str(weight))
    values = checked_weights(_weights(records, weight), lambda at: _called(edges[at]))
    kinds = [edge[2] for edge in edges] if keys else [data.get(layer, NO_LAYER) for data in records]
    if all(kind is NO_LAYER for kind in kinds):
        if layer != LAYER:
            raise ValueError(f"no edge has the attribute {layer!r}; there are {_known(records)}")
        kinds = ["layer 0"] * len(kinds)
    elif NO_LAYER in kinds:
        raise ValueError(f"{_called(edges[kinds.index(NO_LAYER)])} has no {layer!r}, but others have")
    groups = grouped(kinds, lambda at: _called(edges[at]), graph.graph.get("layers"))
    whole = Layer("", EdgeList(source, target, values, graph.is_directed()), present)
    missing = (graph.nodes[node].get(MISSING_FROM) if node in graph else None for node in ids)
    return split_layers(whole, groups, missing, ids)


def _weights(records: Sequence[Mapping[str, Any]], weight: str | None) -> list[Any]:
    return [1.0 if weight is None else data.get(weight, 1.0) for data in records]


def _check_weight_known(records: Sequence[Mapping[str, Any]], weight: str) -> None:
    if not any(weight in data for data in records):
        raise ValueError(f"no edge has the attribute {weight!r}; there are {_known(records)}")


def _known(records: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(map(repr, dict.fromkeys(name for data in records for name in data))) or "none"


def _called(edge: Sequence[Any], layer: str | None = None) -> str:
    return f"the edge from {edge[0]!r} to {edge[1]!r}" + ("" if layer is None else f" of layer {layer!r}")


def _columns(graphs: Mapping[str, Any], place: Mapping[Any, int]) -> dict[str, list[Any]]:
    """Return the node attributes; where several graphs have a node, they may not contradict each other."""
    columns: dict[str, list[Any]] = {}
    for name, graph in graphs.items():
        never = {MISSING_FROM} if networkx_sides(graph) is None else {MISSING_FROM, SIDE}
        for node, record in graph.nodes(data=True):
            for attribute, value in record.items():
                if attribute in never or node not in place:
                    continue
                if attribute not in columns:
                    columns[attribute] = [None] * len(place)
                put_once(columns[attribute], place[node], value, f"{attribute!r} of node {node!r}", name)
    return columns
