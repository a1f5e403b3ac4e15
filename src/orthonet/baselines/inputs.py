"""What a baseline accepts: a graph, or what it needs of features, layers and views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from orthonet.graph.arrays import named_matrices
from orthonet.graph.features import Features, FeatureScaler, FeatureScaling, check_features
from orthonet.graph.membership_layers import with_membership_layers
from orthonet.graph.multilayer import MultilayerGraph

Options = TypeVar("Options")
"""A dataclass of options."""


def as_graph(X: Any, layers: Sequence[Any] | None) -> MultilayerGraph:
    """Return the graph, its two-mode relations as layers of like memberships, or the one of ``layers`` and features ``X``."""
    if isinstance(X, MultilayerGraph):
        if layers is not None:
            raise ValueError("fit takes a MultilayerGraph alone, or features with layers=[…], not both")
        return with_membership_layers(X)
    if layers is None:
        raise ValueError("this method needs layers: pass a MultilayerGraph, or layers=")
    return MultilayerGraph(layers, X)


def as_features(X: Any) -> Features:
    """Return the features of a graph, or ``X`` checked."""
    if isinstance(X, MultilayerGraph):
        if X.features is None:
            raise ValueError("this method needs features, but the graph has none")
        return X.features
    return check_features(X, "X")


def as_dense_views(
    views: Sequence[Any] | Mapping[str, Any], feature_scaling: FeatureScaling, *, minimum: int = 1
) -> list[npt.NDArray[np.float64]]:
    """Return at least ``minimum`` feature groups of the same nodes, each scaled and dense."""
    matrices, _ = named_matrices(views, None, "views")
    if len(matrices) < minimum:
        raise ValueError(f"views must have at least {minimum} feature groups, got {len(matrices)}")
    scaled: list[npt.NDArray[np.float64]] = []
    for index, view in enumerate(matrices):
        called = f"views[{index}]"
        features = check_features(view, called, len(scaled[0]) if scaled else None)
        block: Any = FeatureScaler.fit(features, feature_scaling, called).transform(features)
        scaled.append(np.asarray(block.toarray() if issparse(block) else block, dtype=np.float64))
    return scaled


def as_options(given: Options | Mapping[str, Any] | None, kind: type[Options], name: str) -> Options:
    """Return the options themselves, those of a mapping, or the defaults; ``name`` is what the parameter is called."""
    if isinstance(given, kind):
        return given
    if given is not None and not isinstance(given, Mapping):
        raise TypeError(f"{name} must be a mapping of options, a {kind.__name__} or None, got {given!r}")
    options = dict(given or {})
    known = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    unknown = sorted(set(options) - set(known))
    if unknown:
        raise ValueError(f"{name} has no option {unknown[0]!r}; it has {', '.join(known)}")
    return kind(**options)


def check_dense_size(n_nodes: int, maximum: int, method: str, instead: str) -> None:
    """Refuse more nodes than a method with N x N arrays can bear, and name one that can."""
    if n_nodes > maximum:
        raise ValueError(
            f"{method} works with dense N x N arrays in O(N³) time; {n_nodes:,} nodes are more than the {maximum:,} it is "
            f"made for. {instead}"
        )
