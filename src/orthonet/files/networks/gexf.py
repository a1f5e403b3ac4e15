"""GEXF, as Gephi writes and reads it: nodes and edges with typed attributes; the kind of an edge is its layer.

An edge's weight is its XML attribute "weight", or else its value titled "weight"; 1 without either, as GEXF says. Its
layer is its value titled "layer", or else its XML attribute "kind".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orthonet.files.errors import FileError, Place
from orthonet.files.network import Column, NetworkPart
from orthonet.files.networks.layer_rows import EdgeRow, layer_of_rows
from orthonet.files.networks.writing import NodeColumns, check_named, check_text, named_edges, node_columns, text_ids
from orthonet.files.networks.xml_elements import local_name, quoted, xml_elements
from orthonet.files.options import ReadOptions
from orthonet.files.source import Source
from orthonet.files.tables.cells import column_of, ids_of, weight_of
from orthonet.graph.multilayer import MultilayerGraph

LAYER, WEIGHT = "layer", "weight"
NUMERIC_TYPES = ("integer", "long", "float", "double", "short", "byte", "biginteger", "bigdecimal")
TYPES = {"i": "long", "f": "double", "U": "string"}
"""GEXF's types of columns of whole numbers, numbers and text."""
TIMES = ("start", "end", "startopen", "endopen", "timestamp", "timestamps")
"""What says when a node, an edge or a value is there."""


def read_gexf(source: Source, options: ReadOptions) -> NetworkPart:
    """Read nodes, edges and their attributes; ``options.layer`` and ``options.weight`` name the attributes of edges."""
    content = _Content(source, options)
    ends = ("attributes", "node", "edge", "spell")
    for name, element in xml_elements(source, "GEXF", ("graph",), ends, kept=("attributes",)):
        content.take(name, element)
    return content.part()


def write_gexf(graph: MultilayerGraph, attributes: NodeColumns | None = None) -> bytes:
    """Return a graph, with its features and other columns as attributes of the nodes, and a layer for each edge.

    A column of text called "label" is what Gephi shows for the nodes; without it that is their ids.
    """
    ids, columns = text_ids(graph), node_columns(graph, attributes)
    check_text(graph.layer_names, "layer name", "\r")
    labels = columns.pop("label").tolist() if "label" in columns and columns["label"].dtype.kind == "U" else ids
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<gexf xmlns="http://gexf.net/1.3" version="1.3">',
        '<graph defaultedgetype="undirected" mode="static">',
        '<attributes class="node" mode="static">',
        *(
            f'<attribute id="{index}" title={quoted(name)} type="{TYPES[column.dtype.kind]}"/>'
            for index, (name, column) in enumerate(columns.items())
        ),
        "</attributes>",
        '<attributes class="edge" mode="static"><attribute id="layer" title="layer" type="string"/></attributes>',
        "<nodes>",
    ]
    texts = [column.tolist() for column in columns.values()]
    for index, (one, label) in enumerate(zip(ids, labels, strict=True)):
        values = "".join(
            f'<attvalue for="{number}" value={quoted(str(cells[index]))}/>'
            for number, cells in enumerate(texts)
            if cells[index] != "" and cells[index] == cells[index]  # NaN is not written
        )
        lines.append(f"<node id={quoted(one)} label={quoted(label)}><attvalues>{values}</attvalues></node>")
    lines += ["</nodes>", "<edges>"]
    number = 0
    for name, edges in named_edges(graph):
        layer = quoted(name)
        for i, j, weight in edges.tuples():
            lines.append(
                f'<edge id="{number}" source={quoted(ids[i])} target={quoted(ids[j])} weight="{weight!r}" kind={layer}>'
                f'<attvalues><attvalue for="layer" value={layer}/></attvalues></edge>'
            )
            number += 1
    return ("\n".join([*lines, "</edges>", "</graph>", "</gexf>"]) + "\n").encode()


