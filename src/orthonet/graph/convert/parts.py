"""The parts that every foreign graph is taken to: nodes in order, edges of each layer by position, numbers on nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, triu

from orthonet.graph.ids import check_unique, id_array, is_empty
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.graph.validation import ROUNDING, Symmetrize
from orthonet.support.checks import check_choice

Absent = Literal["missing", "isolated"]
MISSING_FROM = "missing_from"
"""Node attribute with the names of the layers that say nothing about the node."""


@dataclass(frozen=True)
class Layer:
    """The edges of one layer.

    Attributes
    ----------
    name : str
    source, target : arrays of int
        Positions of both ends among the nodes.
    weight : array of float
        Finite and >= 0.
    directed : bool
        Whether an edge counts one way only.
    held : boolean array of shape (N,)
        Which nodes the layer holds.
    """

    name: str
    source: npt.NDArray[np.intp]
    target: npt.NDArray[np.intp]
    weight: npt.NDArray[np.float64]
    directed: bool
    held: npt.NDArray[np.bool_]

    def adjacency(self) -> csr_array:
        """Return the N x N weights, source by row; parallel edges add up."""
        shape = (len(self.held), len(self.held))
        one_way = csr_array((self.weight, (self.source, self.target)), shape=shape)
        one_way.sum_duplicates()
        return one_way if self.directed else csr_array(one_way + one_way.T)


def assemble(
    layers: Sequence[Layer],
    ids: Any,
    features: Any = None,
    feature_names: Sequence[str] | None = None,
    *,
    absent: Absent = "missing",
    symmetrize: Symmetrize | None = None,
) -> MultilayerGraph:
    """Return the graph of these layers; a directed one needs ``symmetrize``, and the error names its nodes."""
    check_choice(absent, "absent", get_args(Absent))
    if not layers:
        raise ValueError("the graph has no edges; there is nothing to cluster by")
    ids = id_array(ids, "node_ids")
    check_unique(ids, "node_ids")
    adjacencies = [layer.adjacency() for layer in layers]
    if symmetrize is None:
        for layer, adjacency in zip(layers, adjacencies, strict=True):
            if layer.directed:
                check_undirected(adjacency, f"layer {layer.name!r}", ids)
    graph = MultilayerGraph(
        adjacencies,
        features,
        [layer.name for layer in layers],
        ids,
        present=[layer.held for layer in layers] if absent == "missing" else None,
        symmetrize=symmetrize,
    )
    return with_feature_names(graph, feature_names)


def named_graphs(graphs: Any, is_graph: Callable[[Any], bool], library: str) -> dict[str, Any]:
    """Return graphs by the names of their layers: those of a mapping, or counted."""
    if isinstance(graphs, Mapping):
        named = dict(graphs)
    elif isinstance(graphs, Sequence) and not isinstance(graphs, str):
        named = {f"layer {index}": graph for index, graph in enumerate(graphs)}
    else:
        raise TypeError(f"graphs must be {library} graph, or a list or mapping of them, got {kind_of(graphs)}")
    if not named:
        raise ValueError("graphs is empty; pass at least one graph")
    for name, graph in named.items():
        if not is_graph(graph):
            raise TypeError(f"graphs[{name!r}] must be {library} graph, got {kind_of(graph)}")
    return named


def split_layers(
    whole: Layer, groups: Mapping[Any, npt.NDArray[np.intp]], missing: Iterable[Any], ids: Sequence[Any]
) -> list[Layer]:
    """Return the layers that the edges of one graph name; a node's ``missing`` entry says which do not hold it."""
    names = list(map(str, groups))
    masks = masks_without(missing, names, whole.held, ids)
    return [
        Layer(name, whole.source[chosen], whole.target[chosen], whole.weight[chosen], whole.directed, mask)
        for name, chosen, mask in zip(names, groups.values(), masks, strict=True)
    ]


def put_once(column: list[Any], position: int, value: Any, called: str, layer: str) -> None:
    """Put a value into a column of node attributes; several graphs that have a node may not contradict each other."""
    before = column[position]
    if value is None:
        return
    if not (before is None or before is value or np.array_equal(before, value)):
        raise ValueError(f"{called} is {before!r} in one graph and {value!r} in {layer!r}; make them agree")
    column[position] = value


def with_feature_names(graph: MultilayerGraph, names: Iterable[Any] | None) -> MultilayerGraph:
    """Name the features of a graph that nobody else holds yet."""
    if names is not None and graph.features is not None:
        object.__setattr__(graph, "feature_names", tuple(map(str, names)))
    return graph


def check_undirected(adjacency: csr_array, name: str, ids: npt.NDArray[Any]) -> None:
    """Raise, naming two nodes, if a weight differs from the one the other way."""
    difference = (adjacency - adjacency.T).tocoo()
    gap = np.abs(difference.data)
    if not gap.size or gap.max() <= ROUNDING * np.abs(adjacency.data).max():
        return
    worst = int(gap.argmax())
    row, column = int(difference.row[worst]), int(difference.col[worst])
    one, other = ids[[row, column]].tolist()
    raise ValueError(
        f"{name} is directed: {int((gap > 0).sum()) // 2} pairs of nodes differ; from {one!r} to {other!r} it weighs "
        f"{adjacency[row, column]:.3g}, back {adjacency[column, row]:.3g}; pass symmetrize='mean', 'max' or 'min'"
    )


