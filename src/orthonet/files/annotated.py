"""AnnData and MuData files (.h5ad, .h5mu): their graphs, or layers built from their features, and the columns of ``obs``."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import issparse

from orthonet.files.archives import compressed
from orthonet.files.errors import FileError, naming_file
from orthonet.files.isolation import ReaderError, asked
from orthonet.files.network import Column
from orthonet.files.source import UNPACKED_LIMIT, UNPACKED_RATIO, PathType, check_file
from orthonet.graph.convert.anndata_objects import from_anndata, from_mudata
from orthonet.graph.convert.recognition import without_options
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.graph.validation import Symmetrize
from orthonet.support.optional import require
from orthonet.support.text import listed, one_line

SUFFIXES = (".h5ad", ".h5mu")
"""What files of AnnData and of MuData are called."""
UNPACKED, SPARE_SECONDS = 4, 5
"""For the time that reading may take: how many times its size a file's content is taken to be, and the time of a small one."""


@dataclass(frozen=True, eq=False)
class AnnotatedFile:
    """What was read from an AnnData or MuData file.

    Attributes
    ----------
    graph : MultilayerGraph
    attributes : mapping of names to arrays of shape (N,)
        The columns of ``obs``.
    notes : tuple of str
        What was taken and what was not.
    code : str
        Lines of Python that make the same ``graph``.
    """

    graph: MultilayerGraph
    attributes: Mapping[str, Column]
    notes: tuple[str, ...]
    code: str


def read_annotated(
    path: PathType, *, n_neighbors: int = 10, metric: str = "euclidean", symmetrize: Symmetrize = "max"
) -> AnnotatedFile:
    """Read an AnnData or a MuData file.

    Parameters
    ----------
    path : path
        Its suffix says which: ``.h5ad`` or ``.h5mu``.
    n_neighbors, metric
        For layers built from features: of each modality of a MuData, and of ``X_pca``, or else ``X``, of an AnnData without
        graphs in ``obsp``.
    symmetrize : {"mean", "max", "min"}, default="max"
        How a graph that has a direction becomes symmetric.
    """
    file = check_file(path)
    package, function = ("mudata", "read_h5mu") if file.suffix.lower() == ".h5mu" else ("anndata", "read_h5ad")
    library = require(package, extra="anndata", purpose=f"reading an {file.suffix.lower()} file")
    _check_content(file, package)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the libraries about their own next versions and tables
            data = getattr(library, function)(file)
    except (ImportError, PermissionError):
        raise
    except Exception as error:
        said = one_line(error, 300)
        raise FileError.about(file, f"cannot be read by {package}, or is damaged ({said})") from error
    building: dict[str, Any] = {"n_neighbors": n_neighbors, "metric": metric}
    with naming_file(file):
        for one in data.mod.values() if package == "mudata" else (data,):
            _check_sparse(one)
        if package == "mudata":
            graph, taken, options = from_mudata(data, **building), _modalities(data), building
        else:
            options, taken = _anndata_options(data, building, symmetrize)
            graph = from_anndata(data, **options)
    call = ", ".join(["data", *(f"{name}={value!r}" for name, value in options.items())])
    reading = f"data = {package}.{function}({str(path)!r})"
    code = f"import {package}\nfrom orthonet import from_{package}\n\n{reading}\ngraph = from_{package}({call})"
    return AnnotatedFile(graph, _columns(data.obs), (*(f"{path}: {note}" for note in taken),), code)


def _check_content(file: Path, package: str) -> None:
    """Have all of an HDF5 file read in another process before the library is let at it in this one."""
    size = file.stat().st_size
    most = max(UNPACKED_LIMIT, UNPACKED_RATIO * size)
    try:
        asked({"path": str(file.resolve()), "most_bytes": most}, UNPACKED * size, SPARE_SECONDS)
    except ReaderError as error:
        raise FileError.about(file, f"cannot be read by {package}, or is damaged ({error})") from error


def _check_sparse(data: Any) -> None:
    """Refuse sparse matrices whose indices lead elsewhere: scipy follows them as they are."""
    named = {f"obsp[{key!r}]": one for key, one in data.obsp.items()}
    named |= {f"obsm[{key!r}]": one for key, one in data.obsm.items()}
    for name, matrix in {**named, "X": data.X}.items():
        if issparse(matrix) and matrix.format in ("csr", "csc"):
            parts = matrix.data, matrix.indices, matrix.indptr
            compressed(*parts, matrix.shape, by_column=matrix.format == "csc", name=f"{name}: ")


def _anndata_options(data: Any, building: dict[str, Any], symmetrize: Symmetrize) -> tuple[dict[str, Any], list[str]]:
    """Return how the graph is made, and notes about it."""
    views = without_options(data)
    graphs = [] if views else [key for key in data.obsp if not key.endswith("distances")]
    features = "X_pca" if "X_pca" in data.obsm else "X"
    notes = [f"layers are the graphs of obsp: {listed(graphs)}"]
    options: dict[str, Any] = {"symmetrize": symmetrize}
    if not graphs:
        notes = [f"obsp has no graph of similarities; the layer is built from {features}"]
        options = {**views, **building}
    if features in data.obsm or data.X is not None:
        notes.append(f"features are {features}")
    left = [*(f"obsp[{key!r}]" for key in data.obsp if key not in graphs)]
    left += [f"obsm[{key!r}]" for key in data.obsm if key != features]
    left += ["X"] * (features != "X" and data.X is not None)
    left += [f"layers[{key!r}]" for key in data.layers]
    return options, notes + ([f"not read: {listed(left)}"] if left else [])


def _modalities(data: Any) -> list[str]:
    """Return notes of what is taken of each modality, as `from_mudata` does it."""
    taken = [f"{name} ({'X_pca' if 'X_pca' in one.obsm else 'X'})" for name, one in data.mod.items()]
    return [f"a layer is built from each modality: {listed(taken)}"] + (
        [f"not read: {listed([f'obsp[{key!r}]' for key in data.obsp])}"] if len(data.obsp) else []
    )


def _columns(table: Any) -> dict[str, Column]:
    """Return the columns of a frame: numbers (missing: NaN) or text (missing: "")."""
    found: dict[str, Column] = {}
    for name in table.columns:
        column = table[name]
        if getattr(column.dtype, "kind", "O") in "biuf":
            found[str(name)] = column.to_numpy(dtype=np.float64)
        else:
            missing = column.isna().to_numpy()
            found[str(name)] = np.where(missing, "", column.astype(str).to_numpy(dtype=str))
    return found
