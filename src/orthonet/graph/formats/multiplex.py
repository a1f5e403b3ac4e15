"""The lists that multiplex networks are published as by De Domenico and others: an edge a line, separated by blanks.

    edges    layer source target [weight]        e.g. "1 17 42 1"
    layers   layerID layerLabel                  with that heading; names the layers
    nodes    nodeID attribute …                  with a heading; names all nodes, and describes them

References
----------
.. [1] M. De Domenico, M. Porter, A. Arenas, "MuxViz: a tool for multilayer analysis and visualization of networks",
   J. Complex Networks 3, 2015.
"""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from orthonet.graph.formats.edge_list import read_edge_list
from orthonet.graph.formats.layout import look_at
from orthonet.graph.formats.network_file import (
    MISSING,
    Column,
    NetworkFile,
    column_of,
    edges_of,
    weight_of,
)
from orthonet.graph.formats.one_way import check_text, one_way_edges, text_ids
from orthonet.graph.formats.opening import text_lines
from orthonet.graph.formats.options import ReadOptions
from orthonet.graph.formats.part import Part
from orthonet.graph.ids import id_array
from orthonet.graph.multilayer import MultilayerGraph


def read_multiplex(
    edges: str | PathLike[str], layers: str | PathLike[str] | None = None, nodes: str | PathLike[str] | None = None
) -> NetworkFile:
    """Read a multiplex network from its list of edges and, where they exist, its lists of layers and nodes.

    Parameters
    ----------
    edges : path
    layers : path, optional
        Without it a layer is called by its number.
    nodes : path, optional
        Without it the nodes are those that have edges, in order. An attribute is a column of numbers if all its values are.

    Returns
    -------
    NetworkFile
        All layers are directed, as the format does not say otherwise; ``graph()`` joins two nodes if either names the
        other. Node ids are integers if all of them are, else text.

    Raises
    ------
    ValueError
        With the file and the line, where a row is not what was wanted.
    """
    rows = [_edge(line, f"{edges}, line {number}") for number, line in text_lines(edges)]
    if not rows:
        raise ValueError(f"{edges} has no edges")
    _refuse_heading(rows)
    names = _layer_names(layers) if layers is not None else None
    if names is None:
        names = {key: str(key) for key in _in_order({layer for layer, *_ in rows})}
    attributes: dict[str, Column] = {}
    if nodes is not None:
        keys, attributes = _node_table(nodes)
    else:
        keys = _in_order({end for _, source, target, *_ in rows for end in (source, target)})
    place = {key: position for position, key in enumerate(keys)}
    found: dict[str, list[tuple[int, int, float]]] = {key: [] for key in names}
    for layer, source, target, weight, where in rows:
        if layer not in found:
            raise ValueError(f"{where}: {layer!r} is not among the layers of {layers}")
        for end in (source, target):
            if end not in place:
                raise ValueError(f"{where}: {end!r} is not among the nodes of {nodes}")
        found[layer].append((place[source], place[target], weight))
    return NetworkFile(
        Path(edges),
        id_array(_as_integers(keys), "node_ids"),
        {name: edges_of(found[key], directed=True) for key, name in names.items()},
        attributes,
        {},
    )


def read_multiplex_part(path: Path, options: ReadOptions) -> Part:
    """Read a list of edges for `orthonet.graph.read.read_network`; a list of layers beside it names them.

    The published archives hold ``X_multiplex.edges``, ``X_layers.txt`` and ``X_nodes.txt``.
    """
    where = replace(
        options, layer=0, source=1, target=2, weight=None, heading=False, delimiter=options.delimiter or " "
    )
    layout = look_at(path, lambda _: False, delimiter=where.delimiter, heading=False, fewest=3)
    if layout.n_columns > 4:
        raise ValueError(
            f"{path}, row 1: expected an edge: layer source target [weight]; got {' '.join(layout.rows[0])!r}"
        )
    part = read_edge_list(path, replace(where, weight=3) if layout.n_columns == 4 else where)
    beside = layers_beside(path)
    names = _layer_names(beside) if beside.is_file() else {key: key for key in _in_order(set(part.layers))}
    layers = {}
    for key, rows in part.layers.items():
        if key not in names:
            raise ValueError(f"{rows.where(0)}: {key!r} is not among the layers of {beside}")
    for key, name in names.items():
        if key in part.layers:
            layers[name] = replace(part.layers[key], directed=True, merge="max")
    notes = (f"{path}: layers named by {beside}",) if beside.is_file() else ()
    return replace(part, layers=layers, notes=notes)


