"""From the files that a command was given to a graph, with the lines of Python that would do the same."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from orthonet.cli.inputs import Inputs, named_files
from orthonet.cli.wording import in_options
from orthonet.comparison.outcomes import Reference
from orthonet.files import (
    FileError,
    NetworkFile,
    ViewsFile,
    add_memberships,
    read_features,
    read_labels,
    read_memberships,
    read_network,
    read_views,
)
from orthonet.files.annotated import SUFFIXES, read_annotated
from orthonet.files.shards import MANIFEST, is_shards
from orthonet.graph.features import Features
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.graph.two_mode import TwoMode
from orthonet.support.text import counted, listed, one_line

UNNAMED_TABLES = (".npy", ".npz")
"""Files of features that cannot name their nodes."""


@dataclass(frozen=True)
class Given:
    """A graph that was read from files.

    Attributes
    ----------
    graph : MultilayerGraph
    notes : tuple of str
        What was kept, dropped and decided, one line each.
    code : str
        Lines of Python that make the same ``graph``.
    attributes : mapping of names to arrays of N values
        Columns about the nodes that are not features.
    labels : array of N labels, or None
        Those that a .mat file brings.
    views : mapping of names to arrays, or None
        Where the layers were built from them.
    paths : tuple of Path
        Every file that was read.
    inputs : Inputs
        As they were read in the end.
    """

    graph: MultilayerGraph
    notes: tuple[str, ...]
    code: str
    attributes: Mapping[str, npt.NDArray[Any]]
    labels: npt.NDArray[Any] | None
    views: Mapping[str, Features] | None
    paths: tuple[Path, ...]
    inputs: Inputs

    def checksums(self) -> dict[str, str]:
        """Return the SHA-256 of each file, by its absolute path; of shards, that of their manifest, which has the others'."""
        files = (path / MANIFEST if is_shards(path) else path for path in self.paths)
        return {str(path.absolute()): checksum(path) for path in files}


def read_inputs(inputs: Inputs, truth: str | None = None) -> Given:
    """Read the files and build the graph; a column that is the ``truth`` is not a feature, whatever it holds."""
    given = _read(inputs)
    if truth is not None and truth in (given.graph.feature_names or ()) and not Path(truth).is_file():
        return _read(replace(inputs, ignore=[*(inputs.ignore or ()), truth]))
    return given


def _read(inputs: Inputs) -> Given:
    files = list(inputs.files or ())
    matlab = [path for path in files if path.suffix.lower() == ".mat"]
    if inputs.two_mode:
        return _with_memberships(inputs, _read(replace(inputs, two_mode=None)) if _has_layers(inputs) else None)
    if not _has_layers(inputs):
        raise ValueError(
            "name a file of edges, or files by --layer NAME=FILE, or tables by --view NAME=FILE, or memberships by "
            "--two-mode NAME=FILE"
        )
    annotated = [path for path in files if path.suffix.lower() in SUFFIXES]
    if annotated:
        return _from_annotated(inputs, files)
    if inputs.view or matlab:
        return _from_views(inputs, files, matlab)
    return _from_network(inputs, files)


def read_truth(given: Given, truth: str) -> Reference:
    """Return the reference classes: a column about the nodes, a table, or one of its columns as ``FILE:COLUMN``.

    The labels of a .mat file are called "labels".
    """
    if truth in given.attributes and not Path(truth).is_file():
        column = np.asarray(given.attributes[truth])
        missing = np.isnan(column) if column.dtype.kind == "f" else column == ""
        return Reference(np.where(missing, "", column.astype(str)))
    if truth == "labels" and given.labels is not None:
        return Reference(given.labels)
    file, _, column_of_file = truth.rpartition(":")
    if not Path(truth).exists() and Path(file).is_file():
        return Reference(read_labels(file, given.graph.node_ids, column=as_column(column_of_file)))
    if not Path(truth).exists():
        columns = [*given.attributes, *(["labels"] if given.labels is not None else [])]
        known = f"; the columns are {', '.join(columns)}" if columns else ""
        raise FileNotFoundError(f"{truth}: there is no such file, and no such column about the nodes{known}")
    return Reference(read_labels(truth, given.graph.node_ids))


