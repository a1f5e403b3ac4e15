"""Write a graph as shards: one set of Parquet files for each range of nodes, and a manifest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, issparse

from orthonet.files.networks.writing import check_text
from orthonet.files.shards.manifest import GROUPS, KIND, MANIFEST, MOST_SHARDS, VERSION, sha256, shard_file
from orthonet.files.source import PathType
from orthonet.files.tables.writing import table_bytes
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.graph.network_rows import NetworkRows
from orthonet.support.checks import check_integer
from orthonet.support.files import write_atomically, writing

Table = dict[str, npt.NDArray[Any]]


def write_shards(graph: MultilayerGraph, folder: PathType, n_shards: int) -> list[Path]:
    """Write a graph to a new or empty folder, in shards of equally many nodes.

    Parameters
    ----------
    graph : MultilayerGraph
        With node ids that are all text or all whole numbers.
    folder : path
    n_shards : int
        As many as there are processes, or a multiple; at most one for each node.

    Returns
    -------
    list of Path
        All files, the manifest last.

    See Also
    --------
    orthonet.files.Shards : opens such a folder; `read_network` reads it whole.
    """
    check_integer(n_shards, "n_shards", minimum=1, maximum=min(graph.n_nodes, MOST_SHARDS))
    home = Path(folder).expanduser()
    if graph.node_ids.dtype.kind not in "iuU":
        raise ValueError("the node ids are of mixed kinds, which a Parquet file cannot hold; make them all text")
    check_text((*graph.layer_names, *graph.two_mode), "layer name")
    with writing(home):
        home.mkdir(exist_ok=True)
        if any(home.iterdir()):
            raise FileExistsError(f"{folder} is not empty; name a new folder for the shards")
    bounds = [graph.n_nodes * shard // n_shards for shard in range(n_shards + 1)]
    written = []
    for shard in range(n_shards):
        for name, table in _tables(NetworkRows.of_graph(graph, bounds[shard], bounds[shard + 1])).items():
            written.append(home / shard_file(shard, name))
            write_atomically(written[-1], table_bytes(table, "parquet"))
    if any(relation.group_names is not None for relation in graph.two_mode.values()):
        written.append(home / GROUPS)
        write_atomically(written[-1], table_bytes(_group_table(graph), "parquet"))
    features = graph.features
    manifest = {
        "format": KIND,
        "version": VERSION,
        "nodes": graph.n_nodes,
        "bounds": bounds,
        "layers": list(graph.layer_names),
        "edges": [int(layer.nnz) // 2 for layer in graph.layers],
        "two_mode": {name: relation.n_groups for name, relation in graph.two_mode.items()},
        "features": 0 if features is None else int(features.shape[1]),
        "sparse_features": bool(features is not None and issparse(features)),
        "feature_names": None if graph.feature_names is None else list(graph.feature_names),
        "layers_from_features": graph.layers_from_features,
        "lacking": not all(mask.all() for mask in graph.present),
        "files": {path.name: {"bytes": path.stat().st_size, "sha256": sha256(path)} for path in written},
    }
    written.append(home / MANIFEST)
    write_atomically(written[-1], (json.dumps(manifest, indent=1) + "\n").encode())
    return written


def _tables(rows: NetworkRows) -> dict[str, Table]:
    """Return the tables of one shard."""
    nodes: Table = {"id": rows.node_ids}
    nodes |= {f"present {name}": mask for name, mask in rows.present.items()}
    if rows.features is not None and not issparse(rows.features):
        nodes |= {f"feature {index}": column for index, column in enumerate(np.asarray(rows.features).T)}
    tables = {"nodes": nodes}
    if rows.layers:
        tables["edges"] = _entries(list(rows.layers.values()), rows.start, ("layer", "source", "target", "weight"))
    if rows.two_mode:
        names = ("relation", "node", "group", "weight")
        tables["memberships"] = _entries(list(rows.two_mode.values()), rows.start, names)
    if rows.features is not None and issparse(rows.features):
        words = _entries([rows.features], rows.start, ("which", "node", "feature", "value"))
        del words["which"]
        tables["words"] = words
    return tables


def _entries(matrices: list[csr_array], start: int, names: tuple[str, str, str, str]) -> Table:
    """Return the entries of several matrices as one table: which matrix, row, column and value."""
    parts = [matrix.tocoo() for matrix in matrices]
    short = np.int32 if start + matrices[0].shape[0] < 2**31 else np.int64
    columns = (
        np.concatenate([np.full(part.nnz, index, dtype=np.int32) for index, part in enumerate(parts)]),
        np.concatenate([part.row.astype(short) + short(start) for part in parts]),
        np.concatenate([part.col for part in parts]),
        np.concatenate([part.data for part in parts]),
    )
    return dict(zip(names, columns, strict=True))


def _group_table(graph: MultilayerGraph) -> Table:
    named = [(index, one) for index, one in enumerate(graph.two_mode.values()) if one.group_names is not None]
    names = [np.array(one.group_names, dtype=str) for _, one in named]
    return {
        "relation": np.concatenate([np.full(one.n_groups, index, dtype=np.int64) for index, one in named]),
        "group": np.concatenate([np.arange(one.n_groups, dtype=np.int64) for _, one in named]),
        "name": np.concatenate(names),
    }
