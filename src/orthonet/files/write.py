"""Write a multilayer graph to a file that `read_network` reads back as the same graph, or not at all."""

from __future__ import annotations

import gzip
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import issparse

from orthonet.files.errors import FileError, naming_file
from orthonet.files.networks.edge_table import id_column
from orthonet.files.networks.multiplex import layers_beside, write_layer_names
from orthonet.files.networks.writing import NodeColumns, named_edges, node_columns
from orthonet.files.registry import FORMATS, Format, format_by_suffix
from orthonet.files.tables.writing import TableKind, table_bytes
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.checks import check_choice
from orthonet.support.files import write_atomically, writing
from orthonet.support.sentences import Argument


def write_network(
    graph: MultilayerGraph,
    path: str | PathLike[str],
    *,
    format: str | None = None,
    nodes: str | PathLike[str] | None = None,
    attributes: NodeColumns | None = None,
) -> tuple[Path, ...]:
    """Write a graph, each file whole or not at all.

    Parameters
    ----------
    graph : MultilayerGraph
    path : path
        A name that ends in ``.gz`` is packed, where the format is text.
    format : str, optional
        One of ``orthonet.files.registry.FORMATS``; found from the suffix if None.
    nodes : path, optional
        Where the table of nodes goes if the format cannot hold their features, their order or those without edges;
        ``<name>.nodes.csv`` beside the file by default. Read it back with ``read_network(path, features=nodes)``.
    attributes : mapping of names to N values, optional
        Further columns about the nodes, such as the cluster of each: numbers or text. GraphML and GEXF files hold them; for
        the other formats they are in the table of nodes.

    Returns
    -------
    tuple of Path
        What was written: the network, then the table of nodes if there is one, then the list of layers of a multiplex list.

    Raises
    ------
    FileError
        A ValueError, where the format cannot hold the graph.

    See Also
    --------
    read_network : read it back.

    Examples
    --------
    >>> import tempfile
    >>> from orthonet import read_network
    >>> graph = MultilayerGraph.from_edges([("ann", "bob", "work"), ("bob", "eve", "lunch")])
    >>> files = write_network(graph, Path(tempfile.mkdtemp()) / "net.mpx")
    >>> read_network(files[0]).node_ids.tolist()
    ['ann', 'bob', 'eve']
    """
    file = Path(path).expanduser()
    suffixes = [suffix.lower() for suffix in file.suffixes]
    packed = suffixes[-1:] == [".gz"]
    if format is None:
        format = _format_of_name("".join(suffixes[-2:-1] if packed else suffixes[-1:]), path)
    writable = [name for name, one in FORMATS.items() if one.write is not None]
    chosen = FORMATS[check_choice(format, "format", writable)]
    if packed and not chosen.is_text:
        raise FileError(path, f"{format} files are packed already; leave out .gz")
    _check_holds(graph, format, chosen, path)
    outputs: list[tuple[Path, bytes]] = []
    with naming_file(path):
        columns = {} if attributes is None else dict(attributes)
        inside = (columns,) if chosen.holds_attributes else ()
        content = chosen.write(graph, *inside) if chosen.write is not None else b""
        outputs.append((file, gzip.compress(content, mtime=0) if packed else content))
        if (columns and not inside) or _needs_table(graph, chosen):
            kind: TableKind = "parquet" if format == "parquet" else "tsv" if format == "tsv" else "csv"
            stem = file.name.removesuffix(".gz").rpartition(".")[0] or file.name
            table = Path(nodes) if nodes is not None else file.with_name(f"{stem}.nodes.{kind}")
            outputs.append(
                (table, _node_table(graph, columns, _kind_of(table, kind), with_features=not chosen.holds_features))
            )
        if format == "multiplex":
            outputs.append((layers_beside(file), write_layer_names(graph)))
    if len(outputs) > 1:  # a network must never stand beside the table of another one
        with writing(file):
            file.unlink(missing_ok=True)
    for target, whole in reversed(outputs):  # the network last: where it is, the rest is too
        write_atomically(target, whole)
    return tuple(target for target, _ in outputs)


def _format_of_name(suffix: str, path: Any) -> str:
    format = format_by_suffix(suffix)
    if format is None:
        known = ", ".join(suffix for one in FORMATS.values() if one.write is not None for suffix in one.suffixes)
        raise FileError(path, f"no format is called {suffix!r}; there are {known}, or pass ", Argument("format"))
    return format


def _node_table(graph: MultilayerGraph, attributes: NodeColumns, kind: TableKind, *, with_features: bool) -> bytes:
    """Return the nodes as a table: their ids in order, and a column for each attribute, and for each feature where asked."""
    columns = node_columns(graph, attributes, with_features=with_features)
    if "id" in columns:
        raise ValueError("a table of nodes cannot hold a column called 'id'; rename it")
    return table_bytes({"id": id_column(graph, kind), **columns}, kind)


def _kind_of(table: Path, default: TableKind) -> TableKind:
    kinds: dict[str, TableKind] = {".csv": "csv", ".tsv": "tsv", ".txt": "tsv", ".parquet": "parquet"}
    return kinds.get(table.suffix.lower(), default)


def _check_holds(graph: MultilayerGraph, name: str, format: Format, path: Any) -> None:
    if name != "npz" and graph.two_mode:
        listed = ", ".join(map(repr, graph.two_mode))
        raise FileError(path, f"{name} cannot hold two-mode relations ({listed}); write npz instead")
    if not format.holds_missing_nodes and not all(mask.all() for mask in graph.present):
        others = " or ".join(name for name, one in FORMATS.items() if one.holds_missing_nodes)
        raise FileError(path, f"{name} cannot say which nodes a layer lacks; write {others} instead")
    if name != "npz" and issparse(graph.features):
        raise FileError(path, f"{name} cannot hold sparse features; write npz instead")
    if not format.holds_layers and graph.n_layers > 1:
        raise FileError(
            path, f"{name} holds one layer, but the graph has {graph.n_layers}; write one file each, or npz"
        )


def _needs_table(graph: MultilayerGraph, format: Format) -> bool:
    """Return whether something would be lost without a table of nodes."""
    if graph.features is not None and not format.holds_features:
        return True
    if format.holds_nodes:
        return False
    if not format.holds_layers:  # a matrix: its nodes are numbered
        return not np.array_equal(graph.node_ids, np.arange(graph.n_nodes))
    ends = [np.stack([edges.source, edges.target], axis=1).ravel() for _, edges in named_edges(graph)]
    nodes, first = np.unique(np.concatenate(ends), return_index=True)
    return len(nodes) < graph.n_nodes or bool((np.diff(first) < 0).any())
