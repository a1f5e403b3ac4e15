"""New nodes with relations: edges to nodes that a model knows, and memberships in groups that it knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, issparse, vstack

from orthonet.cli.inputs import Inputs, NewNodes, named_files
from orthonet.cli.reading import read_inputs
from orthonet.clustering.estimator import OrthoNet
from orthonet.clustering.parameters import network_of
from orthonet.files import read_memberships
from orthonet.graph.features import Features
from orthonet.graph.membership_tables import Memberships
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.text import listed


@dataclass(frozen=True)
class Placed:
    """New nodes in a graph that has the known ones, too.

    Attributes
    ----------
    graph : MultilayerGraph
    nodes : array
        Ids of the nodes that are to be labelled.
    rows : array
        Where they are in the graph.
    """

    graph: MultilayerGraph
    nodes: npt.NDArray[Any]
    rows: npt.NDArray[np.intp]


def has_relations(new: NewNodes) -> bool:
    """Return whether edges or memberships were named."""
    return bool(new.edges or new.layer or new.two_mode)


def place_in_graph(
    inputs: Inputs,
    new: NewNodes,
    model: OrthoNet,
    table: tuple[npt.NDArray[Any], Features] | None,
    means: Sequence[float] | None,
) -> Placed:
    """Return the new nodes with their edges and memberships beside the nodes that the model knows.

    Parameters
    ----------
    inputs : Inputs
        Of the run: files of the new nodes are laid out as its files were.
    new : NewNodes
    model : OrthoNet
    table : ids and features of the new nodes, or None
        With it these nodes are labelled; else those that the files name and the model does not know.
    means : sequence of float, or None
        Of the features of the run: they stand for the features of known nodes, which say nothing about the new ones.
    """
    edges, memberships = _edges(inputs, new, model), _memberships(inputs, new, model)
    named = [] if edges is None else edges.node_ids.tolist()
    for one in memberships.values():
        named += one.nodes.tolist()
    # Ids that are numbers in one file are text in another that has names among them.
    place = {str(node): row for row, node in enumerate(model.node_ids_.tolist())}
    ids = model.node_ids_.tolist()
    wanted = named if table is None else table[0].tolist()
    for node in dict.fromkeys(wanted):
        if str(node) not in place:
            place[str(node)] = len(ids)
            ids.append(node)
    if strangers := [node for node in dict.fromkeys(named) if str(node) not in place]:
        raise ValueError(
            f"the edges or memberships name {listed(strangers, 3)}, known neither to the model nor to {new.table}; leave them "
            "out, or give their features"
        )
    layers = {} if edges is None else dict(zip(edges.layer_names, _moved(edges, place, len(ids)), strict=True))
    features = None if table is None else _all_features(model, table, place, len(ids), means)
    two_mode = {name: one.relation(place, name) for name, one in memberships.items()}
    graph = MultilayerGraph(layers, features, node_ids=ids, two_mode=two_mode)
    if table is None:
        rows = np.arange(len(model.node_ids_), len(ids))
        if not rows.size:  # all of them are known: then they are what is asked for
            rows = np.array(sorted({place[str(node)] for node in named}), dtype=np.intp)
        return Placed(graph, graph.node_ids[rows], rows)
    return Placed(graph, table[0], np.array([place[str(node)] for node in table[0].tolist()], dtype=np.intp))


def _edges(inputs: Inputs, new: NewNodes, model: OrthoNet) -> MultilayerGraph | None:
    if not new.edges and not new.layer:
        return None
    beside: dict[str, Any] = dict.fromkeys(("view", "two_mode", "features", "ignore", "category"))
    files = replace(inputs, files=new.edges or None, layer=new.layer, own_features=False, **beside)
    graph = read_inputs(files).graph
    relations = model.layer_names_[: len(model.edge_evidence_)]
    if strange := [name for name in graph.layer_names if name not in relations]:
        said = listed([repr(name) for name in strange], 3)
        raise ValueError(
            f"the model was not fitted on a layer {said}; its layers are {listed(relations)}: write --layer NAME=FILE"
        )
    return graph


def _memberships(inputs: Inputs, new: NewNodes, model: OrthoNet) -> dict[str, Memberships]:
    found = {}
    for name, path in named_files(new.two_mode or [], "--two-mode").items():
        if name not in model.source_names_:
            raise ValueError(f"--two-mode {name}={path}: the model was not fitted on a two-mode relation {name!r}")
        read = read_memberships(path, delimiter=inputs.delimiter, heading=inputs.heading)
        if not isinstance(read, Memberships):
            raise ValueError(
                f"--two-mode {name}={path}: a matrix cannot say which nodes are new; pass a table of node, group"
            )
        found[name] = replace(read, nodes=read.nodes.astype(str))
    return found


def _moved(graph: MultilayerGraph, place: Mapping[str, int], n_nodes: int) -> list[csr_array]:
    """Return the layers with each node at its place among all nodes."""
    rows = np.array([place[str(node)] for node in graph.node_ids.tolist()], dtype=np.intp)
    found = []
    for layer in graph.layers:
        entries = layer.tocoo()
        found.append(csr_array((entries.data, (rows[entries.row], rows[entries.col])), shape=(n_nodes, n_nodes)))
    return found


def _all_features(
    model: OrthoNet,
    table: tuple[npt.NDArray[Any], Features],
    place: Mapping[str, int],
    n_nodes: int,
    means: Sequence[float] | None,
) -> Features:
    nodes, features = table
    rows = np.array([place[str(node)] for node in nodes.tolist()], dtype=np.intp)
    missing = n_nodes - len(np.unique(rows))
    if missing and (model.smoothing > 0 or getattr(network_of(model.network), "kind", None) == "gcn"):
        raise ValueError(
            f"this model averages features over neighbours, so it needs those of the {missing:,} known nodes that the table of "
            "new nodes lacks; add them to it"
        )
    if issparse(features):
        order = np.full(n_nodes, features.shape[0])
        order[rows] = np.arange(features.shape[0])
        nothing = csr_array((1, features.shape[1]), dtype=features.dtype)
        return csr_array(vstack([features, nothing], format="csr"))[order]
    stand_in = np.zeros(features.shape[1]) if means is None else np.asarray(means, dtype=np.float64)
    whole = np.tile(stand_in, (n_nodes, 1))
    whole[rows] = features
    return whole
