"""Tables of edges, one per row: delimited text and Parquet.

source,target[,layer][,weight]       with a heading: under these or other usual names, in any order
ann,bob,work,0.5                     without usual names: by position; a third column of numbers is the weight, else the layer
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from orthonet.files.errors import FileError, Place
from orthonet.files.network import LayerRows, NetworkPart
from orthonet.files.networks.writing import check_text, named_edges, text_ids
from orthonet.files.options import ReadOptions
from orthonet.files.source import Source
from orthonet.files.tables.columns import Columns, read_columns
from orthonet.files.tables.edge_columns import find_roles, is_heading, looks_like_heading, may_be_heading
from orthonet.files.tables.layout import Layout, look_at
from orthonet.files.tables.numbering import Codes
from orthonet.files.tables.writing import TableKind, table_bytes
from orthonet.graph.edge_list import EdgeList
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.sentences import Argument, Sentence
from orthonet.support.text import counted


def read_edge_table(source: Source, options: ReadOptions) -> NetworkPart:
    """Read a table of edges from delimited text, or from Parquet."""
    if source.is_parquet:
        return read_parquet_edges(source, options)

    def look(heading: bool | None) -> Layout:
        return look_at(
            source,
            lambda cells: looks_like_heading(cells, options),
            delimiter=options.delimiter,
            heading=heading,
            fewest=2,
        )

    path = source.path
    layout = look(options.heading)
    roles, notes = find_roles(path, layout, options)
    coded = _read(source, layout, roles, options)
    if options.heading is None and layout.heading is None and may_be_heading(layout, roles):
        found = is_heading(layout, roles, coded.codes)
        if found:
            layout = look(True)
            roles, notes = find_roles(path, layout, options)
            coded = _read(source, layout, roles, options)
            taken = f"{path}: took the first row as the heading; "
            notes.insert(0, Sentence(taken, Argument("heading", False), " makes it an edge"))
        elif found is None:
            ends = " and ".join(repr(layout.rows[0][roles[end]]) for end in ("source", "target"))
            taken = f"{path}: took the first row, {ends}, as an edge; "
            notes.append(Sentence(taken, Argument("heading", True), " makes it the heading"))
    return _part(source, coded, notes)


def read_parquet_edges(source: Source, options: ReadOptions) -> NetworkPart:
    """Read a table of edges from Parquet; needs polars."""
    from orthonet.files.tables.polars_columns import parquet_layout, read_parquet

    layout = parquet_layout(source.path)
    if layout.n_columns < 2:
        listed = ", ".join(map(repr, layout.heading or ()))
        raise FileError(source.path, f"expected at least 2 columns, source and target; got {listed}")
    roles, notes = find_roles(source.path, layout, options)
    return _part(source, _coded(read_parquet(source, list(roles.values())), roles, options), notes)


def write_edge_table(graph: MultilayerGraph, kind: TableKind) -> bytes:
    """Return the edges as a table with the columns source, target, layer and weight, each edge once."""
    ids = id_column(graph, kind)
    check_text(graph.layer_names, "layer name")
    edges = dict(named_edges(graph))
    columns = {
        "source": np.concatenate([ids[one.source] for one in edges.values()]),
        "target": np.concatenate([ids[one.target] for one in edges.values()]),
        "layer": np.concatenate([np.full(len(one), name) for name, one in edges.items()]),
        "weight": np.concatenate([one.weight for one in edges.values()]),
    }
    return table_bytes(columns, kind)


def id_column(graph: MultilayerGraph, kind: TableKind) -> npt.NDArray[Any]:
    """Return the ids as a column of a table: text, or integers where the table can say that they are."""
    if kind == "parquet" and graph.node_ids.dtype.kind in "iu":
        return graph.node_ids
    return np.array(text_ids(graph), dtype=str)


@dataclass(frozen=True)
class _Coded:
    """The columns of a table of edges: positions among the ids and among the names of layers, and weights."""

    ids: npt.NDArray[Any]
    names: npt.NDArray[Any] | None
    codes: dict[str, Codes]
    weight: npt.NDArray[np.float64] | None


def _read(source: Source, layout: Layout, roles: dict[str, int], options: ReadOptions) -> _Coded:
    text = [roles[role] for role in ("source", "target", "layer") if role in roles]
    numbers = [roles["weight"]] if "weight" in roles else []
    return _coded(read_columns(source, layout, text, numbers), roles, options)


def _coded(columns: Columns, roles: dict[str, int], options: ReadOptions) -> _Coded:
    ids, (source, target) = columns.codes([roles["source"], roles["target"]], options.ids)
    weight = columns.numbers(roles["weight"], "a weight") if "weight" in roles else None
    if "layer" not in roles:
        return _Coded(ids, None, {"source": source, "target": target}, weight)
    names, (kind,) = columns.codes([roles["layer"]], "text")
    return _Coded(ids, names, {"source": source, "target": target, "layer": kind}, weight)


def _part(source: Source, coded: _Coded, notes: Sequence[str]) -> NetworkPart:
    names = [source.name] if coded.names is None else coded.names.tolist()
    rows = _rows_with_edges(source, coded)
    weight = np.ones(len(coded.codes["source"])) if coded.weight is None else coded.weight
    every = EdgeList(coded.codes["source"], coded.codes["target"], weight)
    layers = {}
    for index, name in enumerate(names):
        chosen = rows if len(names) == 1 else np.flatnonzero(coded.codes["layer"] == index)
        layers[name] = LayerRows(every.select(chosen), _place(source, chosen))
    all_notes = (*notes, *_note_padded_ids(source, coded.ids))
    return NetworkPart(source.path, coded.ids, len(coded.ids), layers, notes=all_notes)


def _rows_with_edges(source: Source, coded: _Coded) -> Any:
    """Return the rows that are not blank, all of them as a slice: no copy. A row that lacks something is an error."""
    codes = coded.codes
    if len(codes["source"]) and all(column.min() >= 0 for column in codes.values()):
        return slice(None)
    filled = np.any([column >= 0 for column in codes.values()], axis=0)
    if coded.weight is not None:
        filled |= ~np.isnan(coded.weight)
    if not filled.any():
        raise FileError.about(source.path, "has no edges")
    for role, column in codes.items():
        missing = (column < 0) & filled
        if missing.any():
            raise FileError(source.path, f"no {role}", row=int(missing.argmax()) + 1)
    return np.flatnonzero(filled)


def _note_padded_ids(source: Source, ids: Any) -> list[str]:
    """Note ids with blanks at their ends, which may be meant as the same without."""
    padded = [one for one in ids.tolist() if one != one.strip()] if ids.dtype.kind == "U" else []
    noted = f"{source.path}: {counted(len(padded), 'id')} with a blank at an end, such as "
    return [f"{noted}{padded[0]!r}"] if padded else []


def _place(source: Source, chosen: Any) -> Callable[[int], Place]:
    return lambda row: Place(source.path, (row if isinstance(chosen, slice) else int(chosen[row])) + 1)
