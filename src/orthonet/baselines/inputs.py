"""What a baseline accepts: a graph, or what it needs of features and layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from orthonet.graph.features import Features, check_features
from orthonet.graph.multilayer import MultilayerGraph


def as_graph(X: Any, layers: Sequence[Any] | None) -> MultilayerGraph:
    """Return the graph itself, or the one made of ``layers`` and features ``X``."""
    if isinstance(X, MultilayerGraph):
        if layers is not None:
            raise ValueError("fit takes a MultilayerGraph alone, or features with layers=[…], not both")
        return X
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
