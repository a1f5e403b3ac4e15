"""Small planted partitions, and sources drawn at random, that the tests of evidence share."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from orthonet.datasets import make_multilayer_sbm
from orthonet.evidence.sources import LayerSource, WordSource


@pytest.fixture(scope="session")
def planted_data():
    """240 nodes, 4 clusters, 3 good layers."""
    return make_multilayer_sbm(240, 3, 4, kind="informative", p_in=0.3, p_out=0.03, n_features=0, random_state=0)


@pytest.fixture(scope="session")
def planted(planted_data):
    """The layers of `planted_data` as sources, and its labels."""
    graph, rng = planted_data.graph, np.random.default_rng(0)
    named = zip(graph.layers, graph.layer_names, strict=True)
    return [LayerSource.from_layer(layer, name, rng) for layer, name in named], planted_data.labels.astype(np.int64)


@pytest.fixture(scope="session")
def random_layer():
    """Draw a symmetric layer with weights."""

    def draw(rng, n_nodes=30, density=0.2):
        upper = np.triu(rng.random((n_nodes, n_nodes)) * (rng.random((n_nodes, n_nodes)) < density), 1)
        upper[0, 1] = 1.0  # never without edges
        return csr_array(upper + upper.T)

    return draw


@pytest.fixture(scope="session")
def random_words():
    """Draw a table of counts."""

    def draw(rng, n_nodes=30, n_words=12, mean=0.4):
        counts = rng.poisson(mean, (n_nodes, n_words)).astype(np.float64)
        counts[0, 0] += 1.0  # never without words
        return csr_array(counts)

    return draw


@pytest.fixture(scope="session")
def random_sources(random_layer, random_words):
    """Draw a layer and words of the same nodes."""

    def draw(rng, n_nodes=30):
        layer = LayerSource(random_layer(rng, n_nodes), "layer", 3.0)
        return [layer, WordSource(random_words(rng, n_nodes), "words", 2.0)]

    return draw
