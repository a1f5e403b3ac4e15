"""Layers and problems that the tests of several means share."""

from __future__ import annotations

import numpy as np
import pytest

from orthonet import MultilayerGraph, datasets
from orthonet.aggregation.problem import AggregationProblem


@pytest.fixture
def random_layers(rng):
    """Make connected layers of random weights, the next ones at each call."""

    def make(n=15, n_layers=3):
        layers = []
        for _ in range(n_layers):
            weights = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.5), 1)
            weights[np.arange(n - 1), np.arange(1, n)] += 0.1  # a path keeps it connected
            layers.append(weights + weights.T)
        return layers

    return make


@pytest.fixture(scope="session")
def problem_of():
    """Make a problem of layers, or of a graph."""

    def make(layers, kind="joint", epsilon=1e-2, weights=None, k=3, **more):
        graph = layers if isinstance(layers, MultilayerGraph) else MultilayerGraph(layers, **more)
        return AggregationProblem.of(graph, kind, epsilon, weights, k, np.random.default_rng(0))

    return make


@pytest.fixture
def problem_with_holes(rng, problem_of):
    """Four clouds in three layers, the second and third of which lack a tenth and a fifth of the nodes."""
    whole = datasets.make_multilayer_gaussians(300, 3, 4, n_neighbors=10, weights="gaussian", random_state=3).graph
    present = [rng.random(300) > 0.1 * s for s in range(3)]
    layers = [layer.toarray() * np.outer(held, held) for layer, held in zip(whole.layers, present, strict=True)]
    return problem_of(layers, epsilon=1e-3, k=4, present=present)