def layers_beside(path: Path) -> Path:
    """Return where the list of layers of a list of edges stands, if there is one."""
    return path.with_name(path.name.split(".")[0].removesuffix("_multiplex") + "_layers.txt")


def multiplex_bytes(graph: MultilayerGraph) -> tuple[bytes, bytes]:
    """Return the list of edges and the list of layers; the nodes go to a table of their own."""
    ids = text_ids(graph, '" \t\n\r\v\f')
    check_text(graph.layer_names, "layer name", '"\n\r')
    for one in (*ids, *graph.layer_names):
        if one[0] in "#%" or one != one.strip() or len(one.split()) != len(one.split(" ")):
            raise ValueError(f"{one!r} cannot be written to a list of edges; rename it, or write another format")
    lines = []
    for index, (_, source, target, weight) in enumerate(one_way_edges(graph), 1):
        ends = zip(source.tolist(), target.tolist(), weight.tolist(), strict=True)
        lines += [f"{index} {ids[i]} {ids[j]} {w!r}" for i, j, w in ends]
    names = ["layerID layerLabel", *(f"{index} {name}" for index, name in enumerate(graph.layer_names, 1))]
    return ("\n".join(lines) + "\n").encode(), ("\n".join(names) + "\n").encode()


def _edge(line: str, where: str) -> tuple[str, str, str, float, str]:
    cells = line.split()
    if len(cells) not in (3, 4):
        raise ValueError(f"{where}: expected an edge: layer source target [weight]; got {line!r}")
    layer, source, target, *weight = cells
    return layer, source, target, weight_of(weight[0], where) if weight else 1.0, where


def _refuse_heading(rows: list[tuple[str, str, str, float, str]]) -> None:
    """Refuse a first line of words above numbers: it would be read as an edge between nodes of that name."""
    (*first, _, where), others = rows[0], rows[1:]
    words = not any(map(str.isdecimal, first))
    if words and others and all(cell.isdecimal() for row in others for cell in row[:3]):
        raise ValueError(
            f"{where}: {' '.join(first)!r} looks like a heading, and this format has none; remove that line"
        )


def _layer_names(path: str | PathLike[str]) -> dict[str, str]:
    names: dict[str, str] = {}
    for number, line in list(text_lines(path))[1:]:
        key, _, name = line.partition(" ")
        name = name.strip().strip('"')
        if not name or key in names or name in names.values():
            raise ValueError(f"{path}, line {number}: expected a new layer: layerID layerLabel; got {line!r}")
        names[key] = name
    if not names:
        raise ValueError(f"{path} names no layers; it needs a heading and a line for each of them")
    return names


def _node_table(path: str | PathLike[str]) -> tuple[list[str], dict[str, Column]]:
    lines = list(text_lines(path))
    if len(lines) < 2:
        raise ValueError(f"{path} names no nodes; it needs a heading and a line for each of them")
    heading = lines[0][1].split()
    if len(set(heading)) < len(heading):
        raise ValueError(f"{path}, line 1: two columns have the same name in {lines[0][1]!r}")
    table: dict[str, list[tuple[str, str]]] = {}
    for number, line in lines[1:]:
        where, cells = f"{path}, line {number}", line.split()
        if len(cells) != len(heading):
            raise ValueError(f"{where}: expected {len(heading)} values ({' '.join(heading)}); got {line!r}")
        if cells[0] in table:
            raise ValueError(f"{where}: node {cells[0]!r} was named before")
        table[cells[0]] = [(cell, where) for cell in cells[1:]]
    columns = dict(zip(heading[1:], zip(*table.values(), strict=True), strict=True))
    return list(table), {name: column_of(cells, _all_numbers(cells)) for name, cells in columns.items()}


def _all_numbers(cells: tuple[tuple[str, str], ...]) -> bool:
    try:
        return bool([float(text) for text, _ in cells if text not in MISSING])
    except ValueError:
        return False


def _in_order(keys: set[str]) -> list[str]:
    """Sort as numbers if all of them are, else as text."""
    return sorted(keys, key=int) if all(map(str.isdecimal, keys)) else sorted(keys)


def _as_integers(keys: list[str]) -> list[Any]:
    numbers = [int(key) for key in keys] if all(map(str.isdecimal, keys)) else keys
    return numbers if len(set(numbers)) == len(keys) else keys
