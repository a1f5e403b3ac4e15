"""Pajek networks of several relations.

*Vertices 3
1 "ann"
*Arcs :1 "work"          directed;  *Edges: not;  source target [weight]
1 2 0.5
*Arcslist :2 "lunch"     source target target …
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

RELATION = re.compile(r':\s*(\d+)\s*(?:"([^"]*)")?')
SECTIONS = ("*arcs", "*edges", "*arcslist", "*edgeslist")


def read_pajek(source: Source, options: ReadOptions) -> NetworkPart:
    """Read vertices, arcs and edges; a relation with arcs is directed, and edges in it go both ways."""
    vertices = Vertices(source)
    relations: dict[str, list[EdgeRow]] = {}
    names: dict[str, str] = {}
    current = ""
    for line in vertices.edge_lines(SECTIONS, comment="%"):
        if not line.text:
            current = _relation(line.heading, names)
            relations.setdefault(current, [])
        elif not line.text.startswith("%"):
            relations[current] += _rows(line)
    relations = {key: rows for key, rows in relations.items() if rows}
    if not relations:
        raise FileError.about(source.path, "has no edges")
    layers: dict[str, list[EdgeRow]] = {}
    for key, rows in relations.items():
        name = names.get(key) or key or source.name
        layers[name if name not in layers else key] = rows
    return vertices.part(layers, options)


def write_pajek(graph: MultilayerGraph) -> bytes:
    """Return a graph; features and missing nodes have no place in this format."""
    lines = numbered_vertices(graph)
    for index, (name, edges) in enumerate(named_edges(graph), 1):
        lines.append(f'*Edges :{index} "{name}"')
        lines += [f"{i + 1} {j + 1} {w!r}" for i, j, w in edges.tuples()]
    return ("\n".join(lines) + "\n").encode()


def _relation(heading: str, names: dict[str, str]) -> str:
    """Return the number of the relation that a heading opens, and keep its name."""
    found = RELATION.search(heading)
    if found is None:
        return ""
    if found[2]:
        names.setdefault(found[1], found[2])
    return found[1]


def _rows(line: SectionLine) -> list[EdgeRow]:
    cells = tokens(line.text)
    if len(cells) < 2:
        raise FileError(line.place, f"expected an edge: source target [weight]; got {line.text!r}")
    is_list, directed = line.section.endswith("list"), line.section.startswith("*arcs")
    source, *targets = [whole_number(cell, line.place, "a vertex") for cell in (cells if is_list else cells[:2])]
    weight = 1.0 if is_list else weight_among(cells, 2, line.place)
    return [EdgeRow(source, target, weight, line.place, directed) for target in targets]
