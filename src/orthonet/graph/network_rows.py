"""Some rows of a multilayer network: all edges, memberships and features of a range of nodes, and nothing of the others.

Rows are complete: an edge between two ranges is in both. So a process that holds the rows of its own nodes can count, multiply
and judge for them, and needs of the others only what it asks them for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, issparse, vstack

from orthonet.graph.features import Features
from orthonet.graph.multilayer import MultilayerGraph


@dataclass(frozen=True, eq=False)
class NetworkRows:
    """The rows of the nodes from ``start`` on.

    Attributes
    ----------
    start : int
        The first of them, counted from 0 among all.
    n_nodes : int
        All nodes of the network, N.
    node_ids : array of shape (n,)
        Of these nodes.
    layers : mapping of str to sparse array of shape (n, N)
        Edge weights, without self-loops.
    present : mapping of str to boolean array of shape (n,)
        Which of these nodes a layer holds; all in a layer that is not named.
    features : array or sparse array of shape (n, M), or None
    two_mode : mapping of str to sparse array of shape (n, groups)
    """

    start: int
    n_nodes: int
    node_ids: npt.NDArray[Any]
    layers: Mapping[str, csr_array]
    present: Mapping[str, npt.NDArray[np.bool_]] = field(default_factory=dict)
    features: Features | None = None
    two_mode: Mapping[str, csr_array] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.node_ids)

    @property
    def stop(self) -> int:
        """The node after the last of them."""
        return self.start + len(self)

    @classmethod
    def of_graph(cls, graph: MultilayerGraph, start: int, stop: int) -> Self:
        """Return some rows of a graph that is in memory."""
        masks = dict(zip(graph.layer_names, graph.present, strict=True))
        lacking = not all(mask.all() for mask in graph.present)
        return cls(
            start,
            graph.n_nodes,
            graph.node_ids[start:stop],
            {name: csr_array(layer[start:stop]) for name, layer in zip(graph.layer_names, graph.layers, strict=True)},
            {name: mask[start:stop] for name, mask in masks.items()} if lacking else {},
            None if graph.features is None else graph.features[start:stop],
            {name: csr_array(relation.incidence[start:stop]) for name, relation in graph.two_mode.items()},
        )

    @classmethod
    def joined(cls, parts: Sequence[NetworkRows]) -> NetworkRows:
        """Return rows that follow each other as one."""
        first = parts[0]
        if len(parts) == 1:
            return first
        features: Any = None
        if first.features is not None:
            sparse = issparse(first.features)
            together: list[Any] = [part.features for part in parts]
            features = csr_array(vstack(together)) if sparse else np.concatenate(together)
        return cls(
            first.start,
            first.n_nodes,
            np.concatenate([part.node_ids for part in parts]),
            {name: csr_array(vstack([part.layers[name] for part in parts])) for name in first.layers},
            {name: np.concatenate([part.present[name] for part in parts]) for name in first.present},
            features,
            {name: csr_array(vstack([part.two_mode[name] for part in parts])) for name in first.two_mode},
        )
