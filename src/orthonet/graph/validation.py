"""Checks of the parts of a multilayer graph, each with an error that says what is wrong where."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from orthonet.graph.arrays import as_matrix, check_finite, with_short_indices
from orthonet.graph.ids import check_names, check_same_labels
from orthonet.support.checks import check_choice

Symmetrize = Literal["mean", "max", "min"]

ROUNDING = 1e-6
"""Asymmetry up to this share of the largest weight is taken for rounding."""


def check_layer(
    layer: Any, name: str, n_nodes: int | None = None, symmetrize: Symmetrize | None = None
) -> tuple[csr_array, int]:
    """Return a symmetric, non-negative float64 CSR copy without self-loops, and how many self-loops were dropped."""
    check_same_labels(layer, name)
    matrix = as_matrix(layer, name)
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"{name} must be square (nodes x nodes), got shape {_times(matrix.shape)}")
    if n_nodes is not None and matrix.shape[0] != n_nodes:
        raise ValueError(f"{name} is {_times(matrix.shape)}, but the graph has {n_nodes} nodes")
    adjacency = with_short_indices(csr_array(matrix.astype(np.float64)))
    check_finite(adjacency, name)
    if (adjacency.data < 0).any():
        entries = adjacency.tocoo()
        first = int(np.argmax(entries.data < 0))
        raise ValueError(
            f"{name} has {int((entries.data < 0).sum())} negative weights, the first {entries.data[first]:g} at row "
            f"{entries.row[first]}, column {entries.col[first]}; weights are similarities and must be >= 0"
        )
    adjacency = _symmetric(adjacency, name, symmetrize)
    n_loops = int(np.count_nonzero(adjacency.diagonal()))
    if n_loops:
        adjacency.setdiag(0)
    adjacency.eliminate_zeros()
    if adjacency.nnz == 0:
        raise ValueError(f"{name} has no edges; leave it out")
    with np.errstate(over="ignore"):
        finite = np.isfinite(adjacency.sum())
    if not finite:
        raise ValueError(f"{name} has weights up to {adjacency.data.max():.3g}, whose sums overflow; divide them first")
    return with_short_indices(adjacency), n_loops


def layer_of(layer: csr_array, nodes: npt.NDArray[Any], name: str) -> csr_array:
    """Return the layer of some nodes of a checked one, which needs no further check but that it has edges."""
    part = csr_array(layer[nodes][:, nodes])
    part.sort_indices()
    if part.nnz == 0:
        raise ValueError(f"{name} has no edges between these nodes; leave it out")
    return with_short_indices(part)


def check_present(
    present: Sequence[npt.ArrayLike | None] | None,
    layers: Sequence[csr_array],
    names: Sequence[str],
    n_nodes: int,
    *,
    somewhere: bool = True,
) -> tuple[npt.NDArray[np.bool_], ...]:
    """Return one boolean mask per layer; nodes with edges are present in it, and with ``somewhere`` each node in some layer."""
    if present is None:
        present = [None] * len(layers)
    if len(present) != len(layers):
        raise ValueError(f"present must hold one mask for each of the {len(layers)} layers, got {len(present)}")
    masks = []
    for given, layer, name in zip(present, layers, names, strict=True):
        mask = np.ones(n_nodes, dtype=bool) if given is None else np.array(given)
        if mask.dtype != bool or mask.shape != (n_nodes,):
            raise ValueError(
                f"present[{name!r}] must be {n_nodes} booleans, got dtype {mask.dtype} and shape {mask.shape}"
            )
        denied = np.flatnonzero(~mask & (np.diff(layer.indptr) > 0))
        if denied.size:
            raise ValueError(
                f"present[{name!r}] says that {denied.size} nodes are missing (the first at row {denied[0]}), but the layer "
                "has edges there"
            )
        masks.append(mask)
    nowhere = np.flatnonzero(~np.any(masks, axis=0)) if somewhere else np.empty(0)
    if nowhere.size:
        raise ValueError(
            f"{nowhere.size} nodes are present in no layer (the first at row {nowhere[0]}); leave them out and place them "
            "later with predict"
        )
    return tuple(masks)


def check_positions(nodes: npt.ArrayLike, n_nodes: int) -> npt.NDArray[Any]:
    """Return positions of nodes, given as such or as a mask."""
    chosen = np.asarray(nodes)
    if chosen.dtype == bool and chosen.shape != (n_nodes,):
        raise ValueError(f"nodes is a mask of shape {chosen.shape}, but the graph has {n_nodes} nodes")
    positions = np.flatnonzero(chosen) if chosen.dtype == bool else chosen
    whole = positions.ndim == 1 and positions.size > 0 and np.issubdtype(positions.dtype, np.integer)
    if not whole or positions.min() < 0 or positions.max() >= n_nodes:
        raise ValueError(f"nodes must be positions from 0 to {n_nodes - 1}, at least one")
    return positions


def check_layer_names(layer_names: Sequence[str] | None, n_layers: int) -> tuple[str, ...]:
    """Return unique layer names; "layer 0", "layer 1", … by default."""
    if layer_names is None:
        return tuple(f"layer {index}" for index in range(n_layers))
    return tuple(map(str, check_names(layer_names, "layer_names", n_layers, "layers")))


def check_feature_names(feature_names: Any, features: Any) -> tuple[str, ...]:
    """Return unique names, all of them text, one for each column of the features."""
    if features is None:
        raise ValueError("feature_names needs features to name; pass features too")
    names = check_names(feature_names, "feature_names", features.shape[1], "features")
    for position, name in enumerate(names):
        if not isinstance(name, str):
            raise TypeError(f"feature_names[{position}] must be a str, got {name!r} of type {type(name).__name__}")
    return tuple(map(str, names))


def _symmetric(adjacency: csr_array, name: str, symmetrize: Symmetrize | None) -> csr_array:
    transposed = csr_array(adjacency.T)
    if symmetrize is not None:
        check_choice(symmetrize, "symmetrize", get_args(Symmetrize))
        if symmetrize == "mean":
            return csr_array(adjacency / 2 + transposed / 2)
        return csr_array(adjacency.maximum(transposed) if symmetrize == "max" else adjacency.minimum(transposed))
    difference = (adjacency - transposed).tocoo()
    gap = np.abs(difference.data)
    if gap.size and gap.max() > ROUNDING * np.abs(adjacency.data).max():
        worst = int(gap.argmax())
        row, column = difference.row[worst], difference.col[worst]
        n_pairs = int((gap > 0).sum()) // 2
        raise ValueError(
            f"{name} is not symmetric: {n_pairs} pairs of entries differ, by up to {gap[worst]:.3g} "
            f"({adjacency[row, column]:.3g} at row {row}, column {column}, but {adjacency[column, row]:.3g} across the "
            "diagonal); pass symmetrize='mean', 'max' or 'min' to make it so"
        )
    return csr_array(adjacency / 2 + transposed / 2) if gap.any() else adjacency


def _times(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape))
