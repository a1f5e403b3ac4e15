"""Pajek networks of several relations.

*Vertices 3
1 "ann"
*Arcs :1 "work"          directed;  *Edges: not;  source target [weight]
1 2 0.5
*Arcslist :2 "lunch"     source target target …
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from orthonet.graph.formats.columns import ids_of
from orthonet.graph.formats.one_way import check_text, one_way_edges, text_ids
from orthonet.graph.formats.options import ReadOptions
from orthonet.graph.formats.part import Part, Rows
from orthonet.graph.formats.starred import Vertices, sections, tokens, weight_among, whole
from orthonet.graph.multilayer import MultilayerGraph

RELATION = re.compile(r':\s*(\d+)\s*(?:"([^"]*)")?')
KINDS = ("*arcs", "*edges", "*arcslist", "*edgeslist")
Row = tuple[int, int, float, int, bool]


def read_pajek(path: Path, options: ReadOptions) -> Part:
    """Read vertices, arcs and edges; a relation with arcs is directed, and edges in it go both ways."""
    vertices = Vertices(path)
    relations: dict[str, list[Row]] = {}
    names: dict[str, str] = {}
    current = ""
    for number, heading, line in sections(path):
        where, kind = f"{path}, line {number}", (heading.split() or [""])[0].split(":")[0].lower()
        if line.startswith("%"):
            continue
        if not line:
            if kind == "*vertices":
                vertices.declare(heading, where)
            elif kind in KINDS:
                current = _relation(heading, names)
                relations.setdefault(current, [])
            elif kind not in ("*network",):
                raise ValueError(f"{where}: cannot read a section {heading!r}; there are *Vertices, {', '.join(KINDS)}")
        elif kind == "*vertices":
            vertices.add(line, where)
        elif kind in KINDS:
            relations[current] += _rows(line, kind, where, number)
        else:
            raise ValueError(f"{where}: expected *Vertices or another section; got {line[:60]!r}")
    relations = {key: rows for key, rows in relations.items() if rows}
    if not relations:
        raise ValueError(f"{path} has no edges")
    used = {end for rows in relations.values() for row in rows for end in row[:2]}
    labels = vertices.ids(used, str(path))
    place = {number: index for index, number in enumerate(labels)}
    layers: dict[str, Rows] = {}
    for key, rows in relations.items():
        name = names.get(key) or (key if key else path.name.split(".")[0])
        layers[name if name not in layers else key] = _layer(rows, place, path)
    return Part(path, ids_of(list(labels.values()), options.ids), len(labels), layers)


def pajek_bytes(graph: MultilayerGraph) -> bytes:
    """Return a graph; features and missing nodes have no place in this format."""
    ids = text_ids(graph, '"\n\r')
    check_text(graph.layer_names, "layer name", '"\n\r')
    lines = [f"*Vertices {len(ids)}", *(f'{number} "{one}"' for number, one in enumerate(ids, 1))]
    for index, (name, source, target, weight) in enumerate(one_way_edges(graph), 1):
        lines.append(f'*Edges :{index} "{name}"')
        ends = zip((source + 1).tolist(), (target + 1).tolist(), weight.tolist(), strict=True)
        lines += [f"{i} {j} {w!r}" for i, j, w in ends]
    return ("\n".join(lines) + "\n").encode()


def _relation(heading: str, names: dict[str, str]) -> str:
    """Return the number of the relation that a heading opens, and note its name."""
    found = RELATION.search(heading)
    if found is None:
        return ""
    if found[2]:
        names.setdefault(found[1], found[2])
    return found[1]


def _rows(line: str, kind: str, where: str, number: int) -> list[Row]:
    cells = tokens(line)
    if len(cells) < 2:
        raise ValueError(f"{where}: expected an edge: source target [weight]; got {line!r}")
    directed = kind.startswith("*arcs")
    source, *targets = [whole(cell, where, "a vertex") for cell in (cells if kind.endswith("list") else cells[:2])]
    weight = 1.0 if kind.endswith("list") else weight_among(cells, 2, where)
    return [(source, target, weight, number, directed) for target in targets]


def _layer(rows: list[Row], place: dict[int, int], path: Path) -> Rows:
    one_way = np.array([row[4] for row in rows])
    source = np.array([place[row[0]] for row in rows], dtype=np.int64)
    target = np.array([place[row[1]] for row in rows], dtype=np.int64)
    return Rows(
        source,
        target,
        np.array([row[2] for row in rows]),
        lambda row: f"{path}, line {rows[row][3]}",
        bool(one_way.any()),
        two_way=None if one_way.all() else ~one_way,
    )
