"""A graph as the lists that writers need: each edge once, ids as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import triu

from orthonet.graph.multilayer import MultilayerGraph

Array = npt.NDArray[Any]


def one_way_edges(graph: MultilayerGraph) -> Iterator[tuple[str, Array, Array, Array]]:
    """Yield the name, sources, targets and weights of each layer, source before target."""
    for name, layer in zip(graph.layer_names, graph.layers, strict=True):
        entries = triu(layer, k=1, format="coo")
        yield name, entries.row.astype(np.int64), entries.col.astype(np.int64), entries.data


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


def check_text(names: Any, what: str, forbidden: str = "") -> None:
    """Raise if a name holds a character that the format gives a meaning to, or one that no text file holds."""
    for name in names:
        unsafe = [c for c in name if c in forbidden or c in "\0\ufffe\uffff" or "\ud800" <= c <= "\udfff"]
        control = [c for c in name if ord(c) < 32 and c not in "\t\n\r"]
        if unsafe or control or not name:
            raise ValueError(f"{what} {name!r} cannot be written to this format; rename it, or write an .npz file")
