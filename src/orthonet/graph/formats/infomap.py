"""Infomap's multilayer networks.

    *Vertices              number "label"
    *Multilayer            layer node layer node [weight]      links between two layers are dropped
    *Intra                 layer node node [weight]
    *Inter                 layer node layer [weight]           dropped: they join a node to itself

Layers are numbers; a comment ``# layer 1 "work"`` names one.
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

LAYER_NAME = re.compile(r'#\s*layer\s+(\d+)\s+"([^"]+)"')
SECTIONS = ("*multilayer", "*multiplex", "*intra", "*inter")
Row = tuple[int, int, float, int]


def read_infomap(path: Path, options: ReadOptions) -> Part:
    """Read the links within layers; they have no direction unless the caller says so."""
    vertices = Vertices(path)
    layers: dict[int, list[Row]] = {}
    between: dict[int, int] = {}
    names: dict[int, str] = {}
    for number, heading, line in sections(path):
        where, kind = f"{path}, line {number}", (heading.split() or [""])[0].lower()
        if line.startswith("#"):
            named = LAYER_NAME.match(line)
            if named is not None:
                names[int(named[1])] = named[2]
        elif not line:
            if kind == "*vertices":
                vertices.declare(heading, where)
            elif kind not in SECTIONS:
                raise ValueError(
                    f"{where}: cannot read a section {heading!r}; there are *Vertices, {', '.join(SECTIONS)}"
                )
        elif kind == "*vertices":
            vertices.add(line, where)
        elif kind in SECTIONS:
            layer, row = _row(tokens(line), kind, where, number)
            if row is None:
                between[layer] = between.get(layer, 0) + 1
            else:
                layers.setdefault(layer, []).append(row)
        else:
            raise ValueError(f"{where}: expected *Vertices, *Multilayer or *Intra; got {line[:60]!r}")
    if not layers:
        raise ValueError(f"{path} has no edges within a layer")
    labels = vertices.ids({end for rows in layers.values() for row in rows for end in row[:2]}, str(path))
    place = {one: index for index, one in enumerate(labels)}
    found: dict[str, Rows] = {}
    for layer, rows in layers.items():
        name = names.get(layer, str(layer))
        if name in found:
            raise ValueError(f"{path}: two layers are called {name!r}")
        found[name] = _layer(rows, place, path, between.get(layer, 0))
    return Part(path, ids_of(list(labels.values()), options.ids), len(labels), found)


def infomap_bytes(graph: MultilayerGraph) -> bytes:
    """Return a graph; features and missing nodes have no place in this format."""
    ids = text_ids(graph, '"\n\r')
    check_text(graph.layer_names, "layer name", '"\n\r')
    lines = [f"*Vertices {len(ids)}", *(f'{number} "{one}"' for number, one in enumerate(ids, 1)), "*Intra"]
    lines += [f'# layer {index} "{name}"' for index, name in enumerate(graph.layer_names, 1)]
    for index, (_, source, target, weight) in enumerate(one_way_edges(graph), 1):
        ends = zip((source + 1).tolist(), (target + 1).tolist(), weight.tolist(), strict=True)
        lines += [f"{index} {i} {j} {w!r}" for i, j, w in ends]
    return ("\n".join(lines) + "\n").encode()


def _row(cells: list[str], kind: str, where: str, number: int) -> tuple[int, Row | None]:
    """Return the layer and the link, None for one between two layers."""
    shape = {
        "*intra": "layer node node [weight]",
        "*inter": "layer node layer [weight]",
    }.get(kind, "layer node layer node [weight]")
    needed = len(shape.split()) - 1
    if len(cells) not in (needed, needed + 1):
        raise ValueError(f"{where}: expected {shape}; got {' '.join(cells)!r}")
    numbers = [whole(cell, where, "a layer or node") for cell in cells[:needed]]
    weight = weight_among(cells, needed, where)
    if kind == "*inter":
        return numbers[0], None
    if kind == "*intra":
        return numbers[0], (numbers[1], numbers[2], weight, number)
    layer, source, other, target = numbers
    return layer, (source, target, weight, number) if layer == other else None


def _layer(rows: list[Row], place: dict[int, int], path: Path, n_between: int) -> Rows:
    source = np.array([place[row[0]] for row in rows], dtype=np.int64)
    target = np.array([place[row[1]] for row in rows], dtype=np.int64)
    dropped = {"between layers": n_between} if n_between else {}
    return Rows(
        source, target, np.array([row[2] for row in rows]), lambda row: f"{path}, line {rows[row][3]}", dropped=dropped
    )
