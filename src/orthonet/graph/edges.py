"""Adjacency layers from a table of edges: source, target, and optionally layer and weight."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array

from orthonet.graph.validation import id_array


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
    """Collect edges into one adjacency a layer; see `MultilayerGraph.from_edges` for what is accepted."""
    columns = _columns(edges, (source, target, layer, weight))
    ends = [id_array(columns[name]) for name in (source, target)]
    n_edges = len(ends[0])
    if n_edges == 0:
        raise ValueError("edges is empty; a graph needs at least one edge")
    for end, name in zip(ends, (source, target), strict=True):
        _refuse_missing(end, name)
    values = _weights(columns[weight], weight) if weight in columns else np.ones(n_edges)
    ids, (rows, cols) = _positions(ends, node_ids, (source, target))
    names, (which,) = (
        _positions([id_array(columns[layer])], None, (layer,))
        if layer in columns
        else (["layer 0"], [np.zeros(n_edges, int)])
    )
    layers = []
    for index in range(len(names)):
        chosen = which == index
        one_way = coo_array((values[chosen], (rows[chosen], cols[chosen])), shape=(len(ids), len(ids))).tocsr()
        layers.append(csr_array(one_way + one_way.T))
    return EdgeLayers(tuple(layers), tuple(map(str, names)), id_array(ids))


def _columns(edges: Any, names: tuple[str, str, str, str]) -> Mapping[str, Any]:
    """Return the columns of a table (pandas, polars, a mapping) or of rows (source, target[, layer[, weight]])."""
    if isinstance(edges, Mapping) or hasattr(edges, "columns"):
        held = list(edges.keys() if isinstance(edges, Mapping) else edges.columns)
        missing = [name for name in names[:2] if name not in held]
        if missing:
            raise ValueError(
                f"edges has no column {missing[0]!r}; its columns are {', '.join(map(repr, held))}: name yours with "
                "source=, target=, layer=, weight="
            )
        columns = {name: edges[name] for name in names if name in held}
        lengths = {name: len(column) for name, column in columns.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"the columns of edges must be equally long, got {lengths}")
        return columns
    if not isinstance(edges, Iterable):
        raise TypeError(f"edges must be a table or an iterable of rows, got {type(edges).__name__}")
    rows: list[Sequence[Any]] = list(edges)
    widths = {len(row) for row in rows}
    if len(widths) > 1 or not widths <= {2, 3, 4}:
        raise ValueError(
            f"edges must be rows (source, target), (source, target, layer) or (source, target, layer, weight), all alike; "
            f"got rows of length {', '.join(map(str, sorted(widths)))}"
        )
    return dict(zip(names, zip(*rows, strict=True), strict=False)) if rows else {names[0]: [], names[1]: []}


def _refuse_missing(ids: npt.NDArray[Any], name: str) -> None:
    if ids.dtype == object:
        empty = np.array([value is None or value != value for value in ids.tolist()])
    else:
        empty = np.isnan(ids) if ids.dtype.kind == "f" else np.zeros(len(ids), dtype=bool)
    if empty.any():
        raise ValueError(
            f"edges: column {name!r} has {int(empty.sum())} empty entries, the first in row {empty.argmax()}"
        )


def _weights(column: Any, name: str) -> npt.NDArray[np.float64]:
    try:
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
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def _positions(
    columns: list[npt.NDArray[Any]], known: Any, names: tuple[str, ...]
) -> tuple[list[Any], list[npt.NDArray[np.intp]]]:
    """Return the ids, ``known`` or in order of first appearance, and the position of each entry among them."""
    ids = [] if known is None else id_array(known).tolist()
    place = {value: index for index, value in enumerate(ids)}
    positions = []
    for column, name in zip(columns, names, strict=True):
        entries = column.tolist()
        if known is None:
            for value in entries:
                place.setdefault(value, len(place))
        else:
            strangers = [row for row, value in enumerate(entries) if value not in place]
            if strangers:
                raise ValueError(
                    f"edges: column {name!r} names {len(strangers)} nodes that are not in node_ids, the first "
                    f"{entries[strangers[0]]!r} in row {strangers[0]}"
                )
        positions.append(np.fromiter((place[value] for value in entries), dtype=np.intp, count=len(entries)))
    return list(place), positions
