"""What writers of text formats need: each edge of a graph once, ids and names that the format can hold as text."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from orthonet.files.errors import FileError
from orthonet.files.options import ReadOptions
from orthonet.graph.edge_list import EdgeList
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.sentences import Argument
from orthonet.support.text import listed

NodeColumns: TypeAlias = Mapping[str, npt.ArrayLike]
"""Columns about the nodes that are not features, by name."""


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


def node_columns(
    graph: MultilayerGraph, attributes: NodeColumns | None, *, with_features: bool = True
) -> dict[str, npt.NDArray[Any]]:
    """Return all that is known about the nodes, features first: whole numbers, numbers (missing: NaN) or text."""
    found: dict[str, npt.NDArray[Any]] = {}
    for index, name in enumerate(names_of_features(graph) if with_features else ()):
        found[name] = np.asarray(graph.features[:, index], dtype=np.float64)  # type: ignore[index]
    for name, values in (attributes or {}).items():
        column = np.asarray(values)
        if column.shape != (graph.n_nodes,):
            raise ValueError(f"attributes[{name!r}] has shape {column.shape}, but the graph has {graph.n_nodes} nodes")
        if name in found:
            raise ValueError(f"attributes has a column {name!r}, but a feature is called so too; rename one")
        kind = column.dtype.kind
        found[name] = column.astype(np.int64 if kind in "biu" else np.float64 if kind == "f" else np.str_)
    check_text(found, "column name", "\r")
    for name, column in found.items():
        if column.dtype.kind == "U":
            check_text((text for text in column.tolist() if text), f"in column {name!r}, value", "\r")
    return found


def check_named(path: Path, options: ReadOptions, known: Collection[str]) -> None:
    """Refuse a layer or weight that was asked for and that no edge has."""
    for argument, name in (("layer", options.layer), ("weight", options.weight)):
        if name is not None and str(name) not in known:
            others = listed(sorted(known)) or "none"
            raise FileError(path, Argument(argument, name), f" is not an attribute of its edges; they have {others}")


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
