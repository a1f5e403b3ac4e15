"""GraphML: nodes and edges with typed attributes; the layer of an edge is its attribute "layer", its weight "weight"."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from scipy.sparse import issparse

from orthonet.graph.formats.columns import ids_of
from orthonet.graph.formats.network_file import Column, column_of, weight_of
from orthonet.graph.formats.one_way import check_text, one_way_edges, text_ids
from orthonet.graph.formats.opening import open_bytes
from orthonet.graph.formats.options import ReadOptions
from orthonet.graph.formats.part import Part, Rows
from orthonet.graph.multilayer import MultilayerGraph

NUMERIC_TYPES = ("int", "long", "float", "double")
CHUNK = 2**16


def read_graphml(path: Path, options: ReadOptions) -> Part:
    """Read nodes, edges and their attributes; ``options.layer`` and ``options.weight`` name the attributes of edges."""
    content = _Content(path, options)
    for element in _elements(path):
        content.take(element)
    return content.part(options)


def graphml_bytes(graph: MultilayerGraph) -> bytes:
    """Return a graph, with its features as attributes of the nodes."""
    if issparse(graph.features):
        raise ValueError("GraphML cannot hold sparse features; write an .npz file")
    ids = text_ids(graph)
    names = _feature_names(graph)
    check_text(graph.layer_names, "layer name", "\r")
    check_text(names, "feature name", "\r")
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        '<key id="layer" for="edge" attr.name="layer" attr.type="string"/>',
        '<key id="weight" for="edge" attr.name="weight" attr.type="double"/>',
    ]
    lines += [
        f'<key id="f{index}" for="node" attr.name={quoteattr(name)} attr.type="double"/>'
        for index, name in enumerate(names)
    ]
    lines.append('<graph edgedefault="undirected">')
    for index, one in enumerate(ids):
        values = [] if graph.features is None else graph.features[index].tolist()
        data = "".join(f'<data key="f{column}">{value!r}</data>' for column, value in enumerate(values))
        lines.append(f"<node id={_attribute(one)}>{data}</node>")
    for name, source, target, weight in one_way_edges(graph):
        layer = escape(name)
        lines += [
            f"<edge source={_attribute(ids[i])} target={_attribute(ids[j])}>"
            f'<data key="layer">{layer}</data><data key="weight">{w!r}</data></edge>'
            for i, j, w in zip(source.tolist(), target.tolist(), weight.tolist(), strict=True)
        ]
    return ("\n".join([*lines, "</graph>", "</graphml>"]) + "\n").encode()


def _feature_names(graph: MultilayerGraph) -> list[str]:
    if graph.features is None:
        return []
    return list(graph.feature_names or (f"feature {index}" for index in range(graph.features.shape[1])))


def _attribute(text: str) -> str:
    return quoteattr(text, {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def _elements(path: Path) -> Iterator[Any]:
    """Yield the elements as they end; files that define entities, which can grow without bound, are refused."""
    parser: Any = ElementTree.XMLPullParser(["start", "end"])
    last = b""
    try:
        with open_bytes(path) as file:
            while chunk := file.read(CHUNK):
                if b"<!DOCTYPE" in last + chunk or b"<!ENTITY" in last + chunk or b"\0" in chunk:
                    raise ValueError(f"{path}: a GraphML file is UTF-8 and has no document type definition")
                last = chunk[-10:]
                parser.feed(chunk)
                yield from _ended(parser)
        parser.close()
        yield from _ended(parser)
    except ElementTree.ParseError as error:
        raise ValueError(f"{path}, line {error.position[0]}: not GraphML: {error}") from error
    except (UnicodeError, LookupError) as error:
        raise ValueError(f"{path}: not GraphML in UTF-8: {error}") from error


def _ended(parser: Any) -> Iterator[Any]:
    for event, element in parser.read_events():
        name = element.tag.rpartition("}")[2]
        if event == "start" and name == "graph":
            yield name, element
        if event == "end" and name in ("key", "node", "edge", "hyperedge"):
            yield name, element
            if name != "key":
                element.clear()


class _Content:
    """What was found so far."""

    def __init__(self, path: Path, options: ReadOptions) -> None:
        self.path = path
        self.keys: dict[str, tuple[str, str, str, str | None]] = {}
        self.directed = False
        self.place: dict[str, int] = {}
        self.values: list[dict[str, str]] = []
        self.edges: dict[str, list[tuple[int, int, float, int, bool]]] = {}
        self.n_edges = 0
        self.layer_name, self.weight_name = str(options.layer or "layer"), str(options.weight or "weight")

    def take(self, found: tuple[str, Any]) -> None:
        name, element = found
        if name == "key":
            default = next((child.text for child in element if child.tag.endswith("default")), None)
            called = element.get("attr.name") or element.get("id", "")
            self.keys[element.get("id", "")] = (
                element.get("for", "all"),
                called,
                element.get("attr.type", ""),
                default,
            )
        elif name == "graph":
            self.directed = element.get("edgedefault") == "directed"
        elif name == "node":
            one = element.get("id")
            if not one or one in self.place:
                raise ValueError(f"{self.path}, node {len(self.place) + 1}: {one!r} is no id, or one named before")
            self.place[one] = len(self.place)
            self.values.append(self._data(element, "node"))
        elif name == "edge":
            self._edge(element)
        else:
            raise ValueError(f"{self.path}: a hyperedge joins more than two nodes, which no layer can hold")

    def _data(self, element: Any, kind: str) -> dict[str, str]:
        found = {
            called: default
            for owner, called, _, default in self.keys.values()
            if default is not None and owner in (kind, "all")
        }
        for child in element:
            if child.tag.rpartition("}")[2] == "data" and child.get("key") in self.keys:
                found[self.keys[child.get("key")][1]] = child.text or ""
        return found

    def _edge(self, element: Any) -> None:
        self.n_edges += 1
        where = f"{self.path}, edge {self.n_edges}"
        ends = [element.get("source"), element.get("target")]
        for end in ends:
            if end not in self.place:
                raise ValueError(f"{where}: node {end!r} is not declared before its edges")
        data = self._data(element, "edge")
        weight = data.get(self.weight_name, "1").strip()
        layer = data.get(self.layer_name, self.path.name.split(".")[0])
        source, target = (self.place[end] for end in ends)
        directed = {"true": True, "false": False}.get(element.get("directed"), self.directed)
        self.edges.setdefault(layer, []).append((source, target, weight_of(weight, where), self.n_edges, directed))

    def part(self, options: ReadOptions) -> Part:
        if not self.edges:
            raise ValueError(f"{self.path} has no edges")
        layers = {}
        for name, edges in self.edges.items():
            source, target, weight, number, directed = map(np.array, zip(*edges, strict=True))

            def where(row: int, number: Any = number) -> str:
                return f"{self.path}, edge {number[row]}"

            two_way = None if directed.all() else ~directed
            layers[name] = Rows(source, target, weight, where, bool(directed.any()), two_way=two_way)
        return Part(self.path, ids_of(list(self.place), options.ids), len(self.place), layers, self._attributes())

    def _attributes(self) -> dict[str, Column]:
        found = {}
        for owner, called, kind, _ in self.keys.values():
            if owner in ("node", "all"):
                cells = [
                    (values.get(called, "").strip(), f"{self.path}, node {row}")
                    for row, values in enumerate(self.values, 1)
                ]
                found[called] = column_of(cells, kind in NUMERIC_TYPES)
        return found