def as_column(text: str | None) -> str | int | None:
    """Return a column as it was named, or its number counted from 0."""
    return int(text) if text is not None and text.isdecimal() else text


def as_columns(texts: Sequence[str] | None) -> tuple[str | int, ...]:
    """Return columns as they were named, or by their numbers."""
    return tuple(column for text in texts or () if (column := as_column(text)) is not None)


def inputs_record(inputs: Inputs) -> dict[str, Any]:
    """Return what was said about the files, but for defaults, with paths that stay right."""
    whole = replace(
        inputs,
        files=[path.absolute() for path in inputs.files or ()] or None,
        layer=_absolute(inputs.layer, "--layer"),
        view=_absolute(inputs.view, "--view"),
        two_mode=_absolute(inputs.two_mode, "--two-mode"),
        features=None if inputs.features is None else inputs.features.absolute(),
    )
    return _changed(whole, *(field.name for field in fields(Inputs)))


def inputs_of(record: Mapping[str, Any]) -> Inputs:
    """Return the inputs that are in a run's record."""
    said = dict(record)
    known = {field.name for field in fields(Inputs)}
    if unknown := set(said) - known:
        raise ValueError(f"the run's record has inputs of another version: {one_line(listed(sorted(unknown)), 300)}")
    for name, value in said.items():
        if not _as_written(name, value):
            raise ValueError(f"the run's record has {one_line(repr(value))} for {name}, which is not as it was written")
    if "files" in said:
        said["files"] = [Path(one) for one in said["files"]]
    if "features" in said:
        said["features"] = Path(said["features"])
    return Inputs(**said)


def _as_written(name: str, value: Any) -> bool:
    if name in ("files", "layer", "view", "two_mode", "ignore", "category"):
        return isinstance(value, list) and all(isinstance(one, str) for one in value)
    return isinstance(value, int if name in ("neighbors", "own_features", "directed", "heading") else str)


def _absolute(texts: list[str] | None, option: str) -> list[str] | None:
    return [f"{name}={path.absolute()}" for name, path in named_files(texts or [], option).items()] or None


def _has_layers(inputs: Inputs) -> bool:
    return bool(inputs.files or inputs.layer or inputs.view)


def _with_memberships(inputs: Inputs, given: Given | None) -> Given:
    """Add two-mode relations to what was read, or make a graph of them alone, with features if a table of nodes is named."""
    paths = named_files(inputs.two_mode or [], "--two-mode")
    options = _said(delimiter=inputs.delimiter, heading=inputs.heading)
    relations = {name: read_memberships(path, **options) for name, path in paths.items()}
    calls = {name: _call("read_memberships", _literal(path), **options) for name, path in paths.items()}
    code = "{" + ", ".join(f"{name!r}: {call}" for name, call in calls.items()) + "}"
    if given is None:
        given, added = _alone(inputs, relations, code)
    else:
        graph = add_memberships(given.graph, relations, **_changed(inputs, "unknown_nodes"))
        added = f"graph = {_call('add_memberships', 'graph', code, **_changed(inputs, 'unknown_nodes'))}"
        given = replace(given, graph=graph)
    notes = [
        f"{name}: {relation.n_groups:,} groups, {relation.incidence.nnz:,} memberships"
        for name, relation in given.graph.two_mode.items()
    ]
    imported = "from orthonet.files import add_memberships, read_memberships"
    return replace(
        given,
        notes=(*given.notes, *notes),
        code=f"{imported}\n{given.code}\n{added}",
        paths=(*given.paths, *paths.values()),
        inputs=inputs,
    )


