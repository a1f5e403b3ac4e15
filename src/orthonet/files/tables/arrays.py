"""Features without names, a node in each row: numpy's .npy files, left on the disk, and scipy's sparse .npz archives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from orthonet.files.archives import FalseIndices, opened_archive, read_header, sparse_matrix
from orthonet.files.errors import FileError, Place, naming_file, reading
from orthonet.files.options import Gaps
from orthonet.files.source import Source
from orthonet.files.tables.feature_values import fill_missing
from orthonet.graph.arrays import as_float, as_matrix, check_finite
from orthonet.graph.features import Features, is_float_map

MOST_UNSAID_NODES = 10**6
"""So many nodes may be declared by a file that says little about them; more need as many bytes or entries."""


def read_array(source: Source, missing: Gaps, keep_empty_rows: bool) -> tuple[Features, list[str]]:
    """Return the array of a .npy file and notes: a read-only memory map if it holds floats and none is missing."""
    array = map_array(source, "an array of numbers as numpy.save writes it")
    _check_shape(array, source.path)
    features = array if is_float_map(array) and array.dtype.isnative else as_float(np.asarray(array), "the array")
    return fill_missing(
        features,
        missing,
        path=source.path,
        place=lambda row: Place(source.path, row + 1),
        column=lambda column: f"column {column}",
        keep_empty_rows=keep_empty_rows,
    )


def read_sparse(source: Source) -> csr_array:
    """Return the matrix of an archive that ``scipy.sparse.save_npz`` wrote."""
    what = "an archive of one sparse matrix as scipy.sparse.save_npz writes it"
    with reading(source.path, what), opened_archive(source) as archive:
        try:
            matrix = sparse_matrix(archive)
        except FalseIndices as error:
            raise FileError(source.path, f"the file is damaged ({error})") from error
    _check_shape(matrix, source.path)
    check_entries(matrix.shape, matrix.nnz, source.path)
    with naming_file(source.path):
        features = as_matrix(matrix, "the matrix")
        check_finite(features, "the matrix")
    return features


def map_array(source: Source, what: str) -> np.ndarray:
    """Return the array of a .npy file without reading it; nothing in it is ever run."""
    with reading(source.path, what):
        with source.path.open("rb") as file:
            read_header(file, source.path.name)
        return np.load(source.path, mmap_mode="r", allow_pickle=False)


def check_entries(shape: tuple[int, int], n_entries: int, path: Path) -> None:
    """Refuse a sparse matrix that claims far more rows or columns than it has entries."""
    if max(shape) > max(MOST_UNSAID_NODES, 100 * n_entries):
        raise FileError.about(path, f"has a matrix of {shape[0]:,} x {shape[1]:,} with only {n_entries:,} entries")


def shape_of(value: Any) -> str:
    """Return the shape in words, such as 3 x 4."""
    return " x ".join(map(str, value.shape))


def _check_shape(array: np.ndarray, path: Path) -> None:
    if array.ndim != 2 or 0 in array.shape:
        raise FileError.about(path, f"must hold a table, nodes x features; got shape {shape_of(array) or '()'}")
    if array.dtype.kind not in "biuf":
        raise FileError.about(path, f"must hold real numbers, got dtype {array.dtype}")
