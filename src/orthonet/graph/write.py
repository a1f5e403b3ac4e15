"""Write a multilayer graph to a file that `read_network` reads back as the same graph, or not at all."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import issparse

from orthonet.graph.formats.graphml import graphml_bytes
from orthonet.graph.formats.infomap import infomap_bytes
from orthonet.graph.formats.matrix_market import matrix_market_bytes
from orthonet.graph.formats.mpx import mpx_bytes
from orthonet.graph.formats.multiplex import layers_beside, multiplex_bytes
from orthonet.graph.formats.npz import npz_bytes
from orthonet.graph.formats.one_way import check_text, one_way_edges, text_ids
from orthonet.graph.formats.pajek import pajek_bytes
from orthonet.graph.formats.table_bytes import TableKind, table_bytes
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.checks import check_choice
from orthonet.support.files import write_atomically

WRITERS: dict[str, Callable[[MultilayerGraph], bytes]] = {
    "csv": lambda graph: edges_table(graph, "csv"),
    "tsv": lambda graph: edges_table(graph, "tsv"),
    "parquet": lambda graph: edges_table(graph, "parquet"),
    "npz": npz_bytes,
    "matrix-market": matrix_market_bytes,
    "graphml": graphml_bytes,
    "mpx": mpx_bytes,
    "multiplex": lambda graph: multiplex_bytes(graph)[0],
    "pajek": pajek_bytes,
    "infomap": infomap_bytes,
}
SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".txt": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".npz": "npz",
    ".mtx": "matrix-market",
    ".graphml": "graphml",
    ".mpx": "mpx",
    ".edges": "multiplex",
    ".net": "pajek",
    ".paj": "pajek",
}
HOLDS_FEATURES = ("npz", "graphml", "mpx")
HOLDS_MISSING_NODES = ("npz", "mpx")
HOLDS_NODES = ("npz", "graphml", "mpx", "pajek", "infomap")


def write_network(
    graph: MultilayerGraph,
    path: str | PathLike[str],
    *,
    format: str | None = None,
    nodes: str | PathLike[str] | None = None,
) -> tuple[Path, ...]:
    """Write a graph, each file whole or not at all.

    Parameters
    ----------
    graph : MultilayerGraph
    path : path
        A name that ends in ``.gz`` is packed, where the format is text.
    format : str, optional
        One of ``WRITERS``; by the suffix if None.
    nodes : path, optional
        Where the table of nodes goes if the format cannot hold their features, their order or those without edges;
        ``<name>.nodes.csv`` beside the file by default. Read it back with ``read_network(path, features=nodes)``.

    Returns
    -------
    tuple of Path
        What was written: the network, then the table of nodes if there is one, then the list of layers of a multiplex list.

    Raises
    ------
    ValueError
        Where the format cannot hold the graph.

    Examples
    --------
    >>> import tempfile
    >>> from orthonet.graph.read import read_network
    >>> graph = MultilayerGraph.from_edges([("ann", "bob", "work"), ("bob", "eve", "lunch")])
    >>> files = write_network(graph, Path(tempfile.mkdtemp()) / "net.mpx")
    >>> read_network(files[0]).node_ids.tolist()
    ['ann', 'bob', 'eve']
    """
    file = Path(path).expanduser()
    suffixes = [suffix.lower() for suffix in file.suffixes]
    packed = suffixes[-1:] == [".gz"]
    suffix = suffixes[-2:-1] if packed else suffixes[-1:]
    if format is None:
        format = SUFFIXES.get("".join(suffix))
        if format is None:
            raise ValueError(
                f"{path}: no format is called {''.join(suffix)!r}; there are {', '.join(SUFFIXES)}, or pass format="
            )
    check_choice(format, "format", WRITERS)
    if packed and format in ("npz", "parquet"):
        raise ValueError(f"{path}: {format} files are packed already; leave out .gz")
    _check_holds(graph, format, path)
    outputs: list[tuple[Path, bytes]] = []
    try:
        content = WRITERS[format](graph)
        outputs.append((file, gzip.compress(content, mtime=0) if packed else content))
        if _needs_table(graph, format):
            kind: TableKind = "parquet" if format == "parquet" else "tsv" if format == "tsv" else "csv"
            stem = file.name.removesuffix(".gz").rpartition(".")[0] or file.name
            table = Path(nodes) if nodes is not None else file.with_name(f"{stem}.nodes.{kind}")
            outputs.append((table, nodes_table(graph, _kind_of(table, kind))))
        if format == "multiplex":
            outputs.append((layers_beside(file), multiplex_bytes(graph)[1]))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    for target, whole in reversed(outputs):  # the network last: where it is, the rest is too
        write_atomically(target, whole)
    return tuple(target for target, _ in outputs)


def edges_table(graph: MultilayerGraph, kind: TableKind) -> bytes:
    """Return the edges as a table with the columns source, target, layer and weight, each edge once."""
    ids = _ids(graph, kind)
    check_text(graph.layer_names, "layer name")
    sources, targets, layers, weights = [], [], [], []
    for name, source, target, weight in one_way_edges(graph):
        sources.append(ids[source])
        targets.append(ids[target])
        layers.append(np.full(len(source), name))
        weights.append(weight)
    columns = (np.concatenate(parts) for parts in (sources, targets, layers, weights))
    return table_bytes(dict(zip(("source", "target", "layer", "weight"), columns, strict=True)), kind)


def nodes_table(graph: MultilayerGraph, kind: TableKind) -> bytes:
    """Return the nodes as a table: their ids in order, and a column for each feature."""
    columns: dict[str, Any] = {"id": _ids(graph, kind)}
    if graph.features is not None:
        n_features = graph.features.shape[1]
        names = graph.feature_names or tuple(f"feature {index}" for index in range(n_features))
        if "id" in names or len(set(names)) < n_features:
            raise ValueError("a table of nodes cannot hold two features of one name, or one called 'id'; rename them")
        for index, name in enumerate(names):
            columns[name] = np.asarray(graph.features[:, index], dtype=np.float64)
    return table_bytes(columns, kind)


def _ids(graph: MultilayerGraph, kind: TableKind) -> Any:
    if kind == "parquet" and graph.node_ids.dtype.kind in "iu":
        return graph.node_ids
    return np.array(text_ids(graph), dtype=str)


def _kind_of(table: Path, default: TableKind) -> TableKind:
    kinds: dict[str, TableKind] = {".csv": "csv", ".tsv": "tsv", ".txt": "tsv", ".parquet": "parquet"}
    return kinds.get(table.suffix.lower(), default)


def _check_holds(graph: MultilayerGraph, format: str, path: Any) -> None:
    if format not in HOLDS_MISSING_NODES and not all(mask.all() for mask in graph.present):
        raise ValueError(
            f"{path}: {format} cannot say which nodes a layer lacks; write {' or '.join(HOLDS_MISSING_NODES)} instead"
        )
    if format != "npz" and issparse(graph.features):
        raise ValueError(f"{path}: {format} cannot hold sparse features; write npz instead")
    if format == "matrix-market" and graph.n_layers > 1:
        raise ValueError(
            f"{path}: {format} holds one layer, but the graph has {graph.n_layers}; write one file each, or npz"
        )


def _needs_table(graph: MultilayerGraph, format: str) -> bool:
    """Tell whether something would be lost without a table of nodes."""
    if graph.features is not None and format not in HOLDS_FEATURES:
        return True
    if format in HOLDS_NODES:
        return False
    if format == "matrix-market":
        return not np.array_equal(graph.node_ids, np.arange(graph.n_nodes))
    ends = [np.stack([source, target], axis=1).ravel() for _, source, target, _ in one_way_edges(graph)]
    nodes, first = np.unique(np.concatenate(ends), return_index=True)
    return len(nodes) < graph.n_nodes or bool((np.diff(first) < 0).any())
