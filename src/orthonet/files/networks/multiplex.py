"""The lists that multiplex networks are published as by De Domenico and others: one edge per line, separated by blanks.

    X_multiplex.edges   layer source target [weight]        e.g. "1 17 42 1"
    X_layers.txt        layerID layerLabel                  beside it, with that heading; names the layers
    X_nodes.txt         nodeID attribute …                  a table of nodes, for ``read_network(…, features=)``

All layers are directed, as the format does not say otherwise.

References
----------
.. [1] M. De Domenico, M. Porter, A. Arenas, "MuxViz: a tool for multilayer analysis and visualization of networks",
   J. Complex Networks 3, 2015.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from orthonet.files.errors import FileError
from orthonet.files.network import NetworkPart
from orthonet.files.networks.edge_table import read_edge_table
from orthonet.files.networks.writing import check_text, named_edges, text_ids
from orthonet.files.options import ReadOptions
from orthonet.files.source import Source
from orthonet.files.tables.layout import Layout, look_at
from orthonet.graph.multilayer import MultilayerGraph


def read_multiplex(source: Source, options: ReadOptions) -> NetworkPart:
    """Read a list of edges; a list of layers beside it names them."""
    where = replace(
        options, layer=0, source=1, target=2, weight=None, heading=False, delimiter=options.delimiter or " "
    )
    layout = look_at(source, lambda _: False, delimiter=where.delimiter, heading=False, fewest=3)
    if layout.n_columns > 4:
        raise FileError(
            source.path,
            f"expected an edge: layer source target [weight]; got {' '.join(layout.rows[0])!r}",
            row=1,
        )
    _refuse_heading(source, layout)
    part = read_edge_table(source, replace(where, weight=3) if layout.n_columns == 4 else where)
    beside = layers_beside(source.path)
    names = _layer_names(Source.of(beside)) if beside.is_file() else {key: key for key in _in_order(set(part.layers))}
    for key, rows in part.layers.items():
        if key not in names:
            raise FileError(rows.place(0), f"{key!r} is not among the layers of {beside}")
    layers = {}
    for key, name in names.items():
        if key in part.layers:
            rows = part.layers[key]
            layers[name] = replace(rows, edges=replace(rows.edges, directed=True), merge="max")
    notes = (f"{source.path}: layers named by {beside}",) if beside.is_file() else ()
    return replace(part, layers=layers, notes=notes)


def layers_beside(path: Path) -> Path:
    """Return where the list of layers of a list of edges is, if there is one."""
    return path.with_name(path.name.split(".")[0].removesuffix("_multiplex") + "_layers.txt")


def write_multiplex(graph: MultilayerGraph) -> bytes:
    """Return the list of edges; the layers are named in a list of their own (`write_layer_names`), the nodes in a table."""
    ids = text_ids(graph, '" \t\n\r\v\f')
    check_text(graph.layer_names, "layer name", '"\n\r')
    for one in (*ids, *graph.layer_names):
        if one[0] in "#%" or one != one.strip() or len(one.split()) != len(one.split(" ")):
            raise ValueError(f"{one!r} cannot be written to a list of edges; rename it, or write another format")
    lines = []
    for index, (_, edges) in enumerate(named_edges(graph), 1):
        lines += [f"{index} {ids[i]} {ids[j]} {w!r}" for i, j, w in edges.tuples()]
    return ("\n".join(lines) + "\n").encode()


def write_layer_names(graph: MultilayerGraph) -> bytes:
    """Return the list of layers that stands beside a list of edges."""
    lines = ["layerID layerLabel", *(f"{index} {name}" for index, name in enumerate(graph.layer_names, 1))]
    return ("\n".join(lines) + "\n").encode()


def _refuse_heading(source: Source, layout: Layout) -> None:
    """Refuse a first line of words above numbers: it would be read as an edge between nodes of that name."""
    first, *others = [row[:3] for row in layout.rows]
    words = not any(map(str.isdecimal, first))
    if words and others and all(cell.isdecimal() for row in others for cell in row):
        raise FileError(
            source.line(layout.n_skipped + 1),
            f"{' '.join(first)!r} looks like a heading, and this format has none; remove that line",
        )


def _layer_names(source: Source) -> dict[str, str]:
    names: dict[str, str] = {}
    for place, line in list(source.numbered_lines())[1:]:
        key, _, name = line.partition(" ")
        name = name.strip().strip('"')
        if not name or key in names or name in names.values():
            raise FileError(place, f"expected a new layer: layerID layerLabel; got {line!r}")
        names[key] = name
    if not names:
        raise FileError.about(source.path, "names no layers; it needs a heading and a line for each of them")
    return names


def _in_order(keys: set[str]) -> list[str]:
    """Sort as numbers if all of them are, else as text."""
    return sorted(keys, key=int) if all(map(str.isdecimal, keys)) else sorted(keys)
