"""GML, the Graph Modelling Language: the layer of an edge is its "layer", its weight its "weight" or "value".

graph [ directed 0
  node [ id 0 label "ann" age 31 ]
  edge [ source 0 target 1 layer "work" weight 2.5 ] ]

networkx reads GML too, but forgets the order of edges, and with it that of layers, and refuses a second edge of a pair.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from orthonet.files.errors import FileError, Place
from orthonet.files.network import Column, NetworkPart
from orthonet.files.networks.layer_rows import EdgeRow, layer_of_rows
from orthonet.files.networks.writing import check_named, check_text, named_edges, text_ids
from orthonet.files.options import ReadOptions
from orthonet.files.source import Source
from orthonet.files.tables.cells import column_of, ids_of, weight_of
from orthonet.graph.multilayer import MultilayerGraph

LAYER, WEIGHTS = "layer", ("weight", "value")
"""What an edge's layer and its weight are called; "value" in the files that M. Newman collected."""
TOKEN = re.compile(
    r"\s+|^#[^\n]*|(?P<key>[A-Za-z_]\w*)|(?P<number>[+-]?(?:\d+\.?\d*|\.\d+|INF|NAN)(?:[eE][+-]?\d+)?)"
    r'|"(?P<text>[^"]*)"|(?P<opening>\[)|(?P<closing>\])',
    re.MULTILINE | re.ASCII,
)
"""Blanks and comments, or one of the five things that GML is made of."""


class Value(NamedTuple):
    """A number or text of a GML file."""

    text: str
    is_number: bool


Record = dict[str, Any]
"""What stands between brackets: values, and lists of records, by key."""


def read_gml(source: Source, options: ReadOptions) -> NetworkPart:
    """Read nodes, called by their label where each has one of its own, edges and their attributes."""
    graphs = _records(source).get("graph")
    if not isinstance(graphs, list) or len(graphs) != 1:
        raise FileError(source.path, "not GML: wanted one graph [ … ]")
    nodes, edges = (list(_listed(graphs[0], kind, source)) for kind in ("node", "edge"))
    if not edges:
        raise FileError.about(source.path, "has no edges")
    position: dict[str, int] = {}
    for place, node in nodes:
        number = _text(node, "id", place)
        if number in position:
            raise FileError(place, f"id {number} was named before")
        position[number] = len(position)
    directed = graphs[0].get("directed", Value("0", True)) == Value("1", True)
    rows: dict[str, list[EdgeRow]] = {}
    for place, edge in edges:
        layer, row = _edge(edge, position, place, options, directed, source.name)
        rows.setdefault(layer, []).append(row)
    check_named(source.path, options, {name for _, edge in edges for name in edge} - {"source", "target"})
    layers = {name: layer_of_rows(found) for name, found in rows.items()}
    labels = [_plain(node.get("label")) for _, node in nodes]
    named = all(labels) and len(set(labels)) == len(labels)
    ids = ids_of(labels if named else list(position), options.ids)
    return NetworkPart(source.path, ids, len(ids), layers, _attributes(nodes, named))


def write_gml(graph: MultilayerGraph) -> bytes:
    """Return a graph; GML's numbers of nodes count from 0, their ids are the labels."""
    ids = text_ids(graph)
    check_text(graph.layer_names, "layer name")
    lines = ["graph [", "  multigraph 1"]
    lines += [f'  node [ id {number} label "{_escaped(one)}" ]' for number, one in enumerate(ids)]
    for name, edges in named_edges(graph):
        layer = _escaped(name)
        lines += [f'  edge [ source {i} target {j} layer "{layer}" weight {_real(w)} ]' for i, j, w in edges.tuples()]
    return ("\n".join([*lines, "]"]) + "\n").encode("ascii")


