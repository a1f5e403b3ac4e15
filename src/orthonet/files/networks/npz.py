"""Archives of numpy arrays: one sparse matrix as scipy saves it, or a whole multilayer graph as `write_npz` writes it.

layer_names, node_ids            text or numbers
layer_0_data, _indices, _indptr  a layer in CSR form, symmetric; and so on
present                          S x N, which nodes are present in a layer
two_mode_names, two_mode_0_data, _indices, _indptr, _shape, _groups    two-mode relations, and the names of their groups, if any
features  (or features_data, _indices, _indptr, _shape), feature_names, layers_from_features    where there are any
"""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from orthonet.files.archives import ArrayArchive, checked_shape, compressed, opened_archive, sparse_matrix
from orthonet.files.errors import PARSER_ERRORS, FileError, one_line
from orthonet.files.network import NetworkPart
from orthonet.files.networks.layer_rows import part_of_matrix, rows_of_matrix
from orthonet.files.options import ReadOptions
from orthonet.files.source import Source
from orthonet.graph.ids import check_unique
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.graph.two_mode import TwoMode
from orthonet.support.text import listed


def read_npz(source: Source, options: ReadOptions) -> NetworkPart:
    """Read a sparse matrix, one layer, or a graph from an archive of arrays; nothing in it is ever run."""
    try:
        with opened_archive(source) as archive:
            if "layer_names" in archive:
                return _graph(source, archive)
            if "format" not in archive:
                found = listed([repr(name) for name in archive]) or "nothing"
                raise ValueError(f"it holds {found}, neither a sparse matrix nor a graph")
            matrix = sparse_matrix(archive)
    except (FileError, PermissionError):
        raise
    except PARSER_ERRORS as error:
        raise FileError.about(source.path, f"is not an archive of a graph: {one_line(error)}") from error
    return part_of_matrix(matrix, source)


def write_npz(graph: MultilayerGraph) -> bytes:
    """Return a graph, whole, as an archive of arrays."""
    arrays: dict[str, Any] = {
        "layer_names": np.array(graph.layer_names, dtype=str),
        "node_ids": graph.node_ids,
        "present": np.array(graph.present),
        "layers_from_features": np.array(graph.layers_from_features),
    }
    if graph.node_ids.dtype == object:
        raise ValueError("the node ids are of mixed kinds, which an .npz file cannot hold; make them all text")
    for index, layer in enumerate(graph.layers):
        arrays |= _csr_arrays(f"layer_{index}", layer)
    if graph.two_mode:
        arrays["two_mode_names"] = np.array(list(graph.two_mode), dtype=str)
    for index, relation in enumerate(graph.two_mode.values()):
        called = f"two_mode_{index}"
        arrays |= _csr_arrays(called, relation.incidence) | {f"{called}_shape": np.array(relation.incidence.shape)}
        if relation.group_names is not None:
            arrays[f"{called}_groups"] = np.array(relation.group_names, dtype=str)
    if graph.features is not None and issparse(graph.features):
        arrays |= _csr_arrays("features", graph.features) | {"features_shape": np.array(graph.features.shape)}
    elif graph.features is not None:
        arrays["features"] = np.asarray(graph.features)
    if graph.feature_names is not None:
        arrays["feature_names"] = np.array(graph.feature_names, dtype=str)
    buffer = BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def _csr_arrays(name: str, matrix: csr_array) -> dict[str, Any]:
    return {f"{name}_data": matrix.data, f"{name}_indices": matrix.indices, f"{name}_indptr": matrix.indptr}


def _graph(source: Source, archive: ArrayArchive) -> NetworkPart:
    arrays = dict(archive)
    ids, called = arrays["node_ids"], arrays["layer_names"]
    if ids.ndim != 1 or called.ndim != 1 or called.dtype.kind != "U":
        raise ValueError("its node ids or layer names are not a list")
    names = called.tolist()
    if (not names and "two_mode_names" not in arrays) or len(set(names)) < len(names):
        raise ValueError(f"it needs layers of different names, got {', '.join(map(repr, names)) or 'none'}")
    check_unique(ids, "node_ids")
    if names and (arrays["present"].shape != (len(names), len(ids)) or arrays["present"].dtype.kind not in "biu"):
        shape = arrays["present"].shape
        raise ValueError(f"present has shape {shape}; wanted truth values of shape {(len(names), len(ids))}")
    layers, present = {}, {}
    for index, name in enumerate(names):
        matrix = _csr(arrays, f"layer_{index}", (len(ids), len(ids)))
        layers[name] = rows_of_matrix(matrix, source, f"layer {name!r}")[0]
        present[name] = np.array(arrays["present"][index], dtype=bool)
    features = arrays.get("features")
    if "features_data" in arrays:
        features = _csr(arrays, "features", checked_shape(arrays["features_shape"]))
    if features is not None and features.ndim != 2:
        raise ValueError(f"features has shape {features.shape}; wanted a table")
    names_of_features = arrays.get("feature_names")
    if names_of_features is not None and (features is None or names_of_features.shape != features.shape[1:]):
        raise ValueError(f"it names {names_of_features.size} features, but holds another number of them")
    return NetworkPart(
        source.path,
        ids,
        len(ids),
        layers,
        present=present,
        features=features,
        feature_names=None if names_of_features is None else tuple(map(str, names_of_features.tolist())),
        layers_from_features=bool(arrays["layers_from_features"].any()),
        two_mode=_two_mode(arrays, len(ids)),
    )


def _two_mode(arrays: Mapping[str, Any], n_nodes: int) -> dict[str, TwoMode]:
    relations = {}
    for index, name in enumerate(arrays["two_mode_names"].tolist() if "two_mode_names" in arrays else ()):
        shape = tuple(arrays[f"two_mode_{index}_shape"].tolist())
        if len(shape) != 2 or shape[0] != n_nodes:
            raise ValueError(f"the two-mode relation {name!r} is of shape {shape}, but there are {n_nodes} nodes")
        groups = arrays.get(f"two_mode_{index}_groups")
        relations[str(name)] = TwoMode(
            _csr(arrays, f"two_mode_{index}", shape), None if groups is None else groups.tolist()
        )
    return relations


def _csr(arrays: Mapping[str, Any], name: str, shape: tuple[int, int]) -> csr_array:
    data, indices, indptr = (arrays[f"{name}_{part}"] for part in ("data", "indices", "indptr"))
    return compressed(data, indices, indptr, shape, name=f"{name}_")
