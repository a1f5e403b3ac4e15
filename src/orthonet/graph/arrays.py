"""From whatever holds numbers (arrays, sparse matrices, frames) to float arrays, or to an error that says where it fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse


def as_matrix(given: Any, name: str) -> Any:
    """Return a 2-D float array, or a CSR array with 32-bit indices and no entry stored twice; float32 stays float32."""
    if isinstance(given, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array; fill the mask first, e.g. with .filled(0)")
    matrix = csr_array(given, copy=True) if issparse(given) else _plain_array(given)
    if matrix.ndim == 1:
        raise ValueError(f"{name} must be 2-dimensional, got {matrix.size} numbers in a row: reshape(-1, 1)?")
    if matrix.ndim != 2:
        raise ValueError(f"{name} must be 2-dimensional, got {_shape_of(given, matrix)}")
    matrix = as_float(matrix, name)
    if issparse(matrix):
        matrix.sum_duplicates()
        return with_short_indices(matrix)
    return matrix


def as_float(matrix: Any, name: str) -> Any:
    """Return a copy of a numeric array or sparse array in floating point, or raise."""
    if matrix.dtype == object and not issparse(matrix):
        try:
            return matrix.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name} must hold numbers: {error}") from None
    if matrix.dtype.kind not in "biuf":
        raise ValueError(f"{name} must hold real numbers, got dtype {matrix.dtype}")
    return matrix.astype(np.float32 if matrix.dtype == np.float32 else np.float64)


def with_short_indices(matrix: csr_array) -> csr_array:
    """Return a CSR array with 32-bit indices where they suffice: half the memory, and all that scikit-learn accepts."""
    if max(matrix.nnz, *matrix.shape) > np.iinfo(np.int32).max:
        return matrix
    indices, indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    return csr_array((matrix.data, indices, indptr), shape=matrix.shape)


def frozen(matrix: Any) -> Any:
    """Forbid writing to an array, or to the parts of a CSR array, and return it."""
    for part in (matrix.data, matrix.indices, matrix.indptr) if issparse(matrix) else (matrix,):
        part.flags.writeable = False
    return matrix


def check_finite(matrix: Any, name: str, advice: str = "") -> None:
    """Raise if an entry is NaN or infinite: how many, and where the first stands."""
    values = matrix.data if issparse(matrix) else matrix
    if np.isfinite(values).all():
        return
    if issparse(matrix):
        entries = matrix.tocoo()
        bad = np.flatnonzero(~np.isfinite(entries.data))
        row, column, value = entries.row[bad[0]], entries.col[bad[0]], entries.data[bad[0]]
    else:
        bad = np.flatnonzero(~np.isfinite(matrix))
        row, column = np.unravel_index(bad[0], matrix.shape)
        value = matrix[row, column]
    kind = "NaN" if np.isnan(value) else "infinity"
    raise ValueError(
        f"{name} contains NaN or infinity: {len(bad)} entries, the first {kind} at row {row}, column {column}{advice}"
    )


def named_matrices(given: Any, names: Sequence[str] | None, argument: str) -> tuple[list[Any], Sequence[str] | None]:
    """Return the matrices of a sequence or mapping as a list, and their names, if there are any."""
    if isinstance(given, Mapping):
        return list(given.values()), tuple(map(str, given)) if names is None else names
    if issparse(given) or hasattr(given, "columns") or getattr(given, "ndim", 3) == 2:
        raise TypeError(f"{argument} must be a sequence of matrices; for a single one pass [matrix]")
    if isinstance(given, str) or not hasattr(given, "__len__"):
        raise TypeError(
            f"{argument} must be a list of matrices or a mapping of names to them, got {type(given).__name__}"
        )
    return list(given), names


def _plain_array(given: Any) -> np.ndarray[Any, Any]:
    """Return an array; the missing entries of pandas' own types become NaN."""
    if hasattr(given, "to_numpy") and any(hasattr(dtype, "na_value") for dtype in getattr(given, "dtypes", ())):
        try:
            return np.asarray(given.to_numpy(dtype=np.float64, na_value=np.nan))
        except (TypeError, ValueError):
            pass  # text: the caller finds out, and says so
    return np.asarray(given)


def _shape_of(given: Any, matrix: np.ndarray[Any, Any]) -> str:
    return f"shape {matrix.shape}" if matrix.ndim else f"{type(given).__name__}"
