"""The format of the multinet package for R and Python: one text file of sections, comma-separated.

    #TYPE              multiplex                 (or multilayer: an edge is then actor,layer,actor,layer)
    #LAYERS            name,UNDIRECTED           (or DIRECTED)
    #ACTOR ATTRIBUTES  name,NUMERIC              (or STRING)
    #EDGE ATTRIBUTES   layer,name,NUMERIC        (without the layer: on the edges of all layers)
    #ACTORS            actor,values …
    #VERTICES          actor,layer,values …      (who is in a layer beside those with edges there; without it, everybody)
    #EDGES             actor,actor,layer,values …

Lines that begin with ``--`` are comments. Only edges are needed: a file without sections is a list of them, layers that are
not declared are undirected, and actors that are not declared are those that have edges.

References
----------
.. [1] M. Magnani, L. Rossi, D. Vega, "Analysis of multiplex social networks with R", J. Statistical Software 98, 2021.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from orthonet.files.errors import FileError, Place
from orthonet.files.network import Column, LayerRows, NetworkPart
from orthonet.files.networks.layer_rows import EdgeRow, layer_of_rows
from orthonet.files.networks.writing import check_text, named_edges, names_of_features, text_ids
from orthonet.files.options import ReadOptions
from orthonet.files.source import Source
from orthonet.files.tables.cells import column_of, ids_of, weight_of
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.sentences import Argument

SECTIONS = (
    "TYPE",
    "VERSION",
    "LAYERS",
    "ACTOR ATTRIBUTES",
    "VERTEX ATTRIBUTES",
    "EDGE ATTRIBUTES",
    "ACTORS",
    "VERTICES",
    "EDGES",
)
FORMER_NAMES = {"NODES": "VERTICES", "NODE ATTRIBUTES": "VERTEX ATTRIBUTES"}
NUMERIC_TYPES = ("NUMERIC", "DOUBLE", "INTEGER")


class Row(NamedTuple):
    """One line of a section: its place and its cells."""

    place: Place
    cells: list[str]


def read_mpx(source: Source, options: ReadOptions) -> NetworkPart:
    """Read a network in the multinet format; ``options.weight`` names the edge attribute that holds the weights.

    By default it is the attribute called "weight", if there is one: other numbers, such as ranks, need not grow with
    closeness. Edges of layers that lack it weigh 1.
    """
    sections = _sections(source)
    rows = _edge_rows(sections)
    directed = _layers(sections, rows)
    actors = _actors(sections)
    vertices = _vertices(sections, directed)
    ends = [cell for row in rows for cell in row.cells[:2]]
    names = dict.fromkeys([*actors, *ends, *(who for who, _ in vertices)])
    position = {actor: index for index, actor in enumerate(names)}
    layers = _edges(rows, directed, position, _weight_places(source, sections, directed, options.weight))
    return NetworkPart(
        source.path,
        ids_of(list(position), options.ids),
        len(position),
        layers,
        _attributes(sections, actors, position),
        _present(vertices, layers, position),
    )


def has_sections(lines: Iterable[str]) -> bool:
    """Return whether some of the first lines of a file are titles of sections of this format."""
    titles = {" ".join(line[1:].split()).upper() for line in lines if line.startswith("#")}
    return bool(titles & ({*SECTIONS, *FORMER_NAMES} - {"EDGES"})) or "#EDGES" in lines


def write_mpx(graph: MultilayerGraph) -> bytes:
    """Return a graph, with its features as attributes of the actors."""
    ids, names = text_ids(graph, "\n\r"), names_of_features(graph)
    for what, texts in (("node id", ids), ("layer name", graph.layer_names), ("feature name", names)):
        check_text(texts, what, "\n\r")
        for text in texts:
            if text != text.strip():
                raise ValueError(f"{what} {text!r} begins or ends with a blank, which the multinet format cannot hold")
    buffer = io.StringIO()
    rows = csv.writer(buffer, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    buffer.write("#TYPE\nmultiplex\n")
    if names:
        buffer.write("#ACTOR ATTRIBUTES\n")
        rows.writerows([name, "NUMERIC"] for name in names)
    buffer.write("#EDGE ATTRIBUTES\nweight,NUMERIC\n#LAYERS\n")
    rows.writerows([name, "UNDIRECTED"] for name in graph.layer_names)
    buffer.write("#ACTORS\n")
    rows.writerows([one, *([] if graph.features is None else graph.features[i].tolist())] for i, one in enumerate(ids))
    if not all(mask.all() for mask in graph.present):
        buffer.write("#VERTICES\n")
        for name, mask in zip(graph.layer_names, graph.present, strict=True):
            rows.writerows([ids[position], name] for position in np.flatnonzero(mask).tolist())
    buffer.write("#EDGES\n")
    for name, edges in named_edges(graph):
        rows.writerows([ids[i], ids[j], name, w] for i, j, w in edges.tuples())
    return buffer.getvalue().encode()


def _sections(source: Source) -> dict[str, list[Row]]:
    """Return the rows of each section; rows before any section are edges."""
    sections: dict[str, list[Row]] = {name: [] for name in SECTIONS}
    current = "EDGES"
    for place, line in source.numbered_lines():
        content = line
        if line.startswith("--"):
            continue
        if line.startswith("#"):
            current, content = _title(line)
            if current not in SECTIONS:
                raise FileError(place, f"there is no section {line!r}; there are #{', #'.join(SECTIONS)}")
        if content:
            try:
                cells = next(csv.reader([content], skipinitialspace=True))
            except csv.Error as error:
                raise FileError(place, str(error)) from error
            sections[current].append(Row(place, [cell.strip() for cell in cells]))
    if not sections["EDGES"]:
        raise FileError.about(source.path, "has no edges: is it a file in the multinet format?")
    return sections


def _title(line: str) -> tuple[str, str]:
    """Return the section and, as older files have it, the value on the same line ("#TYPE multiplex")."""
    title = " ".join(line[1:].split())
    for name in ("TYPE", "VERSION"):
        if title.upper().startswith(name + " "):
            return name, title[len(name) + 1 :]
    return FORMER_NAMES.get(title.upper(), title.upper()), ""


def _checked(rows: Iterable[Row], n_needed: int, wanted: str) -> Iterator[Row]:
    for row in rows:
        if len(row.cells) < n_needed or not all(row.cells[:n_needed]):
            raise FileError(row.place, f"expected {wanted}; got {','.join(row.cells)!r}")
        yield row


def _is_multilayer(sections: dict[str, list[Row]]) -> bool:
    for row in sections["TYPE"]:
        if row.cells[0].lower() not in ("multiplex", "multilayer"):
            raise FileError(row.place, f"the type must be multiplex or multilayer, got {row.cells[0]!r}")
        return row.cells[0].lower() == "multilayer"
    return False


def _edge_rows(sections: dict[str, list[Row]]) -> list[Row]:
    """Return edges as source, target, layer, values; edges between two layers have no place in a `MultilayerGraph`."""
    if not _is_multilayer(sections):
        return list(_checked(sections["EDGES"], 3, "an edge: actor,actor,layer"))
    found = []
    for row in _checked(sections["EDGES"], 4, "an edge: actor,layer,actor,layer"):
        source, layer, target, other, *values = row.cells
        if layer != other:
            raise FileError(
                row.place,
                f"an edge from layer {layer!r} to layer {other!r}, but only edges within a layer can be used; "
                "remove the others",
            )
        found.append(Row(row.place, [source, target, layer, *values]))
    return found


def _layers(sections: dict[str, list[Row]], edges: list[Row]) -> dict[str, bool]:
    """Return the layers, and whether they are directed."""
    directed: dict[str, bool] = {}
    for row in _checked(sections["LAYERS"], 2, "a layer: name,DIRECTED or name,UNDIRECTED"):
        cells = row.cells
        if len(cells) > 2 and _direction(cells[1]) is None:
            if cells[0] != cells[1]:
                continue  # says how two layers are joined
            cells = cells[1:]
        direction = _direction(cells[1])
        if direction is None:
            raise FileError(row.place, f"a layer is DIRECTED or UNDIRECTED, got {cells[1]!r}")
        if cells[0] in directed:
            raise FileError(row.place, f"layer {cells[0]!r} was declared before")
        directed[cells[0]] = direction
    if not directed:
        return dict.fromkeys((row.cells[2] for row in edges), False)
    for row in edges:
        _check_known(row.cells[2], directed, row.place)
    return directed


def _direction(word: str) -> bool | None:
    return {"DIRECTED": True, "UNDIRECTED": False}.get(word.upper())


def _check_known(layer: str, layers: Iterable[str], place: Place) -> None:
    if layer not in layers:
        raise FileError(place, f"{layer!r} is not among the layers {', '.join(map(repr, layers))}")


def _weight_places(
    source: Source, sections: dict[str, list[Row]], layers: Iterable[str], weight: str | int | None
) -> dict[str, int]:
    """Return which of an edge's values is its weight, for layers that have one.

    Values of the layer's own attributes come first, those of attributes of all layers after them.
    """
    own: dict[str, list[str]] = {layer: [] for layer in layers}
    common: list[str] = []
    for row in _checked(sections["EDGE ATTRIBUTES"], 2, "an edge attribute: layer,name,type or name,type"):
        *owners, name, _ = row.cells
        if len(set(owners)) > 1:
            continue  # on edges between two layers
        for layer in owners[:1]:
            _check_known(layer, own, row.place)
        (own[owners[0]] if owners else common).append(name)
    attributes = {layer: [*names, *common] for layer, names in own.items()}
    wanted = "weight" if weight is None else weight
    places = {layer: names.index(wanted) for layer, names in attributes.items() if wanted in names}
    if weight is not None and not places:
        known = ", ".join(map(repr, sorted({name for names in attributes.values() for name in names})))
        raise FileError(
            source.path,
            Argument("weight", weight),
            " is not an edge attribute" + (f"; there are {known}" if known else ""),
        )
    return places


def _edges(
    rows: list[Row], directed: dict[str, bool], position: Mapping[str, int], weight_places: dict[str, int]
) -> dict[str, LayerRows]:
    found: dict[str, list[EdgeRow]] = {layer: [] for layer in directed}
    for row in rows:
        source, target, layer, *values = row.cells
        weight = 1.0
        if layer in weight_places:
            if len(values) <= weight_places[layer]:
                raise FileError(row.place, f"this edge has no weight; got {','.join(row.cells)!r}")
            weight = weight_of(values[weight_places[layer]], row.place)
        found[layer].append(EdgeRow(position[source], position[target], weight, row.place, directed[layer] or None))
    return {layer: layer_of_rows(edges, merge="max") for layer, edges in found.items()}


def _actors(sections: dict[str, list[Row]]) -> dict[str, Row]:
    """Return the row of each declared actor."""
    found: dict[str, Row] = {}
    n_values = len(sections["ACTOR ATTRIBUTES"])
    wanted = "an actor" + (f" and {n_values} values" if n_values else "")
    for row in _checked(sections["ACTORS"], 1, wanted):
        if len(row.cells) != 1 + n_values:
            raise FileError(row.place, f"expected {wanted}; got {','.join(row.cells)!r}")
        if row.cells[0] in found:
            raise FileError(row.place, f"actor {row.cells[0]!r} was declared before")
        found[row.cells[0]] = row
    return found


def _attributes(sections: dict[str, list[Row]], actors: dict[str, Row], everyone: Iterable[str]) -> dict[str, Column]:
    """Return a column for each attribute; an actor that is not declared has no value."""
    columns = {}
    for index, row in enumerate(_checked(sections["ACTOR ATTRIBUTES"], 2, "an attribute: name,type"), start=1):
        cells = [
            (actors[actor].cells[index], actors[actor].place) if actor in actors else ("", row.place)
            for actor in everyone
        ]
        columns[row.cells[0]] = column_of(cells, numeric=row.cells[1].upper() in NUMERIC_TYPES)
    return columns


def _vertices(sections: dict[str, list[Row]], layers: dict[str, bool]) -> list[tuple[str, str]]:
    found = []
    for row in _checked(sections["VERTICES"], 2, "a vertex: actor,layer"):
        _check_known(row.cells[1], layers, row.place)
        found.append((row.cells[0], row.cells[1]))
    return found


def _present(
    vertices: list[tuple[str, str]], layers: Mapping[str, LayerRows], position: Mapping[str, int]
) -> dict[str, npt.NDArray[np.bool_]]:
    if not vertices:
        return {}
    masks = {layer: np.zeros(len(position), dtype=bool) for layer in layers}
    for actor, layer in vertices:
        masks[layer][position[actor]] = True
    for layer, rows in layers.items():
        masks[layer][rows.edges.source] = masks[layer][rows.edges.target] = True
    return masks
