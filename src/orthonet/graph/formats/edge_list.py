"""Tables of edges, one a row: delimited text and Parquet.

source,target[,layer][,weight]       with a heading: under these or other usual names, in any order
ann,bob,work,0.5                     without usual names: by position; a third column of numbers is the weight, else the layer
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from orthonet.graph.formats.columns import Columns, read_columns
from orthonet.graph.formats.edge_columns import find_roles, is_heading, looks_like_heading, may_be_heading
from orthonet.graph.formats.layout import Layout, look_at
from orthonet.graph.formats.numbering import Codes
from orthonet.graph.formats.opening import PARQUET, opening_bytes
from orthonet.graph.formats.options import ReadOptions
from orthonet.graph.formats.part import Part, Rows
from orthonet.support.text import counted


def read_edge_list(path: Path, options: ReadOptions) -> Part:
    """Read a table of edges from delimited text, or from Parquet."""
    if opening_bytes(path) == PARQUET:
        return read_parquet_edges(path, options)

    def look(heading: bool | None) -> Layout:
        return look_at(
            path,
            lambda cells: looks_like_heading(cells, options),
            delimiter=options.delimiter,
            heading=heading,
            fewest=2,
        )

    layout = look(options.heading)
    roles, notes = find_roles(path, layout, options)
    coded = _read(path, layout, roles, options)
    if options.heading is None and layout.heading is None and may_be_heading(layout, roles):
        found = is_heading(layout, roles, coded.codes)
        if found:
            layout = look(True)
            roles, notes = find_roles(path, layout, options)
            coded = _read(path, layout, roles, options)
            notes.insert(0, f"{path}: took the first row as the heading; heading=False makes it an edge")
        elif found is None:
            ends = " and ".join(repr(layout.rows[0][roles[end]]) for end in ("source", "target"))
            notes.append(f"{path}: took the first row, {ends}, as an edge; heading=True makes it the heading")
    return _part(path, coded, notes)


def read_parquet_edges(path: Path, options: ReadOptions) -> Part:
    """Read a table of edges from Parquet; needs polars."""
    from orthonet.graph.formats.polars_columns import parquet_layout, read_parquet

    layout = parquet_layout(path)
    if layout.n_columns < 2:
        listed = ", ".join(map(repr, layout.heading or ()))
        raise ValueError(f"{path}: expected at least 2 columns, source and target; got {listed}")
    roles, notes = find_roles(path, layout, options)
    return _part(path, _coded(read_parquet(path, list(roles.values())), roles, options), notes)


@dataclass(frozen=True)
class _Coded:
    """The columns of a table of edges: positions among the ids and among the names of layers, and weights."""

    ids: npt.NDArray[Any]
    names: npt.NDArray[Any] | None
    codes: dict[str, Codes]
    weight: npt.NDArray[np.float64] | None


def _read(path: Path, layout: Layout, roles: dict[str, int], options: ReadOptions) -> _Coded:
    text = [roles[role] for role in ("source", "target", "layer") if role in roles]
    numbers = [roles["weight"]] if "weight" in roles else []
    return _coded(read_columns(path, layout, text, numbers), roles, options)


def _coded(columns: Columns, roles: dict[str, int], options: ReadOptions) -> _Coded:
    ids, (source, target) = columns.codes([roles["source"], roles["target"]], options.ids)
    weight = columns.numbers(roles["weight"], "a weight") if "weight" in roles else None
    if "layer" not in roles:
        return _Coded(ids, None, {"source": source, "target": target}, weight)
    names, (kind,) = columns.codes([roles["layer"]], "text")
    return _Coded(ids, names, {"source": source, "target": target, "layer": kind}, weight)


def _part(path: Path, coded: _Coded, notes: Sequence[str]) -> Part:
    source, target, weight = coded.codes["source"], coded.codes["target"], coded.weight
    names = [path.name.split(".")[0]] if coded.names is None else coded.names.tolist()
    held = _held_rows(path, coded.codes, weight)
    layers = {}
    for index, name in enumerate(names):
        chosen = held if len(names) == 1 else np.flatnonzero(coded.codes["layer"] == index)
        layers[name] = Rows(
            source[chosen], target[chosen], None if weight is None else weight[chosen], _where(path, chosen)
        )
    return Part(path, coded.ids, len(coded.ids), layers, notes=(*notes, *_padded_ids(path, coded.ids)))


def _held_rows(path: Path, codes: dict[str, Codes], weight: Any) -> Any:
    """Return the rows that are not blank, all of them as a slice: no copy. A row that lacks something is an error."""
    if len(codes["source"]) and all(column.min() >= 0 for column in codes.values()):
        return slice(None)
    held = np.any([column >= 0 for column in codes.values()], axis=0)
    if weight is not None:
        held |= ~np.isnan(weight)
    if not held.any():
        raise ValueError(f"{path} has no edges")
    for role, column in codes.items():
        missing = (column < 0) & held
        if missing.any():
            raise ValueError(f"{path}, row {int(missing.argmax()) + 1}: no {role}")
    return np.flatnonzero(held)


def _padded_ids(path: Path, ids: Any) -> list[str]:
    """Note ids with blanks at their ends, which may be meant as the same without."""
    padded = [one for one in ids.tolist() if one != one.strip()] if ids.dtype.kind == "U" else []
    return [f"{path}: {counted(len(padded), 'id')} with a blank at an end, such as {padded[0]!r}"] if padded else []


def _where(path: Path, chosen: Any) -> Any:
    return lambda row: f"{path}, row {(row if isinstance(chosen, slice) else int(chosen[row])) + 1}"
