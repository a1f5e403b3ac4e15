"""Columns of categories, such as site or team: how large a share of each cluster has which value.

    share inside = nodes of the cluster with the value / nodes of the cluster
    F1 = 2 both / (in the cluster + with the value)

Columns that are not features count too: they say what a cluster is, though it was not found by them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

MAX_NUMBERS = 20
"""Different whole numbers up to which a column of them is taken for codes."""
LEAST_LIFT = 1.2
"""How many times as large the share inside must be as the share outside, for a value to set a cluster apart."""
LEAST_SHARE = 0.05
"""Share of a cluster below which a value is no mark of it."""


@dataclass(frozen=True)
class Category:
    """A value that is more frequent in a cluster than outside."""

    column: str
    value: str
    inside: float
    outside: float
    match: float
    """F1: 1 if the cluster is exactly the nodes with this value."""


def category_columns(attributes: Mapping[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[np.str_]]:
    """Return the columns that hold categories, as text; "" where a value is missing.

    Text of which some values repeat, truth values, and few different whole numbers are categories; ids and measures are not.
    """
    found = {}
    for name, column in attributes.items():
        texts = _as_text(np.asarray(column))
        if texts is None:
            continue
        known = texts[texts != ""]
        n_values = len(np.unique(known))
        if 2 <= n_values <= len(known) / 2:
            found[name] = texts
    return found


def marks(
    columns: Mapping[str, npt.NDArray[np.str_]], labels: npt.NDArray[np.int64], n_clusters: int
) -> list[list[Category]]:
    """Return for each cluster the values that are more frequent in it, the best matches first."""
    found: list[list[Category]] = [[] for _ in range(n_clusters)]
    for name, texts in columns.items():
        values, which = np.unique(texts, return_inverse=True)
        counts = np.zeros((n_clusters, len(values)))
        np.add.at(counts, (labels, which), 1)
        counts = counts[:, values != ""]  # shares are of the nodes whose value is known
        sizes, totals = counts.sum(axis=1), counts.sum(axis=0)
        inside = counts / np.maximum(sizes, 1)[:, None]
        outside = (totals - counts) / np.maximum(sizes.sum() - sizes, 1)[:, None]
        match = 2 * counts / np.maximum(sizes[:, None] + totals, 1)
        apart = (inside >= LEAST_SHARE) & (inside >= LEAST_LIFT * outside)
        for cluster, place in np.argwhere(apart):
            cell = cluster, place
            value = str(values[values != ""][place])
            found[cluster].append(Category(name, value, float(inside[cell]), float(outside[cell]), float(match[cell])))
    return [sorted(one, key=lambda category: -category.match) for one in found]


def _as_text(column: npt.NDArray[Any]) -> npt.NDArray[np.str_] | None:
    if column.dtype.kind in "US":
        return column.astype(str)
    if column.dtype.kind == "O":
        return np.array(["" if one is None or one != one else str(one) for one in column.tolist()])
    if column.dtype.kind == "b":
        return np.where(column, "yes", "no")
    if column.dtype.kind in "iu":
        return column.astype(str) if len(np.unique(column)) <= MAX_NUMBERS else None
    if column.dtype.kind == "f":
        known = np.isfinite(column)
        whole = column[known]
        if len(np.unique(whole)) > MAX_NUMBERS or not np.array_equal(whole, np.rint(whole)):
            return None
        return np.array([str(int(one)) if here else "" for one, here in zip(column, known, strict=True)])
    return None
