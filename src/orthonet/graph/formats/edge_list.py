"""Tables of edges, one a row: delimited text and Parquet.

source,target[,layer][,weight]       with a heading: under these or other usual names, in any order
ann,bob,work,0.5                     without: by position; a third column of numbers is the weight, else the layer
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from orthonet.graph.formats.columns import Columns, read_columns
from orthonet.graph.formats.layout import look_at
from orthonet.graph.formats.numbering import Codes
from orthonet.graph.formats.opening import PARQUET, opening_bytes
from orthonet.graph.formats.options import ReadOptions
from orthonet.graph.formats.part import Part, Rows

USUAL_NAMES = {
    "source": "source src from fromid fromnode fromnodeid sourceid sourcenode node1 nodea u i actor1 id1 ego person1 sender",
    "target": "target dst to toid tonode tonodeid targetid targetnode node2 nodeb v j actor2 id2 alter person2 receiver dest "
    "destination",
    "layer": "layer layerid layername relation relationtype edgetype type kind view network",
    "weight": "weight weights w value strength count edgeweight",
}
USUAL = {role: frozenset(names.split()) for role, names in USUAL_NAMES.items()}


def read_edge_list(path: Path, options: ReadOptions) -> Part:
    """Read a table of edges from delimited text, or from Parquet."""
    if opening_bytes(path) == PARQUET:
        return read_parquet_edges(path, options)
    layout = look_at(path, _looks_like_heading, delimiter=options.delimiter, heading=options.heading, fewest=2)
    numeric = [layout.is_numeric(column) for column in range(layout.n_columns)]
    empty = [column for column in range(layout.n_columns) if layout.is_empty(column)]
    roles = _roles(path, layout.heading, numeric, options, empty)
    text = [roles[role] for role in ("source", "target", "layer") if role in roles]
    numbers = [roles["weight"]] if "weight" in roles else []
    names = layout.heading or [f"column {index}" for index in range(layout.n_columns)]
    notes = _unused(names, roles, path)
    return _part(path, read_columns(path, layout, text, numbers), roles, options, notes)


def read_parquet_edges(path: Path, options: ReadOptions) -> Part:
    """Read a table of edges from Parquet; needs polars."""
    from orthonet.graph.formats.polars_columns import parquet_names, read_parquet

    names = parquet_names(path)
    if len(names) < 2:
        raise ValueError(f"{path}: expected at least 2 columns, source and target; got {', '.join(map(repr, names))}")
    roles = _roles(path, names, None, options)
    return _part(path, read_parquet(path, list(roles.values())), roles, options, _unused(names, roles, path))


def _part(path: Path, columns: Columns, roles: dict[str, int], options: ReadOptions, notes: tuple[str, ...]) -> Part:
    ids, (source, target) = columns.codes([roles["source"], roles["target"]], options.ids)
    weight = columns.numbers(roles["weight"], "a weight") if "weight" in roles else None
    names, kind = np.array([path.name.split(".")[0]]), None
    if "layer" in roles:
        names, (kind,) = columns.codes([roles["layer"]], "text")
    del columns  # the texts, which are no longer needed, take more than all the rest
    codes = {"source": source, "target": target} | ({} if kind is None else {"layer": kind})
    held = _held_rows(path, codes, weight)
    layers = {}
    for index, name in enumerate(names.tolist()):
        chosen = held if kind is None or len(names) == 1 else np.flatnonzero(kind == index)
        layers[name] = Rows(
            source[chosen], target[chosen], None if weight is None else weight[chosen], _where(path, chosen)
        )
    return Part(path, ids, len(ids), layers, notes=(*notes, *_padded_ids(path, ids)))


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
    return [f"{path}: {len(padded):,} ids begin or end with a blank, such as {padded[0]!r}"] if padded else []


def _where(path: Path, chosen: Any) -> Any:
    return lambda row: f"{path}, row {(row if isinstance(chosen, slice) else int(chosen[row])) + 1}"


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _looks_like_heading(cells: list[str]) -> bool:
    names = {_plain(cell) for cell in cells}
    return bool(names & USUAL["source"]) and bool(names & USUAL["target"])


def _roles(
    path: Path,
    heading: Sequence[str] | None,
    numeric: Sequence[bool] | None,
    options: ReadOptions,
    empty: Sequence[int] = (),
) -> dict[str, int]:
    """Return which column is what: as the caller says, else by the usual names, else by position."""
    asked = {role: getattr(options, role) for role in USUAL}
    roles = {
        role: column_named(path, wanted, heading, len(heading or numeric or ()), role)
        for role, wanted in asked.items()
        if wanted is not None
    }
    n_columns = len(heading) if heading is not None else len(numeric or ())
    if heading is not None:
        for role, usual in USUAL.items():
            matches = [i for i, name in enumerate(heading) if _plain(name) in usual and i not in roles.values()]
            if role not in roles and matches:
                roles[role] = matches[0]
    if heading is None or not {"source", "target"} & set(roles):
        free = [column for column in range(n_columns) if column not in roles.values()]
        for role in ("source", "target"):
            if role not in roles and free:
                roles[role] = free.pop(0)
        if heading is None and numeric is not None:
            free = [column for column in free if column not in empty]
            for column in free[:2]:
                role = (
                    "weight"
                    if numeric[column] and (len(free) == 1 or column != free[0] or not numeric[free[1]])
                    else "layer"
                )
                roles.setdefault(role, column)
    for role in ("source", "target"):
        if role not in roles:
            raise ValueError(
                f"{path}: no column is called {role}, among {', '.join(map(repr, heading or ()))}; name it with {role}="
            )
    if len(set(roles.values())) < len(roles):
        raise ValueError(f"{path}: one column cannot be two of {', '.join(roles)}; got {roles}")
    return dict(sorted(roles.items(), key=lambda item: list(USUAL).index(item[0])))


def column_named(path: Path, wanted: str | int, heading: Sequence[str] | None, n_columns: int, role: str) -> int:
    """Return the position of a column that the caller named, or counted from 0."""
    if isinstance(wanted, str) and heading is not None and wanted in heading:
        return list(heading).index(wanted)
    if isinstance(wanted, int) and not isinstance(wanted, bool) and 0 <= wanted < n_columns:
        return wanted
    held = (
        f"columns are {', '.join(map(repr, heading))}" if heading is not None else f"{n_columns} columns have no names"
    )
    raise ValueError(f"{path}: {role}={wanted!r} is no column; its {held}")


def _unused(names: Sequence[str], roles: dict[str, int], path: Path) -> tuple[str, ...]:
    left = [repr(name) for index, name in enumerate(names) if index not in roles.values()]
    return (f"{path}: columns not used: {', '.join(left)}",) if left else ()
