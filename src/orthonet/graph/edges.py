"""Adjacency layers from a table of edges: source, target, and optionally layer and weight."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from orthonet.graph.edge_list import EdgeList
from orthonet.graph.ids import check_unique, id_array, is_empty


@dataclass(frozen=True)
class EdgeLayers:
    """The layers of an edge table, with the nodes and the names they came under."""

    layers: tuple[csr_array, ...]
    layer_names: tuple[str, ...]
    node_ids: npt.NDArray[Any]


def layers_from_edges(
    edges: Any,
    *,
    node_ids: Any = None,
    source: str = "source",
    target: str = "target",
    layer: str = "layer",
    weight: str = "weight",
) -> EdgeLayers:
    """Collect edges into one adjacency per layer; see `MultilayerGraph.from_edges` for what is accepted."""
    columns = _columns(edges, {"source": source, "target": target, "layer": layer, "weight": weight})
    ends = [id_array(columns[name], f"edges[{name!r}]") for name in (source, target)]
    n_edges = len(ends[0])
    if n_edges == 0:
        raise ValueError("edges is empty; a graph needs at least one edge")
    kinds = id_array(columns[layer], f"edges[{layer!r}]") if layer in columns else np.full(n_edges, "layer 0")
    for column, name in zip([*ends, kinds], (source, target, layer), strict=True):
        _refuse_empty(column, name)
    values = _weights(columns[weight], weight) if weight in columns else np.ones(n_edges)
    ids, (rows, cols) = _positions(ends, node_ids, (source, target))
    names, (which,) = _positions([kinds], None, (layer,))
    all_edges = EdgeList(rows, cols, values)
    layers = tuple(all_edges.select(which == index).adjacency(len(ids)) for index in range(len(names)))
    return EdgeLayers(layers, tuple(map(str, names)), id_array(ids, "node_ids"))


def present_masks(present: Mapping[Any, Sequence[Any]], found: EdgeLayers) -> list[npt.NDArray[np.bool_] | None]:
    """Return for each layer a mask of the nodes present in it, None for a layer that ``present`` does not name."""
    ids_of = {str(name): set(id_array(ids, f"present[{name!r}]").tolist()) for name, ids in present.items()}
    nodes = found.node_ids.tolist()
    for name, ids in ids_of.items():
        if name not in found.layer_names:
            known = ", ".join(map(repr, found.layer_names))
            raise ValueError(f"present names the layer {name!r}, but edges has {known}")
        unknown = ids - set(nodes)
        if unknown:
            raise ValueError(f"present[{name!r}] names {len(unknown)} unknown nodes, such as {min(unknown, key=str)!r}")
    return [
        np.array([node in ids_of[name] for node in nodes]) if name in ids_of else None for name in found.layer_names
    ]


def _columns(edges: Any, names: dict[str, str]) -> Mapping[str, Any]:
    """Return the columns of a table (pandas, polars, a mapping) or of rows (source, target[, layer[, weight]])."""
    if isinstance(edges, Mapping) or hasattr(edges, "columns"):
        known_columns = list(edges.keys() if isinstance(edges, Mapping) else edges.columns)
        needed = [name for role, name in names.items() if role in ("source", "target") or name != role]
        missing = [name for name in needed if name not in known_columns]
        if missing:
            raise ValueError(
                f"edges has no column {missing[0]!r}; its columns are {', '.join(map(repr, known_columns))}: name yours with "
                "source=, target=, layer=, weight="
            )
        columns = {name: edges[name] for name in names.values() if name in known_columns}
        lengths = {name: len(column) for name, column in columns.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"the columns of edges must be equally long, got {lengths}")
        return columns
    rows = list(edges) if isinstance(edges, Iterable) and not isinstance(edges, str) else None
    if rows is None or not all(isinstance(row, Sequence | np.ndarray) and not isinstance(row, str) for row in rows):
        raise TypeError(
            "edges must be a table with columns, or rows (source, target), (source, target, layer) or (source, target, layer, "
            f"weight); got {type(edges).__name__}" + (f" of {type(rows[0]).__name__}" if rows else "")
        )
    widths = {len(row) for row in rows}
    if len(widths) > 1 or not widths <= {2, 3, 4}:
        raise ValueError(
            "edges must be rows (source, target), (source, target, layer) or (source, target, layer, weight), all alike; "
            f"got rows of length {', '.join(map(str, sorted(widths)))}"
        )
    if widths == {3} and all(isinstance(row[2], float) for row in rows) and not any(row[2] != row[2] for row in rows):
        raise ValueError(
            f"edges: the third entry of a row is its layer, but here it is a number such as {rows[0][2]!r}; weights come "
            "fourth: (source, target, layer, weight)"
        )
    if not rows:
        return {names["source"]: [], names["target"]: []}
    return dict(zip(names.values(), zip(*rows, strict=True), strict=False))


def _refuse_empty(ids: npt.NDArray[Any], name: str) -> None:
    empty = is_empty(ids)
    if empty.any():
        raise ValueError(
            f"edges: column {name!r} has {int(empty.sum())} empty entries, the first in row {empty.argmax()}"
        )


def _weights(column: Any, name: str) -> npt.NDArray[np.float64]:
    try:
        if np.iscomplexobj(column):
            raise TypeError
        values = np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        row, value = next((row, value) for row, value in enumerate(column) if not _is_number(value))
        raise ValueError(f"edges: column {name!r} must hold numbers, got {value!r} in row {row}") from None
    bad = ~np.isfinite(values) | (values < 0)
    if bad.any():
        row = int(bad.argmax())
        raise ValueError(
            f"edges: column {name!r} must hold finite numbers >= 0, but {int(bad.sum())} are not, the first {values[row]:g} "
            f"in row {row}"
        )
    return values


def _is_number(value: Any) -> bool:
    if np.iscomplexobj(value):
        return False
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def _positions(
    columns: list[npt.NDArray[Any]], known: Any, names: tuple[str, ...]
) -> tuple[list[Any], list[npt.NDArray[np.intp]]]:
    """Return the ids, ``known`` or in order of first appearance, and the position of each entry among them."""
    ids = []
    if known is not None:
        check_unique(id_array(known, "node_ids"), "node_ids")
        ids = id_array(known, "node_ids").tolist()
    place = {value: index for index, value in enumerate(ids)}
    positions = []
    for column, name in zip(columns, names, strict=True):
        entries = column.tolist()
        if known is None:
            for value in entries:
                place.setdefault(value, len(place))
        else:
            unknown = [row for row, value in enumerate(entries) if value not in place]
            if unknown:
                raise ValueError(
                    f"edges: column {name!r} names {len(unknown)} nodes that are not in node_ids, the first "
                    f"{entries[unknown[0]]!r} in row {unknown[0]}"
                )
        positions.append(np.fromiter((place[value] for value in entries), dtype=np.intp, count=len(entries)))
    return list(place), positions
