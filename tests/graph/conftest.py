"""What several tests of graphs look at."""

import pytest
from scipy.sparse import issparse


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
