"""Node ids, and the row labels of frames that have to agree with them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt


def check_node_ids(node_ids: Any, n_nodes: int) -> npt.NDArray[Any]:
    """Return unique node ids as a 1-D array of its own; 0 … N − 1 by default."""
    if node_ids is None:
        return np.arange(n_nodes)
    ids = id_array(node_ids, "node_ids").copy()
    if len(ids) != n_nodes:
        raise ValueError(f"node_ids holds {len(ids)} ids, but the graph has {n_nodes} nodes")
    check_unique(ids, "node_ids")
    return ids


def check_unique(ids: npt.NDArray[Any], name: str) -> None:
    """Raise if an id is empty or occurs twice."""
    empty = is_empty(ids)
    if empty.any():
        raise ValueError(f"{name} has {int(empty.sum())} empty ids, the first at position {empty.argmax()}")
    values = ids.tolist()
    if len(set(values)) < len(values):
        duplicate = first_duplicate(values)
        raise ValueError(f"{name} must be unique, but {duplicate!r} occurs more than once")


def id_array(ids: Any, name: str) -> npt.NDArray[Any]:
    """Return ids as a 1-D array, of Python objects unless all are numbers or all are text."""
    if isinstance(ids, str | bytes) or not isinstance(ids, Iterable):
        raise TypeError(f"{name} must be a sequence of ids, got {ids!r}")
    if isinstance(ids, np.ndarray) and ids.ndim != 1:
        raise ValueError(f"{name} must be 1-dimensional, got shape {ids.shape}")
    if isinstance(ids, np.ndarray) and (ids.dtype == np.int64 or ids.dtype.kind == "U"):
        return ids
    values = ids.tolist() if isinstance(ids, np.ndarray) and ids.dtype.kind in "biufUS" else list(ids)
    kinds = {type(value) for value in values}
    if kinds == {str}:
        return np.array(values, dtype=str)
    if kinds and all(issubclass(kind, int | float | np.number) and kind is not bool for kind in kinds):
        return np.array(values)
    objects = np.empty(len(values), dtype=object)
    for position, value in enumerate(values):
        objects[position] = value  # one by one: numpy would unpack tuples
    return objects


def is_empty(ids: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return which ids are None, NaN, NaT or pandas' NA."""
    if ids.dtype.kind == "f":
        return np.isnan(ids)
    if ids.dtype != object:
        return np.zeros(len(ids), dtype=bool)
    # Of all values only the empty ones differ from themselves (NA: in a way that has no truth value).
    return np.array([value is None or not _equals_itself(value) for value in ids], dtype=bool)


def first_duplicate(values: Iterable[Hashable]) -> Hashable | None:
    """Return the first value that occurred before, or None."""
    seen: set[Hashable] = set()
    for value in values:
        if value in seen:
            return value
        seen.add(value)
    return None


def check_names(given: Any, argument: str, n_wanted: int, of: str) -> tuple[Any, ...]:
    """Return unique names, one for each of ``n_wanted`` things; ``of`` says what these are."""
    if isinstance(given, str):
        raise TypeError(f"{argument} must be a sequence of names, got the string {given!r}")
    names = tuple(given)
    if len(names) != n_wanted:
        raise ValueError(f"{argument} holds {len(names)} names for {n_wanted} {of}")
    duplicate = first_duplicate(map(str, names))
    if duplicate is not None:
        raise ValueError(f"{argument} must be unique, but {duplicate!r} occurs more than once")
    return names


def row_labels(table: Any) -> Any:
    """Return the index of a pandas frame if it says more than 0 … N − 1, else None."""
    index = getattr(table, "index", None)
    if index is None or not hasattr(table, "columns"):
        return None
    counted = type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1
    return None if counted else index


def ids_of_tables(tables: Mapping[str, Any], node_ids: Any) -> Any:
    """Return ``node_ids``, or the first labels found on a frame, after checking that all labelled frames agree."""
    labelled = {name: labels for name, table in tables.items() if (labels := row_labels(table)) is not None}
    if not labelled:
        return node_ids
    found_on = None if node_ids is not None else next(iter(labelled))
    ids = id_array(node_ids if found_on is None else labelled[found_on], "node_ids")
    frames = labelled
    if found_on is not None and set(ids.tolist()) == set(range(len(ids))):
        # Labels 0 … N − 1 in another order: a frame with the default index has labels too, then.
        frames = {
            name: table.index for name, table in tables.items() if hasattr(table, "index") and hasattr(table, "columns")
        }
    for name, labels in frames.items():
        for position, (label, wanted) in enumerate(zip(id_array(labels, name).tolist(), ids.tolist(), strict=False)):
            if label != wanted:
                raise ValueError(
                    f"the index of {name} differs from the node ids at position {position}: {label!r} instead of {wanted!r}; "
                    "reorder it, e.g. with .loc[node_ids]"
                )
    return ids


def check_same_labels(table: Any, name: str) -> None:
    """Raise if the rows and the columns of an adjacency frame carry the same labels in another order."""
    labels = row_labels(table)
    if labels is None:
        return
    rows, columns = list(labels), list(table.columns)
    if rows != columns and set(rows) == set(columns):
        raise ValueError(
            f"the columns of {name} are in another order than its rows; reorder them, e.g. with .loc[ids, ids]"
        )


def _equals_itself(value: Any) -> bool:
    try:
        return bool(value == value)
    except TypeError:
        return False
