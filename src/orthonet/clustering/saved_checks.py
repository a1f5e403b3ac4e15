"""What a saved model must agree on before it is believed: shapes, numbers and sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from itertools import pairwise
from typing import Any

import numpy as np

from orthonet.clustering.parameters import Parameters
from orthonet.clustering.result import ARRAYS, DETAIL_ARRAYS, HEAD_ARRAYS
from orthonet.evidence.cluster_numbers import CandidateNumber, ClusterNumbers

Arrays = dict[str, np.ndarray[Any, Any]]

CANDIDATE_VALUES = tuple(field.name for field in fields(CandidateNumber) if field.name != "n_clusters")
NETWORK, HISTORY = "network.", "history."
"""How the names of the nets' weights, and of what is known of their training, begin in the tensor file."""


class Damaged(Exception):
    """Something in the files contradicts something else in them."""


def check_arrays(arrays: Arrays, sizes: Mapping[str, int], *, own_module: bool) -> None:
    """Compare each array with the shape and the type that it must have."""
    forms: dict[str, tuple[tuple[str, ...], Any]] = {
        **ARRAYS,
        **DETAIL_ARRAYS,
        **HEAD_ARRAYS,
        "to_embedding": (("outputs", "clusters"), np.float64),
        "feature_mean": (("features",), np.float64),
        "feature_deviation": (("features",), np.float64),
    }
    for name, array in arrays.items():
        shape: tuple[int, ...] = array.shape
        dtype: Any = np.float64
        if name in forms:
            shape, dtype = tuple(sizes[size] for size in forms[name][0]), forms[name][1]
        elif own_module and name.startswith(NETWORK):
            dtype = array.dtype  # a module may count in integers, such as batches
        if array.dtype != dtype or array.shape != shape or not np.isfinite(array).all():
            raise Damaged(f"{name} should be finite numbers of shape {shape}, but is not")


def check_numbers(arrays: Arrays, n_clusters: int, n_terms: int) -> None:
    """Compare numbers of clusters and of terms with how many there are; evidence is divided by a positive number."""
    for name in ("labels", "runner_up", "without"):
        if not np.isin(arrays[name], np.arange(n_clusters)).all():
            raise Damaged(f"the {name} and n_clusters do not agree on {n_clusters} clusters")
    if not arrays["temperature"] > 0:
        raise Damaged("temperature should be positive")
    for name in ("node_terms", "cluster_terms"):
        if arrays[name].size and not -1 <= arrays[name].min() <= arrays[name].max() < n_terms:
            raise Damaged(f"{name} names other features or groups than the {n_terms} there are")


def check_sizes(sizes: list[int], members: int, weights: dict[str, np.ndarray[Any, Any]]) -> None:
    """Compare the nets' sizes with the tensors before building them: a false index must not claim memory."""
    wanted = [(n_out, n_in) for n_in, n_out in pairwise(sizes)]
    for member in range(members):
        own = {name: array for name, array in weights.items() if name.startswith(f"members.{member}.")}
        found = [array.shape for name, array in sorted(own.items(), key=_position) if array.ndim == 2]
        if len(sizes) < 2 or wanted != found:
            raise Damaged(f"a net of sizes {sizes} does not fit weights of shapes {found}")


def number_of_clusters(parameters: Parameters, fitted: Any) -> int:
    """Return how many clusters there are, which a model whose parameter is "auto" must say."""
    found = whole(fitted["n_clusters"])
    if parameters.cluster_range is None and found != parameters.n_clusters:
        raise Damaged(f"n_clusters={parameters.n_clusters}, but the fit found {found}")
    return found


def cluster_numbers(saved: Any, n_clusters: int) -> ClusterNumbers | None:
    """Return how the number of clusters was chosen; None if it was given."""
    if saved is None:
        return None
    rows = tuple(
        CandidateNumber(whole(row["n_clusters"]), **{name: float(row[name]) for name in CANDIDATE_VALUES})
        for row in saved["candidates"]
    )
    alternatives, known = tuple(map(whole, saved["alternatives"])), {row.n_clusters for row in rows}
    values = [getattr(row, name) for row in rows for name in CANDIDATE_VALUES]
    if not np.isfinite([*values, saved["reliability"]]).all() or not known >= {n_clusters, *alternatives}:
        raise Damaged("the table of numbers of clusters does not agree with their number")
    return ClusterNumbers(rows, n_clusters, float(saved["reliability"]), alternatives, bool(saved["pays"]))


def whole(value: Any) -> int:
    """Return a size, which is a whole number >= 1."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise Damaged(f"{value!r} is not a size")
    return value


def _position(item: tuple[str, Any]) -> tuple[int, str]:
    numbers = [part for part in item[0].split(".") if part.isdigit()]
    return (int(numbers[-1]) if numbers else 0, item[0])
