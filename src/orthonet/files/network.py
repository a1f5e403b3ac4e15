"""What a file of a multilayer network holds: as its reader found it (`NetworkPart`), and as one network (`NetworkFile`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from orthonet.files.errors import FileError, Place, naming_file
from orthonet.files.report import ReadReport
from orthonet.graph.edge_list import EdgeList, Merge
from orthonet.graph.features import Features
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.graph.two_mode import TwoMode
from orthonet.graph.validation import Symmetrize, check_layer
from orthonet.support.checks import check_choice

Column = npt.NDArray[np.float64] | npt.NDArray[np.str_]


@dataclass(frozen=True)
class LayerRows:
    """The rows of a layer as a file has them.

    Attributes
    ----------
    edges : EdgeList
        Positions are those among the ids of the file; a weight is NaN where a row has none.
    place : callable
        Returns the `Place` of a row, counted from 0, for errors.
    merge : {"sum", "max"}
        What several rows for one pair become.
    dropped : mapping of reasons to int
        Rows that the reader left out itself.
    """

    edges: EdgeList
    place: Callable[[int], Place]
    merge: Merge = "sum"
    dropped: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class NetworkPart:
    """One file before its nodes are matched with those of other files; without ids its nodes are numbered from 0."""

    path: Path
    ids: npt.NDArray[Any] | None
    n_nodes: int
    layers: Mapping[str, LayerRows]
    attributes: Mapping[str, Column] = field(default_factory=dict)
    present: Mapping[str, npt.NDArray[np.bool_]] = field(default_factory=dict)
    features: Features | None = None
    feature_names: tuple[str, ...] | None = None
    layers_from_features: bool = False
    notes: tuple[str, ...] = ()
    two_mode: Mapping[str, TwoMode] = field(default_factory=dict)


@dataclass(frozen=True)
class NetworkFile:
    """A multilayer network that was read from files.

    Attributes
    ----------
    path : Path
    node_ids : array of shape (N,)
    layers : mapping of names to `EdgeList`
        In the order of the file.
    attributes : mapping of names to arrays of shape (N,)
        Columns that describe the nodes: float (missing: NaN) or text (missing: "").
    present : mapping of names to boolean arrays of shape (N,)
        Which nodes are present in a layer, where the file says so; all of them in a layer not named here.
    report : ReadReport
        What was kept and what was not, and why.
    features : array or sparse array of shape (N, M), or None
        From a table of nodes, or kept in the file as such.
    feature_names : tuple of str, or None
    layers_from_features : bool
        See `MultilayerGraph`.
    two_mode : mapping of names to TwoMode
        Two-mode relations, which only .npz files hold; others are read by `read_memberships`.
    """

    path: Path
    node_ids: npt.NDArray[Any]
    layers: Mapping[str, EdgeList]
    attributes: Mapping[str, Column]
    present: Mapping[str, npt.NDArray[np.bool_]]
    report: ReadReport
    features: Features | None = None
    feature_names: tuple[str, ...] | None = None
    layers_from_features: bool = False
    two_mode: Mapping[str, TwoMode] = field(default_factory=dict)

    def graph(self, features: Any = None, *, symmetrize: Symmetrize = "max") -> MultilayerGraph:
        """Return the graph, with its features or others in the order of ``node_ids``.

        Parameters
        ----------
        features : array or sparse array of shape (N, M), optional
            Instead of those that were read, if any were.
        symmetrize : {"mean", "max", "min"}, default="max"
            How a directed layer becomes symmetric; "max" joins two nodes if either names the other.
        """
        n_nodes = len(self.node_ids)
        empty = [name for name, edges in self.layers.items() if not np.any(edges.source != edges.target)]
        if empty:
            raise FileError(self.path, f"layer {empty[0]!r} has no edge between two nodes; leave it out")
        own = features is None and self.features is not None
        check_choice(symmetrize, "symmetrize", get_args(Symmetrize))
        with naming_file(self.path):
            return MultilayerGraph._of_checked(
                {
                    name: _layer(edges, n_nodes, f"layers[{index}] ({name!r})", symmetrize)
                    for index, (name, edges) in enumerate(self.layers.items())
                },
                self.node_ids,
                self.features if own else features,
                present=[self.present.get(name) for name in self.layers],
                layers_from_features=own and self.layers_from_features,
                feature_names=self.feature_names if own else None,
                two_mode=self.two_mode,
            )


def _layer(edges: EdgeList, n_nodes: int, name: str, symmetrize: Symmetrize) -> tuple[csr_array, int]:
    """Return the symmetric N x N weights without self-loops, and how many of those there were."""
    adjacency = edges.adjacency(n_nodes)
    with np.errstate(over="ignore"):
        finite = np.isfinite(adjacency.data.sum())
    if edges.merged and not edges.directed and finite:
        return adjacency, 0  # as `EdgeList.adjacency` makes it, it is all that `check_layer` asks for
    return check_layer(adjacency, name, n_nodes, symmetrize)