def _alone(inputs: Inputs, relations: Mapping[str, Any], code: str) -> tuple[Given, str]:
    """Return a graph of two-mode relations without layers, and the last line of Python that makes it."""
    table = (
        None if inputs.features is None else read_features(str(inputs.features), id_column=as_column(inputs.id_column))
    )
    matrices = [one for one in relations.values() if isinstance(one, TwoMode)]
    attributes = {} if table is None else table.attributes
    if table is not None:
        features, ids, names = table.features, table.node_ids, table.feature_names
        first = f"table = {_call('read_features', _literal(str(inputs.features)))}\n"
        arguments = "features=table.features, node_ids=table.node_ids, feature_names=table.feature_names, "
    else:
        features = ids = names = None
        first, arguments = "", ""
    if matrices and len(matrices) < len(relations):
        raise ValueError("--two-mode: a matrix (.npz) numbers its nodes and a table names them; pass all in one form")
    if matrices:
        graph = MultilayerGraph((), features, node_ids=ids, feature_names=names, two_mode=relations)
        made = f"graph = MultilayerGraph({arguments}two_mode={code})"
    else:
        graph = MultilayerGraph.from_edges(None, features, ids, feature_names=names, two_mode=relations)
        made = f"graph = MultilayerGraph.from_edges(None, {arguments}two_mode={code})"
    opening = "from orthonet import MultilayerGraph" + (", read_features" if first else "") + "\n"
    paths = () if inputs.features is None else (inputs.features,)
    notes = (f"{graph.n_nodes:,} nodes", *map(in_options, () if table is None else table.notes))
    return Given(graph, notes, opening, attributes, None, None, paths, inputs), first + made


def _from_network(inputs: Inputs, files: Sequence[Path]) -> Given:
    named = named_files(inputs.layer or [], "--layer")
    if named and files:
        named = named_files([*map(str, files), *(inputs.layer or [])], "--layer")
    paths: Any = named or (files[0] if len(files) == 1 else list(files))
    plain = inputs.features is not None and inputs.features.suffix.lower() in UNNAMED_TABLES
    if inputs.features is not None and inputs.own_features:
        raise ValueError("--features and --own-features are two sources of features; name one")
    options = _said(
        format=inputs.format,
        features=True if inputs.own_features else None if plain else inputs.features,
        source=as_column(inputs.source),
        target=as_column(inputs.target),
        layer=as_column(inputs.layer_column),
        weight=as_column(inputs.weight),
        id_column=as_column(inputs.id_column),
        ignore=as_columns(inputs.ignore) or None,
        categories=as_columns(inputs.category) or None,
        delimiter=inputs.delimiter,
        heading=inputs.heading,
        directed=inputs.directed,
        duplicates=inputs.duplicates,
        **_changed(inputs, "unknown_nodes", "missing_weights", "missing_features"),
    )
    network = read_network(paths, **options)
    features = _matrix_of_features(inputs, network) if plain else None
    building = _changed(inputs, "symmetrize")
    graph = network.graph(features, **building)
    code = f"graph = {_call('read_network', _literal(paths), **options)}"
    if plain:
        code = (
            "from orthonet import read_features, read_network\n\n"
            f"features = read_features({str(inputs.features)!r}).features\n{code}{_call('.graph', 'features', **building)}"
        )
    else:
        code = f"from orthonet import read_network\n\n{code}{_call('.graph', **building)}"
    read = [*(named.values() or files), *([inputs.features] if inputs.features else [])]
    lines = str(replace(network.report, notes=())).splitlines()
    notes = (*lines, *map(in_options, network.report.notes))
    return Given(graph, notes, code, network.attributes, None, None, tuple(read), inputs)


