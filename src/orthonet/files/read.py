"""Read a multilayer network from files; the format is found from what a file holds and what it is called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, get_args

import numpy as np

from orthonet.files.errors import FileError, Place, naming_file
from orthonet.files.joining import joined
from orthonet.files.network import NetworkFile, NetworkPart
from orthonet.files.options import Ids, MissingFeatures, MissingWeights, Policy, ReadOptions, UnknownNodes
from orthonet.files.registry import FORMATS, format_of
from orthonet.files.shards.manifest import is_shards
from orthonet.files.shards.reading import read_shards
from orthonet.files.source import PathType, Source
from orthonet.files.tables.feature_values import fill_missing
from orthonet.files.tables.node_table import FeatureTable, read_node_table
from orthonet.graph.edge_list import Merge
from orthonet.support.checks import check_choice
from orthonet.support.sentences import Argument


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
    r"""Read a multilayer network from one file, or from one file per layer.

    Parameters
    ----------
    paths : path, sequence of paths, or mapping of layer names to paths
        Several files are one layer each (or more, where a file names its layers), named by the mapping or else by the file.
    format : str, optional
        One of ``orthonet.files.registry.FORMATS``; found from the file's content and name if None.
    features : path or True, optional
        A table with a row for each node: it says which nodes there are and in which order, and its columns of numbers are the
        features. True: the columns of numbers that the network file itself has about its nodes.
    source, target, layer, weight : str or int, optional
        The columns of a table, by name or counted from 0. Without them the usual names count, or else the order source,
        target, layer, weight. ``layer`` and ``weight`` also name the edge attributes of GraphML, GEXF, GML and
        multinet files.
    delimiter, heading
        Of a table, found from its first rows if None: one character; whether the first row names the columns.
    ids : {"auto", "text"}, default="auto"
        "auto" makes node ids integers if all are written as such (``7``, but not ``007``).
    id_column : str or int, optional
        The column of ids in the table of nodes.
    ignore : sequence of str or int
        Columns about the nodes that are not features, such as known classes; they are kept as attributes.
    categories : sequence of str or int
        Columns of the table of nodes that name categories, in text or in codes: each becomes a feature of zeros and ones.
    directed : bool, optional
        Whether direction counts; as the format says if None (tables: no). `NetworkFile.graph` then makes layers symmetric.
    duplicates : {"sum", "max"}, optional
        What the weights of several rows for one pair become; the sum if None, but in multinet files and multiplex lists,
        which name an edge once each way, the largest.
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
    FileError
        A ValueError with the file, the row and the argument as fields, where there are any.
    OSError
        Where a file does not exist or cannot be read.

    See Also
    --------
    write_network : write a graph so that this function reads it back.
    read_features : a table of features without edges.
    read_views : tables of features, to build layers from.

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
        raise ValueError("ignore names columns that are not features, but no features are to be read")
    if categories and (features is None or isinstance(features, bool)):
        raise ValueError("categories names columns of a table of nodes; pass one as features")
    table = None
    if features is not None and not isinstance(features, bool):
        with naming_file(features):
            table = read_node_table(
                Source.of(features),
                replace(options, heading=None),
                missing_features,
                ignore=ignore,
                categories=categories,
            )
    parts = [_part(name, path, format, options) for name, path in named_paths(paths)]
    policy = Policy(directed, duplicates, unknown_nodes, missing_weights)
    with naming_file(parts[0].path):
        known, known_from = (None, "") if table is None else (table.node_ids, str(table.path))
        network = joined(parts, policy, known, known_from)
    if table is not None:
        return _with_table(network, table)
    return _with_attributes(network, missing_features, ignore) if features is True else network


def named_paths(paths: Any) -> list[tuple[str | None, PathType]]:
    """Return the paths of a mapping with their names, those of a sequence, or a single one, with None."""
    if isinstance(paths, str | PathLike):
        return [(None, paths)]
    named: list[tuple[str | None, PathType]]
    named = list(paths.items()) if isinstance(paths, Mapping) else [(None, path) for path in paths]
    if not named:
        raise ValueError("paths is empty; name at least one file")
    return named


def _part(name: str | None, path: PathType, format: str | None, options: ReadOptions) -> NetworkPart:
    with naming_file(path):
        if format is None and is_shards(path):
            part = read_shards(path)
        else:
            source = Source.of(path)
            part = FORMATS[format or format_of(source)].read(source, options)
    if name is None:
        return part
    if len(part.layers) != 1:
        raise FileError.about(path, f"has {len(part.layers)} layers, but is to be the one layer {name!r}")
    present = dict(zip([name], part.present.values(), strict=False))
    return replace(part, layers={name: next(iter(part.layers.values()))}, present=present)


def _with_table(network: NetworkFile, table: FeatureTable) -> NetworkFile:
    has_features = table.features.shape[1] > 0
    return replace(
        network,
        attributes={**network.attributes, **table.attributes},
        report=network.report.with_notes(table.notes),
        features=table.features if has_features else None,
        feature_names=table.feature_names if has_features else None,
    )


def _with_attributes(network: NetworkFile, missing: MissingFeatures, ignore: Sequence[str | int]) -> NetworkFile:
    """Make the columns of numbers that the file has about its nodes the features."""
    if network.features is not None:
        return network
    for name in ignore:
        if name not in network.attributes:
            raise FileError(network.path, Argument("ignore", name), " is not a column about its nodes")
    columns = {
        name: column for name, column in network.attributes.items() if column.dtype.kind == "f" and name not in ignore
    }
    if not columns:
        raise FileError.about(network.path, "has no numbers about its nodes; pass a table as ", Argument("features"))
    names = tuple(columns)
    features, notes = fill_missing(
        np.column_stack([column.astype(np.float64) for column in columns.values()]),
        missing,
        path=network.path,
        place=lambda row: Place(network.path, row + 1, "node"),
        column=lambda index: repr(names[index]),
    )
    return replace(network, features=features, feature_names=names, report=network.report.with_notes(notes))
