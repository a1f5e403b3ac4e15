"""One door for network files: the reader is chosen by what the file holds and what it is called."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias, get_args

import numpy as np

from orthonet.graph.formats.columns import Ids
from orthonet.graph.formats.doors import PathType, named_paths, told
from orthonet.graph.formats.edge_list import read_edge_list, read_parquet_edges
from orthonet.graph.formats.graphml import read_graphml
from orthonet.graph.formats.infomap import read_infomap
from orthonet.graph.formats.matrix_market import BANNER, read_matrix_market
from orthonet.graph.formats.merging import Merge
from orthonet.graph.formats.mpx import FORMER_NAMES, SECTIONS, read_mpx_part
from orthonet.graph.formats.multiplex import read_multiplex_part
from orthonet.graph.formats.network_file import NetworkFile
from orthonet.graph.formats.node_table import MissingFeatures, NodeTable, read_node_table
from orthonet.graph.formats.npz import read_npz
from orthonet.graph.formats.opening import PARQUET, ZIP, check_file, open_bytes, opening_bytes, text_lines
from orthonet.graph.formats.options import ReadOptions
from orthonet.graph.formats.pajek import read_pajek
from orthonet.graph.formats.part import MissingWeights, Part, Policy, UnknownNodes, joined
from orthonet.graph.formats.report import ReadReport
from orthonet.support.checks import check_choice
from orthonet.support.text import counted

Reader: TypeAlias = Callable[[Path, ReadOptions], Part]


@dataclass(frozen=True)
class Format:
    """A file format: its reader, and what its files are called."""

    read: Reader
    suffixes: tuple[str, ...] = ()


FORMATS: dict[str, Format] = {
    "csv": Format(read_edge_list, (".csv", ".tsv", ".txt")),
    "parquet": Format(read_parquet_edges, (".parquet", ".pq")),
    "npz": Format(read_npz, (".npz",)),
    "matrix-market": Format(read_matrix_market, (".mtx",)),
    "graphml": Format(read_graphml, (".graphml",)),
    "mpx": Format(read_mpx_part, (".mpx",)),
    "multiplex": Format(read_multiplex_part, (".edges",)),
    "pajek": Format(read_pajek, (".paj",)),
    "infomap": Format(read_infomap),
}
"""The readers by name. A room above may add its own, e.g. for ``.mat`` files: ``FORMATS["mat"] = Format(read, (".mat",))``."""


def read_network(
    paths: PathType | Sequence[PathType] | Mapping[str, PathType],
    *,
    format: str | None = None,
    features: PathType | bool | None = None,
    source: str | int | None = None,
    target: str | int | None = None,
    layer: str | int | None = None,
    weight: str | int | None = None,
    delimiter: str | None = None,
    heading: bool | None = None,
    ids: Ids = "auto",
    id_column: str | int | None = None,
    ignore: Sequence[str | int] = (),
    categories: Sequence[str | int] = (),
    directed: bool | None = None,
    duplicates: Merge | None = None,
    unknown_nodes: UnknownNodes = "refuse",
    missing_weights: MissingWeights = "refuse",
    missing_features: MissingFeatures = "mean",
) -> NetworkFile:
    r"""Read a multilayer network from one file, or from one file a layer.

    Parameters
    ----------
    paths : path, sequence of paths, or mapping of layer names to paths
        Several files are one layer each (or more, where a file names its layers), called by the mapping or else by the file.
    format : str, optional
        One of ``FORMATS``; found by itself if None.
    features : path or True, optional
        A table with a row for each node: it says which nodes there are and in which order, and its columns of numbers are the
        features. True: the columns of numbers that the network file itself has about its nodes.
    source, target, layer, weight : str or int, optional
        The columns of a table, by name or counted from 0. Without them the usual names count, or else the order source,
        target, layer, weight. ``layer`` and ``weight`` also name the edge attributes of GraphML and multinet files.
    delimiter, heading
        Of a table, found by itself if None: one character; whether the first row names the columns.
    ids : {"auto", "text"}, default="auto"
        "auto" makes node ids integers if all are written as such (``7``, but not ``007``).
    id_column : str or int, optional
        The column of ids in the table of nodes.
    ignore : sequence of str or int
        Columns about the nodes that are no features, such as known classes; they are kept as attributes.
    categories : sequence of str or int
        Columns of the table of nodes that name categories, in text or in codes: each becomes a feature of zeros and ones.
    directed : bool, optional
        Whether direction counts; as the format says if None (tables: no). `NetworkFile.graph` then makes layers symmetric.
    duplicates : {"sum", "max"}, optional
        What several rows for the same pair come to; the sum if None, but in multinet files and multiplex lists, which name an
        edge once each way, the largest.
    unknown_nodes : {"refuse", "drop"}, default="refuse"
        What to do with rows that name a node which the node table lacks.
    missing_weights : {"refuse", "one", "drop"}, default="refuse"
        What to do with rows without a weight in a file that has weights.
    missing_features : {"mean", "refuse"}, default="mean"
        What to do with empty cells in a column of numbers.

    Returns
    -------
    NetworkFile
        ``graph()`` is the graph, ``report`` says how many rows were kept and dropped, and why.

    Raises
    ------
    ValueError, OSError
        With the file, and the row where there is one.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp()) / "edges.csv"
    >>> _ = file.write_text("source,target,layer\nann,bob,work\nbob,eve,work\nann,eve,lunch\neve,eve,lunch\n")
    >>> network = read_network(file)
    >>> print(network.report)
    3 nodes, 2 layers, 3 of 4 rows kept
    work: 2 of 2 rows kept
    lunch: 1 of 2 rows kept; 1 self-loop (dropped)
    >>> network.graph().layer_names
    ('work', 'lunch')
    """
    for name, value, kind in (
        ("ids", ids, Ids),
        ("unknown_nodes", unknown_nodes, UnknownNodes),
        ("missing_weights", missing_weights, MissingWeights),
        ("missing_features", missing_features, MissingFeatures),
    ):
        check_choice(value, name, get_args(kind))
    if duplicates is not None:
        check_choice(duplicates, "duplicates", get_args(Merge))
    if format is not None:
        check_choice(format, "format", FORMATS)
    options = ReadOptions(source, target, layer, weight, delimiter, heading, ids, id_column)
    if ignore and (features is None or features is False):
        raise ValueError("ignore names columns that are no features, but no features are to be read")
    if categories and (features is None or isinstance(features, bool)):
        raise ValueError("categories names columns of a table of nodes; pass one as features")
    policy = Policy(directed, duplicates, unknown_nodes, missing_weights)
    table = None
    if features is not None and not isinstance(features, bool):
        layout = replace(options, heading=None)
        table = told(
            features,
            lambda: read_node_table(features, layout, missing_features, ignore=ignore, categories=categories),
        )
    parts = [_part(name, path, format, options) for name, path in named_paths(paths)]
    known = None if table is None else table.ids
    network = told(parts[0].path, lambda: joined(parts, policy, known, "" if table is None else str(table.path)))
    if table is not None:
        return _with_table(network, table)
    return _with_attributes(network, missing_features, ignore) if features is True else network


def format_of(path: PathType) -> str:
    """Return the name of a file's format, by its content where that tells, else by its suffix; a table if neither does."""
    file = check_file(path)
    start = opening_bytes(file)
    if start == PARQUET:
        return "parquet"
    suffixes = [suffix.lower() for suffix in file.suffixes if suffix.lower() != ".gz"]
    named = next((name for name, one in FORMATS.items() if suffixes and suffixes[-1] in one.suffixes), None)
    if start == ZIP or named == "npz":
        return "npz" if named is None else named
    with open_bytes(file) as opened:
        head = opened.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.lower().startswith(BANNER.lower()):
        return "matrix-market"
    if head.startswith(b"<"):
        return "graphml"
    lines = [line.strip() for line in head.decode("utf-8", "replace").splitlines()]
    first = next((line for line in lines if line and line[0] not in "%#"), "")
    if first.startswith("*"):
        return _starred(file)
    titles = {" ".join(line[1:].split()).upper() for line in lines if line.startswith("#")}
    if titles & ({*SECTIONS, *FORMER_NAMES} - {"EDGES"}) or "#EDGES" in lines:
        return "mpx"
    if suffixes and suffixes[-1] == ".mat" and named is None:
        raise ValueError(f"{path}: views in Matlab files are read by orthonet.graph.views.read_views")
    return named or "csv"