def _from_views(inputs: Inputs, files: Sequence[Path], matlab: Sequence[Path]) -> Given:
    if (files and inputs.view) or len(files) > 1 or inputs.layer:
        raise ValueError("layers are built from views (--view, or one .mat file) or read from files of edges, not both")
    if inputs.features is not None or inputs.own_features or inputs.category:
        raise ValueError(
            "--features and --category go with files of edges; the features of views are the views themselves"
        )
    paths: Any = matlab[0] if matlab else named_files(inputs.view or [], "--view")
    options = _said(
        id_column=as_column(inputs.id_column),
        ignore=as_columns(inputs.ignore) or None,
        delimiter=inputs.delimiter,
        heading=inputs.heading,
        **_changed(inputs, "missing_features"),
    )
    content: ViewsFile = read_views(paths, **options)
    building = (
        _changed(inputs, "symmetrize") if content.relations else _changed(inputs, "metric", n_neighbors="neighbors")
    )
    graph = content.graph(**building)
    counts = [
        counted(len(part), what) for part, what in ((content.relations, "relation"), (content.views, "view")) if part
    ]
    call = _call("read_views", _literal(paths), **options) + _call(".graph", **building)
    code = f"from orthonet import read_views\n\ngraph = {call}"
    sizes = [f"{name}: {view.shape[0]:,} rows, {view.shape[1]:,} columns" for name, view in content.views.items()]
    return Given(
        graph,
        (
            f"{graph.n_nodes:,} nodes, {', '.join(counts)}",
            *sizes,
            *map(in_options, content.notes),
        ),
        code,
        content.attributes,
        content.labels,
        None if content.relations else content.views,
        (paths,) if matlab else tuple(paths.values()),
        inputs,
    )


def _from_annotated(inputs: Inputs, files: Sequence[Path]) -> Given:
    """Read an AnnData or MuData file, which says itself what its layers and features are."""
    beside = [inputs.layer, inputs.view, inputs.features, inputs.own_features, inputs.category, inputs.ignore]
    if len(files) > 1 or any(beside):
        raise ValueError(
            f"{files[0]} has layers and features of its own: pass it alone, without other files, --layer, --view, --features, "
            "--own-features, --category and --ignore"
        )
    content = read_annotated(files[0], n_neighbors=inputs.neighbors, metric=inputs.metric, symmetrize=inputs.symmetrize)
    graph = content.graph
    size = f"{graph.n_nodes:,} nodes, {counted(graph.n_layers, 'layer')}"
    notes = (size, *content.notes)
    return Given(graph, notes, content.code, content.attributes, None, None, (files[0],), inputs)


def _matrix_of_features(inputs: Inputs, network: NetworkFile) -> Features:
    """Return features without ids, which can only be in the order of nodes that have none either."""
    table = read_features(str(inputs.features))
    n_nodes = len(network.node_ids)
    if not np.array_equal(network.node_ids, np.arange(n_nodes)):
        raise FileError.about(
            table.path,
            f"cannot name its nodes, but {network.path} does; pass a table with a column of ids as --features",
        )
    if table.features.shape[0] != n_nodes:
        n_rows = table.features.shape[0]
        raise FileError.about(table.path, f"has {n_rows:,} rows, but {network.path} has {n_nodes:,} nodes")
    return table.features


def _said(**options: Any) -> dict[str, Any]:
    """Leave out what was not said, so that the defaults stand where they are defined."""
    return {name: value for name, value in options.items() if value is not None}


def _changed(inputs: Inputs, *names: str, **renamed: str) -> dict[str, Any]:
    """Return what is not as it is by default, under the names that the library has for it."""
    defaults = Inputs()
    called = {name: name for name in names} | renamed
    return {
        argument: getattr(inputs, name)
        for argument, name in called.items()
        if getattr(inputs, name) != getattr(defaults, name)
    }


def _call(function: str, *arguments: str, **options: Any) -> str:
    """Return a call as Python code."""
    return f"{function}({', '.join([*arguments, *(f'{name}={_literal(value)}' for name, value in options.items())])})"


def _literal(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name!r}: {_literal(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_literal, value)) + "]"
    return repr(str(value)) if isinstance(value, Path) else repr(value)


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.expanduser().open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