class _Content:
    """What was found so far."""

    def __init__(self, source: Source, options: ReadOptions) -> None:
        self.source, self.path, self.options = source, source.path, options
        self.titles: dict[str, dict[str, tuple[str, str, str | None]]] = {"node": {}, "edge": {}}
        self.directed = False
        self.nodes: dict[str, tuple[str, dict[str, str]]] = {}
        self.edges: list[tuple[Mapping[str, str], dict[str, str]]] = []
        self.timed = False

    def take(self, name: str, element: Any) -> None:
        self.timed |= name == "spell" or any(one in element.attrib for one in TIMES)
        if name == "graph":
            self.directed = element.get("defaultedgetype") == "directed"
        elif name == "attributes":
            known = self.titles.setdefault(element.get("class", "node"), {})
            for child in element:
                if local_name(child) == "attribute":
                    default = next((one.text or "" for one in child if local_name(one) == "default"), None)
                    title = child.get("title") or child.get("id", "")
                    known[child.get("id", "")] = title, child.get("type", "string"), default
        elif name == "node":
            one = element.get("id")
            if not one or one in self.nodes:
                raise FileError(self._node(len(self.nodes) + 1), f"{one!r} is not an id, or was named before")
            self.nodes[one] = element.get("label", ""), self._values(element)
        elif name == "edge":
            self.edges.append((dict(element.attrib), self._values(element)))

    def part(self) -> NetworkPart:
        if not self.edges:
            raise FileError.about(self.path, "has no edges")
        place = {one: position for position, one in enumerate(self.nodes)}
        rows: dict[str, list[EdgeRow]] = {}
        for number, (own, values) in enumerate(self.edges, 1):
            layer, row = self._edge(own, self._titled("edge", values), place, Place(self.path, number, "edge"))
            rows.setdefault(layer, []).append(row)
        titles = {title for title, _, _ in self.titles["edge"].values()}
        check_named(self.path, self.options, titles | {"kind", WEIGHT})
        notes = (f"{self.path}: times are not read; nodes and edges of all times are taken together",) * self.timed
        layers = {name: layer_of_rows(found) for name, found in rows.items()}
        ids = ids_of(list(self.nodes), self.options.ids)
        return NetworkPart(self.path, ids, len(ids), layers, self._attributes(), notes=notes)

    def _values(self, element: Any) -> dict[str, str]:
        """Return the values of a node or an edge by the ids of their attributes."""
        found = {}
        for group in element:
            if local_name(group) == "attvalues":
                for one in group:
                    self.timed |= any(time in one.attrib for time in TIMES)
                    found[one.get("for") or one.get("id", "")] = one.get("value", "")
        return found

    def _titled(self, kind: str, values: Mapping[str, str]) -> dict[str, str]:
        """Return values by the titles of their attributes, defaults where there is none."""
        found = {}
        for key, (title, _, default) in self.titles[kind].items():
            value = values.get(key, default)
            if value is not None:
                found[title] = value
        return found

    def _edge(
        self, own: Mapping[str, str], values: Mapping[str, str], position: Mapping[str, int], place: Place
    ) -> tuple[str, EdgeRow]:
        ends = [own.get("source", ""), own.get("target", "")]
        for end in ends:
            if end not in position:
                raise FileError(place, f"node {end!r} is not declared")
        usual = {title.lower(): value for title, value in reversed(list(values.items()))}
        name = self.options.weight
        weight = own.get(WEIGHT) or usual.get(WEIGHT) or "1"
        if name is not None and str(name) != WEIGHT:
            weight = values.get(str(name)) or "1"
        layer = values.get(str(self.options.layer or LAYER)) or own.get("kind") or self.source.name
        directed = {"directed": True, "undirected": False, "mutual": False}.get(own.get("type", ""), self.directed)
        source, target = (position[end] for end in ends)
        return layer, EdgeRow(source, target, weight_of(weight.strip(), place), place, directed)

    def _node(self, number: int) -> Place:
        return Place(self.path, number, "node")

    def _attributes(self) -> dict[str, Column]:
        found: dict[str, Column] = {}
        labels = [label for label, _ in self.nodes.values()]
        if any(label not in ("", one) for label, one in zip(labels, self.nodes, strict=True)):
            found["label"] = column_of([(label, self._node(row)) for row, label in enumerate(labels, 1)], False)
        titled = [self._titled("node", values) for _, values in self.nodes.values()]
        for title, kind, _ in self.titles["node"].values():
            cells = [(values.get(title, "").strip(), self._node(row)) for row, values in enumerate(titled, 1)]
            found[title] = column_of(cells, kind.lower() in NUMERIC_TYPES)
        return found
