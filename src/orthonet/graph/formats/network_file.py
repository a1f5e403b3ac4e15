"""What a file of a multilayer network holds, before anything is decided about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from orthonet.graph.features import Features
from orthonet.graph.formats.report import ReadReport
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.graph.validation import Symmetrize, check_layer
from orthonet.support.checks import check_choice

Column = npt.NDArray[np.float64] | npt.NDArray[np.str_]
MISSING = frozenset({"", "NA", "N/A", "NaN", "nan", "null", "NULL"})


@dataclass(frozen=True)
class Edges:
    """The edges of one layer: positions of both ends among the nodes, weights, and whether their direction counts.

    Where they are ``merged`` they stand in order of source and target and no pair of nodes occurs twice; nor does one the
    other way round, if the direction does not count, and the source stands before the target. None is a loop, and all
    weights are > 0.
    """

    source: npt.NDArray[np.integer[Any]]
    target: npt.NDArray[np.integer[Any]]
    weight: npt.NDArray[np.float64]
    directed: bool
    merged: bool = False

    def adjacency(self, n_nodes: int) -> csr_array:
        """Return the N x N weights, source by row; an edge named more than once counts once, with its largest weight."""
        source, target, weight = self.source, self.target, self.weight
        if self.merged:
            starts = np.zeros(n_nodes + 1, dtype=target.dtype)
            np.cumsum(np.bincount(source, minlength=n_nodes), out=starts[1:])
            one_way = csr_array((weight, target, starts), shape=(n_nodes, n_nodes))
            return one_way if self.directed else csr_array(one_way + csr_array(one_way.T))
        if not self.directed:
            source, target = np.concatenate([source, target]), np.concatenate([target, source])
            weight = np.concatenate([weight, weight])
        order = np.lexsort((weight, target, source))
        source, target, weight = source[order], target[order], weight[order]
        last = np.ones(len(source), dtype=bool)
        last[:-1] = (np.diff(source) != 0) | (np.diff(target) != 0)
        return csr_array((weight[last], (source[last], target[last])), shape=(n_nodes, n_nodes))

    def layer(self, n_nodes: int, name: str, symmetrize: Symmetrize) -> tuple[csr_array, int]:
        """Return the symmetric N x N weights without self-loops, and how many of those there were."""
        adjacency = self.adjacency(n_nodes)
        with np.errstate(over="ignore"):
            finite = np.isfinite(adjacency.data.sum())
        if self.merged and not self.directed and finite:
            return adjacency, 0  # as made by `adjacency` it is all that `check_layer` asks for
        return check_layer(adjacency, name, n_nodes, symmetrize)


@dataclass(frozen=True)
class NetworkFile:
    """A multilayer network as its file tells it.

    Attributes
    ----------
    path : Path
    node_ids : array of shape (N,)
    layers : mapping of names to `Edges`
        In the order of the file.
    attributes : mapping of names to arrays of shape (N,)
        Columns that describe the nodes: float (missing: NaN) or text (missing: "").
    present : mapping of names to boolean arrays of shape (N,)
        Which nodes a layer holds, where the file says so; all of them in a layer not named here.
    report : ReadReport or None
        What was kept and what was not, and why; from `orthonet.graph.read.read_network`.
    features : array or sparse array of shape (N, M), or None
        From a node table, or kept in the file as such.
    feature_names : tuple of str, or None
    """

    path: Path
    node_ids: npt.NDArray[Any]
    layers: Mapping[str, Edges]
    attributes: Mapping[str, Column]
    present: Mapping[str, npt.NDArray[np.bool_]]
    report: ReadReport | None = None
    features: Features | None = None
    feature_names: tuple[str, ...] | None = None
    layers_from_features: bool = False

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
            raise ValueError(f"{self.path}: layer {empty[0]!r} has no edge between two nodes; leave it out")
        own = features is None and self.features is not None
        if own:
            features = self.features
        check_choice(symmetrize, "symmetrize", get_args(Symmetrize))
        try:
            graph = MultilayerGraph._of_checked(
                {
                    name: edges.layer(n_nodes, f"layers[{index}] ({name!r})", symmetrize)
                    for index, (name, edges) in enumerate(self.layers.items())
                },
                self.node_ids,
                features,
                present=[self.present.get(name) for name in self.layers],
                layers_from_features=own and self.layers_from_features,
            )
        except ValueError as error:
            raise ValueError(f"{self.path}: {error}") from error
        if own and self.feature_names is not None:
            object.__setattr__(graph, "feature_names", self.feature_names)
        return graph


def weight_of(text: str, where: str) -> float:
    """Return a weight, finite and >= 0, or raise an error that says where it stood."""
    try:
        weight = _number(text)
    except ValueError:
        raise ValueError(f"{where}: a weight must be a number, got {text!r}") from None
    if not np.isfinite(weight) or weight < 0:
        raise ValueError(f"{where}: a weight must be finite and >= 0, got {text}")
    return weight


def _number(text: str) -> float:
    """Return a number as people write it; Python would also take 1_000 and the digits of other scripts."""
    if "_" in text or not text.isascii():
        raise ValueError(text)
    return float(text)


def edges_of(rows: Iterable[tuple[int, int, float]], directed: bool) -> Edges:
    """Return rows (source, target, weight) as columns."""
    source, target, weight = tuple(zip(*rows, strict=True)) or ((), (), ())
    return Edges(
        np.array(source, dtype=np.int64), np.array(target, dtype=np.int64), np.array(weight, dtype=np.float64), directed
    )


def column_of(cells: Sequence[tuple[str, str]], numeric: bool) -> Column:
    """Return cells, each with where it stood, as a column of numbers (missing: NaN) or of text (missing: "")."""
    if not numeric:
        return np.array(["" if text in MISSING else text for text, _ in cells], dtype=str)
    numbers = np.full(len(cells), np.nan)
    for position, (text, where) in enumerate(cells):
        if text not in MISSING:
            try:
                numbers[position] = _number(text)
            except ValueError:
                raise ValueError(f"{where}: expected a number, got {text!r}") from None
    return numbers
