"""To Cytoscape: a network in its exchange format CX2, by ndex2 of the people who define it.

CX2 has nodes and edges with attributes of declared types. A node's "name" and an edge's "interaction" are what Cytoscape shows
and styles by: the id of the node, and the layer of the edge.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from orthonet.graph.edge_list import EdgeList
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.optional import require

OURS = ("name",)
"""Attributes of nodes that have a meaning in Cytoscape, and are written from the ids."""


def to_cx2(
    graph: MultilayerGraph, attributes: Mapping[str, npt.ArrayLike] | None = None, *, name: str = "OrthoNet"
) -> Any:
    """Return a ``CX2Network`` of ndex2, for Cytoscape: ``to_cx2(graph).write_as_raw_cx2("net.cx2")``.

    Parameters
    ----------
    graph : MultilayerGraph
        Without two-mode relations. Dense features are attributes of the nodes, sparse ones are left out.
    attributes : mapping of names to N values, optional
        Further columns about the nodes, such as ``{"cluster": model.labels_}``: numbers or text. What is missing (NaN, "")
        is left out.
    name : str, default="OrthoNet"
        Of the network.

    Returns
    -------
    ndex2.cx2.CX2Network
        Nodes in the order of the graph, with ids from 0 and the graph's ids as "name"; edges with "interaction" and "layer",
        both the name of the layer, and "weight".
    """
    if graph.two_mode:
        raise ValueError(f"graph has two-mode relations ({', '.join(graph.two_mode)}), which CX2 cannot hold")
    network = require("ndex2.cx2", extra="cytoscape", purpose="CX2 files").CX2Network()
    network.set_name(name)
    columns = _columns(graph, attributes or {})
    for place, node in enumerate(graph.node_ids.tolist()):
        known = {key: values[place] for key, values in columns.items() if _is_known(values[place])}
        network.add_node(place, attributes={"name": str(node), **known})
    for layer_name, layer in zip(graph.layer_names, graph.layers, strict=True):
        for i, j, weight in EdgeList.of_layer(layer).tuples():
            told = {"interaction": layer_name, "layer": layer_name, "weight": float(weight)}
            network.add_edge(source=int(i), target=int(j), attributes=told)
    return network


def _columns(graph: MultilayerGraph, attributes: Mapping[str, npt.ArrayLike]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    features = graph.features
    if features is not None and not issparse(features):
        names = graph.feature_names or [f"feature {index}" for index in range(features.shape[1])]
        columns = np.asarray(features, dtype=np.float64).T
        found |= dict(zip(map(str, names), columns.tolist(), strict=True))
    for key, values in attributes.items():
        column = np.asarray(values)
        if column.shape != (graph.n_nodes,):
            raise ValueError(f"attributes[{key!r}] has shape {column.shape}, but the graph has {graph.n_nodes} nodes")
        found[str(key)] = (column if column.dtype.kind in "biuf" else column.astype(str)).tolist()
    if taken := [key for key in found if key in OURS]:
        found = {f"own {key}" if key in taken else key: values for key, values in found.items()}
    return found


def _is_known(value: Any) -> bool:
    return value == value and value != "" and value not in (float("inf"), float("-inf"))
