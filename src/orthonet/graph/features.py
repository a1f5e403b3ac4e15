"""Node features: what is accepted, and how they are brought to a common scale.

Dense columns are standardised (zero mean, unit variance); sparse rows, which are text or counts, are scaled to unit
length, which keeps them sparse.
"""

from __future__ import annotations

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


def check_features(features: Any, name: str = "features", n_nodes: int | None = None) -> Features:
    """Return finite features as a float array (dense, C order) or float CSR array; float32 stays float32."""
    matrix = as_matrix(features, name)
    if 0 in matrix.shape:
        raise ValueError(
            f"{name} must have at least one row and one column, got {matrix.shape[0]} rows, {matrix.shape[1]} columns"
        )
    if n_nodes is not None and matrix.shape[0] != n_nodes:
        raise ValueError(f"{name} has {matrix.shape[0]} rows, but the graph has {n_nodes} nodes")
    check_finite(matrix, name, "; fill or drop it first")
    return matrix if issparse(matrix) else np.ascontiguousarray(matrix)


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
            kind = "unit" if issparse(features) else "standard"
        if kind == "standard" and issparse(features):
            raise ValueError(
                "feature_scaling='standard' would make sparse features dense; pass feature_scaling='unit' or 'none', "
                "or dense features"
            )
        if issparse(features):
            low, high = (extreme.toarray().ravel() for extreme in (features.min(axis=0), features.max(axis=0)))
            # A word that no document has is common in sparse data; only if there are no others is it worth a word.
            if (low == high).all():
                _tell_constant(low == high, name)
            return cls(kind)
        largest = np.abs(features).max(axis=0).astype(np.float64)
        unit = features / np.where(largest > 0, largest, 1.0)  # so that no square overflows or vanishes
        mean, deviation = largest * unit.mean(axis=0), largest * unit.std(axis=0)
        constant = unit.std(axis=0) <= 10 * np.finfo(features.dtype).eps
        _tell_constant(constant, name)
        if kind != "standard":
            return cls(kind)
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


def _tell_constant(constant: npt.NDArray[np.bool_], name: str) -> None:
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
