"""Values of a Matlab file as features of nodes or labels of nodes; errors say what else a value is."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, issparse

from orthonet.files.errors import FileError
from orthonet.files.matlab.isolation import NotData
from orthonet.files.tables.arrays import MOST_UNSAID_NODES, shape_of
from orthonet.graph.features import Features
from orthonet.support.sentences import Argument
from orthonet.support.text import listed

Orientation = Literal["auto", "rows", "columns"]
Labels = npt.NDArray[np.int64]


def as_view(value: Any, path: Path, name: str) -> Features:
    """Return a view as a matrix of floats, whichever way round."""
    value = only_cell(value)
    if issparse(value):
        check_real(value, path, name)
        matrix = csr_array(value, dtype=np.float64)
    else:
        check_plain(value, path, name, "a matrix of numbers")
        check_real(value, path, name)
        if value.ndim != 2:
            raise FileError(path, f"{name} is {shape_of(value)}; wanted a matrix")
        matrix = np.asarray(value, dtype=np.float64)
    if 0 in matrix.shape:
        raise FileError(path, f"{name} is empty ({shape_of(value)})")
    return matrix


def as_labels(value: Any, path: Path, name: str) -> Labels:
    """Return labels, in any of the usual forms, as a vector of integers."""
    if is_cell(value) and value.size > 1:
        # A cell of text is refused by its own error.
        vectors = [as_labels(cell, path, f"{name}, cell {index},") for index, cell in enumerate(value.ravel(), 1)]
        if any(not np.array_equal(vectors[0], other) for other in vectors):
            raise FileError(path, f"{name} are {len(vectors)} cells that differ; wanted the same labels in each")
        return vectors[0]
    value = only_cell(value)
    if issparse(value):
        if math.prod(value.shape) > max(MOST_UNSAID_NODES, 1000 * value.nnz):
            raise FileError(
                path, f"{name} are {shape_of(value)} with only {value.nnz:,} entries; wanted one for each node"
            )
        value = value.toarray()
    check_plain(value, path, name, "a vector of whole numbers")
    check_real(value, path, name)
    numbers = np.asarray(value, dtype=np.float64)
    if numbers.size == 0:
        raise FileError(path, f"{name} are empty ({shape_of(value)})")
    if not np.isfinite(numbers).all():
        raise FileError(
            path, f"{name} hold {np.sum(~np.isfinite(numbers))} NaN or infinite of {numbers.size}; wanted whole numbers"
        )
    if numbers.size != max(numbers.shape):
        return from_indicators(numbers, path, name)
    if (numbers != np.round(numbers)).any() or np.abs(numbers).max() > 2**53:
        odd = numbers[numbers != np.round(numbers)]
        raise FileError(
            path, f"{name} are not all whole numbers, such as {odd.flat[0] if odd.size else numbers.max():g}"
        )
    return numbers.ravel().astype(np.int64)


def from_indicators(numbers: npt.NDArray[np.float64], path: Path, name: str) -> Labels:
    """Return the position of the only one in each row, or in each column if there the rows are classes."""
    if numbers.ndim == 2 and np.isin(numbers, (0, 1)).all():
        if (numbers.sum(axis=1) == 1).all():
            return numbers.argmax(axis=1).astype(np.int64)
        if (numbers.sum(axis=0) == 1).all():
            return numbers.argmax(axis=0).astype(np.int64)
    raise FileError(
        path, f"{name} are a {shape_of(numbers)} matrix; wanted a vector, or zeros and a single one for each node"
    )


def nodes_in_rows(
    views: dict[str, Features], labels: Labels | None, orientation: Orientation, path: Path
) -> tuple[Features, ...]:
    """Turn the views so that a node is a row, or raise if it could be either."""
    listed = ", ".join(f"{name} is {shape_of(view)}" for name, view in views.items())
    heights, widths = ({view.shape[axis] for view in views.values()} for axis in (0, 1))
    counted = None if labels is None else len(labels)
    fits = {
        "rows": len(heights) == 1 and counted in (None, *heights),
        "columns": len(widths) == 1 and counted in (None, *widths),
    }
    wanted = "" if counted is None else f", and there are {counted} labels"
    if orientation != "auto":
        if not fits[orientation]:
            said = Argument("orientation", orientation)
            raise FileError(path, "with ", said, f" the views do not fit together: {listed}{wanted}")
    elif all(fits.values()):
        raise FileError(
            path,
            f"a node may be a row or a column: {listed}{wanted}; pass ",
            Argument("orientation", "rows", "columns"),
        )
    elif any(fits.values()):
        orientation = "rows" if fits["rows"] else "columns"
    elif counted is not None and all(
        (view.shape[0] == counted) != (view.shape[1] == counted) for view in views.values()
    ):
        # Each on its own, as in files put together from several sources.
        return tuple(view if view.shape[0] == counted else transposed(view) for view in views.values())
    else:
        raise FileError(path, f"the views do not have the same nodes: {listed}{wanted}")
    return tuple(view if orientation == "rows" else transposed(view) for view in views.values())


def transposed(view: Features) -> Features:
    """Return the view with rows and columns exchanged."""
    return csr_array(view.T) if issparse(view) else np.ascontiguousarray(view.T)


def is_cell(value: Any) -> bool:
    """Return whether a value is a Matlab cell."""
    return isinstance(value, np.ndarray) and value.dtype == object


def only_cell(value: Any) -> Any:
    """Return what is in a cell that holds one thing, however often it is wrapped."""
    while is_cell(value) and value.size == 1:
        value = value.flat[0]
    return value


def check_plain(value: Any, path: Path, name: str, wanted: str) -> None:
    """Refuse structs, objects, functions, cells and text."""
    if isinstance(value, NotData):
        of = f" with the fields {listed(value.fields)}" if value.fields else ""
        raise FileError(
            path, f"{name} is a Matlab struct, object or function{of}; wanted {wanted}: save that as a variable"
        )
    if value.dtype == object:
        raise FileError(path, f"{name} is a {shape_of(value)} cell; wanted {wanted}")
    if value.dtype.kind in "US":
        raise FileError(path, f"{name} is text; wanted {wanted}")


def check_real(value: Any, path: Path, name: str) -> None:
    """Refuse complex numbers and anything that is not a number."""
    if value.dtype.kind not in "biuf":
        raise FileError(path, f"{name} holds {value.dtype} values; wanted real numbers")


def same_partition(first: Labels, second: Labels) -> bool:
    """Return whether two labellings group the nodes alike, whatever the groups are called."""
    if len(first) != len(second):
        return False
    pairs = np.unique(np.stack([first, second]), axis=1).shape[1]
    return bool(pairs == len(np.unique(first)) == len(np.unique(second)))
