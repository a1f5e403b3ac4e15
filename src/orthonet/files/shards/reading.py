"""Read shards: the rows of some of them, which needs no other; or all of them, as one network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from orthonet.files.errors import FileError, Place
from orthonet.files.network import LayerRows, NetworkPart
from orthonet.files.shards.manifest import GROUPS, Manifest, shard_file
from orthonet.files.source import PathType
from orthonet.graph.arrays import with_short_indices
from orthonet.graph.edge_list import EdgeList
from orthonet.graph.ids import check_unique
from orthonet.graph.network_rows import NetworkRows
from orthonet.graph.two_mode import TwoMode

Columns = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Shards:
    """A network in a folder of shards, of which nothing but the manifest has been read.

    ``OrthoNet(5, training={"distributed": True}).fit(Shards.of("folder"))``, in a script that ``torchrun`` starts, lets each
    process read its own shards, and none the whole network.

    Attributes
    ----------
    manifest : Manifest
    """

    manifest: Manifest

    @classmethod
    def of(cls, folder: PathType) -> Shards:
        """Open a folder that `write_shards` or ``orthonet convert --shards`` wrote."""
        return cls(Manifest.of(folder))

    @property
    def path(self) -> Path:
        """The folder."""
        return self.manifest.folder

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return self.manifest.n_nodes

    @property
    def n_shards(self) -> int:
        """Number of shards."""
        return self.manifest.n_shards

    @cached_property
    def group_names(self) -> Mapping[str, tuple[str, ...] | None]:
        """Names of the groups of each two-mode relation, None where they have none."""
        about = self.manifest
        if GROUPS not in about.files:
            return dict.fromkeys(about.two_mode)
        table = _table(
            about, GROUPS, {"relation": len(about.two_mode), "group": max(about.two_mode.values()), "name": str}
        )
        found: dict[str, tuple[str, ...] | None] = {}
        for index, (name, n_groups) in enumerate(about.two_mode.items()):
            own = table["relation"] == index
            numbers, names = table["group"][own], table["name"][own]
            if own.any() and not np.array_equal(np.sort(numbers), np.arange(n_groups)):
                raise FileError(about.folder / GROUPS, f"it must name the {n_groups} groups of {name!r}, each once")
            found[name] = tuple(names[np.argsort(numbers)].tolist()) if own.any() else None
        return found

    def read(self, first: int, last: int) -> NetworkRows:
        """Return the rows of the shards from ``first`` up to but without ``last``."""
        return NetworkRows.joined([_shard(self.manifest, shard) for shard in range(first, last)])


def read_shards(folder: PathType) -> NetworkPart:
    """Read all shards of a folder as one network; raise where an edge is not in the rows of both its ends."""
    shards = Shards.of(folder)
    about, rows = shards.manifest, shards.read(0, shards.n_shards)
    check_unique(rows.node_ids, "node ids")
    return NetworkPart(
        about.folder,
        rows.node_ids,
        rows.n_nodes,
        {name: _layer(layer, name, about.folder) for name, layer in rows.layers.items()},
        present=dict(rows.present),
        features=rows.features,
        feature_names=about.feature_names,
        layers_from_features=about.layers_from_features,
        two_mode={name: TwoMode(one, shards.group_names[name]) for name, one in rows.two_mode.items()},
    )


def _layer(layer: csr_array, name: str, folder: Path) -> LayerRows:
    """Return a symmetric matrix as edges, each once."""
    apart = csr_array(layer - layer.T)
    apart.eliminate_zeros()
    if apart.nnz:
        row, column = (int(one[0]) for one in apart.nonzero())
        raise FileError(
            folder, f"the edge of layer {name!r} between nodes {row} and {column} is not the same in the rows of both"
        )
    edges = EdgeList.of_layer(layer)

    def place(index: int) -> Place:
        return Place(folder, detail=f"layer {name!r}, nodes {edges.source[index]} and {edges.target[index]}")

    return LayerRows(edges, place)


def _shard(about: Manifest, shard: int) -> NetworkRows:
    """Read one shard, and check that it is what the manifest says."""
    start, stop = about.bounds[shard : shard + 2]
    rows = (start, stop)
    here = [f"present {name}" for name in about.layers] if about.lacking else []
    dense = about.n_features if not about.sparse_features else 0
    columns = [f"feature {index}" for index in range(dense)]
    file = shard_file(shard, "nodes")
    nodes = _table(about, file, {"id": None, **dict.fromkeys((*here, *columns), float)})
    if len(nodes["id"]) != stop - start:
        raise FileError(about.folder / file, f"it has {len(nodes['id']):,} rows, but the shard {stop - start:,} nodes")
    layers, two_mode, features = {}, {}, None
    if about.layers:
        file = shard_file(shard, "edges")
        wanted = {"layer": len(about.layers), "source": rows, "target": about.n_nodes, "weight": float}
        table = _table(about, file, wanted)
        if (table["source"] == table["target"]).any():
            raise FileError(about.folder / file, "an edge joins a node to itself; shards hold no self-loops")
        layers = _matrices(table, list(wanted), about.layers, (rows, [about.n_nodes] * len(about.layers)), about, file)
    if about.two_mode:
        file, groups = shard_file(shard, "memberships"), list(about.two_mode.values())
        wanted = {"relation": len(groups), "node": rows, "group": max(groups), "weight": float}
        two_mode = _matrices(
            _table(about, file, wanted), list(wanted), tuple(about.two_mode), (rows, groups), about, file
        )
    if about.n_features and about.sparse_features:
        file = shard_file(shard, "words")
        wanted = {"node": rows, "feature": about.n_features, "value": float}
        table = _table(about, file, wanted)
        table["which"] = np.zeros(len(table["node"]), dtype=np.int64)
        names = ["which", "node", "feature", "value"]
        features = _matrices(table, names, ("features",), (rows, [about.n_features]), about, file, signed=True)[
            "features"
        ]
    elif dense:
        features = np.column_stack([nodes[name] for name in columns])
        if not np.isfinite(features).all():
            raise FileError(about.folder / shard_file(shard, "nodes"), "a feature is missing or infinite")
    present = {name: nodes[f"present {name}"] > 0 for name in about.layers} if about.lacking else {}
    return NetworkRows(start, about.n_nodes, nodes["id"], layers, present, features, two_mode)


def _matrices(
    table: Columns,
    names: Sequence[str],
    called: tuple[str, ...],
    shapes: tuple[tuple[int, int], Sequence[int]],
    about: Manifest,
    file: str,
    *,
    signed: bool = False,
) -> dict[str, csr_array]:
    """Return the matrices whose entries a table has: which one, row, column, value."""
    which, row, column, value = (table[name] for name in names)
    if not np.isfinite(value).all() or (not signed and (value <= 0).any()):
        raise FileError(about.folder / file, f"{names[3]!r} must hold finite numbers" + (" > 0" if not signed else ""))
    (start, stop), widths = shapes
    found = {}
    for index, (name, width) in enumerate(zip(called, widths, strict=True)):
        own = which == index
        if own.any() and column[own].max() >= width:
            raise FileError(about.folder / file, f"{names[2]} {column[own].max()} of {name!r} is beyond its {width:,}")
        matrix = csr_array((value[own], (row[own] - start, column[own])), shape=(stop - start, width))
        stored = int(np.count_nonzero(own))
        if matrix.nnz < stored:
            raise FileError(about.folder / file, f"{stored - matrix.nnz:,} pairs of {name!r} are there more than once")
        matrix.sort_indices()
        found[name] = with_short_indices(matrix)
    return found


def _table(about: Manifest, file: str, wanted: Mapping[str, Any]) -> Columns:
    """Read columns: whole numbers below a bound or within two, numbers (float), text (str), or ids (None)."""
    from orthonet.files.tables.polars_columns import parquet_names, read_parquet

    source = about.file(file)
    names = parquet_names(source.path)
    if names != list(wanted):
        raise FileError(source.path, f"its columns must be {', '.join(wanted)}, got {', '.join(names)}")
    frame = read_parquet(source, range(len(names))).frame
    found: Columns = {}
    for index, (name, kind) in enumerate(wanted.items()):
        series = frame[str(index)]
        if series.null_count():
            raise FileError(source.path, f"column {name!r} lacks {series.null_count():,} of its values")
        whole = series.dtype.is_integer()
        if kind is float and (whole or series.dtype.is_float() or str(series.dtype) == "Boolean"):
            found[name] = series.to_numpy() if series.dtype.is_float() else series.to_numpy().astype(np.float64)
        elif whole and kind is not str and kind is not float:
            found[name] = _within(series.to_numpy(), kind, name, source.path)
        elif kind in (str, None) and str(series.dtype) == "String":
            found[name] = np.array(series.to_list(), dtype=str)
        else:
            said = {str: "text", None: "text or whole numbers", float: "numbers"}.get(kind, "whole numbers")
            raise FileError(source.path, f"column {name!r} must hold {said}, got {series.dtype}")
    return found


def _within(values: npt.NDArray[Any], kind: Any, name: str, path: Path) -> npt.NDArray[Any]:
    """Return whole numbers that are within their bounds; ids, which have none, as they are."""
    if kind is None:
        return values
    low, high = kind if isinstance(kind, tuple) else (0, kind)
    if len(values) and (values.min() < low or values.max() >= high):
        got = values.min() if values.min() < low else values.max()
        raise FileError(path, f"column {name!r} must hold whole numbers from {low:,} to {high - 1:,}, got {got:,}")
    return values
