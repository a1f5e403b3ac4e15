"""Infomap's multilayer networks.

    *Vertices              number "label"
    *Multilayer            layer node layer node [weight]      links between two layers are dropped
    *Intra                 layer node node [weight]
    *Inter                 layer node layer [weight]           dropped: they join a node to itself

Layers are numbers; a comment ``# layer 1 "work"`` names one.
"""

from __future__ import annotations

import re

from orthonet.files.errors import FileError
from orthonet.files.network import NetworkPart
from orthonet.files.networks.layer_rows import EdgeRow
from orthonet.files.networks.vertices import SectionLine, Vertices, tokens, weight_among
from orthonet.files.networks.writing import named_edges, numbered_vertices
from orthonet.files.options import ReadOptions
from orthonet.files.source import Source
from orthonet.files.tables.cells import whole_number
from orthonet.graph.multilayer import MultilayerGraph

LAYER_NAME = re.compile(r'#\s*layer\s+(\d+)\s+"([^"]+)"')
SHAPES = {
    "*multilayer": "layer node layer node [weight]",
    "*multiplex": "layer node layer node [weight]",
    "*intra": "layer node node [weight]",
    "*inter": "layer node layer [weight]",
}


def read_infomap(source: Source, options: ReadOptions) -> NetworkPart:
    """Read the links within layers; they have no direction unless the caller says so."""
    vertices = Vertices(source)
    layers: dict[int, list[EdgeRow]] = {}
    between: dict[int, int] = {}
    names: dict[int, str] = {}
    for line in vertices.edge_lines(SHAPES, comment="#"):
        named = LAYER_NAME.match(line.text)
        if named is not None:
            names[int(named[1])] = named[2]
        elif line.text and not line.text.startswith("#"):
            layer, row = _row(line)
            if row is None:
                between[layer] = between.get(layer, 0) + 1
            else:
                layers.setdefault(layer, []).append(row)
    if not layers:
        raise FileError.about(source.path, "has no edges within a layer")
    found: dict[str, list[EdgeRow]] = {}
    dropped: dict[str, dict[str, int]] = {}
    for layer, rows in layers.items():
        name = names.get(layer, str(layer))
        if name in found:
            raise FileError(source.path, f"two layers are called {name!r}")
        found[name] = rows
        dropped[name] = {"between layers": between[layer]} if layer in between else {}
    return vertices.part(found, options, dropped)


def write_infomap(graph: MultilayerGraph) -> bytes:
    """Return a graph; features and missing nodes have no place in this format."""
    lines = [*numbered_vertices(graph), "*Intra"]
    lines += [f'# layer {index} "{name}"' for index, name in enumerate(graph.layer_names, 1)]
    for index, (_, edges) in enumerate(named_edges(graph), 1):
        lines += [f"{index} {i + 1} {j + 1} {w!r}" for i, j, w in edges.tuples()]
    return ("\n".join(lines) + "\n").encode()


def _row(line: SectionLine) -> tuple[int, EdgeRow | None]:
    """Return the layer and the link, None for one between two layers."""
    cells, shape = tokens(line.text), SHAPES[line.section]
    needed = len(shape.split()) - 1
    if len(cells) not in (needed, needed + 1):
        raise FileError(line.place, f"expected {shape}; got {' '.join(cells)!r}")
    layer, *numbers = [whole_number(cell, line.place, "a layer or node") for cell in cells[:needed]]
    weight = weight_among(cells, needed, line.place)
    if line.section == "*inter":
        return layer, None
    if line.section == "*intra":
        return layer, EdgeRow(numbers[0], numbers[1], weight, line.place)
    source, other, target = numbers
    return layer, EdgeRow(source, target, weight, line.place) if layer == other else None
