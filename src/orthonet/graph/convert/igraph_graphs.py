"""To and from igraph: one graph whose edges name their layer, or one graph per layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

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
from orthonet.graph.convert.bipartite import TYPE, Bipartite, igraph_sides
from orthonet.graph.convert.node_attributes import chosen_features, feature_arrays, feature_columns
from orthonet.graph.edge_list import EdgeList
from orthonet.graph.ids import check_unique, id_array
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.graph.two_mode import refuse_two_mode
from orthonet.graph.validation import Symmetrize
from orthonet.support.optional import require

LAYER, WEIGHT, NAME = "layer", "weight", "name"


def from_igraph(
    graphs: Any,
    *,
    layer: str = LAYER,
    weight: str | None = WEIGHT,
    name: str = NAME,
    features: Any = None,
    fill: float | None = None,
    node_ids: Any = None,
    absent: Absent = "missing",
    symmetrize: Symmetrize | None = None,
) -> MultilayerGraph:
    """Return the multilayer graph of an igraph graph, or of several.

    Parameters
    ----------
    graphs : Graph, or a sequence or mapping of them
        One graph whose edges name their layer, or one graph per layer. Parallel edges of a layer add up; self-loops are dropped
        and counted in `MultilayerGraph.summary`. A graph whose vertices have the attribute "type", False for nodes and True for
        groups, as igraph's bipartite graphs do, is a two-mode relation; it may stand beside layers.
    layer : str, default="layer"
        Of one graph: the edge attribute that names the layer. If there is no such attribute there is one layer.
    weight : str or None, default="weight"
        The edge attribute with the weight; without one, or with None, all weigh 1. An edge of weight 0 is left out.
    name : str, default="name"
        The vertex attribute with the node ids. Without it nodes are 0, 1, …, and several graphs must be equally large.
    features, fill, node_ids, absent, symmetrize
        As for `from_networkx`.
    """
    one = _is_graph(graphs)
    named = {"graph": graphs} if one else named_graphs(graphs, _is_graph, "an igraph")
    everything, every_id = named, _ids(named, name)
    relations = {
        key: found
        for key, graph in named.items()
        if (found := _bipartite(str(key), graph, every_id[key], layer, weight))
    }
    named = {key: graph for key, graph in named.items() if key not in relations}
    own_ids = {key: every_id[key] for key in named}
    nodes_of = {key: relations[key].nodes if key in relations else nodes for key, nodes in every_id.items()}
    ids = list(dict.fromkeys(node for nodes in nodes_of.values() for node in nodes))
    ids = ids if node_ids is None else id_array(node_ids, "node_ids").tolist()
    place = {node: position for position, node in enumerate(ids)}
    for attribute, standard in ((layer, LAYER), (weight, WEIGHT)):
        known = {attribute for graph in everything.values() for attribute in graph.es.attributes()}
        if attribute not in (None, standard, *known) and (one or attribute is not layer):
            raise ValueError(
                f"no edge has the attribute {attribute!r}; there are {', '.join(map(repr, sorted(known))) or 'none'}"
            )
    where = {
        key: positions_of(nodes, place, "the graph" if one else f"layer {key!r}") for key, nodes in own_ids.items()
    }
    whole = [_layer(str(key), graph, where[key], ids, weight) for key, graph in named.items()]
    layers = _split(whole[0], graphs, where["graph"], ids, layer) if one and whole else whole
    everywhere = {
        key: np.array([place.get(node, -1) for node in nodes], dtype=np.intp) for key, nodes in every_id.items()
    }
    columns = {} if features is None else _columns(everything, everywhere, name, ids)
    matrix, names = chosen_features(columns, features, ids, fill=fill)
    memberships = {key: rows for found in relations.values() for key, rows in found.relations.items()}
    return assemble(layers, ids, matrix, names, absent=absent, symmetrize=symmetrize, two_mode=memberships)


def to_igraph(graph: MultilayerGraph) -> Any:
    """Return one undirected igraph ``Graph`` with an edge for each edge of each layer.

    Edges have a "layer" and a "weight", vertices a "name" (unless they are 0 … N − 1) and their features under their
    names ("feature 0", … without). A vertex that is missing from layers has their names in "missing_from". `from_igraph`
    reads it all back, features with ``features="all"``.
    """
    refuse_two_mode(graph, "an igraph graph")
    everyone = np.arange(graph.n_nodes)
    result = _with_vertices(graph, everyone, named=not _counted(graph.node_ids))
    missing = layers_missing(graph)
    if any(missing):
        result.vs[MISSING_FROM] = missing
    lists = [EdgeList.of_layer(adjacency) for adjacency in graph.layers]
    result.add_edges([(source, target) for edges in lists for source, target, _ in edges.tuples()])
    result.es[LAYER] = [name for name, edges in zip(graph.layer_names, lists, strict=True) for _ in range(len(edges))]
    result.es[WEIGHT] = np.concatenate([edges.weight for edges in lists]).tolist()
    return result


def to_igraph_layers(graph: MultilayerGraph) -> dict[str, Any]:
    """Return one undirected igraph ``Graph`` per layer, each with the vertices present in the layer, and weighted edges.

    `from_igraph` reads it back; nodes keep their order if it is given ``node_ids=graph.node_ids``.
    """
    refuse_two_mode(graph, "an igraph graph")
    named = not (_counted(graph.node_ids) and np.all(graph.present))
    found = {}
    for name, adjacency, present in zip(graph.layer_names, graph.layers, graph.present, strict=True):
        result = _with_vertices(graph, np.flatnonzero(present), named)
        local = np.cumsum(present) - 1
        edges = EdgeList.of_layer(adjacency)
        result.add_edges(zip(local[edges.source].tolist(), local[edges.target].tolist(), strict=True))
        result.es[WEIGHT] = edges.weight.tolist()
        found[name] = result
    return found


def _with_vertices(graph: MultilayerGraph, positions: npt.NDArray[np.intp], named: bool) -> Any:
    igraph = require("igraph", extra="igraph", purpose="an igraph graph")
    result = igraph.Graph(n=len(positions), directed=False)
    names = feature_columns(graph, reserved=(NAME,))
    if named:
        result.vs[NAME] = graph.node_ids[positions].tolist()
    for feature, values in zip(names, feature_arrays(graph), strict=True):
        result.vs[feature] = values[positions].tolist()
    return result


def _bipartite(key: str, graph: Any, ids: Sequence[Any], layer: str, weight: str | None) -> Bipartite | None:
    """Return the memberships of a bipartite graph, None if it is not one."""
    sides = igraph_sides(graph, ids)
    if sides is None:
        return None
    known = graph.es.attributes()
    weights = graph.es[weight] if weight is not None and weight in known else np.ones(graph.ecount())
    edges = [(ids[source], ids[target]) for source, target in graph.get_edgelist()]
    return Bipartite.of(key, sides, edges, weights, graph.es[layer] if layer in known else None)


def _counted(ids: npt.NDArray[Any]) -> bool:
    return ids.dtype.kind in "iu" and np.array_equal(ids, np.arange(len(ids)))


def _is_graph(given: Any) -> bool:
    return hasattr(given, "vs") and hasattr(given, "es")


def _ids(graphs: Mapping[str, Any], name: str) -> dict[str, list[Any]]:
    """Return the ids of each graph's vertices."""
    with_names = [key for key, graph in graphs.items() if name in graph.vs.attributes()]
    if with_names and len(with_names) < len(graphs):
        bare = next(key for key in graphs if key not in with_names)
        raise ValueError(
            f"graphs[{bare!r}] has no vertex attribute {name!r}, but graphs[{with_names[0]!r}] has; name all"
        )
    if not with_names:
        if name != NAME:
            raise ValueError(f"no vertex has the attribute {name!r}")
        sizes = {key: graph.vcount() for key, graph in graphs.items()}
        if len(set(sizes.values())) > 1:
            raise ValueError(f"graphs without vertex attribute {name!r} must be equally large, got {sizes}")
        return {key: list(range(size)) for key, size in sizes.items()}
    found = {key: list(graph.vs[name]) for key, graph in graphs.items()}
    for key, ids in found.items():
        check_unique(id_array(ids, f"graphs[{key!r}].vs[{name!r}]"), f"graphs[{key!r}].vs[{name!r}]")
    return found


