"""Relations published as one npz file: edges listed once, words as the parts of a CSR matrix, and classes.

| array | what |
|---|---|
| ``edges_NAME``, 2 x E | an undirected layer, each edge once |
| ``X_data``, ``X_indices``, ``X_indptr``, ``X_shape`` | features; not there if there are none |
| ``y``, N | classes, from 0 |
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from orthonet.datasets.dataset import data_file
from orthonet.datasets.relations import relation_graph
from orthonet.files.archives import checked_shape, compressed, opened_archive
from orthonet.files.errors import reading
from orthonet.files.source import Source
from orthonet.graph.edge_list import EdgeList
from orthonet.graph.multilayer import MultilayerGraph

FEATURE_ARRAYS = ("X_data", "X_indices", "X_indptr", "X_shape")


def read_relations_npz(
    relative: str,
    data_home: str | PathLike[str] | None,
    layers: Mapping[str, str],
    what: str,
    *,
    features: bool = True,
) -> tuple[MultilayerGraph, npt.NDArray[np.int64]]:
    """Return the graph and the classes of a file of this layout.

    Parameters
    ----------
    relative : str
        Its place below the data home.
    data_home : path or None
        ORTHONET_DATA_HOME if None.
    layers : mapping of str to str
        Names of the layers → names of their arrays.
    what : str
        What to get if the file is not there, for the error; the names of the arrays are added.
    features : bool, default=True
        Whether it has features.
    """
    names = [*layers.values(), *(FEATURE_ARRAYS if features else ()), "y"]
    arrays = f"{', '.join(names[:-1])} and {names[-1]}"
    file = data_file(relative, data_home, f"{what} as arrays {arrays} (we know of no public address of this very file)")
    with (
        reading(file, f"an npz file with {arrays}"),
        opened_archive(Source.of(file)) as content,
    ):
        labels = content["y"].astype(np.int64)
        words = _features(content) if features else None
        adjacencies = {name: _layer(content[key], len(labels)) for name, key in layers.items()}
    return relation_graph(file, adjacencies, words, labels), labels


def _features(content: Any) -> csr_array:
    data, indices, indptr, shape = (content[name] for name in FEATURE_ARRAYS)
    return compressed(data.astype(np.float64), indices, indptr, checked_shape(shape), name="X_")


def _layer(edges: npt.NDArray[np.integer], n_nodes: int) -> csr_array:
    if edges.ndim != 2 or len(edges) != 2 or edges.dtype.kind not in "iu":
        raise ValueError(f"edges must be two rows of node numbers, but are {edges.dtype} of shape {edges.shape}")
    source, target = edges.astype(np.int64)
    if edges.size and not 0 <= edges.min() <= edges.max() < n_nodes:
        raise ValueError(f"its edges join nodes {edges.min()} to {edges.max()}, but there are {n_nodes} labels")
    return EdgeList(source, target, np.ones(len(source))).adjacency(n_nodes, merge="max")
