"""Averages over neighbours: what a graph-convolutional net does to features, and what smoothing does once beforehand.

    S = D^{-1/2} (W + I) D^{-1/2},      W = Σ_s w_s W_s / (mean degree of layer s)

so that layers count by their weight and not by their unit, and a node counts about as much as its neighbours together.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, diags_array, eye_array, issparse

from orthonet.graph.features import Features, FeatureScaler
from orthonet.graph.multilayer import MultilayerGraph
from orthonet.support.checks import check_weights

DENSE_ABOVE = 0.1
"""Share of entries above which smoothed sparse features are kept dense."""


def averaging_matrix(graph: MultilayerGraph, layer_weights: npt.ArrayLike | None = None) -> csr_array:
    """Return S of the graph, N x N sparse, with rows and columns in the order of its nodes."""
    weights = check_weights(layer_weights, graph.n_layers)
    total = eye_array(graph.n_nodes, format="csr")
    for weight, layer in zip(weights, graph.layers, strict=True):
        mean_degree = layer.sum() / graph.n_nodes
        if weight > 0 and mean_degree > 0:
            total = total + (weight / mean_degree) * layer
    scale = diags_array(1.0 / np.sqrt(np.asarray(total.sum(axis=1)).ravel()))
    return csr_array(scale @ total @ scale)


def smooth(
    features: Features,
    scaler: FeatureScaler,
    averaging: csr_array,
    hops: int,
    basis: npt.NDArray[np.float64] | None = None,
) -> Features:
    """Return S^hops X of the scaled features, with rows of unit length again where the scaling makes them so.

    Sparse features stay sparse until a tenth of their entries is not zero. With a ``basis`` of orthonormal columns only what
    the features are in these directions is looked at, S^hops X B.
    """
    smoothed: Any = scaler.transform(features)
    if basis is not None:
        smoothed = np.asarray(smoothed @ basis)
    for _ in range(hops):
        smoothed = averaging @ smoothed
        if issparse(smoothed) and smoothed.nnz > DENSE_ABOVE * smoothed.shape[0] * smoothed.shape[1]:
            smoothed = smoothed.toarray()
    smoothed = csr_array(smoothed) if issparse(smoothed) else smoothed
    return scaler.transform(smoothed) if scaler.kind == "unit" else smoothed