def _layer(key: str, graph: Any, where: npt.NDArray[np.intp], ids: Sequence[Any], weight: str | None) -> Layer:
    ends = np.array(graph.get_edgelist(), dtype=np.intp).reshape(-1, 2)
    source, target = where[ends[:, 0]], where[ends[:, 1]]
    values = graph.es[weight] if weight is not None and weight in graph.es.attributes() else np.ones(len(ends))

    def called(edge: int) -> str:
        return f"graphs[{key!r}]: edge {edge}, from {ids[source[edge]]!r} to {ids[target[edge]]!r},"

    weights = checked_weights(values, called)
    return Layer(key, EdgeList(source, target, weights, graph.is_directed()), mask_of(where, len(ids)))


def _split(whole: Layer, graph: Any, where: npt.NDArray[np.intp], ids: Sequence[Any], layer: str) -> list[Layer]:
    """Return the layers that the edges of one graph name."""

    def called(edge: int) -> str:
        return f"edge {edge}, from {ids[whole.edges.source[edge]]!r} to {ids[whole.edges.target[edge]]!r},"

    kinds = graph.es[layer] if layer in graph.es.attributes() else ["layer 0"] * graph.ecount()
    missing: list[Any] = [None] * len(ids)
    if MISSING_FROM in graph.vs.attributes():
        for position, layers in zip(where.tolist(), graph.vs[MISSING_FROM], strict=True):
            missing[position] = layers
    return split_layers(whole, grouped(kinds, called), missing, ids)


def _columns(
    graphs: Mapping[str, Any], where: Mapping[str, npt.NDArray[np.intp]], name: str, ids: Sequence[Any]
) -> dict[str, list[Any]]:
    """Return the vertex attributes; where several graphs have a vertex, they may not contradict each other."""
    columns: dict[str, list[Any]] = {}
    for key, graph in graphs.items():
        never = (
            {name, MISSING_FROM} if igraph_sides(graph, range(graph.vcount())) is None else {name, MISSING_FROM, TYPE}
        )
        for attribute in graph.vs.attributes():
            if attribute in never:
                continue
            column = columns.setdefault(attribute, [None] * len(ids))
            for position, value in zip(where[key].tolist(), graph.vs[attribute], strict=True):
                if position < 0:  # a group of a two-mode relation
                    continue
                put_once(column, position, value, f"{attribute!r} of node {ids[position]!r}", key)
    return columns
