"""What a file of a multilayer network holds, before anything is decided about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from orthonet.graph.multilayer import MultilayerGraph
from orthonet.graph.validation import Symmetrize

Column = npt.NDArray[np.float64] | npt.NDArray[np.str_]
MISSING = frozenset({"", "NA", "N/A", "NaN", "nan", "null", "NULL"})


@dataclass(frozen=True)
class Edges:
    """The edges of one layer: positions of both ends among the nodes, weights, and whether their direction counts."""

    source: npt.NDArray[np.int64]
    target: npt.NDArray[np.int64]
    weight: npt.NDArray[np.float64]
    directed: bool

    def adjacency(self, n_nodes: int) -> csr_array:
        """Return the N x N weights, source by row; an edge named more than once counts once, with its largest weight."""
        source, target, weight = self.source, self.target, self.weight
        if not self.directed:
            source, target = np.concatenate([source, target]), np.concatenate([target, source])
            weight = np.concatenate([weight, weight])
        order = np.lexsort((weight, target, source))
        source, target, weight = source[order], target[order], weight[order]
        last = np.ones(len(source), dtype=bool)
        last[:-1] = (np.diff(source) != 0) | (np.diff(target) != 0)
        return csr_array((weight[last], (source[last], target[last])), shape=(n_nodes, n_nodes))


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
    """

    path: Path
    node_ids: npt.NDArray[Any]
    layers: Mapping[str, Edges]
    attributes: Mapping[str, Column]
    present: Mapping[str, npt.NDArray[np.bool_]]

    def graph(self, features: Any = None, *, symmetrize: Symmetrize = "max") -> MultilayerGraph:
        """Return the graph, with features in the order of ``node_ids`` if given.

        Parameters
        ----------
        features : array or sparse array of shape (N, M), optional
        symmetrize : {"mean", "max", "min"}, default="max"
            How a directed layer becomes symmetric; "max" joins two nodes if either names the other.
        """
        n_nodes = len(self.node_ids)
        empty = [name for name, edges in self.layers.items() if not np.any(edges.source != edges.target)]
        if empty:
            raise ValueError(f"{self.path}: layer {empty[0]!r} has no edge between two nodes; leave it out")
        return MultilayerGraph(
            {name: edges.adjacency(n_nodes) for name, edges in self.layers.items()},
            features,
            node_ids=self.node_ids,
            present=[self.present.get(name) for name in self.layers],
            symmetrize=symmetrize,
        )


def text_lines(path: str | PathLike[str]) -> Iterator[tuple[int, str]]:
    """Yield the number, from 1, and the text of each line that is not blank."""
    try:
        with Path(path).open(encoding="utf-8-sig", newline=None) as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, line.strip()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not a text file in UTF-8 ({error.reason} at byte {error.start})") from error


def weight_of(text: str, where: str) -> float:
    """Return a weight, finite and >= 0, or raise an error that says where it stood."""
    try:
        weight = float(text)
    except ValueError:
        raise ValueError(f"{where}: a weight must be a number, got {text!r}") from None
    if not np.isfinite(weight) or weight < 0:
        raise ValueError(f"{where}: a weight must be finite and >= 0, got {text}")
    return weight


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
                numbers[position] = float(text)
            except ValueError:
                raise ValueError(f"{where}: expected a number, got {text!r}") from None
    return numbers
