"""Features from named columns of node attributes, and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from orthonet.graph.convert.assembly import MISSING_FROM, as_floats, is_number
from orthonet.graph.ids import is_empty
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.warn import warn_user

ADVICE = "features are numbers: encode text first, e.g. one column per value, or name the columns to use in features="


def chosen_features(
    columns: Mapping[str, Any], features: Any, ids: Sequence[Any], *, fill: float | None = None
) -> tuple[Any, Sequence[str] | None]:
    """Return the features that were asked for, and their names.

    Parameters
    ----------
    columns : mapping of names to N values
        None, NaN or NA where a node has no value.
    features : None, "all", "numeric", sequence of names, or array
        An array, one row per node, is passed on.
    ids : sequence of N ids
        For errors.
    fill : float, optional
        What a node without a value gets; without it that is an error.
    """
    if features is None:
        return None, None
    if hasattr(features, "shape") or hasattr(features, "columns"):
        return features, list(features.columns) if hasattr(features, "columns") else None
    wanted = _wanted(columns, features)
    if not wanted and not isinstance(features, str):
        return None, None
    blocks: list[npt.NDArray[np.float64]] = []
    names: list[str] = []
    left_out = []
    for name in wanted:
        try:
            for part, values in _numbers(columns[name], name, ids, fill):
                blocks.append(values)
                names.append(part)
        except ValueError:
            if not isinstance(features, str) or features != "numeric":
                raise
            left_out.append(name)
    if not blocks:
        raise ValueError(
            f"features={features!r}: no attribute is a number on all nodes"
            + (f"; there are {', '.join(map(repr, columns))}" if columns else ", as nodes have none")
        )
    if left_out:
        warn_user(
            f"features='numeric' leaves out {len(left_out)} of {len(wanted)} attributes, which are not numbers on all nodes: "
            + ", ".join(map(repr, left_out))
        )
    return np.column_stack(blocks), names


def feature_columns(graph: MultilayerGraph, reserved: Sequence[str] = ()) -> list[str]:
    """Return the names of the features, "feature 0", … if they have none; none may be one that is needed otherwise."""
    if graph.features is None:
        return []
    names = list(graph.feature_names or (f"feature {index}" for index in range(graph.features.shape[1])))
    for name in (*reserved, MISSING_FROM):
        if name in names:
            raise ValueError(f"a feature is called {name!r}, which the result needs for something else; rename it")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{names.count(twice)} features are called {twice!r}; attributes need names of their own")
    return names


def feature_records(graph: MultilayerGraph, names: Sequence[str]) -> Iterator[dict[str, float]]:
    """Yield the features of each node by name; of sparse features only those that are not 0."""
    features: Any = graph.features
    for node in range(graph.n_nodes):
        if features is None:
            yield {}
        elif issparse(features):
            start, end = features.indptr[node : node + 2]
            here = zip(features.indices[start:end].tolist(), features.data[start:end].tolist(), strict=True)
            yield {names[column]: value for column, value in here}
        else:
            yield dict(zip(names, features[node].tolist(), strict=True))


def feature_arrays(graph: MultilayerGraph) -> Iterator[npt.NDArray[np.floating[Any]]]:
    """Yield the features one by one, each an array of shape (N,) of its own."""
    features: Any = graph.features
    if features is None:
        return
    by_column = features.tocsc() if issparse(features) else features
    for index in range(features.shape[1]):
        column = by_column[:, [index]]
        yield column.toarray().ravel() if issparse(column) else column.ravel()


def _wanted(columns: Mapping[str, Any], features: Any) -> list[str]:
    if isinstance(features, str):
        if features not in ("all", "numeric"):
            raise ValueError(
                f"features must be 'all', 'numeric', a list of names or an array, got {features!r}; for one attribute pass "
                f"[{features!r}]"
            )
        return list(columns)
    wanted = list(features)
    for name in wanted:
        if name not in columns:
            known = f"; there are {', '.join(map(repr, columns))}" if columns else "; nodes have none"
            raise ValueError(f"features names {name!r}, but no node has such an attribute{known}")
    return wanted


def _numbers(
    column: Any, name: str, ids: Sequence[Any], fill: float | None
) -> Iterator[tuple[str, npt.NDArray[np.float64]]]:
    """Yield a column as numbers; one of equally long lists of numbers as several columns "x[0]", "x[1]" and so on."""
    values = np.asarray(column) if hasattr(column, "dtype") else None
    if values is None or values.dtype.kind not in "biuf" or values.ndim != 1:
        objects = [entry.to_list() if hasattr(entry, "to_list") else entry for entry in column]  # lists of polars
        width = _common_length(objects)
        if width is not None:
            for index in range(width):
                part = f"{name}[{index}]"
                yield from _numbers([entry[index] for entry in objects], part, ids, fill)
            return
        values = np.empty(len(objects), dtype=object)
        values[:] = objects
    empty = is_empty(values)
    if empty.any() and fill is None:
        raise ValueError(
            f"{int(empty.sum())} nodes have no {name!r}, the first {ids[int(empty.argmax())]!r}; fill it, or pass fill="
        )
    if values.dtype == object:
        for position in np.flatnonzero(~empty).tolist():
            if not is_number(values[position]):
                raise ValueError(f"{name!r} of node {ids[position]!r} is {values[position]!r}; {ADVICE}")
    numbers = np.full(len(values), np.nan if fill is None else float(fill))
    numbers[~empty] = as_floats(values[~empty].tolist()) if values.dtype == object else values[~empty]
    if not np.isfinite(numbers).all():
        raise ValueError(f"{name!r} of node {ids[int((~np.isfinite(numbers)).argmax())]!r} is not finite")
    yield name, numbers


def _common_length(values: Sequence[Any]) -> int | None:
    """Return the length of the entries if all are vectors of one length."""
    if not values or not all(isinstance(value, list | tuple | np.ndarray) for value in values):
        return None
    lengths = {np.shape(value) for value in values}
    return next(iter(lengths))[0] if len(lengths) == 1 and len(next(iter(lengths))) == 1 else None
