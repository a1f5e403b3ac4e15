"""What several tests of graphs look at."""

import numpy as np
import pytest
from scipy.sparse import csr_array, issparse


@pytest.fixture(scope="session")
def dense():
    """Return the layers of a graph as full matrices."""
    return lambda graph: [layer.toarray() for layer in graph.layers]


@pytest.fixture(scope="session")
def arrays_of():
    """Return every array that a graph is made of."""

    def arrays_of(graph):
        for matrix in (*graph.layers, graph.features):
            yield from (matrix.data, matrix.indices, matrix.indptr) if issparse(matrix) else (matrix,)
        yield graph.node_ids
        yield from graph.present

    return arrays_of


@pytest.fixture(scope="session")
def random_layer():
    """Draw a symmetric layer."""

    def random_layer(rng, n_nodes=40, density=0.2):
        upper = np.triu(rng.random((n_nodes, n_nodes)) * (rng.random((n_nodes, n_nodes)) < density), 1)
        return csr_array(upper + upper.T)

    return random_layer