def _starred(path: Path) -> str:
    for _, line in text_lines(path):
        if line.lower().startswith(("*multi", "*intra", "*inter")):
            return "infomap"
        if line.lower().startswith(("*arcs", "*edges")):
            return "pajek"
    return "pajek"


def _part(name: str | None, path: PathType, format: str | None, options: ReadOptions) -> Part:
    file = check_file(path)
    part = told(path, lambda: FORMATS[format or format_of(file)].read(file, options))
    if name is None:
        return part
    if len(part.layers) != 1:
        raise ValueError(f"{path} has {len(part.layers)} layers, but is to be the one layer {name!r}")
    present = dict(zip([name], part.present.values(), strict=False))
    return replace(part, layers={name: next(iter(part.layers.values()))}, present=present)


def _with_table(network: NetworkFile, table: NodeTable) -> NetworkFile:
    report = network.report or ReadReport(len(network.node_ids), ())
    return replace(
        network,
        attributes={**network.attributes, **table.attributes},
        report=replace(report, notes=(*report.notes, *table.notes)),
        features=table.features,
        feature_names=table.feature_names if table.features is not None else None,
    )


def _with_attributes(network: NetworkFile, missing: MissingFeatures, ignore: Sequence[str | int]) -> NetworkFile:
    """Make the columns of numbers that the file has about its nodes the features."""
    if network.features is not None:
        return network
    columns: dict[str, Any] = {}
    notes = []
    if strange := [name for name in ignore if name not in network.attributes]:
        raise ValueError(f"{network.path}: ignore={strange[0]!r} is no column about its nodes")
    for name, column in network.attributes.items():
        if column.dtype.kind != "f" or name in ignore:
            continue
        holes = ~np.isfinite(column.astype(np.float64))
        if holes.any() and (missing == "refuse" or holes.all()):
            node = network.node_ids.tolist()[int(holes.argmax())]
            raise ValueError(
                f"{network.path}: node {node!r} has no value of {name!r} ({counted(int(holes.sum()), 'node')} without one)"
            )
        if holes.any():
            notes.append(f"{network.path}: {name!r}: {counted(int(holes.sum()), 'missing value')} filled with the mean")
        columns[name] = np.where(holes, column[~holes].astype(np.float64).mean(), column.astype(np.float64))
    if not columns:
        raise ValueError(f"{network.path} has no numbers about its nodes; pass a table as features")
    report = network.report or ReadReport(len(network.node_ids), ())
    return replace(
        network,
        features=np.column_stack(list(columns.values())),
        feature_names=tuple(columns),
        report=replace(report, notes=(*report.notes, *notes)),
    )
