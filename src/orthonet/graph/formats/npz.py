"""Archives of numpy arrays: one sparse matrix as scipy saves it, or a whole multilayer graph as `write_npz` does.

layer_names, node_ids            text or numbers
layer_0_data, _indices, _indptr  a layer in CSR form, symmetric; and so on
present                          S x N, which nodes a layer holds
features  (or features_data, _indices, _indptr, _shape), feature_names, layers_from_features    where there are any
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from tokenize import TokenError
from typing import Any
from zipfile import BadZipFile

import numpy as np
from scipy.sparse import csr_array, issparse, load_npz

from orthonet.graph.formats.matrices import rows_of_matrix
from orthonet.graph.formats.opening import check_zip
from orthonet.graph.formats.options import ReadOptions
from orthonet.graph.formats.part import Part
from orthonet.graph.ids import check_unique
from orthonet.graph.multilayer import MultilayerGraph

DAMAGE = (
    BadZipFile,
    zlib.error,
    EOFError,
    ValueError,
    KeyError,
    TypeError,
    OverflowError,
    OSError,  # a place in the archive that is none
    RuntimeError,  # a password
    MemoryError,  # a heading that promises more numbers than any memory holds
    TokenError,
)


def read_npz(path: Path, options: ReadOptions) -> Part:
    """Read a sparse matrix, one layer, or a graph from an archive of arrays; nothing in it is ever run."""
    check_zip(path)
    try:
        with np.load(path, allow_pickle=False) as archive:
            if "layer_names" in archive.files:
                return _graph(path, {name: archive[name] for name in archive.files})
            if "format" not in archive.files:
                raise ValueError(
                    f"it holds {', '.join(map(repr, archive.files)) or 'nothing'}, neither a sparse matrix nor a graph"
                )
        matrix = load_npz(path)
    except DAMAGE as error:
        raise ValueError(f"{path} is no archive of a graph: {_told(error)}") from error
    rows, n_nodes = rows_of_matrix(matrix, path)
    return Part(path, None, n_nodes, {path.name.split(".")[0]: rows})


def npz_bytes(graph: MultilayerGraph) -> bytes:
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
    if graph.features is not None and issparse(graph.features):
        arrays |= _csr_arrays("features", graph.features) | {"features_shape": np.array(graph.features.shape)}
    elif graph.features is not None:
        arrays["features"] = np.asarray(graph.features)
    if graph.feature_names is not None:
        arrays["feature_names"] = np.array(graph.feature_names, dtype=str)
    buffer = BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def _told(error: BaseException) -> str:
    """Return an error in one line; some have no text, and that of a missing array is only its name."""
    text = " ".join(str(error).split())
    return f"it has no {text}" if isinstance(error, KeyError) else text or "it is damaged"


def _csr_arrays(name: str, matrix: csr_array) -> dict[str, Any]:
    return {f"{name}_data": matrix.data, f"{name}_indices": matrix.indices, f"{name}_indptr": matrix.indptr}


def _graph(path: Path, arrays: Mapping[str, Any]) -> Part:
    ids, called = arrays["node_ids"], arrays["layer_names"]
    if ids.ndim != 1 or called.ndim != 1 or called.dtype.kind != "U":
        raise ValueError("its node ids or layer names are not a list")
    names = called.tolist()
    if not names or len(set(names)) < len(names):
        raise ValueError(f"it needs layers of different names, got {', '.join(map(repr, names)) or 'none'}")
    check_unique(ids, "node_ids")
    layers, present = {}, {}
    for index, name in enumerate(names):
        matrix = _csr(arrays, f"layer_{index}", (len(ids), len(ids)))
        layers[name] = rows_of_matrix(matrix, path, f"layer {name!r}")[0]
        present[name] = np.array(arrays["present"][index], dtype=bool)
        if present[name].shape != ids.shape:
            raise ValueError(f"present has shape {arrays['present'].shape}")
    features = arrays.get("features")
    if "features_data" in arrays:
        features = _csr(arrays, "features", tuple(arrays["features_shape"].tolist()))
    names_of_features = arrays.get("feature_names")
    if names_of_features is not None and (features is None or names_of_features.shape != features.shape[1:]):
        raise ValueError(f"it names {names_of_features.size} features, but holds another number of them")
    return Part(
        path,
        ids,
        len(ids),
        layers,
        present=present,
        features=features,
        feature_names=None if names_of_features is None else tuple(map(str, names_of_features.tolist())),
        layers_from_features=bool(arrays["layers_from_features"]),
    )


def _csr(arrays: Mapping[str, Any], name: str, shape: tuple[int, ...]) -> csr_array:
    parts = tuple(arrays[f"{name}_{part}"] for part in ("data", "indices", "indptr"))
    if any(part.dtype.kind not in "iu" for part in parts[1:]):
        raise ValueError(f"{name}_indices and {name}_indptr must be whole numbers")
    matrix = csr_array(parts, shape=shape)
    matrix.check_format(full_check=True)
    return matrix
