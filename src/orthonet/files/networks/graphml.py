"""GraphML: nodes and edges with typed attributes; the layer of an edge is its attribute "layer", its weight "weight"."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape, quoteattr

from orthonet.files.errors import FileError, Place
from orthonet.files.network import Column, NetworkPart
from orthonet.files.networks.layer_rows import EdgeRow, layer_of_rows
from orthonet.files.networks.writing import NodeColumns, check_named, check_text, named_edges, node_columns, text_ids
from orthonet.files.networks.xml_elements import local_name, quoted, xml_elements
from orthonet.files.options import ReadOptions
from orthonet.files.source import Source
from orthonet.files.tables.cells import column_of, ids_of, weight_of
from orthonet.graph.multilayer import MultilayerGraph

NUMERIC_TYPES = ("int", "long", "float", "double")
TYPES = {"i": "long", "f": "double", "U": "string"}
"""GraphML's types of columns of whole numbers, numbers and text."""


def read_graphml(source: Source, options: ReadOptions) -> NetworkPart:
    """Read nodes, edges and their attributes; ``options.layer`` and ``options.weight`` name the attributes of edges."""
    content = _Content(source, options)
    ends = ("key", "node", "edge", "hyperedge")
    for name, element in xml_elements(source, "GraphML", ("graph",), ends, kept=("key",)):
        content.take(name, element)
    return content.part(options)


def write_graphml(graph: MultilayerGraph, attributes: NodeColumns | None = None) -> bytes:
    """Return a graph, with its features and other columns as attributes of the nodes."""
    ids, columns = text_ids(graph), node_columns(graph, attributes)
    check_text(graph.layer_names, "layer name", "\r")
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        '<key id="layer" for="edge" attr.name="layer" attr.type="string"/>',
        '<key id="weight" for="edge" attr.name="weight" attr.type="double"/>',
    ]
    lines += [
        f'<key id="f{index}" for="node" attr.name={quoteattr(name)} attr.type="{TYPES[column.dtype.kind]}"/>'
        for index, (name, column) in enumerate(columns.items())
    ]
    lines.append('<graph edgedefault="undirected">')
    texts = [column.tolist() for column in columns.values()]
    for index, one in enumerate(ids):
        data = "".join(
            f'<data key="f{number}">{escape(str(cells[index]))}</data>'
            for number, cells in enumerate(texts)
            if cells[index] != "" and cells[index] == cells[index]  # NaN is not written
        )
        lines.append(f"<node id={quoted(one)}>{data}</node>")
    for name, edges in named_edges(graph):
        layer = escape(name)
        lines += [
            f"<edge source={quoted(ids[i])} target={quoted(ids[j])}>"
            f'<data key="layer">{layer}</data><data key="weight">{w!r}</data></edge>'
            for i, j, w in edges.tuples()
        ]
    return ("\n".join([*lines, "</graph>", "</graphml>"]) + "\n").encode()


class _Content:
    """What was found so far."""

    def __init__(self, source: Source, options: ReadOptions) -> None:
        self.source, self.path = source, source.path
        self.keys: dict[str, tuple[str, str, str, str | None]] = {}
        self.directed = False
        self.place: dict[str, int] = {}
        self.values: list[dict[str, str]] = []
        self.edges: dict[str, list[EdgeRow]] = {}
        self.n_edges = 0
        self.layer_name, self.weight_name = str(options.layer or "layer"), str(options.weight or "weight")

    def take(self, name: str, element: Any) -> None:
        if name == "key":
            default = next((child.text for child in element if child.tag.endswith("default")), None)
            called = element.get("attr.name") or element.get("id", "")
            about, kind = element.get("for", "all"), element.get("attr.type", "")
            self.keys[element.get("id", "")] = about, called, kind, default
        elif name == "graph":
            self.directed = element.get("edgedefault") == "directed"
        elif name == "node":
            one = element.get("id")
            if not one or one in self.place:
                raise FileError(self._node(len(self.place) + 1), f"{one!r} is not an id, or was named before")
            self.place[one] = len(self.place)
            self.values.append(self._data(element, "node"))
        elif name == "edge":
            self._edge(element)
        else:
            raise FileError(self.path, "a hyperedge joins more than two nodes, which no layer can hold")

    def _data(self, element: Any, kind: str) -> dict[str, str]:
        found = {
            called: default
            for owner, called, _, default in self.keys.values()
            if default is not None and owner in (kind, "all")
        }
        for child in element:
            if local_name(child) == "data" and child.get("key") in self.keys:
                found[self.keys[child.get("key")][1]] = child.text or ""
        return found

    def _edge(self, element: Any) -> None:
        self.n_edges += 1
        place = Place(self.path, self.n_edges, "edge")
        ends = [element.get("source"), element.get("target")]
        for end in ends:
            if end not in self.place:
                raise FileError(place, f"node {end!r} is not declared before its edges")
        data = self._data(element, "edge")
        weight = data.get(self.weight_name, "1").strip()
        layer = data.get(self.layer_name, self.source.name)
        source, target = (self.place[end] for end in ends)
        directed = {"true": True, "false": False}.get(element.get("directed"), self.directed)
        self.edges.setdefault(layer, []).append(EdgeRow(source, target, weight_of(weight, place), place, directed))

    def part(self, options: ReadOptions) -> NetworkPart:
        if not self.edges:
            raise FileError.about(self.path, "has no edges")
        edge_keys = {called for about, called, _, _ in self.keys.values() if about in ("edge", "all")}
        check_named(self.path, options, edge_keys)
        layers = {name: layer_of_rows(rows) for name, rows in self.edges.items()}
        ids = ids_of(list(self.place), options.ids)
        return NetworkPart(self.path, ids, len(self.place), layers, self._attributes())

    def _node(self, number: int) -> Place:
        return Place(self.path, number, "node")

    def _attributes(self) -> dict[str, Column]:
        found = {}
        for owner, called, kind, _ in self.keys.values():
            if owner in ("node", "all"):
                cells = [
                    (values.get(called, "").strip(), self._node(number)) for number, values in enumerate(self.values, 1)
                ]
                found[called] = column_of(cells, kind in NUMERIC_TYPES)
        return found