def checked_weights(values: Any, called: Callable[[int], str]) -> npt.NDArray[np.float64]:
    """Return finite weights >= 0, or raise an error that calls the edge by its name."""
    array = values if isinstance(values, np.ndarray) and values.dtype.kind in "biuf" else None
    if array is None:
        values = list(values)
        for place, value in enumerate(values):
            if not is_number(value):
                raise ValueError(f"{called(place)} has the weight {value!r}; weights are numbers")
        array = as_floats(values)
    bad = ~np.isfinite(array) | (array < 0)
    if bad.any():
        first = int(bad.argmax())
        raise ValueError(
            f"{called(first)} has the weight {array[first]:g} (one of {int(bad.sum())} like it); weights are similarities, "
            "finite and >= 0"
        )
    return array.astype(np.float64)


def grouped(kinds: Sequence[Any], called: Callable[[int], str], order: Any = None) -> dict[Any, npt.NDArray[np.intp]]:
    """Return the positions of the edges of each kind, kinds in the order given, then of first appearance."""
    found: dict[Any, list[int]] = {}
    for place, kind in enumerate(kinds):
        try:
            found.setdefault(kind, []).append(place)
        except TypeError:
            raise ValueError(f"{called(place)} is in layer {kind!r}, which cannot be a name") from None
    names = id_array(list(found), "layer names")
    empty = is_empty(names)
    if empty.any():
        raise ValueError(f"{called(found[list(found)[int(empty.argmax())]][0])} has no layer, but others have")
    wanted = [name for name in order if name in found] if isinstance(order, list | tuple) else []
    return {name: np.array(found[name], dtype=np.intp) for name in dict.fromkeys([*wanted, *found])}


def positions_of(nodes: Iterable[Any], place: Mapping[Any, int], called: str) -> npt.NDArray[np.intp]:
    """Return where nodes stand among all nodes."""
    nodes = list(nodes)
    strangers = [node for node in nodes if node not in place]
    if strangers:
        raise ValueError(f"{called} has {len(strangers)} nodes that are not in node_ids, the first {strangers[0]!r}")
    return np.fromiter((place[node] for node in nodes), dtype=np.intp, count=len(nodes))


def mask_of(positions: npt.NDArray[np.intp], n_nodes: int) -> npt.NDArray[np.bool_]:
    """Return a mask of ``n_nodes`` that is True at ``positions``."""
    mask = np.zeros(n_nodes, dtype=bool)
    mask[positions] = True
    return mask


def masks_without(
    missing: Iterable[Any], names: Sequence[str], held: npt.NDArray[np.bool_], ids: Sequence[Any]
) -> list[npt.NDArray[np.bool_]]:
    """Return a mask a layer: the nodes held, but for those whose ``missing`` entry names the layer."""
    masks = [held.copy() for _ in names]
    for position, layers in enumerate(missing):
        for name in _names_in(layers):
            if name not in names:
                raise ValueError(
                    f"{MISSING_FROM} of node {ids[position]!r} names the layer {name!r}, but there are "
                    f"{', '.join(map(repr, names))}"
                )
            masks[names.index(name)][position] = False
    return masks


def layers_missing(graph: MultilayerGraph) -> list[list[str]]:
    """Return, for each node, the names of the layers that do not hold it."""
    held = np.array(graph.present)
    return [
        [name for name, there in zip(graph.layer_names, column, strict=True) if not there] for column in held.T.tolist()
    ]


def edges_once(layer: csr_array) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], npt.NDArray[np.float64]]:
    """Return each edge of a symmetric layer once: positions of both ends, and weight."""
    half = triu(layer, k=1).tocoo()
    order = np.lexsort((half.col, half.row))
    return half.row[order].astype(np.intp), half.col[order].astype(np.intp), half.data[order]


def as_floats(numbers: Sequence[Any]) -> npt.NDArray[np.float64]:
    """Return numbers as floats, infinite where they are too large for one."""
    try:
        return np.array(numbers, dtype=np.float64)
    except OverflowError:
        return np.array([number if abs(number) < 2**1023 else np.inf for number in numbers], dtype=np.float64)


def kind_of(given: Any) -> str:
    """Return the name of a type with its package: several have a Graph."""
    return f"{type(given).__module__.partition('.')[0]}.{type(given).__name__}".removeprefix("builtins.")


def is_number(value: Any) -> bool:
    """Tell whether a value is a real number; the text of one is not."""
    return isinstance(value, int | float | np.integer | np.floating | np.bool_)


def _names_in(layers: Any) -> list[str]:
    if layers is None:
        return []
    return [layers] if isinstance(layers, str) else list(map(str, layers))
