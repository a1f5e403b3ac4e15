"""Nearest-neighbour layers from feature groups (views), one layer per group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, hstack, issparse

from orthonet.graph.arrays import as_matrix, check_finite
from orthonet.graph.features import Features, FeatureScaler, FeatureScaling, check_features, column_names
from orthonet.graph.ids import first_duplicate
from orthonet.graph.knn import knn_layer


@dataclass(frozen=True, eq=False)
class ViewLayers:
    """The layers of feature groups, which nodes are present in each, and the groups side by side."""

    layers: list[csr_array]
    present: list[npt.NDArray[np.bool_]]
    features: Features


def layers_from_views(views: Mapping[str, Any], feature_scaling: FeatureScaling, **neighbors: Any) -> ViewLayers:
    """Build one layer from each view; see `MultilayerGraph.from_views` for what is accepted.

    Parameters
    ----------
    views : mapping of names for errors to arrays of shape (N, M_s)
    feature_scaling : {"auto", "standard", "unit", "none"}
    **neighbors
        Arguments of `orthonet.graph.knn.knn_layer`.
    """
    layers, present = [], []
    blocks: list[Features] = []
    for called, view in views.items():
        block, mask = _view_and_its_nodes(view, called, blocks[0].shape[0] if blocks else None)
        rows = block if mask.all() else block[mask]
        scaled = FeatureScaler.fit(rows, feature_scaling, called).transform(rows)
        layer = knn_layer(scaled, name=called, **neighbors)
        layers.append(layer if mask.all() else spread(layer, np.flatnonzero(mask), len(mask)))
        present.append(mask)
        blocks.append(block)
    return ViewLayers(
        layers, present, hstack(blocks, format="csr") if any(map(issparse, blocks)) else np.hstack(blocks)
    )


def names_side_by_side(views: Sequence[Any]) -> tuple[str, ...] | None:
    """Return the column names of all views if each is a frame and no name occurs twice."""
    columns = [column_names(view) for view in views]
    if any(names is None for names in columns):
        return None
    names = tuple(name for one in columns for name in one or ())
    return None if first_duplicate(names) is not None else names


def spread(layer: csr_array, rows: npt.NDArray[np.intp], n_nodes: int) -> csr_array:
    """Return a layer over some nodes as a layer over all of them: node i of the layer is node ``rows[i]``."""
    entries = layer.tocoo()
    return csr_array((entries.data, (rows[entries.row], rows[entries.col])), shape=(n_nodes, n_nodes))


def _view_and_its_nodes(view: Any, called: str, n_nodes: int | None) -> tuple[Features, npt.NDArray[np.bool_]]:
    """Return the view with missing rows filled by column means, and which rows were there."""
    matrix = as_matrix(view, called)
    missing = np.zeros(matrix.shape[0], dtype=bool) if issparse(matrix) else np.isnan(matrix).all(axis=1)
    if missing.any() and not missing.all():
        holes = matrix.copy()
        holes[missing] = 0.0
        check_finite(holes, called, "; a missing node has NaN in its whole row")
        matrix[missing] = matrix[~missing].mean(axis=0)
    return check_features(matrix, called, n_nodes), ~missing
