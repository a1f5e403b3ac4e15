"""Features of own nodes: their scale, and their leading directions, from sums over all processes.

standardised    mean and deviation of each column over all nodes
directions      the leading right singular vectors V_m of the scaled features X, by subspace iteration Q ← orth(XᵀX Q),
                of which XᵀX Q, M x m, is summed over processes
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from orthonet.graph.features import ZEROS, Features, FeatureScaler, FeatureScaling, tell_constant
from orthonet.partitioned.rows import Rows

Array = npt.NDArray[np.float64]

EXTRA, ITERATIONS = 10, 5
"""Directions beside those wanted, and rounds: as many as a randomised SVD takes."""


def are_words_of_all(rows: Rows, features: Features) -> bool:
    """Tell whether the features of all processes are words or counts: sparse, or nearly all zero, and never negative."""
    values: Any = features.data if issparse(features) else np.asarray(features)
    negative, zeros = rows.sum(np.count_nonzero(values < 0), values.size - np.count_nonzero(values))
    if negative[0]:
        return False
    return issparse(features) or bool(zeros[0] >= ZEROS * rows.n_nodes * features.shape[1])


def row_scaler(rows: Rows, features: Features, kind: FeatureScaling, words: bool) -> FeatureScaler:
    """Return the scaling that all processes share."""
    if kind == "auto":
        kind = "unit" if issparse(features) or words else "standard"
    if kind == "standard" and issparse(features):
        raise ValueError(
            "feature_scaling='standard' would make sparse features dense; pass feature_scaling='unit' or 'none'"
        )
    if kind != "standard":
        return FeatureScaler(kind)
    table = np.asarray(features, dtype=np.float64)
    largest = rows.largest(np.abs(table).max(axis=0, initial=0.0))
    unit = np.where(largest > 0, largest, 1.0)  # so that no square overflows or vanishes
    centre = rows.sum((table / unit).sum(axis=0))[0] / rows.n_nodes
    spread = np.sqrt(rows.sum(((table / unit - centre) ** 2).sum(axis=0))[0] / rows.n_nodes)
    constant = spread <= 10 * np.finfo(features.dtype).eps
    tell_constant(constant, "features")
    return FeatureScaler(kind, largest * centre, np.where(constant, 1.0, largest * spread))


def leading_directions(rows: Rows, scaled: Any, size: int, rng: np.random.Generator) -> Array:
    """Return the ``size`` leading right singular vectors of the scaled features of all nodes, M x size."""
    block = rng.standard_normal((scaled.shape[1], min(size + EXTRA, scaled.shape[1])))
    for _ in range(ITERATIONS):
        (image,) = rows.sum(np.asarray(scaled.T @ (scaled @ block)))
        block = rows.by_first(lambda image=image: np.linalg.qr(image)[0])  # type: ignore[misc]
    seen = np.asarray(scaled @ block)
    (gram,) = rows.sum(seen.T @ seen)
    found = block @ rows.by_first(lambda: np.linalg.eigh(gram)[1][:, ::-1][:, :size])
    peaks = np.abs(found).argmax(axis=0)  # a direction may point either way; its largest entry points up
    return np.ascontiguousarray(found * np.sign(found[peaks, np.arange(found.shape[1])]))
