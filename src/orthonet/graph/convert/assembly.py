"""From the edges of each layer and the columns of the nodes, as every other library has them, to one graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from orthonet.graph.edge_list import EdgeList
from orthonet.graph.ids import check_unique, id_array, is_empty
from orthonet.graph.membership_tables import Memberships, relations_of
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.graph.validation import ROUNDING, Symmetrize
from orthonet.support.checks import check_choice

Absent = Literal["missing", "isolated"]
MISSING_FROM = "missing_from"
"""Node attribute with the names of the layers that say nothing about the node."""


@dataclass(frozen=True)
class Layer:
    """One layer: its name, its edges, and a boolean array of shape (N,) of the nodes that are present in it."""

    name: str
    edges: EdgeList
    present: npt.NDArray[np.bool_]


def assemble(
    layers: Sequence[Layer],
    ids: Any,
    features: Any = None,
    feature_names: Sequence[str] | None = None,
    *,
    absent: Absent = "missing",
    symmetrize: Symmetrize | None = None,
    two_mode: Mapping[str, Memberships] | None = None,
) -> MultilayerGraph:
    """Return the graph of these layers and relations; a directed one needs ``symmetrize``, and the error names its nodes."""
    check_choice(absent, "absent", get_args(Absent))
    if not layers and not two_mode:
        raise ValueError("the graph has no edges; there is nothing to cluster by")
    ids = id_array(ids, "node_ids")
    check_unique(ids, "node_ids")
    adjacencies = [layer.edges.adjacency(len(layer.present)) for layer in layers]
    if symmetrize is None:
        for layer, adjacency in zip(layers, adjacencies, strict=True):
            if layer.edges.directed:
                check_undirected(adjacency, f"layer {layer.name!r}", ids)
    return MultilayerGraph(
        adjacencies,
        features,
        [layer.name for layer in layers],
        ids,
        present=[layer.present for layer in layers] if absent == "missing" else None,
        symmetrize=symmetrize,
        feature_names=names_of_features(features, feature_names),
        two_mode=relations_of(two_mode or {}, ids),
    )


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
    """Return the layers that the edges of one graph name; a node's ``missing`` entry names those it is missing from."""
    names = list(map(str, groups))
    masks = masks_without(missing, names, whole.present, ids)
    return [
        Layer(name, whole.edges.select(chosen), mask)
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


def names_of_features(features: Any, names: Iterable[Any] | None) -> tuple[str, ...] | None:
    """Return names for a graph's features; None where there is nothing to name, or where two names are the same."""
    listed = None if names is None or features is None else tuple(map(str, names))
    return listed if listed and len(set(listed)) == len(listed) else None


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
    unknown = [node for node in nodes if node not in place]
    if unknown:
        raise ValueError(f"{called} has {len(unknown)} nodes that are not in node_ids, the first {unknown[0]!r}")
    return np.fromiter((place[node] for node in nodes), dtype=np.intp, count=len(nodes))


def mask_of(positions: npt.NDArray[np.intp], n_nodes: int) -> npt.NDArray[np.bool_]:
    """Return a mask of ``n_nodes`` that is True at ``positions``."""
    mask = np.zeros(n_nodes, dtype=bool)
    mask[positions] = True
    return mask


def masks_without(
    missing: Iterable[Any], names: Sequence[str], present: npt.NDArray[np.bool_], ids: Sequence[Any]
) -> list[npt.NDArray[np.bool_]]:
    """Return a mask per layer: the nodes present, but for those whose ``missing`` entry names the layer."""
    masks = [present.copy() for _ in names]
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
    """Return, for each node, the names of the layers it is missing from."""
    columns = np.array(graph.present).T.tolist()
    return [[name for name, there in zip(graph.layer_names, column, strict=True) if not there] for column in columns]


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
    """Return whether a value is a real number; the text of one is not."""
    return isinstance(value, int | float | np.integer | np.floating | np.bool_)


def _names_in(layers: Any) -> list[str]:
    if layers is None:
        return []
    return [layers] if isinstance(layers, str) else list(map(str, layers))
