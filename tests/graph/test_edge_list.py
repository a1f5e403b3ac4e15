"""Edges as columns: what merging, adjacency and the way back from a layer keep."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from orthonet.graph.edge_list import EdgeList

N_NODES = 5
PAIR = st.tuples(st.integers(0, N_NODES - 1), st.integers(0, N_NODES - 1)).filter(lambda pair: pair[0] != pair[1])
ROWS = st.lists(st.tuples(PAIR, st.integers(1, 4), st.booleans()), min_size=1, max_size=12)


def edge_list(rows, directed, two_way=False):
    source, target = np.array([pair for pair, *_ in rows]).T
    weight = np.array([weight for _, weight, _ in rows], dtype=float)
    both = np.array([both for *_, both in rows]) if two_way else None
    return EdgeList(source, target, weight, directed, both)


def by_hand(edges, merge):
    """Fill the adjacency one row after another."""
    found = {}
    for row, (i, j, weight) in enumerate(edges.tuples()):
        both = not edges.directed or (edges.two_way is not None and edges.two_way[row])
        for pair in {(i, j), (j, i)} if both else {(i, j)}:
            found.setdefault(pair, []).append(weight)
    matrix = np.zeros((N_NODES, N_NODES))
    for pair, weights in found.items():
        matrix[pair] = sum(weights) if merge == "sum" else max(weights)
    return matrix


@settings(deadline=None)
@given(ROWS, st.booleans(), st.sampled_from(["sum", "max"]))
def test_the_adjacency_is_what_a_loop_over_rows_fills(rows, directed, merge):
    edges = edge_list(rows, directed)
    np.testing.assert_array_equal(edges.adjacency(N_NODES, merge).toarray(), by_hand(edges, merge))


@settings(deadline=None)
@given(ROWS, st.booleans(), st.booleans(), st.sampled_from(["sum", "max"]))
def test_merging_keeps_the_adjacency_and_names_no_pair_twice(rows, directed, two_way, merge):
    edges = edge_list(rows, directed, two_way and directed)
    merged = edges.merge(N_NODES, merge)
    np.testing.assert_array_equal(merged.adjacency(N_NODES).toarray(), by_hand(edges, merge))
    pairs = [(i, j) for i, j, _ in merged.tuples()]
    assert pairs == sorted(set(pairs))
    assert directed or all(i < j for i, j in pairs)


@settings(deadline=None)
@given(ROWS)
def test_the_edges_of_a_symmetric_layer_come_back(rows):
    layer = edge_list(rows, directed=False).adjacency(N_NODES)
    edges = EdgeList.of_layer(layer)
    assert 2 * len(edges) == layer.nnz
    np.testing.assert_array_equal(edges.adjacency(N_NODES).toarray(), layer.toarray())


@pytest.mark.parametrize(
    ("directed", "two_way", "n_pairs"),
    [(False, None, 1), (True, None, 2), (True, [True, True], 1), (True, [True, False], 2)],
)
def test_rows_without_direction_are_the_same_either_way_round(directed, two_way, n_pairs):
    both = None if two_way is None else np.array(two_way)
    assert EdgeList(np.array([0, 1]), np.array([1, 0]), np.ones(2), directed, both).n_pairs() == n_pairs


def test_chosen_rows_keep_their_direction():
    edges = EdgeList(np.array([0, 1]), np.array([1, 2]), np.ones(2), True, np.array([True, False]))
    chosen = edges.select([1])
    assert (chosen.tuples(), chosen.directed, chosen.two_way.tolist()) == ([(1, 2, 1.0)], True, [False])


def test_unsorted_layers_give_sorted_edges():
    layer = csr_array((np.ones(4), [2, 1, 0, 0], [0, 2, 3, 4]), shape=(3, 3))
    assert EdgeList.of_layer(layer).tuples() == [(0, 1, 1.0), (0, 2, 1.0)]