def _records(source: Source) -> Record:
    """Return what a file holds; a key that occurs twice keeps its last value, but all its records."""
    top: Record = {}
    stack, key = [top], ""
    for kind, text, place in _tokens(source):
        if kind == "key" and not key:
            key = text
        elif kind == "closing" and not key and len(stack) > 1:
            stack.pop()
        elif kind == "opening" and key:
            inner: Record = {}
            if not isinstance(stack[-1].get(key), list):
                stack[-1][key] = []
            stack[-1][key].append(inner)
            stack.append(inner)
            key = ""
        elif kind in ("text", "number") and key:
            stack[-1][key] = Value(text, kind == "number")
            key = ""
        else:
            raise FileError(place(), f"not GML: unexpected {text[:20]!r}" if text else "not GML: it ends in the middle")
    return top


def _tokens(source: Source) -> Iterator[tuple[str, str, Callable[[], Place]]]:
    """Yield kind, text and place of all but blanks and comments."""
    content = "".join(source.lines())
    start = 0

    def place() -> Place:
        return source.line(content.count("\n", 0, start) + 1)

    depth = 0
    while start < len(content):
        token = TOKEN.match(content, start)
        if token is None:
            raise FileError(place(), f"not GML: unexpected {content[start : start + 20]!r}")
        kind = token.lastgroup
        if kind is not None:
            depth += (kind == "opening") - (kind == "closing")
            yield kind, html.unescape(token[kind]) if kind == "text" else token[kind], place
        start = token.end()
    if depth:
        yield "end", "", place


def _listed(graph: Record, kind: str, source: Source) -> Iterator[tuple[Place, Record]]:
    """Yield the nodes or the edges, each with its place."""
    found = graph.get(kind, [])
    if not isinstance(found, list):
        raise FileError(source.path, f"not GML: wanted {kind} [ … ], got {kind} {found.text[:20]!r}")
    for number, one in enumerate(found, 1):
        yield Place(source.path, number, kind), one


def _edge(
    edge: Record, position: Mapping[str, int], place: Place, options: ReadOptions, directed: bool, unnamed: str
) -> tuple[str, EdgeRow]:
    ends = [_text(edge, end, place) for end in ("source", "target")]
    for end in ends:
        if end not in position:
            raise FileError(place, f"node {end!r} is not declared")
    called = WEIGHTS if options.weight is None else (str(options.weight),)
    weight = next((_text(edge, name, place) for name in called if name in edge), "1")
    layer = _plain(edge.get(str(options.layer or LAYER))) or unnamed
    source, target = (position[end] for end in ends)
    return layer, EdgeRow(source, target, weight_of(weight, place), place, directed)


def _attributes(nodes: Sequence[tuple[Place, Record]], labels_are_ids: bool) -> dict[str, Column]:
    """Return the columns about the nodes, of numbers if all that are there are numbers; not records, such as of colours."""
    found: dict[str, Column] = {}
    left_out = {"id", "label"} if labels_are_ids else {"id"}
    for name in dict.fromkeys(name for _, node in nodes for name in node if name not in left_out):
        values = [(node.get(name), place) for place, node in nodes]
        if not any(isinstance(value, list) for value, _ in values):
            numeric = all(value.is_number for value, _ in values if value is not None)
            found[name] = column_of([(_plain(value), place) for value, place in values], numeric)
    return found


def _text(record: Record, key: str, place: Place) -> str:
    value = record.get(key)
    if not isinstance(value, Value):
        raise FileError(place, f"has no {key}")
    return value.text


def _plain(value: Any) -> str:
    return value.text if isinstance(value, Value) else ""


def _escaped(text: str) -> str:
    """Return text in the characters that GML may have between quotes."""
    return re.sub(r'[^ -~]|[&"]', lambda found: f"&#{ord(found[0])};", text)


def _real(number: float) -> str:
    """Return a number with a decimal point, which GML wants also before an exponent."""
    digits, exponent, power = repr(number).partition("e")
    return f"{digits if '.' in digits else digits + '.0'}{exponent}{power}"
