"""Node features: what is accepted, and how they are brought to a common scale.

Dense columns are standardised (zero mean, unit variance; the columns of a category have it together); rows of words or counts
are scaled to unit length, so that distances are cosines. A sparse matrix is one of words, and so is a dense array without
negative entries that is nearly all zero.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array, issparse
from scipy.sparse.linalg import norm as sparse_norm

from orthonet.graph.arrays import as_matrix, check_finite
from orthonet.support.checks import check_choice
from orthonet.support.warn import warn_user

Features: TypeAlias = npt.NDArray[np.floating[Any]] | csr_array
FeatureScaling = Literal["auto", "standard", "unit", "none"]
FEATURE_SCALINGS: tuple[FeatureScaling, ...] = get_args(FeatureScaling)

BLOCK_ROWS, BLOCK_BYTES = 65_536, 2**24
"""What is looked at together, at most: a memory map need never be in memory as a whole."""
FIRST_ROWS = 1000
"""Rows by which most columns are known to hold other numbers than 0 and 1."""
ZEROS = 0.9
"""Share of zeros from which a dense array without negative entries is a table of words: images, the sparsest of dense features,
stay below it, texts are above 0.95."""


def check_features(features: Any, name: str = "features", n_nodes: int | None = None) -> Features:
    """Return finite features as a float array (dense, C order) or float CSR array; float32 stays float32.

    A memory map of floats stays one, and an iterator of blocks of rows becomes one, in a temporary file.
    """
    if hasattr(features, "__next__"):
        features = spooled(features, name)
    matrix = features.view() if is_float_map(features) else as_matrix(features, name)
    if 0 in matrix.shape:
        raise ValueError(
            f"{name} must have at least one row and one column, got {matrix.shape[0]} rows, {matrix.shape[1]} columns"
        )
    if n_nodes is not None and matrix.shape[0] != n_nodes:
        raise ValueError(f"{name} has {matrix.shape[0]} rows, but the graph has {n_nodes} nodes")
    if issparse(matrix) or not all(np.isfinite(rows).all() for rows in _blocks(matrix)):
        check_finite(matrix, name, "; fill or drop it first")
    return matrix if issparse(matrix) or is_float_map(matrix) else np.ascontiguousarray(matrix)


def column_names(features: Any) -> tuple[str, ...] | None:
    """Return the column names of a frame if all are strings, as scikit-learn does, and all differ."""
    columns = getattr(features, "columns", None)
    if columns is None or not all(isinstance(column, str) for column in columns):
        return None
    return tuple(columns) if len(set(columns)) == len(columns) else None


def spooled(blocks: Iterator[Any], name: str = "features") -> np.memmap[Any, Any]:
    """Write blocks of rows, one after another, to a temporary file, and return a memory map of it.

    The file has no name in the file system, and is gone when the map is.
    """
    file = tempfile.TemporaryFile(prefix="orthonet-")  # noqa: SIM115
    n_rows, n_columns, dtype = 0, -1, np.dtype(np.float64)
    for index, block in enumerate(blocks):
        rows = as_matrix(block, f"{name}, block {index}")
        if issparse(rows):
            raise TypeError(f"{name}, block {index} is sparse; blocks must be dense, or the whole one sparse matrix")
        if n_columns < 0:
            n_columns, dtype = rows.shape[1], rows.dtype
        if rows.shape[1] != n_columns:
            raise ValueError(f"{name}, block {index} has {rows.shape[1]} columns, the blocks before it {n_columns}")
        file.write(np.ascontiguousarray(rows, dtype=dtype).tobytes())
        n_rows += rows.shape[0]
    if n_rows == 0:
        raise ValueError(f"{name} is an iterator that yields no rows")
    file.flush()
    return np.memmap(file, dtype=dtype, mode="r", shape=(n_rows, n_columns))


def rows_of(features: Features, positions: npt.NDArray[np.intp]) -> Features:
    """Return some rows, in the order of their positions; of a memory map as another one, see `spooled`."""
    if not isinstance(features, np.memmap):
        return features[positions]
    size = block_rows(features)
    return spooled(features[positions[start : start + size]] for start in range(0, max(1, len(positions)), size))


def block_rows(features: Any) -> int:
    """Return how many rows are looked at together."""
    return BLOCK_ROWS if issparse(features) else max(1, min(BLOCK_ROWS, BLOCK_BYTES // (8 * features.shape[1])))


def is_float_map(features: Any) -> bool:
    """Return whether features can stay in the file they are in."""
    return isinstance(features, np.memmap) and features.ndim == 2 and features.dtype in (np.float32, np.float64)


def are_words(features: Features) -> bool:
    """Tell whether features are words or counts: sparse, or dense without negative entries and nearly all zero."""
    if not isinstance(features, np.ndarray):
        return bool(features.nnz == 0 or features.data.min() >= 0)
    zeros = 0
    for rows in _blocks(features):
        if (rows < 0).any():
            return False
        zeros += int((rows == 0).sum())
    return zeros >= ZEROS * features.shape[0] * features.shape[1]


def _blocks(features: npt.NDArray[Any]) -> Iterator[npt.NDArray[Any]]:
    size = block_rows(features)
    for start in range(0, len(features), size):
        yield np.asarray(features[start : start + size])


@dataclass(frozen=True)
class FeatureScaler:
    """A fitted scaling of features, applied alike to the nodes it was fitted on and to new ones."""

    kind: FeatureScaling
    mean: npt.NDArray[np.float64] | None = None
    deviation: npt.NDArray[np.float64] | None = None

    @classmethod
    def fit(cls, features: Features, kind: FeatureScaling = "auto", name: str = "features") -> Self:
        """Learn the scaling; constant columns are counted in a warning, and all columns constant is an error."""
        check_choice(kind, "feature_scaling", FEATURE_SCALINGS)
        if kind == "auto":
            kind = "unit" if issparse(features) or are_words(features) else "standard"
        if kind == "standard" and issparse(features):
            raise ValueError(
                "feature_scaling='standard' would make sparse features dense; pass feature_scaling='unit' or 'none', "
                "or dense features"
            )
        if issparse(features):
            low, high = (extreme.toarray().ravel() for extreme in (features.min(axis=0), features.max(axis=0)))
            # A word that no document has is common in sparse data; only if there are no others is it worth a word.
            if (low == high).all():
                tell_constant(low == high, name)
            return cls(kind)
        largest = np.max([np.abs(rows).max(axis=0) for rows in _blocks(features)], axis=0).astype(np.float64)
        unit = np.where(largest > 0, largest, 1.0)  # so that no square overflows or vanishes
        centre = sum((rows / unit).sum(axis=0) for rows in _blocks(features)) / len(features)
        spread = np.sqrt(sum(((rows / unit - centre) ** 2).sum(axis=0) for rows in _blocks(features)) / len(features))
        mean, deviation = largest * centre, largest * spread
        constant = spread <= 10 * np.finfo(features.dtype).eps
        tell_constant(constant, name)
        if kind != "standard":
            return cls(kind)
        if not isinstance(features, np.memmap):
            for group in exclusive_columns(features):
                if len(group) > 1:
                    deviation[group] = np.linalg.norm(deviation[group])  # a category counts as one column
        return cls(kind, mean, np.where(constant, 1.0, deviation))

    def transform(self, features: Features) -> Features:
        """Return the scaled features; the input is not changed."""
        if self.mean is not None and self.deviation is not None:
            return (features - self.mean) / self.deviation
        if self.kind == "unit":
            if issparse(features):
                lengths = sparse_norm(features, axis=1)
                return csr_array(diags_array(1.0 / np.where(lengths > 0, lengths, 1.0)) @ features)
            lengths = np.linalg.norm(features, axis=1, keepdims=True)
            return features / np.where(lengths > 0, lengths, 1.0)
        return features


def exclusive_columns(columns: npt.NDArray[Any]) -> list[list[int]]:
    """Group neighbouring columns of 0 and 1 of which no node has two: a category, written with a column for each value.

    Any other column is a group of its own.
    """
    first_rows = columns[
        :FIRST_ROWS
    ]  # of most columns they tell that they are no choice, before all rows are looked at
    may_be_choices = ((first_rows == 0) | (first_rows == 1)).all(axis=0)
    groups: list[list[int]] = []
    taken: npt.NDArray[np.bool_] | None = None
    for index, may_be in enumerate(may_be_choices):
        chosen = columns[:, index] == 1 if may_be else None
        if chosen is not None and not (chosen | (columns[:, index] == 0)).all():
            chosen = None
        if chosen is None or taken is None or (taken & chosen).any():
            groups.append([index])
            taken = chosen
        else:
            groups[-1].append(index)
            taken = taken | chosen
    return groups


def tell_constant(constant: npt.NDArray[np.bool_], name: str) -> None:
    """Warn of columns that are constant, and raise if all are."""
    if constant.all():
        raise ValueError(
            f"{name}: all {len(constant)} columns are constant, so they cannot tell the nodes apart; pass features that "
            "vary, or only the layers"
        )
    if constant.any():
        columns = np.flatnonzero(constant)
        first = ", ".join(map(str, columns[:5])) + (", …" if len(columns) > 5 else "")
        warn_user(
            f"{name}: {len(columns)} of {len(constant)} columns are constant (column {first}) and carry no "
            "information; drop them to silence this"
        )
