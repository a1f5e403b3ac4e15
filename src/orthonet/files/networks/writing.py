"""What writers of text formats need: each edge of a graph once, ids and names that the format can hold as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from orthonet.graph.edge_list import EdgeList
from orthonet.graph.multilayer import MultilayerGraph


def named_edges(graph: MultilayerGraph) -> Iterator[tuple[str, EdgeList]]:
    """Yield the name and the edges of each layer, each edge once."""
    for name, layer in zip(graph.layer_names, graph.layers, strict=True):
        yield name, EdgeList.of_layer(layer)


def text_ids(graph: MultilayerGraph, forbidden: str = "") -> list[str]:
    """Return ids as text, or raise where that would lose something: kinds other than text and whole numbers."""
    kind = graph.node_ids.dtype.kind
    values = graph.node_ids.tolist()
    if kind not in "iuU":
        odd = next(
            (value for value in values if not isinstance(value, str | int) or isinstance(value, bool)), values[0]
        )
        raise ValueError(f"node ids must be all text or all whole numbers to be written to this format, got {odd!r}")
    ids = [str(value) for value in values]
    check_text(ids, "node id", forbidden)
    return ids


def names_of_features(graph: MultilayerGraph) -> list[str]:
    """Return the names of the features: "feature 0", "feature 1", … if they have none."""
    n_features = 0 if graph.features is None else graph.features.shape[1]
    return list(graph.feature_names or (f"feature {index}" for index in range(n_features)))


def numbered_vertices(graph: MultilayerGraph) -> list[str]:
    """Return the lines that declare the nodes in Pajek's and Infomap's files; nodes are numbered from 1."""
    ids = text_ids(graph, '"\n\r')
    check_text(graph.layer_names, "layer name", '"\n\r')
    return [f"*Vertices {len(ids)}", *(f'{number} "{one}"' for number, one in enumerate(ids, 1))]


def check_text(names: Any, what: str, forbidden: str = "") -> None:
    """Raise if a name has a character that means something in the format, or one that no text file may have."""
    for name in names:
        unsafe = [c for c in name if c in forbidden or c in "\0\ufffe\uffff" or "\ud800" <= c <= "\udfff"]
        control = [c for c in name if ord(c) < 32 and c not in "\t\n\r"]
        if unsafe or control or not name:
            raise ValueError(f"{what} {name!r} cannot be written to this format; rename it, or write an .npz file")
