"""Features without names, a node in each row: numpy's .npy files, left on the disk, and scipy's sparse .npz archives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.sparse import csr_array, issparse, load_npz

from orthonet.graph.arrays import as_float, as_matrix, check_finite
from orthonet.graph.features import Features, is_float_map
from orthonet.graph.formats.damage import reading
from orthonet.graph.formats.matlab_values import check_indices, shape_of
from orthonet.graph.formats.matrices import BELIEVED
from orthonet.graph.formats.missing_values import MissingFeatures, fill_missing
from orthonet.graph.formats.opening import check_zip

NUMPY = b"\x93NUMPY"


def read_npy(path: Path, missing: MissingFeatures, keep_empty_rows: bool) -> tuple[Features, list[str]]:
    """Return the array of a .npy file and notes: a read-only memory map if it holds floats and lacks none of them."""
    array = mapped(path)
    _check_shape(array, path)
    features = array if is_float_map(array) and array.dtype.isnative else as_float(np.asarray(array), str(path))
    return fill_missing(
        features,
        missing,
        file=str(path),
        row=lambda row: f"{path}, row {row + 1}",
        column=lambda column: f"column {column}",
        keep_empty_rows=keep_empty_rows,
    )


def read_sparse(path: Path) -> csr_array:
    """Return the matrix of an archive that scipy's ``save_npz`` wrote."""
    check_zip(path)
    with reading(path, "an archive of one sparse matrix as scipy.sparse.save_npz writes it"):
        with np.load(path, allow_pickle=False) as archive:
            if "format" not in archive.files:
                raise ValueError(f"it holds {', '.join(map(repr, archive.files[:9])) or 'nothing'}")
        matrix = load_npz(path)
    _check_shape(matrix, path)
    if not issparse(matrix) or max(matrix.shape) > max(BELIEVED, 100 * matrix.nnz):
        raise ValueError(f"{path} is {shape_of(matrix)}, but has only {matrix.nnz:,} entries")
    check_indices(matrix, str(path))
    features = as_matrix(matrix, str(path))
    check_finite(features, str(path))
    return features


def mapped(path: Path) -> np.ndarray:
    """Return the array of a .npy file without reading it; nothing in it is ever run."""
    with reading(path, "an array of numbers as numpy.save writes it"):
        return np.load(path, mmap_mode="r", allow_pickle=False)


def _check_shape(array: np.ndarray, path: Path) -> None:
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(f"{path} must hold a table, nodes x features; got shape {shape_of(array) or '()'}")
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{path} must hold real numbers, got dtype {array.dtype}")
